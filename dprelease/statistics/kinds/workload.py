"""Many tables of the same rows, planned together: each as precise as the others' measurements can make it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, ClassVar

import numpy as np

from dprelease.errors import InternalError
from dprelease.mechanisms import DiscreteLaplace, Mechanism, ResidualGaussian
from dprelease.mechanisms.residual import MOST_AXES
from dprelease.model import families
from dprelease.model.column import CODED, ORDERED, ColumnType
from dprelease.model.column_options import ColumnNames, ColumnSets, LevelByColumn, WholeByColumn
from dprelease.model.options import Choice, Whole, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Answers, Look, Presentation, Quantity, Trait
from dprelease.model.privacy import Currency, Terms
from dprelease.model.release import Axis, Estimates, Measured, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import Key, Measure, TallyQuery
from dprelease.statistics.algebra.grouping import axes, check_cells, group_keys
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.residual import OBJECTIVES, Family, Places
from dprelease.statistics.algebra.widest import Widest
from dprelease.statistics.levelled import Levelled
from dprelease.statistics.measuring import Measuring, measuring
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement
from dprelease.words import phrase, quoted

MOST_ORDER = 5
MOST_TABLES = 1_000
MOST_WHOLE = 60
"""Tables that get noise of their own: ε is split among them, and each cell's interval takes the law of all of them."""
MOST_CELLS = 50_000_000
"""Of all tables together."""


