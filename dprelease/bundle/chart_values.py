"""The numbers of charts and their notes, compared with the tables: in files and inside the page. Not as bytes."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, cached_property
from itertools import combinations, islice

from dprelease.bundle.chart_grid_values import check_grid, stated_grid
from dprelease.bundle.chart_parts import Part, parts
from dprelease.bundle.chart_places import check_places
from dprelease.bundle.chart_ranges import check_ranges
from dprelease.bundle.page_values import PAGE, Shown
from dprelease.bundle.tables import written
from dprelease.charts.cells import fits, key_text, masked, numbers, tick
from dprelease.charts.data import AGAINST, MOST_CELLS, called, is_against, is_unsure, paired
from dprelease.charts.display import half_width, shown_key
from dprelease.charts.question import Question, titled
from dprelease.charts.theme import LIGHT, hatches, style
from dprelease.errors import IntegrityError
from dprelease.model.grade import COUNT, grades
from dprelease.model.presentation import Look, Trait
from dprelease.model.release import Cell, Release, is_partial
from dprelease.words import phrase, quoted
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.phrases import ELLIPSIS, visible
from dprelease.words.releases import say

CONFIDENCE = Decimal(95)
LOSS = re.compile(r"[εδρ]|epsilon|delta", re.IGNORECASE)
AGAIN = re.compile(r"\([0-9]+\)$")
MOST_KEYS = 6
PLACED = ("axis", "panel")
"""Kinds of texts that are compared with the rows beside which they stand."""
NOTES = (
    *("noise_only", "noise_band", "noise_margin", "noise_widest", "no_interval", "without_value", "without_end"),
    *("hatched", "hatched_graded", "hollow_partial", "cautious", "no_interval_graded", "without_end_graded"),
    *("map_of_pairs", "each_step", "box", "not_drawn", "no_category", "too_large", "not_numbers", "no_value", "share"),
    *("noise_thick", "sampling_thin", "pale_band", "grid_cells", "grid_centres"),
)
"""Sentences above and below charts, and in the place of one."""
LINE_OF_LABEL = 40
"""Characters of a label that stands without its code."""
LINE = 60
"""Characters of a word that may be cut in two at the end of a line."""
SVG_ADDRESS = "data:image/svg+xml;base64,"


class Chart:
    """One statistic's table, as what a chart of it is compared with."""

    def __init__(self, release: Release, statistic: str) -> None:
        self.release, self.statistic = release, statistic
        self.table = release.tables[statistic]
        self.question = Question.of(release.certificate, statistic)
        names = [visible(name) for name in self.table.columns]
        rows = self.table.rows() if len(self.table) <= MOST_CELLS else ()
        self.rows = [dict(zip(names, row, strict=True)) for row in rows]
        found = grades(release.certificate, statistic, self.table)
        self.grades = None if found is None else list(islice(found, len(self.rows)))
        self.totals = self.question.totals(self.table) if len(self.table) <= MOST_CELLS else ()
        self.keys = [visible(name) for name in self.table.key_names]
        self.along = [AGAINST] if is_against(self.table) else self.keys
        self.shown_names = {visible(name): name for name in self.table.key_names}
        ranked = self.question.presentation.has(Trait.RANKED) and self.table.extra.keys() >= set(COUNT)
        self.value = COUNT[0] if ranked else "value"
        self.calendar = {
            visible(axis.names[0]): level for axis in self.table.axes if (level := self.question.calendar(axis))
        }
        self.called = [*self.keys, "value"] if ranked else self.keys
        self.paired = paired(release.certificate, statistic)
        self.columns = called(release.certificate, statistic) if self.paired else ()

    def check(self, svg: bytes, name: str) -> int:
        """Tells how many values the chart says it shows. Raises IntegrityError where one is not the table's."""
        drawn, found = check_grid(self, parts(svg, name, style=style()), name)
        told = drawn + sum(self._check_told(part, name) for part in found)
        for part in found:
            if part.shows and part.is_shape and part.kind != "legend":
                self._check_unsure(part, name)
            if part.tag == "text" and not part.shows and part.kind not in PLACED:
                self._check_words(part, name)
        check_places(self, found, name)
        check_ranges(self, found, name)
        return told

    def _check_told(self, part: Part, name: str) -> int:
        for row, column, value in part.shows:
            cells = self.rows[row] if 0 <= row < len(self.rows) else {}
            if column not in cells or (value is not None and value != written(cells[column])):
                raise IntegrityError(phrase("bundle.shows_another_than_table", name=name, column=quoted(column)))
        if part.tag == "text" and part.shows and not self._says(part.text, part.shows[0][0], part.shows[0][1]):
            raise IntegrityError(phrase("bundle.says_what_table_there", name=name, text=quoted(part.text)))
        return len(part.shows)

    def _check_unsure(self, part: Part, name: str) -> None:
        """Raises IntegrityError where a mark is hatched or dashed and its number can be used, or the other way round.

        Cells of a grid, which have a border of the paper's colour, say it by their margins; boxes do not say it.
        """
        (row, column, _), *others = part.shows
        told = not others and column == self.value and part.stroke != LIGHT.paper
        marked = self.grades is not None or hatches()
        if not told or not marked or self.question.presentation.look is Look.BOXES:
            return
        cells = self.rows[row]
        ends = COUNT[1:] if column == COUNT[0] else ("lower95", "upper95")
        grade = self.grades[row] if self.grades is not None else None
        value, lower, upper = (cells[each] for each in (column, *ends))
        if part.unsure != is_unsure(self.question, value, lower, upper, grade):
            raise IntegrityError(phrase("bundle.hatched_otherwise", name=name))

    def _says(self, text: str, row: int, column: str) -> bool:
        """Whether a text beside a mark says what its cell has: a value, an interval, a margin, or a count with one."""
        if not text:
            return True
        cells = self.rows[row]
        ends = COUNT[1:] if COUNT[1] in cells else ("lower95", "upper95")
        if "±" in text:
            before, _, after = text.partition("±")
            counted = COUNT[0] if COUNT[0] in cells else self.value
            half, told = half_width(cells[ends[0]], cells[ends[1]]), numbers([after])
            right = half is not None and len(told) == 1 and _is_margin(told[0], half)
            return right and (not before.strip() or fits(before, counted, cells, self.keys))
        if "%" in text:
            told = numbers([text])
            own: list[str] = [each for each in text.replace("%", " ").split(" ") if numbers([each])]
            low, high = own[1:] if len(own) == 3 else ("", "")
            ways = fits(low, ends[0], cells, self.keys) and fits(high, ends[1], cells, self.keys)
            return told[:1] == [CONFIDENCE] and ways
        if column not in (self.value, *ends):
            return fits(text, column, cells, self.keys, label=self._answered(column, cells))
        grade = None if self.grades is None else self.grades[row]
        return fits(text, self.value, cells, self.keys, grade, self._answered(self.value, cells))

    def _answered(self, column: str, cells: Mapping[str, Cell]) -> str:
        return self.question.answered(cells[column]) if column == "value" else ""

    def _check_words(self, part: Part, name: str) -> None:
        """Raises IntegrityError where a title or a note is not said of the statistic, or has a number that is not its.

        Beside a legend are the numbers of its scale, by which nothing can be measured.
        """
        number = tick(part.text) is not None
        if not number and not self._is_said(part.text):
            raise IntegrityError(phrase("bundle.says_no_chart_statistic", name=name, text=quoted(part.text)))
        if not number or part.kind != "legend":
            self._check_numbers(part.text, name)

    def check_notes(self, text: str, name: str) -> None:
        """Raises IntegrityError where a note is not said of the statistic. `text`: of each one, with a point."""
        rest = masked(text)
        while rest:
            note = next((f"{said}." for said in self._said if rest.startswith(f"{said}.")), None)
            if note is None:
                raise IntegrityError(phrase("bundle.says_no_chart_statistic", name=name, text=quoted(rest)))
            rest = rest.removeprefix(note).strip()
        self._check_numbers(text, name)

    def _check_numbers(self, text: str, name: str) -> None:
        told = numbers([text])
        if not told or _squeezed(text) in _squeezed(self.question.text):
            return
        known = self.losses if LOSS.search(text) else self.known
        strange = [each for each in told if each not in known and not self._is_widest(each)]
        if strange:
            raise IntegrityError(phrase("bundle.says_release_does_state", name=name, text=quoted(text)))

    def _is_said(self, text: str) -> bool:
        """Whether a text, or a line of one that was broken or cut, is among those that charts have."""
        line = masked(text.removesuffix(ELLIPSIS))
        if text.endswith(ELLIPSIS) or any(len(word) > LINE for said in self._said for word in said.split()):
            return any(_squeezed(line) in _squeezed(said) for said in self._said)
        return any(f" {line} " in f" {said} " for said in self._said)

    @cached_property
    def _said(self) -> list[str]:
        titles = [self.question.axis_title(axis) for axis in self.table.axes]
        titles += [" · ".join(chosen) for size in range(2, len(titles) + 1) for chosen in combinations(titles, size)]
        titles += [say("head_false_alarms")] if AGAINST in self.along else []
        if grid := stated_grid(self.release, self.statistic):
            titles += [say("records"), *(titled(each["column"], self.question.columns) for each in grid["inputs"])]
        counted = [say("each_cell", name=title, cells=0) for title in titles]
        nothing = dict.fromkeys(("margin", "count", "cells", "first", "last"), 0)
        notes = [say(key, **nothing) for key in NOTES]
        return [masked(text) for text in (self.question.text, self.question.measure, *titles, *counted, *notes)]

    def _is_widest(self, told: Decimal) -> bool:
        return self.widest is not None and _is_margin(told, self.widest)

    @cached_property
    def widest(self) -> float | None:
        halves = (half_width(row["lower95"], row["upper95"]) for row in self.rows)
        return max((half for half in halves if half is not None), default=None)

    @cached_property
    def losses(self) -> set[Decimal]:
        """Returns what the certificate states of the loss."""
        certificate = self.release.certificate
        own, whole = certificate.spent_on(certificate.statistic(self.statistic)), certificate.guarantee
        stated = (whole.epsilon, whole.delta, whole.rho or 0)
        return {*(Decimal(repr(each)) for each in stated), own.amount, own.delta, *numbers([self.question.text])}

    @cached_property
    def known(self) -> set[Decimal]:
        """The numbers that titles and notes of a chart may have: those of the question, and counts of cells."""
        plan = self.release.certificate.plan
        asked = self.release.certificate.asked(self.statistic)
        named = {name: plan.get("columns", {}).get(name) for name in plan.get("columns", {})}
        titles = [self.question.axis_title(axis) for axis in self.table.axes]
        texts = [json.dumps([[asked], named], ensure_ascii=False), self.question.text, self.question.measure, *titles]
        counts = {len(self.table), *(len(axis.cells) for axis in self.table.axes)}
        for rows in (self.rows, [row for row, total in zip(self.rows, self.totals, strict=False) if not total]):
            absent = sum(row["value"] is None for row in rows)
            partly = sum(None in (row["lower95"], row["upper95"]) or row["lower95"] == row["upper95"] for row in rows)
            counts |= {absent, partly, partly - absent}
        shares = [row.get("probability") for row in self.rows if "probability" in self.keys]
        hundreds = {Decimal(repr(share)) * 100 for share in shares if isinstance(share, int | float)}
        return {CONFIDENCE, *map(Decimal, counts), *hundreds, *numbers(texts)}

    def matches(self, label: str, row: int) -> bool:
        """Tells whether a label is that of a row: its keys in order, some left out where they say nothing, or cut."""
        return any(
            _is_cut(_squeezed(text), name) for text in (label, AGAIN.sub("", label)) for name in self._names[row]
        )

    def is_known(self, label: str) -> bool:
        """Tells whether a label is that of any row."""
        return _squeezed(label) in self._all_names or any(self.matches(label, row) for row in range(len(self.rows)))

    @cached_property
    def _all_names(self) -> set[str]:
        return set().union(*self._names)

    @cached_property
    def _names(self) -> list[set[str]]:
        if self.paired:
            return [{_squeezed(self.columns[place]) for place in self.placed(row)} for row in range(len(self.rows))]
        return [self._named(row) for row in self.rows]

    def placed(self, row: int) -> tuple[int, ...]:
        """The columns of a row of a map of pairs; none of a row that it does not show."""
        return self.paired.get(str(self.rows[row][self.keys[0]]), ())

    def _named(self, row: Mapping[str, Cell]) -> set[str]:
        said: list[str] = []
        for name in self.called:
            cell = row[name]
            before = said[-1] if said else ""
            bare = name.rstrip("_")
            if bare.endswith("_to") and said and any(key.rstrip("_") == f"{bare[:-3]}_from" for key in self.called):
                same = before == shown_key(cell)
                said[-1] = before if same else say("range", first=before, last=shown_key(cell))
            elif said and is_partial(name) and self.question.column_of(name) != name:
                said[-1] = say("partial_period", period=before) if cell == "yes" else before
            else:
                said.append(self._called(name, cell))
        some = range(1, len(said) + 1) if len(said) <= MOST_KEYS else (len(said),)
        return {_squeezed(" · ".join(chosen)) for size in some for chosen in combinations(said, size)}

    def _called(self, name: str, cell: Cell) -> str:
        """By its label, before which a long one has its code."""
        own = next(iter(self.question.names), name) if name not in self.keys else self.shown_names[name]
        label = self.question.coded(own, cell)[0]
        code = key_text(cell)
        return code if not label else label if len(label) <= LINE_OF_LABEL else f"{code} {label}"


