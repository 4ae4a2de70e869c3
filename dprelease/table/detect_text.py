"""How text with delimiters seems to be written, for its curator to correct."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from itertools import islice
from pathlib import Path

from dprelease.errors import UploadError
from dprelease.model.reading import DELIMITERS, Dates, Format, Reading
from dprelease.table.ingest_text import FORMATS, codec, decoded
from dprelease.words import phrase

SAMPLE = 2**18
"""Bytes from which the layout is detected."""
ROWS = 200
MOST_TITLES = 20
"""Rows that may stand above the one with the names."""
MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
NUMBER = re.compile(r"[+-]?[\d.,'\s]*\d[\d.,'\s]*(?:[eE][+-]?\d+)?%?")
WITH_COMMA = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:[.\s']\d{3})+),\d+")
WITH_POINT = re.compile(r"[+-]?\d+\.\d+")
DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T].*)?")


def detect_text(source: Path, filename: str) -> Reading:
    """The encoding from all bytes; delimiter, header, decimal mark and dates from the first lines."""
    encoding = _encoding(source, filename)
    text = _beginning(source, encoding)
    delimiter, rows = _layout(text)
    line, names = rows[0] if rows else (1, [])
    cells = [cell.strip() for _, row in rows[1:] for cell in row]
    named = not any(is_value(cell) for cell in names)
    return Reading(
        format=Format.TEXT,
        encoding=encoding,
        delimiter=delimiter,
        header=line if named else 0,
        decimal=_decimal(cells),
        dates=dates(cells),
    )


def is_value(cell: str) -> bool:
    """Tells whether a cell of the first row looks like a number or a date: then that row may hold no names."""
    text = cell.strip()
    return bool(NUMBER.fullmatch(text) or DATE.fullmatch(text) or re.fullmatch(r"\d{4}-\d{2}-\d{2}.*", text))


def dates(cells: list[str]) -> Dates:
    """Tells how dates are written, where that is beyond doubt."""
    found = [match for cell in cells if (match := DATE.fullmatch(cell))]
    if any(int(match[1]) > 12 for match in found) or (found and all(match[2] == "." for match in found)):
        return Dates.DAY_FIRST
    return Dates.MONTH_FIRST if any(int(match[3]) > 12 for match in found) else Dates.ISO


def _decimal(cells: list[str]) -> str:
    commas = sum(WITH_COMMA.fullmatch(cell) is not None for cell in cells)
    points = sum(WITH_POINT.fullmatch(cell) is not None for cell in cells)
    return "," if commas > points else "."


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
    """The first lines, whole; what cannot be decoded is found later, by its line."""
    decoder = codecs.getincrementaldecoder(codec(encoding))(errors="replace")
    with source.open("rb") as file:
        raw = file.read(SAMPLE)
        whole = not file.read(1)
    text = decoder.decode(raw, whole)
    return text if whole or "\n" not in text else text[: text.rindex("\n") + 1]


def _layout(text: str) -> tuple[str, list[tuple[int, list[str]]]]:
    """The delimiter, and the first rows, with the lines they begin in, from the one with the names.

    The names stand in the first row, unless at least three rows below a title agree on another number of cells.
    """
    best: tuple[tuple[float, int], str, list[tuple[int, list[str]]]] | None = None
    for delimiter in DELIMITERS:
        rows = _rows(text, delimiter)
        widths = [len(cells) for _, cells in rows] or [1]
        width, count = Counter(widths).most_common(1)[0]
        if count < 3:
            width = widths[0]
        score = (widths.count(width) / len(widths), width) if width > 1 else (0.0, 0)
        if best is None or score > best[0]:
            best = score, delimiter, _below_titles(rows[widths.index(width) :])
    assert best is not None
    return best[1:]


def _below_titles(rows: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """The rows from the one with the names: a title above it fills few of its cells, and the names fill all."""
    for place, (_, cells) in enumerate(rows[:MOST_TITLES]):
        filled = sum(bool(cell.strip()) for cell in cells)
        if filled == len(cells) and not any(is_value(cell) for cell in cells):
            return rows[place:]
        if 2 * filled > len(cells):
            break
    return rows


def _rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """The rows with cells in them, as far as they can be read."""
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
