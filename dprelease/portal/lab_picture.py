"""The pictures of the lab's pages: lines, drawn so that lab.js only has to move their points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from dprelease.bundle.chart_style import LIGHT
from dprelease.bundle.display import shown
from dprelease.lab.curves import Row
from dprelease.lab.experiment import EPSILONS
from dprelease.words.sentences import Html, isolated

Points = Sequence[tuple[float, float]]
WIDTH, HEIGHT = 360, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 46
LOOKS = {
    "most": (LIGHT.muted, "6 4"),
    "won": (LIGHT.accent, ""),
    "chosen": (LIGHT.ink, "10 3"),
    "guessing": (LIGHT.muted, "1 4"),
}
"""Colour and dashes of each line: neither tells them apart alone."""


def x_of(epsilon: float) -> float:
    """On a logarithmic axis, as lab.js has it."""
    share = log(epsilon / EPSILONS[0]) / log(EPSILONS[-1] / EPSILONS[0])
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def y_of(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)


def lines_of(rows: Sequence[Row]) -> dict[str, Points]:
    """The lines of a picture from the numbers of its file."""
    curve = [(epsilon, guessing, won, most) for _, epsilon, guessing, won, most in rows if epsilon is not None]
    found: dict[str, Points] = {
        "most": [(epsilon, most) for epsilon, _, _, most in curve],
        "won": [(epsilon, won) for epsilon, _, won, _ in curve],
        "guessing": [(epsilon, guessing) for epsilon, guessing, _, _ in curve],
    }
    open_ = [won for _, epsilon, _, won, _ in rows if epsilon is None]
    found["chosen"] = [(epsilon, open_[0]) for epsilon in EPSILONS] if open_ else []
    return found


def picture(lines: Mapping[str, Points], axes: tuple[str, str], said: str) -> Html:
    """The picture as SVG; `said`: what it is told as."""
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
            f' role="img" aria-label="{isolated_text(said)}" font-family="system-ui, sans-serif" font-size="12"'
            f' fill="{LIGHT.muted}"><title>{isolated_text(said)}</title>'
        )
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(
            f'<path class="grid" stroke="{LIGHT.grid}" d="M{LEFT} {y_of(share):.1f}H{WIDTH - RIGHT}"/>'
            f'<text text-anchor="end" x="{LEFT - 6}" y="{y_of(share) + 4:.1f}">{100 * share:.0f}</text>'
        )
    for epsilon in (0.1, 0.5, 1.0, 2.0, 5.0, 10.0):
        parts.append(f'<text text-anchor="middle" x="{x_of(epsilon):.1f}" y="{HEIGHT - 28}">{shown(epsilon)}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text text-anchor="middle" x="{middle:.0f}" y="{HEIGHT - 8}">{isolated_text(axes[0])}</text>')
    height = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(
        f'<text text-anchor="middle" transform="translate(13 {height:.0f}) rotate(-90)">{isolated_text(axes[1])}</text>'
    )
    for name, (colour, dashes) in LOOKS.items():
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(
            f'<polyline class="{name}" fill="none" stroke="{colour}" stroke-width="2"{dashed}'
            f' points="{points_of(lines[name])}"/>'
        )
    return Html("".join((*parts, "</svg>")))


def points_of(points: Points) -> str:
    return " ".join(f"{x_of(epsilon):.1f},{y_of(share):.1f}" for epsilon, share in points)


def isolated_text(text: str) -> str:
    """Text in SVG, where no element may isolate it."""
    return isolated(text).removeprefix("<bdi>").removesuffix("</bdi>")
