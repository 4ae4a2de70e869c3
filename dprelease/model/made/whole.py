"""Expressions in whole numbers over the codes of a row: what a made column is computed by, on every engine alike.

Each knows between which ends it lies, so that none can overflow, whatever the rows: one that could is not built.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LIMIT = 2**62
"""Bound on the size of every intermediate number."""
MAX_PARTS = 4000
"""Maximum number of parts of one expression: its SQL stays below 64 kB."""


class OverflowValueError(ValueError):
    """A number on the way could reach LIMIT."""

    def __init__(self, size: int) -> None:
        super().__init__(str(size))
        self.size = size


@dataclass(frozen=True, slots=True, eq=False)
class WholeValue:
    """A whole number of a row. Two that look alike are two: an expression used twice is one object."""

    low: int
    high: int

    def __post_init__(self) -> None:
        size = max(abs(self.low), abs(self.high))
        if size >= LIMIT:
            raise OverflowValueError(size)

    @property
    def parts(self) -> tuple[WholeValue | Test, ...]:
        """Operands that it is computed from."""
        return ()

    def __add__(self, other: WholeValue | int) -> WholeValue:
        other = whole(other)
        if isinstance(other, ConstantValue) and other.low == 0:
            return self
        if isinstance(other, ConstantValue) and isinstance(self, ConstantValue):
            return whole(self.low + other.low)
        return AddedValue(self.low + other.low, self.high + other.high, self, other)

    def __sub__(self, other: WholeValue | int) -> WholeValue:
        return self + (-other if isinstance(other, int) else other * -1)

    def __mul__(self, other: WholeValue | int) -> WholeValue:
        other = whole(other)
        if isinstance(other, ConstantValue) and other.low == 1:
            return self
        if isinstance(other, ConstantValue) and isinstance(self, ConstantValue):
            return whole(self.low * other.low)
        ends = [one * two for one in (self.low, self.high) for two in (other.low, other.high)]
        return Product(min(ends), max(ends), self, other)

    def __floordiv__(self, other: WholeValue | int) -> WholeValue:
        """Return floor(self / other), of a divisor above 0; engines divide what is not negative alone."""
        other = whole(other)
        if isinstance(other, ConstantValue) and other.low == 1:
            return self
        if self.low >= 0:
            return IntegerQuotient(self.low // other.high, self.high // other.low, self, other)
        ends = [one // two for one in (self.low, self.high) for two in (other.low, other.high)]
        below = IntegerQuotient(0, (other.high - 1 - self.low) // other.low, (self * -1) + other - 1, other) * -1
        if self.high < 0:
            return ConditionalValue(min(ends), max(ends), (), below)
        above = IntegerQuotient(0, self.high // other.low, self, other)
        return ConditionalValue(min(ends), max(ends), ((Less(self, whole(0)), below),), above)

    def __mod__(self, other: int) -> WholeValue:
        return Ranged(0, other - 1, self - (self // other) * other)


@dataclass(frozen=True, slots=True, eq=False)
class ConstantValue(WholeValue):
    """One number, the same in every row."""


@dataclass(frozen=True, slots=True, eq=False)
class Code(WholeValue):
    """The code of a column in this row."""

    column: str


@dataclass(frozen=True, slots=True, eq=False)
class BinaryValue(WholeValue):
    """Value computed of two numbers."""

    one: WholeValue
    two: WholeValue

    @property
    def parts(self) -> tuple[WholeValue | Test, ...]:
        return self.one, self.two


class AddedValue(BinaryValue):
    """One plus the other."""

    __slots__ = ()


class Product(BinaryValue):
    """One times the other."""

    __slots__ = ()


class IntegerQuotient(BinaryValue):
    """Integer quotient of a number that is not negative, by one above 0."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class ConditionalValue(WholeValue):
    """The number beside the first test that holds; else another, or none."""

    branches: tuple[tuple[Test, WholeValue | None], ...]
    otherwise: WholeValue | None

    @property
    def parts(self) -> tuple[WholeValue | Test, ...]:
        found = [part for branch in self.branches for part in branch]
        return tuple(part for part in (*found, self.otherwise) if part is not None)


@dataclass(frozen=True, slots=True, eq=False)
class Ranged(WholeValue):
    """A number of which more is known than what it is computed of tells."""

    inner: WholeValue

    @property
    def parts(self) -> tuple[WholeValue | Test, ...]:
        return (self.inner,)


@dataclass(frozen=True, slots=True, eq=False)
class Filled(WholeValue):
    """A number, or another one where there is none."""

    inner: WholeValue
    otherwise: int

    @property
    def parts(self) -> tuple[WholeValue | Test, ...]:
        return (self.inner,)


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """Test that holds in a row or does not; never neither, where the codes that it compares are there."""

    @property
    def parts(self) -> tuple[WholeValue | Test, ...]:
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Less(Test):
    one: WholeValue
    two: WholeValue

    @property
    def parts(self) -> tuple[WholeValue | Test, ...]:
        return self.one, self.two


@dataclass(frozen=True, slots=True, eq=False)
class KnownTest(Test):
    """Each of some columns has a value in the row."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class All(Test):
    tests: tuple[Test, ...]

    @property
    def parts(self) -> tuple[WholeValue | Test, ...]:
        return self.tests


def whole(value: WholeValue | int) -> WholeValue:
    """Return a number as an expression."""
    return ConstantValue(value, value) if isinstance(value, int) else value


def choice(branches: Sequence[tuple[Test, WholeValue | int | None]], otherwise: WholeValue | int | None) -> WholeValue:
    """Return the number beside the first test that holds."""
    listed = tuple((test, None if each is None else whole(each)) for test, each in branches)
    last = None if otherwise is None else whole(otherwise)
    values = [each for each in (*(each for _, each in listed), last) if each is not None]
    return ConditionalValue(min(each.low for each in values), max(each.high for each in values), listed, last)


def looked_up(code: WholeValue, numbers: Sequence[int | None]) -> WholeValue:
    """Return the number at the place of a code, by stretches of codes that have the same."""
    ends = [place for place in range(1, len(numbers)) if numbers[place] != numbers[place - 1]]
    return choice([(Less(code, whole(end)), numbers[end - 1]) for end in ends], numbers[-1])


def within(value: WholeValue, low: int, high: int) -> WholeValue:
    """Return a number, or the nearest end of a range."""
    branches: list[tuple[Test, WholeValue | int]] = [(Less(value, whole(low)), low)] if value.low < low else []
    branches += [(Less(whole(high), value), high)] if value.high > high else []
    return Ranged(low, high, choice(branches, value)) if branches else value


def every(root: WholeValue | Test) -> list[WholeValue | Test]:
    """Return all that an expression is computed of, each once, behind what it is computed of itself."""
    found: dict[int, WholeValue | Test] = {}

    def visit(each: WholeValue | Test) -> None:
        if id(each) not in found:
            for part in each.parts:
                visit(part)
            found[id(each)] = each

    visit(root)
    return list(found.values())
