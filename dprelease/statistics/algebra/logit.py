"""A logistic regression out of noisy sums: a start from second moments, then steps by noisy gradients.

Plain floats in a fixed order, and exponentials that are correctly rounded: the same on every machine. Terms lie between
-1 and 1; the constant is the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache
from math import fsum, isfinite, sqrt

from dprelease.statistics.algebra.solving import Matrix, Vector, dot, solved, times

HALF = 128
"""Cells of a score on either side of the middle one, each a sixteenth wide: beyond ±8 a chance is that of ±8."""
PARTS = 16
CHANCES = 512
"""Chances of a cell are whole numbers of so many parts."""
LONGEST, LARGEST = 3.0, 64.0
"""Longest step; and the largest coefficient, in log-odds from the middle to a bound."""
MIN_SHARE, MAX_FIT = 0.001, 0.9
DIGITS = Context(prec=30)


def exp(x: float) -> float:
    """Return e^x, correctly rounded twice; within ±700."""
    return float(DIGITS.exp(Decimal(min(max(x, -700.0), 700.0))))


def chance(score: float) -> float:
    """Return 1/(1 + e^-score)."""
    return 1.0 / (1.0 + exp(-score))


@cache
def chances() -> tuple[int, ...]:
    """Return the chance at each cell of a score, in parts."""
    return tuple(int(CHANCES * chance(cell / PARTS) + 0.5) for cell in range(-HALF, HALF + 1))


@cache
def _nodes() -> tuple[tuple[float, float], ...]:
    """Return places of a standard normal score with their weights, which add up to 1."""
    places = [number / 4 for number in range(-24, 25)]
    weights = [exp(-place * place / 2) for place in places]
    whole = fsum(weights)
    return tuple((place, weight / whole) for place, weight in zip(places, weights, strict=True))


@dataclass(frozen=True)
class LogitMoments:
    """Noisy Σ t·t' of the terms with the constant, and Σ t·y of the outcome's -1 and 1; `deviation`: of each noise."""

    matrix: Matrix
    outcome: Vector
    deviation: float

    @property
    def rows(self) -> float:
        """The number of rows, not below its noise."""
        return max(self.matrix[0][0], self.deviation, 1.0)

    @property
    def has_rows(self) -> bool:
        """True if rows are more than twice what noise makes."""
        return self.matrix[0][0] > 2.0 * self.deviation

    @property
    def stands_out(self) -> bool:
        """True if the rows of either outcome are more than twice what noise makes."""
        return self.has_rows and min(self._of(1.0), self._of(-1.0)) > 2.0 * self.deviation

    def _of(self, sign: float) -> float:
        return (self.matrix[0][0] + sign * self.outcome[0]) / 2.0

    @property
    def means(self) -> Vector:
        """Means of the terms."""
        return [min(1.0, max(-1.0, number / self.rows)) for number in self.matrix[0][1:]]

    @property
    def share(self) -> float:
        """Share of positive outcomes."""
        return min(1.0 - MIN_SHARE, max(MIN_SHARE, (1.0 + self.outcome[0] / self.rows) / 2.0))

    @property
    def centred(self) -> Matrix:
        """Σ (t - mean)(t - mean)'."""
        means, n = self.means, self.rows
        return [
            [number - n * means[i] * means[j] for j, number in enumerate(row[1:])]
            for i, row in enumerate(self.matrix[1:])
        ]

    def spread(self, beta: Sequence[float]) -> tuple[float, float]:
        """Return the mean and the standard deviation of a score."""
        slopes = beta[1:]
        variance = dot(slopes, times(self.centred, slopes)) / self.rows
        return beta[0] + dot(self.means, slopes), sqrt(max(0.0, variance))

    def start(self) -> Vector:
        """Return the linear discriminant, with the constant by which a normal score has the share of positive outcomes.

        Where outcomes do not stand out of the noise, the share alone.
        """
        width = len(self.outcome) - 1
        nothing = [_intercept(0.0, 0.0, self.share), *[0.0] * width]
        if not self.stands_out or not width:
            return nothing
        nu, means, n = 2.0 * self.share - 1.0, self.means, self.rows
        right = [number - n * mean * nu for number, mean in zip(self.outcome[1:], means, strict=True)]
        ridge = 2.0 * self.deviation * sqrt(width) + 1e-9 * n
        slopes = solved(self.centred, right, ridge)
        explained = min(MAX_FIT, max(0.0, dot(right, slopes) / (n * (1.0 - nu * nu))))
        factor = 2.0 / ((1.0 - nu * nu) * (1.0 - explained))
        beta = _cut([0.0, *(factor * slope for slope in slopes)])
        mean, deviation = self.spread(beta)
        return _cut([_intercept(mean, deviation, self.share), *beta[1:]])

    def after(self, beta: Sequence[float], gradient: Sequence[float], deviation: float) -> Vector:
        """Return a step (cN + λ)⁻¹·gradient, at most 3 long; c is the mean of p(1 - p), λ as strong as the noise."""
        mean, spread = self.spread(beta)
        weights = [(weight, chance(mean + spread * place)) for place, weight in _nodes()]
        curve = fsum(weight * p * (1.0 - p) for weight, p in weights)
        ridge = sqrt(len(beta)) * (deviation + 2.0 * curve * self.deviation) + 1e-9 * self.rows
        step = solved([[curve * number for number in row] for row in self.matrix], gradient, ridge)
        length = sqrt(dot(step, step))
        shrink = min(1.0, LONGEST / length) if length > 0 else 1.0
        return _cut([old + shrink * new for old, new in zip(beta, step, strict=True)])


def _cut(beta: Sequence[float]) -> Vector:
    return [min(LARGEST, max(-LARGEST, number)) if isfinite(number) else 0.0 for number in beta]


def odds(share: float) -> float:
    """Return the log-odds of a share, which is taken for at least a thousandth and at most all but that."""
    return _intercept(0.0, 0.0, min(1.0 - MIN_SHARE, max(MIN_SHARE, share)))


def _intercept(mean: float, deviation: float, share: float) -> float:
    """Return the constant by which normal scores of a mean and a deviation have a mean chance, by bisection."""
    low, high = -LARGEST, LARGEST
    for _ in range(40):
        middle = (low + high) / 2.0
        found = fsum(weight * chance(middle + mean + deviation * place) for place, weight in _nodes())
        low, high = (middle, high) if found < share else (low, middle)
    return (low + high) / 2.0


def path(moments: LogitMoments, gradients: Sequence[Sequence[float]], deviations: Sequence[float]) -> Iterator[Vector]:
    """Yield the coefficients at the start, and after each gradient: of those there are."""
    beta = moments.start()
    yield beta
    for gradient, deviation in zip(gradients, deviations, strict=False):
        if moments.has_rows:
            beta = moments.after(beta, gradient, deviation)
        yield beta
