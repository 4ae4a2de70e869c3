"""Lines over numbers, and editions of a series: two forms that are drawn from plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from dprelease.charts import render
from dprelease.charts.theme import LIGHT, NARROW, ChartSize, config

Stroke = tuple[str, list[int]]
"""Colour and dashes of a line: neither tells lines apart alone."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
PADDED = 40
"""Pixels that a legend leaves free."""


@dataclass(frozen=True, slots=True)
class NumberAxis:
    """Axis of numbers from `low` to `high`."""

    title: str
    low: float
    high: float
    log: bool = False
    ticks: tuple[float, ...] = ()
    """Ticks of the axis; chosen by the renderer where empty."""

    def encoding(self, channel: Any, field: str) -> Any:
        """Return the Altair channel that places a field on this axis."""
        scale = alt.Scale(type="log" if self.log else "linear", domain=[self.low, self.high], nice=False)
        axis = alt.Axis(values=list(self.ticks)) if self.ticks else alt.Undefined
        return channel(field=field, type="quantitative", title=self.title, scale=scale, axis=axis)


def lines(
    points: Iterable[tuple[float, float, str]],
    across: NumberAxis,
    up: NumberAxis,
    strokes: Mapping[str, Stroke],
    *,
    columns: int,
    width: int,
    height: int,
    description: str,
) -> bytes:
    """Draw a line for each label of the points (x, y, label) as SVG, with a legend of so many columns."""
    rows = [{"x": x, "y": y, "s": label} for x, y, label in points]
    legend = alt.Legend(title=None, orient="top", columns=columns, labelLimit=width - PADDED, symbolStrokeWidth=2)
    body = _data(rows).mark_line(strokeWidth=2)
    body = body.encode(x=across.encoding(alt.X, "x"), y=up.encoding(alt.Y, "y"), **_strokes(strokes, legend))
    return _svg(body, width, height, description)


@dataclass(frozen=True, slots=True)
class EditionPoint:
    """Estimate of one edition, with its interval where there is one; `broken`: it measures otherwise than before."""

    edition: str
    label: str
    value: float
    ends: tuple[float, float] | None
    before: tuple[str, float] | None
    """Edition and value at which the line to this point begins."""
    broken: bool = False
    partial: bool = False
    """True if it is of a part of its period only: a hollow mark."""


def editions(
    points: Sequence[EditionPoint],
    names: Sequence[str],
    labels: Sequence[str],
    measure: str,
    description: str,
    *,
    missed: Sequence[str] = (),
    narrow: bool = False,
) -> bytes:
    """Draw estimates through editions as SVG: solid between those that measure the same, dashed over a break.

    Lines are told apart by the shape of their points. `missed`: editions that there are not, marked on the axis.
    `narrow`: for a phone.
    """
    order, size = list(names), NARROW if narrow else ChartSize(height=320)
    axis = alt.Axis(labelAngle=0, labelOverlap=True)
    x = alt.X(field="e", type="ordinal", title=None, sort=order, scale=alt.Scale(domain=order), axis=axis)
    y = alt.Y(field="v", type="quantitative", title=measure, axis=alt.Axis(tickCount=6))
    legend = (
        alt.Legend(title=None, orient="top", columns=1 if narrow else alt.Undefined, labelLimit=size.width - PADDED)
        if len(labels) > 1
        else None
    )
    shapes = alt.Scale(domain=list(labels), range=list(SHAPES))
    dashes = alt.Scale(domain=[False, True], range=[[1, 0], [5, 5]])
    rows = [{"e": point.edition, "s": point.label, "v": point.value, "p": point.partial} for point in points]
    ends = [{"e": point.edition, "l": point.ends[0], "u": point.ends[1]} for point in points if point.ends]
    joined = [
        {"e": edition, "v": value, "p": f"{point.label} {index}", "b": point.broken}
        for index, point in enumerate(points)
        if point.before
        for edition, value in (point.before, (point.edition, point.value))
    ]
    line = _data(joined).mark_line(color=LIGHT.accent, strokeWidth=2)
    rule = _data(ends).mark_rule(color=LIGHT.ink, strokeWidth=1)
    mark = _data(rows).mark_point(filled=True, size=70, color=LIGHT.noisy, stroke=LIGHT.noisy, opacity=1)
    layers = [
        line.encode(
            x=x,
            y=y,
            detail=alt.Detail(field="p", type="nominal"),
            strokeDash=alt.StrokeDash(field="b", type="nominal", scale=dashes, legend=None),
        ),
        rule.encode(x=x, y=alt.Y(field="l", type="quantitative", title=measure), y2=alt.Y2(field="u")),
        mark.encode(
            x=x,
            y=y,
            shape=alt.Shape(field="s", type="nominal", sort=list(labels), scale=shapes, legend=legend),
            fillOpacity=alt.condition("datum.p", alt.value(0), alt.value(1)),
        ),
    ]
    if missed:
        gap = _data([{"e": name} for name in missed]).mark_text(text="×", fontSize=14, color=LIGHT.noisy, dy=-8)
        layers.append(gap.encode(x=x, y=alt.value(size.height)))
    return _svg(alt.layer(*layers), size.width, size.height, description)


def _data(rows: list[dict[str, Any]]) -> Any:
    return alt.Chart(alt.InlineData(values=rows))


def _strokes(strokes: Mapping[str, Stroke], legend: Any) -> dict[str, Any]:
    """Encode labels as colour and dashes, in one legend."""
    domain = list(strokes)
    colours = alt.Scale(domain=domain, range=[colour for colour, _ in strokes.values()])
    dashes = alt.Scale(domain=domain, range=[dash for _, dash in strokes.values()])
    return {
        "color": alt.Color(field="s", type="nominal", scale=colours, legend=legend),
        "strokeDash": alt.StrokeDash(field="s", type="nominal", scale=dashes, legend=legend),
    }


def _svg(body: Any, width: float, height: float, description: str) -> bytes:
    styled = body.properties(width=width, height=height, config=alt.Config.from_dict(config(LIGHT)))
    return render.svg(styled.to_dict(), description)


def error_lines(rows: list[dict[str, Any]]) -> Any:
    """Return the expected error of each statistic by ε, on logarithmic scales, for a notebook."""
    log = alt.Scale(type="log", nice=False)
    across = alt.X(field="epsilon", type="quantitative", title="ε", scale=log)
    up = alt.Y(field="error95", type="quantitative", scale=log)
    return _data(rows).mark_line(point=True).encode(x=across, y=up, color=alt.Color(field="statistic", type="nominal"))
