"""Which rows of a table look like notes or hold nothing, for whoever brings it to leave out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dprelease.model.reading import Reading
from dprelease.model.row_rules import RowRules
from dprelease.table.connection import connect, parquet_scan
from dprelease.table.duckdb_dialect import DuckDB

MOST = 0.1
"""Of the rows: what concerns more of them is no total and no note."""
MOST_COLUMNS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A rule, as it is written, and how many rows it leaves out."""

    rule: str
    rows: int


def left_out(table: Path, reading: Reading) -> tuple[LeftOut, ...]:
    """Returns the rules that would leave out a few rows, with how many each. One scan of the table."""
    if not reading.asks("skip"):
        return ()
    with connect() as connection:
        scan = parquet_scan(table)
        stored = connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
        names = [str(row[0]) for row in stored if str(row[1]) == "VARCHAR"]
        if not 2 <= len(names) <= MOST_COLUMNS:
            return ()
        cells = [f"trim(COALESCE({DuckDB().name(name)}, ''))" for name in names]
        filled = " + ".join(f"CAST({cell} <> '' AS INTEGER)" for cell in cells)
        rows, empty, notes = connection.execute(
            f"SELECT COUNT(*), COUNT_IF(filled = 0), COUNT_IF(filled = 1 AND first <> '')"
            f" FROM (SELECT {filled} AS filled, {cells[0]} AS first FROM {scan})"
        ).fetchall()[0]
    counted = [("empty", empty), ("note:1", notes if len(names) > 2 else 0)]
    return tuple(
        LeftOut(rule=rule, rows=count)
        for rule, count in counted
        if 0 < count <= max(1, MOST * rows) and not _is_taken(rule, reading.skip)
    )


def _is_taken(rule: str, rules: RowRules) -> bool:
    return rules.empty if rule == "empty" else rules.note > 0