@dataclass(frozen=True, kw_only=True)
class Workload(Levelled):
    """Rows in each combination of declared values, in all tables over up to `order` of some columns, or in listed ones.

    Rows that lack a value in any of the columns count in no table, so all are of the same rows, and they agree. Each
    cell is the best linear estimate of all that was measured. In zcdp discrete Gaussian noise is added to residuals;
    sensitivity L2: that of all residuals together, whose joint loss depends on the scale of each (`ResidualGaussian`).
    In pure discrete Laplace noise is added to the widest tables, which share ε; sensitivity L1 of each: m under
    add_remove, 2m under substitute.
    """

    kind: ClassVar[str] = families.KIND
    output: ClassVar[OutputKind] = "measured"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.RECORDS,
        error=Quantity.RECORDS,
        values=Answers.NOISY,
        look=Look.MARKS,
        traits=(Trait.ADDITIVE, Trait.NEVER_NEGATIVE),
    )
    columns: tuple[str, ...] = option(ColumnNames(CODED, most=MOST_AXES))
    """Whose values are counted."""
    order: int | None = option(Whole(1, MOST_ORDER), default=None)
    """Up to how many columns a table has: all tables of one column, of two (the default), and so on."""
    tables: tuple[tuple[str, ...], ...] = option(ColumnSets("columns", MOST_ORDER, MOST_TABLES), default=())
    """Instead of an order: the tables that are wanted, each by its columns."""
    objective: str = option(Choice(tuple(OBJECTIVES)), default="equalise")
    """What is made small: the largest error (equalise), or the sum over all cells (minimise) or tables (means)."""
    levels: tuple[tuple[str, str], ...] = option(LevelByColumn("columns"), default=())
    """The level of a key column: of dates day, week, month, quarter, half, year, weekday or month_of_year."""
    bins: tuple[tuple[str, int], ...] = option(WholeByColumn(1, 100_000), default=())
    """How many bins of equal width a column has; number columns need them."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        self._check_tables(path, report)
        self._check_bins(path, schema, report)
        if len(report.problems) > before:
            return
        keys = self.keys(schema)
        for key in keys:
            if not key.whole:
                report.add(
                    f"{path}.levels.{key.column}",
                    found=phrase("statistics.level_leaves_out", name=quoted(key.column)),
                    allowed=phrase("statistics.level_holds_all"),
                )
        count = len(self._places())
        if count > MOST_TABLES:
            allowed = phrase("model.at_most", max_text=MOST_TABLES)
            remedy = phrase("statistics.use_fewer_columns_order")
            found = phrase("statistics.tables", tables=count)
            report.add(f"{path}.columns", found=found, allowed=allowed, remedy=remedy)
            return
        family = self.family(schema)
        for places in family.tables:
            check_cells([keys[place] for place in places], f"{path}.columns", report)
        cells = self.size(schema)
        if cells > MOST_CELLS:
            found = phrase("statistics.cells", cells=cells)
            allowed = phrase("model.at_most", max_text=MOST_CELLS)
            remedy = phrase("statistics.use_fewer_columns_bins")
            report.add(f"{path}.columns", found=found, allowed=allowed, remedy=remedy)

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

    def _check_bins(self, path: str, schema: Schema, report: Report) -> None:
        for name, bins in self.bins:
            if name not in self.columns or schema[name].type not in ORDERED:
                report.add(f"{path}.bins.{name}", found=name, allowed=phrase("statistics.integer_number_date_column"))
            elif name in dict(self.levels):
                found = phrase("statistics.both_bins_level", name=quoted(name))
                report.add(f"{path}.bins.{name}", found=found, allowed=phrase("model.one_them"))
            elif bins > schema[name].codes:
                allowed = phrase("statistics.at_most_declared_values", codes=schema[name].codes)
                report.add(f"{path}.bins.{name}", found=bins, allowed=allowed)
        for name in self.columns:
            if schema[name].type is ColumnType.NUMBER and name not in dict(self.bins):
                report.add(
                    f"{path}.columns",
                    found=phrase("statistics.number_column_without_bins", name=quoted(name)),
                    allowed=phrase("statistics.number_columns_bins"),
                    remedy=phrase("statistics.add_bins_10", name=name),
                )

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        super().check_plan(path, plan, terms, report)
        whole = len(self._widest(plan.schema))
        if terms.currency is not Currency.ZCDP and whole > MOST_WHOLE:
            report.add(
                f"{path}.tables" if self.tables else f"{path}.columns",
                found=phrase("statistics.widest_tables", tables=whole),
                allowed=phrase("model.at_most", max_text=MOST_WHOLE),
                remedy=phrase("statistics.fewer_tables_or_zcdp"),
            )

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        """One a column."""
        return group_keys(schema, self.columns, dict(self.bins), levels=dict(self.levels), partial=self.partial)

    def family(self, schema: Schema) -> Family:
        """Its tables."""
        return Family(tuple(key.cells for key in self.keys(schema)), self._places())

    def parts(self) -> dict[str, Places]:
        """The names of its tables, and the places of their columns."""
        named = families.tables(self.columns, self.order, self.tables)
        return dict(zip(named, self._places(), strict=True))

    def _places(self) -> tuple[Places, ...]:
        """The tables by the places of their columns."""
        return _places(self.columns, self.order, self.tables)

    def _widest(self, schema: Schema) -> tuple[Places, ...]:
        """The tables that all others are margins of."""
        return Widest(self.family(schema)).tables

    def _measuring(self, schema: Schema, by: type[Mechanism]) -> Measuring:
        return measuring(self.keys(schema), self._places(), by)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        keys = self.keys(schema)
        return tuple(
            TallyQuery(tuple(keys[place] for place in places), Measure((), self._others(schema, places)))
            for places in self._widest(schema)
        )

    def _others(self, schema: Schema, places: Places) -> tuple[str, ...]:
        """The columns in which a row must have a value to be counted in a table, beside the table's own."""
        return with_nulls([name for place, name in enumerate(self.columns) if place not in places], schema)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        by = ResidualGaussian if terms.currency is Currency.ZCDP else DiscreteLaplace
        return self._measuring(schema, by).measurements(terms, self.objective)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return tuple(tallies)

    def given(
        self, schema: Schema, tallies: Sequence[Integers], mechanisms: Sequence[type[Mechanism]]
    ) -> tuple[Integers, ...]:
        counts = dict(zip(self._widest(schema), tallies, strict=True))
        by = ResidualGaussian if ResidualGaussian in mechanisms else DiscreteLaplace
        return self._measuring(schema, by).given(counts)

    def table_names(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{self.id}.{part}" for part in self.parts())

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        way, keys = self._measuring(schema, type(mechanisms[0])), self.keys(schema)
        noisy, halves = way.residuals(drawn, mechanisms), way.half_widths(mechanisms)
        tables = {}
        for name, places in self.parts().items():
            step = way.step(places)
            numbers, reach = way.family.table(noisy, places).ravel().tolist(), int(halves[places] * step)
            value, lower, upper = ([(number + end) / step for number in numbers] for end in (0, -reach, reach))
            own = axes(schema, [keys[place] for place in places])
            tables[name] = Estimates(axes=own, value=value, lower95=lower, upper95=upper)
        return Measured(parts=tables, integers=[np.ravel(each).tolist() for each in drawn])

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        if not isinstance(output, Measured) or tuple(output.parts) != tuple(self.parts()):
            return False
        shapes = [mechanism.sensitivity.shape for mechanism in mechanisms]
        if [len(numbers) for numbers in output.integers] != [prod(shape or ()) for shape in shapes]:
            return False
        if not all(type(number) is int and abs(number) < 2**63 for numbers in output.integers for number in numbers):
            return False
        pairs = zip(output.integers, shapes, strict=True)
        drawn = [np.array(numbers, dtype=np.int64).reshape(shape or ()) for numbers, shape in pairs]
        return output == self.answered(schema, drawn, mechanisms)

    def estimates(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        raise InternalError("a workload answers with several tables")

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        raise InternalError("a workload answers with several tables")

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        """Returns that of the least precise table."""
        largest = self._measuring(schema, type(mechanisms[0])).largest(mechanisms, confidence)
        return ExpectedError(float(largest), "mechanism")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        family = self.family(schema)
        return expected.rows / float(family.sizes(family.tables).max())

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return ()

    def size(self, schema: Schema) -> int:
        family = self.family(schema)
        return int(family.sizes(family.tables).sum())


@lru_cache(maxsize=64)
def _places(columns: tuple[str, ...], order: int | None, listed: tuple[tuple[str, ...], ...]) -> tuple[Places, ...]:
    place = {name: number for number, name in enumerate(columns)}
    return tuple(tuple(place[each] for each in own) for own in families.tables(columns, order, listed).values())
