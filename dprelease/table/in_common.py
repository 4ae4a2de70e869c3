"""Count of the units that two stored tables have in common, by their identifiers; nothing of it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Timer
from typing import TYPE_CHECKING

from dprelease.table.identifier import without_codes

if TYPE_CHECKING:
    import duckdb

    from dprelease.table.answer import Table
    from dprelease.table.engine import Engine

SECONDS = 60.0
"""After which a count is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identified:
    """A stored table with the column that tells whose a row is, and the codes in it that stand for nobody."""

    table: Table
    column: str
    codes: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """True if the table's identifiers are stored as whole numbers."""
        return self.table.storage[self.column] in self.table.dialect.integers

    def distinct(self, *, as_text: bool) -> str:
        """Return SQL of each unit once, by what identifiers are compared by: 7, 7.0 and '07' are one."""
        dialect, storage = self.table.dialect, self.table.storage[self.column]
        unit = without_codes(dialect.identifier(dialect.name(self.column), storage), storage, self.codes, dialect)
        return f"SELECT DISTINCT {f'CAST({unit} AS VARCHAR)' if as_text else unit} AS u FROM {self.table.source}"


def units_in_common(
    engine: Engine, one: Identified, other: Identified, *, seconds: float = SECONDS
) -> tuple[int, int, int] | None:
    """Count the units of either table and of both; None where that takes longer than some seconds.

    Two scans and a hash join of the distinct identifiers, which DuckDB spills where memory is short.
    """
    import duckdb

    as_text = not (one.is_whole and other.is_whole)
    sql = (
        f"WITH one AS ({one.distinct(as_text=as_text)}), other AS ({other.distinct(as_text=as_text)}) SELECT"
        " (SELECT COUNT(u) FROM one), (SELECT COUNT(u) FROM other), (SELECT COUNT(*) FROM one JOIN other USING (u))"
    )

    def count(cursor: duckdb.DuckDBPyConnection) -> tuple[int, int, int] | None:
        timer = Timer(seconds, cursor.interrupt)
        timer.start()
        try:
            found = cursor.execute(sql).fetchall()
        except duckdb.InterruptException:
            return None
        finally:
            timer.cancel()
        return found[0]

    return engine.try_to(count)  # type: ignore[no-any-return]  # what `count` returns
