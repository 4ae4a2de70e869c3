"""Chart of each statistic, every estimate with its interval. Import late: Altair and V8 take a second to load."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import ceil
from operator import and_
from typing import Any
from xml.etree import ElementTree

import altair as alt
from altair.utils.schemapi import debug_mode

from dprelease.charts import render
from dprelease.charts.data import (
    AGAINST,
    BOTH,
    MAX_CELLS,
    ChartScale,
    Drawing,
    draw,
    has_both,
    is_against,
    is_by_bin,
    map_of,
    paired,
)
from dprelease.charts.forms import Forms
from dprelease.charts.grids import grid_of, maps
from dprelease.charts.marks import LINES, room_beside
from dprelease.charts.rows import in_order, rows_chart
from dprelease.charts.theme import HATCHED, LIGHT, NARROW, ROWS_FULL, ROWS_NARROW, WIDE, ChartSize, Palette, config
from dprelease.model.encoding import canonical
from dprelease.model.grade import Grade, grades
from dprelease.model.presentation import ChartType
from dprelease.model.release import Estimates, Release
from dprelease.statements.cell_names import cell_label
from dprelease.statements.display import margin, shown
from dprelease.statements.question import StatisticLabel
from dprelease.statements.ranks import is_by_rank
from dprelease.words.releases import say

MAX_MARKS = 200
"""Largest number of marks; beyond: a step line without labels, or colours without numbers."""
MAX_POINTS = 120
"""Largest number of periods with a point each on the line."""
MAX_LABELS = 100
MOST_DIRECT = 12
"""Largest number of rows with direct labels, without axis and grid."""
MAX_WORDS = 60
MAX_PANELS = 12
MAX_GROUPED = 48
SPACING = 28
MAX_INTEGER = 2**53 - 1
FIELD = re.compile(r'"field": "(\w+)"|datum\.(\w+)')
"""Pattern of the fields of rows that a specification draws."""
LINE, SHORT_LINE = 72, 44
"""Characters in a line of the title, and of a note on a phone."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Chart as SVG, with its words apart from it."""

    question: str
    notes: tuple[str, ...]
    """Notes: the meaning of its intervals, and missing values."""
    figure: bytes
    """SVG without words above it."""
    specification: bytes
    """Specification of the chart: Vega-Lite with its data, as canonical JSON."""
    narrow: Picture | None = None
    """Same chart for phones, where it is drawn beside."""

    def svg(self) -> bytes:
        """Return the SVG that stands alone."""
        return render.titled(self.figure, textwrap.wrap(self.question, LINE), self.notes)

    def below_heading(self) -> bytes:
        """Return the SVG with its notes alone: for a phone, where the question stands above it."""
        return render.titled(self.figure, (), [line for note in self.notes for line in textwrap.wrap(note, SHORT_LINE)])


@dataclass(frozen=True, slots=True)
class Specification:
    """Chart as Vega-Lite, with its data, before it is drawn."""

    question: str
    notes: tuple[str, ...]
    body: Mapping[str, Any]

    @property
    def text(self) -> bytes:
        """Canonical JSON, the same bytes for the same release."""
        return canonical(self.body)

    def drawn(self) -> Picture:
        """Return the picture."""
        return Picture(self.question, self.notes, render.svg(self.body, self.question), self.text)


def picture(release: Release, statistic: str, *, narrow: bool = False) -> Picture:
    """Draw the chart of one statistic. The same bytes for the same release. `narrow`: as wide as a phone.

    A sentence replaces what cannot be drawn: a release that is paid for does not fail on a picture.
    """
    try:
        return specification(release, statistic, narrow=narrow).drawn()
    except (ValueError, RuntimeError, ElementTree.ParseError):
        return not_drawn(release, statistic, narrow=narrow).drawn()


def chart(release: Release, table: str) -> Any:
    """Return the chart of one table as an Altair chart, for a notebook."""
    return alt.Chart.from_dict(dict(specification(release, table).body))


def specification(release: Release, statistic: str, *, narrow: bool = False) -> Specification:
    """Return the chart of one statistic before it is drawn; `narrow`: as wide as a phone."""
    question = StatisticLabel.of(release.certificate, statistic)
    with debug_mode(False):  # what is composed is held against the schema in tests: that takes a quarter of the time
        return specified(question, *_body(release, question, LIGHT, HATCHED, NARROW if narrow else WIDE))


