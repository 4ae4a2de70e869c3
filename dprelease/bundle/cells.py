"""A table of estimates as its readers see it: headings, states in words, and only digits that the noise supports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from dprelease.bundle.display import estimate, half_width, shown, shown_key
from dprelease.bundle.question import Question
from dprelease.bundle.words import WORDS, say
from dprelease.model.presentation import Answers
from dprelease.model.release import Cell, Estimates

FEW = 4
"""Digits of a number of which nothing is known about how far off it is."""
COUNT = ("count", "count_lower95", "count_upper95")
"""An estimate of its own beside the value."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One table with its question."""

    estimates: Estimates
    question: Question
    most: int
    """How many rows are shown at most."""

    @property
    def rows(self) -> int:
        """How many rows are shown."""
        return min(self.most, len(self.estimates))

    @property
    def keys(self) -> int:
        """How many columns name a row."""
        return len(self.estimates.key_names)

    @property
    def intervals(self) -> bool:
        """Whether an interval stands beside any value."""
        ends = (*self._shown(self.estimates.lower95), *self._shown(self.estimates.upper95))
        return any(end is not None for end in ends)

    def heads(self) -> list[str]:
        """The heading of each column; key columns are called as in the file."""
        own = [self.question.head, *(("head_lower95", "head_upper95") if self.intervals else ())]
        return [*self.estimates.key_names, *map(say, own), *map(head, self.estimates.extra)]

    def numeric(self) -> list[bool]:
        """Which columns hold numbers."""
        named: list[bool] = []
        for axis in self.estimates.axes:
            columns = list(zip(*islice(axis.cells, self.most), strict=True)) or [("",)] * len(axis.names)
            named += map(_numbers, columns)
        own = [_numbers(self._shown(self.estimates.value)), *((True, True) if self.intervals else ())]
        return [*named, *own, *(_numbers(self._shown(column)) for column in self.estimates.extra.values())]

    def body(self) -> Iterator[list[str]]:
        """The cells of each row that is shown."""
        names, width = tuple(self.estimates.extra), 3 if self.intervals else 1
        for row in islice(self.estimates.rows(), self.most):
            numbers = row[self.keys :]
            value, lower, upper = numbers[:3]
            extra = dict(zip(names, numbers[3:], strict=True))
            yield [
                *(key_text(cell) for cell in row[: self.keys]),
                *said(self.question, value, lower, upper, counted=extra.get(COUNT[1]) is not None)[:width],
                *further(extra, lower, upper),
            ]

    def _shown(self, column: Iterable[Cell]) -> list[Cell]:
        return list(islice(column, self.most))


def key_text(cell: Cell) -> str:
    """A cell of a key column; one that would look empty is called so."""
    text = shown_key(cell)
    return text if text.strip() else say("blank")


def said(question: Question, value: Cell, lower: Cell, upper: Cell, *, counted: bool = False) -> tuple[str, str, str]:
    """A value and its interval: numbers with the digits that the noise supports; states and gaps in words.

    A value without a whole interval is marked, unless a count with one stands beside it (`counted`).
    """
    if value is None:
        return say("nothing"), "", ""
    if question.presentation.values is Answers.STATE:
        return say(f"answer_{value}".replace(" ", "_")), "", ""
    if half_width(lower, upper) is not None:
        return estimate(value, lower, upper)
    told = estimate(value, lower, upper)[0] if question.presentation.is_chosen else shown(value, FEW)
    known = counted or None not in (lower, upper)
    return told if known else say("unsure", value=told), shown(lower, FEW), shown(upper, FEW)


def further(extra: Mapping[str, Cell], lower: Cell, upper: Cell) -> list[str]:
    """The cells after the interval. A raw value has the digits of the value beside it, a count those of its own."""
    texts = {name: shown(cell) for name, cell in extra.items()}
    if "raw" in extra:
        texts["raw"] = estimate(extra["raw"], lower, upper)[0]
    if extra.keys() >= set(COUNT):
        texts |= zip(COUNT, estimate(*(extra[name] for name in COUNT)), strict=True)
    return list(texts.values())


def head(name: str) -> str:
    """The heading of a column after the interval."""
    return say(f"head_{name}") if f"head_{name}" in WORDS else name


def _numbers(column: Iterable[Cell]) -> bool:
    return not any(isinstance(cell, str) for cell in column)
