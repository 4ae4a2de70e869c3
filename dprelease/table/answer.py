"""From the tallies a plan asks for to one engine's SQL, and from its rows back to exact integers."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import DPReleaseError, InputError, InternalError
from dprelease.model.column import NUMERIC, ColumnType
from dprelease.model.condition import Condition
from dprelease.model.form import KEY
from dprelease.model.made import KEY as MADE
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.recurring import PeriodWindow
from dprelease.model.report import Report, nearest
from dprelease.model.schema import Schema
from dprelease.model.tally import DiscoveryQuery, Query, TallyQuery
from dprelease.table.dialect import WORD, Dialect
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.fold import finest, folded
from dprelease.table.query import discovery_sql, shapes_sql, tally_sql
from dprelease.table.rows import RowSource
from dprelease.table.tally import Discovery, KeySet, Tally, key_sets, parted
from dprelease.words import Phrase, phrase

COLUMNS_A_SCAN = 20
"""With more coded columns than this, and no rows to cut, several narrow scans are faster than a wide one."""
ADDABLE = 2**53
"""Bound below which values are added as int64, however many parts they come in."""


class TableError(DPReleaseError):
    """The engine could not read a table. Its own message may quote a value, so it is not repeated."""


@dataclass(frozen=True)
class Table:
    """A private table that an engine can read. Its repr shows no location."""

    source: str = field(repr=False)
    """A table function or table name, as SQL."""
    storage: dict[str, str] = field(repr=False)
    """The engine's type of each column; the columns' order is the table's."""
    dialect: Dialect = field(default_factory=DuckDB, repr=False)
    empty: bool = field(default=False, repr=False)
    window: PeriodWindow | None = field(default=None, repr=False)
    """Periods of a run, of an edition of it: those of which a unit counts in a few only."""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.storage)

    def without_rows(self) -> Table:
        """The same columns and no rows: what a plan can be tried on before anything is charged."""
        return replace(self, empty=True)


