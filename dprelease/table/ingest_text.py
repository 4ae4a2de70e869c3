"""Text with delimiters (CSV, TSV and the like): its layout detected, its cells kept as text, its faults found."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from dprelease.errors import UploadError
from dprelease.model.header import named as names_of
from dprelease.model.reading import Reading
from dprelease.table.connection import file_text
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.words import phrase

FORMATS = phrase("table.csv_tsv_other_text")
CHUNK = 2**22
MAX_LINE = 4_000_000
MAX_NAME = 200


Note = Callable[[float], None]
"""Takes how much is done, from 0 to 1."""


def decoded(source: Path, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(codec(encoding))()
    with source.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield decoder.decode(chunk)
    yield decoder.decode(b"", True)


def codec(encoding: str) -> str:
    return "utf-8-sig" if encoding == "utf-8" else encoding


def in_utf8(source: Path, reading: Reading, scratch: Path, filename: str, note: Note) -> Path:
    """Return the file itself, or a copy of it in UTF-8. Raises UploadError with the line of what cannot be decoded."""
    if reading.encoding == "utf-8":
        return source
    copy, line, size, done = scratch / "utf-8", 1, max(1, source.stat().st_size), 0
    parts = decoded(source, reading.encoding)
    with copy.open("w", encoding="utf-8", newline="") as file:
        while True:
            try:
                text = next(parts, None)
            except UnicodeDecodeError as cause:
                good = bytes(cause.object[: cause.start]).decode(codec(reading.encoding), "replace")
                line += good.count("\n")
                column = good.rpartition("\n")[2].count(reading.delimiter) + 1
                raise not_encoded(filename, reading.encoding, line, column) from None
            except UnicodeError:  # UTF-16 without a mark at its beginning
                raise not_encoded(filename, reading.encoding, 1, 1) from None
            if text is None:
                return copy
            file.write(text)
            line += text.count("\n")
            done += CHUNK
            note(min(1.0, done / size))


def not_encoded(filename: str, encoding: str, line: int, column: int) -> UploadError:
    """Bytes that mean nothing in an encoding, by their place."""
    return UploadError(
        filename,
        found=phrase("table.line_column_bytes", line=line, column=column, encoding=encoding),
        allowed=phrase("table.text", encoding=encoding),
        remedy=phrase("table.choose_another_encoding_save"),
    )


def text_scan(source: Path, reading: Reading, filename: str) -> str:
    """Return the SQL that scans text in UTF-8, every cell as text."""
    names = _names(source, reading, filename)
    types = "{" + ", ".join(f"{DuckDB().text(name)}: 'VARCHAR'" for name in names) + "}"
    return (
        f"read_csv({file_text(source)}, hive_partitioning = false, auto_detect = false, columns = {types}, "
        f"header = {'true' if reading.header else 'false'}, skip = {max(0, reading.header - 1)}, "
        f"delim = '{reading.delimiter}', quote = '\"', escape = '\"', strict_mode = true, "
        f"max_line_size = {MAX_LINE}, buffer_size = {2 * MAX_LINE})"
    )


def _names(source: Path, reading: Reading, filename: str) -> list[str]:
    cells = header_cells(source, reading, filename)
    return checked_names(cells, filename, named=reading.header > 0, given=reading.names)


def header_cells(source: Path, reading: Reading, filename: str) -> list[str]:
    """Return the cells of the line that holds the names, of text in UTF-8."""
    with source.open("rb") as file:
        for _ in range(reading.header - 1):
            file.readline(MAX_LINE)
        raw = file.readline(MAX_LINE)
    try:
        header = raw.decode("utf-8-sig")
    except UnicodeDecodeError as cause:
        good = raw[: cause.start].decode("utf-8", "replace")
        column = good.count(reading.delimiter) + 1
        raise not_encoded(filename, "UTF-8", max(1, reading.header), column) from None
    try:
        return next(csv.reader([header.rstrip("\r\n")], delimiter=reading.delimiter, strict=True), [])
    except csv.Error:
        return []


def checked_names(cells: list[str], filename: str, *, named: bool = True, given: Sequence[str] = ()) -> list[str]:
    """The names of columns, from the cells of a header, or `given` in their place; no two are alike, none is blank.

    Raises UploadError where they cannot be names.
    """
    if given and len(given) != len(cells):
        found = phrase("model.columns", count=len(given))
        raise UploadError(filename, found=found, allowed=phrase("table.as_many_names", count=len(cells)))
    cells, named = (list(given), True) if given else (cells, named)
    if not cells or any("\0" in cell or len(cell) > MAX_NAME for cell in cells if named):
        allowed = phrase("table.names_at_most_characters", max_name=MAX_NAME)
        raise UploadError(filename, found=phrase("table.header_cannot_read"), allowed=allowed)
    return list(names_of(cells if named else [""] * len(cells)))


def without_left_out(source: Path, reading: Reading, scratch: Path, filename: str) -> Path:
    """Yield the file itself, or a copy without the rows that the reading leaves out, each on its own lines.

    Blank lines stand in their place, so that faults are still found by their line.
    """
    if not (reading.skip or reading.units):
        return source
    csv.field_size_limit(MAX_LINE)  # of the whole process: whoever set it last
    copy, held = scratch / "rows", list[str]()
    with source.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file, copy.open("wb") as out:

        def lines() -> Iterator[str]:
            for line in file:
                held.append(line)
                yield line

        def put(text: str) -> None:
            out.write(text.encode("utf-8", "surrogateescape"))

        for _ in range(reading.header):
            put(file.readline(MAX_LINE))
        width = len(header_cells(source, reading, filename))
        first = reading.units and reading.header > 0
        try:
            for cells in csv.reader(lines(), delimiter=reading.delimiter, strict=True):
                if first or reading.skip.leaves_out(cells):
                    put("".join(map(_end, held)) if width > 1 else "")
                else:
                    put("".join(held))
                held.clear()
                first = False
        except csv.Error:  # what is wrong is found, and told, where the rows are read
            put("".join(held))
            for line in file:
                put(line)
    return copy


def _end(line: str) -> str:
    """Return the end of a line as the file writes it: one that ends its lines in two ways is refused."""
    return line[len(line.rstrip("\r\n")) :]