def not_drawn(release: Release, statistic: str, *, narrow: bool = False) -> Specification:
    """Return the sentence that stands where a chart cannot be drawn."""
    body = _sentence(say("not_drawn"), LIGHT, NARROW if narrow else WIDE)
    return specified(StatisticLabel.of(release.certificate, statistic), body, ())


def specified(question: StatisticLabel, body: Any, notes: Sequence[str], **settings: Any) -> Specification:
    """Return the specification with its question and notes; of its rows, only the fields that it draws."""
    datasets = _named(body)
    made: dict[str, Any] = body.to_dict(validate=False)  # a third of the time; the tests do
    used = {name for names in FIELD.findall(json.dumps(made)) for name in names}
    made["datasets"] = {
        name: [{key: _portable(value) for key, value in row.items() if key in used} for row in rows]
        for name, rows in datasets.items()
    }
    made |= {"$schema": alt.SCHEMA_URL, "config": config(LIGHT)}
    made |= {"description": question.name, "usermeta": {"notes": list(notes)}} | settings
    return Specification(question.name, tuple(notes), made)


def _named(body: Any) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Move the rows out of a chart and its parts, which keep a name of them: the one that Altair gives."""
    match body:
        case alt.LayerSpec():
            parts = body.layer
        case alt.ConcatSpecGenericSpec():
            parts = body.concat
        case alt.FacetSpec():
            parts = [body.spec]
        case _:
            parts = []
    found = {name: rows for part in parts for name, rows in _named(part).items()}
    if isinstance(body.data, alt.InlineData):
        rows = body.data.values
        text = json.dumps(rows, sort_keys=True, default=str)
        name = "empty" if text == "[{}]" else f"data-{sha256(text.encode()).hexdigest()[:32]}"
        found[name], body.data = rows, alt.NamedData(name=name)
    return found


def _portable(value: Any) -> Any:
    """Return an integer that other readers of JSON would round as the float that they would read."""
    return float(value) if isinstance(value, int) and abs(value) > MAX_INTEGER else value


def _body(
    release: Release, question: StatisticLabel, palette: Palette, hatched: str = "", room: ChartSize = WIDE
) -> tuple[Any, list[str]]:
    """Return the chart in the form of its table, and the notes to it."""
    cells = len(release.tables[question.id])
    if cells == 0:
        return _sentence(say("no_category"), palette, room), []
    if cells > MAX_CELLS:
        return _sentence(say("too_large", cells=shown(cells)), palette, room), []
    table = release.tables[question.id]
    drawing = draw(question, table, list(grades(release.certificate, question.id, table)))
    if paired(release.certificate, question.id) and drawing.without_value < cells:
        drawing = map_of(drawing, release.certificate, [str(name) for name, _ in table.axes[0].cells])
        return _map(drawing, Forms(drawing, palette, hatched, room))
    if (grid := grid_of(release, question.id)) is not None:
        return maps(release, question.id, grid, palette, room)
    marks = Forms(drawing, palette, hatched, room)
    marks.by_bin = is_by_bin(table)
    if drawing.picture is ChartType.WORDS:
        return _words(drawing, marks, palette)
    if drawing.without_value == cells:
        return _sentence(say("no_value"), palette, room), []
    several = drawing.inner is not None and drawing.picture is not ChartType.SPAN and not question.coefficients
    if several and not any(row["value"] is not None and not row["unsure"] for row in drawing.rows):
        return _sentence(say("none_quotable", n=shown(cells)), palette, room), []
    told: list[str] = []
    if (slopes := _forest(question, table, drawing, marks)) is not None:
        body, told = slopes
    else:
        body, note = _against(table, marks) or _drawn(drawing, marks)
        told = [note, say("pale_band")] if marks.has_pale else [note]
    unknown = _unknown(question.parts(table))
    nothing = [say("no_interval")] if unknown and not is_by_rank(release.certificate, question.id) else []
    notes = told if drawing.has_intervals else nothing
    if marks.has_unsure:
        notes.append(say("hatched"))
    if any(row["grade"] is Grade.CAUTION for row in drawing.rows):
        notes.append(say("cautious"))
    if drawing.picture in NOTES:
        notes.insert(0, NOTES[drawing.picture](drawing))
    if drawing.inner is not None and any(drawing.inner.partial):
        notes.append(say("hollow_partial"))
    if any(map(and_, question.aside(table), question.unanswered(table))):
        notes.append(say("no_answer_in_table"))
    if drawing.without_value:
        notes.append(say("without_value", count=drawing.without_value))
    if drawing.has_intervals and drawing.without_end and unknown:
        notes.append(say("without_end", count=unknown))
    return body, notes


def _against(table: Estimates, marks: Forms) -> tuple[Any, str] | None:
    """Draw true over false positives (ROC) of a model that was tried; None where a table is not of that."""
    if not is_against(table):
        return None
    return marks.against(table.extra[AGAINST], say("head_false_alarms")), say("noise_curve")


def _unknown(table: Estimates) -> int:
    """Count values with an unknown end. Those of days, and of intervals without width, are not drawn."""
    rows = zip(table.value, table.lower95, table.upper95, strict=True)
    return sum(value is not None and None in ends for value, *ends in rows)


def _map(drawing: Drawing, marks: Forms) -> tuple[Any, list[str]]:
    """Draw pairs of columns as colours; those without known values are hatched."""
    assert drawing.inner is not None
    known = len(drawing.inner) <= marks.room.columns
    note = say("noise_margin") if known else say("noise_widest", margin=margin(drawing.widest or 1))
    return marks.pairs(drawing.inner, numbered=known), [say("map_of_pairs"), note]


def _words(drawing: Drawing, marks: Forms, palette: Palette) -> tuple[Any, list[str]]:
    """Draw a single answer, or a list of answers."""
    if len(drawing.rows) > MAX_WORDS:
        return _sentence(say("not_numbers"), palette, marks.room), []
    if drawing.inner is None:
        return marks.number(), []
    counted = any(row["margin"] for row in drawing.rows)
    return marks.words(), [say("noise_margin")] if counted else []


def _drawn(drawing: Drawing, marks: Forms) -> tuple[Any, str]:
    """Return the chart without title, and the words for its intervals."""
    special = SPECIAL.get(drawing.picture)
    if special is not None and (drawn := special(drawing, marks)) is not None:
        return drawn
    inner, outer, room = drawing.inner, drawing.outer, marks.room
    if inner is None:
        return marks.number(), say("noise_only")
    if outer is None and inner.form == "listed":
        if len(inner) > MAX_LABELS:
            return marks.steps(inner, room.width, room.height), say("noise_band")
        if len(inner) <= MOST_DIRECT and not marks.by_bin:
            size = ROWS_NARROW if room is NARROW else ROWS_FULL
            rows = in_order(drawing.rows, drawing)
            return rows_chart(rows, size, bars=marks.from_zero, note=drawing.question.unit), say("noise_only")
        return marks.listed(inner, "k0", room_beside(inner, room)), say("noise_only")
    if inner.form != "listed" and (outer is None or len(outer) <= MAX_PANELS):
        width, height = (room.width, room.height) if outer is None else _panel_size(len(outer), room)
        body, note = _spanned(drawing, inner, marks, width, height)
        if outer is None:
            return body, say(note)
        columns = _columns(len(outer), room)
        return _panels(body, "k1", columns, short=len(outer) % columns > 0), say(note)
    assert outer is not None
    few, many = sorted([(inner, "k0"), (outer, "k1")], key=lambda scale: len(scale[0]))
    if inner.form == "listed" and len(few[0]) <= WIDE.beside and len(drawing.rows) <= MAX_GROUPED:
        columns = min(len(few[0]), room.beside)
        width = (room_beside(many[0], room) - SPACING * (columns - 1)) / columns
        return _panels(marks.listed(*many, width), few[1], columns), say("noise_only")
    if len(few[0]) <= room.columns and len(drawing.rows) <= MAX_MARKS:
        return marks.cells(few, many, numbered=True), say("noise_margin")
    return marks.cells(few, many, numbered=False), say("noise_widest", margin=margin(drawing.widest or 1))


def _stairs(drawing: Drawing, marks: Forms) -> tuple[Any, str] | None:
    if drawing.inner is None or drawing.outer is not None:
        return None
    return marks.stairs(drawing.inner), say("noise_band")


def _boxes(drawing: Drawing, marks: Forms) -> tuple[Any, str] | None:
    if drawing.outer is not None and len(drawing.outer) > MAX_LABELS:
        return None
    return marks.boxes(drawing.outer), say("noise_only")


def _boxes_note(drawing: Drawing) -> str:
    first, *_, last = (shown(100 * float(start)) for start, _ in drawing.inner.spans) if drawing.inner else ("", "")
    return say("box", first=first, last=last)


def _matrix(drawing: Drawing, marks: Forms) -> tuple[Any, str] | None:
    assert drawing.inner is not None
    assert drawing.outer is not None
    return marks.matrix(drawing.inner, drawing.outer), say("noise_margin")


def _span(drawing: Drawing, marks: Forms) -> tuple[Any, str] | None:
    return marks.span(), say("noise_only")


NOTES: Mapping[str, Callable[[Drawing], str]] = {"stairs": lambda _: say("each_step"), "boxes": _boxes_note}
"""Notes on the forms that need one."""
SPECIAL: Mapping[str, Callable[[Drawing, Forms], tuple[Any, str] | None]] = {
    "stairs": _stairs,
    "boxes": _boxes,
    "matrix": _matrix,
    "span": _span,
}
"""Forms of their own; None where there is too much for them."""


def _spanned(drawing: Drawing, inner: ChartScale, marks: Forms, width: float, height: float) -> tuple[Any, str]:
    if inner.form == "shares":
        return marks.line(inner, width, height), "noise_only"
    whole = drawing.has_intervals and not drawing.without_value and not drawing.without_end
    if inner.partial and whole and len(inner) <= MAX_POINTS:
        return marks.periods(inner, width, height), "noise_band"
    if len(drawing.rows) > MAX_MARKS or len(inner) * 4 > width:
        return marks.steps(inner, width, height), "noise_band"
    return marks.bars(inner, width, height), "noise_only"


def _panels(body: Any, field: str, columns: int, *, short: bool = False) -> Any:
    """Repeat the chart for each label of the other key, all on the same scales; `short`: the last row is not full, and
    an axis of its own for each leaves none below a place without a panel."""
    data, body.data = body.data, alt.Undefined
    order = alt.EncodingSortField(field={"k0": "i", "k1": "j"}[field], op="min")
    facet = alt.Facet(field=field, type="nominal", sort=order, title=None, header=alt.Header(labelExpr=LINES))
    own: dict[str, Any] = {"resolve": alt.Resolve(axis=alt.AxisResolveMap(x="independent"))} if short else {}
    return alt.FacetSpec(spec=body, data=data, facet=facet, columns=columns, spacing=SPACING, **own)


def _columns(panels: int, room: ChartSize) -> int:
    """Return the number of panels side by side: as many as fit, so that no row is short if possible."""
    most = min(panels, room.panels)
    return next((columns for columns in range(most, 1, -1) if panels % columns == 0), most)


def _panel_size(panels: int, room: ChartSize) -> tuple[float, float]:
    """Return width and height of each panel."""
    columns = _columns(panels, room)
    rows = ceil(panels / columns)
    return (room.width - (columns - 1) * SPACING) / columns, max(150, (room.height - (rows - 1) * 60) / rows)


def _sentence(text: str, palette: Palette, room: ChartSize) -> Any:
    lines = textwrap.wrap(text, LINE if room is WIDE else SHORT_LINE * 2 // 3)
    return alt.UnitSpecWithFrame(
        data=alt.InlineData(values=[{}]),
        mark=alt.MarkDef("text", fontSize=16, color=palette.muted, text=lines, lineHeight=24),
        encoding=alt.Encoding(x=alt.value(room.width / 2), y=alt.value(room.height / 2)),
        width=room.width,
        height=room.height,
    )


def _forest(question: StatisticLabel, table: Estimates, drawing: Drawing, marks: Forms) -> tuple[Any, list[str]] | None:
    """Draw a row for each slope: the interval of noise thick, that of noise and sampling thin below it.

    Also return the notes to it; None for other tables.
    """
    own = question.parts(table)
    if not has_both(own):
        return None
    (axis,) = own.axes
    labels = drawing.inner.labels if drawing.inner else (cell_label(axis, axis.cells[0], question),)
    both = zip(*(own.extra[name] for name in BOTH), strict=True)
    rows = [{**row, "k0": label, **_wider(ends)} for row, label, ends in zip(marks.rows, labels, both, strict=True)]
    along = ChartScale(title="", form="listed", labels=labels)
    return marks.forest(rows, along), [say("noise_thick"), say("sampling_thin")]


def _wider(ends: tuple[Any, ...]) -> Mapping[str, Any]:
    """Return the ends of the wider interval, where they are known."""
    return {} if None in ends else {"left": ends[0], "right": ends[1]}