class Session(ABC):
    """Session of one engine. All answers are of one snapshot of the table; a failure is a TableError or InputError."""

    sets_a_scan: ClassVar[int | None] = None
    """Maximum number of key sets counted at once where there are no rows to cut; None for no limit."""

    @abstractmethod
    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a discovery: texts and whole numbers."""

    @abstractmethod
    def columns(self, sql: str) -> Mapping[str, NDArray[Any]]:
        """Return the columns of a tally query by name, as int64."""

    def tallies(
        self, sets: Sequence[KeySet], rows: RowSource, dialect: Dialect, columns: Sequence[str]
    ) -> Mapping[str, NDArray[Any]]:
        """Return what `tally_sql` asks for."""
        return self.columns(tally_sql(sets, rows, dialect, columns))

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
        """Return every tally of a plan, in the order asked.

        `after`: what was asked of the plan's rows first, where these are tallies of a later round: of a unit the same
        rows are kept. Raises InternalError where they look at a column that those did not.
        """
        # Which rows of a unit are kept depends on what is looked at; all queries of a plan keep the same ones.
        columns = () if unit.column is None else looked_at(after or queries, schema)
        states = () if unit.column is None else states_of(after or queries)
        window = None if unit.column is None else table.window  # without units, rows are those before any is kept to k
        rows = RowSource(table.source, table.storage, schema, where, unit, table.empty, states, window=window)
        counted = {query: finest(query, schema) for query in queries if isinstance(query, TallyQuery)}
        found = [query for query in queries if isinstance(query, DiscoveryQuery)]
        sets = key_sets(list(counted.values()))
        if unit.column is None and parted(sets):
            raise InternalError("rows without identifiers are in no part of the units")
        new = {*looked_at(queries, schema)} - {*looked_at(after, schema)}, {*states_of(queries)} - {*states_of(after)}
        if after and any(new):
            raise InternalError("a later round looks at a column that the first did not")
        parts = self.parts(rows, columns)
        found_cells: dict[TallyQuery, tuple[NDArray[Any], NDArray[Any]]] = {}
        for batch in self.batches(sets, unit):
            found_cells |= _found(batch, [self.tallies(batch, part, table.dialect, columns) for part in parts])
        arrays = {wanted: _array(wanted, asked, *found_cells[asked]) for wanted, asked in counted.items()}
        discovered = {
            query: _cells(
                row
                for part in parts
                for row in self.rows(discovery_sql(query, part, table.dialect, columns or query.names))
            )
            for query in found
        }
        return [
            Tally(query, arrays[query]) if isinstance(query, TallyQuery) else Discovery(query, discovered[query])
            for query in queries
        ]

    def shapes(
        self, table: Table, columns: Sequence[str], *, schema: Schema, where: tuple[Condition, ...]
    ) -> dict[str, list[tuple[str, int]]]:
        """Return the shapes of the unreadable cells of some columns, the most frequent first, with their counts."""
        rows = RowSource(table.source, table.storage, schema, where, PrivacyUnit(), table.empty)
        return {
            name: [(str(shape), int(cells)) for shape, cells in self.rows(shapes_sql(name, rows, table.dialect))]
            for name in columns
        }

    def parts(self, rows: RowSource, columns: Sequence[str]) -> list[RowSource]:
        """Return the rows in parts that are asked for one after the other; no unit is in two of them."""
        return [rows]

    def batches(self, sets: Sequence[KeySet], unit: PrivacyUnit) -> list[list[KeySet]]:
        """Group key sets by the query that answers them: all where rows are cut, else as many as are quick together."""
        if unit.column is not None:
            return [list(sets)] if sets else []
        batches: list[list[KeySet]] = [[]] if sets else []
        columns: set[str] = set()
        for key_set in sets:
            names = set(key_set.columns)
            if len(batches[-1]) == self.sets_a_scan or (batches[-1] and len(columns | names) > COLUMNS_A_SCAN):
                batches.append([])
                columns = set()
            columns |= names
            batches[-1].append(key_set)
        return batches


def check_columns(table: Table, schema: Schema, unit: PrivacyUnit, forms: Collection[str] = ()) -> None:
    """Raise InputError where the stored table cannot have the declared columns. Reads names and types, no rows.

    `forms`: columns whose cells somebody said how to read, declared or not.
    """
    report, dialect = Report(), table.dialect
    _check_made(table, schema, unit, report)
    wanted = {column.name: readable(column.type) for column in schema if column.made is None}
    if unit.column is not None:
        wanted[unit.column] = readable(ColumnType.TEXT)
    read = {*forms, *(column.name for column in schema if column.reading is not None)}
    wanted = {**dict.fromkeys(read, readable(ColumnType.TEXT)), **wanted}
    for name, (test, allowed) in wanted.items():
        storage = table.storage.get(name)
        if storage is None:
            remedy = nearest(name, table.storage)
            report.add(
                f"columns.{name}",
                found=phrase("model.nothing"),
                allowed=phrase("table.column_stored_table"),
                remedy=remedy,
            )
        elif not getattr(dialect, test)(storage):
            report.add(
                f"columns.{name}",
                found=phrase("table.stored_column_type", split=storage.split("(")[0]),
                allowed=allowed,
            )
        elif name in read and not dialect.is_text(storage):
            report.add(
                f"columns.{name}.{KEY}",
                found=phrase("table.stored_column_type", split=storage.split("(")[0]),
                allowed=phrase("table.reading_of_texts"),
                remedy=phrase("table.delete_reading"),
            )
    report.raise_any(InputError)


def _check_made(table: Table, schema: Schema, unit: PrivacyUnit, report: Report) -> None:
    """A column that is made of others has a name of its own, all its inputs, and tells nothing of who somebody is."""
    schema.check_made(schema.waiting, report)
    for column in schema:
        if column.made is None:
            continue
        if column.name in table.storage:
            report.add(
                f"columns.{column.name}",
                found=phrase("table.made_stored"),
                allowed=phrase("table.made_name"),
            )
        if unit.column in column.made.inputs:
            report.add(
                f"columns.{column.name}.{MADE}",
                found=phrase("table.made_of_identifier"),
                allowed=phrase("table.made_other_columns"),
            )


def readable(type_: ColumnType) -> tuple[str, Phrase]:
    """Return the dialect's test that a column's stored type must pass, and the words for a type that fails."""
    if type_ in NUMERIC:
        return "has_numbers", phrase("table.numbers_text_holds_them")
    if type_ is ColumnType.DATE:
        return "has_dates", phrase("table.dates_times_text_holds")
    return "has_text", phrase("table.text_numbers_dates_category")


def _cells(found: Iterable[tuple[Any, ...]]) -> dict[str, int]:
    cells: Counter[str] = Counter()
    for *cell, count in found:
        cells[json.dumps(cell, ensure_ascii=False, separators=(",", ":"))] += int(count)
    return dict(cells)


def _found(
    sets: Sequence[KeySet], parts: Sequence[Mapping[str, NDArray[Any]]]
) -> dict[TallyQuery, tuple[NDArray[Any], NDArray[Any]]]:
    """For each query the cells that have rows, and what these come to, from all parts."""
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    group, cell = columns["g"], columns["cell"]
    found = {}
    for index, key_set in enumerate(sets):
        here = (group == index) & (cell >= 0)
        for place in range(len(key_set.measures)):
            found[key_set.query(place)] = (cell[here], _whole(columns, place, here))
    return found


def _array(wanted: TallyQuery, asked: TallyQuery, cells: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Return the whole tally, from the cells of the query that the engine was asked."""
    places = folded(wanted, asked, cells)
    kept = places >= 0
    flat = np.zeros(wanted.cells, dtype=values.dtype)
    np.add.at(flat, places[kept], values[kept])
    return flat.reshape(wanted.shape)


def _whole(columns: Mapping[str, NDArray[Any]], place: int, here: Any) -> NDArray[Any]:
    """Return a measure's values: int64, or Python's integers where some are larger."""
    low, high = (
        np.asarray(columns[name])[here] if name in columns else np.zeros(1, dtype=np.int64)
        for name in (f"m{place}", f"h{place}")
    )
    if low.dtype.kind != "i" or high.dtype.kind != "i":
        raise InternalError("the engine did not answer in integers")
    if not high.any() and low.max(initial=0) < ADDABLE:
        return low
    return np.asarray(low.astype(object) + WORD * high.astype(object), dtype=object)


def looked_at(queries: Sequence[Query], schema: Schema) -> tuple[str, ...]:
    """Return every column that some queries look at, each once, in the order in which an engine is asked."""
    sets = key_sets([finest(query, schema) for query in queries if isinstance(query, TallyQuery)])
    names = [name for key_set in sets for name in key_set.columns]
    names += [name for query in queries if isinstance(query, DiscoveryQuery) for name in query.names]
    return tuple(dict.fromkeys(names))


def states_of(queries: Sequence[Query]) -> tuple[tuple[str, ...], ...]:
    """Return every set of columns whose cells some queries count by their states, each once."""
    sets = (query.states for query in queries if isinstance(query, TallyQuery) and query.states)
    return tuple(dict.fromkeys(sets))
