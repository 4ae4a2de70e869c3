"""Statistics whose keys may be levels of their columns, with a group of the rows that have no answer."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.model.column_options import LevelByColumn, MissingByColumn
from dprelease.model.options import Choice, option
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.levels import DROP, KEEP, check_levels
from dprelease.statistics.algebra.unanswered import check_missing
from dprelease.statistics.tabulated import TallyStatistic


@dataclass(frozen=True, kw_only=True)
class Levelled(TallyStatistic):
    """A statistic of which some key columns are told apart at a level: one of the column, or of the calendar.

    The tally is of the level's cells, so the sensitivity is that of these. A cell of the rows without an answer is one
    more: a row still lies in one cell of a key.
    """

    levels: tuple[tuple[str, str], ...] = option(LevelByColumn("by"), default=())
    """The level of a key column: of dates day, week, month, quarter, half, year, weekday or month_of_year."""
    partial: str = option(Choice((KEEP, DROP)), default=KEEP)
    """Periods of which the bounds hold a part: keep, and say so, or drop."""
    missing: tuple[str, ...] = option(MissingByColumn("by"), default=())
    """Key columns whose rows without an answer are a group of their own, the last one; of others they are left out."""

    def check(self, path: str, schema: Schema, report: Report) -> None:
        before, reader = len(report.problems), self.options()["levels"]
        assert isinstance(reader, LevelByColumn)
        names = reader.names({reader.keys: getattr(self, reader.keys)})
        if all(name in schema for name in names):
            check_levels(dict(self.levels), names, self.partial, path, schema, report)
            check_missing(self.missing, names, path, schema, report)
        if len(report.problems) == before:
            super().check(path, schema, report)
