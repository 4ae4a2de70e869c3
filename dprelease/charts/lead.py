"""Picture of a release's lead: the table of its first finding in few marks, each labelled where it stands."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Literal

import altair as alt
from altair.utils.schemapi import debug_mode
from msgspec import UNSET

from dprelease.charts.data import ChartScale, Drawing, draw
from dprelease.charts.domain import cut, extent
from dprelease.charts.marks import DASHES, layer, layered, shaded, text_field
from dprelease.charts.picture import Picture, picture, specified
from dprelease.charts.rows import apart, in_order, rows_chart, wrapped
from dprelease.charts.theme import LETTER, LIGHT, ROWS_NARROW, ROWS_WIDE, WIDTH, RowsSize
from dprelease.model.grade import grades
from dprelease.model.presentation import ChartType, Trait
from dprelease.model.release import TOTAL, Estimates, Release
from dprelease.model.statement import Finding
from dprelease.statements.display import shown
from dprelease.statements.question import StatisticLabel
from dprelease.words.releases import say

MOST = 6
"""Largest number of rows that are drawn."""
MOST_ALONG = 120
"""Largest number of bins or periods that are drawn."""
ABOVE, UNDER = 22, 22
"""Pixels for the labels above and below the marks."""
FIXED: Mapping[str, Any] = {"autosize": {"type": "none"}, "padding": 2}
"""Settings of a picture whose texts have their places."""
FAINT = 0.45
"""Opacity of bars outside the stretch that a finding is about."""


def lead_picture(release: Release) -> Picture | None:
    """Draw the table of the lead, 560 pixels wide; its `narrow` is 334 wide. The same bytes for the same release.

    None where no number can be quoted, the lead is one number or of a model, or the plan asks for no charts.
    """
    certificate = release.certificate
    stated = certificate.statements
    if not stated or stated.lead is None or certificate.is_withheld or not certificate.has_charts:
        return None
    lead = stated.lead
    if lead.way == "number":
        return None
    own = stated.tables[lead.table]
    drawn = _chosen(release, lead.table, next(each for each in own if (each.way, each.axis) == (lead.way, lead.axis)))
    return None if drawn is None else replace(_picture(*drawn, ROWS_WIDE), narrow=_picture(*drawn, ROWS_NARROW))


def table_picture(release: Release, table: str, size: RowsSize) -> Picture:
    """Draw any table at a size as the lead is drawn; as its own chart where it has no such form."""
    stated = release.certificate.statements
    findings = stated.tables.get(table, ()) if stated else ()
    drawn = _chosen(release, table, findings[0] if findings else None)
    return picture(release, table, narrow=size.width < WIDTH / 2) if drawn is None else _picture(*drawn, size)


def _picture(drawing: Drawing, rows: Sequence[Mapping[str, Any]], size: RowsSize) -> Picture:
    with debug_mode(False):
        return specified(drawing.question, _body(drawing, rows, size), (), **FIXED).drawn()


def _chosen(release: Release, name: str, finding: Finding | None) -> tuple[Drawing, Sequence[Mapping[str, Any]]] | None:
    """Return the drawing of a table, and its rows in the order in which they are drawn; None for another form."""
    certificate = release.certificate
    places: Sequence[int]
    table, question = release.tables[name], StatisticLabel.of(certificate, name)
    letters = list(grades(certificate, name, table))
    axis = None if finding is None or finding.axis is UNSET or len(table.axes) == 1 else int(str(finding.axis))
    places = range(len(table))
    if axis is not None:
        table, places = along(table, axis)
        letters = [letters[place] for place in places]
    shown = question.presentation
    if shown.has(Trait.UNLIKE) or shown.has(Trait.RANKED) or shown.look is not ChartType.MARKS:
        return None
    drawing = draw(question, table, letters)
    named: Container[int] = finding.places if finding is not None else ()
    if finding is not None and finding.way == "stretch":
        named = range(min(finding.places), max(finding.places) + 1)
    kept = [place for place, aside in zip(places, question.aside(table), strict=True) if not aside]
    rows = [{**row, "place": place, "named": place in named} for row, place in zip(drawing.rows, kept, strict=True)]
    if drawing.inner is None or all(row["unsure"] or row["value"] is None for row in rows):
        return None
    return drawing, _few(drawing, rows)


def along(table: Estimates, axis: int) -> tuple[Estimates, Sequence[int]]:
    """Return the totals of one key of a table with margins as a table of their own, and their rows in it."""
    places = [
        place
        for place, cells in enumerate(product(*(own.cells for own in table.axes)))
        if all((cell[0] == TOTAL) is (number != axis) for number, cell in enumerate(cells))
    ]
    own = table.axes[axis]
    own = replace(own, cells=tuple(cell for cell in own.cells if cell[0] != TOTAL))
    value, lower, upper = (
        [column[place] for place in places] for column in (table.value, table.lower95, table.upper95)
    )
    return Estimates(axes=(own,), value=value, lower95=lower, upper95=upper), places


def is_along(drawing: Drawing) -> bool:
    """Return True if a drawing has one key, of numbers or days."""
    return drawing.outer is None and drawing.inner is not None and drawing.inner.form in ("numbers", "days")


def _few(drawing: Drawing, rows: Sequence[dict[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Return the rows that are drawn, in their order: those that the finding names, and the greatest of the others."""
    if is_along(drawing) and len(rows) <= MOST_ALONG:
        return rows
    if drawing.outer is not None:
        rows = [{**row, "k0": f"{row['k1']} · {row['k0']}"} for row in rows]

    def rank(row: Mapping[str, Any]) -> tuple[bool, bool, float]:
        return row["aside"], row["unsure"], -(row["value"] if row["value"] is not None else float("-inf"))

    named = [row for row in rows if row["named"]][:MOST]
    rest = sorted((row for row in rows if not row["named"]), key=rank)[: MOST - len(named)]
    return in_order(sorted([*named, *rest], key=lambda row: row["place"]), drawing)


