"""Average of the values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnName
from dprelease.model.options import Choice, option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.release import Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.inversion import rounding, share_of_moments
from dprelease.statistics.algebra.linear import MeasuredSource
from dprelease.statistics.algebra.moments import Factor
from dprelease.statistics.algebra.reach import quotient
from dprelease.statistics.algebra.sensitivity import quotient as divisor
from dprelease.statistics.algebra.sensitivity import simplex, spread
from dprelease.statistics.algebra.share import FloatArray, middle_half_width, share, share_interval
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.kinds.variance import even_moments
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
from dprelease.statistics.weighted import check_weights, typical_weight, weight_factors, weight_step
from dprelease.words import phrase, quoted

ONE_SIDED, CENTRED, PLAIN = "one_sided", "centred", "sum_and_count"
RESAMPLED = phrase("statistics.drawing_noise_again_until")
CLAMPED = phrase("statistics.noisy_sum_over_true")
REFUSED = (("resampled", RESAMPLED), ("clamped", CLAMPED))


@dataclass(frozen=True, kw_only=True)
class Mean(TallyStatistic):
    """The mean of a column's values, clipped to [l, u], in all or in each group; with survey weights, weighted.

    Noise goes on both one-sided sums y₁ = Σ(x − l) and y₂ = Σ(u − x); mean = l + (u − l)·y₁/(y₁ + y₂), the midpoint
    when y₁ + y₂ <= 0. Sensitivity of the pair, L1: m·(u − l) under add_remove, 2m·(u − l) under substitute; times the
    largest weight. RMSE at n = 1000, ε = 1 on [0, 100]: 0.10. The textbooks' variants are there for comparison, each
    half with half of ε: `centred`, Σ(x − mid) over the count (RMSE 0.14), and `sum_and_count` (0.31).
    Discrete Laplace noise, or Gaussian in zcdp. The interval inverts the exact noise distribution (Fieller).
    """

    kind: ClassVar[str] = "mean"
    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise", "survey_weights", "sampling", "effect")
    presentation: ClassVar[Presentation] = shown(Quantity.COLUMN, Trait.QUOTIENT)
    column: str = option(ColumnName(NUMERIC))
    """Column that is averaged."""
    method: str = option(Choice((ONE_SIDED, CENTRED, PLAIN), REFUSED), default=ONE_SIDED)
    """one_sided, or one of the textbooks' for comparison: centred, sum_and_count."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        check_weights(self, path, schema, report, self.column)
        check_sampling(self, path, schema, report)
        if self.sampling and self.method != ONE_SIDED:
            allowed = phrase("statistics.only_beside_option", option=quoted(ONE_SIDED))
            report.add(f"{path}.sampling", found=quoted(self.method), allowed=allowed)

    def _sums(self, schema: Schema) -> list[list[Factor]]:
        """Return the factors of each of the two sums."""
        column, weight = schema[self.column], weight_factors(self, schema)
        if self.method == ONE_SIDED:
            return [[*weight, moments.above(column)], [*weight, moments.below(column)]]
        whole = moments.around(column) if self.method == CENTRED else moments.value(column)
        return [[*weight, whole], weight]

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        own = moments.queries(self.keys(schema), self._sums(schema)[0], schema)
        return (*own, *squares_queries(self, schema, (self.column,)))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        noise, sums, shape = self.noise_for(terms), self._sums(schema), TallyQuery(self.keys(schema)).shape
        if self.method == ONE_SIDED:
            size = schema[self.column].lattice.steps * moments.ends(weight_factors(self, schema))[1]
            own = Measurement(noise, (*shape, 2), simplex(terms, (*shape, 2), size))
            return with_squares(self, schema, terms, (own,))
        return tuple(Measurement(noise, shape, spread(terms, shape, *moments.ends(factors))) for factors in sums)

    def integers(self, schema: Schema) -> MeasuredSource | None:
        """Return Σc and Σ(K − c) of codes c: they make K a row, and K·l more where the lower bound is l steps."""
        keys = self.keys(schema)
        if self.method != ONE_SIDED or self.survey_weights is not None or not all(key.whole for key in keys):
            return None
        rule = self.noise, left_out(keys, schema).union(moments.with_nulls((self.column,), schema))
        steps, start = schema[self.column].lattice.steps, schema[self.column].lattice.start
        return MeasuredSource(rule, keys, steps, (1, 1), self.column, (start + steps, start))

    def identity(self, schema: Schema) -> Any:
        plain = self.survey_weights is None
        return (self.method, self.noise, self.column, self.keys(schema)) if plain else None

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        """Return the step of a sum, the resolution, half of it where centred; of a count, that of the weights."""
        if self.sampling and place == 1:
            return squares_step(self, schema)
        resolution = schema[self.column].lattice.resolution / (2 if self.method == CENTRED else 1)
        return weight_step(self, schema) * (resolution if self.method == ONE_SIDED or place == 0 else 1)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        asked = moments.queries(self.keys(schema), self._sums(schema)[0], schema)
        own, further = tallies[: len(asked)], tallies[len(asked) :]
        first, second = (moments.total(factors, asked, own) for factors in self._sums(schema))
        if self.method != ONE_SIDED:
            return first, second
        return (np.stack([first, second], axis=-1), *summed_squares(self, schema, further, (self.column,)))

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        parts = [part.astype(np.float64) for part in drawn]
        shares = self._shares(schema, parts, mechanisms, confidence)
        value, lower, upper = (self._values(part, schema) for part in shares)
        table = Estimates(axes=self.axes(schema), value=value, lower95=lower, upper95=upper)
        steps = schema[self.column].lattice.steps
        return with_totals(self, schema, shares, self.limits(schema), table, parts, mechanisms, confidence, steps=steps)

    def _shares(
        self, schema: Schema, drawn: Sequence[FloatArray], mechanisms: Sequence[Mechanism], confidence: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the place of the mean in [l, u], from 0 to 1, with its interval."""
        if self.method == ONE_SIDED:
            pairs = drawn[0].reshape(-1, 2)
            y1, y2 = pairs[:, 0], pairs[:, 1]
            return share(y1, y2), *share_interval(y1, y2, mechanisms[0], confidence)
        top, count = (part.ravel() for part in drawn)
        lattice = schema[self.column].lattice
        if self.method == CENTRED:
            low, width = -lattice.steps, 2 * lattice.steps
        else:
            low, width = lattice.start, lattice.steps
        value, lower, upper = ((part - low) / width for part in quotient(top, count, mechanisms, confidence))
        value = np.where(np.isnan(value), 0.5, np.clip(value, 0, 1))
        return value, np.minimum(np.clip(lower, 0, 1), value), np.maximum(np.clip(upper, 0, 1), value)

    def of_moments(self, schema: Schema, sums: FloatArray, mechanism: Mechanism, confidence: float = 0.95) -> Estimates:
        """Return the table by noisy second moments of its column, in place of sums of its own."""
        off = rounding(divisor(schema[self.column].lattice.steps ** 2))
        centre = share(2 * sums[:, 0] + sums[:, 1], sums[:, 1] + 2 * sums[:, 2])
        ends = share_of_moments(sums, mechanism, confidence, rounding=off) if confidence else (centre, centre)
        parts = (centre, np.minimum(ends[0], centre), np.maximum(ends[1], centre))
        value, lower, upper = (self._values(part, schema) for part in parts)
        return Estimates(axes=self.axes(schema), value=value, lower95=lower, upper95=upper)

    def error_of_moments(self, schema: Schema, mechanism: Mechanism, expected: Expected | None) -> ExpectedError | None:
        """Return half the interval's width for rows spread evenly over the bounds and the groups."""
        if expected is None:
            return None
        steps = schema[self.column].lattice.steps
        even = even_moments(steps) / divisor(steps**2) * expected.rows / self.size(schema)
        lower, upper = share_of_moments(even[None], mechanism, foreseen=True)
        least, most = self.limits(schema)
        return ExpectedError(float(upper[0] - lower[0]) / 2 * (most - least), "expected")

    def _values(self, part: FloatArray, schema: Schema) -> list[float]:
        least, most = self.limits(schema)
        return [float(value) for value in least + (most - least) * part]

    def limits(self, schema: Schema) -> tuple[float, float]:
        """Return the smallest and the largest value it can have."""
        lattice = schema[self.column].lattice
        lower = float(lattice.start * lattice.resolution)
        return lower, lower + float(lattice.steps * lattice.resolution)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        return may_be(self, table, self.limits(schema))

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return half the interval's width at the midpoint of the bounds, the rows spread evenly over the groups."""
        if expected is None:
            return None
        lattice = schema[self.column].lattice
        weight = typical_weight(self, schema) / float(weight_step(self, schema))
        count = expected.rows / self.size(schema) * weight
        least, most = self.limits(schema)
        if self.method == ONE_SIDED:
            half = middle_half_width(count * lattice.steps / 2, mechanisms[0], confidence)
            return ExpectedError(half * (most - least), "expected")
        rows = np.array([count])
        middle = 0 if self.method == CENTRED else lattice.start + lattice.steps / 2
        _, lower, upper = self._shares(schema, [rows * middle, rows], mechanisms, confidence)
        return ExpectedError(float(upper[0] - lower[0]) / 2 * (most - least), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        least, most = self.limits(schema)
        return most - least
