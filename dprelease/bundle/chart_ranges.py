"""Two intervals of a slope, told apart by how thick their lines are; and bands of bins, pale where they cover 0."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dprelease.bundle.chart_parts import Part
from dprelease.charts.data import BOTH, BY_BIN
from dprelease.errors import IntegrityError
from dprelease.words import phrase

if TYPE_CHECKING:
    from dprelease.bundle.chart_values import Chart

NOISE = ("lower95", "upper95")
PALE = 0.25
"""A band that covers 0 is less opaque than this, and any other is not."""


def check_ranges(chart: Chart, found: Sequence[Part], name: str) -> None:
    """Raises IntegrityError where the lines of two intervals cannot be told apart, or a band is pale otherwise.

    Of slopes: where one has its wider interval, each has that is published, thinner than that of noise alone. Charts
    of before 0.9.0 have none of either.
    """
    lines: dict[tuple[str, ...], dict[int, float]] = defaultdict(dict)
    for part in found:
        names = tuple(column for _, column, _ in part.shows)
        if part.is_shape and len(names) == len(NOISE):
            lines[names][part.shows[0][0]] = part.thick
    wider, narrow = lines.get(BOTH, {}), lines.get(NOISE, {})
    known = {row for row, cells in enumerate(chart.rows) if all(cells.get(each) is not None for each in BOTH)}
    told = {row for row in known if not chart.totals[row]}
    if wider and (set(wider) != told or any(row in wider and thick <= wider[row] for row, thick in narrow.items())):
        raise IntegrityError(phrase("bundle.intervals_look_alike", name=name))
    if tuple(chart.keys[: len(BY_BIN)]) != BY_BIN:
        return
    for part in found:
        names = tuple(column for _, column, _ in part.shows)
        if names != NOISE or part.tag == "line" or not part.is_shape:
            continue
        cells = chart.rows[part.shows[0][0]]
        lower, upper = (cells[each] for each in NOISE)
        covers = isinstance(lower, int | float) and isinstance(upper, int | float) and lower <= 0 <= upper
        if covers is not (part.opacity < PALE):
            raise IntegrityError(phrase("bundle.band_pale_otherwise", name=name))
