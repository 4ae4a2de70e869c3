"""Texts beside every download of synthetic rows, and the comparison of their shares with measured ones."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from dprelease.bundle.outputs import rows_path
from dprelease.bundle.row_files import parquet_path
from dprelease.model.certificate import Certificate
from dprelease.model.release import Axis, Cell, Estimates, SyntheticRows
from dprelease.model.statistic import statistic_of
from dprelease.statements.counts import copies
from dprelease.statements.display import shown
from dprelease.statements.phrases import WORDS
from dprelease.statements.question import StatisticLabel
from dprelease.words.releases import say


def row_files_of(certificate: Certificate, table: str) -> dict[str, str]:
    """Return the files of rows of a table's statistic, by format; empty for others."""
    own = certificate.statistic(table)
    if own.output != "rows":
        return {}
    return {"csv": rows_path(own.id), "typed": parquet_path(own.id)}


def beside_rows(certificate: Certificate, table: str) -> str:
    """Return the note on use and limits of synthetic rows; empty where there are none."""
    path = next(iter(row_files_of(certificate, table).values()), None)
    return say("synthetic_rows_beside", path=path) if path is not None else ""


FROM = "_from"


@dataclass(frozen=True, slots=True)
class CellShare:
    """Shares of one cell of a measured table among all rows: as measured, and in the synthetic rows."""

    keys: tuple[Cell, ...]
    measured: float
    lower: float | None
    """Lower end of the interval; None where none is published: the table was fitted and not measured."""
    upper: float | None
    rows: float


def copied(certificate: Certificate, table: str) -> tuple[str, str] | None:
    """Return the first table that synthetic rows follow and words that name it, before the report on the rows.

    None of other tables, and where they stand with the rows.
    """
    statistic = statistic_of(table)
    firsts = [first for name, first in copies(certificate).items() if statistic_of(name) == statistic]
    if not firsts:
        return None
    name = StatisticLabel.of(certificate, firsts[0]).name
    return firsts[0], WORDS.say("copy_of", len(firsts), count=shown(len(firsts)), name=name)


def shares(rows: SyntheticRows, table: Estimates) -> list[CellShare]:
    """Return a measured table beside the rows that were made from it; empty where either of them counts nothing.

    A measured share is count / N and its interval [lower / N, upper / N], N the sum of the table's counts: the
    uncertainty of N is left out.
    """
    found = [_cell_of(axis) for axis in table.axes]
    columns = [
        rows.columns[axis.names[0].removesuffix(FROM) if len(axis.names) > 1 else axis.names[0]] for axis in table.axes
    ]
    counted = Counter(
        tuple(of(value) for of, value in zip(found, row, strict=True)) for row in zip(*columns, strict=True)
    )
    made, total = counted.total(), sum(_number(each.value) or 0.0 for each in table)
    if not made or total <= 0:
        return []

    def share(cell: Cell) -> float | None:
        number = _number(cell)
        return None if number is None else number / total

    places = product(*(range(len(axis.cells)) for axis in table.axes))
    return [
        CellShare(
            tuple(each.keys.values()),
            share(each.value) or 0.0,
            share(each.lower95),
            share(each.upper95),
            counted[place] / made,
        )
        for place, each in zip(places, table, strict=True)
    ]


def _number(cell: Cell) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None


def _cell_of(axis: Axis) -> Callable[[Cell], int]:
    """Return a function from a value of rows to the place of its cell: by the start of bins, else by the value."""
    if len(axis.names) == 1:
        known = {cell[0]: place for place, cell in enumerate(axis.cells)}
        return lambda value: known[value]
    begins = [cell[0] for cell in axis.cells]
    return lambda value: max(0, bisect_right(begins, value) - 1)  # type: ignore[type-var]
