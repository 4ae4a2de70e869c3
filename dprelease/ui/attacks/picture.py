"""The picture of an attack: what it wins at each ε against this product, beside guessing, bound, and defence."""

from __future__ import annotations

from functools import lru_cache

import altair as alt

from dprelease.charts.theme import LIGHT
from dprelease.lab import curves
from dprelease.lab.experiment import EPSILONS, Chosen
from dprelease.ui.kit.lines import lines as drawn_lines
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


def lines_of(chosen: Chosen) -> Lines:
    """Shares of 100 at each ε of the axis."""
    found = [row for row in curves.rows(chosen) if row[1] in (None, *EPSILONS)]
    private = [row for row in found if row[1] is not None]
    lines = {
        "most": [most for *_, most in private],
        "won": [min(won, most) for *_, won, most in private],  # what is drawn may err beyond what can be
        "chosen": [won for _, epsilon, _, won, _ in found if epsilon is None] * len(EPSILONS),
        "guessing": [guessing for _, _, guessing, _, _ in private],
    }
    return tuple((name, tuple(round(100 * share, 2) for share in line)) for name, line in lines.items() if line)


def picture(lines: Lines, description: str, width: int) -> bytes:
    """The chart as SVG, so wide between its axes."""
    return _drawn(lines, description, width, language())


@lru_cache(maxsize=128)
def _drawn(lines: Lines, description: str, width: int, _language: str) -> bytes:
    names = [say(f"attacks_line_{name}") for name, _ in lines]
    rows = [
        {"e": epsilon, "r": share, "s": label}
        for label, (_, shares) in zip(names, lines, strict=True)
        for epsilon, share in zip(EPSILONS, shares, strict=True)
    ]
    x = alt.X(
        field="e",
        type="quantitative",
        title=say("attacks_axis_epsilon"),
        scale=alt.Scale(type="log", domain=[EPSILONS[0], EPSILONS[-1]], nice=False),
        axis=alt.Axis(values=[0.1, 0.2, 0.5, 1, 2, 5, 10] if width == WIDE else [0.1, 1, 10]),
    )
    y = alt.Y(
        field="r", type="quantitative", title=say("attacks_axis_right"), scale=alt.Scale(domain=[0, 100], nice=False)
    )
    looks = {label: LOOKS[name] for label, (name, _) in zip(names, lines, strict=True)}
    columns = 2 if width == WIDE else 1
    return drawn_lines(rows, x, y, looks, columns=columns, width=width, height=HEIGHT, said=description)
