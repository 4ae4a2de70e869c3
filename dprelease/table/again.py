"""Later rounds of a plan on DuckDB: the codes of the rows that count stay in memory, and are read instead of the rows.

Stored rows never change, so that the answers are the same. Where memory is short DuckDB spills, encrypted, as ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from dprelease.model.schema import Schema
from dprelease.model.tally import Query
from dprelease.table.answer import Session, TableError, looked_at
from dprelease.table.dialect import Dialect
from dprelease.table.engine import STREAM, EmbeddedSession, Engine
from dprelease.table.query import codes_sql, kept_sql
from dprelease.table.rows import RowSource
from dprelease.table.tally import KeySet, known_units

MAX_BYTES = 2**28
"""Maximum bytes of the codes of all rows; beyond it, each round reads the rows again."""


@contextmanager
def again(engine: Engine, before: Sequence[Query], schema: Schema) -> Iterator[Session]:
    """A session for the later rounds of one plan, which asked `before` first. What it keeps is dropped at its end."""
    session = _Again(engine, looked_at(before, schema))
    try:
        yield session
    finally:
        session.drop()


@dataclass
class _Again(EmbeddedSession):
    """Session that keeps the codes that the first of these rounds looks at: all that the plan does."""

    looked_at: tuple[str, ...]
    held: str = ""
    """The table of codes, once there is one."""
    tried: bool = False

    def tallies(
        self, sets: Sequence[KeySet], rows: RowSource, dialect: Dialect, columns: Sequence[str]
    ) -> Mapping[str, NDArray[Any]]:
        if not self.tried:
            self.tried = True
            with suppress(TableError):  # short of memory, say: then rows are read in each round
                self._hold(rows, dialect)
        if not self.held or known_units(sets):
            return super().tallies(sets, rows, dialect, columns)
        return self.columns(kept_sql(sets, rows, dialect, self.looked_at, self.held))

    def _hold(self, rows: RowSource, dialect: Dialect) -> None:
        codes = [rows.schema[name].codes for name in self.looked_at if not rows.schema[name].discover]
        width = sum(4 if each > 2**16 else 2 if each > 2**8 else 1 for each in codes)
        ((height,),) = self.rows(f"SELECT COUNT(*) FROM {rows.source}")
        if rows.part or not codes or height * width > MAX_BYTES:
            return
        name = self.engine.new_name()
        if rows.unit.column is None:
            self.engine.ask(f"CREATE TABLE {name} AS {codes_sql(rows, dialect, self.looked_at)}", lambda cursor: None)
        else:
            making = f"CREATE TABLE {name} AS SELECT * FROM {STREAM}"
            self.cut([], rows, dialect, self.looked_at, lambda cursor: cursor.execute(making))
        self.held = name

    def drop(self) -> None:
        """Give the memory back."""
        if self.held:
            self.engine.ask(f"DROP TABLE IF EXISTS {self.held}", lambda cursor: None)
            self.held = ""
