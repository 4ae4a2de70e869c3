"""The pictures of the lab's pages: lines, drawn so that lab.js only has to move their points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from dprelease.bundle.chart_style import LIGHT
from dprelease.bundle.display import shown
from dprelease.lab.curves import Row
from dprelease.lab.experiment import EPSILONS
from dprelease.lab.pair import Pair
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


PAIR_LOOKS = {"first": (LIGHT.accent, ""), "second": (LIGHT.ink, "6 4")}
TRADE_LOOKS = {"bound": (LIGHT.muted, "6 4"), "own": (LIGHT.accent, ""), "guess": (LIGHT.muted, "1 4")}


def two_tables(shown_pair: Pair, ticks: Mapping[float, str], axes: tuple[str, str], said: str) -> Html:
    """The two distributions of a mechanism, as steps, as far as a little beyond the ticks."""
    ends = window(ticks)
    top = max(float(shown_pair.p.max()), float(shown_pair.q.max()))
    lines = {
        name: [
            (_between(value + side, ends), y_of(share / top))
            for value, share in zip(shown_pair.values, masses.tolist(), strict=True)
            if ends[0] < value < ends[1]
            for side in (-0.5, 0.5)
        ]
        for name, masses in (("first", shown_pair.p), ("second", shown_pair.q))
    }
    across = [(_between(value, ends), text) for value, text in ticks.items()]
    return _frame(across, [(0.0, "0"), (1.0, shown(top, 2))], axes, said, lines, PAIR_LOOKS, "tables")


def window(ticks: Mapping[float, str]) -> tuple[float, float]:
    values = list(ticks)
    beside = 0.75 if len(values) == 2 else 2.5
    return values[0] - beside, values[-1] + beside


def _between(value: float, ends: tuple[float, float]) -> float:
    return LEFT + (value - ends[0]) / (ends[1] - ends[0]) * (WIDTH - LEFT - RIGHT)


def trade_off(lines: Mapping[str, Points], axes: tuple[str, str], said: str) -> Html:
    """What tests miss at each rate of false alarms."""
    drawn = {
        name: [(_between(wrong, (0.0, 1.0)), y_of(missed)) for wrong, missed in line] for name, line in lines.items()
    }
    ticks = [(share, shown(share)) for share in (0.0, 0.5, 1.0)]
    across = [(_between(share, (0.0, 1.0)), text) for share, text in ticks]
    return _frame(across, ticks, axes, said, drawn, TRADE_LOOKS, "trade")


def picture(lines: Mapping[str, Points], axes: tuple[str, str], said: str) -> Html:
    """What an attack wins at each ε, as SVG; `said`: what it is told as."""
    across = [(x_of(epsilon), shown(epsilon)) for epsilon in (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)]
    up = [(share, f"{100 * share:.0f}") for share in (0, 0.25, 0.5, 0.75, 1)]
    drawn = {name: [(x_of(epsilon), y_of(share)) for epsilon, share in line] for name, line in lines.items()}
    return _frame(across, up, axes, said, drawn, LOOKS, "curve")


def _frame(
    across: Sequence[tuple[float, str]],
    up: Sequence[tuple[float, str]],
    axes: tuple[str, str],
    said: str,
    lines: Mapping[str, Points],
    looks: Mapping[str, tuple[str, str]],
    name: str,
) -> Html:
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
            f' height="{HEIGHT}" role="img" aria-label="{isolated_text(said)}" font-family="system-ui, sans-serif"'
            f' font-size="12" fill="{LIGHT.muted}"><title>{isolated_text(said)}</title>'
        )
    ]
    for share, text in up:
        parts.append(
            f'<path class="grid" stroke="{LIGHT.grid}" d="M{LEFT} {y_of(share):.1f}H{WIDTH - RIGHT}"/>'
            f'<text class="up" text-anchor="end" x="{LEFT - 6}" y="{y_of(share) + 4:.1f}">{text}</text>'
        )
    parts += [
        f'<text class="across" text-anchor="middle" x="{x:.1f}" y="{HEIGHT - 28}">{isolated_text(text)}</text>'
        for x, text in across
    ]
    middle, height = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    parts.append(f'<text text-anchor="middle" x="{middle:.0f}" y="{HEIGHT - 8}">{isolated_text(axes[0])}</text>')
    parts.append(
        f'<text text-anchor="middle" transform="translate(13 {height:.0f}) rotate(-90)">{isolated_text(axes[1])}</text>'
    )
    for line, (colour, dashes) in looks.items():
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        parts.append(
            f'<polyline class="{line}" fill="none" stroke="{colour}" stroke-width="2"{dashed}'
            f' points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in lines[line])}"/>'
        )
    return Html("".join((*parts, "</svg>")))


def isolated_text(text: str) -> str:
    """Text in SVG, where no element may isolate it."""
    return isolated(text).removeprefix("<bdi>").removesuffix("</bdi>")
