"""A table of estimates as its readers see it: headings, states in words, and only digits that the noise supports.

And such texts read back: whether one shows what a cell of a table has.
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
"""Ends the name of a column of shares of counts."""
COEFFICIENTS = frozenset(("predicts", "across", "lower95_both", "upper95_both", "pull"))
"""Columns beside a coefficient, which have nine digits in the file and on a page as many as it has."""
FEW_DIGITS = 4


@dataclass(frozen=True, slots=True)
class TableText:
    """One table with its question."""

    estimates: Estimates
    question: StatisticLabel
    most: int
    """How many rows are shown at most."""
    grades: Sequence[Grade] = ()
    """Of the rows that are shown."""

    @classmethod
    def of(cls, release: Release, table: str, most: int) -> TableText:
        """Returns a table of a release with its question and its grades."""
        estimates, certificate = release.tables[table], release.certificate
        graded = tuple(islice(grades(certificate, table, estimates), most))
        return cls(estimates, StatisticLabel.of(certificate, table), most, graded)

    @property
    def graded(self) -> bool:
        """Tells whether it is said of any row how reliable it is: not where all are reliable."""
        return any(each is not Grade.RELIABLE for each in self.grades)

    @property
    def rows(self) -> int:
        """Tells how many rows are shown."""
        return min(self.most, len(self.estimates))

    @property
    def keys(self) -> int:
        """Tells how many columns name a row."""
        return len(self.estimates.key_names)

    @property
    def intervals(self) -> bool:
        """Tells whether an interval stands beside any value."""
        ends = (*self._shown(self.estimates.lower95), *self._shown(self.estimates.upper95))
        return any(end is not None for end in ends)

    def heads(self) -> list[str]:
        """The heading of each column; key columns are called as readers call them, else as in the file."""
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
        """Tells which columns hold numbers."""
        named: list[bool] = []
        for axis in self.estimates.axes:
            columns = list(zip(*islice(axis.cells, self.most), strict=True)) or [("",)] * len(axis.names)
            named += map(_numbers, columns)
        own = [_numbers(self._shown(self.estimates.value)), *((True, True) if self.intervals else ())]
        extra = (_numbers(self._shown(column)) for column in self.estimates.extra.values())
        return [*named, *own, *extra, *([False] if self.graded else [])]

    def body(self) -> Iterator[list[str]]:
        """The cells of each row that is shown."""
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
        """Of each row that is shown: the labels of its keys, each with the language that it is in; empty without."""
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
    """The cells after the interval. A raw value, and the ends of a total interval, have the digits of the value.

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
    """A number beside a coefficient with as many digits; ends of an interval are rounded outward."""
    half = half_width(lower, upper)
    if half is None or not isinstance(cell, int | float):
        return shown(cell, FEW_DIGITS)
    if name == "lower95_both":
        return estimate(cell, cell, cell + 2 * half)[1]
    return estimate(cell, cell - 2 * half, cell)[2 if name == "upper95_both" else 0]


def head(name: str) -> str:
    """The heading of a column after the interval."""
    return say(f"head_{name}") if f"head_{name}" in WORDS else name


def _numbers(column: Iterable[Cell]) -> bool:
    return not any(isinstance(cell, str) for cell in column)
