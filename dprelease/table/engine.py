"""DuckDB in the process: reads private tables and answers tallies."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from dprelease.errors import DPReleaseError, InputError, InternalError, UploadError
from dprelease.model.column import LISTED, ColumnType
from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.report import Report, nearest
from dprelease.model.schema import Schema
from dprelease.model.tally import DiscoveryQuery, Query, TallyQuery
from dprelease.table.connection import connect, parquet_scan
from dprelease.table.dialect import WORD
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.ingest import reading
from dprelease.table.query import KeySet, Rows, discovery_sql, key_sets, tally_sql
from dprelease.table.tally import Discovery, Tally

UNREADABLE = "the table could not be read: its file is missing or damaged, or the engine stopped. Try again."
COLUMNS_A_SCAN = 20
"""With more coded columns than this, and no rows to cut, several narrow scans are faster than a wide one."""
TEXTUAL = LISTED | {ColumnType.TEXT}


class TableError(DPReleaseError):
    """The engine could not read a table. Its own message may quote a value, so it is not repeated."""


@dataclass(frozen=True)
class Table:
    """A private table that an engine can read. Its repr shows no location."""

    source: str = field(repr=False)
    """A table function or table name, as SQL."""
    storage: dict[str, str] = field(repr=False)
    """The engine's type of each column; the columns' order is the table's."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.storage)

    def without_rows(self) -> Table:
        """The same columns and no rows: what a plan can be tried on before anything is charged."""
        return Table(f"(SELECT * FROM {self.source} LIMIT 0)", self.storage)


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
        self._connection = connect(*self._settings)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        return self._connection.cursor()

    def parquet(self, path: Path) -> Table:
        """A Parquet file or folder of such files, read where it is."""
        return self._table(parquet_scan(path))

    def hold(self, frame: Any) -> Table:
        """A pandas DataFrame or Arrow table, copied into memory."""
        with self._registered(frame) as cursor:
            return self._hold(cursor, "incoming")

    def hold_file(self, source: Path, *, filename: str) -> Table:
        """A CSV, TSV or Parquet file, copied into memory."""
        cursor = self.cursor()
        with reading(cursor, source, filename) as scan:
            return self._hold(cursor, scan)

    def _hold(self, cursor: duckdb.DuckDBPyConnection, source: str) -> Table:
        with self._lock:
            self._tables += 1
            name = f"table_{self._tables}"
        cursor.execute(f"CREATE TABLE {name} AS SELECT * FROM {source}")
        return self._table(name)

    def save(self, frame: Any, path: Path) -> None:
        """Writes a pandas DataFrame or Arrow table as Parquet."""
        with self._registered(frame) as cursor:
            cursor.execute(f"COPY incoming TO {DuckDB().text(str(path))} (FORMAT parquet)")

    @contextmanager
    def _registered(self, frame: Any) -> Iterator[duckdb.DuckDBPyConnection]:
        import pyarrow

        cursor = self.cursor()
        try:
            is_arrow = isinstance(frame, pyarrow.Table)
            arrow = frame if is_arrow else pyarrow.Table.from_pandas(frame, preserve_index=False)
            cursor.register("incoming", arrow)
            yield cursor
        except (duckdb.Error, pyarrow.ArrowException, AttributeError, ArithmeticError, TypeError, ValueError):
            allowed = "a DataFrame whose columns each hold one type: numbers, text, dates or booleans"
            raise UploadError("table", found="one that cannot be stored", allowed=allowed) from None

    def _table(self, source: str) -> Table:
        try:
            described = self.cursor().execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        except duckdb.Error:
            raise TableError(UNREADABLE) from None
        return Table(source, {str(row[0]): str(row[1]) for row in described})

    def answer(
        self,
        table: Table,
        queries: Sequence[Query],
        *,
        schema: Schema,
        where: tuple[Condition, ...],
        unit: PrivacyUnit,
    ) -> list[Tally | Discovery]:
        """Every tally of a plan, from one snapshot of the table. Raises TableError, which never quotes a value."""
        rows = Rows(table.source, table.storage, schema, where, unit)
        counted = [query for query in queries if isinstance(query, TallyQuery)]
        found = [query for query in queries if isinstance(query, DiscoveryQuery)]
        arrays: dict[TallyQuery, Any] = {}
        sets = key_sets(counted)
        # Which rows of a unit are kept depends on the columns; all queries of a plan keep the same ones.
        columns = () if unit.column is None else _columns(sets, found)
        for batch in _batches(sets, row_unit=unit.column is None):
            arrays |= self._scan(batch, rows, columns)
        discovered = {query: self._discover(query, rows, columns or _columns((), [query])) for query in found}
        return [
            Tally(query, arrays[query]) if isinstance(query, TallyQuery) else Discovery(query, discovered[query])
            for query in queries
        ]

    def _discover(self, query: DiscoveryQuery, rows: Rows, columns: Sequence[str]) -> dict[str, int]:
        found = self._ask(discovery_sql(query, rows, DuckDB(), columns), lambda cursor: cursor.fetchall())
        return {json.dumps(cell, ensure_ascii=False, separators=(",", ":")): int(count) for *cell, count in found}

    def _ask(self, sql: str, fetch: Callable[[duckdb.DuckDBPyConnection], Any]) -> Any:
        try:
            return fetch(self.cursor().execute(sql))
        except duckdb.Error as cause:
            if isinstance(cause, duckdb.FatalException | duckdb.InternalException) and self._settings:
                self._connection = connect(*self._settings)
            raise TableError(UNREADABLE) from None

    def _scan(self, sets: list[KeySet], rows: Rows, used: Sequence[str]) -> dict[TallyQuery, Any]:
        columns = self._ask(tally_sql(sets, rows, DuckDB(), used), lambda cursor: cursor.fetchnumpy())
        group, cell = np.asarray(columns["g"]), np.asarray(columns["cell"])
        arrays: dict[TallyQuery, Any] = {}
        for index, key_set in enumerate(sets):
            here = group == index
            for place, measure in enumerate(key_set.measures):
                query = TallyQuery(key_set.keys, measure, key_set.units)
                values = _whole(columns, place, here)
                flat = np.zeros(query.cells, dtype=values.dtype)
                flat[cell[here]] = values
                arrays[query] = flat.reshape(query.shape)
        return arrays


