"""A table through the editions of a series as lines: solid between editions that measure the same, dashed over a break.

Import late: Altair and V8 take a second to load.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dprelease.charts import render
from dprelease.charts.grammar import alt
from dprelease.charts.theme import LIGHT, WIDTH, config
from dprelease.portal.trend import MOST_LINES, Trend
from dprelease.portal.words import tell
from dprelease.words.phrases import visible

HEIGHT = 320
LONGEST = 40
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")


def picture(trend: Trend) -> bytes:
    """The SVG. Lines are told apart by shape and by dashes of their own, not by colour alone."""
    names, rows = once(point.edition for point in trend.points), list(trend.rows())[:MOST_LINES]
    labels, points, lines = once(label for label, _ in rows), [], []
    for shown, (_, cells) in zip(labels, rows, strict=True):
        for place, cell in enumerate(cells):
            if cell is None or not isinstance(cell[0], int | float):
                continue
            points.append({"e": names[place], "s": shown, "value": cell[0], **_ends(cell[1], cell[2])})
            before = cells[place - 1] if place else None
            if before is not None and isinstance(before[0], int | float):
                broken, part = trend.breaks[place - 1] is not None, f"{shown} {place}"
                ends = ((place - 1, before[0]), (place, cell[0]))
                lines += [{"e": names[at], "s": shown, "p": part, "b": broken, "value": value} for at, value in ends]
    body = alt.layer(*_layers(points, lines, names, labels, visible(trend.measure, LONGEST)))
    body = body.properties(width=WIDTH, height=HEIGHT, config=alt.Config.from_dict(config(LIGHT)))
    description = tell("series_chart", question=trend.question)
    return render.svg(body.to_dict(), description)


def once(texts: Iterable[str]) -> list[str]:
    """Texts as they are drawn, those that look alike numbered."""
    found: list[str] = []
    for text in texts:
        name, number = visible(text, LONGEST), 2
        free = name
        while free in found:
            free, number = f"{name} ({number})", number + 1
        found.append(free)
    return found


def _ends(lower: Any, upper: Any) -> dict[str, Any]:
    both = isinstance(lower, int | float) and isinstance(upper, int | float)
    return {"lower": lower, "upper": upper} if both else {}


def _layers(
    points: list[dict[str, Any]], lines: list[dict[str, Any]], names: list[str], labels: list[str], measure: str
) -> list[Any]:
    x = alt.X(
        field="e", type="ordinal", title=None, sort=names, scale=alt.Scale(domain=names), axis=alt.Axis(labelAngle=0)
    )
    y = alt.Y(field="value", type="quantitative", title=measure, axis=alt.Axis(tickCount=6))
    legend = alt.Legend(title=None, orient="top", labelLimit=WIDTH - 40) if len(labels) > 1 else None
    shape = alt.Shape(
        field="s", type="nominal", sort=labels, scale=alt.Scale(domain=labels, range=list(SHAPES)), legend=legend
    )
    dash = alt.StrokeDash(
        field="b", type="nominal", scale=alt.Scale(domain=[False, True], range=[[1, 0], [5, 5]]), legend=None
    )
    line = _of(lines).mark_line(color=LIGHT.accent, strokeWidth=2)
    rule = _of([each for each in points if "lower" in each]).mark_rule(color=LIGHT.ink, strokeWidth=1)
    mark = _of(points).mark_point(filled=True, size=70, color=LIGHT.noisy, opacity=1)
    return [
        line.encode(x=x, y=y, detail=alt.Detail(field="p", type="nominal"), strokeDash=dash),
        rule.encode(x=x, y=alt.Y(field="lower", type="quantitative", title=measure), y2=alt.Y2(field="upper")),
        mark.encode(x=x, y=y, shape=shape),
    ]


def _of(rows: list[dict[str, Any]]) -> Any:
    return alt.Chart(alt.InlineData(values=rows))
