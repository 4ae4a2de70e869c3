"""DuckDB in the process: reads private tables and answers tallies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any, ClassVar

import duckdb
import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InputError, UploadError
from dprelease.model.condition import Condition
from dprelease.model.privacy import MAX_ROWS, PrivacyUnit
from dprelease.model.reading import Reading
from dprelease.model.recurring import PeriodWindow
from dprelease.model.schema import Schema
from dprelease.model.setting import whole_number
from dprelease.model.tally import Query
from dprelease.table.answer import Session, Table, TableError
from dprelease.table.connection import FRAME, borrowed, connect, interruptible, kept, parquet_scan
from dprelease.table.cut import UnitRange, cut
from dprelease.table.dialect import Dialect
from dprelease.table.duckdb_dialect import INTEGERS, DuckDB
from dprelease.table.frame import batches
from dprelease.table.ingest import opened
from dprelease.table.periods import lost
from dprelease.table.query import coded_sql, kept_sql, ordered_sql, turns_sql
from dprelease.table.rows import RowSource
from dprelease.table.tally import Discovery, KeySet, Tally
from dprelease.words import phrase

UNREADABLE = "the table could not be read: its file is missing or damaged, or the engine stopped. Try again."

STREAM = "dprelease_stream"
ROWS_A_BATCH = 500_000
AT_A_TIME = whole_number("DPRELEASE_SORT_MB", 4096) * 2**20
"""Bytes of rows. Each part reads the table anew, so the server, which shares its memory, is told less (32 MB)."""
MAX_PARTS = 32
ROW_BYTES, CODE_BYTES = 32, 8
"""Bytes that a row takes while it is sorted, and bytes of each of its codes."""
PLACES_A_ROW, FEW, UNIT_BYTES = 4, 2**16, 16
"""So far apart may identifiers be for a place in memory for each, and what that takes."""
DIFFERENT = 2**12
"""Combinations of codes. With fewer, many rows of a unit would share a key."""
SETS_A_SCAN = 20
"""DuckDB holds a table of 2 MB for each, and one that it answers from."""
ALONE = ("SET temp_directory = ''", "SET threads = 1")
"""Several threads write the parts of a Parquet file in an order of their own, as fast as one."""
NUMBER = "file_row_number"
"""A row's place in its Parquet file, as DuckDB calls it."""


