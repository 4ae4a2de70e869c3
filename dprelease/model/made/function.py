"""Common base of all functions of columns: declaration, result, numbers, and the value computed a second time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dprelease.model.column_fields import LISTED, NUMERIC, ColumnType
from dprelease.model.made.whole import KnownTest, WholeValue, choice
from dprelease.model.report import Report, join
from dprelease.words import phrase, quoted

if TYPE_CHECKING:
    from dprelease.model.column import Column

Value = Fraction | date | str | bool
"""Exact value of a cell of a declared column."""
MAX_INPUTS = 50
Columns = Mapping[str, "Column"]


@dataclass(frozen=True, slots=True)
class Ordered:
    """Numbers, or days by their number, from one end to the other in steps."""

    type: ColumnType
    low: Fraction
    high: Fraction
    step: Fraction


@dataclass(frozen=True, slots=True)
class CategoryList:
    """Categories in order; with a cell of others behind them, where an input has one."""

    categories: tuple[str, ...]
    other: bool = False


Result = Ordered | CategoryList | None
"""Declared result of a function. None: true and false."""


@dataclass(frozen=True, slots=True)
class Amount:
    """unit · number / divisor, where the divisor is above 0."""

    number: WholeValue
    unit: Fraction = Fraction(1)
    divisor: WholeValue | int = 1


class Function(ABC):
    """Function that makes a column of others: of one row's declared values, and of nothing else."""

    KEY: ClassVar[str]
    TAKES: ClassVar[frozenset[ColumnType]]
    """Types of columns that it is made of."""
    ROUNDS: ClassVar[bool] = False
    """True if the resolution of its result has to be declared."""
    NAMES: ClassVar[tuple[str, ...]] = ("of",)
    """Fields with names of columns: one, or a tuple of names, of conditions, or of pairs that begin with a name."""

    @classmethod
    @abstractmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        """Read what stands beside its key; None where it has problems, which are added."""

    @abstractmethod
    def to_value(self) -> Any:
        """Return the function's value as in a plan file."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the columns that it is made of."""
        fields = (getattr(self, each) for each in self.NAMES)
        items = (item for field in fields for item in (field if isinstance(field, tuple) else (field,)))
        return tuple(dict.fromkeys(name for item in items if (name := _name_of(item)) is not None))

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return the same of columns with other names."""
        said = {each: getattr(self, each) for each in self.NAMES}
        fields = {
            each: tuple(_under(item, names) for item in field) if isinstance(field, tuple) else _under(field, names)
            for each, field in said.items()
        }
        return replace(self, **fields)  # type: ignore[type-var]

    def check(self, columns: Columns, path: str, report: Report) -> None:
        """Add what shows only beside the columns that it is made of."""

    @abstractmethod
    def result(self, columns: Columns) -> Result:
        """Return the values that it can have, by what is declared of its columns."""

    @abstractmethod
    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        """Return its result in a row that has all codes: an amount, or the place of its value among those listed."""

    @abstractmethod
    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        """Return the same from a row's values, by Python's own arithmetic and calendar. None: it has no value."""

    def guarded(self, columns: Columns, codes: Mapping[str, WholeValue], made: WholeValue) -> WholeValue:
        """Return an expression that has no value where a column that it needs has none."""
        return choice([(KnownTest(self.inputs), made)], None)


def _name_of(item: Any) -> str | None:
    """Return the column in an item of a field; none in a day."""
    return item if isinstance(item, str) else item[0] if isinstance(item, tuple) else getattr(item, "column", None)


def _under(item: Any, names: Mapping[str, str]) -> Any:
    """Return the same item of a column under another name."""
    former = _name_of(item)
    if former is None or former not in names:
        return item
    new = names[former]
    if isinstance(item, str):
        return new
    return (new, *item[1:]) if isinstance(item, tuple) else replace(item, column=new)


def said(cells: Mapping[str, Value | None], name: str, kind: type[Any]) -> Any:
    """Return the value of a cell, which is of a kind."""
    found = cells[name]
    assert isinstance(found, kind)
    return found


def place(column: Column, code: WholeValue) -> WholeValue:
    """Return the number of a code on the lattice of its column: of days, the day's."""
    return code + column.lattice.start


