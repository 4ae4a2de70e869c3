"""Variance and standard deviation of the values of a column."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import Mechanism
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.inversion import rounding, variance_interval
from dprelease.statistics.algebra.linear import MeasuredSource
from dprelease.statistics.algebra.moments import Factor
from dprelease.statistics.algebra.sensitivity import moments_of, quotient
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.bounded import within
from dprelease.statistics.tabulated import GROUPS, ExpectedError, Integers, Measurement, TallyStatistic

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Spread(TallyStatistic):
    """From noisy second moments of the distances to both bounds, never from a true number of rows.

    With codes c from 0 to K, noise goes on a = Σc², b = Σ2c(K − c) and d = Σ(K − c)², which for each row add up to K²:
    their joint L1 sensitivity is m·K² under add_remove, 2m·K² under substitute (where K² is beyond 2^31, all three are
    divided by a power of two first). With r = (a + b/2)/(a + b + d), the
    variance (of the rows, divided by n) is Δ²·(a/(a + b + d) − r²), within [0, Δ²/4]; the middle of that where
    a + b + d <= 0. Discrete Laplace noise, or Gaussian in zcdp. The interval inverts the noise's distribution
    (`inversion`): it holds at least as often as it says, however few rows there are.
    """

    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise")
    column: str = option(ColumnName(NUMERIC))
    """Whose values are meant."""

    @abstractmethod
    def scaled(self, part: FloatArray, schema: Schema) -> FloatArray:
        """Return the published number for a variance as a part of Δ²."""

    def _moments(self, schema: Schema) -> list[tuple[int, list[Factor]]]:
        up, down = moments.above(schema[self.column]), moments.below(schema[self.column])
        return [(1, [up, up]), (2, [up, down]), (1, [down, down])]

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        up = moments.above(schema[self.column])
        return moments.queries(self.keys(schema), [up, up], schema)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape = (*TallyQuery(self.keys(schema)).shape, 3)
        stated = moments_of(terms, shape, schema[self.column].lattice.steps ** 2)
        return (Measurement(self.noise_for(terms), shape, stated),)

    def integers(self, schema: Schema) -> MeasuredSource | None:
        """Return moments a, b, d: they make K² a row, and Σc = (2a + b)/2K. Each is divided by q and counts q times."""
        keys, column = self.keys(schema), schema[self.column]
        if not all(key.whole for key in keys):
            return None
        rule = self.noise, left_out(keys, schema).union(moments.with_nulls((self.column,), schema))
        steps, start, by = column.lattice.steps, column.lattice.start, quotient(column.lattice.steps**2)
        counts, sums = (2 * by,) * 3, tuple(by * (2 * start + part * steps) for part in (2, 1, 0))
        return MeasuredSource(rule, keys, 2 * steps**2, counts, self.column, sums, rounding(by))

    def identity(self, schema: Schema) -> Any:
        return "moments", self.noise, self.column, self.keys(schema)

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        """Return the step of sums of squares."""
        lattice = schema[self.column].lattice
        return lattice.resolution**2 * quotient(lattice.steps**2)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        asked = self.queries(schema)
        parts = [weight * moments.total(factors, asked, tallies) for weight, factors in self._moments(schema)]
        return (np.stack(parts, axis=-1) // quotient(schema[self.column].lattice.steps ** 2),)

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        sums = drawn[0].reshape(-1, 3).astype(np.float64)
        at = variance_part(sums[:, None])[:, 0]
        off = rounding(quotient(schema[self.column].lattice.steps ** 2))
        ends = variance_interval(sums, mechanisms[0], confidence, rounding=off) if confidence else (at, at)
        parts = [self.scaled(part, schema) for part in (at, *ends)]
        value, low, high = parts
        parts = [value, np.minimum(low, value), np.maximum(high, value)]
        value_cells, lower_cells, upper_cells = ([float(number) for number in part] for part in parts)
        return Estimates(axes=self.axes(schema), value=value_cells, lower95=lower_cells, upper95=upper_cells)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        return within(table, *self.limits(schema))

    def limits(self, schema: Schema) -> tuple[float, float]:
        """Return the smallest and the largest value it can have."""
        least, most = self.scaled(np.array([0.0, 0.25]), schema).tolist()
        return least, most

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return half the interval's width for rows spread evenly over the bounds and the groups."""
        if expected is None:
            return None
        steps = schema[self.column].lattice.steps
        even = even_moments(steps) / quotient(steps**2) * expected.rows / self.size(schema)
        lower, upper = variance_interval(even[None], mechanisms[0], confidence, foreseen=True)
        low, high = self.scaled(np.array([lower[0], upper[0]]), schema).tolist()
        return ExpectedError((high - low) / 2, "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return float(self.scaled(np.array([1 / 12]), schema)[0])


def even_moments(steps: int) -> FloatArray:
    """Return the three moments of one row, on average over all codes 0..K."""
    mean, square = steps / 2, steps * (2 * steps + 1) / 6
    return np.array([square, 2 * (steps * mean - square), square])


def variance_part(sums: FloatArray) -> FloatArray:
    """Return the variance as a part of Δ², from the three moments on the last axis."""
    first, middle, last = np.moveaxis(sums, -1, 0)
    whole = first + middle + last
    safe = np.where(whole > 0, whole, 1)
    r = np.clip((first + middle / 2) / safe, 0, 1)
    return np.where(whole > 0, np.clip(first / safe - r**2, 0, 0.25), 0.125)


@dataclass(frozen=True, kw_only=True)
class Variance(Spread):
    """The variance of a column's values, in all or in each group."""

    kind: ClassVar[str] = "variance"
    presentation: ClassVar[Presentation] = shown(Quantity.SQUARED, Trait.SPREAD)

    def scaled(self, part: FloatArray, schema: Schema) -> FloatArray:
        lattice = schema[self.column].lattice
        return part * float(lattice.steps * lattice.resolution) ** 2


@dataclass(frozen=True, kw_only=True)
class StandardDeviation(Spread):
    """The standard deviation of a column's values, in all or in each group."""

    kind: ClassVar[str] = "std"
    presentation: ClassVar[Presentation] = shown(Quantity.COLUMN, Trait.SPREAD)

    def scaled(self, part: FloatArray, schema: Schema) -> FloatArray:
        lattice = schema[self.column].lattice
        return np.asarray(np.sqrt(part) * float(lattice.steps * lattice.resolution))
