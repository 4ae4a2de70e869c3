"""The chart of a budget: a step line of what was spent, under one of what could be."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from dprelease.charts import render
from dprelease.charts.grammar import alt
from dprelease.charts.theme import LIGHT, WIDTH, config
from dprelease.model.privacy import NANO
from dprelease.ui.kit.charts import inline
from dprelease.ui.words import say
from dprelease.words.phrases import visible

HEIGHT = 300
WIDE = WIDTH
SLIM = 250
"""The width of the picture that phones show."""
HEADROOM = 1.12
"""How far the axis goes above the highest line: names of periods stand there."""
NAME = 24
"""Characters of a period's name."""
TIMES = {"year": "%Y", "quarter": "%b %Y", "month": "%b %Y", "week": "%d %b", "date": "%d %b", "day": "%d %b"} | {
    "hours": "%H:%M",
    "minutes": "%H:%M",
}
"""How the axis writes times, by how far its ticks are apart."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What is drawn: times in milliseconds, amounts in nano."""

    points: tuple[tuple[int, int, int], ...]
    """When, and what was spent and what could be from then on."""
    opened: tuple[tuple[int, str], ...]
    """When a period was opened, and its name."""
    periods: bool
    """Whether there are periods, shown or not."""
    end: int
    """Up to when."""
    symbol: str
    """ε or ρ."""


@lru_cache(maxsize=64)
def picture(lines: Lines, description: str, width: int = WIDTH) -> bytes:
    """The chart as SVG, so wide between its axes."""
    series = ("burn_spent", "burn_cap") if lines.periods else ("burn_spent_plain", "burn_cap_plain")
    names = [say(key) for key in series]
    stretched = (*lines.points, (lines.end, *lines.points[-1][1:]))
    spent = [{"t": when, "s": names[0], "value": amount / NANO} for when, amount, _ in stretched]
    cap = [{"t": when, "s": names[1], "value": amount / NANO} for when, _, amount in stretched]
    highest = max(max(amounts) for _, *amounts in lines.points) / NANO
    time = alt.Scale(type="utc", domain=[lines.points[0][0], lines.end], nice=False)
    axis = alt.Axis(grid=False, tickCount=max(2, width // 120), labelOverlap=True, format=TIMES)
    x = alt.X(field="t", type="temporal", title=say("burn_days"), scale=time, axis=axis)
    y = alt.Y(
        field="value",
        type="quantitative",
        title=say("burn_axis", symbol=lines.symbol),
        scale=alt.Scale(domain=[0, HEADROOM * highest], nice=False),
        axis=alt.Axis(tickCount=6),
    )
    legend = alt.Legend(title=None, orient="top", direction="vertical", labelLimit=width - 40, symbolStrokeWidth=2)
    colours = alt.Scale(domain=names, range=[LIGHT.accent, LIGHT.muted])
    dashes = alt.Scale(domain=names, range=[[1, 0], [6, 4]])
    look = {
        "color": alt.Color(field="s", type="nominal", scale=colours, legend=legend),
        "strokeDash": alt.StrokeDash(field="s", type="nominal", scale=dashes, legend=legend),
    }
    area = inline(spent).mark_area(color=LIGHT.accent, opacity=0.15, interpolate="step-after", line=False)
    line = inline([*spent, *cap]).mark_line(strokeWidth=2, interpolate="step-after")
    layers = [area.encode(x=x, y=y), line.encode(x=x, y=y, **look), *_periods(lines, x)]
    body = alt.layer(*layers).properties(width=width, height=HEIGHT, config=alt.Config.from_dict(config(LIGHT)))
    return render.svg(body.to_dict(), description)


def _periods(lines: Lines, x: Any) -> list[Any]:
    """A rule where each period begins, with its name."""
    if not lines.opened:
        return []
    data = inline([{"t": when, "name": _short(name)} for when, name in lines.opened])
    rule = data.mark_rule(color=LIGHT.line, strokeWidth=1)
    text = data.mark_text(align="left", baseline="top", dx=6, dy=2, fontSize=13, color=LIGHT.muted)
    return [rule.encode(x=x), text.encode(x=x, y=alt.value(0), text=alt.Text(field="name", type="nominal"))]


def _short(name: str) -> str:
    text = visible(name)
    return textwrap.shorten(text, NAME, placeholder="…") if " " in text else visible(text, NAME)