def _is_margin(told: Decimal, half: float) -> bool:
    """Whether a number is half an interval, rounded up to two digits."""
    return Decimal(repr(half)) * Decimal("0.999999") <= told <= Decimal(repr(half)) * Decimal("1.11")


def _squeezed(text: str) -> str:
    return "".join(visible(text).split())


def _is_cut(label: str, name: str) -> bool:
    """Whether a label is a name, or what was left of each of its lines."""
    first, *rest = label.split(ELLIPSIS)
    if not rest:
        return label == name
    if not name.startswith(first):
        return False
    place = len(first)
    for piece in rest:
        found = name.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return len(label) > 1


def check_charts(release: Release, contents: Mapping[str, bytes], again: Shown) -> int:
    """Tells how many values the charts show. IntegrityError where one is not that of its table, or not in its place,
    or where something does not say what it shows. `again`: the page as it is written, without its charts."""
    of = cache(lambda statistic: Chart(release, statistic))
    with speaking(ENGLISH):
        total = 0
        page = Shown(contents.get(PAGE, b"").decode(errors="replace"))
        for name, statistic, svg in _charts(release, contents, page):
            total += of(statistic).check(svg, name)
        ends = {statistic: " ".join(text.split()) for statistic, text in again.notes}
        for statistic, text in page.notes:
            told = " ".join(text.split())
            if statistic not in ends:
                raise IntegrityError(phrase("bundle.note_release_does", page=PAGE, statistic=quoted(statistic)))
            if not told.endswith(ends[statistic]):
                raise IntegrityError(phrase("bundle.note_one_release", page=PAGE, statistic=statistic))
            of(statistic).check_notes(told.removesuffix(ends[statistic]), f"{PAGE}: the note to {statistic}")
    return total


def _charts(release: Release, contents: Mapping[str, bytes], page: Shown) -> Iterator[tuple[str, str, bytes]]:
    """Each chart with where it stands."""
    for statistic in release.tables:
        path = f"charts/{statistic}.svg"
        if path in contents:
            yield path, statistic, contents[path]
    waiting = {(tag, name) for tag in ("img", "source") for name in release.tables}
    for tag, statistic, address in page.images:
        if (tag, statistic) in waiting and address.startswith(SVG_ADDRESS):
            waiting.remove((tag, statistic))
            try:
                svg = b64decode(address.removeprefix(SVG_ADDRESS), validate=True)
            except Error:
                raise IntegrityError(phrase("bundle.chart_cannot_read", page=PAGE, statistic=statistic)) from None
            yield f"{PAGE}: the chart of {statistic}", statistic, svg
        else:
            raise IntegrityError(phrase("bundle.shows_image_no_chart", page=PAGE))
