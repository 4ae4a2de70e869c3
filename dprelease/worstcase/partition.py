"""Number of cells of a column's level: read from a plan as JSON states it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from dprelease.worstcase.world import DeclaredCodes

LABELS: Mapping[str, Callable[[date], Any]] = {
    "day": date.toordinal,
    "week": lambda day: day.isocalendar()[:2],
    "month": lambda day: (day.year, day.month),
    "quarter": lambda day: (day.year, (day.month + 2) // 3),
    "half": lambda day: (day.year, day.month > 6),
    "year": lambda day: day.year,
    "weekday": date.isoweekday,
    "month_of_year": lambda day: day.month,
}
"""Label by period: equal for two days of the same period."""
RECURRING = ("weekday", "month_of_year")
LAST_WEEK = (9999, 52)
"""The only period that dates cannot hold to its end."""


def cells(column: Mapping[str, Any], level: str, partial: str) -> int:
    """Count the cells into which a level divides the values of a column. Raises KeyError where it has no such."""
    if column["type"] == "date":
        return len(set(_periods(column, level, partial)))
    stated = column["levels"][level]
    if column["type"] == "category":
        held = [member for members in stated.values() for member in members]
        inside = _holds_other(column["levels"], held, frozenset({level}))
        return len(stated) + (bool(column.get("other")) and not inside)
    if stated.get("edges"):
        return len(stated["edges"])
    values, step, width = DeclaredCodes.read(column), int(column.get("resolution") or 1), int(stated["width"])
    return values.highest * step // width - values.lowest * step // width + 1


def between(column: Mapping[str, Any], given: Collection[Any]) -> int:
    """Count the stretches into which some declared values divide the others: each of them is one, too."""
    values, own = DeclaredCodes.read(column), {DeclaredCodes.place(column, each) for each in given}
    return len({values.lowest} | own | {place + 1 for place in own if place < values.highest})


def _periods(column: Mapping[str, Any], level: str, partial: str) -> Iterator[Any]:
    """Yield the period of each day; with `drop`, of those whose period has no day outside."""
    label = LABELS[level]
    first, last = (date.fromisoformat(column[end]) for end in ("lower", "upper"))
    outside = [day for day in (_moved(first, -1), _moved(last, 1)) if day is not None]
    cut = {label(day) for day in outside} if partial == "drop" and level not in RECURRING else set()
    if cut and last == date.max:
        cut.add(LAST_WEEK)
    for number in range(first.toordinal(), last.toordinal() + 1):
        found = label(date.fromordinal(number))
        if found not in cut:
            yield found


def _moved(day: date, by: int) -> date | None:
    try:
        return day + timedelta(days=by)
    except OverflowError:
        return None


def _holds_other(levels: Mapping[str, Any], members: Collection[Any], seen: frozenset[str] = frozenset()) -> bool:
    """Return True if undeclared values are in one of some groups, or in a group of another level that stands there."""
    for member in map(str, members):
        if member == "other":
            return True
        for name, groups in levels.items():
            if name not in seen and member in groups and _holds_other(levels, groups[member], seen | {name}):
                return True
    return False
