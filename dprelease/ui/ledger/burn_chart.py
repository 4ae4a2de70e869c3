"""The picture of a budget: a step line of what was spent, under one of what could be."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import day
from dprelease.ui.words import say
from dprelease.words.sentences import Html

HEADROOM = 1.08
"""Height of the picture, in heights of its highest line."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The content of the picture: times in milliseconds, amounts in nano."""

    points: tuple[tuple[int, int, int], ...]
    """Times, each with the budget spent and the cap from then on."""
    opened: tuple[tuple[int, str], ...]
    """Times at which a period was opened, each with the period's name."""
    periods: bool
    """True if there are periods, shown or not."""
    first: str
    """Day of the first point."""
    end: int
    """End of the time axis."""
    symbol: str
    """Symbol of the budget, ε or ρ."""
    most: str
    """The cap at the end, written."""

    def across(self, when: int) -> float:
        """Return the share of the width at a time."""
        start = self.points[0][0]
        return (when - start) / max(1, self.end - start)

    @property
    def highest(self) -> int:
        return max(1, *(amount for _, *amounts in self.points for amount in amounts))


def picture(lines: Lines, description: str) -> Html:
    """Draw it as shapes in the colours of the page (which keeps no SVG of its own), with its words around it."""
    names = ("burn_spent", "burn_cap") if lines.periods else ("burn_spent_plain", "burn_cap_plain")
    spent = _corners(lines, 0)
    cap = _corners(lines, 1)
    edge = [f"{x} calc({y} + 2px)" for x, y in reversed(cap)]
    rules = joined(
        fill('<i class="dp-burn-period" style="left:{}%"><b>{}</b></i>', f"{100 * lines.across(when):.2f}", name)
        for when, name in lines.opened
    )
    return fill(
        '<figure class="dp-burn" role="img" aria-label="{words}"><div aria-hidden="true">'
        '<i class="dp-burn-spent" style="clip-path:polygon({spent},100% 100%,0% 100%)"></i>'
        '<i class="dp-burn-cap" style="clip-path:polygon({cap})"></i>{rules}</div>'
        '<figcaption aria-hidden="true"><span>{first}</span><span class="dp-burn-key-spent">{name_spent}</span>'
        '<span class="dp-burn-key-cap">{name_cap} {symbol} {most}</span><span>{last}</span></figcaption></figure>',
        words=description,
        spent=",".join(f"{x} {y}" for x, y in spent),
        cap=",".join([*(f"{x} {y}" for x, y in cap), *edge]),
        rules=rules,
        first=day(lines.first),
        last=say("burn_now"),
        name_spent=say(names[0]),
        name_cap=say(names[1]),
        symbol=lines.symbol,
        most=lines.most,
    )


def _corners(lines: Lines, place: int) -> list[tuple[str, str]]:
    """Return the corners of a line that stays where it is until the next point, as shares of the room."""
    found: list[tuple[str, str]] = []
    for when, *amounts in (*lines.points, (lines.end, *lines.points[-1][1:])):
        x, y = f"{100 * lines.across(when):.2f}%", f"{100 * (1 - amounts[place] / (HEADROOM * lines.highest)):.2f}%"
        found += [(x, found[-1][1]), (x, y)] if found else [(x, y)]
    return found
