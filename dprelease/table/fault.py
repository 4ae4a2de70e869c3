"""Where a text file is at fault: its line and column, never its content."""

from __future__ import annotations

import csv
import re
from itertools import islice
from pathlib import Path

from dprelease.errors import UploadError
from dprelease.model.reading import Reading
from dprelease.table.ingest_text import MAX_LINE, not_encoded
from dprelease.words import phrase

QUOTED = re.compile(r'"(?:[^"]|"")*"')


def fault(source: Path, reading: Reading, width: int, filename: str) -> UploadError | None:
    """The first row that cannot be read, by its line and column; None where Python's own reader finds none.

    DuckDB counts rows, not lines, and does not say in which cell.
    """
    csv.field_size_limit(MAX_LINE)  # of the whole process: whoever set it last
    begins = 1
    with source.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        for begins in range(1, reading.header or 1):
            file.readline(MAX_LINE)
            begins += 1
        reader = csv.reader(file, delimiter=reading.delimiter, strict=True)
        before = begins - 1
        begins = before + 1
        try:
            for row in reader:
                if row and len(row) != width:
                    return _wrong_width(filename, begins, len(row), width)
                if bad := _bad_bytes(row):
                    return not_encoded(filename, "UTF-8", begins, bad)
                begins = before + reader.line_num + 1
        except csv.Error:
            text = _line(source, begins)
            if len(text) > MAX_LINE:
                return _too_long(filename, begins)
            return _wrong_quotes(filename, begins, _bad_quote(text, reading.delimiter))
    return None


def _wrong_width(filename: str, line: int, cells: int, width: int) -> UploadError:
    return UploadError(
        filename,
        found=phrase("table.line_column_row_length", line=line, number=min(cells, width) + 1, cells=cells, width=width),
        allowed=phrase("table.many_cells_each_row"),
        remedy=phrase("table.check_sign_between_cells"),
    )


def _wrong_quotes(filename: str, line: int, column: int) -> UploadError:
    return UploadError(
        filename,
        found=phrase("table.line_column_quotes_do", line=line, column=column),
        allowed=phrase("table.quotes_around_whole_cell"),
        remedy=phrase("table.write_file_anew_every"),
    )


def _bad_bytes(row: list[str]) -> int | None:
    """In which cell bytes stand that are no UTF-8."""
    if "".join(row).isascii():
        return None
    return next(
        (place for place, cell in enumerate(row, 1) if any("\udc80" <= sign <= "\udcff" for sign in cell)), None
    )


def _too_long(filename: str, line: int) -> UploadError:
    return UploadError(
        filename,
        found=phrase("table.line_more_than_bytes", line=line, max_line=MAX_LINE),
        allowed=phrase("table.shorter_lines"),
        remedy=phrase("table.check_whether_quote_open"),
    )


def _line(source: Path, number: int) -> str:
    with source.open("rb") as file:
        return next(islice(file, number - 1, None), b"").decode("utf-8", "replace").rstrip("\r\n")


def _bad_quote(text: str, delimiter: str) -> int:
    """In which cell of a line a quote is never closed, or is followed by more."""
    place, column = 0, 1
    while place < len(text):
        if text[place] == '"':
            closed = QUOTED.match(text, place)
            if closed is None or not text.startswith(delimiter, closed.end()):
                return column
            place = closed.end()
        else:
            place = text.find(delimiter, place)
            if place < 0:
                break
        place, column = place + 1, column + 1
    return column
