"""Goals of a release, and the statistics that show them: by the declared types of columns, never by their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.model.column import CODED, LISTED, NUMERIC, ORDERED, Column, ColumnType
from dprelease.model.schema import Schema

Suggestion = dict[str, Any]
"""Kind and options, as in a plan file."""
GROUPING = LISTED | {ColumnType.DATE, ColumnType.INTEGER}
QUARTERS = [0.25, 0.5, 0.75]
USUAL_TOP = 5
DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91}
FEW_PERIODS = 60
"""So many points a line may have before it says little."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A question, and of how many columns of which types it can be asked."""

    key: str
    types: frozenset[ColumnType]
    fewest: int
    most: int
    discover: bool = False
    """Also of a column whose categories are not declared."""

    def takes(self, column: Column) -> bool:
        return column.type in self.types and (self.discover or not column.discover)


GOALS = {
    goal.key: goal
    for goal in (
        Goal("how_many", CODED, 0, 3, discover=True),
        Goal("total", NUMERIC, 1, 1),
        Goal("average", NUMERIC, 1, 1),
        Goal("spread", CODED, 1, 1),
        Goal("compare", CODED, 1, 3),
        Goal("relate", CODED, 2, 2),
        Goal("common", GROUPING, 1, 1, discover=True),
        Goal("share", LISTED, 1, 3),
        Goal("over_time", LISTED | {ColumnType.DATE}, 1, 2),
        Goal("model", NUMERIC, 2, 8),
    )
}


def suggestions(goal: str, names: Sequence[str], schema: Schema, *, units: bool = False) -> tuple[Suggestion, ...]:
    """Return the answers to a goal of these columns, the usual answer first; nothing while columns are missing.

    `units`: whether a unit may have several rows, so that counting units is another thing than counting rows.
    """
    asked = GOALS[goal]
    columns = [schema[name] for name in names]
    if not asked.fewest <= len(columns) <= asked.most or not all(map(asked.takes, columns)):
        return ()
    return tuple(ANSWERS[goal](columns, units))


def _how_many(columns: list[Column], units: bool) -> list[Suggestion]:
    if not columns:
        return [{"kind": "count"}, *([{"kind": "units"}] if units else [])]
    if len(columns) > 1:
        return [_crosstab(columns)]
    (column,) = columns
    found: list[Suggestion] = [{"kind": "histogram", "column": column.name}]
    if column.type in GROUPING and not column.discover:
        found += [{"kind": "units", "by": [column.name]}] if units else []
        found += [{"kind": "count", "column": column.name}]
    return found


def _total(columns: list[Column], units: bool) -> list[Suggestion]:
    return [{"kind": "sum", "column": columns[0].name}]


def _average(columns: list[Column], units: bool) -> list[Suggestion]:
    """Return the mean and median; of a column that not every row has a value of, also how many have one."""
    (column,) = columns
    found: list[Suggestion] = [{"kind": kind, "column": column.name} for kind in ("mean", "median")]
    return found if column.complete else [*found, {"kind": "answered", "columns": [column.name]}]


def _spread(columns: list[Column], units: bool) -> list[Suggestion]:
    (column,) = columns
    found: list[Suggestion] = [{"kind": "histogram", "column": column.name}]
    if column.type in ORDERED:
        found += [{"kind": "five_numbers", "column": column.name}]
        found += [{"kind": "quantiles", "column": column.name, "probs": QUARTERS}]
        found += [{"kind": "cdf", "column": column.name}]
    if column.type in NUMERIC:
        found += [{"kind": "std", "column": column.name}]
    return found


def _compare(columns: list[Column], units: bool) -> list[Suggestion]:
    """Return averages of numbers over groups; without a number, counts of the groups."""
    groups = [column.name for column in columns if column.type in LISTED]
    values = [column for column in columns if column.type not in LISTED]
    if not values:
        counted: Suggestion = _crosstab(columns) if len(columns) > 1 else {"kind": "histogram", "column": groups[0]}
        return [counted, *([{"kind": "units", "by": groups}] if units else [])]
    value = values[0]
    by = [*groups, *(column.name for column in values[1:] if column.type in GROUPING)]
    if not by or len(by) + 1 < len(columns):
        return []
    kinds = ("mean", "median", "five_numbers", "sum") if value.type in NUMERIC else ("median", "five_numbers")
    return [{"kind": kind, "column": value.name, "by": by} for kind in kinds]


def _relate(columns: list[Column], units: bool) -> list[Suggestion]:
    names = [column.name for column in columns]
    if all(column.type in NUMERIC for column in columns):
        return [{"kind": "correlation", "columns": names}, _crosstab(columns), {"kind": "covariance", "columns": names}]
    if any(column.type in LISTED for column in columns) and any(column.type in NUMERIC for column in columns):
        return [*_compare(columns, units)[:2], _crosstab(columns)]
    return [_crosstab(columns)]


def _common(columns: list[Column], units: bool) -> list[Suggestion]:
    (column,) = columns
    if column.discover:
        return [{"kind": "top", "column": column.name}]
    values = len(column.labels) if column.type in LISTED else column.lattice.steps + 1
    fewer = {"k": values} if values < USUAL_TOP else {}
    return [{"kind": "top", "column": column.name, **fewer}, {"kind": "mode", "column": column.name}]


def _share(columns: list[Column], units: bool) -> list[Suggestion]:
    """Return the share of one value, at first the first of a list, and within groups where columns are more."""
    first, *groups = columns
    value: Any = True if first.type is ColumnType.BOOLEAN else first.labels[0]
    found: Suggestion = {"kind": "proportion", "where": [{"column": first.name, "equals": value}]}
    return [{**found, **({"by": [column.name for column in groups]} if groups else {})}]


def _over_time(columns: list[Column], units: bool) -> list[Suggestion]:
    days = [column for column in columns if column.type is ColumnType.DATE]
    if len(days) != 1:
        return []
    (day,) = days
    level = {"levels": {day.name: readable_level(day, FEW_PERIODS)}}
    if len(columns) > 1:
        others = [column for column in columns if column is not day]
        return [_crosstab(others) | {"columns": [column.name for column in columns]} | level]
    return [{"kind": "histogram", "column": day.name, **level}, {"kind": "cdf", "column": day.name}]


def readable_level(column: Column, most: int) -> str:
    """Return the finest level of the calendar at which the bounds hold at most about so many periods."""
    return next((level for level, days in DAYS.items() if column.codes <= days * most), "year")


def _model(columns: list[Column], units: bool) -> list[Suggestion]:
    names = [column.name for column in columns]
    return [{"kind": kind, "columns": names} for kind in ("covariance", "correlation")]


def _crosstab(columns: list[Column]) -> Suggestion:
    """Return a cross table, ordered columns cut into few bins, so that cells hold some rows."""
    bins = {column.name: min(10, column.lattice.steps + 1) for column in columns if column.type in ORDERED}
    return {"kind": "crosstab", "columns": [column.name for column in columns], **({"bins": bins} if bins else {})}


ANSWERS = {
    "how_many": _how_many,
    "total": _total,
    "average": _average,
    "spread": _spread,
    "compare": _compare,
    "relate": _relate,
    "common": _common,
    "share": _share,
    "over_time": _over_time,
    "model": _model,
}
