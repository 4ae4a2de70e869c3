"""A line by least squares out of noisy sums of products, with what the noise in them leaves open.

Plain floats in a fixed order: the same on every machine. Terms and the outcome lie between -1 and 1; the constant is
the first of the terms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, log, sqrt

from dprelease.statistics.algebra.region import Region
from dprelease.statistics.algebra.solving import Matrix, Vector, dot, eigen, inverse, product, times

Entry = tuple[int, int]
THRESHOLD = 0.5
"""So much of the noise in Σ (t - mean)(y - mean) is taken for nothing."""
APART = 6.0
"""So many times the noise the least eigenvalue is where an interval by one solution holds."""
NORMAL95 = 1.959963984540054
LAPLACE95 = log(20.0) / sqrt(2.0)
"""Reach of a Laplace noise of variance 1 at 95 %; no sum of several with the same variance reaches further."""
SCATTER = 2.0
"""So many times the mean variance about the line that of the rows which a coefficient rests on may be."""
STEPS = 200


@dataclass(frozen=True)
class LineSums:
    """Noisy Σ of products of two of (1, terms, outcome), by entry, with the deviation of each noise.

    `places`: where else in the symmetric matrix an entry stands, if squares follow from others.
    """

    many: int
    """Number of terms, with the constant."""
    entries: Mapping[Entry, float]
    deviations: Mapping[Entry, float]
    places: Mapping[Entry, Entry]

    @cached_property
    def matrix(self) -> Matrix:
        """All of it."""
        whole = [[0.0] * (self.many + 1) for _ in range(self.many + 1)]
        for i in range(self.many + 1):
            for j in range(i, self.many + 1):
                source = self.places.get((i, j), (i, j))
                whole[i][j] = whole[j][i] = self.entries.get(source, 0.0)
        return whole

    @cached_property
    def rows(self) -> float:
        """Their number, not below its noise."""
        return max(self.entries[0, 0], self.deviations[0, 0], 1.0)

    @property
    def has_rows(self) -> bool:
        """True if rows are more than twice what noise makes."""
        return self.entries[0, 0] > 2.0 * self.deviations[0, 0]

    @cached_property
    def means(self) -> Vector:
        """Means of the terms, and at last of the outcome."""
        return [min(1.0, max(-1.0, number / self.rows)) for number in self.matrix[0][1:]]

    def _deviation(self, entries: Sequence[Entry]) -> float:
        """Return the mean one of some entries; 0 of none."""
        own = [self.deviations[entry] for entry in entries if entry in self.deviations]
        return fsum(own) / len(own) if own else 0.0

    @cached_property
    def between(self) -> float:
        """Standard deviation of the noise on products of two terms."""
        last = self.many
        return self._deviation([(i, j) for i, j in self.deviations if 0 < i <= j < last]) or self.deviations[0, 0]

    @property
    def flat(self) -> Vector:
        """The mean of the outcome for everyone."""
        return [min(1.0, max(0.0, self.means[-1])), *[0.0] * (self.many - 1)]

    def shrunk(self) -> tuple[Vector, float]:
        """Return the coefficients that predict, and how strongly they are drawn towards 0.

        w minimises w'Aw - 2b'w + 2t|w|, with A = Σ (t - mean)(t - mean)' whose eigenvalues are at least s√d and
        b = Σ (t - mean)(y - mean); t is half of the noise in b. w = (A + λ)⁻¹b with λ|w| = t; 0 where |b| is below t.
        """
        last, d = self.many, self.many - 1
        means, n = self.means, self.rows
        nothing = [means[-1], *[0.0] * d]
        if not d or not self.has_rows:
            return nothing, 0.0
        own = [[self.matrix[i][j] - n * means[i - 1] * means[j - 1] for j in range(1, last)] for i in range(1, last)]
        with_outcome = [self.matrix[i][last] - n * means[i - 1] * means[-1] for i in range(1, last)]
        slopes, ridge = self._drawn_to_zero(own, with_outcome, 1e-9 * n)
        return [means[-1] - dot(means[:-1], slopes), *slopes], ridge

    def _drawn_to_zero(self, own: Matrix, with_outcome: Sequence[float], least: float) -> tuple[Vector, float]:
        """Return w and λ of noisy A and b; no eigenvalue of A is below `least`."""
        d, last = len(own), self.many
        values, vectors = eigen(own)
        values = [max(value, self.between * sqrt(d), least) for value in values]
        reach = THRESHOLD * self._deviation([(i, last) for i in range(last - d, last)]) * sqrt(d)
        along = times(vectors, with_outcome)
        if sqrt(dot(along, along)) <= reach:
            return [0.0] * d, 0.0
        ridge = _ridge(values, along, reach)
        parts = [b / (value + ridge) for b, value in zip(along, values, strict=True)]
        return [fsum(part * vector[i] for part, vector in zip(parts, vectors, strict=True)) for i in range(d)], ridge

    def least(self) -> Vector | None:
        """Return the coefficients where Σ y² - 2h'w + w'Gw is least; None where noise leaves it without a minimum."""
        back = inverse(self._inner) if self.has_rows else None
        return None if back is None else times(back, [row[self.many] for row in self.matrix[: self.many]])

    @property
    def _inner(self) -> Matrix:
        return [row[: self.many] for row in self.matrix[: self.many]]

    @cached_property
    def solution(self) -> Solution | None:
        """Least-squares solution, where noise leaves the matrix well apart from one without a solution; else None."""
        inner = self._inner
        if not self.has_rows or min(eigen(inner)[0]) <= APART * self.between * sqrt(self.many):
            return None
        back = inverse(inner)
        if back is None:
            return None
        theta = times(back, self._right)
        about = self._about(theta)
        noise = product(product(back, self.varied(theta)), back)
        return Solution(theta, noise, [[about * number for number in row] for row in back] if about > 0 else None)

    def enclosed(self, reach: float) -> Enclosed | None:
        """Return the solutions the noise does not rule out, where they have an end; `reach`: √c of `Region`."""
        back = inverse(self._inner) if self.has_rows else None
        if back is None:
            return None
        theta = times(back, self._right)
        about, varied = self._about(theta), self.varied(theta)
        region = Region(self._inner, back, varied, self._squares, reach)
        if region.away is None:
            return None
        pairs = zip(varied, self._inner, strict=True)
        wider = [[a + SCATTER * about * b for a, b in zip(*rows, strict=True)] for rows in pairs]
        return Enclosed(theta, region, replace(region, varied=wider) if about > 0 else None)

    @property
    def _right(self) -> Vector:
        return [row[self.many] for row in self.matrix[: self.many]]

    def _about(self, theta: Sequence[float]) -> float:
        """Return the variance of the outcome about the line; not above 0 where noise leaves nothing of it."""
        rest = self.matrix[self.many][self.many] - 2 * dot(self._right, theta) + dot(theta, times(self._inner, theta))
        free = self.rows - self.many
        return rest / free if free > 0 else 0.0

    @property
    def _squares(self) -> dict[Entry, float]:
        """Squared shift by noise of each place in the upper triangle, as often as that noise stands there."""
        places = [(i, j) for i in range(self.many) for j in range(i, self.many)]
        sources = {place: self.places.get(place, place) for place in places}
        often = Counter(sources.values())
        return {at: often[own] * self.deviations[own] ** 2 for at, own in sources.items() if own in self.deviations}

    def varied(self, theta: Sequence[float]) -> Matrix:
        """Return the covariance of Σ t·y - Σ t·t'·θ: each entry's noise moves the equations of its terms."""
        last = self.many
        moved: dict[Entry, Vector] = {}
        for i in range(last):
            for j in range(i, last + 1):
                source = self.places.get((i, j), (i, j))
                if source not in self.deviations:
                    continue
                own = moved.setdefault(source, [0.0] * last)
                if j == last:
                    own[i] += 1.0
                else:
                    own[i] -= theta[j]
                    if i != j:
                        own[j] -= theta[i]
        found = [[0.0] * last for _ in range(last)]
        for source, own in moved.items():
            square = self.deviations[source] ** 2
            for i, a in enumerate(own):
                for j, b in enumerate(own) if a else ():
                    found[i][j] += square * a * b
        return found


@dataclass(frozen=True)
class ThroughOrigin(LineSums):
    """Likewise without a constant: Σ of squares and products of terms, and products with the outcome, no others.

    The number of rows and Σ y² are not measured, so that nothing is said of the drawing of rows.
    """

    @property
    def has_rows(self) -> bool:
        """True if every Σ t² is more than twice what noise makes."""
        return all(self.entries[i, i] > 2.0 * self.deviations[i, i] for i in range(self.many))

    @cached_property
    def between(self) -> float:
        """The mean deviation of the noise on products of two terms."""
        return self._deviation([entry for entry in self.deviations if entry[1] < self.many])

    @property
    def flat(self) -> Vector:
        """0 for everyone."""
        return [0.0] * self.many

    def shrunk(self) -> tuple[Vector, float]:
        """Return the same of A = Σ t·t' and b = Σ t·y; 0 where some Σ t² does not stand out of its noise."""
        if not self.has_rows:
            return self.flat, 0.0
        return self._drawn_to_zero(self._inner, self._right, 0.0)

    def _about(self, theta: Sequence[float]) -> float:
        return 0.0

    def quotient(self, reach: float) -> tuple[float, float] | None:
        """Return one term's θ with |h - gθ| <= √c·√(Var h + θ² Var g), g = Σ t², h = Σ t·y: Fieller's interval.

        It holds h/g without noise with 95 %, whatever g is. None unless g is above 2 and √c of its deviations: it has
        no end then. `reach`: √c, of one noise or of two Laplace ones together (`region.reach`).
        """
        g, h = self.entries[0, 0], self.entries[0, 1]
        of_g, of_h = reach * self.deviations[0, 0], reach * self.deviations[0, 1]
        if not self.has_rows or not g > of_g:
            return None
        clear, apart = (g - of_g) * (g + of_g), (h * of_g) ** 2 + of_h**2 * (g - of_g) * (g + of_g)
        return (g * h - sqrt(apart)) / clear, (g * h + sqrt(apart)) / clear


