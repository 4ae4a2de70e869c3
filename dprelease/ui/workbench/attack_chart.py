"""The curve of an attack: how many are found at each rate of false alarms."""

from __future__ import annotations

from functools import lru_cache

import altair as alt
import vl_convert

from dprelease.bundle.chart_style import LIGHT, config, tidy
from dprelease.lab.plan import FALSE_ALARMS
from dprelease.ui.kit.charts import inline
from dprelease.ui.words import say

HEIGHT = 280
WIDE = 520
SLIM = 230
"""The width of the picture that phones show."""
EACH = 2
"""Of so many points of a curve one is drawn."""
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
    """The chart as SVG, so wide between its axes."""
    drawn = [*lines, ("guess", FALSE_ALARMS)]
    names = [say(f"attack_line_{name}") for name, _ in drawn]
    rows = [
        {"f": 100 * false, "h": 100 * hit, "s": label}
        for label, (_, hits) in zip(names, drawn, strict=True)
        for false, hit in list(zip(FALSE_ALARMS, hits, strict=True))[::EACH]
    ]
    log = alt.Scale(type="log", domain=[0.1, 100], nice=False)
    x = alt.X(
        field="f",
        type="quantitative",
        title=say("attack_false_alarms"),
        scale=log,
        axis=alt.Axis(values=[0.1, 1, 10, 100]),
    )
    y = alt.Y(field="h", type="quantitative", title=say("attack_found"), scale=alt.Scale(domain=[0, 100], nice=False))
    legend = alt.Legend(
        title=None, orient="top", columns=3 if width == WIDE else 1, labelLimit=width - 40, symbolStrokeWidth=2
    )
    looks = [LOOKS[name] for name, _ in drawn]
    colours = alt.Scale(domain=names, range=[colour for colour, _ in looks])
    dashes = alt.Scale(domain=names, range=[dash for _, dash in looks])
    body = (
        inline(rows)
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color(field="s", type="nominal", scale=colours, legend=legend),
            strokeDash=alt.StrokeDash(field="s", type="nominal", scale=dashes, legend=legend),
        )
        .properties(width=width, height=HEIGHT, config=alt.Config.from_dict(config(LIGHT)))
    )
    return tidy(vl_convert.vegalite_to_svg(body.to_dict(), allowed_base_urls=[]), description)
