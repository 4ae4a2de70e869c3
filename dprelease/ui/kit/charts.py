"""True beside simulated values as pictures: a plain image each, with no menu, no toolbar and no data to copy."""

from __future__ import annotations

import textwrap
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import streamlit as st
import vl_convert

from dprelease.bundle.chart_data import Drawing, draw
from dprelease.bundle.chart_style import HEIGHT, LIGHT, WIDTH, config, tidy
from dprelease.bundle.question import Question
from dprelease.model.presentation import Look, Trait
from dprelease.model.release import Estimates
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import planned
from dprelease.ui.words import say
from dprelease.words.phrases import visible

TRUE = "#0072b2"
NOISY = "#d55e00"
DARK = b"@media (prefers-color-scheme:dark){"
BRIGHTER = b'[fill="#0072b2"]{fill:#56b4e9}[stroke="#0072b2"]{stroke:#56b4e9}text[fill="#d55e00"]{fill:#f0a35e}'
"""On dark pages the blue needs more light, and the watermark."""
DRAWN = (Look.MARKS, Look.STAIRS)
"""What one draw is drawn beside the truth as; other tables have pictures of their own, and ranks other rows."""
MOST_BARS = 60
"""Bins with two bars each; beyond, two step lines."""
MOST_STEPS = 5000
MOST_LISTED = 40
"""Lines of a listed chart; beyond, only the table."""
ROW = 34
LABEL = 36
"""Characters of a label."""


@dataclass(frozen=True, slots=True)
class Face:
    """What every picture of a preview says: that it is one, and whether its rows are made up."""

    price: Price
    unit: str
    invented: bool = False

    def say(self, key: str, **values: object) -> str:
        """Words that call values true, or made up where they are."""
        return say(f"{key}_blind" if self.invented else key, **values)

    def question(self, statistic: str) -> Question:
        """Returns what a statistic asks, in words."""
        return planned(self.price[statistic], self.price.plan.schema, self.unit)

    def drawing(self, statistic: str, table: Estimates) -> Drawing:
        """A table made ready to draw."""
        return draw(self.question(statistic), table)

    def finished(self, chart: Any, description: str) -> bytes:
        """The chart as SVG under the watermark."""
        title = alt.TitleParams(text=self.say("preview_watermark"), color=NOISY, fontSize=14, fontWeight="bold")
        styled = chart.properties(title=title, config=alt.Config.from_dict(config(LIGHT)))
        svg = vl_convert.vegalite_to_svg(styled.to_dict(), allowed_base_urls=[])
        return tidy(svg, description).replace(DARK, DARK + BRIGHTER)


def picture(svg: bytes, words: str) -> None:
    """A picture of a preview: part of the page, so that no address of it exists."""
    image(f"data:image/svg+xml;base64,{b64encode(svg).decode()}", words)


def image(address: str, words: str) -> None:
    """A picture with words for those who do not see it."""
    st.html(
        fill(
            '<div class="dp-figure" tabindex="0" role="region" aria-label="{}"><img src="{}" alt="{}"></div>',
            words,
            address,
            words,
        )
    )


def comparison(face: Face, asked: Question, true: Estimates, noisy: Estimates) -> bytes | None:
    """One draw beside the truth, where a chart helps; both have the same keys."""
    if not 0 < len(true) <= MOST_STEPS or asked.presentation.look not in DRAWN or asked.presentation.has(Trait.RANKED):
        return None
    before, after = (face.drawing(asked.id, table) for table in (true, noisy))
    if Look.WORDS in (before.picture, after.picture) or after.inner is None:
        return None
    body = _body(face, after, list(_rows(face, before, after)), asked)
    return None if body is None else face.finished(body, asked.text)


def _rows(face: Face, true: Drawing, noisy: Drawing) -> Iterator[dict[str, Any]]:
    """Two rows a cell. `s` is the series; text from the plan stands in data only."""
    names = _series(face, noisy)
    for before, after in zip(true.rows, noisy.rows, strict=True):
        place: dict[str, Any] = {"label": short(before)}
        if "start" in before:
            middle = (before["start"] + before["end"]) / 2
            place |= {"start": before["start"], "middle": middle, "end": before["end"]}
            place["quarter"] = (middle + before["end"]) / 2
        yield {"s": names[0], "i": len(names), "value": before["value"], **place}
        yield {"s": names[1], "value": after["value"], "lower": after["lower"], "upper": after["upper"], **place}


def short(row: Mapping[str, Any]) -> str:
    """The label of a cell, cut to what has room."""
    label = visible(" · ".join(filter(None, (row["k1"], row["k0"]))))
    return textwrap.shorten(label, LABEL, placeholder="…") or label[:LABEL]


def _series(face: Face, noisy: Drawing) -> tuple[str, str]:
    if _as_lines(noisy):
        return face.say("series_true_line"), say("series_noisy_line")
    return face.say("series_true"), say("series_noisy" if noisy.has_intervals else "series_noisy_plain")


def _spanned(noisy: Drawing) -> bool:
    return noisy.outer is None and noisy.inner is not None and noisy.inner.form in ("numbers", "days")


def _as_lines(noisy: Drawing) -> bool:
    """Whether two step lines show it: shares that grow, and more bins than two bars each leave room for."""
    return _spanned(noisy) and (noisy.picture is Look.STAIRS or len(noisy.rows) > MOST_BARS)


def _body(face: Face, noisy: Drawing, rows: Sequence[dict[str, Any]], asked: Question) -> Any:
    inner = noisy.inner
    assert inner is not None
    scale = alt.Scale(domain=list(_series(face, noisy)), range=[TRUE, NOISY])
    legend = alt.Legend(title=None, orient="top", direction="vertical", labelLimit=500, symbolStrokeWidth=2)
    colour = alt.Color(field="s", type="nominal", scale=scale, legend=legend)
    if _spanned(noisy):
        form = _steps if _as_lines(noisy) else _bars
        return form(rows, colour, inner.title, inner.form == "days", asked)
    return _listed(rows, colour, asked, noisy, _series(face, noisy)) if len(noisy.rows) <= MOST_LISTED else None


