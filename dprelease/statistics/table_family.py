"""Statistics of many tables of the same rows, measured together: what a workload and synthetic rows have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from dprelease.errors import InternalError
from dprelease.mechanisms import DiscreteLaplace, Mechanism, ResidualGaussian
from dprelease.model import families
from dprelease.model.plan import Expected, Plan
from dprelease.model.privacy import Currency, Terms
from dprelease.model.release import Axis, Estimates, Output
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import Caveat
from dprelease.model.tally import Key, Measure, TallyQuery
from dprelease.statistics.algebra.grouping import axes, check_binned, check_cells, group_keys
from dprelease.statistics.algebra.residual import AxisFamily, Places, Wholes
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.algebra.widest import Widest
from dprelease.statistics.measuring import Measuring, measuring
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, TallyStatistic
from dprelease.words import phrase

MAX_TABLES = 1_000
MAX_WHOLE = 60
"""Tables that get noise of their own: ε is split among them, and each cell's interval takes the law of all of them."""


class TableFamily(TallyStatistic):
    """Counts over sets of some columns, of the rows that have a value in each of these.

    In zcdp noise goes on residuals, in pure on the widest tables; every table is the best linear estimate of both.
    """

    columns: tuple[str, ...]
    bins: tuple[tuple[str, int], ...]

    @property
    @abstractmethod
    def places(self) -> tuple[Places, ...]:
        """The tables by the places of their columns."""

    @property
    @abstractmethod
    def parts(self) -> Mapping[str, Places]:
        """The names of the tables, and the places of their columns."""

    @property
    @abstractmethod
    def planned_for(self) -> str:
        """The objective by which noise is spread over tables."""

    def caveats(self, schema: Schema, terms: Terms, mechanisms: Sequence[Mechanism]) -> Iterator[Caveat]:
        if self.output == "rows":
            yield Caveat.of("synthetic", statistic=self.id, order=max(map(len, self.places)))

    def answered_by(
        self, by: TableFamily, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]
    ) -> Output:
        """Return its output of what was measured of a family that has its tables."""
        raise InternalError(f"{self.id}: nothing says how it follows from another family of tables")

    def could_answer_by(self, by: TableFamily, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        """Return True if an output could follow from what was measured of a family that has its tables."""
        raise InternalError(f"{self.id}: nothing says how it follows from another family of tables")

    def key_levels(self) -> Mapping[str, str]:
        """Return the levels of key columns."""
        return {}

    def check_bins(self, path: str, schema: Schema, report: Report) -> None:
        """Add problems that keep bins from being those of the columns."""
        check_binned(self.columns, dict(self.bins), self.key_levels(), path, schema, report)

    def check_sizes(self, path: str, schema: Schema, report: Report, most: int) -> None:
        """Add a problem where there are too many tables, or cells: at most so many of all tables together."""
        keys, count = self.keys(schema), len(self.places)
        if count > MAX_TABLES:
            allowed = phrase("model.at_most", max_text=MAX_TABLES)
            remedy = phrase("statistics.use_fewer_columns_order")
            found = phrase("statistics.tables", tables=count)
            report.add(f"{path}.columns", found=found, allowed=allowed, remedy=remedy)
            return
        for places in self.places:
            check_cells([keys[place] for place in places], f"{path}.columns", report)
        family = self.family(schema)
        cells = int(family.sizes(family.tables).sum())
        if cells > most:
            found = phrase("statistics.cells", cells=cells)
            allowed = phrase("model.at_most", max_text=most)
            remedy = phrase("statistics.use_fewer_columns_bins")
            report.add(f"{path}.columns", found=found, allowed=allowed, remedy=remedy)

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        super().check_plan(path, plan, terms, report)
        whole = len(self.widest(plan.schema))
        if terms.currency is not Currency.ZCDP and whole > MAX_WHOLE:
            report.add(
                f"{path}.tables" if getattr(self, "tables", ()) else f"{path}.columns",
                found=phrase("statistics.widest_tables", tables=whole),
                allowed=phrase("model.at_most", max_text=MAX_WHOLE),
                remedy=phrase("statistics.fewer_tables_or_zcdp"),
            )

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        """Return one a column."""
        return group_keys(schema, self.columns, dict(self.bins))

    def family(self, schema: Schema) -> AxisFamily:
        """Return the family of its tables."""
        return AxisFamily(tuple(key.cells for key in self.keys(schema)), self.places)

    def widest(self, schema: Schema) -> tuple[Places, ...]:
        """Return the tables that all others are margins of."""
        return Widest(self.family(schema)).tables

    def measuring(self, schema: Schema, by: type[Mechanism]) -> Measuring:
        """Return the tables' way of being measured by a mechanism."""
        return measuring(self.keys(schema), self.places, by)

    def identity(self, schema: Schema) -> Any:
        return "tables", self.keys(schema), self.places, self.planned_for

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        keys = self.keys(schema)
        return tuple(
            TallyQuery(tuple(keys[place] for place in places), Measure((), self._others(schema, places)))
            for places in self.widest(schema)
        )

    def _others(self, schema: Schema, places: Places) -> tuple[str, ...]:
        """Return the columns in which a row must have a value to be counted in a table, beside the table's own."""
        others = (key for place, key in enumerate(self.keys(schema)) if place not in places)
        return tuple(sorted(left_out(others, schema)))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        by = ResidualGaussian if terms.currency is Currency.ZCDP else DiscreteLaplace
        return self.measuring(schema, by).measurements(terms, self.planned_for)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return tuple(tallies)

    def given(
        self, schema: Schema, tallies: Sequence[Integers], mechanisms: Sequence[type[Mechanism]]
    ) -> tuple[Integers, ...]:
        counts = dict(zip(self.widest(schema), tallies, strict=True))
        by = ResidualGaussian if ResidualGaussian in mechanisms else DiscreteLaplace
        return self.measuring(schema, by).given(counts)

    def measured(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], by: TableFamily | None = None
    ) -> dict[str, Estimates]:
        """Return the tables by name, with their intervals. `by`: the family measured, where it is another one."""
        given = by or self
        way, keys = given.measuring(schema, type(mechanisms[0])), self.keys(schema)
        noisy, halves = way.residuals(drawn, mechanisms), way.half_widths(mechanisms)
        tables = {}
        for name, places in self.parts.items():
            there = self.among(given, places)
            step, order = way.step(there), [there.index(place) for place in self.at(given, places)]
            numbers = way.family.table(noisy, there).transpose(order).ravel().tolist()
            reach = int(halves[there] * step)
            value, lower, upper = ([(number + end) / step for number in numbers] for end in (0, -reach, reach))
            own = axes(schema, [keys[place] for place in places])
            tables[name] = Estimates(axes=own, value=value, lower95=lower, upper95=upper)
        return tables

    def counts(self, schema: Schema, tallies: Sequence[Integers], by: TableFamily) -> dict[str, Estimates]:
        """Return the exact tables by name, without intervals: confidential. `tallies`: of the measured family."""
        widest, keys, tables = dict(zip(by.widest(schema), tallies, strict=True)), self.keys(schema), {}
        cells = [key.cells for key in by.keys(schema)]
        for name, places in self.parts.items():
            there = [place for place in self.at(by, places) if cells[place] > 1]
            whole = next(each for each in widest if set(there) <= set(each))
            table = widest[whole].reshape([cells[place] for place in whole])
            table = table.sum(axis=tuple(axis for axis, place in enumerate(whole) if place not in there))
            table = table.transpose([sorted(there).index(place) for place in there])
            nothing = [None] * table.size
            own = axes(schema, [keys[place] for place in places])
            tables[name] = Estimates(axes=own, value=table.ravel().tolist(), lower95=nothing, upper95=nothing)
        return tables

    def at(self, given: TableFamily, places: Places) -> Places:
        """Return the places that some columns have in another family, in the order of its own."""
        return tuple(given.columns.index(self.columns[place]) for place in places)

    def among(self, given: TableFamily, places: Places) -> Places:
        """Return a set of columns as one of another family's."""
        return tuple(sorted(self.at(given, places)))

    def read(self, integers: Sequence[Sequence[int]], mechanisms: Sequence[Mechanism]) -> list[Wholes] | None:
        """Return published integers as they were drawn; None where they are no draw of these mechanisms."""
        shapes = [mechanism.sensitivity.shape or () for mechanism in mechanisms]
        if [len(numbers) for numbers in integers] != [prod(shape) for shape in shapes]:
            return None
        if not all(type(number) is int and abs(number) < 2**63 for numbers in integers for number in numbers):
            return None
        pairs = zip(integers, shapes, strict=True)
        return [np.array(numbers, dtype=np.int64).reshape(shape) for numbers, shape in pairs]

    def estimates(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        raise InternalError(f"{self.kind} answers with several tables")

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        raise InternalError(f"{self.kind} answers with several tables")

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        """Return the error of the least precise table."""
        largest = self.measuring(schema, type(mechanisms[0])).largest(mechanisms, confidence)
        return ExpectedError(float(largest), "mechanism")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        family = self.family(schema)
        return expected.rows / float(family.sizes(family.tables).max())

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return ()


@lru_cache(maxsize=64)
def places_of(columns: tuple[str, ...], order: int | None, listed: tuple[tuple[str, ...], ...]) -> tuple[Places, ...]:
    """Return the tables of a family by the places of their columns."""
    place = {name: number for number, name in enumerate(columns)}
    return tuple(tuple(place[each] for each in own) for own in families.tables(columns, order, listed).values())
