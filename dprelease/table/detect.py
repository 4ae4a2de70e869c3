"""What kind of file somebody brings, by its content, and how it seems to be written."""

from __future__ import annotations

import re
from pathlib import Path

from dprelease.errors import UploadError
from dprelease.model.reading import LABELLED, Detected, Format, Reading
from dprelease.table.detect_text import detect_text
from dprelease.table.ingest_excel import detect_excel, is_workbook
from dprelease.table.ingest_json import detect_json_lines, is_json_lines
from dprelease.table.ingest_labelled import detect_labelled
from dprelease.table.ingest_text import FORMATS
from dprelease.words import phrase, verbatim

STATA = re.compile(rb"<stata_dta>|[h-s][\x01\x02]\x01")
"""How a file of Stata begins: the newer versions in words, the older with their number, byte order and kind."""


def detect(source: Path, filename: str) -> Detected:
    """Returns what kind of file it is, by its content, and how it seems to be written."""
    try:
        format = _format(source, filename)
        if format is Format.EXCEL:
            return detect_excel(source, filename)
        if format in LABELLED:
            return detect_labelled(source, format, filename)
        if format is Format.TEXT:
            return Detected(reading=detect_text(source, filename))
        return Detected(
            reading=detect_json_lines(source) if format is Format.JSON_LINES else Reading(format=Format.PARQUET)
        )
    except OSError as cause:
        raise unreadable(filename, cause) from None


def unreadable(filename: str, cause: OSError) -> UploadError:
    """Returns what the system says of a file, without its path."""
    return UploadError(
        filename, found=phrase("table.file_cannot_read"), allowed=FORMATS, remedy=verbatim(cause.strerror or "")
    )


def _format(source: Path, filename: str) -> Format:
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
    if STATA.match(head):
        return Format.STATA
    if head[:2] == b"PK" and is_workbook(source):
        return Format.EXCEL
    if head[:2] in (b"PK", b"\x1f\x8b") or head[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        found = phrase("table.compressed_file_spreadsheet_another")
        raise UploadError(filename, found=found, allowed=FORMATS, remedy=phrase("table.unpack_save_xlsx_csv"))
    return Format.JSON_LINES if is_json_lines(source) else Format.TEXT