def _axis(asked: Question, days: bool) -> dict[str, Any]:
    zero = asked.presentation.has(Trait.ADDITIVE)
    kind = "temporal" if days else "quantitative"
    scale = alt.Scale(type="utc", zero=False) if days else alt.Scale(zero=zero, nice=True)
    return {"type": kind, "title": asked.measure, "scale": scale, "axis": alt.Axis(tickCount=6)}


def _where(rows: Sequence[Mapping[str, Any]], series: int) -> list[Mapping[str, Any]]:
    return [row for place, row in enumerate(rows) if place % 2 == series]


def inline(rows: Sequence[Mapping[str, Any]]) -> Any:
    """A chart of these rows."""
    return alt.Chart(alt.InlineData(values=list(rows)))


def _bars(rows: Sequence[dict[str, Any]], colour: Any, title: str, days: bool, asked: Question) -> Any:
    """Pairs of bars in each bin: hollow and filled."""
    along: dict[str, Any] = {"type": "temporal" if days else "quantitative", "title": title}
    scale = alt.Scale(type="utc", nice=False) if days else alt.Scale(zero=False, nice=False)
    value = _axis(asked, days=False)
    axis = alt.Axis(grid=False)
    hollow = inline(_where(rows, 0)).mark_bar(fillOpacity=0.12, strokeWidth=1.5, xOffset=1, x2Offset=-1)
    filled = inline(_where(rows, 1)).mark_bar(xOffset=1, x2Offset=-1)
    rule = inline(_where(rows, 1)).mark_rule(color=LIGHT.ink, strokeWidth=1)
    start = {"x": alt.X(field="start", scale=scale, axis=axis, **along), "x2": alt.X2(field="middle")}
    middle = {"x": alt.X(field="middle", scale=scale, axis=axis, **along), "x2": alt.X2(field="end")}
    stroke = alt.Stroke(field="s", type="nominal", scale=colour["scale"], legend=None)
    y, y2 = alt.Y(field="value", **value), alt.Y2(datum=0)
    layers = [
        hollow.encode(y=y, y2=y2, color=colour, stroke=stroke, **start),
        filled.encode(y=y, y2=y2, color=colour, **middle),
        rule.encode(
            x=alt.X(field="quarter", scale=scale, axis=axis, **along),
            y=alt.Y(field="lower", **value),
            y2=alt.Y2(field="upper"),
        ),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _steps(rows: Sequence[dict[str, Any]], colour: Any, title: str, days: bool, asked: Question) -> Any:
    """Two step lines, the simulated one with its band."""
    x = alt.X(
        field="start", type="temporal" if days else "quantitative", title=title, scale=alt.Scale(zero=False, nice=False)
    )
    value = _axis(asked, days=False)
    band = inline(_where(rows, 1)).mark_area(color=NOISY, opacity=0.25, interpolate="step-after")
    line = inline(_where(rows, 1)).mark_line(strokeWidth=1.25, interpolate="step-after")
    dashed = inline(_where(rows, 0)).mark_line(strokeWidth=1.25, strokeDash=[4, 2], interpolate="step-after")
    layers = [
        band.encode(x=x, y=alt.Y(field="lower", **value), y2=alt.Y2(field="upper")),
        line.encode(x=x, y=alt.Y(field="value", **value), color=colour),
        dashed.encode(x=x, y=alt.Y(field="value", **value), color=colour),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def _listed(
    rows: Sequence[dict[str, Any]], colour: Any, asked: Question, noisy: Drawing, series: tuple[str, str]
) -> Any:
    """A line for each cell: bars from zero where cells add up, else a diamond and a dot."""
    labels = list(dict.fromkeys(row["label"] for row in rows))
    if len(labels) * 2 < len(rows):
        return None
    height = max(HEIGHT, ROW * len(labels))
    scale = alt.Scale(domain=labels, paddingInner=0.35, paddingOuter=0.2)
    axis = alt.Axis(ticks=False, domain=False, labelLimit=260)
    y = alt.Y(field="label", type="nominal", title=None, scale=scale, axis=axis)
    offset = alt.YOffset(field="s", type="nominal", scale=alt.Scale(domain=list(series), paddingInner=0.15))
    place = {"y": y, "yOffset": offset}
    value = _axis(asked, noisy.in_days)
    x = alt.X(field="value", **value)
    bars = asked.presentation.has(Trait.ADDITIVE)
    true, simulated = inline(_where(rows, 0)), inline(_where(rows, 1))
    stroke = alt.Stroke(field="s", type="nominal", scale=colour["scale"], legend=None)
    if bars:
        first = true.mark_bar(fillOpacity=0.12, strokeWidth=1.5).encode(x=x, color=colour, stroke=stroke, **place)
        second = simulated.mark_bar().encode(x=x, color=colour, **place)
    else:
        first = true.mark_point(shape="diamond", size=110, strokeWidth=2, opacity=1, filled=False).encode(
            x=x, color=colour, **place
        )
        second = simulated.mark_point(shape="circle", size=80, filled=True, opacity=1).encode(
            x=x, color=colour, **place
        )
    rule = simulated.mark_rule(color=LIGHT.ink, strokeWidth=1)
    interval = rule.encode(x=alt.X(field="lower", **value), x2=alt.X2(field="upper"), **place)
    layers = [first, second, interval] if bars else [first, interval, second]
    return alt.layer(*layers).properties(width=WIDTH - 200, height=height)
