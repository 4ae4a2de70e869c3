"""How one column is spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dprelease.mechanisms import DiscreteLaplace
from dprelease.model.column import CODED, LISTED, NUMERIC, Column, ColumnType
from dprelease.model.options import ColumnName, Values, Whole, option
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.release import Axis
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Sensitivity, TallyQuery
from dprelease.statistics.grouping import axes, each_value, equal_bins, given_edges, rows_changed
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import Integers, Measurement

MAX_BINS = 100_000
DEFAULT_BINS = 20
EACH_VALUE = 101
"""An integer or date column with at most this many declared values has, by default, a bar for each."""


@dataclass(frozen=True, kw_only=True)
class Histogram(NoisyTable):
    """Rows in each declared category, or in each bin of an ordered column: equal bins, or bins between given edges.

    Bin j holds edges[j] <= x < edges[j + 1], the last one its upper edge too. Sensitivity L1: m under add_remove (all
    of a unit's rows may share a bin), 2m under substitute. Discrete Laplace noise.
    """

    kind: ClassVar[str] = "histogram"
    column: str = option(ColumnName(CODED))
    """Any column but text."""
    bins: int | None = option(Whole(1, MAX_BINS), default=None)
    """How many bins of equal width; by default 20, or one for each value where these are few."""
    edges: tuple[Any, ...] = option(Values(1001), default=())
    """Instead of bins: declared values from the lower bound to the upper."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        column = schema[self.column]
        if self.bins is not None and self.edges:
            report.add(path, found="both bins and edges", allowed="one of them")
        elif column.type in LISTED and (self.bins is not None or self.edges):
            report.add(
                f"{path}.{'edges' if self.edges else 'bins'}",
                found=f"bins on a {column.type} column",
                allowed="nothing: its declared values are the bins",
            )
        elif self.bins is not None and self.bins > column.codes:
            report.add(
                f"{path}.bins",
                found=self.bins,
                allowed=f"at most {column.codes}, the declared values of {column.name!r}",
                remedy="Use fewer bins or a finer resolution.",
            )
        elif self.edges:
            _check_edges(self.edges, column, f"{path}.edges", report)

    def key(self, schema: Schema) -> Key:
        """The cells of the histogram."""
        column = schema[self.column]
        if column.type in LISTED:
            return each_value(column)
        if self.edges:
            return given_edges(column, [code for edge in self.edges if (code := column.code(edge)) is not None])
        few = column.type is not ColumnType.NUMBER and column.codes <= EACH_VALUE
        return equal_bins(column, self.bins or (column.codes if few else DEFAULT_BINS))

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery((self.key(schema),)),)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return axes(schema, (self.key(schema),))

    def size(self, schema: Schema) -> int:
        return self.key(schema).cells

    def measurements(self, schema: Schema, max_rows: int, neighbors: NeighboringRelation) -> tuple[Measurement, ...]:
        moves = neighbors is NeighboringRelation.SUBSTITUTE and self.size(schema) > 1
        return (Measurement(DiscreteLaplace, Sensitivity(l1=rows_changed(max_rows, moves), linf=max_rows)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)


def _check_edges(edges: tuple[Any, ...], column: Column, path: str, report: Report) -> None:
    codes = [column.code(edge) for edge in edges]
    for index, (edge, code) in enumerate(zip(edges, codes, strict=True)):
        if code is None:
            lattice = (
                f"on its lattice (steps of {column.lattice.resolution})"
                if column.type in NUMERIC
                else "a day such as 2025-12-31"
            )
            report.add(
                f"{path}[{index}]",
                found=edge,
                allowed=f"a value between the bounds of {column.name!r} and {lattice}",
            )
    known = [code for code in codes if code is not None]
    if len(known) < len(codes):
        return
    if known != sorted(set(known)):
        report.add(path, found="edges out of order", allowed="increasing edges")
    elif known[0] != 0 or known[-1] != column.lattice.steps:
        report.add(
            path,
            found=f"edges from {edges[0]} to {edges[-1]}",
            allowed=f"edges from {column.value(0)} to {column.value(column.lattice.steps)}, the column's bounds",
            remedy="Values are clipped to the bounds, so each must fall in a bin: add the bounds as edges.",
        )
