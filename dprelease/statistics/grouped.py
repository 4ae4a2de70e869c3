"""Statistics in all, or for each combination of declared values of some columns."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.model.column_options import ColumnNames
from dprelease.model.options import option
from dprelease.model.release import Axis
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, TallyQuery
from dprelease.statistics.algebra.grouping import GROUPING, axes, check_cells, group_keys
from dprelease.statistics.key_levels import Levelled


@dataclass(frozen=True, kw_only=True)
class Grouped(Levelled):
    """One number in all, or one for each group that `by` declares, also the empty ones."""

    by: tuple[str, ...] = option(ColumnNames(GROUPING), default=())
    """Groups: one result for each combination of their declared values."""

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        """Return one key a column of `by`."""
        return group_keys(schema, self.by, levels=dict(self.levels), partial=self.partial, missing=self.missing)

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        check_cells(self.keys(schema), f"{path}.by", report)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return axes(schema, self.keys(schema))

    def size(self, schema: Schema) -> int:
        return TallyQuery(self.keys(schema)).cells
