"""Heat maps of a noisy grid, compared with the integers of a model's file: each cell, its place and its colour."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import dist
from typing import TYPE_CHECKING, Any

from dprelease.bundle.chart_parts import Part
from dprelease.bundle.chart_places import ACROSS, DOWN, MARK, Labels, check_colours, families, straight
from dprelease.bundle.tables import written
from dprelease.errors import IntegrityError
from dprelease.model.release import Model, Release
from dprelease.words import phrase

if TYPE_CHECKING:
    from dprelease.bundle.chart_values import Chart

CELL = re.compile(r"grid([0-9]{1,2})")
NEAR = 30.0
"""Pixels: so near to its centre the number of a group stands."""


def stated_grid(release: Release, table: str) -> Mapping[str, Any] | None:
    """What a model's file says of the grid that its groups were found in; None of tables of other things."""
    statistic, _, part = table.partition(".")
    output = release.outputs.get(statistic)
    known = isinstance(output, Model) and part == "centres" and len(output.facts.get("grid", ())) > 1
    return output.facts if known and isinstance(output, Model) else None


def check_grid(chart: Chart, found: Sequence[Part], name: str) -> tuple[int, list[Part]]:
    """Returns how many values its maps show, and what else there is in the chart. Raises IntegrityError.

    Each two columns have a map with each cell once, where its edges are on the axes, and every centre with its number
    beside it. Charts of before 0.9.0 have none.
    """
    cells: dict[int, dict[int, Part]] = defaultdict(dict)
    for part in found:
        if part.shows and (told := CELL.fullmatch(part.shows[0][1])):
            place, cell = int(told[1]), part.shows[0][0]
            if len(part.shows) != 1 or part.tag not in ("path", "rect") or cell in cells[place]:
                raise IntegrityError(phrase("bundle.grid_otherwise", name=name))
            cells[place][cell] = part
    if not cells:
        return 0, list(found)
    facts = stated_grid(chart.release, chart.statistic)
    if facts is None:
        raise IntegrityError(phrase("bundle.grid_otherwise", name=name))
    maps = _sums(facts)
    if sorted(cells) != list(range(len(maps))):
        raise IntegrityError(phrase("bundle.grid_otherwise", name=name))
    taken: set[int] = set()
    labels = families(found)
    for place, (axes, sums) in enumerate(maps):
        own = cells[place]
        if {cell: part.shows[0][2] for cell, part in own.items()} != {c: str(n) for c, n in enumerate(sums)}:
            raise IntegrityError(phrase("bundle.grid_otherwise", name=name))
        scales = [_scale(labels, list(own.values()), way) for way in (ACROSS, DOWN)]
        edges = [[float(edge) for edge in facts["grid"][axis]] for axis in axes]
        if not _tiles(own, edges, scales):
            raise IntegrityError(phrase("bundle.marks_where_axis_their", name=name))
        taken |= {id(part) for part in own.values()} | {id(part) for scale in scales for part in scale.parts}
        taken |= _check_centres(chart, found, list(own.values()), axes, scales, name)
    check_colours(
        ((float(str(p.shows[0][2])), p) for own in cells.values() for p in own.values()), name, both_ways=False
    )
    rest = [part for part in found if id(part) not in taken]
    return sum(len(part.shows) for part in found if id(part) in taken), rest


def _sums(facts: Mapping[str, Any]) -> list[tuple[tuple[int, int], list[int]]]:
    """Each two columns with the sum of the integers in each of their cells, over all others."""
    sizes = [len(edges) - 1 for edges in facts["grid"]]
    found = []
    for one, other in combinations(range(len(sizes)), 2):
        sums = [0] * (sizes[one] * sizes[other])
        for cell, number in zip(product(*map(range, sizes)), facts["integers"][0], strict=True):
            sums[cell[one] * sizes[other] + cell[other]] += number
        found.append(((one, other), sums))
    return found


def _scale(labels: Sequence[Labels], cells: Sequence[Part], way: int) -> Labels:
    """The axis of a map: the nearest numbers below it, or to its left, that stand between its ends."""
    other = 1 - way
    low, high = ((min, max)[end](getattr(part, side) for part in cells) for end, side in enumerate(SIDES[way]))
    start = max(p.bottom for p in cells) if way == ACROSS else min(p.left for p in cells)
    sign = 1 if way == ACROSS else -1
    own = [
        (sign * (each.parts[0].centre[other] - start), place, each)
        for place, each in enumerate(labels)
        if len(each.ticks) > 1
        and each.way == way
        and all(low - NEAR <= part.centre[way] <= high + NEAR for part in each.parts)
    ]
    return min((each for each in own if each[0] > 0), default=(0.0, 0, Labels(())))[2]


SIDES = (("left", "right"), ("top", "bottom"))


def _tiles(own: Mapping[int, Part], edges: Sequence[Sequence[float]], scales: Sequence[Labels]) -> bool:
    """Whether each cell reaches from edge to edge on both axes."""
    if not all(scale.parts for scale in scales):
        return False
    places: list[list[tuple[float, float, float]]] = [list(scale.ticks) for scale in scales]
    for cell, part in own.items():
        i, j = divmod(cell, len(edges[DOWN]) - 1)
        places[ACROSS] += [(edges[ACROSS][i], part.left, MARK), (edges[ACROSS][i + 1], part.right, MARK)]
        places[DOWN] += [(edges[DOWN][j], part.bottom, MARK), (edges[DOWN][j + 1], part.top, MARK)]
    return all(straight(each, way) for way, each in enumerate(places))


def _check_centres(
    chart: Chart,
    found: Sequence[Part],
    cells: Sequence[Part],
    axes: tuple[int, int],
    scales: Sequence[Labels],
    name: str,
) -> set[int]:
    """The marks of the centres of a map and their numbers. Raises IntegrityError where one is elsewhere, or missing."""
    groups = len(chart.rows) // len(chart.table.axes[0].cells)
    left, right = min(p.left for p in cells), max(p.right for p in cells)
    top, bottom = min(p.top for p in cells), max(p.bottom for p in cells)
    inside = [
        part
        for part in found
        if left - NEAR <= part.centre[0] <= right + NEAR
        and top - NEAR <= part.centre[1] <= bottom + NEAR
        and part.shows
    ]
    taken = set()
    for group in range(groups):
        rows = [axis * groups + group for axis in axes]
        values = [chart.rows[row]["value"] for row in rows]
        shows = tuple((row, "value", written(value)) for row, value in zip(rows, values, strict=True))
        points = [part for part in inside if part.is_shape and part.shows == shows]
        texts = [
            part
            for part in inside
            if part.tag == "text"
            and part.shows == ((rows[0], "cluster", str(group + 1)),)
            and part.text == str(group + 1)
        ]
        if len(points) != 1 or len(texts) != 1 or dist(points[0].centre, texts[0].centre) > NEAR:
            raise IntegrityError(phrase("bundle.centre_otherwise", name=name))
        for way, value in enumerate(values):
            here = (float(value), points[0].centre[way], MARK) if isinstance(value, int | float) else None
            if here is None or not straight([*scales[way].ticks, here], way):
                raise IntegrityError(phrase("bundle.centre_otherwise", name=name))
        taken |= {id(points[0]), id(texts[0])}
    return taken
