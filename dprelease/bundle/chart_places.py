"""Where the marks of a chart stand: on one straight scale with the numbers of its axis, each beside its own label.

In a grid colours stand for values: a larger one is further along from one colour to the other.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from dprelease.bundle.chart_maps import check_pairs
from dprelease.bundle.chart_parts import THIN, Part, beside
from dprelease.bundle.chart_series import check_series
from dprelease.charts.cells import tick
from dprelease.errors import IntegrityError
from dprelease.model.calendar import days_of
from dprelease.model.column import LISTED
from dprelease.model.presentation import Trait
from dprelease.model.release import Cell
from dprelease.words import phrase, quoted

if TYPE_CHECKING:
    from dprelease.bundle.chart_values import Chart


MARK, TICK = 1.0, 2.0
"""Pixels by which a mark, and the text beside a tick, may be off its scale."""
MOST_BARS = 48
"""More rectangles of one size beside a legend are a grid of colours."""
MOST_AXES = 400
ACROSS, DOWN = 0, 1
WAYS = (DOWN, ACROSS)
COLOUR = re.compile(r"rgb\((\d{1,3}), (\d{1,3}), (\d{1,3})\)")
ROUNDED = 1
"""By how much a part of a colour may be off."""
Coloured = tuple[float, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Labels:
    """The texts of one axis."""

    parts: tuple[Part, ...]

    @property
    def way(self) -> int:
        """Tells whether they stand side by side, or one below another."""
        wide, high = (max(p.centre[way] for p in self.parts) - min(p.centre[way] for p in self.parts) for way in (0, 1))
        return ACROSS if wide >= high else DOWN

    @property
    def ticks(self) -> list[tuple[float, float, float]]:
        """Number, place and allowance of each; nothing where one of them is no number, or they are on no scale."""
        numbers = [tick(part.text) for part in self.parts]
        known = [
            (number, part.centre[self.way], TICK)
            for number, part in zip(numbers, self.parts, strict=True)
            if number is not None
        ]
        return known if len(known) == len(numbers) and straight(known, self.way) else []


def check_places(chart: Chart, found: Sequence[Part], name: str) -> None:
    """Raises IntegrityError where a mark is not where its values and labels say, or nothing says what one is."""
    shapes = [part for part in found if part.is_shape]
    bare = [part for part in shapes if part.filled and not part.shows and not part.series and part.tag != "line"]
    paper = [part for part in bare if part.tag == "rect" and not part.kind][:1]
    legend = [part for part in bare if part.kind == "legend"][:1]
    if len(bare) > len(paper) + len(legend):
        raise IntegrityError(phrase("bundle.draws_something_does_say", name=name))
    marks = [part for part in shapes if _values(part)]
    labels = families(found)
    if len(labels) + sum(part.kind == "panel" for part in found) > MOST_AXES:
        raise IntegrityError(phrase("bundle.more_than_axes_panels", name=name, most_axes=MOST_AXES))
    _check_panels(chart, found, name)
    named = [family for family in labels if all(chart.is_known(part.text) for part in family.parts)]
    for family in labels:
        if family not in named and not family.ticks and not _has_days(chart):
            raise IntegrityError(phrase("bundle.says_axis_no_label", name=name, text=quoted(family.parts[0].text)))
    shown_rows = {row for part in marks for row, column, _ in part.shows if column == chart.value}
    drawn = (
        row
        for row, cells in enumerate(chart.rows)
        if cells[chart.value] is not None and not chart.totals[row] and (not chart.paired or chart.placed(row))
    )
    if marks and any(row not in shown_rows for row in drawn):
        raise IntegrityError(phrase("bundle.leaves_out_what_table", name=name))
    if _is_grid(marks, named, coloured=bool(legend) and len(marks) > MOST_BARS):
        _check_beside(chart, found, named, name)
        if chart.paired:
            check_pairs(chart, found, [_by_place(named, way) for way in WAYS], name)
        check_colours(
            ((_values(part)[0], part) for part in marks), name, both_ways=chart.question.kind == "correlation"
        )
        return
    for panel in _panels(found):
        way = _scale_of(panel, labels, name)
        _check_beside(chart, panel, [family for family in named if family.way != way or len(family.parts) == 1], name)
        _check_order(chart, panel, 1 - way, name)
    if not marks:
        _check_beside(chart, found, named, name)
    check_series(chart, found, [family.ticks for family in labels if family.way == DOWN], name)


def _by_place(named: Sequence[Labels], way: int) -> dict[float, str]:
    """The labels along one way, by where they stand."""
    labels: dict[float, str] = {}
    for part in (part for each in named if each.way == way for part in each.parts):
        labels.setdefault(part.centre[way], part.text)
    return labels


def _values(part: Part) -> list[float]:
    """The numbers or days that a shape says it shows."""
    numbers = [_number(value) for _, _, value in part.shows]
    return [number for number in numbers if number is not None] if None not in numbers else []


def _number(value: str | None) -> float | None:
    try:
        return None if not value else float(value) if "-" not in value[1:] or "e" in value else _day(value)
    except ValueError:
        return None


def _day(text: str) -> float:
    return float(date.fromisoformat(text).toordinal())


def _first_day(name: Cell, level: str) -> float:
    return float(days_of(str(name), level)[0].toordinal())


def families(found: Sequence[Part]) -> list[Labels]:
    """The texts on axes, by the group they stand in."""
    axes: dict[tuple[int, ...], list[Part]] = defaultdict(list)
    for part in found:
        if part.kind == "axis" and part.text:
            axes[part.within].append(part)
    return [Labels(tuple(each)) for each in axes.values()]


def _has_days(chart: Chart) -> bool:
    """Whether an axis may have the names of days and months."""
    if chart.calendar:
        return True
    cells = (cell for row in chart.rows for cell in (row[chart.value], *(row[key] for key in chart.keys)))
    return any(isinstance(cell, str) and len(cell) == 10 and _number(cell) is not None for cell in cells)


def _is_grid(marks: Sequence[Part], named: Sequence[Labels], *, coloured: bool) -> bool:
    """Whether values are shown by colours: equal rectangles beside labels on both sides, or many beside a legend."""
    sizes = [(part.right - part.left, part.bottom - part.top) for part in marks]
    equal = all(abs(one - other) < MARK for pair in pairwise(sizes) for one, other in zip(*pair, strict=True))
    both = {family.way for family in named if len(family.parts) > 1} == {ACROSS, DOWN}
    flat = any(part.tag not in ("path", "rect") or _is_point(part) for part in marks)
    return bool(marks) and equal and (both or coloured) and not flat


def _check_panels(chart: Chart, found: Sequence[Part], name: str) -> None:
    told = [part for part in found if part.shows]
    headers = [part for part in found if part.kind == "panel" and part.text]
    for header in headers:
        marks = beside(told, header)
        if chart.is_known(header.text) and _is_empty(chart, header, headers, marks):
            continue
        rows = {row for part in marks for row, _, _ in part.shows}
        if not chart.is_known(header.text) or not all(chart.matches(header.text, row) for row in rows):
            raise IntegrityError(phrase("bundle.what_stands_below", name=name, text=quoted(header.text)))


def _is_empty(chart: Chart, header: Part, headers: Sequence[Part], marks: Sequence[Part]) -> bool:
    """Whether a panel has nothing to show, so that the marks nearest to its header are those of all panels."""
    group = next((each for each in reversed(header.within) if any(each in part.within for part in marks)), None)
    if not any(group in other.within for other in headers if other is not header):
        return False
    own = (cells for row, cells in enumerate(chart.rows) if chart.matches(header.text, row))
    return all(cells[chart.value] is None for cells in own)


def _panels(found: Sequence[Part]) -> Iterator[list[Part]]:
    """What stands in each panel; everything where there are none."""
    headers = [part for part in found if part.kind == "panel"]
    taken: set[int] = set()
    told = [part for part in found if part.shows]
    for header in headers:
        inside = [part for part in beside(told, header) if id(part) not in taken]
        taken |= {id(part) for part in inside}
        yield inside
    rest = [part for part in told if id(part) not in taken]
    if rest:
        yield rest


def _scale_of(panel: Sequence[Part], labels: Sequence[Labels], name: str) -> int:
    """Which way the values of a panel go. Raises IntegrityError where its marks are on no scale of the chart."""
    marks = [part for part in panel if part.is_shape and _values(part)]
    days = any("-" in (value or "")[1:] and "e" not in (value or "") for part in marks for *_, value in part.shows)
    for way in WAYS:
        ends = [end for part in marks for end in _ends(part, way)]
        scales = [family.ticks for family in labels if family.way == way or len(family.parts) == 1]
        if any(straight([*ends, *each], way) for each in scales if each) or (days and straight(ends, way)):
            return way
    if marks:
        raise IntegrityError(phrase("bundle.marks_where_axis_their", name=name))
    return DOWN


def _ends(part: Part, way: int) -> Iterator[tuple[float, float, float]]:
    """Which number a shape has at which place, going one way."""
    values = _values(part)
    low, high = (part.left, part.right) if way == ACROSS else (part.bottom, part.top)
    if part.tag == "line" and len(values) == 2:
        yield from ((values[0], part.first[way], MARK), (values[1], part.last[way], MARK))
    elif len(values) == 2:
        yield from ((min(values), low, MARK), (max(values), high, MARK))
    elif _is_point(part) or abs(high - low) <= THIN:
        yield values[0], part.centre[way], MARK + (0 if _is_point(part) else THIN / 2)
    else:
        yield from ((values[0], high if values[0] >= 0 else low, MARK), (0.0, low if values[0] >= 0 else high, MARK))


def _is_point(part: Part) -> bool:
    return part.tag == "circle" or (part.tag == "path" and part.top == part.bottom)


def straight(places: Sequence[tuple[float, float, float]], way: int) -> bool:
    """Whether numbers and places are on one line that grows to the right, or upwards."""
    if not places:
        return True
    (first, start, loose), (last, end, loosened) = min(places), max(places)
    if first == last:
        return all(abs(place - start) <= loose + allowed for _, place, allowed in places)
    slope = (end - start) / (last - first)
    if slope * (1 if way == ACROSS else -1) <= 0:
        return False
    off = max(loose, loosened)
    return all(abs(start + slope * (number - first) - place) <= allowed + off for number, place, allowed in places)


def _check_beside(chart: Chart, told: Sequence[Part], named: Sequence[Labels], name: str) -> None:
    """That each mark and number stands nearest to a label of its own row, or at its key on a scale of numbers."""
    for way in WAYS:
        families = [each for each in named if each.way == way]
        labels = _by_place(named, way)
        places = sorted(labels)
        for part in told if labels else ():
            nearest = labels[_nearest(places, part.centre[way])]
            if part.shows and not chart.matches(nearest, part.shows[0][0]):
                if any(_along(chart, told, each.ticks, way) for each in families):
                    break
                raise IntegrityError(phrase("bundle.mark_stands_beside", name=name, nearest=quoted(nearest)))


def _along(chart: Chart, told: Sequence[Part], ticks: Sequence[tuple[float, float, float]], way: int) -> bool:
    """Whether every mark stands at its key on a scale of numbers: at most as far from it as the next key is."""
    if len(ticks) < 2:
        return False
    (first, start, _), (last, end, _) = min(ticks), max(ticks)
    found = [
        (part.shows[0][0], first + (part.centre[way] - start) * (last - first) / (end - start))
        for part in told
        if part.shows
    ]
    off = TICK * abs((last - first) / (end - start))
    for key in chart.along:
        keys = {row: float(cell) for row, _ in found if isinstance(cell := chart.rows[row][key], int | float)}
        order = sorted(set(keys.values()))
        after = dict(zip(order, [*order[1:], order[-1] * 2 - order[-2]], strict=True)) if len(order) > 1 else {}
        near = min((after[each] - each for each in after), default=0.0) / 2 + off
        whole = bool(after) and len(keys) >= len({row for row, _ in found})
        if whole and all(keys[row] - near <= place <= after[keys[row]] + near for row, place in found):
            return True
    return False


def _nearest(places: Sequence[float], place: float) -> float:
    """Of sorted places the one that is nearest to another."""
    after = bisect(places, place)
    return min(places[max(0, after - 1) : after + 1], key=lambda each: abs(each - place))


def _check_order(chart: Chart, panel: Sequence[Part], way: int, name: str) -> None:
    """That marks over numbers or days stand in the order of these."""
    places: Mapping[int, float] = {part.shows[0][0]: part.centre[way] for part in panel if part.is_shape and part.shows}
    for key in chart.along:
        cells = {row: chart.rows[row][key] for row in places}
        level = chart.calendar.get(key)
        numbers = {
            row: _first_day(cell, level) if level else _number(cell) if isinstance(cell, str) else cell
            for row, cell in cells.items()
            if cell is not None
        }
        known = {row: number for row, number in numbers.items() if isinstance(number, int | float)}
        if len(set(known.values())) < max(2, len(places)):
            continue
        order = [places[row] for row in sorted(known, key=lambda row: known[row])]
        if any(then < before for before, then in pairwise(order)) and _says_in_order(chart, key):
            raise IntegrityError(phrase("bundle.marks_do_stand_order", name=name, key=quoted(key)))


def _says_in_order(chart: Chart, key: str) -> bool:
    """Whether a key runs along a numeric axis."""
    declared = chart.question.columns.get(chart.question.column_of(key))
    listed = declared is not None and declared.type in LISTED
    return not chart.question.presentation.has(Trait.RANKED) and not listed


def check_colours(marks: Iterable[tuple[float, Part]], name: str, *, both_ways: bool) -> None:
    """Raises IntegrityError where the colours of cells are not in the order of their values.

    `both_ways`: from a middle at 0 to one colour above it and to another below. Which colours they are is open.
    """
    given = list(marks)
    if len({part.fill for _, part in given}) < 2:  # of one value, or of columns that are not measured alike
        return
    found: list[Coloured] = []
    for value, part in given:
        colour = COLOUR.fullmatch(part.fill)
        if colour is None:
            raise IntegrityError(phrase("bundle.cell_no_colour_stands", name=name))
        found.append((value, tuple(map(int, colour.groups()))))
    sides = [[each for each in found if each[0] <= 0], [each for each in found if each[0] >= 0]]
    if not all(_in_order(sorted(side)) for side in (sides if both_ways else [found])):
        raise IntegrityError(phrase("bundle.colours_order_values_they", name=name))


def _in_order(found: Sequence[Coloured]) -> bool:
    """Whether each part of the colours only grows, or only shrinks, along the values; equal ones look alike."""
    for parts in zip(*(colour for _, colour in found), strict=True):
        way = 1 if parts[-1] >= parts[0] else -1
        furthest = list(accumulate((way * part for part in parts), max))
        if any(way * part < most - ROUNDED for part, most in zip(parts, furthest, strict=True)):
            return False
        steps = zip(pairwise(value for value, _ in found), pairwise(parts), strict=True)
        if any(value == following and abs(one - other) > ROUNDED for (value, following), (one, other) in steps):
            return False
    return True
