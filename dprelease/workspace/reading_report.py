"""The reading report of a registered table, for those who may see true values. Made in memory, and never written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal

from dprelease.model.condition import Condition
from dprelease.model.encoding import plain
from dprelease.model.plan import Plan
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.reading_report import CellState, ColumnReading, ReadingReport
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statements.display import shown, shown_key
from dprelease.table import Discovery, Engine, Table, Tally
from dprelease.table.cell_state import readable_columns, state_counts, state_queries
from dprelease.table.warehouse import Warehouse
from dprelease.words import Figure, Phrase, phrase

LOST = (CellState.BELOW, CellState.ABOVE, CellState.UNDECLARED, CellState.UNREADABLE)
"""States in which a cell holds something that is not taken as it is."""

UNBOUNDED_DIGITS = 5
"""Significant digits of a value without bounds."""


def report(
    engine: Engine | Warehouse,
    table: Table,
    dataset: str,
    *,
    schema: Schema,
    where: tuple[Condition, ...] = (),
    columns: Collection[str] | None = None,
    tallies: Iterable[Tally | Discovery] | None = None,
) -> ReadingReport:
    """Report how the cells of some columns, or of all declared ones, are read.

    `tallies`: among which those of states are, where they came out of another scan. Else the rows are read once; and
    once more for each column with unreadable cells.
    """
    wanted = [name for name in readable_columns(schema) if columns is None or name in columns]
    queries = state_queries(wanted, schema)
    if tallies is None and wanted:
        tallies = engine.answer(table, queries, schema=schema, where=where, unit=PrivacyUnit())
    counts = state_counts(tally for tally in tallies or () if tally.query in queries)
    unreadable = [name for name in wanted if counts[name][CellState.UNREADABLE]]
    shapes = engine.shapes(table, unreadable, schema=schema, where=where) if unreadable else {}
    return ReadingReport(
        dataset=dataset,
        columns=tuple(
            ColumnReading(
                column=name,
                counts=counts[name],
                shapes=_shapes(shapes.get(name, ()), counts[name][CellState.UNREADABLE]),
            )
            for name in wanted
        ),
    )


def of_one_scan(plan: Plan) -> list[TallyQuery]:
    """Return a complete plan's report tallies that its own scan answers: none where that cuts the rows of units."""
    return [] if plan.unit.column is not None else state_queries(readable_columns(plan.schema), plan.schema)


def reading(
    engine: Engine | Warehouse, table: Table, plan: Plan, tallies: Iterable[Tally | Discovery]
) -> ReadingReport:
    """Report how cells of a complete plan's columns are read. `tallies`: of its scan, with what `of_one_scan` asks."""
    own = tallies if of_one_scan(plan) else None
    return report(engine, table, plan.dataset, schema=plan.schema, where=plan.where, tallies=own)


def caveats(report: ReadingReport, columns: Iterable[str], schema: Schema) -> tuple[Phrase, ...]:
    """Return which shares of the rows of some columns are unreadable or outside, as sentences; none of 0."""
    found = []
    for name in dict.fromkeys(columns):
        each = report.get(name)
        for state in LOST if each is not None else ():
            assert each is not None
            if each[state]:
                values: dict[str, object] = {"share": percent(each[state], each.rows), "column": name}
                if state in (CellState.BELOW, CellState.ABOVE):
                    bound = schema[name].lower if state is CellState.BELOW else schema[name].upper
                    values["bound"] = shown_key(plain(bound)) if isinstance(bound, Decimal) else str(bound)
                found.append(phrase(f"workspace.reading_{state}", **values))
    return tuple(found)


def without_bounds(table: Estimates | None) -> tuple[Phrase, ...]:
    """Return the one value of a table made without bounds, as a sentence; none of a table with several."""
    if table is None or len(table.value) != 1 or not isinstance(table.value[0], int | float):
        return ()
    return (phrase("workspace.reading_without_bounds", value=shown(table.value[0], UNBOUNDED_DIGITS)),)


def percent(part: int, whole: int) -> Figure:
    """Return a share in per cent: in whole ones, and more exactly near 0 and near 100."""
    share = 100 * part / whole
    if share < 1:
        return Figure(f"{share:.1g}")
    return Figure(f"{min(share, 99.9):.1f}" if 99 < share < 100 else f"{share:.0f}")


def _shapes(found: Sequence[tuple[str, int]], cells: int) -> tuple[tuple[str, int], ...]:
    """Return the shapes that several cells have, and how many cells have another one."""
    several = tuple((shape, count) for shape, count in found if count > 1)
    others = cells - sum(count for _, count in several)
    return (*several, *([("", others)] if others else []))