@dataclass(frozen=True)
class Solution:
    """The coefficients of least squares, their covariance by the noise, and by the drawing of rows, if it is told."""

    theta: Vector
    noise: Matrix
    sampling: Matrix | None

    def wider(self, *, normal: bool) -> Solution:
        """The same for noise that may be one Laplace alone, and for rows that scatter unevenly about the line."""
        times_noise, sampling = 1.0 if normal else (LAPLACE95 / NORMAL95) ** 2, self.sampling
        noise = [[times_noise * number for number in row] for row in self.noise]
        if sampling is not None:
            sampling = [[SCATTER * number for number in row] for row in sampling]
        return Solution(self.theta, noise, sampling)

    def halves(self, parts: Matrix) -> tuple[Vector, Vector | None]:
        """Return the 95 % margins of error of each Σ part·θ: by the noise, and by noise and sampling together."""
        noise = _variances(parts, self.noise)
        if self.sampling is None:
            return _reaches(noise), None
        return _reaches(noise), _reaches([a + b for a, b in zip(noise, _variances(parts, self.sampling), strict=True)])


@dataclass(frozen=True)
class Enclosed:
    """The same by regions that hold all coefficients together, whose intervals are wider and need no clear solution."""

    theta: Vector
    noise: Region
    both: Region | None

    def halves(self, parts: Matrix) -> tuple[Vector, Vector | None]:
        """Return the margins of error of each Σ part·θ, as `Solution.halves` does."""
        return list(map(self.noise.half, parts)), None if self.both is None else list(map(self.both.half, parts))


def between(parts: Matrix, covariance: Matrix) -> Matrix:
    """Return the covariance of each two Σ part·θ."""
    return product(product(parts, covariance), [list(column) for column in zip(*parts, strict=True)])


def _variances(parts: Matrix, covariance: Matrix) -> Vector:
    return [row[place] for place, row in enumerate(between(parts, covariance))]


def _reaches(variances: Sequence[float]) -> Vector:
    return [NORMAL95 * sqrt(max(0.0, variance)) for variance in variances]


def _ridge(values: Sequence[float], along: Sequence[float], reach: float) -> float:
    """Return λ with λ·|(A + λ)⁻¹b| = t, which grows with λ; by bisection."""

    def length(ridge: float) -> float:
        return ridge * sqrt(fsum((b / (value + ridge)) ** 2 for b, value in zip(along, values, strict=True)))

    if reach <= 0:
        return 0.0
    high = max(values)
    while length(high) < reach and high < 1e300:
        high *= 2.0
    low = 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if length(middle) < reach else (low, middle)
    return high
