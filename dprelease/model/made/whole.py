"""Expressions in whole numbers over the codes of a row: what a made column is computed by, on every engine alike.

Each knows between which ends it lies, so that none can overflow, whatever the rows: one that could is not built.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LIMIT = 2**62
"""What every number on the way stays below in size."""
MOST_PARTS = 4000
"""Of one expression: its SQL stays below 64 kB."""


class TooLargeError(ValueError):
    """A number on the way could reach LIMIT."""

    def __init__(self, size: int) -> None:
        super().__init__(str(size))
        self.size = size


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """A whole number of a row. Two that look alike are two: an expression used twice is one object."""

    low: int
    high: int

    def __post_init__(self) -> None:
        size = max(abs(self.low), abs(self.high))
        if size >= LIMIT:
            raise TooLargeError(size)

    @property
    def parts(self) -> tuple[Whole | Test, ...]:
        """What it is computed of."""
        return ()

    def __add__(self, other: Whole | int) -> Whole:
        other = whole(other)
        if isinstance(other, Number) and other.low == 0:
            return self
        if isinstance(other, Number) and isinstance(self, Number):
            return whole(self.low + other.low)
        return Sum(self.low + other.low, self.high + other.high, self, other)

    def __sub__(self, other: Whole | int) -> Whole:
        return self + (-other if isinstance(other, int) else other * -1)

    def __mul__(self, other: Whole | int) -> Whole:
        other = whole(other)
        if isinstance(other, Number) and other.low == 1:
            return self
        if isinstance(other, Number) and isinstance(self, Number):
            return whole(self.low * other.low)
        ends = [one * two for one in (self.low, self.high) for two in (other.low, other.high)]
        return Product(min(ends), max(ends), self, other)

    def __floordiv__(self, other: Whole | int) -> Whole:
        """floor(self / other), of a divisor above 0; engines divide what is not negative alone."""
        other = whole(other)
        if isinstance(other, Number) and other.low == 1:
            return self
        if self.low >= 0:
            return Quotient(self.low // other.high, self.high // other.low, self, other)
        ends = [one // two for one in (self.low, self.high) for two in (other.low, other.high)]
        below = Quotient(0, (other.high - 1 - self.low) // other.low, (self * -1) + other - 1, other) * -1
        if self.high < 0:
            return Choice(min(ends), max(ends), (), below)
        above = Quotient(0, self.high // other.low, self, other)
        return Choice(min(ends), max(ends), ((Less(self, whole(0)), below),), above)

    def __mod__(self, other: int) -> Whole:
        return Ranged(0, other - 1, self - (self // other) * other)


@dataclass(frozen=True, slots=True, eq=False)
class Number(Whole):
    """One number, the same in every row."""


@dataclass(frozen=True, slots=True, eq=False)
class Code(Whole):
    """The code of a column in this row."""

    column: str


@dataclass(frozen=True, slots=True, eq=False)
class Pair(Whole):
    """Computed of two numbers."""

    one: Whole
    two: Whole

    @property
    def parts(self) -> tuple[Whole | Test, ...]:
        return self.one, self.two


class Sum(Pair):
    """One plus the other."""

    __slots__ = ()


class Product(Pair):
    """One times the other."""

    __slots__ = ()


class Quotient(Pair):
    """Of a number that is not negative, by one above 0."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Whole):
    """The number beside the first test that holds; else another, or none."""

    branches: tuple[tuple[Test, Whole | None], ...]
    otherwise: Whole | None

    @property
    def parts(self) -> tuple[Whole | Test, ...]:
        found = [part for branch in self.branches for part in branch]
        return tuple(part for part in (*found, self.otherwise) if part is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Ranged(Whole):
    """A number of which more is known than what it is computed of tells."""

    inner: Whole

    @property
    def parts(self) -> tuple[Whole | Test, ...]:
        return (self.inner,)


@dataclass(frozen=True, slots=True, eq=False)
class Filled(Whole):
    """A number, or another one where there is none."""

    inner: Whole
    otherwise: int

    @property
    def parts(self) -> tuple[Whole | Test, ...]:
        return (self.inner,)


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """Holds in a row or does not; never neither, where the codes that it compares are there."""

    @property
    def parts(self) -> tuple[Whole | Test, ...]:
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Less(Test):
    one: Whole
    two: Whole

    @property
    def parts(self) -> tuple[Whole | Test, ...]:
        return self.one, self.two


@dataclass(frozen=True, slots=True, eq=False)
class Known(Test):
    """Each of some columns has a value in the row."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class All(Test):
    tests: tuple[Test, ...]

    @property
    def parts(self) -> tuple[Whole | Test, ...]:
        return self.tests


def whole(value: Whole | int) -> Whole:
    """A number as an expression."""
    return Number(value, value) if isinstance(value, int) else value


def choice(branches: Sequence[tuple[Test, Whole | int | None]], otherwise: Whole | int | None) -> Whole:
    """The number beside the first test that holds."""
    listed = tuple((test, None if each is None else whole(each)) for test, each in branches)
    last = None if otherwise is None else whole(otherwise)
    values = [each for each in (*(each for _, each in listed), last) if each is not None]
    return Choice(min(each.low for each in values), max(each.high for each in values), listed, last)


def looked_up(code: Whole, numbers: Sequence[int | None]) -> Whole:
    """The number at the place of a code, by stretches of codes that have the same."""
    ends = [place for place in range(1, len(numbers)) if numbers[place] != numbers[place - 1]]
    return choice([(Less(code, whole(end)), numbers[end - 1]) for end in ends], numbers[-1])


def within(value: Whole, low: int, high: int) -> Whole:
    """A number, or the nearest end of a range."""
    branches: list[tuple[Test, Whole | int]] = [(Less(value, whole(low)), low)] if value.low < low else []
    branches += [(Less(whole(high), value), high)] if value.high > high else []
    return Ranged(low, high, choice(branches, value)) if branches else value


def every(root: Whole | Test) -> list[Whole | Test]:
    """All that an expression is computed of, each once, behind what it is computed of itself."""
    found: dict[int, Whole | Test] = {}

    def visit(each: Whole | Test) -> None:
        if id(each) not in found:
            for part in each.parts:
                visit(part)
            found[id(each)] = each

    visit(root)
    return list(found.values())
