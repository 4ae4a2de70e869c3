"""Which rows of a table look like notes or hold nothing, for whoever brings it to leave out."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.model.reading import Reading
from dprelease.model.row_rules import RowRules
from dprelease.table.answer import Table
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.engine import Engine

MOST = 0.1
"""Of the rows: what concerns more of them is no total and no note."""
MOST_COLUMNS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A rule, as it is written, and how many rows it leaves out."""

    rule: str
    rows: int


def looked_at(table: Table, reading: Reading) -> list[str]:
    """Returns the columns by which such a row is told; none where its format or its columns have no such rows."""
    names = [name for name, kind in table.storage.items() if kind == "VARCHAR"]
    return names if reading.asks("skip") and 2 <= len(names) <= MOST_COLUMNS else []


def left_out(engine: Engine, table: Table, reading: Reading) -> tuple[LeftOut, ...]:
    """Returns the rules that would leave out a few rows, with how many each. One scan of the table."""
    names = looked_at(table, reading)
    if not names:
        return ()
    cells = [f"trim(COALESCE({DuckDB().name(name)}, ''))" for name in names]
    filled = " + ".join(f"CAST({cell} <> '' AS INTEGER)" for cell in cells)
    rows, empty, notes = engine.ask(
        f"SELECT COUNT(*), COUNT_IF(filled = 0), COUNT_IF(filled = 1 AND first <> '')"
        f" FROM (SELECT {filled} AS filled, {cells[0]} AS first FROM {table.source})",
        lambda cursor: cursor.fetchone(),
    )
    counted = [("empty", empty), ("note:1", notes if len(names) > 2 else 0)]
    return tuple(
        LeftOut(rule=rule, rows=count)
        for rule, count in counted
        if 0 < count <= max(1, MOST * rows) and not _is_taken(rule, reading.skip)
    )


def _is_taken(rule: str, rules: RowRules) -> bool:
    return rules.empty if rule == "empty" else rules.note > 0
