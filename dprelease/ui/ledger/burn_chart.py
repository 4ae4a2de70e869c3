"""The chart of a budget: a step line of what was spent, under one of what could be."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import lru_cache

from dprelease.charts import lines as forms
from dprelease.charts.theme import WIDTH
from dprelease.model.privacy import NANO
from dprelease.ui.words import say
from dprelease.words.phrases import visible

HEIGHT = 300
WIDE = WIDTH
SLIM = 250
"""The width of the picture that phones show."""
NAME = 24
"""Maximum characters of a period's name."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The content of the chart: times in milliseconds, amounts in nano."""

    points: tuple[tuple[int, int, int], ...]
    """Times, each with the budget spent and the cap from then on."""
    opened: tuple[tuple[int, str], ...]
    """Times at which a period was opened, each with the period's name."""
    periods: bool
    """True if there are periods, shown or not."""
    end: int
    """End of the time axis."""
    symbol: str
    """Symbol of the budget, ε or ρ."""


@lru_cache(maxsize=64)
def picture(lines: Lines, description: str, width: int = WIDTH) -> bytes:
    """Return the chart as SVG, so wide between its axes."""
    names = ("burn_spent", "burn_cap") if lines.periods else ("burn_spent_plain", "burn_cap_plain")
    points = (*lines.points, (lines.end, *lines.points[-1][1:]))
    return forms.steps(
        [(when, amount / NANO) for when, amount, _ in points],
        [(when, amount / NANO) for when, _, amount in points],
        [(when, _short(name)) for when, name in lines.opened],
        names=(say(names[0]), say(names[1])),
        titles=(say("burn_days"), say("burn_axis", symbol=lines.symbol)),
        width=width,
        height=HEIGHT,
        description=description,
    )


def _short(name: str) -> str:
    text = visible(name)
    return textwrap.shorten(text, NAME, placeholder="…") if " " in text else visible(text, NAME)
