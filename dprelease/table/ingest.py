"""From a file a person brings to a private Parquet file. Refused files leave nothing behind; cells stay as they are."""

from __future__ import annotations

import csv
import re
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from dprelease.errors import UploadError
from dprelease.model.reading import Format, Reading, ShortRow
from dprelease.model.row_rules import MAX_NOTE
from dprelease.table.connection import FRAME, borrowed, file_text, interruptible, parquet_scan
from dprelease.table.detect import detect, unreadable
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.ingest_excel import excel_batches
from dprelease.table.ingest_json import json_batches
from dprelease.table.ingest_labelled import kept, labelled_batches
from dprelease.table.ingest_text import FORMATS, MAX_LINE, in_utf8, not_encoded, text_scan, without_left_out
from dprelease.words import phrase

MAX_COLUMNS = 10_000
MAX_CELLS = 10**10
MAX_UNPACKED = 2**36
MEMORY = "4GB"
"""Maximum memory of DuckDB to read a file; for a file of usual width it uses some 100 MB, however long the file is."""
FEW_COLUMNS = 1000
GROUP, WIDE_GROUP = "ROW_GROUP_SIZE_BYTES '16MB'", "ROW_GROUP_SIZE 2048"
"""Row group sizes of a Parquet file. Smaller groups take less memory to write; larger ones are read no faster."""


SETTINGS = (
    "SET temp_directory = ''",
    f"SET memory_limit = '{MEMORY}'",
    "SET threads = 1",  # the others are for the pages
    "SET enable_progress_bar = true",
    "SET enable_progress_bar_print = false",
)
"""DuckDB counts its progress only where it may show it."""


class ShortRowError(UploadError):
    """A row has so few cells that it may be a note: asked, since it may be a fault as well."""

    def __init__(self, filename: str, row: ShortRow) -> None:
        self.row = row
        found = phrase(
            "table.line_column_row_length", line=row.line, number=row.cells + 1, cells=row.cells, width=row.width
        )
        remedy = phrase("table.leave_out_notes", rule=row.rule)
        super().__init__(filename, found=found, allowed=phrase("table.many_cells_each_row"), remedy=remedy)
        self.problems = tuple(replace(each, answers=(row.rule,)) for each in self.problems)


class StoppedError(Exception):
    """A reading was given up."""


