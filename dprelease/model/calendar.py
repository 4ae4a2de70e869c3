"""Periods of the calendar: days, ISO weeks, months, quarters, halves, years; and those that come round again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

CONTIGUOUS = ("day", "week", "month", "quarter", "half", "year")
"""Levels whose periods are stretches of days; named as in SDMX (TIME_PERIOD)."""
RECURRING = ("weekday", "month_of_year")
"""Recurring levels, whose periods are named 1 (Monday) to 7, and 01 to 12, as in ISO 8601."""
PERIODS = (*CONTIGUOUS, *RECURRING)
GIVEN_UP = ("rows_wrong", "rows_late", "stopped", "other_version")
"""Reasons for giving an edition up, or ending a run, of which none tells of a row."""
MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12}
WEEK = 7
ENDINGS = {
    "day": "-([0-9]{2})-[0-9]{2}",
    "week": "-W([0-9]{2})",
    "month": "-([0-9]{2})",
    "quarter": "-Q([1-4])",
    "half": "-S([12])",
    "year": "()",
}
NAMES = {level: re.compile(f"([0-9]{{4}}){ending}") for level, ending in ENDINGS.items()}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days that are of one period, within some bounds."""

    first: int
    """Day number (1 is 0001-01-01)."""
    name: str
    whole: bool = True
    """True if all days of the period lie within the bounds."""


def period(day: date, level: str) -> str:
    """Return the period of a level that contains a day."""
    if level == "day":
        return day.isoformat()
    if level == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    if level == "weekday":
        return str(day.isoweekday())
    if level == "month_of_year":
        return f"{day.month:02}"
    number = (day.month - 1) // MONTHS[level] + 1
    ends = {"month": f"-{number:02}", "quarter": f"-Q{number}", "half": f"-S{number}", "year": ""}
    return f"{day.year:04}{ends[level]}"


def stretches(lower: date, upper: date, level: str) -> Iterator[Stretch]:
    """Yield the periods of a level between two days, both included, in order; recurring ones as often as they come."""
    first, last = lower.toordinal(), upper.toordinal()
    while first <= last:
        start, following = _around(date.fromordinal(first), level)
        whole = level in RECURRING or (start >= lower.toordinal() and following <= last + 1)
        yield Stretch(first, period(date.fromordinal(first), level), whole)
        first = following


def days_of(name: str, level: str) -> tuple[date, date]:
    """Return the first and last day of a period that is a stretch of days, by its name. ValueError where it is none."""
    match = NAMES[level].fullmatch(name)
    if match is None:
        raise ValueError(name)
    year, number = int(match[1]), int(match[2] or 1)
    if level == "week":
        first = date.fromisocalendar(year, number, 1)
    else:
        first = date.fromisoformat(name) if level == "day" else date(year, (number - 1) * MONTHS[level] + 1, 1)
    return first, date.fromordinal(min(_around(first, level)[1] - 1, date.max.toordinal()))


def _around(day: date, level: str) -> tuple[int, int]:
    """Return the first day of the period that holds a day, and the first day after it."""
    number = day.toordinal()
    if level in ("day", "weekday"):
        return number, number + 1
    if level == "week":
        start = number - day.weekday()
        return start, start + WEEK
    months = MONTHS.get(level, 1)
    begun = (day.month - 1) // months * months
    start = date(day.year, begun + 1, 1).toordinal()
    year, month = divmod(day.year * 12 + begun + months, 12)
    return start, (date(year, month + 1, 1) if year <= date.max.year else date.max).toordinal() + (year > date.max.year)
