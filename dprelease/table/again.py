"""Later rounds of a plan on DuckDB: the codes of the rows that count stay in memory, and are read instead of the rows.

Stored rows never change, so that the answers are the same. Where memory is short DuckDB spills, encrypted, as ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Query
from dprelease.table.answer import Session, Table, TableError, looked_at
from dprelease.table.dialect import Dialect
from dprelease.table.engine import STREAM, Asking, Engine
from dprelease.table.query import Rows, again_sql, codes_sql
from dprelease.table.tally import Discovery, KeySet, Tally, known_units

MOST_BYTES = 2**28
"""Of the codes of all rows; where they are more, each round reads the rows again."""


@contextmanager
def again(engine: Engine) -> Iterator[Session]:
    """A session for the rounds of one plan. What it keeps is dropped at its end."""
    session = _Again(engine)
    try:
        yield session
    finally:
        session.drop()


@dataclass
class _Again(Asking):
    """Keeps codes from the first later round on: how rows are cut is known by what was asked before it."""

    held: str = ""
    """The table of codes, once there is one."""
    looked_at: tuple[str, ...] = ()
    tried: bool = False

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
        if after and not self.tried:
            self.tried, self.looked_at = True, looked_at(after, schema)
            with suppress(TableError):  # short of memory, say: then rows are read in each round
                self._hold(Rows(table.source, table.storage, schema, where, unit, table.empty), table.dialect)
        return super().answer(table, queries, schema=schema, where=where, unit=unit, after=after)

    def tallies(
        self, sets: Sequence[KeySet], rows: Rows, dialect: Dialect, columns: Sequence[str]
    ) -> Mapping[str, NDArray[Any]]:
        if not self.held or known_units(sets):
            return super().tallies(sets, rows, dialect, columns)
        return self.columns(again_sql(sets, rows, dialect, self.looked_at, self.held))

    def _hold(self, rows: Rows, dialect: Dialect) -> None:
        coded = [name for name in self.looked_at if not rows.schema[name].discover]
        ((height,),) = self.rows(f"SELECT COUNT(*) FROM {rows.source}")
        width = sum(4 if codes > 2**16 else 2 if codes > 2**8 else 1 for codes in (rows.schema[n].codes for n in coded))
        if not coded or height * width > MOST_BYTES or len(self.parts(rows, self.looked_at)) > 1:
            return
        name = self.engine.new_name()
        if rows.unit.column is None:
            self.engine.ask(f"CREATE TABLE {name} AS {codes_sql(rows, dialect, self.looked_at)}", lambda cursor: None)
        else:
            making = f"CREATE TABLE {name} AS SELECT * FROM {STREAM}"
            self.cut([], rows, dialect, self.looked_at, lambda cursor: cursor.execute(making))
        self.held = name

    def drop(self) -> None:
        """Gives the memory back."""
        if self.held:
            self.engine.ask(f"DROP TABLE {self.held}", lambda cursor: None)
            self.held = ""
