"""Forms of charts: points, bars, lines, steps and coloured cells, each with its intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import altair as alt

from dprelease.charts.data import ChartScale, Drawing
from dprelease.charts.domain import cut, extent
from dprelease.charts.theme import WIDE, ChartSize, Palette
from dprelease.model.grade import Grade
from dprelease.model.presentation import Trait
from dprelease.statements.display import plain_keys
from dprelease.words.releases import say

BAR = 48
UPRIGHT_BAR = 96
ROW = 26
"""Height of a row of a listed scale in pixels."""
SHORT = 12
"""Largest number of characters of a short label."""
CHARACTER = 7.5
"""Pixels of a character."""
LABELLED = 60
"""Largest number of bars with their value written beside them."""
LINES = r"split(datum.label, '\n')"
"""Vega's expression for a label of several lines; the same for every chart."""

NARROW_LETTERS = re.compile(r"[\n -~\u00a0-\u017f]*")
WIDEST, LONGEST = 14, 45
"""Pixels that no such letter of a label or a title exceeds, and the characters that fit each title's limit."""
LARGE, SMALL = 1e9, 1e-6
"""Bounds within which labels of numbers have 20 characters at most: largest size, smallest distance."""

UNSURE, SOLID, HOLLOW = "datum.unsure", "datum.solid", "!datum.unsure && !datum.solid"
"""Vega's expressions for a mark that is too noisy to be used, one that is filled, and one without a known interval."""
DASHES = [3, 2.5]


