"""Rows with direct labels: name left, bar with its interval, number right; without axis, grid or legend."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from dprelease.charts.data import Drawing
from dprelease.charts.domain import cut, extent
from dprelease.charts.marks import layer, layered, shaded, text_field
from dprelease.charts.theme import LETTER, LIGHT, RowsSize
from dprelease.model.grade import Grade
from dprelease.model.presentation import Trait
from dprelease.words.releases import say

Row = Mapping[str, Any]
GREY = 0.6
"""Opacity of rows that are no category of their own: other values, and no answer."""


def alike(rows: Sequence[Row]) -> str:
    """Return the margin that all rows have, where it is one for all of several; else nothing."""
    margins = {row["margin"] if row["range"] else "" for row in rows if row["value"] is not None}
    return margins.pop() if len(margins) == 1 and len(rows) > 1 and not any(row["unsure"] for row in rows) else ""


def in_order(rows: Sequence[Row], drawing: Drawing) -> list[Row]:
    """Return rows as they are read: the greatest first where categories have no order of their own, others last."""
    question = drawing.question
    listed = [question.columns.get(name) for name in question.names]
    ordered = question.levels or None in listed or question.presentation.has(Trait.RANKED)
    ordered = ordered or any(row["k0"][:1].isdigit() for row in rows)

    def rank(row: Row) -> tuple[bool, float]:
        return row["aside"], 0.0 if ordered or row["value"] is None else -float(row["value"])

    return sorted(rows, key=rank)


def rows_chart(rows: Sequence[Row], size: RowsSize, *, bars: bool, note: str = "") -> alt.LayerSpec:
    """Draw rows: bars from zero, else points. `k0` of a row is its name, `aside` true where it is grey."""
    domain, (left, right) = extent(rows, zero=bars), size.frame
    if not bars:
        room = (domain[1] - domain[0]) * 0.06
        domain = (domain[0] - room, domain[1] + room)
    margin = alike(rows)
    note = " · ".join(filter(None, (note, say("each", margin=margin) if margin else "")))
    depth = size.small * 1.7 if note else 0
    height = len(rows) * min(size.row, (size.most - depth) / len(rows))
    drawn = [
        {**cut(row, domain), "name": wrapped(row["k0"], size.names, size.text), "at": at, "zero": 0, **_below(row)}
        for at, row in enumerate(rows)
    ]

    def across(channel: Any, field: str) -> Any:
        scale = alt.Scale(domain=list(domain), range=[left, right], nice=False, zero=False)
        return channel(field=field, type="quantitative", scale=scale, axis=None)

    vertical = alt.Scale(domain=[-0.5, len(rows) - 0.5], range=[0, height], nice=False, zero=False)
    place: dict[str, Any] = {"y": alt.Y(field="at", type="quantitative", scale=vertical, axis=None)}
    ends: dict[str, Any] = {"x": across(alt.X, "lower"), "x2": alt.X2(field="upper")}
    layers, above = list[Any](), list[Any]()
    for colour, opacity, is_grey in ((LIGHT.noisy, 1.0, False), (LIGHT.muted, GREY, True)):
        own = [row for row in drawn if row.get("aside", False) is is_grey]
        if own and bars:
            look = {"size": min(18.0, size.row * 0.45), "opacity": opacity}
            along = {"x": across(alt.X, "zero"), "x2": alt.X2(field="value")}
            layers += shaded("bar", own, colour, data=own, settings=look, **along, **place)
        elif own:
            look = {"filled": True, "size": 80, "opacity": opacity}
            above += shaded("point", own, colour, data=own, settings=look, x=across(alt.X, "value"), **place)
    layers += [
        layer(alt.MarkDef("rule", color=LIGHT.paper, strokeWidth=4), where="isValid(datum.lower)", **ends, **place),
        layer(alt.MarkDef("rule", color=LIGHT.ink, strokeWidth=1.5), where="isValid(datum.lower)", **ends, **place),
        *above,
        *_arrows(drawn, place, left, right),
    ]
    if domain[0] < 0 < domain[1] and bars:
        layers.append(layer(alt.MarkDef("rule", color=LIGHT.line), [{"zero": 0}], x=across(alt.X, "zero")))
    name = alt.MarkDef("text", align="left", baseline="middle", fontSize=size.text, color=LIGHT.ink, lineBreak="\n")
    name.limit, name.lineHeight = size.names, size.text
    layers.append(layer(name, x=alt.value(0), text=text_field(alt.Text, "name"), **place))
    layers += list(_numbers(drawn, size, place, is_said="" if margin else "below"))
    if note:
        text = alt.MarkDef("text", align="right", baseline="bottom", fontSize=size.small, color=LIGHT.muted)
        text.text = note
        layers.append(layer(text, [{"zero": 0}], x=alt.value(size.width), y=alt.value(height + depth - 1)))
    return layered(layers, drawn, size.width, height + depth)


def _below(row: Row) -> dict[str, str]:
    """Return the words below a number: its interval, or why it has none to quote."""
    if row["grade"] is Grade.UNRELIABLE:
        return {"below": say("too_noisy")}
    unknown = row["value"] is not None and not row["solid"] and row["grade"] is not Grade.NONE
    return {"below": say("range_unknown") if unknown else row["range"]}


def _arrows(rows: Sequence[Row], place: Mapping[str, Any], left: float, right: float) -> Sequence[Any]:
    """Return 6-pixel arrows at the frame, where a number or an interval goes beyond it."""
    found = []
    for side, x, shape in (("over", right, "triangle-right"), ("under", left, "triangle-left")):
        if beyond := [{"at": row["at"]} for row in rows if row[side]]:
            arrow = alt.MarkDef("point", filled=True, color=LIGHT.muted, shape=shape, size=44, opacity=1)
            found.append(layer(arrow, beyond, x=alt.value(x + (3 if side == "over" else -3)), **place))
    return found


def _numbers(rows: Sequence[Row], size: RowsSize, place: Mapping[str, Any], *, is_said: str) -> Sequence[Any]:
    """Return the numbers at the right, each over its interval unless that is said once for all."""
    lift = size.small * 0.58
    look: dict[str, Any] = {"align": "right", "baseline": "middle", "limit": size.numbers}
    found = []
    for double in (False, True):
        own = [row for row in rows if bool(is_said and row[is_said]) is double]
        if not own:
            continue
        number = alt.MarkDef("text", fontSize=size.text, fontWeight="bold", color=LIGHT.ink, **look)
        number.dy = -lift if double else 0
        keep = [{name: row[name] for name in ("at", "label", "below")} for row in own]
        found.append(layer(number, keep, x=alt.value(size.width), text=text_field(alt.Text, "label"), **place))
        if double:
            small = alt.MarkDef("text", fontSize=size.small, color=LIGHT.muted, dy=lift * 1.25, **look)
            found.append(layer(small, keep, x=alt.value(size.width), text=text_field(alt.Text, "below"), **place))
    return found


def wrapped(text: str, width: float, size: float, lines: int = 2) -> str:
    """Break a text to so many lines of a width in pixels, cut with an ellipsis where it is longer."""
    letters = max(4, int(width / (size * LETTER)))
    found = textwrap.wrap(text.replace("\n", " "), letters) or [text]
    if len(found) > lines:
        found = [*found[: lines - 1], f"{found[lines - 1][: letters - 1].rstrip()}…"]
    return "\n".join(found)


def apart(places: Sequence[tuple[float, float]], gap: float = 4) -> list[int]:
    """Return the places (middle, width), first come first kept, whose texts do not overlap one kept before."""
    kept: list[int] = []
    for number, (middle, width) in enumerate(places):
        if all(abs(middle - places[each][0]) >= (width + places[each][1]) / 2 + gap for each in kept):
            kept.append(number)
    return kept
