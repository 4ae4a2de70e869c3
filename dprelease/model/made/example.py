"""Example values of a made column, in rows made up from the bounds of its inputs, never of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dprelease.model.column_fields import ColumnType
from dprelease.model.made import code_made
from dprelease.model.made.function import Columns

if TYPE_CHECKING:
    from dprelease.model.column import Column
    from dprelease.model.made.groups import Point

SPREAD = 4
"""Rows from one end of the inputs to the other, where they differ; one more lacks the first of them."""
Codes = dict[str, int | None]


def example(column: Column, columns: Columns) -> list[tuple[Codes, int | None]]:
    """Return rows of input codes, each with the column's. Later inputs rise sooner: so a stay ends after it begins."""
    assert column.made is not None
    names = column.made.inputs
    last = SPREAD - 1
    rows: list[Codes] = [
        {name: round(_steps(columns[name]) * (at / last) ** (1 / (1 + rank))) for rank, name in enumerate(names)}
        for at in range(SPREAD)
    ]
    rows.append({**rows[1], names[0]: None})
    unlike = [row for at, row in enumerate(rows) if row not in rows[:at]]
    return [(row, code_made(column, columns, row)) for row in unlike]


def _steps(column: Column) -> int:
    """Return the largest code of a column; of a discovered one nothing is declared: it has one code, for any value."""
    return 0 if column.discover else column.lattice.steps


def proposed_labels(column: Column, points: Sequence[Point]) -> tuple[str, ...]:
    """Return a name for each group that points begin: its first and last value. Numbers, where a point is no value."""
    starts = [column.code(point) for point in points]
    firsts = [0, *(start for start in starts if start is not None)]
    if None in starts or firsts != sorted(set(firsts)):
        return tuple(str(at + 1) for at in range(len(points) + 1))
    lasts = [*(first - 1 for first in firsts[1:]), column.lattice.steps]
    dash = "/" if column.type is ColumnType.DATE else "–"
    ends = [(str(column.value(first)), str(column.value(last))) for first, last in zip(firsts, lasts, strict=True)]
    return tuple(low if low == high else f"{low}{dash}{high}" for low, high in ends)
