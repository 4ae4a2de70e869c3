"""Grid of a table with several keys: the last key across, the others down, each number on a bar of its share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from dprelease.model.grade import QUOTABLE, Grade, grades
from dprelease.model.presentation import ChartType
from dprelease.model.release import TOTAL, Axis, Cell, Estimates, Release
from dprelease.statements.cell_names import cell_label
from dprelease.statements.number import said
from dprelease.statements.question import StatisticLabel

MAX_CELLS = 300
"""Largest number of cells of a grid; a larger table has its chart."""
MAX_WITH_RANGES = 12
"""Largest number of cells that have their ranges in the grid."""
MAX_ACROSS = 12
MIN_PERIODS = 8
"""Fewest periods of a key that are drawn as a line and not as a grid."""
DRAWN = (ChartType.STAIRS, ChartType.BOXES, ChartType.MATRIX, ChartType.SPAN, ChartType.WORDS)
"""Types of charts that say more than a grid."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """Cell of a grid as texts."""

    value: str
    range: str
    """Range, where grids of this size have them."""
    share: int
    """Width of its bar, in % of the greatest in its row."""
    is_quotable: bool
    link: str
    """Address of the page of the number; empty where there is none."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Headings and cells of a grid."""

    down: str
    """Name of the keys down."""
    over: str
    """Name of the key across."""
    across: tuple[str, ...]
    rows: tuple[tuple[str, tuple[GridCell, ...]], ...]


def has_grid(release: Release, table: str) -> bool:
    """Return True for a table of counts, sums, means or shares with several keys, up to 300 cells."""
    estimates, question = release.tables[table], StatisticLabel.of(release.certificate, table)
    axes = estimates.axes
    if len(axes) < 2 or not 1 < len(estimates) <= MAX_CELLS or question.presentation.look in DRAWN:
        return False
    if question.coefficients or not all(isinstance(value, int | float | None) for value in estimates.value):
        return False
    return not any(question.calendar(axis) and len(axis.cells) >= MIN_PERIODS for axis in axes)


def grid(release: Release, table: str, number: Callable[[str, Estimates, Sequence[Cell]], str] | None) -> Grid | None:
    """Return the grid of a table; None where it has none. `number`: address of the page of one number."""
    if not has_grid(release, table):
        return None
    estimates, question = release.tables[table], StatisticLabel.of(release.certificate, table)
    *outer, inner = estimates.axes
    turned = len(outer) == 1 and len(inner.cells) > MAX_ACROSS and len(outer[0].cells) < len(inner.cells)
    down, across = ([inner], outer[0]) if turned else (outer, inner)
    letters, width, ranges = (
        list(grades(release.certificate, table, estimates)),
        len(inner.cells),
        len(estimates) <= MAX_WITH_RANGES,
    )
    addresses = [number(table, estimates, row) if number else "" for row in estimates.rows()]
    rows = []
    for place, cells in enumerate(product(*(axis.cells for axis in down))):
        own = [other * width + place if turned else place * width + other for other in range(len(across.cells))]
        greatest = max((_length(estimates, letters, each) for each, cell in zip(own, across.cells, strict=True)
                        if cell[0] != TOTAL), default=0.0)  # fmt: skip
        shown = []
        for each, cell in zip(own, across.cells, strict=True):
            numbers = estimates.value[each], estimates.lower95[each], estimates.upper95[each]
            value, low, high = said(question, *numbers, grade=letters[each])
            length = 0.0 if cell[0] == TOTAL else _length(estimates, letters, each)
            share = round(100 * length / greatest) if greatest > 0 else 0
            told = f"{low} – {high}" if ranges and low and high else ""
            shown.append(GridCell(value, told, share, letters[each] in QUOTABLE, addresses[each] if value else ""))
        name = " · ".join(cell_label(axis, cell, question) for axis, cell in zip(down, cells, strict=True))
        rows.append((name, tuple(shown)))
    heads = tuple(cell_label(across, cell, question) for cell in across.cells)
    return Grid(", ".join(map(question.axis_title, down)), question.axis_title(across), heads, tuple(rows))


def _length(estimates: Estimates, letters: Sequence[Grade], place: int) -> float:
    """Return the length of a cell's bar: its value where that can be quoted, and is not negative."""
    value = estimates.value[place]
    return max(0.0, float(value)) if letters[place] in QUOTABLE and isinstance(value, int | float) else 0.0


def labels(axis: Axis, question: StatisticLabel) -> Iterator[tuple[str, str]]:
    """Yield the name of each cell of a key in words, with the language of its label; empty for the page's own."""
    for cell in axis.cells:
        name = cell_label(axis, cell, question)
        spoken = question.coded(axis.names[0], cell[0])[1] if len(axis.names) == 1 else ""
        yield name, spoken
