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


def picture(trend: Trend) -> bytes:
    """Draw its first lines as SVG."""
    names, rows = once(point.edition for point in trend.points), list(trend.rows())[:MAX_LINES]
    labels, points = once(label for label, _ in rows), []
    for label, (_, cells) in zip(labels, rows, strict=True):
        before = None
        for index, cell in enumerate(cells):
            now = None if cell is None or not isinstance(cell[0], int | float) else (names[index], cell[0])
            if cell is not None and now is not None:
                broken = index > 0 and trend.breaks[index - 1] is not None
                points.append(EditionPoint(now[0], label, now[1], _ends(cell[1], cell[2]), before, broken))
            before = now
    description = tell("series_chart", question=trend.name)
    return editions(points, names, labels, visible(trend.measure, LONGEST), description)


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
