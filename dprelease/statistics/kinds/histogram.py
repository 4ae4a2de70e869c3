"""Distribution of one column: counts by bin or value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dprelease.model.column import CODED, LISTED, NUMERIC, Column, ColumnType
from dprelease.model.column_options import ColumnName, LevelByColumn, MissingByColumn
from dprelease.model.options import Values, Whole, option
from dprelease.model.presentation import COUNTED, Presentation
from dprelease.model.report import Report, read_date
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.grouping import each_value, equal_bins, given_edges
from dprelease.statistics.algebra.levels import level_key
from dprelease.statistics.algebra.unanswered import with_missing
from dprelease.statistics.noisy import NoisyTable
from dprelease.words import phrase, quoted

MAX_BINS = 100_000
DEFAULT_BINS = 20
EACH_VALUE = 101
"""An integer or date column with at most this many declared values has, by default, a bar for each."""


@dataclass(frozen=True, kw_only=True)
class Histogram(NoisyTable):
    """Rows in each category, or in each bin of an ordered column: equal bins, or bins between given edges.

    Bin j holds edges[j] <= x < edges[j + 1], the last one the upper bound too; edges of dates may also end a day after
    it. Sensitivity L1: m under add_remove (all
    of a unit's rows may share a bin), 2m under substitute. Discrete Laplace noise, or Gaussian in zcdp. Categories that
    are not declared (`categories: discover`) are published where their noisy count reaches a threshold, at a δ.
    """

    kind: ClassVar[str] = "histogram"
    offers: ClassVar[tuple[str, ...]] = ("noise", "partial", "survey_weights", "max_rows_per_cell")
    presentation: ClassVar[Presentation] = COUNTED
    column: str = option(ColumnName(CODED, discover=True))
    """Any column but text."""
    levels: tuple[tuple[str, str], ...] = option(LevelByColumn("column"), default=())
    """The column's level: of dates day, week, month, quarter, half, year, weekday or month_of_year."""
    missing: tuple[str, ...] = option(MissingByColumn("column"), default=())
    """The column, where rows without an answer are a group of their own, the last one; else they are left out."""
    bins: int | None = option(Whole(1, MAX_BINS), default=None)
    """Number of bins of equal width; by default 20, or one for each value where these are few."""
    edges: tuple[Any, ...] = option(Values(1001), default=())
    """Instead of bins: declared values from the lower bound to the upper."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        if self.levels and (self.bins is not None or self.edges):
            found = phrase("statistics.both_bins_level", name=quoted(self.column))
            report.add(path, found=found, allowed=phrase("model.one_them"))
        check_bins(self.bins, self.edges, schema[self.column], path, report)

    def key_columns(self) -> tuple[str, ...]:
        return (self.column,)

    def declared_key(self, schema: Schema, column: str) -> Key:
        if self.levels:
            key = level_key(schema[column], dict(self.levels)[column], self.partial)
        else:
            key = binned(schema[column], self.bins, self.edges)
        return with_missing(key) if self.missing else key


def binned(column: Column, bins: int | None, edges: Sequence[Any]) -> Key:
    """Return the cells of one column: its declared values, given bins, or as many as are usual."""
    if column.type in LISTED:
        return each_value(column)
    if edges:
        return given_edges(column, [code for edge in edges if (code := edge_code(column, edge)) is not None])
    few = column.type is not ColumnType.NUMBER and column.codes <= EACH_VALUE
    return equal_bins(column, bins or (column.codes if few else DEFAULT_BINS))


def edge_code(column: Column, edge: object) -> int | None:
    """Return the code of an edge. The day after the upper bound is one, too: where the next month begins, say."""
    day = read_date(edge) if column.type is ColumnType.DATE else None
    is_next = day is not None and day.toordinal() == column.lattice.start + column.codes
    return column.codes if is_next else column.code(edge)


def check_bins(bins: int | None, edges: tuple[Any, ...], column: Column, path: str, report: Report) -> None:
    """Add problems of bins and edges beside the column."""
    if bins is not None and edges:
        report.add(path, found=phrase("statistics.both_bins_edges"), allowed=phrase("model.one_them"))
    elif column.type in LISTED and (bins is not None or edges):
        report.add(
            f"{path}.{'edges' if edges else 'bins'}",
            found=phrase("statistics.bins_column", type=column.type),
            allowed=phrase("statistics.nothing_declared_values_bins"),
        )
    elif bins is not None and bins > column.codes:
        report.add(
            f"{path}.bins",
            found=bins,
            allowed=phrase("statistics.at_most_declared_values_2", codes=column.codes, column=quoted(column.name)),
            remedy=phrase("statistics.use_fewer_bins_finer"),
        )
    elif edges:
        _check_edges(edges, column, f"{path}.edges", report)


def _check_edges(edges: tuple[Any, ...], column: Column, path: str, report: Report) -> None:
    codes = [edge_code(column, edge) for edge in edges]
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
                allowed=phrase("statistics.value_between_bounds", column=quoted(column.name), lattice=lattice),
            )
    known = [code for code in codes if code is not None]
    if len(known) < len(codes):
        return
    if known != sorted(set(known)):
        report.add(path, found=phrase("statistics.edges_out_order"), allowed=phrase("statistics.increasing_edges"))
    elif known[0] != 0 or known[-1] < column.lattice.steps:
        report.add(
            path,
            found=phrase("statistics.edges_from", edges=edges[0], edges_2=edges[-1]),
            allowed=phrase(
                "statistics.edges_from_column_bounds", value=column.value(0), value_2=column.value(column.lattice.steps)
            ),
            remedy=phrase("statistics.values_clipped_bounds_so"),
        )
