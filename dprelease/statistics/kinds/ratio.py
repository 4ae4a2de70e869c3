"""One total for each unit of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from dprelease.mechanisms import Mechanism
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnName
from dprelease.model.feasible import quotients
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation, Quantity, shown
from dprelease.model.privacy import Terms
from dprelease.model.release import Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.moments import Factor
from dprelease.statistics.algebra.reach import quotient_error
from dprelease.statistics.algebra.sensitivity import spread
from dprelease.statistics.bounded import in_order, quotient_table
from dprelease.statistics.tabulated import GROUPS, ExpectedError, Integers, Measurement, TallyStatistic
from dprelease.statistics.weighted import check_weights, middle, typical_weight, weight_factors, weight_step
from dprelease.words import phrase, quoted


@dataclass(frozen=True, kw_only=True)
class Ratio(TallyStatistic):
    """The sum of one column divided by the sum of another, over rows that have both; with survey weights, weighted.

    Each sum gets noise of its own with half of the statistic's share. Sensitivity of each: as of `sum`. Discrete
    Laplace noise, or Gaussian in zcdp. The interval inverts the exact noise distribution (Fieller). Value and interval
    are cut to what the columns' bounds allow; beyond that there is no end where the noisy denominator is not clearly
    above 0, and no value where it is not above 0.
    """

    kind: ClassVar[str] = "ratio"
    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise", "survey_weights")
    presentation: ClassVar[Presentation] = shown(Quantity.NUMBER)
    numerator: str = option(ColumnName(NUMERIC))
    """Column that is divided."""
    denominator: str = option(ColumnName(NUMERIC))
    """Column to divide by, with bounds of at least 0."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        check_weights(self, path, schema, report, self.numerator, self.denominator)
        if schema[self.denominator].lattice.start < 0:
            report.add(
                f"{path}.denominator",
                found=phrase("statistics.whose_lower_bound_below", column=quoted(self.denominator)),
                allowed=phrase("statistics.column_lower_bound_at"),
            )

    def _sums(self, schema: Schema) -> list[list[Factor]]:
        weight = weight_factors(self, schema)
        return [[*weight, moments.value(schema[name])] for name in (self.numerator, self.denominator)]

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        names = (self.numerator, self.denominator)
        asked = (moments.queries(self.keys(schema), factors, schema, names) for factors in self._sums(schema))
        return tuple(dict.fromkeys(query for queries in asked for query in queries))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        noise, shape = self.noise_for(terms), TallyQuery(self.keys(schema)).shape
        return tuple(
            Measurement(noise, shape, spread(terms, shape, *moments.ends(factors))) for factors in self._sums(schema)
        )

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        return weight_step(self, schema) * schema[(self.numerator, self.denominator)[place]].lattice.resolution

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        asked = self.queries(schema)
        return tuple(moments.total(factors, asked, tallies) for factors in self._sums(schema))

    def limits(self, schema: Schema) -> tuple[float, float]:
        """Return what a ratio of such sums can be, by the bounds of its columns; infinite where nothing bounds it."""
        return quotients(schema[self.numerator], schema[self.denominator])

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        unit = float(schema[self.numerator].lattice.resolution / schema[self.denominator].lattice.resolution)
        return quotient_table(self.axes(schema), drawn, mechanisms, confidence, unit, self.limits(schema))

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        unit = float(schema[self.numerator].lattice.resolution / schema[self.denominator].lattice.resolution)
        least, most = self.limits(schema)
        return not table.extra and in_order(table, least=max(least, -(2.0**63) * unit), most=min(most, 2.0**63 * unit))

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return the error with both columns at the middle of their bounds."""
        if expected is None:
            return None
        rows = expected.rows / self.size(schema) * typical_weight(self, schema) / float(weight_step(self, schema))
        names = (self.numerator, self.denominator)
        units = [float(schema[name].lattice.resolution) for name in names]
        top, bottom = (rows * middle(schema, name) / unit for name, unit in zip(names, units, strict=True))
        off = quotient_error(top, bottom, mechanisms, confidence)
        if off is None:
            return None
        unit, (least, most) = units[0] / units[1], self.limits(schema)
        return ExpectedError(min(off * unit, max(most - top / bottom * unit, top / bottom * unit - least)), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return abs(middle(schema, self.numerator)) / middle(schema, self.denominator) or 1.0
