"""From a file a person brings to a private Parquet file. Refused files leave nothing behind."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from dprelease.errors import UploadError
from dprelease.table.connection import connect, file_text, parquet_scan
from dprelease.table.duckdb_dialect import DuckDB

MAX_COLUMNS = 10_000
MAX_CELLS = 10**10
MAX_NAME = 200
MAX_UNPACKED = 2**36
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
LINE = re.compile(r"Line:\s*(\d+)")
FORMATS = "a CSV, TSV or Parquet file"


def ingest(source: Path, target: Path, *, filename: str) -> None:
    """Writes `source` (CSV, TSV or Parquet, by content) as Parquet to `target`. Errors call it `filename`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".partial")
    try:
        with connect("SET temp_directory = ''") as connection, reading(connection, source, filename) as scan:
            connection.execute(f"COPY (SELECT * FROM {scan}) TO {DuckDB().text(str(partial))} (FORMAT parquet)")
            partial.rename(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def reading(connection: duckdb.DuckDBPyConnection, source: Path, filename: str) -> Iterator[str]:
    """The SQL that scans a file. CSV cells are kept as text: nothing about their types is read off the rows.

    Raises UploadError with the line of a bad row, never its content, also for errors while the scan is used.
    """
    try:
        is_parquet = _is_parquet(source, filename)
        if is_parquet:
            _check_size(connection, source, filename)
        scan = parquet_scan(source) if is_parquet else _csv_scan(source, filename)
        columns = connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
        if len(columns) > MAX_COLUMNS:
            raise UploadError(filename, found=f"{len(columns)} columns", allowed=f"at most {MAX_COLUMNS}")
        yield scan
    except duckdb.Error as cause:
        line = LINE.search(str(cause))
        found = f"a row that cannot be read at line {line.group(1)}" if line else "content that cannot be read"
        remedy = "Check the number of cells, the quotes, and that the text is UTF-8."
        raise UploadError(filename, found=found, allowed=FORMATS, remedy=remedy) from None
    except OSError as cause:
        raise UploadError(
            filename, found="a file that cannot be read", allowed=FORMATS, remedy=cause.strerror or ""
        ) from None


def _is_parquet(source: Path, filename: str) -> bool:
    with source.open("rb") as file:
        head = file.read(4096)
        size = file.seek(0, 2)
        file.seek(max(0, size - 4))
        tail = file.read(4)
    if not head.strip():
        raise UploadError(filename, found="an empty file", allowed=FORMATS)
    if head[:4] == b"PAR1":
        if tail != b"PAR1":
            raise UploadError(
                filename,
                found="a Parquet file that is cut short",
                allowed="a whole file",
                remedy="Upload it again.",
            )
        return True
    if head[:2] == b"PK" or head[:2] == b"\x1f\x8b":
        raise UploadError(
            filename,
            found="a compressed file or spreadsheet",
            allowed=FORMATS,
            remedy="Unpack it, or save it as CSV.",
        )
    if b"\0" in head:
        raise UploadError(filename, found="binary content", allowed=FORMATS)
    return False


def _check_size(connection: duckdb.DuckDBPyConnection, source: Path, filename: str) -> None:
    """A small Parquet file can unpack to a very large table; its footer says to how large a one."""
    footer = f"SELECT SUM(num_values), SUM(total_uncompressed_size) FROM parquet_metadata({file_text(source)})"
    cells, size = (int(value or 0) for value in connection.execute(footer).fetchall()[0])
    if cells > MAX_CELLS or size > MAX_UNPACKED:
        found = f"{cells} cells in {size} bytes when unpacked"
        raise UploadError(filename, found=found, allowed=f"at most {MAX_CELLS} cells in {MAX_UNPACKED} bytes")


def _csv_scan(source: Path, filename: str) -> str:
    with source.open("rb") as file:
        raw = file.readline(4_000_000)
    try:
        header = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UploadError(
            filename,
            found="a header that is not UTF-8",
            allowed="UTF-8 text",
            remedy="Save the file as CSV UTF-8.",
        ) from None
    delimiter = max(DELIMITERS, key=header.count)
    types = _column_types(header, delimiter, filename)
    return (
        f"read_csv({file_text(source)}, hive_partitioning = false, auto_detect = false, columns = {types}, "
        f"header = true, delim = '{delimiter}', quote = '\"', escape = '\"', strict_mode = true, "
        "max_line_size = 4000000)"
    )


def _column_types(header: str, delimiter: str, filename: str) -> str:
    try:
        cells = next(csv.reader([header.rstrip("\r\n")], delimiter=delimiter, strict=True), [])
    except csv.Error:
        cells = []
    if not cells or any("\0" in cell or len(cell) > MAX_NAME for cell in cells):
        allowed = f"names of at most {MAX_NAME} characters, and lines that end in LF or CRLF"
        raise UploadError(filename, found="a first line that cannot be read", allowed=allowed)
    names = [cell.strip() or f"column_{place}" for place, cell in enumerate(cells, start=1)]
    if len({name.lower() for name in names}) != len(names):
        raise UploadError(
            filename,
            found="two columns of the same name",
            allowed="different names (upper and lower case count as the same)",
        )
    return "{" + ", ".join(f"{DuckDB().text(name)}: 'VARCHAR'" for name in names) + "}"
