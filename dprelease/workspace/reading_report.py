"""The reading report of a registered table, for those who may see true values. Made in memory, and never written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.reading_report import CellState, ColumnReading, ReadingReport
from dprelease.model.schema import Schema
from dprelease.table import Discovery, Engine, Table, Tally
from dprelease.table.cell_state import readable_columns, state_counts, state_queries
from dprelease.table.warehouse import Warehouse


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
    """How the cells of some columns, or of all declared ones, are read.

    `tallies`: among which those of states are, where they came out of another scan. Else the rows are read once; and
    once more for each column with unreadable cells.
    """
    wanted = [name for name in readable_columns(schema) if columns is None or name in columns]
    if tallies is None:
        tallies = engine.answer(table, state_queries(wanted), schema=schema, where=where, unit=PrivacyUnit())
    counts = state_counts(tallies)
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


def _shapes(found: Sequence[tuple[str, int]], cells: int) -> tuple[tuple[str, int], ...]:
    """The shapes that several cells have, and how many cells have another one."""
    several = tuple((shape, count) for shape, count in found if count > 1)
    others = cells - sum(count for _, count in several)
    return (*several, *([("", others)] if others else []))
