"""How many rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dprelease.mechanisms import DiscreteLaplace
from dprelease.model.options import ColumnNames, option
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.release import Axis
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Sensitivity, TallyQuery
from dprelease.statistics.grouping import GROUPING, axes, check_cells, group_keys, rows_changed
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import Integers, Measurement


@dataclass(frozen=True, kw_only=True)
class Count(NoisyTable):
    """The number of rows that pass `where`, in all or in each group.

    Sensitivity: m rows of a unit enter or leave one cell, so m under both relations; by groups they may also move, so
    2m under substitute. Discrete Laplace noise.
    """

    kind: ClassVar[str] = "count"
    by: tuple[str, ...] = option(ColumnNames(GROUPING), default=())
    """Groups: a count for each combination of their declared values."""

    def check(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        super().check(path, schema, report)
        if len(report.problems) == before:
            check_cells(group_keys(schema, self.by), f"{path}.by", report)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery(group_keys(schema, self.by)),)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return axes(schema, group_keys(schema, self.by))

    def size(self, schema: Schema) -> int:
        return self.queries(schema)[0].cells

    def measurements(self, schema: Schema, max_rows: int, neighbors: NeighboringRelation) -> tuple[Measurement, ...]:
        moves = neighbors is NeighboringRelation.SUBSTITUTE and bool(self.by)
        return (Measurement(DiscreteLaplace, Sensitivity(l1=rows_changed(max_rows, moves), linf=max_rows)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)