def check_columns(table: Table, schema: Schema, unit: PrivacyUnit) -> None:
    """Raises InputError where the stored table cannot have the declared columns. Reads names and types, no rows."""
    report, dialect = Report(), DuckDB()
    wanted = {column.name: column.type in TEXTUAL for column in schema}
    if unit.column is not None:
        wanted[unit.column] = True
    for name, as_text in wanted.items():
        storage = table.storage.get(name)
        if storage is None:
            remedy = nearest(name, table.storage)
            report.add(f"columns.{name}", found="nothing", allowed="a column of the stored table", remedy=remedy)
        elif as_text and not dialect.has_text(storage):
            allowed = "text, numbers or dates for a category, boolean or identifier"
            report.add(f"columns.{name}", found=f"a stored column of type {storage.split('(')[0]}", allowed=allowed)
    report.raise_any(InputError)


def _whole(columns: Mapping[str, Any], place: int, here: Any) -> NDArray[Any]:
    """A measure's values: int64, or Python's integers where some are larger."""
    low, high = (
        np.asarray(columns[name])[here] if name in columns else np.zeros(1, dtype=np.int64)
        for name in (f"m{place}", f"h{place}")
    )
    if low.dtype.kind != "i" or high.dtype.kind != "i":
        raise InternalError("the engine did not answer in integers")
    return low if not high.any() else np.asarray(low.astype(object) + WORD * high.astype(object), dtype=object)


def _columns(sets: Iterable[KeySet], discoveries: Iterable[DiscoveryQuery]) -> tuple[str, ...]:
    """Every column that some queries look at, each once."""
    names = [name for key_set in sets for name in key_set.columns]
    names += [item if isinstance(item, str) else item.column for query in discoveries for item in query.columns]
    return tuple(dict.fromkeys(names))


def _batches(sets: list[KeySet], *, row_unit: bool) -> list[list[KeySet]]:
    if not row_unit:
        return [sets] if sets else []
    batches: list[list[KeySet]] = [[]] if sets else []
    columns: set[str] = set()
    for key_set in sets:
        names = set(key_set.columns)
        if batches[-1] and len(columns | names) > COLUMNS_A_SCAN:
            batches.append([])
            columns = set()
        columns |= names
        batches[-1].append(key_set)
    return batches
