"""Statistics whose keys may be levels of their columns: months of a day, regions of provinces, bands of ages."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.model.column_options import LevelByColumn
from dprelease.model.options import Choice, option
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.levels import DROP, KEEP, check_levels
from dprelease.statistics.tabulated import Tabulated


@dataclass(frozen=True, kw_only=True)
class Levelled(Tabulated):
    """A statistic of which some key columns are told apart at a level: one of the column, or of the calendar.

    The tally is of the level's cells, so the sensitivity is that of these.
    """

    levels: tuple[tuple[str, str], ...] = option(LevelByColumn("by"), default=())
    """The level of a key column: of dates day, week, month, quarter, half, year, weekday or month_of_year."""
    partial: str = option(Choice((KEEP, DROP)), default=KEEP)
    """Periods of which the bounds hold a part: keep, and say so, or drop."""

    def check(self, path: str, schema: Schema, report: Report) -> None:
        before, reader = len(report.problems), self.options()["levels"]
        assert isinstance(reader, LevelByColumn)
        names = reader.names({reader.keys: getattr(self, reader.keys)})
        if all(name in schema for name in names):
            check_levels(dict(self.levels), names, self.partial, path, schema, report)
        if len(report.problems) == before:
            super().check(path, schema, report)
