"""From a file a person brings to a private Parquet file. Refused files leave nothing behind."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from dprelease.errors import UploadError
from dprelease.table.duckdb_dialect import DuckDB

MAX_COLUMNS = 10_000
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
LINE = re.compile(r"Line:\s*(\d+)")
FORMATS = "a CSV, TSV or Parquet file"


def ingest(source: Path, target: Path, *, filename: str) -> None:
    """Writes `source` (CSV, TSV or Parquet, by content) as Parquet to `target`. Errors call it `filename`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".partial")
    try:
        with duckdb.connect() as connection, reading(connection, source, filename) as scan:
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
        scan = _parquet_scan(source) if _is_parquet(source, filename) else _csv_scan(source, filename)
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


def _parquet_scan(source: Path) -> str:
    return f"read_parquet({DuckDB().text(str(source))})"


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
        f"read_csv({DuckDB().text(str(source))}, auto_detect = false, columns = {types}, header = true, "
        f"delim = '{delimiter}', quote = '\"', escape = '\"', strict_mode = true, max_line_size = 4000000)"
    )


def _column_types(header: str, delimiter: str, filename: str) -> str:
    cells = next(csv.reader([header.rstrip("\r\n")], delimiter=delimiter), [])
    names = [cell.strip() or f"column_{place}" for place, cell in enumerate(cells, start=1)]
    if len({name.lower() for name in names}) != len(names):
        raise UploadError(
            filename,
            found="two columns of the same name",
            allowed="different names (upper and lower case count as the same)",
        )
    return "{" + ", ".join(f"{DuckDB().text(name)}: 'VARCHAR'" for name in names) + "}"
