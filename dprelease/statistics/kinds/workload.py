"""Many tables of the same rows, planned together: each as precise as the others' measurements can make it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.residual import MAX_AXES
from dprelease.model import families
from dprelease.model.column import CODED
from dprelease.model.column_options import ColumnNames, ColumnSets, LevelByColumn, MissingByColumn, WholeByColumn
from dprelease.model.options import Choice, Whole, option
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.release import MeasuredTables, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import Key
from dprelease.statistics.algebra.grouping import group_keys
from dprelease.statistics.algebra.residual import OBJECTIVES, Places
from dprelease.statistics.table_family import MAX_TABLES, TableFamily, places_of
from dprelease.words import phrase, quoted

MAX_ORDER = 5
MAX_CELLS = 50_000_000
"""Largest number of cells of all tables together."""


@dataclass(frozen=True, kw_only=True)
class Workload(TableFamily):
    """Rows in each combination of declared values, in all tables over up to `order` of some columns, or in listed ones.

    Rows that lack a value in any of the columns count in no table (unless `missing` makes a group of them), so all are
    of the same rows, and they agree. Each
    cell is the best linear estimate of all that was measured. In zcdp discrete Gaussian noise is added to residuals;
    sensitivity L2: that of all residuals together, whose joint loss depends on the scale of each (`ResidualGaussian`).
    In pure discrete Laplace noise is added to the widest tables, which share ε; sensitivity L1 of each: m under
    add_remove, 2m under substitute.
    """

    kind: ClassVar[str] = families.KIND
    offers: ClassVar[tuple[str, ...]] = ("partial",)
    output: ClassVar[OutputKind] = "measured"
    presentation: ClassVar[Presentation] = shown(Quantity.RECORDS, Trait.ADDITIVE, Trait.NEVER_NEGATIVE)
    columns: tuple[str, ...] = option(ColumnNames(CODED, most=MAX_AXES))
    """Whose values are counted."""
    order: int | None = option(Whole(1, MAX_ORDER), default=None)
    """Up to how many columns a table has: all tables of one column, of two (the default), and so on."""
    tables: tuple[tuple[str, ...], ...] = option(ColumnSets("columns", MAX_ORDER, MAX_TABLES), default=())
    """Instead of an order: the tables that are wanted, each by its columns."""
    objective: str = option(Choice(tuple(OBJECTIVES)), default="equalise")
    """Objective made small: the largest error (equalise), or the sum over all cells (minimise) or tables (means)."""
    levels: tuple[tuple[str, str], ...] = option(LevelByColumn("columns"), default=())
    """The level of a key column: of dates day, week, month, quarter, half, year, weekday or month_of_year."""
    missing: tuple[str, ...] = option(MissingByColumn("columns"), default=())
    """Columns whose rows without an answer are a group of their own, the last one; of others they are left out."""
    bins: tuple[tuple[str, int], ...] = option(WholeByColumn(1, 100_000), default=())
    """Number of bins of equal width by column; number columns need them."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        self._check_tables(path, report)
        self.check_bins(path, schema, report)
        if len(report.problems) > before:
            return
        for key in self.keys(schema):
            if not key.whole:
                report.add(
                    f"{path}.levels.{key.column}",
                    found=phrase("statistics.level_leaves_out", name=quoted(key.column)),
                    allowed=phrase("statistics.level_holds_all"),
                )
        self.check_sizes(path, schema, report, MAX_CELLS)

    def _check_tables(self, path: str, report: Report) -> None:
        if not self.tables:
            return
        if self.order is not None:
            found = phrase("statistics.order_and_tables")
            report.add(f"{path}.tables", found=found, allowed=phrase("model.one_them"))
        for number, names in enumerate(self.tables):
            for name in names:
                if name not in self.columns:
                    report.add(f"{path}.tables[{number}]", found=name, allowed=phrase("statistics.columns_of_family"))
        unused = [name for name in self.columns if not any(name in names for names in self.tables)]
        if unused:
            found = phrase("statistics.column_in_no_table", name=quoted(unused[0]))
            report.add(f"{path}.columns", found=found, allowed=phrase("statistics.columns_in_some_table"))

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        bins, levels = dict(self.bins), dict(self.levels)
        return group_keys(schema, self.columns, bins, levels=levels, partial=self.partial, missing=self.missing)

    def key_levels(self) -> Mapping[str, str]:
        return dict(self.levels)

    @property
    def places(self) -> tuple[Places, ...]:
        return places_of(self.columns, self.order, self.tables)

    @property
    def parts(self) -> Mapping[str, Places]:
        named = families.tables(self.columns, self.order, self.tables)
        return dict(zip(named, self.places, strict=True))

    @property
    def planned_for(self) -> str:
        return self.objective

    def table_names(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{self.id}.{part}" for part in self.parts)

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        integers = [np.ravel(each).tolist() for each in drawn]
        return MeasuredTables(parts=self.measured(schema, drawn, mechanisms), integers=integers)

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        if not isinstance(output, MeasuredTables) or tuple(output.parts) != tuple(self.parts):
            return False
        drawn = self.read(output.integers, mechanisms)
        return drawn is not None and output == self.answered(schema, drawn, mechanisms)

    def size(self, schema: Schema) -> int:
        family = self.family(schema)
        return int(family.sizes(family.tables).sum())
