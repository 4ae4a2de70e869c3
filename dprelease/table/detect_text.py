"""Detection of how delimited text seems to be written, for its curator to correct."""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dprelease.errors import UploadError
from dprelease.model.reading import DELIMITERS, Detected, Format, Reading
from dprelease.table.detect_header import find_header
from dprelease.table.ingest_text import FORMATS, codec, decoded
from dprelease.words import phrase

SAMPLE = 2**18
"""Bytes from which the layout is detected."""
ROWS = 200
SHOWN = 8
"""Rows that whoever brings a file is shown."""
NOTHING_SAID: Mapping[str, Any] = MappingProxyType({})
"""Parts of a reading that somebody said."""
MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def detect_text(source: Path, filename: str, said: Mapping[str, Any] = NOTHING_SAID) -> Detected:
    """Return the encoding from all bytes; delimiter and header from the first lines."""
    encoding = said.get("encoding") or _encoding(source, filename)
    try:
        text = _beginning(source, encoding)
    except UnicodeError:  # of an encoding that somebody said: told by its line, where the rows are read
        text = ""
    delimiters = [said["delimiter"]] if said.get("delimiter") else list(DELIMITERS)
    delimiter, rows, alike = _layout(text, delimiters)
    found = find_header(rows)
    line = said.get("header", found.line)
    asks = {
        "delimiter": alike,
        "header": not found.settled and "header" not in said,
        "units": found.units and "units" not in said and line == found.line,
    }
    reading = Reading(
        format=Format.TEXT,
        **{"encoding": encoding, "delimiter": delimiter, "header": line, **said},
    )
    bands = found.bands if line == found.line else ()
    return Detected(reading=reading, asks=tuple(part for part, asked in asks.items() if asked), bands=bands)


def beginning_rows(source: Path, reading: Reading) -> list[tuple[int, list[str]]]:
    """Return the rows of the beginning of a file, by a declared layout, with the lines they begin in."""
    return _rows(_beginning(source, reading.encoding), reading.delimiter)


def first_rows(source: Path, reading: Reading) -> list[tuple[int, list[str]]]:
    """Return the first rows with cells in them, and their lines."""
    return beginning_rows(source, reading)[:SHOWN]


def numbered_rows(source: Path, reading: Reading) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of the table and the lines they begin in, as far as they can be read."""
    with source.open(encoding=codec(reading.encoding), errors="replace", newline="") as file:
        reader = csv.reader(file, delimiter=reading.delimiter)
        head, line = reading.header + (reading.units and reading.header > 0), 0
        try:
            for cells in reader:
                begins, line = line + 1, reader.line_num
                if cells and begins > head and not reading.skip.leaves_out(cells):
                    yield begins, cells
        except csv.Error:
            return


def _encoding(source: Path, filename: str) -> str:
    with source.open("rb") as file:
        head = file.read(4096)
    for mark, name in MARKS:
        if head.startswith(mark) and not head.startswith(codecs.BOM_UTF32_LE):
            return name
    if b"\0" in head:
        raise UploadError(filename, found=phrase("table.binary_content"), allowed=FORMATS)
    return next((name for name in ("utf-8", "windows-1252") if _decodes(source, name)), "iso-8859-1")


def _decodes(source: Path, encoding: str) -> bool:
    try:
        for _ in decoded(source, encoding):
            pass
    except UnicodeDecodeError:
        return False
    return True


def _beginning(source: Path, encoding: str) -> str:
    """Return the first lines, whole; what cannot be decoded is found later, by its line."""
    decoder = codecs.getincrementaldecoder(codec(encoding))(errors="replace")
    with source.open("rb") as file:
        raw = file.read(SAMPLE)
        whole = not file.read(1)
    text = decoder.decode(raw, whole)
    return text if whole or "\n" not in text else text[: text.rindex("\n") + 1]


def _layout(text: str, delimiters: Sequence[str]) -> tuple[str, list[tuple[int, list[str]]], bool]:
    """The delimiter, the first rows with the lines they begin in, and whether another delimiter would do as well."""
    best: tuple[tuple[float, int], str, list[tuple[int, list[str]]]] | None = None
    whole = 0
    for delimiter in delimiters:
        rows = _rows(text, delimiter)
        widths = [len(cells) for _, cells in rows] or [1]
        width, count = Counter(widths).most_common(1)[0]
        if count < 3:
            width = widths[0]
        score = (widths.count(width) / len(widths), width) if width > 1 else (0.0, 0)
        whole += score[0] == 1.0 and len(rows) > 1
        if best is None or score > best[0]:
            best = score, delimiter, rows
    assert best is not None
    return best[1], best[2], whole > 1


def _rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the rows with cells in them, as far as they can be read."""
    reader = csv.reader([f"{line}\n" for line in text.split("\n")], delimiter=delimiter)
    rows, begins = [], 1
    try:
        for cells in islice(reader, ROWS):
            if cells and cells != [""]:
                rows.append((begins, cells))
            begins = reader.line_num + 1
    except csv.Error:
        pass
    return rows