class Marks:
    """Maker of the parts of one drawing's chart in one palette."""

    def __init__(self, drawing: Drawing, palette: Palette, hatched: str = "", room: ChartSize = WIDE) -> None:
        """Set up; `hatched`: the fill of marks that are too noisy to be used; else the lightest colour."""
        self.drawing = drawing
        self.palette = palette
        self.room = room
        self.hatched = hatched or palette.faint
        self.has_unsure = False
        """True if some mark is hatched or dashed, which a note has to explain."""
        self.from_zero = drawing.question.presentation.has(Trait.ADDITIVE)
        self.title = drawing.question.measure
        self.ends = extent(drawing.rows, zero=self.from_zero, every=bool(drawing.question.coefficients))
        self.rows = [{**own, "tip": self._tip(own)} for own in (cut(row, self.ends) for row in drawing.rows)]

    def number(self) -> Any:
        """Draw one number, its interval as a line."""
        (row,) = self.drawing.rows
        centre: dict[str, Any] = {"x": alt.value(self.room.width / 2)}
        size = min(72, 1.6 * self.room.width / max(1, len(row["label"])))
        big = alt.MarkDef("text", fontSize=size, fontWeight="bold", color=self.palette.noisy)
        middle = self.room.height * (0.5 if row["lower"] is None else 0.32)
        layers = [layer(big, y=alt.value(middle), text=text_field(alt.Text, "label"), **centre)]
        if row["lower"] is not None:
            small = alt.MarkDef("text", fontSize=24, color=self.palette.muted)
            below = alt.value(self.room.height * 0.32 + 64)
            layers.append(layer(small, y=below, text=text_field(alt.Text, "interval"), **centre))
            level, room = {"y": alt.value(self.room.height * 0.75)}, (row["upper"] - row["lower"]) * 0.6
            domain = (row["lower"] - room, row["upper"] + room)
            layers.append(self._rule(alt.X, alt.X2, domain, level, grid=False))
            layers += self._points(x=self._value(alt.X, "value", domain, grid=False), **level)
        return layered(layers, self.rows, self.room.width, self.room.height)

    def listed(self, along: ChartScale, field: str, width: float) -> Any:
        """Draw lying bars from zero where cells add up, else points; one for each label."""
        longest = max(self._label_width(), 1)
        height = max(self.room.height, ROW * len(along) * (1.3 if along.widest > SHORT * 3 else 1))
        domain = self._domain(room=(longest + 12) / max(width - longest, 60))
        limit = limited(along.labels, self.room.labels)
        axis = alt.Axis(labelAngle=0, ticks=False, domain=False, labelLimit=limit, labelExpr=LINES)
        scale = alt.Scale(domain=list(along.labels), paddingInner=0.3, paddingOuter=0.2)
        place = {"y": alt.Y(field=field, type="nominal", title=None, scale=scale, axis=axis)}
        rule = self._rule(alt.X, alt.X2, domain, place)
        if self.from_zero:
            drawn = {"x": self._value(alt.X, "value", domain, bar=True)}
            layers = [*self._bars({**drawn, **place}, size=min(height / len(along) * 0.7, BAR)), rule]
        else:
            layers = [rule, *self._points(x=self._value(alt.X, "value", domain), **place)]
        if domain[0] < 0 < domain[1] and self.from_zero:
            layers.append(self._zero(alt.X))
        layers += self._arrows(alt.X, domain, place)
        if len(self.drawing.rows) <= LABELLED:
            layers.append(self._beside(alt.X, domain, place))
        return layered(layers, self.rows, width, height)

    def bars(self, along: ChartScale, width: float, height: float) -> Any:
        """Draw bars over spans of a numeric or time scale, side by side."""
        domain = self._domain(room=0.04)
        gap = 0.5 if width / len(along) > 8 else 0
        middle = {"x": self._along(along, "middle")}
        layers = [self._rule(alt.Y, alt.Y2, domain, middle)]
        if self.from_zero:
            spans: dict[str, Any] = {"x": self._along(along, "start"), "x2": alt.X2(field="end")}
            drawn = {"y": self._value(alt.Y, "value", domain, bar=True), "y2": alt.Y2(datum=0)}
            layers = self._bars({**drawn, **spans}, xOffset=gap, x2Offset=-gap) + layers
        else:
            layers += self._points(y=self._value(alt.Y, "value", domain), **middle)
        return layered([*layers, *self._arrows(alt.Y, domain, middle)], self.rows, width, height)

    def line(self, along: ChartScale, width: float, height: float) -> Any:
        """Draw points on a line over probabilities."""
        domain = self._domain(room=0.12)
        limits = unlimited(along.title, (0, 1))
        axis = alt.Axis(values=[start for start, _ in along.spans], format=".6~%", grid=False, **limits)
        scale = alt.Scale(domain=[0, 1])
        x = alt.X(field="start", type="quantitative", title=along.title, axis=axis, scale=scale)
        place: dict[str, Any] = {"x": x}
        value = {"y": self._value(alt.Y, "value", domain)}
        layers = [
            layer(alt.MarkDef("line", color=self.palette.noisy, strokeWidth=1.5), **place, **value),
            self._rule(alt.Y, alt.Y2, domain, place),
            *self._points(**place, **value),
            *self._arrows(alt.Y, domain, place),
        ]
        if len(along) <= LABELLED / 6:
            layers.append(self._beside(alt.Y, domain, place))
        return layered(layers, self.rows, width, height)

    def steps(self, along: ChartScale, width: float, height: float) -> Any:
        """Draw a step line with its intervals as a band: for more cells than bars can show."""
        labels = along.form != "listed"
        rows = [row if labels else {**row, "start": row["i"], "end": row["i"] + 1} for row in self.rows]
        last = [{**row, "start": row["end"]} for row in rows if row["i"] == len(along) - 1]
        title = along.title if labels else say("each_cell", name=along.title, cells=len(along))
        place = {"x": self._along(along, "start", title=title, labels=labels)}
        domain = self._domain(room=0.04)
        band = alt.MarkDef("area", color=self.palette.noisy, opacity=0.3, interpolate="step-after")
        step = alt.MarkDef("line", color=self.palette.noisy, strokeWidth=1, interpolate="step-after")
        value, lower = (self._value(alt.Y, name, domain, bar=True) for name in ("value", "lower"))
        layers = [
            layer(band, y=lower, y2=alt.Y2(field="upper"), **place),
            layer(step, y=value, **place),
        ]
        return layered(layers, sorted([*rows, *last], key=lambda row: row["start"]), width, height)

    def cells(
        self,
        across: tuple[ChartScale, str],
        down: tuple[ChartScale, str],
        *,
        numbered: bool,
        domain: tuple[float, float] | None = None,
        colours: Sequence[str] = (),
        bare: Sequence[Mapping[str, Any]] = (),
    ) -> Any:
        """Draw two scales as columns and rows, values as colours and, where they fit, numbers with their margins.

        `bare`: rows without a value, whose cells are hatched."""
        low, high = domain or self._domain(room=0)
        height = max(self.room.height, (44 if numbered else 18 if len(down[0]) <= 40 else 4) * len(down[0]))
        width = room_beside(down[0], self.room)
        straight = across[0].widest * CHARACTER < width / len(across[0])
        labels = numbered or len(across[0]) <= 24, numbered or len(down[0]) <= 40
        x = self._labels(alt.X, across, labels[0], orient="top", labelAngle=0 if straight else -45, labelLimit=120)
        y = self._labels(alt.Y, down, labels[1], labelLimit=self.room.labels)
        legend = None if numbered else alt.Legend(title=self.title, gradientLength=200, orient="bottom")
        colours = colours or [self.palette.faint, self.palette.deep]
        steps = [low + (high - low) * place / (len(colours) - 1) for place in range(len(colours))]
        scale = alt.Scale(domain=steps, range=list(colours), clamp=True)
        colour = alt.Color(field="value", type="quantitative", scale=scale, legend=legend)
        outline: dict[str, Any] = {"stroke": self.palette.paper, "strokeWidth": int(numbered)}
        self._note_unsure()
        known = f"!{UNSURE}" if any(row["unsure"] for row in self.rows) else ""
        layers = [layer(alt.MarkDef("rect", **outline), where=known, x=x, y=y, color=colour)]
        if self.has_unsure:
            dashed = alt.MarkDef("rect", fill="transparent", stroke=self.palette.line, strokeDash=DASHES)
            layers.append(layer(dashed, where=UNSURE, x=x, y=y))
        if bare:
            layers.append(layer(alt.MarkDef("rect", fill=self.hatched, **outline), bare, x=x, y=y))
        if numbered:
            for lift, ink in product((8, 0), (self.palette.on_cells, self.palette.muted)):
                rows = [row for row in self.rows if bool(row["margin"]) == bool(lift)]
                rows = [row for row in rows if row["unsure"] == (ink == self.palette.muted)]
                text = alt.MarkDef("text", color=ink, fontSize=14, dy=-lift)
                layers += [layer(text, rows, x=x, y=y, text=text_field(alt.Text, "label"))] if rows else []
                small = alt.MarkDef("text", color=ink, fontSize=12, dy=10)
                layers += [layer(small, rows, x=x, y=y, text=text_field(alt.Text, "margin"))] if rows and lift else []
        return layered(layers, self.rows, width, height)

    def _labels(self, channel: Any, place: tuple[ChartScale, str], labels: bool, **settings: Any) -> Any:
        scale, field = place
        settings["labelLimit"] = limited(scale.labels, settings["labelLimit"])
        title = None if labels else say("each_cell", name=scale.title, cells=len(scale))
        axis = alt.Axis(ticks=False, domain=False, labels=labels, labelExpr=LINES, **settings)
        domain = alt.Scale(domain=list(scale.labels))
        return channel(field=field, type="nominal", title=title, axis=axis, scale=domain)

    def _domain(self, room: float) -> tuple[float, float]:
        """Return the ends of the numbers that can be quoted, with 0 for bars, and room at each end that is not 0."""
        low, high = self.ends
        width = high - low
        below = 0 if self.from_zero and low == 0 else width * min(room, 0.12)
        return low - below, high + width * room

    def _label_width(self) -> float:
        return CHARACTER * 1.1 * max(len(row["label"]) for row in self.drawing.rows)

    def _value(
        self, channel: Any, name: str, domain: tuple[float, float], *, bar: bool = False, grid: bool = True
    ) -> Any:
        days = self.drawing.in_days
        scale = _scale(domain, days)
        lone = {"labelFontSize": 20, "titleFontSize": 20}
        own: Any = unlimited(self.title, domain, days=days) if grid else lone
        own |= {"format": "~%"} if self.drawing.in_percent else {}
        axis = alt.Axis(tickCount=6 if grid else 3, ticks=not grid, domain=not grid, grid=grid, **own)
        stack = {"stack": None} if bar else {}
        kind = "temporal" if days else "quantitative"
        return channel(field=name, type=kind, title=self.title, scale=scale, axis=axis, **stack)

    def _along(
        self, along: ChartScale, name: str, *, title: str | None = None, labels: bool = True, first: float | None = None
    ) -> Any:
        """Return a place on a numeric or time scale that begins and ends with its spans, or begins at `first`."""
        days = along.form == "days"
        start = along.spans[0][0] if along.spans and first is None else first or 0
        ends = (start, along.spans[-1][1] if along.spans else len(along))
        scale = _scale(ends, days)
        called = title or along.title
        plain: dict[str, Any] = (
            {} if days or not plain_keys(end for span in along.spans for end in span) else {"format": "~f"}
        )
        if along.whole:
            plain["tickMinStep"] = 1
        plain |= unlimited(called, ends, days=days)
        axis = alt.Axis(grid=False, labels=labels, ticks=labels, tickCount=10, labelFlush=False, **plain)
        kind: Any = "temporal" if days else "quantitative"
        return alt.X(field=name, type=kind, title=called, scale=scale, axis=axis)

    def _rule(
        self, value: Any, value2: Any, domain: tuple[float, float], place: Mapping[str, Any], *, grid: bool = True
    ) -> Any:
        """Draw the interval of each estimate: thin, the same everywhere."""
        lower = self._value(value, "lower", domain, grid=grid)
        ends = {_channel(value): lower, _channel(value2): value2(field="upper")}
        return layer(alt.MarkDef("rule", color=self.palette.ink, strokeWidth=1.25), **ends, **place)

    def _tip(self, row: Mapping[str, Any]) -> float | None:
        """Return the upper end of a mark and its interval; None where there is no value."""
        if row["grade"] is Grade.NONE:
            return max(self.ends[0], 0.0)
        ends = [end for end in (row["value"], row["upper"]) if end is not None]
        return max([*ends, 0] if self.from_zero else ends) if ends else None

    def _zero(self, value: Any) -> Any:
        return layer(alt.MarkDef("rule", color=self.palette.line), **{_channel(value): value(datum=0)})

    def _bars(self, place: Mapping[str, Any], **settings: Any) -> list[Any]:
        """Draw bars: filled; hollow where no interval is known, and dashed where too noisy to be used."""
        self._note_unsure()
        return shaded("bar", self.rows, self.palette.noisy, **place, settings=settings)

    def _points(self, **places: Any) -> list[Any]:
        """Draw points: filled with an interval, hollow without or for part of a period, dashed where too noisy."""
        known = alt.condition(f"{SOLID} && !datum.partial", alt.value(1), alt.value(0))
        look: dict[str, Any] = {
            "color": self.palette.noisy,
            "filled": False,
            "size": 70,
            "strokeWidth": 1.5,
            "opacity": 1,
        }
        point = alt.MarkDef("point", fill=self.palette.noisy, **look)
        self._note_unsure()
        if not self.has_unsure:
            return [layer(point, fillOpacity=known, **places)]
        dashed = alt.MarkDef("point", strokeDash=[2.5, 2], **look)
        return [layer(point, where=f"!{UNSURE}", fillOpacity=known, **places), layer(dashed, where=UNSURE, **places)]

    def _arrows(self, value: Any, domain: tuple[float, float], place: Mapping[str, Any]) -> list[Any]:
        """Draw 6-pixel arrows at the frame, where a number or an interval goes beyond it."""
        found = []
        for side, end, way, sign in (("over", 1, "up", -1), ("under", 0, "down", 1)):
            if beyond := [{**row, "frame": self.ends[end]} for row in self.rows if row[side]]:
                upright = value is alt.Y
                shape = f"triangle-{way if upright else 'right' if end else 'left'}"
                shift: dict[str, Any] = {"yOffset": 5 * sign} if upright else {"xOffset": -5 * sign}
                arrow = alt.MarkDef("point", filled=True, shape=shape, size=44, color=self.palette.muted, **shift)
                found.append(layer(arrow, beyond, **{_channel(value): self._value(value, "frame", domain)}, **place))
        return found

    def _note_unsure(self) -> None:
        self.has_unsure = any(row["unsure"] and row["value"] is not None for row in self.rows)

    def _beside(self, value: Any, domain: tuple[float, float], place: Mapping[str, Any]) -> Any:
        """Draw the number itself, beyond its mark and interval."""
        upright = value is alt.Y
        offset: dict[str, Any] = (
            {"dy": -9, "baseline": "bottom"} if upright else {"dx": 7, "align": "left", "baseline": "middle"}
        )
        text = alt.MarkDef("text", color=self.palette.ink, fontSize=13, **offset)
        beside = {_channel(value): self._value(value, "tip", domain), "text": text_field(alt.Text, "label")}
        return layer(text, **beside, **place)