class Engine:
    """One embedded DuckDB; a cursor a use, so that threads do not wait for one another.

    It loads no extensions. With a folder it reads and writes files only below it, and spills (encrypted) only into
    `spill`, a folder below that; without one it keeps tables in memory.
    """

    def __init__(self, folder: Path | None = None, spill: Path | None = None) -> None:
        self._settings: list[str] = []
        if folder is not None:
            inside, below = (DuckDB().text(str(path)) for path in (folder, spill or folder / "spill"))
            self._settings += [
                f"SET temp_directory = {below}",
                "SET temp_file_encryption = true",
                f"SET allowed_directories = [{inside}]",
                "SET enable_external_access = false",
            ]
        self._tables = 0
        self._lock = threading.Lock()
        self._connection = kept(*self._settings) if self._settings else connect()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        return self._connection.cursor()

    def parquet(self, path: Path) -> Table:
        """Return a Parquet file or folder of such files, read where it is."""
        return self._table(parquet_scan(path))

    def hold(self, frame: Any) -> Table:
        """Return a table that a program hands over, such as a DataFrame, copied into memory."""
        with self._registered(self.cursor(), frame) as cursor:
            return self._hold(cursor, FRAME)

    def hold_file(self, source: Path, *, filename: str, reading: Reading | None = None) -> Table:
        """Return a file, read as declared or as detected, copied into memory."""
        cursor = self.cursor()
        with opened(cursor, source, filename, reading) as scan:
            return self._hold(cursor, scan)

    def _hold(self, cursor: duckdb.DuckDBPyConnection, source: str) -> Table:
        name = self.new_name()
        cursor.execute(f"CREATE TABLE {name} AS SELECT * FROM {source}")
        return self._table(name)

    def new_name(self) -> str:
        """Return a new name for a table in memory."""
        with self._lock:
            self._tables += 1
            return f"table_{self._tables}"

    def save(self, frame: Any, path: Path) -> None:
        """Write a table that a program hands over as Parquet. The same rows give the same bytes."""
        with borrowed(*ALONE) as connection, self._registered(connection, frame) as cursor:
            cursor.execute(f"COPY {FRAME} TO {DuckDB().text(str(path))} (FORMAT parquet)")

    @contextmanager
    def _registered(self, cursor: duckdb.DuckDBPyConnection, frame: Any) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            cursor.register(FRAME, batches(frame))
            with interruptible():
                yield cursor
        except (duckdb.Error, OSError, ValueError):  # of whatever sends the batches, too
            allowed = phrase("table.columns_that_each_hold_one_type")
            raise UploadError("table", found=phrase("table.one_cannot_stored"), allowed=allowed) from None

    def hold_the_same(self, one: Table, other: Table) -> bool:
        """Return True if two tables in memory have the same columns and the same rows, which have no order there."""
        if list(one.storage.items()) != list(other.storage.items()):
            return False
        counts = " = ".join(f"(SELECT COUNT(*) FROM {each.source})" for each in (one, other))
        rows = " EXCEPT ALL ".join(f"SELECT * FROM {each.source}" for each in (one, other))
        return bool(self.ask(f"SELECT {counts} AND NOT EXISTS ({rows})", lambda cursor: cursor.fetchall())[0][0])

    def loses(self, old: Table, new: Table, window: PeriodWindow, unit: PrivacyUnit) -> bool:
        """Return True if a unit has rows of a period of a window in one table, and none of that period in another."""
        day, dialect = window.column, DuckDB()
        rows = (RowSource(each.source, each.storage, Schema({day.name: day}), (), unit) for each in (old, new))
        one, other = (turns_sql(each, dialect, window) for each in rows)
        sql = lost(window, one, other, dialect.text_type)
        return bool(self.ask(sql, lambda cursor: cursor.fetchall())[0][0])

    def _table(self, source: str) -> Table:
        try:
            described = self.cursor().execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        except duckdb.Error:
            raise TableError(UNREADABLE) from None
        return Table(source, {str(row[0]): str(row[1]) for row in described})

    def check_identifiers(self, table: Table, column: str | None) -> None:
        """Raise InputError where a float that stands for several whole numbers identifies a unit.

        Reads rows, for whoever registers them and for nobody else: in answers, such a value is no identifier.
        """
        limit = None if column is None else table.dialect.floats.get(table.storage.get(column, ""))
        if limit is None:
            return
        x = table.dialect.name(str(column))
        sql = f"SELECT 1 FROM {table.source} WHERE ABS({x}) >= {limit} AND NOT ISNAN({x}) LIMIT 1"
        if self.ask(sql, lambda cursor: cursor.fetchone()):
            raise InputError(
                f"columns.{column}",
                found=phrase("table.identifiers_stored_floats_values"),
                allowed=phrase("table.whole_numbers_below_size", limit=limit),
                remedy=phrase("table.store_column_whole_numbers"),
            )

    def answer(
        self,
        table: Table,
        queries: Sequence[Query],
        *,
        schema: Schema,
        where: tuple[Condition, ...],
        unit: PrivacyUnit,
        after: Sequence[Query] = (),
    ) -> list[Tally | Discovery]:
        """Return every tally of a plan, as `Session.answer`. Raises TableError, which never quotes a value."""
        return self.session().answer(table, queries, schema=schema, where=where, unit=unit, after=after)

    def shapes(
        self, table: Table, columns: Sequence[str], *, schema: Schema, where: tuple[Condition, ...]
    ) -> dict[str, list[tuple[str, int]]]:
        """Return the shapes of unreadable cells, as `Session.shapes`."""
        return self.session().shapes(table, columns, schema=schema, where=where)

    def session(self) -> Session:
        """Return a session that asks several times: stored rows never change."""
        return EmbeddedSession(self)

    def ask(self, sql: str, fetch: Callable[[duckdb.DuckDBPyConnection], Any]) -> Any:
        """Return what `fetch` takes of the answer to a query."""
        return self.try_to(lambda cursor: fetch(cursor.execute(sql)))

    def try_to(self, use: Callable[[duckdb.DuckDBPyConnection], Any]) -> Any:
        """Return what some use of a cursor gives. The one place where DuckDB's errors become ours."""
        try:
            with interruptible():
                return use(self.cursor())
        except duckdb.Error as cause:
            if isinstance(cause, duckdb.FatalException | duckdb.InternalException) and self._settings:
                self._connection = kept(*self._settings, anew=True)
            raise TableError(UNREADABLE) from None


