"""Share of the rows that meet conditions, and rate of an event."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnName
from dprelease.model.condition import Condition
from dprelease.model.options import Conditions, NumberOption, option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.release import Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.reach import quotient_error
from dprelease.statistics.algebra.sensitivity import simplex, spread
from dprelease.statistics.algebra.share import middle_half_width, share, share_interval
from dprelease.statistics.bounded import in_order, quotient_table
from dprelease.statistics.sampled import (
    check_sampling,
    may_be,
    squares_queries,
    squares_step,
    summed_squares,
    with_squares,
    with_totals,
)
from dprelease.statistics.tabulated import GROUPS, ExpectedError, Integers, Measurement, TallyStatistic
from dprelease.statistics.weighted import check_weights, middle, typical_weight, weight_factors, weight_step
from dprelease.words import phrase, quoted


@dataclass(frozen=True, kw_only=True)
class Share(TallyStatistic):
    """The rows that pass `where`, as a share of the rows that have a value in its columns.

    Noise goes on both counts, of the rows that pass and of those that do not: joint sensitivity L1 m under add_remove
    (what one count costs), 2m under substitute. Discrete Laplace noise, or Gaussian in zcdp. The interval
    inverts the exact noise distribution (Fieller).
    """

    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise")
    where: tuple[Condition, ...] = option(Conditions())
    """Conditions of the rows that are meant, as under the plan's own `where`, which goes before."""

    @abstractmethod
    def scaled(self) -> float:
        """Return what a share of 1 is published as."""

    def _asked(self) -> list[str]:
        return [condition.column for condition in self.where]

    def _sums(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return moments.queries(self.keys(schema), weight_factors(self, schema), schema, self._asked())

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        rows = self._sums(schema)
        passing = (replace(each, measure=replace(each.measure, where=self.where)) for each in rows)
        return (*rows, *passing, *squares_queries(self, schema, self._asked()))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape = (*TallyQuery(self.keys(schema)).shape, 2)
        size = moments.ends(weight_factors(self, schema))[1]
        own = Measurement(self.noise_for(terms), shape, simplex(terms, shape, size))
        return with_squares(self, schema, terms, (own,))

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        return weight_step(self, schema) if place == 0 else squares_step(self, schema)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        sums, factors = self._sums(schema), weight_factors(self, schema)
        many = len(sums)
        whole, passing = (moments.total(factors, sums, part) for part in (tallies[:many], tallies[many : 2 * many]))
        squares = summed_squares(self, schema, tallies[2 * many :], self._asked())
        return (np.stack([passing, whole - passing], axis=-1), *squares)

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        drawn = [part.astype(np.float64) for part in drawn]
        pairs = drawn[0].reshape(-1, 2)
        y1, y2 = pairs[:, 0], pairs[:, 1]
        parts = (share(y1, y2), *share_interval(y1, y2, mechanisms[0], confidence))
        value, lower, upper = ([float(number) * self.scaled() for number in part] for part in parts)
        table = Estimates(axes=self.axes(schema), value=value, lower95=lower, upper95=upper)
        return with_totals(self, schema, parts, self.limits(schema), table, drawn, mechanisms, confidence)

    def limits(self, schema: Schema) -> tuple[float, float]:
        """Return the smallest and the largest value it can have."""
        return 0.0, self.scaled()

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        return may_be(self, table, self.limits(schema))

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return half the interval's width at a share of one half, the expected rows spread evenly over the groups."""
        if expected is None:
            return None
        half = middle_half_width(self.expected_rows(schema, expected) / 2, mechanisms[0], confidence)
        return ExpectedError(half * self.scaled(), "expected")

    def expected_rows(self, schema: Schema, expected: Expected) -> float:
        """Return what both of its noisy numbers come to in a group, in their steps: the rows spread evenly."""
        return expected.rows / self.size(schema) * typical_weight(self, schema) / float(weight_step(self, schema))

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return self.scaled() / 2


@dataclass(frozen=True, kw_only=True)
class Proportion(Share):
    """The share of rows that pass `where`, from 0 to 1, in all or in each group; with survey weights, of the weights.

    With weights up to W, in steps, noise goes on Σw of the rows that pass and of those that do not: joint sensitivity
    L1 m·W under add_remove, 2m·W under substitute.
    """

    kind: ClassVar[str] = "proportion"
    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise", "survey_weights", "sampling", "effect")
    presentation: ClassVar[Presentation] = shown(Quantity.SHARE, Trait.QUOTIENT)

    def scaled(self) -> float:
        return 1.0

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        check_weights(self, path, schema, report)
        check_sampling(self, path, schema, report)


LEAST, MOST, USUAL = Decimal("1e-6"), Decimal("1e9"), Decimal(1000)


@dataclass(frozen=True, kw_only=True)
class Rate(Share):
    """The rows that pass `where` for every so many rows, or for every so much of a column such as years at risk.

    With a column, its sum gets noise of its own with half of the statistic's share. Sensitivity of that sum:
    m·max(|l|, |u|) and the like, see `sum`. Without a value where the noisy sum is not above 0.
    """

    kind: ClassVar[str] = "rate"
    presentation: ClassVar[Presentation] = shown(Quantity.RATE)
    per: Decimal = option(NumberOption(LEAST, MOST), default=USUAL)  # noqa: RUF009
    """For every so many; 1000 by default."""
    column: str | None = option(ColumnName(NUMERIC), default=None)
    """Denominator of the rate, if not rows: a column with bounds of at least 0."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        if self.column is not None and schema[self.column].lattice.start < 0:
            report.add(
                f"{path}.column",
                found=phrase("statistics.whose_lower_bound_below", column=quoted(self.column)),
                allowed=phrase("statistics.column_lower_bound_at"),
            )

    def scaled(self) -> float:
        return float(self.per)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        if self.column is None:
            return super().queries(schema)
        names = [condition.column for condition in self.where]
        asked = moments.queries(self.keys(schema), [moments.value(schema[self.column])], schema, names)
        present = with_nulls([self.column, *names], schema)
        return (*asked, TallyQuery(self.keys(schema), Measure((), present, self.where)))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        if self.column is None:
            return super().measurements(schema, terms)
        noise, shape = self.noise_for(terms), TallyQuery(self.keys(schema)).shape
        ends = moments.value(schema[self.column]).ends
        return (
            Measurement(noise, shape, simplex(terms, shape)),
            Measurement(noise, shape, spread(terms, shape, *ends)),
        )

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        return Decimal(1) if self.column is None or place == 0 else schema[self.column].lattice.resolution

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        if self.column is None:
            return super().exact(schema, tallies)
        *asked, passing = tallies
        queries = self.queries(schema)[:-1]
        return passing, moments.total([moments.value(schema[self.column])], queries, asked)

    def _most(self, schema: Schema) -> float:
        """Return the greatest rate of a column: each row adds its lower bound at least."""
        assert self.column is not None
        lattice = schema[self.column].lattice
        least = float(lattice.start * lattice.resolution)
        return self.scaled() / least if least > 0 else np.inf

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        if self.column is None:
            return super().estimates(schema, drawn, mechanisms, confidence)
        unit = self.scaled() / float(schema[self.column].lattice.resolution)
        return quotient_table(self.axes(schema), drawn, mechanisms, confidence, unit, (0, self._most(schema)))

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        if self.column is None:
            return super().could_be(schema, table, mechanisms)
        return not table.extra and in_order(table, least=0.0, most=self._most(schema))

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return the error where half of the rows pass and the column is at the middle of its bounds."""
        if self.column is None or expected is None:
            return super().error(schema, mechanisms, expected, confidence)
        rows, resolution = expected.rows / self.size(schema), float(schema[self.column].lattice.resolution)
        bottom = rows * middle(schema, self.column) / resolution
        off = quotient_error(rows / 2, bottom, mechanisms, confidence)
        if off is None:
            return None
        unit, expects = self.scaled() / resolution, rows / 2 / bottom * self.scaled() / resolution
        return ExpectedError(min(off * unit, max(self._most(schema) - expects, expects)), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        if self.column is None:
            return super().magnitude(schema, expected)
        return self.scaled() / 2 / middle(schema, self.column)
