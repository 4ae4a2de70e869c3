"""Paths through all cells of a table or panel: each goes through its values, in their order, on the axis' scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dprelease.bundle.chart_parts import Part, beside
from dprelease.charts.display import half_width
from dprelease.errors import IntegrityError
from dprelease.model.release import Cell
from dprelease.words import phrase

if TYPE_CHECKING:
    from dprelease.bundle.chart_values import Chart

NEAR = 3.0
"""Pixels by which a step may be off: of a tick's text, of a rounding, of a line's width."""
MOST_CORNERS = 4
"""Of a line for each value, and as many where it begins and ends."""
Ticks = Sequence[tuple[float, float, float]]


def check_series(chart: Chart, found: Sequence[Part], scales: Sequence[Ticks], name: str) -> None:
    """Raises IntegrityError where a path goes elsewhere than through the values of its panel.

    Nothing is compared where the axis has days: its texts are no numbers.
    """
    scales = [scale for scale in scales if len(scale) > 1]
    paths = [part for part in found if part.series]
    panels = {id(part): header for header in found if header.kind == "panel" for part in beside(paths, header)}
    for part in paths if scales else ():
        header = panels.get(id(part))
        rows: list[Mapping[str, Cell]] = [
            cells
            for row, cells in enumerate(chart.rows)
            if not chart.totals[row] and (header is None or chart.matches(header.text, row))
        ]
        if part.series == "band":  # which has a gap where an interval is missing, or has no width
            rows = [row for row in rows if half_width(row["lower95"], row["upper95"]) is not None]
        orders: list[list[Mapping[str, Cell]]] = [[*rows], *(_sorted(rows, key) for key in chart.keys)]
        names = [chart.value] if part.series == "value" else ["lower95", "upper95"]
        asked = [
            [[float(cell) for cells in order if isinstance(cell := cells[each], int | float)] for each in names]
            for order in orders
        ]
        if not any(_goes(part, each, scale) for scale in scales for each in asked):
            raise IntegrityError(phrase("bundle.line_does_go_through", name=name))


def _sorted(rows: Sequence[Mapping[str, Cell]], key: str) -> list[Mapping[str, Cell]]:
    """The rows in the order of a numeric key."""
    numbers = [float(cell) for row in rows if isinstance(cell := row[key], int | float)]
    if len(numbers) < len(rows):
        return list(rows)
    return [rows[place] for place in sorted(range(len(rows)), key=numbers.__getitem__)]


def _goes(part: Part, asked: Sequence[Sequence[float]], scale: Ticks) -> bool:
    (first, start, _), (last, end, _) = min(scale), max(scale)
    levels = [[start + (end - start) * (value - first) / (last - first) for value in values] for values in asked]
    heights = [[point[1] for point in line] for line in part.lines]
    if len(levels) == 1:
        return _through([height for line in heights for height in line], levels[0])
    there = [height for line in heights for height in line[: len(line) // 2]]
    back = [height for line in heights for height in reversed(line[len(line) // 2 :])]
    return any(_through(one, levels[0]) and _through(other, levels[1]) for one, other in ((there, back), (back, there)))


def _through(heights: Sequence[float], levels: Sequence[float]) -> bool:
    """Whether heights go from level to level and leave none out. A line may begin at a further one, which is 0."""
    if not levels or len(heights) > MOST_CORNERS * len(levels) + MOST_CORNERS:
        return not heights
    for begin in (0, 2):
        places = {-1}
        for height in heights[begin:]:
            further = {place + step for place in places for step in (0, 1)} - {-1}
            places = {place for place in further if place < len(levels) and abs(height - levels[place]) <= NEAR}
        if len(levels) - 1 in places:
            return True
    return False
