"""Table of estimates made ready to draw: neutral field names, edges, labels, rounded numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations_with_replacement, product
from typing import Any, Literal

from dprelease.model import families
from dprelease.model.calendar import days_of
from dprelease.model.certificate import Certificate
from dprelease.model.column import OTHER
from dprelease.model.grade import COUNT, Grade
from dprelease.model.presentation import ChartType, Trait, ValueKind
from dprelease.model.release import NO_ANSWER, TERMS, Axis, Cell, Estimates
from dprelease.statements.cell_names import columns_of, key_text, named_cell
from dprelease.statements.display import estimate, half_width, margin
from dprelease.statements.number import PERCENT, said
from dprelease.statements.number import drawn as as_drawn
from dprelease.statements.phrases import LONGEST_NAME
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import language
from dprelease.words.phrases import visible
from dprelease.words.releases import say

MAX_CELLS = 5000
"""Largest number of cells drawn; a sentence stands in place of a larger table."""
FEWEST_PERIODS = 8
"""Fewest calendar periods that are drawn as a line; fewer are bars."""
DAY_MS = 86_400_000
AGAINST = "false_alarms"
"""Column that a table's values are drawn over: true over false positives (ROC)."""
BOTH = ("lower95_both", "upper95_both")
"""Columns of a table of slopes with the ends of an interval of noise and sampling."""
BY_BIN = ("input", "bin")
"""First keys of a table of the points that each bin of each column adds."""
FEWEST = 2
"""Fewest columns that form pairs."""
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Form = Literal["listed", "numbers", "days", "shares"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartScale:
    """Key as a chart draws it."""

    title: str
    form: Form
    """Form: `listed`: labels in declared order. `numbers`, `days`: spans side by side. `shares`: probabilities."""
    labels: tuple[str, ...]
    """Labels, all different; in lines."""
    spans: tuple[tuple[float, float], ...] = ()
    """Start and end of each cell; days in milliseconds since 1970."""

    whole: bool = False
    """True if its cells begin and end with whole numbers."""

    partial: tuple[bool, ...] = ()
    """True for each calendar period that the bounds cut."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def widest(self) -> int:
        """Characters in the longest line of its labels."""
        return max((len(line) for label in self.labels for line in label.split("\n")), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """Data and form of a chart.

    A row has i and k0 (place and label on the inner scale), j and k1 (on the outer one), start, end and middle (of its
    span), value, lower and upper (numbers or None), unsure (True if it is too noisy to be used), solid
    (True if it can be quoted and its interval is known), label, margin,
    interval and range (texts), aside (True for other values and no answer), and of words their state.
    """

    question: StatisticLabel
    inner: ChartScale | None
    """Scale along an axis; None for a single number."""
    outer: ChartScale | None
    """Scale of panels or a second axis: every other key, combined."""
    rows: Sequence[Mapping[str, Any]]
    in_days: bool
    """True if the values are dates, in milliseconds since 1970."""
    picture: ChartType
    """Chart type that shows it best."""
    in_percent: bool = False
    """True if its values are shares, with an axis in %."""
    is_map: bool = False
    """True if its rows are pairs of the labels of one scale."""
    keys: tuple[ChartScale, ...] = ()
    """Scales of all keys, the outermost first."""

    @property
    def has_intervals(self) -> bool:
        return any(row["lower"] is not None for row in self.rows)

    @property
    def without_value(self) -> int:
        return sum(row["value"] is None for row in self.rows)

    @property
    def without_end(self) -> int:
        """Number of values without a known margin of error, beside others with intervals."""
        known = self.picture is ChartType.MATRIX
        return 0 if known else sum(row["value"] is not None and row["lower"] is None for row in self.rows)

    @property
    def widest(self) -> float | None:
        """Largest half width of an interval."""
        halves = (half_width(row["lower"], row["upper"]) for row in self.rows)
        return max((half for half in halves if half is not None), default=None)


def draw(question: StatisticLabel, table: Estimates, grades: Sequence[Grade] = ()) -> Drawing:
    """Return the drawing of one statistic's table. Keys with a single cell are left out, and so are totals.

    `grades`: of the rows of a published table; empty for one that is not published yet.
    """
    own = question.parts(table)
    estimates = _by_count(own, question)
    plain = estimates is own
    places = [place for place, aside in enumerate(question.aside(table)) if not aside]
    grades = [grades[place] for place in places] if grades else ()
    scales = [_scale(axis, question) for axis in estimates.axes]
    several = [scale for scale in scales if len(scale) > 1]
    inner = next((scale for scale in several if scale.form != "listed"), several[-1] if several else None)
    others = [scale for scale in several if scale is not inner]
    outer = others[0] if len(others) == 1 else _combined(others) if others else None
    in_days = _in_days(estimates.value)
    ranked = question.presentation.has(Trait.RANKED)
    words = (ranked and plain) or (not in_days and any(isinstance(value, str) for value in estimates.value))
    return Drawing(
        question=question,
        inner=inner,
        outer=outer,
        rows=list(_rows(estimates, question, scales, inner, outer, in_days, grades)),
        in_days=in_days,
        in_percent=question.is_share and bool(grades) and plain,
        picture=ChartType.WORDS if words else question.presentation.look,
        keys=tuple(scales),
    )


def _by_count(estimates: Estimates, question: StatisticLabel) -> Estimates:
    """Return ranked values with counts as a table of counts of values."""
    if not question.presentation.has(Trait.RANKED) or not estimates.extra.keys() >= set(COUNT):
        return estimates
    count, lower, upper = (estimates.extra[name] for name in COUNT)
    name = next(iter(question.names), "value")
    axis = Axis((name,), tuple((key_text(value),) for value in estimates.value))
    return Estimates(axes=(axis,), value=count, lower95=lower, upper95=upper)


def _rows(
    estimates: Estimates,
    question: StatisticLabel,
    scales: Sequence[ChartScale],
    inner: ChartScale | None,
    outer: ChartScale | None,
    in_days: bool,
    grades: Sequence[Grade],
) -> Iterator[Mapping[str, Any]]:
    cells = product(*(range(len(scale)) for scale in scales))
    codes = {OTHER, NO_ANSWER} if question.missing else {OTHER}
    bare = [[bool(codes & set(cell)) for cell in axis.cells] for axis in estimates.axes]
    numbers = zip(estimates.value, estimates.lower95, estimates.upper95, strict=True)
    for place, (cell, (value, lower, upper)) in enumerate(zip(cells, numbers, strict=True)):
        row: dict[str, Any] = {"i": 0, "j": 0, "k0": "", "k1": ""}
        row["aside"] = any(own[index] for own, index in zip(bare, cell, strict=True))
        for scale, index in zip(scales, cell, strict=True):
            if scale is inner:
                row |= {"i": index, "k0": scale.labels[index]}
                if scale.spans:
                    start, end = scale.spans[index]
                    row |= {"start": start, "end": end, "middle": (start + end) / 2}
                if scale.partial:
                    row["partial"] = scale.partial[index]
            elif len(scale) > 1:
                row["j"] = row["j"] * len(scale) + index
        if outer is not None:
            row["k1"] = outer.labels[row["j"]]
        grade = grades[place] if grades else None
        unsure = is_unsure(value, grade)
        has_digits = grade is not Grade.NONE and (grade is not Grade.UNRELIABLE or not question.coefficients)
        label, low, high = said(question, value, lower, upper, grade=grade)
        value, lower, upper = as_drawn(question, value, lower, upper, grade)
        half = half_width(lower, upper)
        solid = not unsure and (half is not None or (lower is not None and lower == upper))
        ends = [drawn(end, in_days) if half is not None else None for end in (lower, upper)]
        row |= {"value": drawn(value, in_days), "lower": ends[0], "upper": ends[1], "unsure": unsure, "grade": grade}
        row["solid"] = solid and value is not None
        row |= {"label": label, "margin": "", "interval": "", "range": ""}
        if half is not None and has_digits:
            in_percent = question.is_share and grade is not None
            row["margin"] = f"± {margin(100 * half)}{PERCENT}" if in_percent else f"± {margin(half)}"
            row["interval"] = say("interval", lower=low, upper=high) if low and high else ""
            row["range"] = f"{low.removesuffix(PERCENT)} – {high}" if low and high else ""
        elif has_digits and estimates.extra.keys() >= set(COUNT):
            row |= _counted(*(estimates.extra[name][place] for name in COUNT))
        if question.presentation.values is ValueKind.STATE:
            row["state"] = value
        yield row


def is_unsure(value: Cell, grade: Grade | None) -> bool:
    """Return True if a number or day is too noisy to be used: unreliable, or not told apart from none."""
    drawn = isinstance(value, int | float) or (isinstance(value, str) and DAY.fullmatch(value) is not None)
    return drawn and grade in (Grade.UNRELIABLE, Grade.NONE)


def _counted(count: Cell, lower: Cell, upper: Cell) -> Mapping[str, str]:
    """Write a count beside an answer in words, with its margin of error."""
    half = half_width(lower, upper)
    return {} if half is None else {"margin": f"{estimate(count, lower, upper)[0]} ± {margin(half)}"}


def _scale(axis: Axis, question: StatisticLabel) -> ChartScale:
    title = question.axis_title(axis)
    parts = columns_of(axis)
    labels = different([named_cell(axis, cell, parts, question) for cell in axis.cells])
    if question.calendar(axis) and len(axis.cells) >= FEWEST_PERIODS:
        return _periods(axis, question, title, labels)
    firsts = [cell[0] for cell in axis.cells]
    lasts = [cell[-1] for cell in axis.cells]
    if question.column(axis) is None and axis.names == ("probability",):
        spans = tuple((number, number) for number in firsts if isinstance(number, int | float))
        return ChartScale(title=say("share"), form="shares", labels=labels, spans=spans)
    if len(parts) > 1 or not firsts or question.listed(axis) or question.presentation.has(Trait.RANKED):
        return ChartScale(title=title, form="listed", labels=labels)
    days = _in_days(firsts)
    if not days and any(isinstance(cell, str) for cell in (*firsts, *lasts)):
        return ChartScale(title=title, form="listed", labels=labels)
    starts, ends = ([drawn(cell, days) or 0 for cell in cells] for cells in (firsts, lasts))
    spans = _spans(starts, ends)
    if question.presentation.look is ChartType.STAIRS:  # a share up to a value holds until the next value
        spans = tuple(zip(starts, [*starts[1:], starts[-1]], strict=True))
    whole = not days and all(isinstance(cell, int) for cell in (*firsts, *lasts))
    return ChartScale(title=title, form="days" if days else "numbers", labels=labels, spans=spans, whole=whole)


def _periods(axis: Axis, question: StatisticLabel, title: str, labels: tuple[str, ...]) -> ChartScale:
    """Return periods of the calendar in their place in time: each reaches to the next one's first day."""
    level = question.calendar(axis)
    days = [days_of(str(cell[0]), level) for cell in axis.cells]
    spans = tuple((_milliseconds(first.isoformat()), _milliseconds(last.isoformat()) + DAY_MS) for first, last in days)
    partial = tuple(len(cell) > 1 and cell[1] == "yes" for cell in axis.cells)
    return ChartScale(title=title, form="days", labels=labels, spans=spans, partial=partial)


def _spans(firsts: Sequence[Any], lasts: Sequence[Any]) -> tuple[tuple[float, float], ...]:
    """Return spans: each cell reaches to the next one's start; the last one to its own end, or as far as one value.

    A cell of one value is drawn around it.
    """
    step = firsts[1] - lasts[0] if len(firsts) > 1 else 1
    ends = [*firsts[1:], lasts[-1] if lasts[-1] > firsts[-1] else lasts[-1] + step]
    shift = step / 2 if list(firsts) == list(lasts) else 0
    return tuple((start - shift, end - shift) for start, end in zip(firsts, ends, strict=True))


def _combined(scales: Sequence[ChartScale]) -> ChartScale:
    labels = tuple(" · ".join(cell).replace("\n", " ") for cell in product(*(scale.labels for scale in scales)))
    return ChartScale(title=" · ".join(scale.title for scale in scales), form="listed", labels=different(labels))


def different(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the labels, numbered where one looks like an earlier one."""
    taken: dict[str, None] = {}
    for label in labels:
        name, number = label, 1
        while name in taken:
            number += 1
            name = f"{label} ({number})"
        taken[name] = None
    return tuple(taken)


def _in_days(cells: Sequence[Cell]) -> bool:
    days = [cell for cell in cells if cell is not None]
    return bool(days) and all(isinstance(day, str) and DAY.fullmatch(day) for day in days)


def _milliseconds(day: Cell) -> float:
    assert isinstance(day, str)
    return (datetime.fromisoformat(day).replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(
        milliseconds=1
    )


def drawn(cell: Cell, in_days: bool) -> float | int | None:
    """Return a cell as a number: days in milliseconds since 1970."""
    if cell is None or isinstance(cell, int | float):
        return cell
    return _milliseconds(cell) if in_days else None


def is_against(table: Estimates) -> bool:
    """Return True if a table is drawn as a curve of shares: each row has both shares, and they differ."""
    across = table.extra.get(AGAINST, ())
    return len(set(across)) > 1 and None not in (*across, *table.value)


def has_both(table: Estimates) -> bool:
    """Return True if a table is one of slopes, of which some have both intervals."""
    if table.key_names != TERMS or not table.extra.keys() >= set(BOTH):
        return False
    return any(None not in ends for ends in zip(*(table.extra[name] for name in BOTH), strict=True))


def is_by_bin(table: Estimates) -> bool:
    """Return True if a table states what each bin of each column adds."""
    return table.key_names[: len(BY_BIN)] == BY_BIN


def paired(certificate: Certificate, table: str) -> dict[str, tuple[int, ...]]:
    """Return the tables that a heat map of a report shows, each by the places of its one or two columns; else none."""
    asked = certificate.asked(table)
    columns = called(certificate, table)
    if asked["kind"] != f"{families.ROWS}_{families.REPORT}" or len(columns) < FEWEST:
        return {}
    own = certificate.asked(certificate.statistic(table).id)["columns"]
    named = families.tables(own, FEWEST)
    return {name: tuple(own.index(column) for column in each) for name, each in named.items()}


def called(certificate: Certificate, table: str) -> tuple[str, ...]:
    """Return the names of the columns of rows on the sides of the map."""
    own = certificate.asked(certificate.statistic(table).id).get("columns", ())
    return different([visible(certificate.columns.label(name, language()), LONGEST_NAME) for name in own])


def map_of(drawing: Drawing, certificate: Certificate, tables: list[str]) -> Drawing:
    """Return a drawing of a report as a map: columns across and down, each pair once. `tables`: of its rows."""
    places = paired(certificate, drawing.question.id)
    labels = called(certificate, drawing.question.id)
    by_places: Mapping[tuple[int, ...], Mapping[str, Any]] = {
        places[name]: row for name, row in zip(tables, drawing.rows, strict=True) if name in places
    }
    rows = []
    for down, across in combinations_with_replacement(range(len(labels)), 2):
        own = (down,) if down == across else (down, across)
        if own in by_places:
            rows.append({**by_places[own], "i": down, "j": across, "k0": labels[down], "k1": labels[across]})
    scale = ChartScale(title="", form="listed", labels=labels)
    return replace(drawing, inner=scale, outer=scale, rows=rows, is_map=True)
