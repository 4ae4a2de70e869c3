"""Columns made of days: how long between two of them, and their parts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dprelease.model.column_fields import ColumnType
from dprelease.model.made.function import Amount, Columns, Function, Ordered, Result, Value, ends_of, name, names, place
from dprelease.model.made.function import said as cell
from dprelease.model.made.whole import ConstantValue, Less, Ranged, WholeValue, choice, looked_up, whole
from dprelease.model.report import Report, join, read_date

if TYPE_CHECKING:
    from dprelease.model.column import Column

ERA, FOUR_YEARS, CENTURY = 146_097, 1461, 36_524
BEFORE = 305
"""Days from 1 March of the year 0 to the day before 1 January of the year 1."""
DAYS = frozenset({ColumnType.DATE})


@dataclass(frozen=True, slots=True)
class Civil:
    """Year, month and day of a day by its number, in whole numbers: years begin in March, so that leap days end them.

    An era has 400 years. Day numbers are those of `date.toordinal`.
    """

    year: WholeValue
    month: WholeValue
    day: WholeValue

    @classmethod
    def of(cls, ordinal: WholeValue) -> Civil:
        if isinstance(ordinal, ConstantValue):
            fixed = date.fromordinal(ordinal.low)
            return cls(whole(fixed.year), whole(fixed.month), whole(fixed.day))
        days = ordinal + BEFORE
        era = days // ERA
        of_era = days % ERA
        without_leap_days = of_era - of_era // (FOUR_YEARS - 1) + of_era // CENTURY - of_era // (ERA - 1)
        years = Ranged(0, 399, Ranged(0, ERA - 1, without_leap_days) // 365)
        of_year = Ranged(0, 365, of_era - (years * 365 + years // 4 - years // 100))
        shifted = (of_year * 5 + 2) // 153
        is_late = Less(whole(9), shifted)
        month = choice([(is_late, shifted - 9)], shifted + 3)
        day = of_year - (shifted * 153 + 2) // 5 + 1
        return cls(years + era * 400 + choice([(is_late, 1)], 0), Ranged(1, 12, month), Ranged(1, 31, day))


@dataclass(frozen=True, slots=True)
class Between(Function):
    """Time from one day to another: negative where the second is earlier. The second may be one day for all rows."""

    first: str
    last: str | date
    NAMES: ClassVar[tuple[str, ...]] = ("first", "last")
    TAKES: ClassVar[frozenset[ColumnType]] = DAYS

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        found = names(value, path, report, count=2)
        return cls(*found) if found else None

    def to_value(self) -> Any:
        return [self.first, self.last]

    def result(self, columns: Columns) -> Result:
        """Return the range of results, which rise with the second day and fall with the first."""
        first, last = self._ends(columns)
        low, high = self.between(first[1], last[0]), self.between(first[0], last[1])
        return Ordered(ColumnType.INTEGER, Fraction(low), Fraction(high), Fraction(1))

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        last = self.last if isinstance(self.last, date) else cells[self.last]
        if cells[self.first] is None or last is None:
            return None
        assert isinstance(last, date)
        return Fraction(self.between(cell(cells, self.first, date), last))

    @abstractmethod
    def between(self, first: date, last: date) -> int:
        """Return the number of two days."""

    def _ends(self, columns: Columns) -> list[tuple[date, date]]:
        return [(each, each) if isinstance(each, date) else _days(columns[each]) for each in (self.first, self.last)]

    def _numbers(self, columns: Columns, codes: Mapping[str, WholeValue]) -> tuple[WholeValue, WholeValue]:
        first = place(columns[self.first], codes[self.first])
        if isinstance(self.last, date):
            return first, whole(self.last.toordinal())
        return first, place(columns[self.last], codes[self.last])


def _days(column: Column) -> tuple[date, date]:
    first, last = ends_of(column)
    return date.fromordinal(int(first)), date.fromordinal(int(last))


class DaysBetween(Between):
    """Days from one to another."""

    KEY = "days_between"

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        first, last = self._numbers(columns, codes)
        return Amount(last - first)

    def between(self, first: date, last: date) -> int:
        return (last - first).days


class MonthsBetween(Between):
    """Whole months from one day to another: 12(y' − y) + m' − m, less 1 where d' < d."""

    KEY = "months_between"

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        first, last = (Civil.of(each) for each in self._numbers(columns, codes))
        months = (last.year - first.year) * 12 + last.month - first.month
        return Amount(months - choice([(Less(last.day, first.day), 1)], 0))

    def between(self, first: date, last: date) -> int:
        return 12 * (last.year - first.year) + last.month - first.month - (last.day < first.day)


class YearsBetween(MonthsBetween):
    """Whole years from one day to another. Who is born on 29 February is a year older on 1 March."""

    KEY = "years_between"

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        return Amount(super().number(columns, codes).number // 12)

    def between(self, first: date, last: date) -> int:
        return last.year - first.year - ((last.month, last.day) < (first.month, first.day))


class Age(YearsBetween):
    """Full years from the day of birth to another day, of a column or of all rows."""

    KEY = "age"

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        fields = report.mapping(value, path, allowed=("born", "on"), required=("born", "on"))
        born, on = fields.get("born"), fields.get("on")
        if born is None or on is None or not (born := name(born, join(path, "born"), report)):
            return None
        day = read_date(on)
        if day is not None:
            return cls(born, day)
        last = name(on, join(path, "on"), report)
        return cls(born, last) if last else None

    def to_value(self) -> Any:
        return {"born": self.first, "on": self.last.isoformat() if isinstance(self.last, date) else self.last}


WHOLE_RANGE = {"quarter": (1, 4), "month": (1, 12), "day": (1, 31), "weekday": (1, 7), "iso_week": (1, 53)}
"""Parts that come round again: they have all their values, whatever the bounds of the days."""
PARTS: Mapping[str, Callable[[date], int]] = {
    "year": lambda day: day.year,
    "quarter": lambda day: (day.month + 2) // 3,
    "month": lambda day: day.month,
    "day": lambda day: day.day,
    "weekday": lambda day: day.isoweekday(),
    "iso_week": lambda day: day.isocalendar().week,
    "iso_year": lambda day: day.isocalendar().year,
}


@dataclass(frozen=True, slots=True)
class DatePart(Function):
    """A part of a day. Weekdays are 1 (Monday) to 7, as in ISO 8601; so are weeks, and the years that these are of."""

    of: str
    part: str
    KEY: ClassVar[str] = "part"
    TAKES: ClassVar[frozenset[ColumnType]] = DAYS

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Self | None:
        fields = report.mapping(value, path, allowed=("of", "is"), required=("of", "is"))
        if fields.get("of") is None or fields.get("is") is None:
            return None
        column, part = (
            name(fields["of"], join(path, "of"), report),
            report.choice(fields["is"], join(path, "is"), PARTS),
        )
        return cls(column, part) if column and part else None

    def to_value(self) -> Any:
        return {"of": self.of, "is": self.part}

    def result(self, columns: Columns) -> Result:
        years = tuple(map(PARTS[self.part], _days(columns[self.of])))
        first, last = WHOLE_RANGE.get(self.part, years)
        return Ordered(ColumnType.INTEGER, Fraction(first), Fraction(last), Fraction(1))

    def number(self, columns: Columns, codes: Mapping[str, WholeValue]) -> Amount:
        ordinal = place(columns[self.of], codes[self.of])
        match self.part:
            case "weekday":
                return Amount((ordinal - 1) % 7 + 1)
            case "iso_week" | "iso_year":
                thursday = ordinal - (ordinal - 1) % 7 + 3
                year = Civil.of(thursday).year
                if self.part == "iso_year":
                    return Amount(year)
                past = Ranged(0, date.max.year - 1, year - 1)
                first = past * 365 + past // 4 - past // 100 + past // 400 + 1
                return Amount(Ranged(0, 365, thursday - first) // 7 + 1)
        civil = Civil.of(ordinal)
        if self.part == "quarter":
            return Amount(looked_up(civil.month, [1] * 4 + [2] * 3 + [3] * 3 + [4] * 3))
        return Amount({"year": civil.year, "month": civil.month, "day": civil.day}[self.part])

    def value(self, cells: Mapping[str, Value | None]) -> Value | None:
        return None if cells[self.of] is None else Fraction(PARTS[self.part](cell(cells, self.of, date)))