def step_of(column: Column) -> Fraction:
    """Return the distance between neighbouring values of an ordered column."""
    return Fraction(column.lattice.resolution)


def ends_of(column: Column) -> tuple[Fraction, Fraction]:
    """Return the bounds of an ordered column; of days, by their numbers."""
    step, lattice = step_of(column), column.lattice
    return step * lattice.start, step * (lattice.start + lattice.steps)


def common_step(steps: Iterable[Fraction]) -> Fraction:
    """Return the coarsest step that all of some are multiples of."""
    found = [abs(step) for step in steps if step]
    below = lcm(*(step.denominator for step in found))
    return Fraction(gcd(*(int(step * below) for step in found)), below)


class Others(str):
    """The value of the cell `other`: some category that is not declared."""


def exact(column: Column, code: int) -> Value:
    """Return the value that a code stands for, exactly."""
    if column.type is ColumnType.BOOLEAN:
        return code == 1
    if column.other and code == column.lattice.steps:
        return Others(column.labels[code])
    if column.type in LISTED:
        return column.labels[code]
    if column.type is ColumnType.DATE:
        return date.fromordinal(column.lattice.start + code)
    return Fraction(column.lattice.resolution) * (column.lattice.start + code)


def decimal(value: Fraction) -> Decimal:
    """Return a fraction as a decimal: of tenths it is exact."""
    tens = next((power for power in range(100) if 10**power % value.denominator == 0), 0)
    return Decimal(value.numerator * 10**tens // value.denominator).scaleb(-tens)


def rounded(amount: Fraction) -> int:
    """Return the nearest whole number; of two the upper one, as for cells."""
    return (2 * amount.numerator + amount.denominator) // (2 * amount.denominator)


def names(value: object, path: str, report: Report, *, count: int | None = None) -> tuple[str, ...] | None:
    """Return a list of column names: so many, or at least two."""
    before = len(report.problems)
    items = report.sequence(value, path, longest=MAX_INPUTS)
    found = tuple(report.text(item, f"{path}[{index}]", shortest=1) for index, item in enumerate(items))
    if len(report.problems) == before and len(found) != (count or max(2, len(found))):
        found_words = phrase("model.items", count=len(found))
        report.add(path, found=found_words, allowed=phrase("model.made_names", count=count or 2))
    return found if len(report.problems) == before else None


def name(value: object, path: str, report: Report) -> str | None:
    """Return the name of a column."""
    return report.text(value, path, shortest=1) or None


def same_type(columns: Columns, listed: Sequence[str], path: str, report: Report, *, unit: bool = False) -> None:
    """Add a problem where some columns are not of one type, or of one unit of measure."""
    found = [columns[each] for each in listed]
    kinds = {ColumnType.NUMBER if each.type in NUMERIC else each.type for each in found}
    if len(kinds) > 1:
        types = ", ".join(f"{each.name}: {each.type}" for each in found)
        report.add(path, found=types, allowed=phrase("model.made_same_type"))
    elif unit and len({each.unit for each in found}) > 1:
        units = ", ".join(f"{each.name}: {each.unit or '-'}" for each in found)
        report.add(path, found=units, allowed=phrase("model.made_same_unit"))


def number_type(*columns: Column, step: Fraction) -> ColumnType:
    """Return the type of results: integer from integers with a whole step; else number."""
    is_whole = step.denominator == 1 and all(each.type is ColumnType.INTEGER for each in columns)
    return ColumnType.INTEGER if is_whole else ColumnType.NUMBER


def unknown(path: str, key: str, label: str, column: Column, report: Report) -> None:
    """Add that a value is not declared."""
    report.add(join(path, key), found=label, allowed=phrase("model.made_declared_value", column=quoted(column.name)))
