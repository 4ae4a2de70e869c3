"""Detection of rows that look like notes or totals or hold nothing, for the curator to leave out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprelease.model.reading import Format, Reading
from dprelease.model.row_rules import RowRules, bare
from dprelease.table.answer import Table
from dprelease.table.connection import connect
from dprelease.table.detect_text import numbered_rows
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.engine import Engine
from dprelease.table.ingest import SETTINGS, opened
from dprelease.table.ingest_excel import numbered_excel_rows

MOST = 0.1
"""Maximum share of the rows: a rule that concerns more of them finds no totals or notes."""
MAX_COLUMNS = 1000
LINES = 5
"""Lines that are named of a rule."""
TOTALS = (
    *("Total", "Totals", "Summe", "Gesamt", "Gesamtsumme", "Insgesamt", "Totale", "Totaal", "Totalt", "I alt"),
    *("Ensemble", "Yhteensä", "Łącznie", "Ogółem", "Razem", "Celkem", "Guztira", "Σύνολο"),
)
"""Heads of sums in tables of offices. They are only told: a person says the rule that leaves such rows out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A rule, as it is written, how many rows it leaves out, and the first lines of these where there is a file."""

    rule: str
    rows: int
    lines: tuple[int, ...] = ()


def looked_at(table: Table, reading: Reading) -> list[str]:
    """Return the columns by which such a row is told; none where its format or its columns have no such rows."""
    return _looked_at([name for name, kind in table.storage.items() if kind == "VARCHAR"], reading)


def left_out(engine: Engine, table: Table, reading: Reading) -> tuple[LeftOut, ...]:
    """Return the rules that would leave out a few rows of a table, with how many each. One scan of the table."""
    names = looked_at(table, reading)
    if not names:
        return ()
    return _rules(engine.ask(_sql(table.source, names), lambda cursor: cursor.fetchall()), names, reading)


def left_out_of_file(source: Path, filename: str, reading: Reading) -> tuple[LeftOut, ...]:
    """Return the same of a file that nobody registered, with lines. Raises UploadError where it cannot be read."""
    if not reading.asks("skip"):
        return ()
    with connect(*SETTINGS) as connection, opened(connection, source, filename, reading) as scan:
        relation = connection.sql(f"SELECT * FROM {scan}")
        names = _looked_at(relation.columns, reading)
        found = _rules(connection.execute(_sql(scan, names)).fetchall(), names, reading) if names else ()
    if not found:
        return ()
    if reading.format is Format.TEXT:
        return _with_lines(found, numbered_rows(source, reading))
    return _with_lines(found, numbered_excel_rows(source, filename, reading))


def _looked_at(names: Sequence[str], reading: Reading) -> list[str]:
    return [*names] if reading.asks("skip") and 2 <= len(names) <= MAX_COLUMNS else []


def _sql(source: str, names: Sequence[str]) -> str:
    """Count rows; those without a cell; those with one, at the beginning; and those with each head of a sum."""
    cells = [f"trim(COALESCE({DuckDB().name(name)}, ''))" for name in names]
    filled = " + ".join(f"CAST({cell} <> '' AS INTEGER)" for cell in cells)
    words = ", ".join(DuckDB().text(bare(word)) for word in TOTALS)
    heads = ", ".join(f"CASE WHEN lower({cell}) IN ({words}) THEN lower({cell}) END" for cell in cells)
    return (
        "SELECT COUNT(*), COUNT_IF(filled = 0), COUNT_IF(filled = 1 AND first <> ''), histogram(head)"
        f" FROM (SELECT {filled} AS filled, {cells[0]} AS first, COALESCE({heads}) AS head FROM {source})"
    )


def _rules(counted: Sequence[Sequence[Any]], names: Sequence[str], reading: Reading) -> tuple[LeftOut, ...]:
    ((rows, empty, notes, totals),) = counted
    counts = {"empty": empty, "note:1": notes if len(names) > 2 else 0}
    counts |= {f"word:{word}": (totals or {}).get(bare(word), 0) for word in TOTALS}
    taken = {"empty": reading.skip.empty, "note:1": reading.skip.note > 0}
    return tuple(
        LeftOut(rule=rule, rows=count)
        for rule, count in counts.items()
        if 0 < count <= max(1, MOST * rows) and not taken.get(rule)
    )


def _with_lines(found: Sequence[LeftOut], rows: Iterable[tuple[int, list[str]]]) -> tuple[LeftOut, ...]:
    """The same with the first lines of each, from rows in order and their lines."""
    rules = {each.rule: RowRules.parse([each.rule]) for each in found}
    lines: dict[str, list[int]] = {rule: [] for rule in rules}
    wanted = sum(min(LINES, each.rows) for each in found)
    for line, rule in _told(rows, rules):
        if len(lines[rule]) < LINES:
            lines[rule].append(line)
            wanted -= 1
        if not wanted:
            break
    return tuple(LeftOut(rule=each.rule, rows=each.rows, lines=tuple(lines[each.rule])) for each in found)


def _told(rows: Iterable[tuple[int, list[str]]], rules: dict[str, RowRules]) -> Iterator[tuple[int, str]]:
    for line, cells in rows:
        for rule, parsed in rules.items():
            if parsed.leaves_out(cells) and (any(map(bare, cells)) or rule == "empty"):
                yield line, rule
