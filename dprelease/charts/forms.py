"""Forms of charts for one kind of statistic each: stairs, boxes, lists of answers, matrices, spans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

import altair as alt

from dprelease.charts.data import ChartScale, drawn
from dprelease.charts.marks import (
    BAR,
    CHARACTER,
    LABELLED,
    LINES,
    ROW,
    SHORT,
    SOLID,
    UNSURE,
    Marks,
    layer,
    layered,
    limited,
    room_beside,
    text_field,
    unlimited,
)
from dprelease.model.encoding import plain
from dprelease.model.presentation import Trait
from dprelease.model.release import Cell

FIVE = "abcde"
"""Fields of five numbers, smallest first."""
ABOVE = "ace"
"""Fields of numbers written above a single box; the others stand below."""
FEW = 6
"""Largest number of answers that are written larger."""
ANSWER, COUNT = 24, 300
"""Horizontal places of the answers of a list, and of the counts beside them."""
ENDS_OF_ROWS = ("value", "lower", "upper", "left", "right")
"""Fields of all numbers that a row of a model's chart has."""
THICK = 4.0
"""Pixels of the line of noise alone, over the thin one of noise and sampling."""
CLEAR, FAINT = 0.4, 0.14
"""Opacity of a band that does not cover 0, and of one that does."""
ENDS = (("lower", "k0"), ("upper", "k1"))
"""Fields of two bounds, and of their texts."""


