"""Columns of true and false: whether a row passes some tests, whether it has a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dprelease.model.column_fields import CODED, ColumnType
from dprelease.model.made.function import Amount, Columns, Function, Result, Value, name
from dprelease.model.made.whole import All, KnownTest, Less, Test, WholeValue, choice, whole
from dprelease.model.report import Report, as_decimal, read_date

if TYPE_CHECKING:
    from dprelease.model.condition import Condition


@dataclass(frozen=True, slots=True)
class Holds(Function):
    """A row passes every test of a list, as of `where`. None where it lacks a value of a column that is tested."""

    tests: tuple[Condition, ...]
    KEY: ClassVar[str] = "holds"
    NAMES: ClassVar[tuple[str, ...]] = ("tests",)
    TAKES: ClassVar[frozenset[ColumnType]] = CODED

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        from dprelease.model.condition import read_conditions

        before = len(report.problems)
        found = read_conditions(value, path, report)
        return cls(found) if len(report.problems) == before else None

    def to_value(self) -> Any:
        return [each.to_mapping() for each in self.tests]

    def check(self, columns: Columns, path: str, report: Report) -> None:
        for index, each in enumerate(self.tests):
            each.check(f"{path}[{index}]", _schema(columns), report)

    def result(self, columns: Columns) -> Result:
        return None

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        fails = [
            (test, 0)
            for each in self.tests
            for key, values in each.codes(_schema(columns))
            for test in _fails(codes[each.column], key, values)
        ]
        return Amount(choice(fails, 1))

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        if any(cells[each] is None for each in self.inputs):
            return None
        return all(_passes(cells[each.column], key, said) for each in self.tests for key, said in each.tests)


def _schema(columns: Columns) -> Any:
    from dprelease.model.schema import Schema

    return Schema(columns)


def _fails(code: WholeValue, key: str, values: tuple[int, ...]) -> list[Test]:
    """Return tests of which one holds where a code does not pass."""
    if key == "at_least":
        return [Less(code, whole(values[0]))]
    if key == "at_most":
        return [Less(whole(values[0]), code)]
    starts = [each for each in sorted({*values}) if each - 1 not in values]
    ends = [each for each in sorted({*values}) if each + 1 not in values]
    runs = [
        All((Less(whole(start - 1), code), Less(code, whole(end + 1)))) for start, end in zip(starts, ends, strict=True)
    ]
    return [Less(choice([(run, 1) for run in runs], 0), whole(1))]


def _passes(found: Value | None, key: str, said: Any) -> bool:
    if key == "in":
        return any(_meant(found, each) == found for each in said)
    meant: Any = _meant(found, said)
    held: Any = found
    return bool({"equals": held == meant, "at_least": held >= meant, "at_most": held <= meant}[key])


def _meant(found: Value | None, said: Any) -> Any:
    """Return a declared value as the kind of value that was found."""
    if isinstance(found, bool):
        return str(said).lower() == "true"
    if isinstance(found, date):
        return read_date(said)
    number = as_decimal(said) if isinstance(found, Fraction) else None
    if isinstance(found, Fraction):
        return None if number is None else Fraction(number)
    return str(said).lower() if isinstance(said, bool) else str(said)


@dataclass(frozen=True, slots=True)
class IsKnown(Function):
    """Function that is true where a row has a value of a column, also of one whose categories are discovered."""

    of: str
    KEY: ClassVar[str] = "known"
    TAKES: ClassVar[frozenset[ColumnType]] = CODED

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        found = name(value, path, report)
        return cls(found) if found else None

    def to_value(self) -> Any:
        return self.of

    def result(self, columns: Columns) -> Result:
        return None

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        return Amount(choice([(KnownTest((self.of,)), 1)], 0))

    def guarded(self, columns: Columns, codes: Mapping[str, WholeValue], made: WholeValue) -> WholeValue:
        return made

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        return cells[self.of] is not None
