"""One chart for each statistic, every estimate with its interval. Import late: Altair and V8 take a second to load."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from math import ceil
from typing import Any

import altair as alt
import vl_convert

from dprelease.bundle.chart_data import Drawing, Scale, draw
from dprelease.bundle.chart_style import HEIGHT, LIGHT, WIDTH, Palette, config, tidy, titled
from dprelease.bundle.display import margin, shown
from dprelease.bundle.marks import LINES, Marks, room_beside, stands
from dprelease.bundle.question import Question
from dprelease.bundle.words import say
from dprelease.model.release import Release

MOST_CELLS = 5000
"""A larger table is not drawn."""
MOST_MARKS = 200
"""Beyond these: a step line without labels, or colours without numbers."""
MOST_LABELS = 100
MOST_PANELS = 12
MOST_BESIDE = 4
"""Panels of bars that share one list of labels."""
MOST_GROUPED = 48
MOST_COLUMNS = 10
"""Columns of a heat map in which numbers still fit."""
SPACING = 28
LINE = 72
"""Characters in a line of the title."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart as SVG, with its words apart from it."""

    question: str
    notes: tuple[str, ...]
    """What its intervals are, and what is missing."""
    figure: bytes
    """The SVG without words above it."""

    def svg(self) -> bytes:
        """The SVG that stands alone."""
        return titled(self.figure, textwrap.wrap(self.question, LINE), self.notes)


def picture(release: Release, statistic: str) -> Picture:
    """The chart of one statistic. The same bytes for the same release."""
    question = Question.of(release, statistic)
    body, notes = _body(release, question, LIGHT)
    drawn = vl_convert.vegalite_to_svg(_styled(body, LIGHT).to_dict(), allowed_base_urls=[])
    return Picture(question.text, tuple(notes), tidy(drawn, question.text))


def svg(release: Release, statistic: str) -> bytes:
    """The chart of one statistic as an SVG file."""
    return picture(release, statistic).svg()


def chart(release: Release, statistic: str, palette: Palette = LIGHT) -> Any:
    """The chart of one statistic for a page that draws Altair charts itself.

    Field names are neutral, and no text of the release stands where Vega would evaluate it.
    """
    question = Question.of(release, statistic)
    body, notes = _body(release, question, palette)
    title = alt.TitleParams(text=textwrap.wrap(question.text, LINE), subtitle=notes)
    return _styled(body, palette).properties(title=title)


def _body(release: Release, question: Question, palette: Palette) -> tuple[Any, list[str]]:
    """The chart in the form that its table asks for, and the notes to it."""
    cells = len(release.tables[question.id])
    if cells > MOST_CELLS:
        return _sentence(say("too_large", cells=shown(cells)), palette), []
    drawing = draw(release, question.id)
    if not drawing.drawable:
        return _sentence(say("not_numbers"), palette), []
    if drawing.without_value == cells:
        return _sentence(say("no_value"), palette), []
    body, note = _drawn(drawing, Marks(drawing, palette))
    notes = [say(note if drawing.has_intervals else "no_interval", margin=margin(drawing.widest or 1))]
    if drawing.without_value:
        notes.append(say("without_value", count=drawing.without_value))
    return body, notes


def _styled(body: Any, palette: Palette) -> Any:
    return body.properties(config=alt.Config.from_dict(config(palette)))


def _drawn(drawing: Drawing, marks: Marks) -> tuple[Any, str]:
    """The chart without title, and the words for its intervals."""
    inner, outer = drawing.inner, drawing.outer
    if inner is None:
        return marks.number(), "noise_only"
    if outer is None and inner.form == "listed":
        if len(inner) > MOST_LABELS:
            return marks.steps(inner, WIDTH, HEIGHT), "noise_band"
        width = WIDTH if stands(inner) else room_beside(inner)
        return marks.listed(inner, "k0", width, upright=stands(inner)), "noise_only"
    if inner.form != "listed" and (outer is None or len(outer) <= MOST_PANELS):
        width, height = (WIDTH, HEIGHT) if outer is None else _panel_size(len(outer))
        body, note = _spanned(drawing, inner, marks, width, height)
        return body if outer is None else _panels(body, "k1", _columns(len(outer))), note
    assert outer is not None
    few, many = sorted([(inner, "k0"), (outer, "k1")], key=lambda scale: len(scale[0]))
    if inner.form == "listed" and len(few[0]) <= MOST_BESIDE and len(drawing.rows) <= MOST_GROUPED:
        width = (room_beside(many[0]) - SPACING * (len(few[0]) - 1)) / len(few[0])
        return _panels(marks.listed(*many, width), few[1], len(few[0])), "noise_only"
    if len(few[0]) <= MOST_COLUMNS and len(drawing.rows) <= MOST_MARKS:
        return marks.cells(few, many, numbered=True), "noise_margin"
    return marks.cells(few, many, numbered=False), "noise_widest"


def _spanned(drawing: Drawing, inner: Scale, marks: Marks, width: float, height: float) -> tuple[Any, str]:
    if inner.form == "shares":
        return marks.line(inner, width, height), "noise_only"
    if len(drawing.rows) > MOST_MARKS or len(inner) * 4 > width:
        return marks.steps(inner, width, height), "noise_band"
    return marks.bars(inner, width, height), "noise_only"


def _panels(body: Any, field: str, columns: int) -> Any:
    """The same chart for each label of the other key, all on the same scales."""
    data, body.data = body.data, alt.Undefined
    order = alt.EncodingSortField(field={"k0": "i", "k1": "j"}[field], op="min")
    facet = alt.Facet(field=field, type="nominal", sort=order, title=None, header=alt.Header(labelExpr=LINES))
    return alt.FacetChart(spec=body, data=data, facet=facet, columns=columns, spacing=SPACING)


def _columns(panels: int) -> int:
    """How many panels stand side by side: 1, 2 or 3 in a row, four as two by two."""
    return 2 if panels in (2, 4) else min(panels, 3)


def _panel_size(panels: int) -> tuple[float, float]:
    """Width and height of each panel."""
    columns = _columns(panels)
    rows = ceil(panels / columns)
    return (WIDTH - (columns - 1) * SPACING) / columns, max(150, (HEIGHT - (rows - 1) * 60) / rows)


def _sentence(text: str, palette: Palette) -> Any:
    lines = textwrap.wrap(text, LINE)
    mark = alt.Chart(alt.InlineData(values=[{}])).mark_text(fontSize=16, color=palette.muted, text=lines, lineHeight=24)
    place = mark.encode(x=alt.value(WIDTH / 2), y=alt.value(HEIGHT / 2))
    return place.properties(width=WIDTH, height=HEIGHT)
