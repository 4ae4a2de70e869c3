"""Pictures of a preview that are not bars: box plots, matrices, maps of error, other outcomes, equally likely dots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from dprelease.bundle.chart_style import LIGHT, WIDTH
from dprelease.bundle.display import margin, shown
from dprelease.bundle.question import Question
from dprelease.model.presentation import Trait
from dprelease.model.release import Estimates
from dprelease.ui.kit.charts import DRAWN, LABEL, NOISY, TRUE, Face, inline, short
from dprelease.ui.words import say
from dprelease.words.phrases import visible
from dprelease.workspace.outcomes import relative, stacked

FIVE = 5
INK = "#0b0c0d"
"""Text on coloured cells, light and dark alike: other than the ink that dark pages swap."""
PALE = "#f4f1ec"
STEPS = ((0.1, "low", "#f4f1ec"), (0.25, "middle", "#fdd0a2"), (0.5, "high", "#f8964a"))
"""Up to which share of the value half an interval is how bad."""
WORST = ("worst", "#d9560b")
MOST_BOXES = 20
MOST_COLUMNS = 12
MOST_MAPPED = 900
MOST_LABELLED = 150
PANELS = 6
MOST_OUTCOMES = 12
"""Listed cells in one small picture."""
MOST_BINS = 200
SMALL = 190


def boxes(face: Face, asked: Question, true: Estimates, noisy: Estimates) -> bytes | None:
    """Five numbers as two boxes a group: hollow the truth, filled a draw. Whiskers end at the outer quantiles."""
    series = (face.say("series_true"), say("series_noisy_plain"))
    drawings = [face.drawing(asked.id, table) for table in (true, noisy)]
    rows = []
    for name, drawing in zip(series, drawings, strict=True):
        for start in range(0, len(drawing.rows), FIVE):
            five = drawing.rows[start : start + FIVE]
            numbers = [row["value"] for row in five]
            if None not in numbers:
                label = visible(five[0]["k1"])[:LABEL] or asked.measure
                ends = dict(zip(("low", "first", "middle", "third", "high"), numbers, strict=True))
                rows.append({"s": name, "label": label, **ends})
    labels = list(dict.fromkeys(row["label"] for row in rows))
    if not 0 < len(labels) <= MOST_BOXES or len(rows) != 2 * len(labels):
        return None
    days = drawings[0].in_days
    scale = alt.Scale(type="utc", zero=False) if days else alt.Scale(zero=False, nice=True)
    value: dict[str, Any] = {"type": "temporal" if days else "quantitative", "title": asked.measure, "scale": scale}
    axis = alt.Axis(ticks=False, domain=False, labels=len(labels) > 1, labelLimit=260)
    bands = alt.Scale(domain=labels, paddingInner=0.35, paddingOuter=0.2)
    inner = alt.Scale(domain=list(series), paddingInner=0.3)
    place = {
        "y": alt.Y(field="label", type="nominal", title=None, scale=bands, axis=axis),
        "yOffset": alt.YOffset(field="s", type="nominal", scale=inner),
    }
    colours = alt.Scale(domain=list(series), range=[TRUE, NOISY])
    legend = alt.Legend(title=None, orient="top", direction="vertical", labelLimit=500)
    colour = alt.Color(field="s", type="nominal", scale=colours, legend=legend)
    stroke = alt.Stroke(field="s", type="nominal", scale=colours, legend=None)

    def spanned(chart: Any, first: str, last: str, **more: Any) -> Any:
        return chart.encode(x=alt.X(field=first, **value), x2=alt.X2(field=last), **place, **more)

    whiskers = spanned(inline(rows).mark_rule(strokeWidth=1.5), "low", "high", color=colour)
    backs = spanned(inline(rows).mark_bar(color=LIGHT.paper), "first", "third")
    layers = [whiskers, backs]
    for name, opacity in zip(series, (0.12, 0.55), strict=True):
        part = inline([row for row in rows if row["s"] == name])
        layers.append(
            spanned(part.mark_bar(fillOpacity=opacity, strokeWidth=1.5), "first", "third", color=colour, stroke=stroke)
        )
    medians = inline(rows).mark_tick(thickness=3, color=LIGHT.ink)
    layers.append(medians.encode(x=alt.X(field="middle", **value), **place))
    height = max(220, 70 * len(labels))
    return face.finished(alt.layer(*layers).properties(width=WIDTH - 160, height=height), asked.text)


def matrices(face: Face, asked: Question, true: Estimates, noisy: Estimates) -> bytes | None:
    """Two matrices beside each other, with their numbers; of correlations also coloured."""
    drawings = [face.drawing(asked.id, table) for table in (true, noisy)]
    inner, outer = drawings[0].inner, drawings[0].outer
    if inner is None or outer is None or len(inner) > MOST_COLUMNS:
        return None
    names = (face.say("true"), say("noisy"))
    parts = []
    for name, drawing in zip(names, drawings, strict=True):
        rows = [
            {"x": visible(row["k0"])[:16], "y": visible(row["k1"])[:16], "v": row["value"], "t": _number(row["value"])}
            for row in drawing.rows
        ]
        order = list(dict.fromkeys(row["x"] for row in rows))
        if len(order) < len(inner):
            return None
        axis = alt.Axis(labelAngle=0 if len(order) <= 4 else -45, ticks=False, domain=False)
        across = alt.X(field="x", type="nominal", sort=order, title=name, axis=axis)
        down = alt.Y(field="y", type="nominal", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False))
        shades = alt.Scale(domain=[-1, 0, 1], range=["#6db3dc", PALE, "#f19a5c"])
        fill = alt.Color(field="v", type="quantitative", scale=shades, legend=None)
        base = inline(rows)
        cells = base.mark_rect(stroke=LIGHT.line, fill=PALE).encode(x=across, y=down)
        if asked.presentation.has(Trait.SIGNED):
            cells = base.mark_rect(stroke=LIGHT.line).encode(x=across, y=down, color=fill)
        text = base.mark_text(fontSize=13, fill=INK).encode(x=across, y=down, text=alt.Text(field="t", type="nominal"))
        parts.append(alt.layer(cells, text).properties(width=280, height=280))
    return face.finished(alt.hconcat(*parts, spacing=40), asked.text)


def _number(value: Any) -> str:
    return shown(float(f"{value:.3g}")) if isinstance(value, int | float) else ""


def error_map(face: Face, asked: Question, noisy: Estimates) -> bytes | None:
    """Draws for a table with two keys how large half of each interval is beside the value, in four steps."""
    if (
        not asked.presentation.has(Trait.ADDITIVE)
        or len(noisy.axes) != 2
        or min(len(axis.cells) for axis in noisy.axes) < 2
        or len(noisy) > MOST_MAPPED
    ):
        return None
    shares, drawing = relative(noisy), face.drawing(asked.id, noisy)
    if None in shares or drawing.inner is None or drawing.outer is None:
        return None
    rows = []
    for row, share in zip(drawing.rows, shares, strict=True):
        assert share is not None
        step = next((name for most, name, _ in STEPS if share <= most), WORST[0])
        text = "" if share > 9.99 else say("percent_margin", number=margin(100 * share))
        rows.append({"x": visible(row["k0"])[:20], "y": visible(row["k1"])[:20], "s": say(f"error_{step}"), "t": text})
    across, down = (list(dict.fromkeys(row[name] for row in rows)) for name in ("x", "y"))
    if len(across) * len(down) < len(rows):
        return None
    if len(across) > len(down) * 2 and len(across) > 12:  # the longer key goes down, where there is room
        across, down = down, across
        rows = [{**row, "x": row["y"], "y": row["x"]} for row in rows]
    domain = [say(f"error_{name}") for _, name, _ in STEPS] + [say(f"error_{WORST[0]}")]
    scale = alt.Scale(domain=domain, range=[colour for *_, colour in STEPS] + [WORST[1]])
    legend = alt.Legend(title=say("error_map_legend"), orient="top", labelLimit=300, titleLimit=700, columns=2)
    angle = 0 if len(across) <= 6 else -45
    x = alt.X(field="x", type="nominal", sort=across, title=None, axis=alt.Axis(labelAngle=angle, ticks=False))
    y = alt.Y(field="y", type="nominal", sort=down, title=None, axis=alt.Axis(ticks=False))
    colour = alt.Color(field="s", type="nominal", scale=scale, legend=legend)
    layers = [inline(rows).mark_rect(stroke=LIGHT.line).encode(x=x, y=y, color=colour)]
    if len(rows) <= MOST_LABELLED:
        text = inline(rows).mark_text(fontSize=12, fill=INK)
        layers.append(text.encode(x=x, y=y, text=alt.Text(field="t", type="nominal")))
    size = {"width": WIDTH - 160, "height": max(120, min(900, 34 * len(down)))}
    return face.finished(alt.layer(*layers).properties(**size), asked.text)


def outcomes(face: Face, asked: Question, draws: Sequence[Estimates], first: int, cells: Sequence[int]) -> bytes | None:
    """Several draws, each as readers might see it alone; listed cells only as far as `cells` names them."""
    drawings = [face.drawing(asked.id, table) for table in draws]
    inner = drawings[0].inner
    if inner is None or any(drawing.picture not in DRAWN for drawing in drawings):
        return None
    spans = drawings[0].outer is None and inner.form in ("numbers", "days") and len(inner) <= MOST_BINS
    rows = list(_outcome_rows(drawings, first, None if spans else cells[:MOST_OUTCOMES]))
    days = inner.form == "days"
    scale = (
        alt.Scale(type="utc", zero=False)
        if drawings[0].in_days
        else alt.Scale(zero=asked.presentation.has(Trait.ADDITIVE))
    )
    measured = "temporal" if drawings[0].in_days else "quantitative"
    value: dict[str, Any] = {
        "type": measured,
        "title": None,
        "scale": scale,
        "axis": alt.Axis(tickCount=3, labelOverlap="greedy", labelSeparation=8),
    }
    whole = asked.presentation.has(Trait.ADDITIVE)
    if spans:
        along: dict[str, Any] = {"type": "temporal" if days else "quantitative", "title": None}
        narrow = alt.Scale(type="utc", nice=False) if days else alt.Scale(zero=False, nice=False)
        axis = alt.Axis(grid=False, tickCount=4)
        x = alt.X(field="start", scale=narrow, axis=axis, **along)
        base = inline(rows).mark_bar(color=NOISY, xOffset=0.5, x2Offset=-0.5)
        chart = base.encode(x=x, x2=alt.X2(field="end"), y=alt.Y(field="value", **value), y2=alt.Y2(datum=0))
    else:
        order = list(dict.fromkeys(row["label"] for row in rows))
        if len(order) * len(drawings) < len(rows):
            return None
        y = alt.Y(field="label", type="nominal", sort=order, title=None, axis=alt.Axis(ticks=False, labelLimit=130))
        mark = (
            inline(rows).mark_bar(color=NOISY) if whole else inline(rows).mark_point(color=NOISY, filled=True, size=60)
        )
        chart = mark.encode(x=alt.X(field="value", **value), y=y)
    names = list(dict.fromkeys(row["draw"] for row in rows))
    height = 120 if spans else max(60, 22 * min(len(cells), MOST_OUTCOMES))
    facet = alt.Facet(field="draw", type="nominal", sort=names, title=None)
    return face.finished(chart.properties(width=SMALL, height=height).facet(facet, columns=3), asked.text)


def _outcome_rows(drawings: Sequence[Any], first: int, cells: Sequence[int] | None) -> Iterator[dict[str, Any]]:
    for number, drawing in enumerate(drawings, start=first + 1):
        for place in range(len(drawing.rows)) if cells is None else sorted(cells):
            row = drawing.rows[place]
            span = {name: row[name] for name in ("start", "end") if name in row}
            yield {"draw": say("outcome", number=number), "label": short(row), "value": row["value"], **span}


def dot_plot(face: Face, asked: Question, dots: Sequence[float], true: float) -> bytes:
    """Twenty dots, each as likely as another, and where the truth lies (quantile dot plot, Kay et al. 2016)."""
    rows = [{"x": x, "y": y} for x, y in stacked(dots)]
    tallest = max(row["y"] for row in rows)
    x: dict[str, Any] = {"type": "quantitative", "title": asked.measure, "scale": alt.Scale(zero=False, nice=True)}
    y = alt.Y(field="y", type="quantitative", axis=None, scale=alt.Scale(domain=[0.2, max(tallest, 6) + 1]))
    points = inline(rows).mark_point(shape="circle", filled=True, size=260, opacity=1, color=NOISY)
    line = inline([{"x": true}]).mark_rule(color=TRUE, strokeDash=[5, 3], strokeWidth=2)
    name = inline([{"x": true, "t": face.say("true")}]).mark_text(dy=-4, baseline="bottom", color=TRUE, fontSize=13)
    layers = [
        points.encode(x=alt.X(field="x", **x), y=y),
        line.encode(x=alt.X(field="x", **x)),
        name.encode(x=alt.X(field="x", **x), y=alt.value(2), text=alt.Text(field="t", type="nominal")),
    ]
    return face.finished(alt.layer(*layers).properties(width=WIDTH - 160, height=190), asked.text)
