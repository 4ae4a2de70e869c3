"""Noisy grid that groups were found in, as heat maps of each two of its columns, with the centres of the groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import altair as alt
import numpy as np

from dprelease.charts.marks import layer, layered, text_field, unlimited
from dprelease.charts.theme import NARROW, ChartSize, Palette
from dprelease.model.release import FittedOutput, Release
from dprelease.statements.display import plain_keys
from dprelease.statements.phrases import titled
from dprelease.words.releases import say

CENTRES = "centres"
"""Table of a model whose chart is the grid."""
FEWEST = 2
"""Fewest columns of a grid that is drawn."""
SIDE, PANEL, GAP = 420.0, 270.0, 36
"""Pixels: height of one map, width and height of one of several, and the gap between two."""


@dataclass(frozen=True, slots=True)
class ChartGrid:
    """Noisy counts of rows in the cells of a grid."""

    columns: tuple[str, ...]
    edges: tuple[tuple[float, ...], ...]
    """Edges of each column: the start of each of its cells, and the end of the last."""
    counts: Any
    """Array of counts with an axis for each column."""
    groups: int

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of columns, in their order."""
        return list(combinations(range(len(self.columns)), 2))


def grid_of(release: Release, table: str) -> ChartGrid | None:
    """Return the grid behind a table of centres, of two columns or more; None for other tables."""
    statistic, _, part = table.partition(".")
    output = release.outputs.get(statistic)
    if part != CENTRES or not isinstance(output, FittedOutput) or len(output.facts.get("grid", ())) < FEWEST:
        return None
    edges = tuple(tuple(map(float, own)) for own in output.facts["grid"])
    columns = tuple(str(each["column"]) for each in output.facts["inputs"])
    counts = np.array(output.facts["integers"][0], dtype=np.int64).reshape([len(own) - 1 for own in edges])
    return ChartGrid(columns, edges, counts, len(output.facts["function"]["centres"]))


def maps(release: Release, table: str, grid: ChartGrid, palette: Palette, room: ChartSize) -> tuple[Any, list[str]]:
    """Return a heat map of each two columns, darker where more rows were counted, and the notes to it."""
    counted = [_cells(grid, pair) for pair in grid.pairs]
    every = [row["count"] for rows in counted for row in rows]
    low, high = min(every), max(every)
    scale = alt.Scale(domain=[low, max(high, low + 1)], range=[palette.faint, palette.deep])
    centres = [float(value) for value in release.tables[table].value if isinstance(value, int | float)]
    charts = []
    for place, (pair, rows) in enumerate(zip(grid.pairs, counted, strict=True)):
        legend = alt.Legend(title=say("records"), gradientLength=200, orient="bottom") if place == 0 else None
        colour = alt.Fill(field="count", type="quantitative", scale=scale, legend=legend)
        sides = _sides(len(grid.pairs), room)
        charts.append(_map(release, grid, pair, rows, _points(grid, pair, centres), colour, palette, sides))
    notes = [say("grid_cells"), say("grid_centres")]
    if len(charts) == 1:
        return charts[0], notes
    return alt.ConcatSpecGenericSpec(concat=charts, columns=1 if room is NARROW else 2, spacing=GAP), notes


def _sides(many: int, room: ChartSize) -> tuple[float, float]:
    """Return width and height of each map."""
    if room is NARROW:
        return room.width, room.width
    return (room.width - 60, SIDE) if many == 1 else ((room.width - GAP - 60) / 2, PANEL)


def _cells(grid: ChartGrid, pair: tuple[int, int]) -> list[dict[str, Any]]:
    """Return the cells of two columns, each the sum over all others."""
    others = tuple(axis for axis in range(len(grid.columns)) if axis not in pair)
    counts = grid.counts.sum(axis=others) if others else grid.counts
    across, down = (grid.edges[axis] for axis in pair)
    return [
        {
            "left": across[i],
            "right": across[i + 1],
            "low": down[j],
            "high": down[j + 1],
            "count": int(counts[i, j]),
        }
        for i in range(len(across) - 1)
        for j in range(len(down) - 1)
    ]


def _points(grid: ChartGrid, pair: tuple[int, int], centres: Sequence[float]) -> list[dict[str, Any]]:
    """Return the centre of each group."""
    found = []
    for group in range(grid.groups):
        rows = [axis * grid.groups + group for axis in pair]
        found.append({"x": centres[rows[0]], "y": centres[rows[1]], "number": str(group + 1)})
    return found


def _map(
    release: Release,
    grid: ChartGrid,
    pair: tuple[int, int],
    rows: Sequence[Mapping[str, Any]],
    points: Sequence[Mapping[str, Any]],
    colour: Any,
    palette: Palette,
    sides: tuple[float, float],
) -> Any:
    names = [titled(grid.columns[axis], release.certificate.columns) for axis in pair]
    ends = [(grid.edges[axis][0], grid.edges[axis][-1]) for axis in pair]

    def along(channel: Any, field: str, place: int) -> Any:
        plain: dict[str, Any] = {"format": "~f"} if plain_keys(ends[place]) else {}
        axis = alt.Axis(
            grid=False, tickCount=5, domain=False, labelFlush=False, **plain, **unlimited(names[place], ends[place])
        )
        scale = alt.Scale(domain=list(ends[place]), nice=False, zero=False)
        return channel(field=field, type="quantitative", title=names[place], scale=scale, axis=axis)

    x, y = along(alt.X, "left", 0), along(alt.Y, "low", 1)
    ends_of: dict[str, Any] = {"x2": alt.X2(field="right"), "y2": alt.Y2(field="high")}
    # Light outlines: else the paper of a dark page shows through between cells.
    rect = alt.MarkDef("rect", stroke=palette.faint, strokeWidth=0.75)
    place = {"x": along(alt.X, "x", 0), "y": along(alt.Y, "y", 1)}
    look: dict[str, Any] = {"filled": True, "strokeWidth": 1.5, "size": 90, "opacity": 1}
    point = alt.MarkDef("point", fill=palette.on_cells, stroke=palette.faint, **look)
    number = alt.MarkDef("text", color=palette.on_cells, fontSize=15, fontWeight="bold", dx=12, dy=-10)
    layers = [
        layer(rect, x=x, y=y, fill=colour, **ends_of),
        layer(point, points, **place),
        layer(number, points, **place, text=text_field(alt.Text, "number")),
    ]
    return layered(layers, rows, *sides)
