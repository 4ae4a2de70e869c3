"""The pictures of the lab's pages: lines, drawn so that lab.js only has to move their points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from dprelease.charts.sketch import Box, Look, Points, SketchAxis, SketchSheet
from dprelease.charts.theme import LIGHT
from dprelease.extras.lab.curves import Row
from dprelease.extras.lab.experiment import EACH, EPSILONS, PRIVATE
from dprelease.extras.lab.pair import OutputPair
from dprelease.statements.display import shown
from dprelease.words.sentences import Html

WIDTH, HEIGHT = 360, 300
BOX = Box(46, 10, WIDTH - 12, HEIGHT - 46)
LOOKS = {
    "most": (LIGHT.muted, "6 4"),
    "won": (LIGHT.accent, ""),
    "chosen": (LIGHT.ink, "10 3"),
    "guessing": (LIGHT.muted, "1 4"),
}
"""Colour and dashes of each line: neither tells them apart alone."""
PAIR_LOOKS = {"first": (LIGHT.accent, ""), "second": (LIGHT.ink, "6 4")}
TRADE_LOOKS = {"bound": (LIGHT.muted, "6 4"), "own": (LIGHT.accent, ""), "guess": (LIGHT.muted, "1 4")}


def lines_of(rows: Sequence[Row]) -> dict[str, Points]:
    """Return the lines of a picture from the numbers of its file."""
    curve = [(epsilon, *shares) for name, epsilon, *shares in rows if epsilon is not None and name == PRIVATE]
    found: dict[str, Points] = {
        "most": [(epsilon, most) for epsilon, _, _, most in curve],
        "won": [(epsilon, won) for epsilon, _, won, _ in curve],
        "guessing": [(epsilon, guessing) for epsilon, guessing, _, _ in curve],
    }
    open_ = [won for _, epsilon, _, won, _ in rows if epsilon is None]
    each = [(epsilon, won) for name, epsilon, _, won, _ in rows if epsilon is not None and name == EACH]
    found["chosen"] = [(epsilon, open_[0]) for epsilon in EPSILONS] if open_ else each
    return found


def two_tables(shown_pair: OutputPair, ticks: Mapping[float, str], axes: tuple[str, str], said: str) -> Html:
    """Return the two distributions of a mechanism, as steps, as far as a little beyond the ticks."""
    low, high = window(ticks)
    top = max(float(shown_pair.p.max()), float(shown_pair.q.max()))
    lines = {
        name: [
            (value + side, share)
            for value, share in zip(shown_pair.values, masses.tolist(), strict=True)
            if low < value < high
            for side in (-0.5, 0.5)
        ]
        for name, masses in (("first", shown_pair.p), ("second", shown_pair.q))
    }
    up = SketchAxis(0, top, {0: "0", top: shown(top, 2)}, axes[1])
    return _drawn(SketchAxis(low, high, ticks, axes[0]), up, said, lines, PAIR_LOOKS, "tables")


def window(ticks: Mapping[float, str]) -> tuple[float, float]:
    values = list(ticks)
    beside = 0.75 if len(values) == 2 else 2.5
    return values[0] - beside, values[-1] + beside


def trade_off(lines: Mapping[str, Points], axes: tuple[str, str], said: str) -> Html:
    """Draw the rate of missed cases of tests at each rate of false alarms."""
    ticks = {share: shown(share) for share in (0.0, 0.5, 1.0)}
    return _drawn(SketchAxis(0, 1, ticks, axes[0]), SketchAxis(0, 1, ticks, axes[1]), said, lines, TRADE_LOOKS, "trade")


def picture(lines: Mapping[str, Points], axes: tuple[str, str], said: str) -> Html:
    """Draw an attack's success at each ε, on a logarithmic axis, as SVG; `said`: what it is told as."""
    at = {log(epsilon): shown(epsilon) for epsilon in (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)}
    up = {share: f"{100 * share:.0f}" for share in (0, 0.25, 0.5, 0.75, 1)}
    drawn = {name: [(log(epsilon), share) for epsilon, share in line] for name, line in lines.items()}
    across = SketchAxis(log(EPSILONS[0]), log(EPSILONS[-1]), at, axes[0])
    return _drawn(across, SketchAxis(0, 1, up, axes[1]), said, drawn, LOOKS, "curve")


def _drawn(
    across: SketchAxis, up: SketchAxis, said: str, lines: Mapping[str, Points], looks: Mapping[str, Look], name: str
) -> Html:
    sheet = SketchSheet(WIDTH, HEIGHT, 12)
    panel = sheet.panel(BOX, across, up)
    for line, look in looks.items():
        panel.line(lines[line], look, line)
    return Html(sheet.inline(said, name))
