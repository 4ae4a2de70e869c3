"""The picture of an attack: what it wins at each ε against this product, beside guessing, bound, and defence."""

from __future__ import annotations

from functools import lru_cache

from dprelease.charts import lines as forms
from dprelease.charts.theme import LIGHT
from dprelease.extras.lab import curves
from dprelease.extras.lab.experiment import EACH, EPSILONS, PRIVATE, AttackRun
from dprelease.ui.words import say
from dprelease.words.language import language

HEIGHT = 260
WIDE = 560
SLIM = 230
"""The width of the picture that phones show."""
LOOKS = {
    "most": (LIGHT.muted, [6, 4]),
    "won": (LIGHT.accent, [1, 0]),
    "chosen": (LIGHT.ink, [10, 3]),
    "guessing": (LIGHT.muted, [1, 4]),
}
"""Colour and dashes of each line: neither tells them apart alone."""
Lines = tuple[tuple[str, tuple[float, ...]], ...]


def lines_of(chosen: AttackRun) -> Lines:
    """Return shares of 100 at each ε of the axis."""
    found = [row for row in curves.rows(chosen) if row[1] in (None, *EPSILONS)]
    private = [row for row in found if row[0] == PRIVATE]
    lines = {
        "most": [most for *_, most in private],
        "won": [min(won, most) for *_, won, most in private],  # what is drawn may err beyond what can be
        "chosen": [won for _, epsilon, _, won, _ in found if epsilon is None] * len(EPSILONS)
        or [won for name, _, _, won, _ in found if name == EACH],
        "guessing": [guessing for _, _, guessing, _, _ in private],
    }
    return tuple((name, tuple(round(100 * share, 2) for share in line)) for name, line in lines.items() if line)


def picture(lines: Lines, description: str, width: int) -> bytes:
    """Return the chart as SVG, so wide between its axes."""
    return _drawn(lines, description, width, language())


@lru_cache(maxsize=128)
def _drawn(lines: Lines, description: str, width: int, _language: str) -> bytes:
    names = [say(f"attacks_line_{name}") for name, _ in lines]
    points = [
        (epsilon, share, label)
        for label, (_, shares) in zip(names, lines, strict=True)
        for epsilon, share in zip(EPSILONS, shares, strict=True)
    ]
    ticks = (0.1, 0.2, 0.5, 1, 2, 5, 10) if width == WIDE else (0.1, 1, 10)
    across = forms.NumberAxis(say("attacks_axis_epsilon"), EPSILONS[0], EPSILONS[-1], log=True, ticks=ticks)
    up = forms.NumberAxis(say("attacks_axis_right"), 0, 100)
    strokes = {label: LOOKS[name] for label, (name, _) in zip(names, lines, strict=True)}
    size = {"columns": 2 if width == WIDE else 1, "width": width, "height": HEIGHT}
    return forms.lines(points, across, up, strokes, **size, description=description)
