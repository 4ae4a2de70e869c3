"""Table through the editions of a series as lines.

Import late: Altair and V8 take a second to load.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dprelease.charts.lines import EditionPoint, editions
from dprelease.portal.trend import MAX_LINES, Trend
from dprelease.words.pages import tell
from dprelease.words.phrases import visible

LONGEST = 40


def picture(trend: Trend, *, narrow: bool = False) -> bytes:
    """Draw its first lines as SVG. `narrow`: for a phone."""
    by_period = trend.points[-1].period[0] or trend.run is not None
    names = trend.axis if by_period else once(point.edition for point in trend.points)
    lines = list(trend.lines.items())[:MAX_LINES]
    labels, points = once(trend.label(line) for line, _ in lines), []
    for label, (_, places) in zip(labels, lines, strict=True):
        before: tuple[str, float] | None = None
        last = 0
        for name, at in zip(names, trend.axis, strict=True):
            place = places.get(at)
            if place is None or not isinstance(place.cell[0], int | float):
                before = None
                continue
            value, lower, upper = place.cell
            number = float(value or 0)
            joined = None if place.partial else before
            broken = joined is not None and trend.is_broken(last, place.edition)
            points.append(EditionPoint(name, label, number, _ends(lower, upper), joined, broken, place.partial))
            before, last = None if place.partial else (name, number), place.edition
    description = tell("series_chart", question=trend.name)
    measure = visible(trend.measure, LONGEST)
    return editions(points, names, labels, measure, description, missed=trend.missed, narrow=narrow)


def once(texts: Iterable[str]) -> list[str]:
    """Return texts as they are drawn, those that look alike numbered."""
    found: list[str] = []
    for text in texts:
        name, number = visible(text, LONGEST), 2
        free = name
        while free in found:
            free, number = f"{name} ({number})", number + 1
        found.append(free)
    return found


def _ends(lower: Any, upper: Any) -> tuple[float, float] | None:
    return (lower, upper) if isinstance(lower, int | float) and isinstance(upper, int | float) else None
