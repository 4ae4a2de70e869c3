"""Readers of options that name columns of the plan."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dprelease.model.calendar import PERIODS
from dprelease.model.column import Column, ColumnType
from dprelease.model.options import Option
from dprelease.model.report import Report, join
from dprelease.model.schema import Schema, check_column
from dprelease.words import phrase

GROUP = "group"
"""Treatment of rows without an answer as a group of their own, beside being left out."""


@dataclass(frozen=True)
class ColumnName(Option):
    """A declared column of one of the given types."""

    types: Collection[ColumnType]
    discover: bool = False
    """True if a column whose categories are not declared is allowed too."""

    def read(self, value: Any, path: str, report: Report) -> Any:
        return report.text(value, path, shortest=1) or None

    def columns(self, value: Any) -> tuple[str, ...]:
        return () if value is None else (value,)

    def check(self, value: Any, path: str, schema: Schema, report: Report) -> None:
        if value is not None:
            check_column(value, path, self.types, schema, report, discover=self.discover)


@dataclass(frozen=True)
class ColumnNames(Option):
    """A list of different declared columns."""

    types: Collection[ColumnType]
    fewest: int = 1
    most: int = 8
    discover: bool = False
    """True if columns whose categories are not declared are allowed too."""

    def read(self, value: Any, path: str, report: Report) -> Any:
        items = report.sequence(value, path, longest=self.most)
        names = tuple(report.text(item, f"{path}[{index}]", shortest=1) for index, item in enumerate(items))
        if items and len(items) < self.fewest:
            report.add(
                path,
                found=phrase("model.columns", count=len(items)),
                allowed=phrase("model.at_least", fewest=self.fewest),
            )
        if len(set(names)) != len(names):
            report.add(path, found=phrase("model.column_named_twice"), allowed=phrase("model.each_column_once"))
        return names

    def columns(self, value: Any) -> tuple[str, ...]:
        return tuple(value)

    def check(self, value: Any, path: str, schema: Schema, report: Report) -> None:
        for index, name in enumerate(value):
            check_column(name, f"{path}[{index}]", self.types, schema, report, discover=self.discover)

    def write(self, value: Any) -> Any:
        return list(value)


@dataclass(frozen=True)
class ColumnSets(Option):
    """A list of different sets of columns, out of those that another option names."""

    of: str
    """The option that names the columns."""
    widest: int
    most: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        found = []
        for index, item in enumerate(report.sequence(value, path, longest=self.most)):
            place = f"{path}[{index}]"
            items = report.sequence(item, place, longest=self.widest)
            names = tuple(report.text(name, f"{place}[{number}]", shortest=1) for number, name in enumerate(items))
            if len(set(names)) != len(names):
                report.add(place, found=phrase("model.column_named_twice"), allowed=phrase("model.each_column_once"))
            found.append(names)
        if len(set(map(frozenset, found))) != len(found):
            report.add(path, found=phrase("model.columns_twice"), allowed=phrase("model.each_once"))
        return tuple(found)

    def write(self, value: Any) -> Any:
        return [list(names) for names in value]


@dataclass(frozen=True)
class LevelByColumn(Option):
    """A mapping from key columns to names of levels. Which there are shows beside the schema."""

    keys: str
    """The option that names the key columns."""

    def names(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the key columns by a statistic's options."""
        return _key_columns(self.keys, options)

    @staticmethod
    def levels(column: Column) -> tuple[str, ...]:
        """Return the levels that a column has: of dates the calendar's."""
        return PERIODS if column.type is ColumnType.DATE else tuple(level.name for level in column.levels)

    def read(self, value: Any, path: str, report: Report) -> Any:
        if not isinstance(value, dict) or not value:
            report.add(path, found=value, allowed=phrase("model.mapping_column_names_levels"))
            return ()
        return tuple((str(name), report.text(item, join(path, str(name)), shortest=1)) for name, item in value.items())

    def write(self, value: Any) -> Any:
        return dict(value)


def _key_columns(keys: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    given = options.get(keys) or ()
    return (given,) if isinstance(given, str) else tuple(given)


@dataclass(frozen=True)
class MissingByColumn(Option):
    """A mapping from key columns to `group`: rows without an answer have a cell of their own, the last one."""

    keys: str
    """The option that names the key columns."""

    def names(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the key columns by a statistic's options."""
        return _key_columns(self.keys, options)

    def read(self, value: Any, path: str, report: Report) -> Any:
        if not isinstance(value, dict) or not value:
            report.add(path, found=value, allowed=phrase("model.mapping_column_names_group"))
            return ()
        for name, item in value.items():
            report.choice(item, join(path, str(name)), (GROUP,))
        return tuple(map(str, value))

    def write(self, value: Any) -> Any:
        return dict.fromkeys(value, GROUP)


@dataclass(frozen=True)
class WholeByColumn(Option):
    """A mapping from columns to whole numbers in a range."""

    lowest: int
    highest: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        if not isinstance(value, dict) or not value:
            report.add(path, found=value, allowed=phrase("model.mapping_column_names_whole"))
            return ()
        pairs = (
            (str(name), report.integer(item, join(path, str(name)), lowest=self.lowest, highest=self.highest))
            for name, item in value.items()
        )
        return tuple((name, number) for name, number in pairs if number is not None)

    def write(self, value: Any) -> Any:
        return dict(value)
