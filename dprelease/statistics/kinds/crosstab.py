"""Cross table of columns: counts by their cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dprelease.model.column import CODED
from dprelease.model.column_options import ColumnNames, LevelByColumn, MissingByColumn, WholeByColumn
from dprelease.model.options import Choices, option
from dprelease.model.presentation import COUNTED, Presentation
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.grouping import check_binned, check_cells, group_keys
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.shares import WORDS


@dataclass(frozen=True, kw_only=True)
class Crosstab(NoisyTable):
    """Rows in each combination of declared values of two or more columns; ordered columns may be binned.

    Every declared combination is published, also the empty ones. Sensitivity L1: m under add_remove, 2m under
    substitute. Discrete Laplace noise, or Gaussian in zcdp. Combinations with categories that are not declared
    (`categories: discover`) are published where their noisy count reaches a threshold, at a δ.
    """

    kind: ClassVar[str] = "crosstab"
    offers: ClassVar[tuple[str, ...]] = ("noise", "partial", "survey_weights", "margins", "max_rows_per_cell")
    presentation: ClassVar[Presentation] = COUNTED
    columns: tuple[str, ...] = option(ColumnNames(CODED, fewest=2, discover=True))
    """The keys of the table, outermost first."""
    levels: tuple[tuple[str, str], ...] = option(LevelByColumn("columns"), default=())
    """The level of a key column: of dates day, week, month, quarter, half, year, weekday or month_of_year."""
    missing: tuple[str, ...] = option(MissingByColumn("columns"), default=())
    """Columns whose rows without an answer are a group of their own, the last one; of others they are left out."""
    bins: tuple[tuple[str, int], ...] = option(WholeByColumn(1, 100_000), default=())
    """Number of bins of equal width by column; number columns need them."""

    shares: tuple[str, ...] = option(Choices(WORDS), default=())
    """The share of each cell in its row, its column or the table, with intervals: of the noisy counts, at no cost."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        check_binned(self.columns, dict(self.bins), dict(self.levels), path, schema, report)
        if len(report.problems) == before:
            check_cells(self.keys(schema), f"{path}.columns", report)

    def key_columns(self) -> tuple[str, ...]:
        return self.columns

    def declared_key(self, schema: Schema, column: str) -> Key:
        bins, levels = dict(self.bins), dict(self.levels)
        return group_keys(schema, (column,), bins, levels=levels, partial=self.partial, missing=self.missing)[0]