def _body(drawing: Drawing, rows: Sequence[Mapping[str, Any]], size: RowsSize) -> Any:
    question = drawing.question
    if is_along(drawing) and len(rows) <= MOST_ALONG:
        assert drawing.inner is not None
        height = size.along
        if drawing.inner.partial or not question.presentation.has(Trait.ADDITIVE):
            return _line(drawing, drawing.inner, rows, size, height)
        return _bins(drawing, drawing.inner, rows, size, height)
    low, high = question.limits
    told = [question.unit] if question.unit else []
    if len(rows) < len(drawing.rows):
        told.append(say("rows_of_all", rows=len(rows), all=shown(len(drawing.rows))))
    bars = question.presentation.has(Trait.ADDITIVE) or low <= 0 <= high
    return rows_chart(rows, size, bars=bars, note=" · ".join(told))


def _scales(
    drawing: Drawing, along: ChartScale, rows: Sequence[Mapping[str, Any]], size: RowsSize, height: float
) -> tuple[Any, Any, tuple[float, float]]:
    """Return functions that place fields across and up, and the domain of the numbers."""
    domain = extent(rows, zero=True)
    ends = along.spans[0][0], along.spans[-1][1]

    def across(field: str) -> Any:
        scale = alt.Scale(domain=list(ends), range=[0, size.width], nice=False, zero=False)
        return alt.X(field=field, type="quantitative", scale=scale, axis=None)

    def up(field: str) -> Any:
        scale = alt.Scale(domain=list(domain), range=[height - UNDER, ABOVE], nice=False, zero=False)
        return alt.Y(field=field, type="quantitative", scale=scale, axis=None, stack=None)

    return across, up, domain


def _bins(drawing: Drawing, along: ChartScale, rows: Sequence[Mapping[str, Any]], size: RowsSize, height: float) -> Any:
    """Draw bars without gaps, those outside of the finding's stretch faint."""
    across, up, domain = _scales(drawing, along, rows, size, height)
    drawn = [{**cut(row, domain), "zero": 0} for row in rows]
    place = {"x": across("start"), "x2": alt.X2(field="end"), "y": up("zero"), "y2": alt.Y2(field="value")}
    gap = {"xOffset": 0.5, "x2Offset": -0.5}
    stretch = any(row["named"] for row in rows)
    faint: dict[str, Any] = {"opacity": alt.condition("datum.named", alt.value(1), alt.value(FAINT))}
    middle, ends = across("middle"), {"y": up("lower"), "y2": alt.Y2(field="upper")}
    layers = [
        *shaded("bar", drawn, LIGHT.noisy, data=drawn, settings=gap, **(faint if stretch else {}), **place),
        layer(alt.MarkDef("rule", color=LIGHT.ink, strokeWidth=1.25), where="isValid(datum.lower)", x=middle, **ends),
        layer(alt.MarkDef("rule", color=LIGHT.line), [{"zero": 0}], y=up("zero")),
        *_up_arrows(drawn, across, height),
        *_labels(drawn, along, size, height, across, up),
    ]
    return layered(layers, drawn, size.width, height)


