"""Differences of a table's cells that noise may explain: two cells, or many with intervals that hold for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dprelease.mechanisms.half_width import half_width
from dprelease.model.encoding import plain
from dprelease.model.noise import Drawn
from dprelease.model.release import Cell, Release
from dprelease.statements.cell_names import named_key
from dprelease.statements.families import own_noise
from dprelease.statements.lead import ordered
from dprelease.statements.question import StatisticLabel
from dprelease.statements.tails import difference
from dprelease.words.pages import tell

LEVELS = (0.90, 0.95, 0.99)
USUAL = 0.95
WAYS = ("pair", "next", "all")
"""Ways of comparing: two cells; each cell with the one after it (a trend); the first one with every other."""
TOGETHER = "all"
"""Word in place of a level: intervals that hold with 95 % all together."""
MAX_CELLS = 400
"""Largest number of cells of a table that can be compared on a page."""


@dataclass(frozen=True, slots=True)
class CellDifference:
    """Difference of two cells: the first less the second."""

    first: int
    second: int
    value: float
    lower: float
    upper: float
    found: str = ""
    """Claim of a finding of the table, at its own level: `more` or `less`; else empty."""

    @property
    def verdict(self) -> str:
        """Verdict: `more`, `less`, `found_more` or `found_less` where the finding alone says so; else `noise`."""
        if self.lower > 0 or self.upper < 0:
            return "more" if self.lower > 0 else "less"
        return f"found_{self.found}" if self.found else "noise"


@dataclass(frozen=True, slots=True)
class Comparable:
    """Table whose cells can be compared; noisy values where post-processed ones stand beside them."""

    labels: tuple[str, ...]
    value: tuple[float | None, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]
    noise: Drawn | None = None
    """Noise of each cell, where each has one draw of its own; None where only the interval at 95 % is known."""
    step: int | float = 1
    """Distance of two possible values, in units of the value."""
    ordered: tuple[tuple[Sequence[int], Sequence[int]], ...] = ()
    """Rows by finding: each of the first is more than each of the others, which nothing here denies."""

    @property
    def possible(self) -> bool:
        """True if at least two cells have an interval."""
        return (
            sum(lower is not None and upper is not None for lower, upper in zip(self.lower, self.upper, strict=True))
            > 1
        )

    def level(self, confidence: float) -> float:
        """Return the confidence level of pairs: 90 % where only intervals at 95 % are known: both have to hold."""
        return confidence if self.noise else 1 - 2 * (1 - USUAL)

    def differences(self, pairs: Sequence[tuple[int, int]], confidence: float) -> list[CellDifference]:
        """Return differences that hold together with this confidence (Bonferroni); alone where only 95 % is known."""
        half = self.apart(len(pairs), confidence)
        return [found for pair in pairs if (found := self._difference(*pair, half)) is not None]

    def apart(self, pairs: int, confidence: float) -> float:
        """Return the half width of each of so many differences; 0 where the noise is not known."""
        if self.noise is None:
            return 0
        risk = (1 - confidence) / max(1, pairs)
        return (difference(self.noise, self.noise, risk / 2) - 1) * self.step

    def _difference(self, first: int, second: int, half: float) -> CellDifference | None:
        one, other = self.value[first], self.value[second]
        ends = (self.lower[first], self.upper[first], self.lower[second], self.upper[second])
        if one is None or other is None or any(end is None for end in ends):
            return None
        found = "more" if self._finds(first, second) else "less" if self._finds(second, first) else ""
        if self.noise:
            return CellDifference(first, second, one - other, one - other - half, one - other + half, found)
        low, high, other_low, other_high = (float(end) for end in ends if end is not None)
        return CellDifference(first, second, one - other, low - other_high, high - other_low, found)

    def _finds(self, more: int, less: int) -> bool:
        return any(more in inside and less in outside for inside, outside in self.ordered)

    def pairs(self, way: str, first: int, second: int) -> list[tuple[int, int]]:
        """Return the pairs that are compared. A trend compares each cell with the one before it."""
        places = range(len(self.labels))
        if way == "next":
            return [(place + 1, place) for place in places[:-1]]
        return [(first, place) for place in places if place != first] if way == "all" else [(first, second)]

    @property
    def together(self) -> float:
        """Level at which all its intervals hold together with 95 %: each has noise of its own."""
        return float(USUAL ** (1 / max(1, len(self.labels))))

    @property
    def levels(self) -> Mapping[str, float]:
        """Levels at which intervals of its cells are known, by their names in files."""
        known = () if not self.possible else LEVELS if self.noise else (USUAL,)
        named = {f"{level:.0%}".rstrip("%"): level for level in known}
        return named | {TOGETHER: self.together} if self.possible and self.noise else named

    def interval(self, place: int, confidence: float) -> tuple[float, float] | None:
        """Return the interval of one cell; None where it is not known at this level."""
        lower, upper, value = self.lower[place], self.upper[place], self.value[place]
        if value is None or lower is None or upper is None:
            return None
        if not self.noise:
            return (lower, upper) if confidence == USUAL else None
        half = reach(self.noise, confidence) * self.step
        return value - half, value + half

    def to_mapping(self) -> dict[str, Any]:
        """Return the data for the same answers in a page's script, with the margins of one difference and of all."""
        columns = {"labels": self.labels, "value": self.value, "lower": self.lower, "upper": self.upper}
        many = len(self.labels) - 1
        halves = {f"{level:.0%}".rstrip("%"): [self.apart(count, level) for count in (1, many)] for level in LEVELS}
        return {**columns, "halves": halves if self.noise else None, "ordered": self.ordered}


def comparable(release: Release, statistic: str) -> Comparable:
    """Prepare one table for comparison."""
    certificate, estimates = release.certificate, release.tables[statistic]
    noise, step = own_noise(certificate, statistic) or (None, Decimal(1))
    values = estimates.extra.get("raw", estimates.value) if noise else estimates.value
    keys = len(estimates.key_names)
    question, names = StatisticLabel.of(certificate, statistic), estimates.key_names
    labels = (
        " · ".join(named_key(question, name, cell) for name, cell in zip(names, row[:keys], strict=True))
        or tell("whole_table")
        for row in estimates.rows()
    )
    value, lower, upper = (tuple(map(_number, column)) for column in (values, estimates.lower95, estimates.upper95))
    found = tuple(ordered(certificate, statistic, estimates))
    return Comparable(tuple(labels), value, lower, upper, noise, plain(step), found)


def reach(noise: Drawn, confidence: float) -> int:
    """Return the half width of one noisy number's interval, in steps."""
    return half_width(noise.name, noise.scale, confidence)


def _number(cell: Cell) -> float | None:
    return cell if isinstance(cell, int | float) else None


@dataclass(frozen=True, slots=True)
class ComparisonQuery:
    """Query of a comparison: cells, way and level."""

    way: str = WAYS[0]
    first: int = 0
    second: int = 1
    level: float = USUAL

    @classmethod
    def of(cls, query: Mapping[str, str], cells: int) -> ComparisonQuery:
        """Read the query from an address; an impossible part keeps its default."""

        def place(name: str, usual: int) -> int:
            text = query.get(name, "")
            return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 and int(text) < cells else usual

        level = next((each for each in LEVELS if query.get("level") == f"{each:.0%}".rstrip("%")), USUAL)
        way = query.get("way", "")
        return cls(way if way in WAYS else WAYS[0], place("first", 0), place("second", min(1, cells - 1)), level)