class Forms(Marks):
    """Maker of these forms for one drawing in one palette."""

    by_bin = False
    """True if listed rows are the bins of columns, drawn as steps with bands."""
    has_pale = False
    """True if some band is pale, which a note has to explain."""

    def listed(self, along: ChartScale, field: str, width: float) -> Any:
        """Draw rows of labels: bins of columns one below another as steps with bands."""
        return self._ladder(along, field, width) if self.by_bin else super().listed(along, field, width)

    def _ladder(self, along: ChartScale, field: str, width: float) -> Any:
        """Draw a step across each bin's row, in the band of its interval, which is pale where it covers 0."""
        labels = _apart(along.labels)
        domain, place, height = self._beside_labels(self.rows, along, field, width, labels)
        step, clear = height / len(labels), "datum.lower > 0 || datum.upper < 0"
        band = alt.MarkDef("bar", color=self.palette.noisy, size=step * 0.9)
        ends = {"x": self._value(alt.X, "lower", domain, bar=True), "x2": alt.X2(field="upper")}
        self._note_unsure()
        self.has_pale = any(row["lower"] is not None and row["lower"] <= 0 <= row["upper"] for row in self.rows)
        line = alt.MarkDef("tick", color=self.palette.noisy, thickness=3, size=step * 0.9, opacity=1)
        value = {"x": self._value(alt.X, "value", domain)}
        fill = alt.condition(UNSURE, alt.value(self.palette.muted), alt.value(self.palette.noisy))
        layers = [
            self._zero(alt.X),
            layer(
                band,
                where="isValid(datum.lower)",
                **ends,
                **place,
                opacity=alt.condition(clear, alt.value(CLEAR), alt.value(FAINT)),
            ),
            layer(line, **value, **place, fill=fill),
        ]
        if len(self.drawing.rows) <= LABELLED:
            layers.append(self._beside(alt.X, domain, place))
        return layered(layers, self.rows, width, height)

    def forest(self, rows: Sequence[Mapping[str, Any]], along: ChartScale) -> Any:
        """Draw a row for each slope: its interval of noise thick, and below it, thin, that of noise and sampling."""
        tips = [[row[end] for end in ("value", "upper", "right") if row.get(end) is not None] for row in rows]
        rows = [{**row, "tip": max(each, default=None)} for row, each in zip(rows, tips, strict=True)]
        domain, place, height = self._beside_labels(
            rows, along, "k0", room_beside(along, self.room), list(along.labels)
        )
        rule = alt.MarkDef("rule", color=self.palette.ink, strokeWidth=1.25)
        thick = alt.MarkDef("rule", color=self.palette.line, strokeWidth=THICK)
        ends = [
            {"x": self._value(alt.X, one, domain), "x2": alt.X2(field=other)}
            for one, other in (("left", "right"), ("lower", "upper"))
        ]
        layers = [
            self._zero(alt.X),
            layer(thick, where="isValid(datum.lower)", **ends[1], **place),
            layer(rule, where="isValid(datum.left)", **ends[0], **place),
            *self._points(x=self._value(alt.X, "value", domain), **place),
        ]
        if len(rows) <= LABELLED:
            layers.append(self._beside(alt.X, domain, place))
        return layered(layers, rows, room_beside(along, self.room), height)

    def _beside_labels(
        self, rows: Sequence[Mapping[str, Any]], along: ChartScale, field: str, width: float, labels: Sequence[str]
    ) -> tuple[tuple[float, float], dict[str, Any], float]:
        """Return the scale of values with 0 and room for numbers, a row for each label, and the height of all."""
        numbers = [row[end] for row in rows for end in ENDS_OF_ROWS if row.get(end) is not None]
        low, high = min([*numbers, 0.0]), max([*numbers, 0.0])
        across = (high - low) or 1.0
        longest = self._label_width() if len(rows) <= LABELLED else 0.0
        beyond = across * (longest + 16) / max(width - longest, 60)
        height = max(self.room.height, ROW * len(labels) * (1.3 if along.widest > SHORT * 3 else 1))
        limit = limited(labels, self.room.labels)
        axis = alt.Axis(ticks=False, domain=False, labelLimit=limit, labelExpr=LINES)
        scale = alt.Scale(domain=list(labels))
        place = {"y": alt.Y(field=field, type="nominal", title=None, scale=scale, axis=axis)}
        return (low - across * 0.04, high + beyond), place, height

    def stairs(self, along: ChartScale) -> Any:
        """Draw shares that grow from 0 to 1, with their intervals as a band."""
        lower = self._lower_end(along)
        first = {**self.drawing.rows[0], "start": lower, "value": 0, "lower": 0, "upper": 0}
        rows = [first, *self.drawing.rows] if lower < along.spans[0][0] else self.drawing.rows
        place = {"x": self._along(along, "start", first=lower)}
        band = alt.MarkDef("area", color=self.palette.noisy, opacity=0.3, interpolate="step-after")
        step = alt.MarkDef("line", color=self.palette.noisy, strokeWidth=1.5, interpolate="step-after")
        value, low = (self._value(alt.Y, name, (0, 1.02), bar=True) for name in ("value", "lower"))
        layers = [
            layer(band, y=low, y2=alt.Y2(field="upper"), **place),
            layer(step, y=value, **place),
        ]
        return layered(layers, rows, self.room.width, self.room.height)

    def periods(self, along: ChartScale, width: float, height: float) -> Any:
        """Draw a line through calendar periods, their intervals as a band; hollow points where one is cut."""
        domain = self._domain(room=0.04)
        place = {"x": self._along(along, "start")}
        band = alt.MarkDef("area", color=self.palette.noisy, opacity=0.3)
        line = alt.MarkDef("line", color=self.palette.noisy, strokeWidth=1.5)
        value, lower = (self._value(alt.Y, name, domain, bar=True) for name in ("value", "lower"))
        apart = [row["partial"] or row["unsure"] for row in self.rows]
        nothing = dict.fromkeys(("value", "lower", "upper"))
        joined = [{**row, **nothing} if alone else row for row, alone in zip(self.rows, apart, strict=True)]
        layers = [
            layer(band, joined if any(apart) else None, y=lower, y2=alt.Y2(field="upper"), **place),
            layer(line, joined if any(apart) else None, y=value, **place),
            *self._points(y=value, **place),
            *self._arrows(alt.Y, domain, place),
        ]
        return layered(layers, self.rows, width, height)

    def against(self, across: Sequence[Cell], title: str) -> Any:
        """Draw shares over other shares of the same rows: points on a line from (1, 1) to (0, 0) in row order,
        with intervals."""
        rows = [{**row, "start": share} for row, share in zip(self.rows, across, strict=True)]
        axis, domain = alt.Axis(grid=False, tickCount=6, **unlimited(title, (0, 1))), (0.0, 1.02)
        scale = alt.Scale(domain=[0, 1])
        place: dict[str, Any] = {"x": alt.X(field="start", type="quantitative", title=title, axis=axis, scale=scale)}
        value = {"y": self._value(alt.Y, "value", domain)}
        line = alt.MarkDef("line", color=self.palette.noisy, strokeWidth=1.5)
        corners = [{"start": end, "value": end, "i": at} for end, at in ((1, -1), (0, len(rows)))]
        points = [corners[0], *({name: row[name] for name in ("start", "value", "i")} for row in rows), corners[1]]
        layers = [
            layer(line, points, **place, **value, order=alt.Order(field="i", type="quantitative")),
            self._rule(alt.Y, alt.Y2, domain, place),
            *self._points(**place, **value),
        ]
        return layered(layers, rows, self.room.width, self.room.height)

    def _lower_end(self, along: ChartScale) -> float:
        """Return the start of a distribution: the declared lower bound, else its first value."""
        question = self.drawing.question
        columns = (question.columns.get(name) for name in question.names)
        declared = next((column.lower for column in columns if column is not None), None)
        lower = drawn(_stated(declared), along.form == "days")
        return along.spans[0][0] if lower is None else min(along.spans[0][0], lower)

    def boxes(self, groups: ChartScale | None) -> Any:
        """Draw five numbers of each group: the middle half as a box, its median, and lines to the outer two."""
        labels = ("",) if groups is None else groups.labels
        rows: list[dict[str, Any]] = []
        for place, label in enumerate(labels):
            five = [row for row in self.drawing.rows if row["j"] == place]
            numbers = {name: row["value"] for name, row in zip(FIVE, five, strict=True)}
            rows.append({"k1": label, "solid": all(row["solid"] for row in five), **numbers})
        width = self.room.width if groups is None else room_beside(groups, self.room)
        height = self.room.height if groups is None else max(self.room.height, ROW * 1.6 * len(labels))
        size = 72 if groups is None else min(BAR, height / len(labels) * 0.5)
        domain = self._domain(room=0.06)
        axis = (
            None
            if groups is None
            else alt.Axis(ticks=False, domain=False, labelLimit=limited(labels, self.room.labels), labelExpr=LINES)
        )
        y = alt.Y(field="k1", type="nominal", title=None, axis=axis, scale=alt.Scale(domain=list(labels)))
        line = alt.MarkDef("rule", color=self.palette.ink, strokeWidth=1.25)
        box = alt.MarkDef("bar", stroke=self.palette.noisy, size=size)
        look: dict[str, Any] = {
            "fill": alt.condition(SOLID, alt.value(self.palette.noisy), alt.value(self.palette.paper)),
            "strokeWidth": alt.condition(SOLID, alt.value(0), alt.value(1.5)),
        }
        end = alt.MarkDef("tick", color=self.palette.ink, thickness=1.25, size=size / 3)
        median = alt.MarkDef("tick", thickness=3, size=size)
        middle = alt.condition(SOLID, alt.value(self.palette.paper), alt.value(self.palette.noisy))
        x = {name: self._value(alt.X, name, domain) for name in FIVE}
        layers = [
            layer(line, y=y, x=x["a"], x2=alt.X2(field="e")),
            *(layer(end, y=y, x=x[name]) for name in (FIVE[0], FIVE[-1])),
            layer(box, y=y, x=x["b"], x2=alt.X2(field="d"), **look),
            layer(median, y=y, x=x["c"], color=middle),
        ]
        if groups is None:
            rows[0] |= {f"t{name}": row["label"] for name, row in zip(FIVE, self.drawing.rows, strict=True)}
            layers += [self._written(x[name], name, size / 2 + 16, above=name in ABOVE) for name in FIVE]
        return layered(layers, rows, width, height)

    def _written(self, place: Any, name: str, away: float, *, above: bool) -> Any:
        """Draw a number over or under its place in the one box."""
        text = alt.MarkDef("text", color=self.palette.ink, fontSize=14, dy=-away if above else away)
        return layer(text, x=place, y=alt.value(self.room.height / 2), text=text_field(alt.Text, f"t{name}"))

    def words(self) -> Any:
        """Draw a list: the question, the answer, and a count where there is one."""
        joined = tuple(" · ".join(filter(None, (row["k1"], row["k0"]))) for row in self.drawing.rows)
        labels = joined if self.drawing.outer is not None or self.drawing.inner is None else self.drawing.inner.labels
        rows = [{**row, "k0": label} for row, label in zip(self.drawing.rows, labels, strict=True)]
        widest = max(len(line) for label in labels for line in label.split("\n"))
        height = max(self.room.height, ROW * len(rows) * (1.3 if widest > SHORT * 3 else 1))
        size = 20 if len(rows) <= FEW and widest <= SHORT * 2 else 14
        axis = alt.Axis(
            ticks=False, domain=False, labelLimit=self.room.labels, labelExpr=LINES, labelPadding=12, labelFontSize=size
        )
        y = alt.Y(field="k0", type="nominal", title=None, axis=axis, scale=alt.Scale(domain=list(labels)))
        look: dict[str, Any] = {"align": "left", "baseline": "middle", "fontSize": size}
        answer = alt.MarkDef("text", color=self.palette.ink, limit=COUNT - ANSWER - 12, **look)
        count = alt.MarkDef("text", color=self.palette.muted, **look)
        layers = [
            layer(answer, y=y, x=alt.value(ANSWER), text=text_field(alt.Text, "label")),
            layer(count, y=y, x=alt.value(COUNT), text=text_field(alt.Text, "margin")),
        ]
        for state, filled in (("above", True), ("below", False)):
            found = [row for row in rows if row.get("state") == state]
            area = 110 if filled else 80
            point = alt.MarkDef("point", color=self.palette.noisy, filled=filled, size=area, opacity=1, strokeWidth=2)
            layers.append(layer(point, found, y=y, x=alt.value(6)))
        return layered(layers, rows, max(self.room.width - min(self.room.labels, CHARACTER * widest), COUNT), height)

    def matrix(self, across: ChartScale, down: ChartScale) -> Any:
        """Draw each column with each: numbers with their margins; colours where all are measured alike."""
        faint, deep = self.palette.faint, self.palette.deep
        colours = (
            [self.palette.against, faint, deep]
            if self.drawing.question.presentation.has(Trait.SIGNED)
            else [faint, faint]
        )
        return self.cells((across, "k0"), (down, "k1"), numbered=True, domain=(-1, 1), colours=colours)

    def pairs(self, columns: ChartScale, *, numbered: bool) -> Any:
        """Draw each column with each that stands before it, and alone: darker is further off, hatched is unknown."""
        self.rows, bare = ([row for row in self.rows if (row["value"] is None) is absent] for absent in (False, True))
        top = max((row["value"] for row in self.rows), default=0) or 1
        return self.cells((columns, "k0"), (columns, "k1"), numbered=numbered, domain=(0, top), bare=bare)

    def span(self) -> Any:
        """Draw the range from one bound to the other; one alone, where only one was published."""
        known = [row for row in zip(ENDS, self.drawing.rows, strict=True) if row[1]["value"] is not None]
        low, high = (row["value"] for _, row in (known[0], known[-1]))
        room = ((high - low) or abs(low) or 1) * 0.2
        domain = (low - room, high + room)
        level: dict[str, Any] = {"y": alt.value(self.room.height / 2)}
        unsure = any(row["unsure"] for _, row in known)
        rows: list[dict[str, Any]] = [{"unsure": unsure}]
        for (name, label), row in known:
            rows[0] |= {name: row["value"], label: row["label"]}
        line = alt.MarkDef("rule", color=self.palette.noisy, strokeWidth=3)
        text = alt.MarkDef("text", color=self.palette.ink, fontSize=24, fontWeight="bold", dy=-24)
        across = layer(line, x=self._value(alt.X, "lower", domain), x2=alt.X2(field="upper"), **level)
        layers = [across] if len(known) == len(ENDS) else []
        for (name, label), _ in known:
            place = {"x": self._value(alt.X, name, domain), **level}
            layers += [
                *self._points(**place),
                layer(text, **place, text=text_field(alt.Text, label)),
            ]
        return layered(layers, rows, self.room.width, self.room.height)


def _apart(labels: Sequence[str]) -> list[str]:
    """Return labels of bins in their order, with an empty one between those of two columns."""
    found: list[str] = []
    for label in labels:
        if found and found[-1].partition(" · ")[0] != label.partition(" · ")[0]:
            found.append(" " * (1 + sum(not each.strip() for each in found)))
        found.append(label)
    return found


def _stated(bound: Decimal | date | None) -> Cell:
    """Return a declared bound as a table's cell."""
    return bound.isoformat() if isinstance(bound, date) else None if bound is None else plain(bound)