@dataclass
class IngestProgress:
    """Progress of a reading; asked and stopped from other threads."""

    done: float = 0.0
    stopped: bool = False
    _connection: duckdb.DuckDBPyConnection | None = field(default=None, repr=False)
    _using: threading.Lock = field(default_factory=threading.Lock, repr=False)
    """Held to stop a reading, so that the next one, which is given the same connection, is not stopped."""

    def note(self, done: float) -> None:
        """Raise StoppedError where the reading was given up."""
        self.done = max(self.done, done)
        if self.stopped:
            raise StoppedError

    def fraction(self) -> float:
        """Goes from 0 to 1, never less than before."""
        try:
            percent = -1.0 if self._connection is None else self._connection.query_progress()
        except duckdb.Error:
            percent = -1.0
        self.done = max(self.done, percent / 100)
        return min(1.0, self.done)

    def stop(self) -> None:
        self.stopped = True
        with self._using:
            if self._connection is not None:
                self._connection.interrupt()

    @contextmanager
    def of(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        self._connection = connection
        try:
            yield
        finally:
            with self._using:
                self._connection = None


def ingest(
    source: Path,
    target: Path,
    *,
    filename: str,
    reading: Reading | None = None,
    progress: IngestProgress | None = None,
) -> None:
    """Write `source` as Parquet to `target`, read as declared or as detected. Errors call it `filename`."""
    progress = progress or IngestProgress()
    target.parent.mkdir(parents=True, exist_ok=True)
    reading = reading or detect(source, filename).settled(filename)
    partial = target.with_suffix(".partial")
    try:
        with (
            TemporaryDirectory(dir=target.parent, prefix=f".reading-{target.stem}.") as scratch,
            borrowed(*SETTINGS) as connection,
            opened(connection, source, filename, reading, Path(scratch), progress) as scan,
            progress.of(connection),
        ):
            names = list(_storage(connection, scan))
            group = GROUP if len(names) <= FEW_COLUMNS else WIDE_GROUP
            options = f"FORMAT parquet, {group}{kept(source, reading, filename, names)}"
            connection.execute(f"COPY (SELECT * FROM {scan}) TO {DuckDB().text(str(partial))} ({options})")
            progress.note(1.0)
            partial.rename(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def opened(
    connection: duckdb.DuckDBPyConnection,
    source: Path,
    filename: str,
    reading: Reading | None = None,
    scratch: Path | None = None,
    progress: IngestProgress | None = None,
) -> Iterator[str]:
    """Yield the SQL that scans a file, once. Cells of text stay text: nothing about their types is read off the rows.

    Raises UploadError with the place of what cannot be read, never its content, also for errors while the scan is
    used. `scratch`: a private folder for a copy in another encoding.
    """
    if scratch is None:
        with (
            TemporaryDirectory(prefix="dprelease-") as folder,
            opened(connection, source, filename, reading, Path(folder), progress) as scan,
        ):
            yield scan
            return
    progress = progress or IngestProgress()
    trouble: list[Exception] = []
    where: list[Callable[[], UploadError | None]] = []
    with _translated(filename, trouble, where), ExitStack() as stack:
        reading = reading or detect(source, filename).settled(filename)
        if reading.format is Format.PARQUET:
            _check_size(connection, source, filename)
            scan = parquet_scan(source)
        elif reading.format is Format.TEXT:
            copy = in_utf8(source, reading, scratch, filename, lambda done: progress.note(done / 10))
            copy = without_left_out(copy, reading, scratch, filename)
            scan = text_scan(copy, reading, filename)
            where.append(lambda: fault(copy, reading, len(_storage(connection, scan)), filename))
        else:
            parts = stack.enter_context(closing(_batches(source, reading, filename, progress)))
            scan = _stream(connection, parts, trouble)
        storage = _storage(connection, scan)
        if len(storage) > MAX_COLUMNS:
            raise UploadError(
                filename,
                found=phrase("model.columns", count=len(storage)),
                allowed=phrase("model.at_most", max_text=MAX_COLUMNS),
            )
        yield scan


def _storage(connection: duckdb.DuckDBPyConnection, scan: str) -> dict[str, str]:
    described = connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
    return {str(row[0]): str(row[1]) for row in described}


def _batches(source: Path, reading: Reading, filename: str, progress: IngestProgress) -> Generator[Any, None, None]:
    """Return a schema, then Arrow batches."""
    if reading.format is Format.EXCEL:
        return excel_batches(source, reading, filename, progress.note)
    if reading.format is Format.JSON_LINES:
        return json_batches(source, filename, progress.note)
    return labelled_batches(source, reading, filename, progress.note)


def _stream(connection: duckdb.DuckDBPyConnection, parts: Generator[Any, None, None], trouble: list[Exception]) -> str:
    """Register a reader of Arrow batches; what goes wrong in it is kept, since DuckDB would wrap it."""
    import pyarrow

    def batches() -> Iterator[Any]:
        try:
            yield from parts
        except (UploadError, StoppedError) as error:
            trouble.append(error)
            raise

    schema = next(parts)
    connection.register(FRAME, pyarrow.RecordBatchReader.from_batches(schema, batches()))
    return FRAME


@contextmanager
def _translated(
    filename: str, trouble: list[Exception] | None = None, where: list[Callable[[], UploadError | None]] | None = None
) -> Iterator[None]:
    """Errors of the engine and of the system in our words. `trouble`: what went wrong below the engine."""
    try:
        with interruptible():
            yield
    except duckdb.OutOfMemoryException:
        raise UploadError(
            filename,
            found=phrase("table.rows_too_large_read"),
            allowed=phrase("table.rows_some_thousand_fit", memory=MEMORY),
            remedy=phrase("table.leave_out_columns_needed"),
        ) from None
    except (duckdb.InterruptException, StoppedError):
        raise UploadError(
            filename, found=phrase("table.reading_was_given_up"), allowed=phrase("table.another_try")
        ) from None
    except duckdb.Error:
        if trouble and isinstance(trouble[0], UploadError):
            raise trouble[0] from None
        if trouble:
            raise UploadError(
                filename, found=phrase("table.reading_was_given_up"), allowed=phrase("table.another_try")
            ) from None
        placed = where[0]() if where else None
        remedy = phrase("table.save_file_anew_another")
        raise placed or UploadError(
            filename, found=phrase("table.content_cannot_read"), allowed=FORMATS, remedy=remedy
        ) from None
    except OSError as cause:
        raise unreadable(filename, cause) from None


def _check_size(connection: duckdb.DuckDBPyConnection, source: Path, filename: str) -> None:
    """A small Parquet file can unpack to a very large table; its footer says to how large a one."""
    footer = f"SELECT SUM(num_values), SUM(total_uncompressed_size) FROM parquet_metadata({file_text(source)})"
    cells, size = (int(value or 0) for value in connection.execute(footer).fetchall()[0])
    if cells > MAX_CELLS or size > MAX_UNPACKED:
        found = phrase("table.cells_bytes_when_unpacked", cells=cells, size=size)
        raise UploadError(
            filename,
            found=found,
            allowed=phrase("table.at_most_cells_bytes", max_cells=MAX_CELLS, max_unpacked=MAX_UNPACKED),
        )


QUOTED = re.compile(r'"(?:[^"]|"")*"')


def fault(source: Path, reading: Reading, width: int, filename: str) -> UploadError | None:
    """Return the first row that cannot be read, by its line and column; None where Python's own reader finds none.

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
    return _mixed_ends(filename) if _has_mixed_ends(source) else None


def _has_mixed_ends(source: Path) -> bool:
    """Return True if some lines end in CRLF and others in LF alone."""
    with source.open("rb") as file:
        ends = {line.endswith(b"\r\n") for line in file if line.endswith(b"\n")}
    return len(ends) > 1


def _mixed_ends(filename: str) -> UploadError:
    return UploadError(
        filename,
        found=phrase("table.mixed_line_ends"),
        allowed=phrase("table.one_line_end"),
        remedy=phrase("table.save_file_anew_another"),
    )


def _wrong_width(filename: str, line: int, cells: int, width: int) -> UploadError:
    if cells < width and cells <= MAX_NOTE:
        return ShortRowError(filename, ShortRow(line=line, cells=cells, width=width))
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