def room_beside(scale: ChartScale, room: ChartSize) -> float:
    """Return the width that is left for bars that lie beside their labels."""
    return room.width + 60 - min(room.labels, CHARACTER * scale.widest)


def unlimited(title: str, ends: tuple[float, float], *, days: bool = False) -> dict[str, Any]:
    """Return settings without a limit for an axis of numbers or days, where its texts are short in any case.

    To keep a limit the renderer measures each text twice, which is most of its work.
    """
    low, high = ends
    short = days or (max(abs(low), abs(high)) < LARGE and high - low > SMALL)
    fits = len(title) <= LONGEST and NARROW_LETTERS.fullmatch(title)
    return {**({"labelLimit": 0} if short else {}), **({"titleLimit": 0} if fits else {})}


def limited(labels: Sequence[str], most: float) -> float:
    """Return the largest width of a label; 0, which is no limit, where none of them comes near."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    return 0 if longest * WIDEST <= most and all(map(NARROW_LETTERS.fullmatch, labels)) else most


def layer(
    mark: alt.MarkDef, rows: Sequence[Mapping[str, Any]] | None = None, *, where: str = "", **places: Any
) -> alt.UnitSpec:
    """Return marks of one form: at each of these rows, else of those of the whole chart, where an expression holds.

    Altair's chained calls say the same, and copy all that was said before with each of them.
    """
    own: dict[str, Any] = {} if rows is None else {"data": alt.InlineData(values=tuple(rows))}
    if where:
        own["transform"] = [alt.FilterTransform(filter=where)]
    return alt.UnitSpec(mark=mark, encoding=alt.Encoding(**places), **own)


def shaded(
    kind: Any,
    rows: Sequence[Mapping[str, Any]],
    colour: str,
    *,
    settings: Mapping[str, Any],
    data: Sequence[Mapping[str, Any]] | None = None,
    **places: Any,
) -> list[Any]:
    """Return marks of rows: filled; hollow where no interval is known, and dashed where too noisy to be quoted."""
    valued = [row for row in rows if row["value"] is not None]
    data = None if data is None else valued
    if valued and all(row["solid"] for row in valued):
        return [layer(alt.MarkDef(kind, color=colour, **settings), data, **places)]
    hollow: dict[str, Any] = {"fill": "transparent", "stroke": colour, "strokeWidth": 1.5, **settings}
    looks = (
        (SOLID, alt.MarkDef(kind, color=colour, **settings), any(row["solid"] for row in valued)),
        (HOLLOW, alt.MarkDef(kind, **hollow), any(not row["solid"] and not row["unsure"] for row in valued)),
        (UNSURE, alt.MarkDef(kind, strokeDash=DASHES, **hollow), any(row["unsure"] for row in valued)),
    )
    return [layer(mark, data, where=where, **places) for where, mark, drawn in looks if drawn]


def layered(layers: Sequence[Any], rows: Sequence[Mapping[str, Any]], width: float, height: float) -> alt.LayerSpec:
    """Return layers over the same rows."""
    return alt.LayerSpec(layer=list(layers), data=alt.InlineData(values=tuple(rows)), width=width, height=height)


def _scale(domain: tuple[float, float], days: bool) -> Any:
    return alt.Scale(domain=list(domain), nice=False, zero=False, type="utc" if days else "linear")


def text_field(channel: Any, name: str) -> Any:
    """Return the encoding of a text of the rows."""
    return channel(field=name, type="nominal")


def _channel(channel: Any) -> str:
    return str(channel.__name__).lower()
