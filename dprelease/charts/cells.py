"""Table of estimates as its readers see it: headings, states in words, and only digits that the noise supports.

And the comparison of such a text with a table's cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat

from dprelease.model.grade import TOTAL_ENDS, Grade, grades
from dprelease.model.release import Cell, Estimates, Release
from dprelease.statements.cell_names import key_text
from dprelease.statements.display import estimate, half_width, shown
from dprelease.statements.number import beside, hidden, how_reliable, said, share
from dprelease.statements.question import StatisticLabel
from dprelease.words.releases import WORDS, say

SHARE = "_share"
"""Suffix of the name of a column of shares of counts."""
COEFFICIENTS = frozenset(("predicts", "across", "lower95_both", "upper95_both", "pull"))
"""Columns beside a coefficient, with nine digits in the file and as many as the coefficient on a page."""
FEW_DIGITS = 4


@dataclass(frozen=True, slots=True)
class TableText:
    """Table with its question."""

    estimates: Estimates
    question: StatisticLabel
    most: int
    """Largest number of rows shown."""
    grades: Sequence[Grade] = ()
    """Grades of the rows that are shown."""

    @classmethod
    def of(cls, release: Release, table: str, most: int) -> TableText:
        """Return a table of a release with its question and its grades."""
        estimates, certificate = release.tables[table], release.certificate
        graded = tuple(islice(grades(certificate, table, estimates), most))
        return cls(estimates, StatisticLabel.of(certificate, table), most, graded)

    @property
    def graded(self) -> bool:
        """True if grades are shown: some row is not reliable."""
        return any(each is not Grade.RELIABLE for each in self.grades)

    @property
    def rows(self) -> int:
        """Number of rows shown."""
        return min(self.most, len(self.estimates))

    @property
    def keys(self) -> int:
        """Number of key columns."""
        return len(self.estimates.key_names)

    @property
    def intervals(self) -> bool:
        """True if any value shown has an end of an interval."""
        ends = (*self._shown(self.estimates.lower95), *self._shown(self.estimates.upper95))
        return any(end is not None for end in ends)

    def heads(self) -> list[str]:
        """Return the heading of each column; key columns have their labels, else their names in the file."""
        of = "_penalised" if "pull" in self.estimates.extra else ""
        own = [self.question.head, *((f"head_lower95{of}", f"head_upper95{of}") if self.intervals else ())]
        graded = [say("head_grade")] if self.graded else []
        return [
            *map(self.question.head_of, self.estimates.key_names),
            *map(say, own),
            *map(head, self.estimates.extra),
            *graded,
        ]

    def numeric(self) -> list[bool]:
        """Return True for each column that holds numbers."""
        named: list[bool] = []
        for axis in self.estimates.axes:
            columns = list(zip(*islice(axis.cells, self.most), strict=True)) or [("",)] * len(axis.names)
            named += map(_numbers, columns)
        own = [_numbers(self._shown(self.estimates.value)), *((True, True) if self.intervals else ())]
        extra = (_numbers(self._shown(column)) for column in self.estimates.extra.values())
        return [*named, *own, *extra, *([False] if self.graded else [])]

    def body(self) -> Iterator[list[str]]:
        """Yield the cells of each row that is shown."""
        names, width = tuple(self.estimates.extra), 3 if self.intervals else 1
        grades = self.grades or repeat(None)
        for row, grade in zip(islice(self.estimates.rows(), self.most), grades, strict=False):
            numbers = row[self.keys :]
            value, lower, upper = numbers[:3]
            extra = dict(zip(names, numbers[3:], strict=True))
            own = said(self.question, value, lower, upper, grade=grade)
            more = further(self.question, extra, lower, upper, grade)
            if grade is not None and (word := hidden(self.question.coefficients, grade, lower, upper)):
                own, more = (word, *own[1:]), [""] * len(more)
            yield [
                *(self._key(cell) for cell in row[: self.keys]),
                *own[:width],
                *more,
                *([how_reliable(grade)] if grade is not None and self.graded else []),
            ]

    def labels(self) -> Iterator[list[tuple[str, str]]]:
        """Yield for each row shown the labels of its keys, each with its language; both empty without one."""
        for row in islice(self.estimates.rows(), self.most):
            keys = zip(self.estimates.key_names, row, strict=False)
            yield [self.question.coded(name, cell) for name, cell in keys]

    def _key(self, cell: Cell) -> str:
        return self.question.beside(cell) or key_text(cell)

    def _shown(self, column: Iterable[Cell]) -> list[Cell]:
        return list(islice(column, self.most))


def further(
    question: StatisticLabel, extra: Mapping[str, Cell], lower: Cell, upper: Cell, grade: Grade | None = None
) -> list[str]:
    """Return the cells after the interval. A raw value, and the ends of a total interval, have the digits of the value.

    A share of a count has the grade of the count. Beside a number that is not told apart from none there are none.
    """
    texts = {name: shown(cell) for name, cell in extra.items()}
    texts |= {name: _beside(name, cell, lower, upper) for name, cell in extra.items() if name in COEFFICIENTS}
    for name in ("raw", *TOTAL_ENDS):
        if name in extra:
            texts[name] = "" if grade is Grade.NONE else beside(question, extra[name], lower, upper)
    for name in extra:
        own = (name, f"{name}_lower95", f"{name}_upper95")
        if {*own} <= extra.keys():
            cells = [extra[each] for each in own]
            is_share = name.endswith(SHARE)
            texts |= zip(own, share(*cells, grade=grade) if is_share else estimate(*cells), strict=True)
            if (raw := f"{name}_raw") in extra:
                texts[raw] = estimate(extra[raw], *cells[1:])[0]
    return list(texts.values())


def _beside(name: str, cell: Cell, lower: Cell, upper: Cell) -> str:
    """Write a number beside a coefficient with as many digits; ends of an interval are rounded outward."""
    half = half_width(lower, upper)
    if half is None or not isinstance(cell, int | float):
        return shown(cell, FEW_DIGITS)
    if name == "lower95_both":
        return estimate(cell, cell, cell + 2 * half)[1]
    return estimate(cell, cell - 2 * half, cell)[2 if name == "upper95_both" else 0]


def head(name: str) -> str:
    """Return the heading of a column after the interval."""
    return say(f"head_{name}") if f"head_{name}" in WORDS else name


def _numbers(column: Iterable[Cell]) -> bool:
    return not any(isinstance(cell, str) for cell in column)