@dataclass
class EmbeddedSession(Session):
    """A stored table never changes, so that all queries see the same rows."""

    engine: Engine
    sets_a_scan: ClassVar[int | None] = SETS_A_SCAN

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self.engine.ask(sql, lambda cursor: cursor.fetchall())
        return found

    def columns(self, sql: str) -> Mapping[str, NDArray[Any]]:
        return _arrays(self.engine.ask(sql, lambda cursor: cursor.fetchnumpy()))

    def parts(self, rows: RowSource, columns: Sequence[str]) -> list[RowSource]:
        """So many rows at a time that they are coded and sorted in little memory, without a spill.

        Where rows are cut, a part is of some units; else it is of some row groups of the file.
        """
        places = rows.source.startswith("read_parquet") and NUMBER not in map(str.lower, rows.storage)
        if rows.empty or (rows.unit.column is None and not places):
            return [rows]
        ((height,),) = self.rows(f"SELECT COUNT(*) FROM {rows.source}")
        count = min(MAX_PARTS, 1 + height * (ROW_BYTES + CODE_BYTES * len(columns)) // AT_A_TIME)
        if count == 1:
            return [rows]
        if rows.unit.column is not None:
            tests = [f"hash({{u}}) % {count} = {part}" for part in range(count)]
        else:
            step = height // count + 1
            tests = [f"{NUMBER} >= {part * step} AND {NUMBER} < {(part + 1) * step}" for part in range(count - 1)]
            tests.append(f"{NUMBER} >= {(count - 1) * step}")
        return [replace(rows, part=test) for test in tests]

    def tallies(
        self, sets: Sequence[KeySet], rows: RowSource, dialect: Dialect, columns: Sequence[str]
    ) -> Mapping[str, NDArray[Any]]:
        """Count tallies: where rows are cut, they are streamed out, and those that stay are streamed back."""
        if rows.unit.column is None:
            return super().tallies(sets, rows, dialect, columns)
        counting = kept_sql(sets, rows, dialect, columns, STREAM, once=True)
        return _arrays(self.cut(sets, rows, dialect, columns, lambda cursor: cursor.execute(counting).fetchnumpy()))

    def cut(
        self,
        sets: Sequence[KeySet],
        rows: RowSource,
        dialect: Dialect,
        columns: Sequence[str],
        use: Callable[[Any], Any],
    ) -> Any:
        """Return what some use of a cursor gives, for which STREAM is the rows that stay, once."""
        units, most = self._units(rows, columns), rows.unit.max_rows
        sql, wanted, below = (coded_sql if units else ordered_sql)(sets, rows, dialect, columns)

        def fetch(cursor: duckdb.DuckDBPyConnection) -> Any:
            import pyarrow

            batches = self.engine.cursor().sql(sql).to_arrow_reader(ROWS_A_BATCH)
            names = wanted or [batches.schema.names[0]]
            schema = pyarrow.schema([batches.schema.field(name) for name in names])
            if units is None:
                kept = pyarrow.RecordBatchReader.from_batches(schema, first_of_each(batches, names, most))
            else:
                kept = pyarrow.Table.from_batches(cut(_read(batches), names, units, below, most), schema)
            found = use(cursor.register(STREAM, kept))
            pyarrow.default_memory_pool().release_unused()
            return found

        return self.engine.try_to(fetch)

    def _units(self, rows: RowSource, columns: Sequence[str]) -> UnitRange | None:
        """Between which numbers the identifiers are, where they are so close together that each has a place in memory.

        Rows are then ranked by NumPy. Else DuckDB sorts them; also where few codes make most rows of a unit alike, or
        a text is what they differ in.
        """
        column = str(rows.unit.column)
        if rows.storage[column] not in INTEGERS or any(each.discover for each in rows.schema):
            return None
        if prod(rows.schema[name].codes for name in columns) < DIFFERENT:
            return None
        name = DuckDB().name(column)
        sql = f"SELECT COUNT(*), MIN({name}), MAX({name}) FROM {rows.source}"
        ((height, first, last),) = [(0, 0, 0)] if rows.empty else self.rows(sql)
        if first is None or last - first >= min(PLACES_A_ROW * height + FEW, AT_A_TIME // UNIT_BYTES):
            return None
        return UnitRange(first, last)


def _read(batches: Iterable[Any]) -> Iterator[Any]:
    """Arrow's own errors are DuckDB's in other words."""
    import pyarrow

    try:
        yield from batches
    except (OSError, pyarrow.ArrowException):
        raise TableError(UNREADABLE) from None


def _arrays(found: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    return {name: np.asarray(column) for name, column in found.items()}


def first_of_each(batches: Iterable[Any], names: Sequence[str], most: int) -> Iterator[Any]:
    """Arrow batches of the first rows of each unit, at most so many. The first column is the unit; units are together.

    A row is too much where the row `most` places before it is of the same unit.
    """
    import pyarrow

    if most > MAX_ROWS:  # no plan asks for so many: all are wanted
        yield from (batch.select(names) for batch in batches)
        return
    tail: Any = None
    for batch in batches:
        unit = batch.column(0)
        joined = unit if tail is None else pyarrow.concat_arrays([tail, unit])
        kept = _differs(joined, most)[len(joined) - len(unit) :]
        tail = joined.slice(max(0, len(joined) - most))
        bits = pyarrow.py_buffer(np.packbits(kept, bitorder="little"))
        mask = pyarrow.Array.from_buffers(pyarrow.bool_(), len(kept), [None, bits])
        yield batch.select(names).filter(mask)


def _differs(values: Any, by: int) -> NDArray[np.bool_]:
    """Return a mask of the values that differ from the one `by` places before; true where there is none."""
    found = np.ones(len(values), dtype=np.bool_)
    if len(values) <= by:
        return found
    if str(values.type) == "int64":  # by way of its buffer: pyarrow's own way to NumPy imports pandas
        numbers = np.frombuffer(values.buffers()[1], np.int64, len(values), 8 * values.offset)
        found[by:] = numbers[by:] != numbers[:-by]
        return found
    import pyarrow.compute

    answer = pyarrow.compute.not_equal(values.slice(by), values.slice(0, len(values) - by))
    bits = np.unpackbits(np.frombuffer(answer.buffers()[1], np.uint8), bitorder="little")
    found[by:] = bits[answer.offset : answer.offset + len(answer)]
    return found