def _line(drawing: Drawing, along: ChartScale, rows: Sequence[Mapping[str, Any]], size: RowsSize, height: float) -> Any:
    """Draw a line in the band of its intervals; periods that the bounds cut are hollow points that no line joins."""
    across, up, domain = _scales(drawing, along, rows, size, height)
    drawn = [{**cut(row, domain), "partial": row.get("partial", False)} for row in rows]
    single = [{**row, **({} if _joined(row) else dict.fromkeys(("value", "lower", "upper")))} for row in drawn]
    x, ends = across("middle"), {"y": up("lower"), "y2": alt.Y2(field="upper")}
    hollow: dict[str, Any] = {"filled": True, "fill": LIGHT.paper, "size": 60, "strokeWidth": 1.5, "opacity": 1}
    line = alt.MarkDef("line", color=LIGHT.noisy, strokeWidth=2, invalid="break-paths-show-path-domains")
    few = len(rows) <= 31
    layers = [
        layer(alt.MarkDef("area", color=LIGHT.noisy, opacity=0.18, invalid=line.invalid), single, x=x, **ends),
        layer(line, single, x=x, y=up("value")),
        *(
            [
                layer(
                    alt.MarkDef("point", color=LIGHT.noisy, filled=True, size=26, opacity=1), single, x=x, y=up("value")
                )
            ]
            if few
            else []
        ),
        layer(
            alt.MarkDef("point", stroke=LIGHT.noisy, **hollow),
            [row for row in drawn if _is_part(row)],
            x=x,
            y=up("value"),
        ),
        layer(
            alt.MarkDef("point", stroke=LIGHT.muted, strokeDash=DASHES, **hollow),
            [row for row in drawn if row["unsure"] and row["value"] is not None],
            x=x,
            y=up("value"),
        ),
        layer(alt.MarkDef("rule", color=LIGHT.line), [{"zero": 0}], y=up("zero")),
        *_up_arrows(drawn, across, height),
        *_labels(drawn, along, size, height, across, up),
    ]
    return layered(layers, drawn, size.width, height)


def _joined(row: Mapping[str, Any]) -> bool:
    return not row["unsure"] and not row["partial"] and row["value"] is not None


def _is_part(row: Mapping[str, Any]) -> bool:
    return bool(row["partial"]) and not row["unsure"] and row["value"] is not None


def _up_arrows(rows: Sequence[Mapping[str, Any]], across: Any, height: float) -> list[Any]:
    """Return 6-pixel arrows at the frame where a number or an interval goes beyond it."""
    beyond = [{"middle": row["middle"]} for row in rows if row["over"]]
    arrow = alt.MarkDef("point", filled=True, color=LIGHT.muted, shape="triangle-up", size=44, opacity=1)
    return [layer(arrow, beyond, x=across("middle"), y=alt.value(ABOVE - 4))] if beyond else []


def _hides(row: Mapping[str, Any], other: Mapping[str, Any], half: float) -> bool:
    """Return True if the label of a row, so wide to each side, would stand on another row's mark."""
    if other is row or other["value"] is None or not other["start"] - half < row["middle"] < other["end"] + half:
        return False
    return bool(other["value"] > (row["value"] if row["upper"] is None else row["upper"]))


def _labels(
    rows: Sequence[Mapping[str, Any]], along: ChartScale, size: RowsSize, height: float, across: Any, up: Any
) -> list[Any]:
    """Return the numbers that fit above the marks, the greatest first, and three labels below."""
    start, end = along.spans[0][0], along.spans[-1][1]

    scale = size.width / ((end - start) or 1)

    def pixel(row: Mapping[str, Any], width: float) -> float:
        return float(min(max((row["middle"] - start) * scale, width / 2), size.width - width / 2))

    quotable = [row for row in rows if row["value"] is not None and not row["unsure"]]
    ranked = sorted(quotable, key=lambda row: -float(row["value"]))
    if along.partial:  # of a line: the greatest, the least, and both ends
        ranked = [*ranked[:1], *ranked[-1:], *quotable[-1:], *quotable[:1]]
    sized = [(row, len(row["label"]) * size.text * LETTER) for row in ranked]
    sized = [(row, width) for row, width in sized if not any(_hides(row, each, width / 2 / scale) for each in rows)]
    kept = [sized[at] for at in apart([(pixel(row, width), width) for row, width in sized])]
    above = [
        {
            "middle": start + pixel(row, width) / scale,
            "tip": row["value"] if row["upper"] is None else row["upper"],
            "label": row["label"],
        }
        for row, width in kept
    ]
    text = alt.MarkDef("text", baseline="bottom", dy=-4, fontSize=size.text, fontWeight="bold", color=LIGHT.ink)
    found = [layer(text, above, x=across("middle"), y=up("tip"), text=text_field(alt.Text, "label"))]
    names: list[tuple[Literal["left", "center", "right"], int, float]] = [
        ("left", 0, 0.0),
        ("center", len(rows) // 2, size.width / 2),
        ("right", len(rows) - 1, size.width),
    ]
    for align, at, place in names if len(rows) > 2 else names[:1] + names[2:]:
        below = alt.MarkDef("text", align=align, baseline="bottom", fontSize=size.small, color=LIGHT.muted)
        middle = pixel(rows[at], 0) if align == "center" else place
        name = wrapped(along.labels[at], size.width / 3 - 8, size.small, 1)
        found.append(
            layer(below, [{"k": name}], x=alt.value(middle), y=alt.value(height - 2), text=text_field(alt.Text, "k"))
        )
    return found
