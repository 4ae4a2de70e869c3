"""What a first screen says of a release: headline numbers and findings, by rule, from published numbers only.

A finding holds with 95 % for all cells of its table together. Noise that stays within r with 95 % (r: the reach of the
interval and one step), symmetric and log-concave, stays within r · ln(20 m) / ln 20 but in 1 of 20 m cases: so do, by
Bonferroni, the noises of m cells, however they depend on one another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import log

from dprelease.charts.cells import TableText
from dprelease.model.certificate import Certificate
from dprelease.model.grade import Grade, Scale
from dprelease.model.presentation import Trait
from dprelease.model.release import Estimates, Release
from dprelease.statements.cell_names import cell_label
from dprelease.statements.display import shown
from dprelease.statements.question import Question
from dprelease.words.releases import WORDS, enumerate_words, say

MOST_CELLS = 400
"""Of a table of which something is found."""
MOST_NAMED = 3
"""Cells that a finding names."""
HEADLINES = 3
NOISES = ("discrete_laplace", "discrete_gaussian")
QUOTABLE = (Grade.RELIABLE, Grade.CAUTION)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one table shows. `most`: the cells at these places have more than every other one.

    `between`: the first has more than the second. `nothing`: no two differ by more than noise may explain.
    """

    way: str
    places: tuple[int, ...] = ()
    """Of rows, from 0; in the order of the table where there are several with the most."""

    def __str__(self) -> str:
        return f"{self.way}:{','.join(map(str, self.places))}"


@dataclass(frozen=True, slots=True)
class Headline:
    """A statistic that is one number which can be quoted."""

    statistic: str
    question: str
    measure: str
    value: str
    lower: str
    upper: str


def finding(release: Release, table: str) -> Finding | None:
    """Returns what is found in a table; None where nothing is looked for.

    That is so where cells do not add up, were made to fit, or chosen by their noise: nothing tells how far off all of
    them are together.
    """
    cells = _ranges(release, table)
    if len(cells) < 2:
        return None
    ranked = sorted(cells, key=lambda cell: -cell.value)
    for count in range(1, min(MOST_NAMED, len(ranked) - 1) + 1):
        if min(cell.least for cell in ranked[:count]) > max(cell.most for cell in ranked[count:]):
            return Finding("most", tuple(sorted(cell.place for cell in ranked[:count])))
    first, last = ranked[0], ranked[-1]
    if first.least > last.most:
        return Finding("between", (first.place, last.place))
    apart = max(cell.least for cell in cells) > min(cell.most for cell in cells)
    return None if apart else Finding("nothing")


def told(release: Release, table: str, found: Finding) -> str:
    """A finding in one sentence."""
    names = [_name(release, table, place) for place in found.places]
    if found.way == "between":
        sentence = say("finding_between", first=names[0], last=names[1])
    elif found.way == "most" and len(names) > 1:
        sentence = say("finding_several", names=enumerate_words(names))
    else:
        sentence = say("finding_most", name=names[0]) if names else say("finding_nothing")
    return say("finding_whole", finding=sentence) if any(_cut(release.tables[table])) else sentence


def headlines(release: Release) -> Iterator[Headline]:
    """The first statistics of one number each that can be quoted, in the order of the release."""
    found = 0
    for table, estimates in release.tables.items():
        if found == HEADLINES:
            return
        if estimates.key_names or len(estimates) != 1:
            continue
        reading = TableText.of(release, table, 1)
        if not reading.grades or reading.grades[0] not in QUOTABLE or not reading.intervals:
            continue
        (row,) = reading.body()
        found += 1
        question = reading.question
        yield Headline(table, question.text, question.measure, *row[:3])


def contents(cells: int, unreliable: int) -> str:
    """How many numbers a table has, and how many of them not to quote."""
    told = say("numbers_counted", cells, count=shown(cells))
    return say("numbers_unsure", unreliable, numbers=told, count=shown(unreliable)) if unreliable else told


@dataclass(frozen=True, slots=True)
class _Range:
    place: int
    value: float
    least: float
    most: float


def _ranges(release: Release, table: str) -> list[_Range]:
    """The cells of a table, each with a range that holds together with all others with 95 %.

    Totals are left out, and periods of which the bounds hold a part.
    """
    estimates, certificate = release.tables[table], release.certificate
    if not 2 <= len(estimates) <= MOST_CELLS or not _is_comparable(certificate, table):
        return []
    step = Scale.of(certificate, table).step
    question = Question.of(certificate, table)
    beside = zip(question.aside(estimates), question.unanswered(estimates), _cut(estimates), strict=True)
    left_out = [any(each) for each in beside]
    cells: list[_Range] = []
    rows = zip(estimates.value, estimates.lower95, estimates.upper95, left_out, strict=True)
    wider = log(20 * max(1, left_out.count(False))) / log(20)
    for place, (value, lower, upper, left) in enumerate(rows):
        if left:
            continue
        if not (isinstance(value, int | float) and isinstance(lower, int | float) and isinstance(upper, int | float)):
            return []
        half = (max(value - lower, upper - value) + (step or 0)) * wider
        cells.append(_Range(place, float(value), value - half, value + half))
    return cells


def _cut(estimates: Estimates) -> list[bool]:
    """Tells of each row whether it is of a period of which the bounds hold a part."""
    if "finding_whole" not in WORDS:
        return [False] * len(estimates)
    each = product(*([axis.is_cut(place) for place in range(len(axis.cells))] for axis in estimates.axes))
    return list(map(any, each))


def _is_comparable(certificate: Certificate, table: str) -> bool:
    stated = certificate.statistic(table)
    shown, mechanisms = stated.presentation, certificate.rests_on(stated)
    adds_up = shown.has(Trait.ADDITIVE) and not shown.has(Trait.UNLIKE) and not shown.has(Trait.RANKED)
    noised = bool(mechanisms) and all(each.name in NOISES and "threshold" not in each.settings for each in mechanisms)
    if "survey_weights" in certificate.asked(table):
        return False  # a sample: what differs in it by more than noise may not differ in the population
    return adds_up and noised and not certificate.plan.get("postprocess")


def _name(release: Release, table: str, place: int) -> str:
    """What a row is called: its keys as charts have them."""
    estimates, question = release.tables[table], Question.of(release.certificate, table)
    names: list[str] = []
    for axis in reversed(estimates.axes):
        place, own = divmod(place, len(axis.cells))
        names.insert(0, cell_label(axis, axis.cells[own], question))
    return ", ".join(names)
