"""Covariance and correlation of numeric columns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import Mechanism
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnNames
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Cell, Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.inversion import covariance_interval, rounding, variance_interval
from dprelease.statistics.algebra.moments import Factor
from dprelease.statistics.algebra.sensitivity import moments_of, quotient
from dprelease.statistics.kinds.variance import even_moments, variance_part
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, TallyStatistic

FloatArray = NDArray[np.float64]
OWN, PAIR = Fraction(1), Fraction(2)
"""Parts of the budget: of a column's own moments, and of two columns'."""
Pair = tuple[int, int]
Interval = Callable[[Pair, float], tuple[float, float]]
"""Takes a pair and a confidence to the interval of its moment."""


@dataclass(frozen=True, kw_only=True)
class MomentMatrix(TallyStatistic):
    """From noisy second moments of each pair of columns, over rows that have a value in all of them.

    For columns i and j with codes up to Kᵢ and Kⱼ, noise goes on the four sums of products of the distances to the
    lower and the upper bounds, which for each row add up to KᵢKⱼ: joint L1 sensitivity m·KᵢKⱼ under add_remove,
    2m·KᵢKⱼ under substitute. For i = j the three sums of `variance`. Two different columns have twice the share of one
    with itself. Discrete
    Laplace noise, or Gaussian in zcdp. Entries are made one by one: the matrix need not be positive semidefinite.
    """

    offers: ClassVar[tuple[str, ...]] = ("noise",)
    columns: tuple[str, ...] = option(ColumnNames(NUMERIC, fewest=2))
    """Numeric columns, two to eight."""

    @abstractmethod
    def entries(self, schema: Schema) -> Mapping[Pair, tuple[Pair, ...]]:
        """Return by entry i <= j that is not fixed the pairs whose moments it is made of."""

    @abstractmethod
    def entry(self, pair: Pair, sums: FloatArray, schema: Schema) -> FloatArray:
        """Return an entry from the moments of its pairs, side by side on the last axis."""

    @abstractmethod
    def largest(self, pair: Pair, schema: Schema) -> float:
        """Return the size that no entry exceeds."""

    def pairs(self) -> tuple[Pair, ...]:
        """Return all pairs i <= j."""
        return tuple(combinations_with_replacement(range(len(self.columns)), 2))

    def _moments(self, schema: Schema, pair: Pair) -> list[tuple[int, list[Factor]]]:
        first, second = (schema[self.columns[index]] for index in pair)
        up, down = moments.above(first), moments.below(first)
        if pair[0] == pair[1]:
            return [(1, [up, up]), (2, [up, down]), (1, [down, down])]
        right, left = moments.above(second), moments.below(second)
        return [(1, [up, right]), (1, [up, left]), (1, [down, right]), (1, [down, left])]

    def _quotient(self, schema: Schema, pair: Pair) -> int:
        first, second = (schema[self.columns[index]].lattice.steps for index in pair)
        return quotient(first * second)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        asked = (
            moments.queries((), [moments.above(schema[self.columns[index]]) for index in pair], schema, self.columns)
            for pair in self.pairs()
        )
        return tuple(dict.fromkeys(query for queries in asked for query in queries))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        steps = [schema[name].lattice.steps for name in self.columns]
        noise = self.noise_for(terms)
        return tuple(
            Measurement(noise, shape, moments_of(terms, shape, steps[i] * steps[j]), OWN if i == j else PAIR)
            for i, j in self.pairs()
            for shape in ((3 if i == j else 4,),)
        )

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        """Return the step of sums of products."""
        first, second = (schema[self.columns[index]].lattice.resolution for index in self.pairs()[place])
        return first * second * self._quotient(schema, self.pairs()[place])

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        asked = self.queries(schema)
        return tuple(
            np.stack([w * moments.total(factors, asked, tallies) for w, factors in self._moments(schema, pair)])
            // self._quotient(schema, pair)
            for pair in self.pairs()
        )

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        size = len(self.columns)
        value, lower, upper = (np.ones((size, size)) for _ in range(3))
        sums = {pair: part.astype(np.float64) for pair, part in zip(self.pairs(), drawn, strict=True)}
        for (i, j), found in self._entries(schema, sums, mechanisms, confidence):
            for matrix, number in zip((value, lower, upper), found, strict=True):
                matrix[i, j] = matrix[j, i] = number
        columns: list[list[Cell]] = [[float(number) for number in matrix.ravel()] for matrix in (value, lower, upper)]
        return Estimates(axes=self.axes(schema), value=columns[0], lower95=columns[1], upper95=columns[2])

    def _entries(
        self,
        schema: Schema,
        sums: Mapping[Pair, FloatArray],
        mechanisms: Sequence[Mechanism],
        confidence: float,
        *,
        foreseen: bool = False,
    ) -> Iterator[tuple[Pair, tuple[float, float, float]]]:
        by_pair = dict(zip(self.pairs(), mechanisms, strict=True))

        @cache
        def interval(pair: Pair, held: float) -> tuple[float, float]:
            """Return the interval of a pair's covariance, or variance, as a part of the widths of its columns."""
            off = rounding(self._quotient(schema, pair))
            method = variance_interval if pair[0] == pair[1] else covariance_interval
            low, high = method(sums[pair][None], by_pair[pair], held, rounding=off, foreseen=foreseen)
            return float(low[0]), float(high[0])

        for pair, sources in self.entries(schema).items():
            joined = np.concatenate([sums[source] for source in sources])
            at = float(self.entry(pair, joined[None, None], schema)[0, 0])
            low, high = self.interval(pair, interval, schema, confidence) if confidence else (at, at)
            yield pair, (at, min(at, low), max(at, high))

    @abstractmethod
    def interval(self, pair: Pair, of: Interval, schema: Schema, confidence: float) -> tuple[float, float]:
        """Return the interval of an entry, from the intervals of the pairs that it is made of."""

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        size = len(self.columns)
        numbers = np.array([table.lower95, table.value, table.upper95], dtype=object)
        if table.extra or not all(isinstance(number, int | float) for number in numbers.flat):
            return False
        lower, value, upper = numbers.astype(np.float64).reshape(3, size, size)
        most = np.array([[self.largest((i, j), schema) for j in range(size)] for i in range(size)])
        symmetric = all(np.array_equal(matrix, matrix.T) for matrix in (lower, value, upper))
        return symmetric and bool(np.all((-most <= lower) & (lower <= value) & (value <= upper) & (upper <= most)))

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """Return the largest half-width of the entries, for columns spread evenly over their bounds, independently."""
        if expected is None:
            return None
        steps = [schema[name].lattice.steps for name in self.columns]
        sums = {
            (i, j): (even_moments(steps[i]) if i == j else np.full(4, steps[i] * steps[j] / 4))
            * (expected.rows / self._quotient(schema, (i, j)))
            for i, j in self.pairs()
        }
        found = [ends for _, ends in self._entries(schema, sums, mechanisms, confidence, foreseen=True)]
        return ExpectedError(max((high - low) / 2 for _, low, high in found), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return max(self.largest(pair, schema) for pair in self.pairs())

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        names = tuple((name,) for name in self.columns)
        return Axis(("column",), names), Axis(("with_column",), names)

    def size(self, schema: Schema) -> int:
        return len(self.columns) ** 2


def covariance_part(sums: FloatArray) -> FloatArray:
    """Return the covariance as a part of ΔᵢΔⱼ, from the four moments on the last axis: (ad − bc) / (a + b + c + d)²."""
    a, b, c, d = np.moveaxis(sums, -1, 0)
    whole = a + b + c + d
    safe = np.where(whole > 0, whole, 1)
    return np.where(whole > 0, np.clip((a * d - b * c) / safe**2, -0.25, 0.25), 0.0)


@dataclass(frozen=True, kw_only=True)
class Covariance(MomentMatrix):
    """The covariances of some columns, and their variances, as a matrix."""

    kind: ClassVar[str] = "covariance"
    presentation: ClassVar[Presentation] = shown(Quantity.PRODUCT, Trait.UNLIKE, look=ChartType.MATRIX)

    def _width(self, index: int, schema: Schema) -> float:
        lattice = schema[self.columns[index]].lattice
        return float(lattice.steps * lattice.resolution)

    def entries(self, schema: Schema) -> Mapping[Pair, tuple[Pair, ...]]:
        return {pair: (pair,) for pair in self.pairs()}

    def entry(self, pair: Pair, sums: FloatArray, schema: Schema) -> FloatArray:
        part = variance_part(sums) if pair[0] == pair[1] else covariance_part(sums)
        return part * self._width(pair[0], schema) * self._width(pair[1], schema)

    def interval(self, pair: Pair, of: Interval, schema: Schema, confidence: float) -> tuple[float, float]:
        scale = self._width(pair[0], schema) * self._width(pair[1], schema)
        low, high = of(pair, confidence)
        return low * scale, high * scale

    def largest(self, pair: Pair, schema: Schema) -> float:
        return 0.25 * self._width(pair[0], schema) * self._width(pair[1], schema)


@dataclass(frozen=True, kw_only=True)
class Correlation(MomentMatrix):
    """The correlations of some columns (Pearson), as a matrix with ones on its diagonal; 0 where a spread is 0.

    The interval combines one of the covariance with one of each variance, so that together they hold as stated.
    """

    kind: ClassVar[str] = "correlation"
    presentation: ClassVar[Presentation] = shown(Quantity.NUMBER, Trait.UNLIKE, Trait.SIGNED, look=ChartType.MATRIX)

    def entries(self, schema: Schema) -> Mapping[Pair, tuple[Pair, ...]]:
        return {(i, j): ((i, j), (i, i), (j, j)) for i, j in self.pairs() if i != j}

    def entry(self, pair: Pair, sums: FloatArray, schema: Schema) -> FloatArray:
        together = covariance_part(sums[..., :4])
        spread = variance_part(sums[..., 4:7]) * variance_part(sums[..., 7:])
        safe = np.where(spread > 0, spread, 1)
        return np.asarray(np.clip(np.where(spread > 0, together / np.sqrt(safe), 0.0), -1, 1))

    def largest(self, pair: Pair, schema: Schema) -> float:
        return 1.0

    def interval(self, pair: Pair, of: Interval, schema: Schema, confidence: float) -> tuple[float, float]:
        miss = 1 - confidence
        low, high = of(pair, 1 - 0.8 * miss)
        spreads = [of((index, index), 1 - 0.1 * miss) for index in pair]
        narrow, wide = (sqrt(spreads[0][end] * spreads[1][end]) for end in (0, 1))

        def bound(end: float, by: float) -> float:
            return float(np.clip(end / by, -1, 1)) if by > 0 else float(np.sign(end))

        return bound(low, wide if low >= 0 else narrow), bound(high, narrow if high >= 0 else wide)
