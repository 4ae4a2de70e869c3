"""Columns made of numbers: sums with weights, products, ratios, the least and the greatest of some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any, ClassVar, Self

from dprelease.model.column_fields import NUMERIC, ORDERED, ColumnType
from dprelease.model.encoding import plain
from dprelease.model.made.function import (
    MAX_INPUTS,
    Amount,
    Columns,
    Function,
    Ordered,
    Result,
    Value,
    common_step,
    ends_of,
    names,
    number_type,
    place,
    same_type,
    step_of,
)
from dprelease.model.made.function import said as cell
from dprelease.model.made.whole import KnownTest, Less, Ranged, WholeValue, choice, whole
from dprelease.model.report import Report, join
from dprelease.words import phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedSum(Function):
    """Σ weight · value + plus. `ignore_missing`: what a row lacks is left out of its sum, unless it lacks all."""

    weights: tuple[tuple[str, Decimal], ...]
    plus: Decimal = Decimal(0)
    ignore_missing: bool = False
    KEY: ClassVar[str] = "sum"
    NAMES: ClassVar[tuple[str, ...]] = ("weights",)
    TAKES: ClassVar[frozenset[ColumnType]] = NUMERIC

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        """Read `[a, b]`, or `{of: {a: 1, b: 0.5}, plus: 3, ignore_missing: true}`."""
        before = len(report.problems)
        given = {"of": value} if isinstance(value, list | tuple) else value
        fields = report.mapping(given, path, allowed=("of", "plus", "ignore_missing"), required=("of",))
        of, where = fields.get("of"), join(path, "of")
        if isinstance(of, list | tuple):
            of = dict.fromkeys(names(of, where, report) or (), 1)
        if not isinstance(of, Mapping) or not 1 <= len(of) <= MAX_INPUTS:
            if len(report.problems) == before:
                report.add(where, found=of, allowed=phrase("model.made_weights"))
            return None
        weights = tuple((str(name), report.decimal(weight, join(where, str(name)))) for name, weight in of.items())
        for name, weight in weights:
            if weight == 0:
                report.add(join(where, name), found=weight, allowed=phrase("model.made_not_0"))
        plus = Decimal(0) if fields.get("plus") is None else report.decimal(fields["plus"], join(path, "plus"))
        ignore = fields.get("ignore_missing")
        ignores = ignore is not None and report.flag(ignore, join(path, "ignore_missing"))
        if len(report.problems) > before:
            return None
        kept = tuple(sorted((name, weight) for name, weight in weights if weight is not None))
        return cls(weights=kept, plus=plus or Decimal(0), ignore_missing=ignores)

    def to_value(self) -> Any:
        others = {"plus": plain(self.plus)} if self.plus else {}
        ignore = {"ignore_missing": True} if self.ignore_missing else {}
        return {"of": {name: plain(weight) for name, weight in self.weights}, **others, **ignore}

    def result(self, columns: Columns) -> Result:
        """Return the range of sums; where some values may be missing, of all sums of at least one of them."""
        step = self._step(columns)
        ends = [sorted(Fraction(weight) * end for end in ends_of(columns[name])) for name, weight in self.weights]
        low, high = (sum(each[at] for each in ends) for at in (0, 1))
        if self.ignore_missing:
            lows, highs = ([each[at] for each in ends] for at in (0, 1))
            low = sum(min(each, Fraction(0)) for each in lows) if min(lows) < 0 else min(lows)
            high = sum(max(each, Fraction(0)) for each in highs) if max(highs) > 0 else max(highs)
        type_ = number_type(*(columns[name] for name in self.inputs), step=step)
        return Ordered(type_, low + Fraction(self.plus), high + Fraction(self.plus), step)

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        step, terms = self._step(columns), list[WholeValue]()
        for name, weight in self.weights:
            times = Fraction(weight) * step_of(columns[name]) / step
            term = place(columns[name], codes[name]) * int(times)
            terms.append(choice([(KnownTest((name,)), term)], 0) if self.ignore_missing else term)
        return Amount(reduce(WholeValue.__add__, terms) + int(Fraction(self.plus) / step), step)

    def guarded(self, columns: Columns, codes: Mapping[str, WholeValue], made: WholeValue) -> WholeValue:
        if not self.ignore_missing:
            return choice([(KnownTest(self.inputs), made)], None)
        return choice([(KnownTest((name,)), made) for name in self.inputs], None)

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        known = [name for name in self.inputs if cells[name] is not None]
        if len(known) < (1 if self.ignore_missing else len(self.inputs)):
            return None
        weights = dict(self.weights)
        return sum((Fraction(weights[name]) * cell(cells, name, Fraction) for name in known), Fraction(self.plus))

    def _step(self, columns: Columns) -> Fraction:
        steps = [Fraction(weight) * step_of(columns[name]) for name, weight in self.weights]
        return common_step([*steps, Fraction(self.plus)])


@dataclass(frozen=True, slots=True)
class Several(Function):
    """Function of a list of columns."""

    of: tuple[str, ...]
    TAKES: ClassVar[frozenset[ColumnType]] = NUMERIC
    COUNT: ClassVar[int | None] = None

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        found = names(value, path, report, count=cls.COUNT)
        return cls(found) if found else None

    def to_value(self) -> Any:
        return list(self.of)


class DifferenceFunction(Several):
    """The first less the second."""

    KEY = "difference"
    COUNT = 2

    def result(self, columns: Columns) -> Result:
        (low, high), (least, most) = (ends_of(columns[name]) for name in self.of)
        step = self._step(columns)
        return Ordered(number_type(*(columns[name] for name in self.of), step=step), low - most, high - least, step)

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        step = self._step(columns)
        one, two = (place(columns[each], codes[each]) * int(step_of(columns[each]) / step) for each in self.of)
        return Amount(one - two, step)

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        if any(cells[name] is None for name in self.of):
            return None
        return Fraction(cell(cells, self.of[0], Fraction) - cell(cells, self.of[1], Fraction))

    def _step(self, columns: Columns) -> Fraction:
        return common_step(step_of(columns[name]) for name in self.of)


class Times(Several):
    """One times the other."""

    KEY = "product"
    COUNT = 2

    def result(self, columns: Columns) -> Result:
        ends = [one * two for one, two in product(*(ends_of(columns[name]) for name in self.of))]
        step = self._step(columns)
        return Ordered(number_type(*(columns[name] for name in self.of), step=step), min(ends), max(ends), step)

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        one, two = (place(columns[name], codes[name]) for name in self.of)
        return Amount(one * two, self._step(columns))

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        if any(cells[name] is None for name in self.of):
            return None
        return Fraction(cell(cells, self.of[0], Fraction) * cell(cells, self.of[1], Fraction))

    def _step(self, columns: Columns) -> Fraction:
        return step_of(columns[self.of[0]]) * step_of(columns[self.of[1]])


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioFunction(Function):
    """One divided by the other, times a number, rounded to the declared resolution. None where the divisor is 0."""

    of: str
    to: str
    times: Decimal = Decimal(1)
    KEY: ClassVar[str] = "ratio"
    NAMES: ClassVar[tuple[str, ...]] = ("of", "to")
    TAKES: ClassVar[frozenset[ColumnType]] = NUMERIC
    ROUNDS: ClassVar[bool] = True

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        before = len(report.problems)
        fields = report.mapping(value, path, allowed=("of", "to", "times"), required=("of", "to"))
        of, to = (report.optional_text(fields, key, path, shortest=1) for key in ("of", "to"))
        given = fields.get("times")
        times = Decimal(1) if given is None else report.decimal(given, join(path, "times"))
        if times is not None and times <= 0:
            report.add(join(path, "times"), found=times, allowed=phrase("model.number_above_0"))
        return None if len(report.problems) > before or times is None else cls(of=of, to=to, times=times)

    def to_value(self) -> Any:
        return {"of": self.of, "to": self.to} | ({} if self.times == 1 else {"times": plain(self.times)})

    def check(self, columns: Columns, path: str, report: Report) -> None:
        low, _ = ends_of(columns[self.to])
        if low < 0:
            found = phrase("model.made_from_below_0", column=self.to)
            report.add(join(path, "to"), found=found, allowed=phrase("model.made_from_0"))

    def result(self, columns: Columns) -> Result:
        """Return the range: its ends are at ends of both columns, the divisor from its first value above 0."""
        least, most = ends_of(columns[self.to])
        divisors = max(least, step_of(columns[self.to])), most
        ends = [self._of(one, two) for one, two in product(ends_of(columns[self.of]), divisors)]
        return Ordered(ColumnType.NUMBER, min(ends), max(ends), Fraction(0))

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        one, two = (columns[name] for name in (self.of, self.to))
        unit = Fraction(self.times) * step_of(one) / step_of(two)
        divisor = place(two, codes[self.to])
        # In rows where it is 0 there is no value: nothing is divided by 0 there either.
        above = Ranged(1, divisor.high, choice([(Less(divisor, whole(1)), 1)], divisor))
        return Amount(place(one, codes[self.of]), unit, above if divisor.low < 1 else divisor)

    def guarded(self, columns: Columns, codes: Mapping[str, WholeValue], made: WholeValue) -> WholeValue:
        divisor = place(columns[self.to], codes[self.to])
        found = choice([(Less(divisor, whole(1)), None)], made) if divisor.low < 1 else made
        return choice([(KnownTest(self.inputs), found)], None)

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        if cells[self.of] is None or cells[self.to] is None:
            return None
        divisor = cell(cells, self.to, Fraction)
        return self._of(cell(cells, self.of, Fraction), divisor) if divisor > 0 else None

    def _of(self, one: Fraction, two: Fraction) -> Fraction:
        return Fraction(self.times) * one / two


class Extreme(Several):
    """The least or the greatest of some: numbers or days."""

    TAKES = ORDERED
    pick: ClassVar[Any]

    def check(self, columns: Columns, path: str, report: Report) -> None:
        same_type(columns, self.of, path, report, unit=True)

    def result(self, columns: Columns) -> Result:
        found = [columns[name] for name in self.of]
        ends, step = [ends_of(column) for column in found], common_step(map(step_of, found))
        type_ = ColumnType.DATE if found[0].type is ColumnType.DATE else number_type(*found, step=step)
        return Ordered(type_, self.pick(low for low, _ in ends), self.pick(high for _, high in ends), step)

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        step = common_step(step_of(columns[name]) for name in self.of)
        numbers = [place(columns[name], codes[name]) * int(step_of(columns[name]) / step) for name in self.of]
        return Amount(reduce(self._chosen, numbers), step)

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        found: Sequence[Any] = [cells[name] for name in self.of]
        return None if None in found else self.pick(found)

    def _chosen(self, one: WholeValue, two: WholeValue) -> WholeValue:
        is_first = Less(one, two) if self.pick is min else Less(two, one)
        return choice([(is_first, one)], two)


class Least(Extreme):
    """The least of some."""

    KEY = "least"
    pick = min


class Greatest(Extreme):
    """The greatest of some."""

    KEY = "greatest"
    pick = max
