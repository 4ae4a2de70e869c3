"""The curve of an attack: how many are found at each rate of false alarms."""

from __future__ import annotations

from functools import lru_cache

from dprelease.adversaries.plan import FALSE_ALARMS
from dprelease.charts import lines as forms
from dprelease.charts.theme import LIGHT
from dprelease.ui.words import say

HEIGHT = 280
WIDE = 520
SLIM = 230
"""The width of the picture that phones show."""
EACH = 2
"""Stride between the points of a curve that are drawn."""
LOOKS = {
    "bound": (LIGHT.muted, [6, 4]),
    "any": (LIGHT.ink, [1, 0]),
    "worst": (LIGHT.accent, [2, 2]),
    "ordinary": (LIGHT.noisy, [10, 3]),
    "guess": (LIGHT.muted, [1, 4]),
}
"""Colour and dashes of each line: neither tells them apart alone."""


@lru_cache(maxsize=64)
def picture(lines: tuple[tuple[str, tuple[float, ...]], ...], description: str, width: int = WIDE) -> bytes:
    """Return the chart as SVG, so wide between its axes."""
    drawn = [*lines, ("guess", FALSE_ALARMS)]
    names = [say(f"attack_line_{name}") for name, _ in drawn]
    points = [
        (100 * false, 100 * hit, label)
        for label, (_, hits) in zip(names, drawn, strict=True)
        for false, hit in list(zip(FALSE_ALARMS, hits, strict=True))[::EACH]
    ]
    across = forms.NumberAxis(say("attack_false_alarms"), 0.1, 100, log=True, ticks=(0.1, 1, 10, 100))
    up = forms.NumberAxis(say("attack_found"), 0, 100)
    strokes = {label: LOOKS[name] for label, (name, _) in zip(names, drawn, strict=True)}
    size = {"columns": 3 if width == WIDE else 1, "width": width, "height": HEIGHT}
    return forms.lines(points, across, up, strokes, **size, description=description)
