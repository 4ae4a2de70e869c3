"""Detection of a file's format by its content, and of how the file seems to be written."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from dprelease.errors import UploadError
from dprelease.model.reading import APPLIES, LABELLED, LAYOUT, Detected, Format, Reading, WorkbookSheet
from dprelease.model.row_rules import RowRules
from dprelease.table.detect_text import NOTHING_SAID, detect_text, first_rows
from dprelease.table.ingest_excel import detect_excel, first_excel_rows, is_workbook, sheet_names
from dprelease.table.ingest_json import is_json_lines
from dprelease.table.ingest_labelled import detect_labelled
from dprelease.table.ingest_text import FORMATS
from dprelease.words import phrase, verbatim

STATA = re.compile(rb"<stata_dta>|[h-s][\x01\x02]\x01")
"""First bytes of a Stata file: newer versions in words, older ones with their number, byte order and kind."""
DOCUMENT = re.compile(
    rb"\s*(<(!doctype|html|[?]xml|table|svg|!--)|%PDF-|\[\s*[\[{]|[{]\s*(\"|$)|[{]\\rtf)", re.IGNORECASE | re.MULTILINE
)
"""First bytes of a web page, XML, PDF, RTF or a document of JSON: text that is no table."""
SAS = bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
"""Bytes after the twelve zeros at the beginning of a SAS table."""


def detect(source: Path, filename: str, said: Mapping[str, Any] = NOTHING_SAID, *, blind: bool = False) -> Detected:
    """Return what kind of file it is, by its content, and how it seems to be written.

    `said`: parts of the reading that somebody said: they are not detected, and not asked for. `blind`: nothing is
    detected of the rows, and all that decides which cells are read is asked, of every file alike. Raises UploadError
    where a part is not of this format, or not of its kind.
    """
    try:
        format = format_of(source, filename)
        Reading.parse({"format": format, **said})
        said = {name: RowRules.parse(part) if name == "skip" else part for name, part in said.items()}
        said = {name: tuple(part) if isinstance(part, list) else part for name, part in said.items()}
        for name in said:
            if name != "format" and format not in APPLIES[name]:
                other = phrase("table.part_of_other_format", part=verbatim(name), format=verbatim(format.value))
                parts = [part for part, formats in APPLIES.items() if format in formats]
                raise UploadError(filename, found=other, allowed=verbatim(", ".join(parts) or "-"))
        said = {name: part for name, part in said.items() if name != "format"}
        if blind:
            return _undetected(source, format, filename, said)
        if format is Format.EXCEL:
            return detect_excel(source, filename, said)
        if format in LABELLED:
            found = detect_labelled(source, format, filename)
        elif format is Format.TEXT:
            return detect_text(source, filename, said)
        else:
            found = Detected(reading=Reading(format=format))
        return replace(found, reading=replace(found.reading, **said))
    except OSError as cause:
        raise unreadable(filename, cause) from None


def _undetected(source: Path, format: Format, filename: str, said: Mapping[str, Any]) -> Detected:
    """Return a file's description without its rows: its format, its sheets by their names, and its dictionary."""
    names = sheet_names(source, filename) if format is Format.EXCEL else []
    parts = [part for part in LAYOUT if format in APPLIES[part] and part not in said]
    if len(names) == 1 and "sheet" in parts:
        parts.remove("sheet")
        said = {**said, "sheet": names[0]}
    return Detected(
        reading=Reading(format=format, **said),
        sheets=tuple(WorkbookSheet(name=name) for name in names),
        labelled=detect_labelled(source, format, filename).labelled if format in LABELLED else (),
        asks=tuple(parts),
        blind=True,
    )


def beginning(source: Path, filename: str, reading: Reading) -> list[tuple[int, list[str]]]:
    """Return the first rows as they stand in the file, for whoever brings it to say which one holds the names."""
    if reading.format is Format.TEXT:
        return first_rows(source, reading)
    return first_excel_rows(source, filename, reading) if reading.format is Format.EXCEL else []


def unreadable(filename: str, cause: OSError) -> UploadError:
    """Return what the system says of a file, without its path."""
    return UploadError(
        filename, found=phrase("table.file_cannot_read"), allowed=FORMATS, remedy=verbatim(cause.strerror or "")
    )


def format_of(source: Path, filename: str) -> Format:
    """Detect a file's format by its content."""
    with source.open("rb") as file:
        head = file.read(4096)
        size = file.seek(0, 2)
        file.seek(max(0, size - 4))
        tail = file.read(4)
    if not head.strip():
        raise UploadError(filename, found=phrase("model.empty_file"), allowed=FORMATS)
    if head[:4] == b"PAR1":
        if tail != b"PAR1":
            raise UploadError(
                filename,
                found=phrase("table.parquet_file_cut_short"),
                allowed=phrase("table.whole_file"),
                remedy=phrase("table.upload_again"),
            )
        return Format.PARQUET
    if head[:4] in (b"$FL2", b"$FL3"):
        return Format.SPSS
    if b"SPSS PORT FILE" in head[:512]:
        return Format.SPSS_PORTABLE
    if head[:12] == bytes(12) and head[12:32] == SAS:
        return Format.SAS
    if STATA.match(head):
        return Format.STATA
    if head[:2] == b"PK" and is_workbook(source):
        return Format.EXCEL
    if head[:2] in (b"PK", b"\x1f\x8b") or head[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        found = phrase("table.compressed_file_spreadsheet_another")
        raise UploadError(filename, found=found, allowed=FORMATS, remedy=phrase("table.unpack_save_xlsx_csv"))
    if is_json_lines(source):
        return Format.JSON_LINES
    if DOCUMENT.match(head.removeprefix(codecs.BOM_UTF8)):
        remedy = phrase("table.export_table_as")
        raise UploadError(filename, found=phrase("table.document_no_table"), allowed=FORMATS, remedy=remedy)
    return Format.TEXT
