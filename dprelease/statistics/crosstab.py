"""How columns go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dprelease.mechanisms import DiscreteLaplace
from dprelease.model.column import CODED, ORDERED, ColumnType
from dprelease.model.options import ColumnNames, WholeByColumn, option
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.release import Axis
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Sensitivity, TallyQuery
from dprelease.statistics.grouping import axes, check_cells, group_keys, rows_changed
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import Integers, Measurement


@dataclass(frozen=True, kw_only=True)
class Crosstab(NoisyTable):
    """Rows in each combination of declared values of two or more columns; ordered columns may be binned.

    Every declared combination is published, also the empty ones. Sensitivity L1: m under add_remove, 2m under
    substitute. Discrete Laplace noise.
    """

    kind: ClassVar[str] = "crosstab"
    columns: tuple[str, ...] = option(ColumnNames(CODED, fewest=2))
    """The keys of the table, outermost first."""
    bins: tuple[tuple[str, int], ...] = option(WholeByColumn(1, 100_000), default=())
    """How many bins of equal width a column has; number columns need them."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        for name, bins in self.bins:
            if name not in self.columns or schema[name].type not in ORDERED:
                report.add(
                    f"{path}.bins.{name}",
                    found=name,
                    allowed="an integer, number or date column among the table's columns",
                )
            elif bins > schema[name].codes:
                report.add(
                    f"{path}.bins.{name}",
                    found=bins,
                    allowed=f"at most {schema[name].codes}, its declared values",
                )
        for name in self.columns:
            if schema[name].type is ColumnType.NUMBER and name not in dict(self.bins):
                report.add(
                    f"{path}.columns",
                    found=f"{name!r}, a number column without bins",
                    allowed="number columns with bins",
                    remedy=f"Add `bins: {{{name}: 10}}`.",
                )
        if len(report.problems) == before:
            check_cells(self.keys(schema), f"{path}.columns", report)

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        """One key a column."""
        return group_keys(schema, self.columns, dict(self.bins))

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery(self.keys(schema)),)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return axes(schema, self.keys(schema))

    def size(self, schema: Schema) -> int:
        return self.queries(schema)[0].cells

    def measurements(self, schema: Schema, max_rows: int, neighbors: NeighboringRelation) -> tuple[Measurement, ...]:
        moves = neighbors is NeighboringRelation.SUBSTITUTE
        return (Measurement(DiscreteLaplace, Sensitivity(l1=rows_changed(max_rows, moves), linf=max_rows)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)
