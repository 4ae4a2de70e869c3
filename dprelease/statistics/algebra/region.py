"""Solutions of noisy equations that their noise does not rule out: one region for all coefficients together.

With G, h noisy, θ the solution without noise, and E the noise, h - Gθ = E_h - E_G·θ: linear in E, with the covariance
V(θ). So θ lies, as often as is said and whatever G is, in the region |u·(h - Gθ)|² <= c·u'V(θ)u for all u. Of that
region this is a box around it; docs/privacy.md, proof J.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, exp, fsum, inf, lgamma, log, sqrt

from dprelease.statistics.algebra.solving import Matrix, Vector, dot, eigen, product, times

Entry = tuple[int, int]
MISSED = 0.05
PIECES = ((-3.0, 0.0), (0.0, log(2.0)), (log(2.0), 4.0))
"""Pieces of log x, between which the chance is smooth."""
PARTS = 128
"""Number of parts of each piece."""
TURNS = 5000


@dataclass(frozen=True)
class Region:
    """The θ with h - Gθ within the noise, about G⁻¹h; G is positive.

    `squares`: how far an entry of (G, h) moves, as a variance, counted as often as it stands in the upper triangle.
    """

    matrix: Matrix
    back: Matrix
    """G⁻¹."""
    varied: Matrix
    """V at G⁻¹h."""
    squares: Mapping[Entry, float]
    reach: float
    """√c."""

    @property
    def many(self) -> int:
        """Number of coefficients, with the constant."""
        return len(self.matrix)

    @cached_property
    def steps(self) -> Vector:
        """Scale σ of each term, σ_i²·σ_j² at least the square of each entry: in these the noise of all is one of 1."""
        own = {entry: sqrt(square) for entry, square in self.squares.items() if entry[1] < self.many}
        terms = max((noise for (i, _), noise in own.items() if i), default=0.0)
        first = max((noise for (i, j), noise in own.items() if i == j == 0), default=0.0)
        beside = max((noise for (i, j), noise in own.items() if i == 0 < j), default=0.0)
        terms = max(terms, beside * beside / first) if not terms and first else terms
        start = max(first, beside * beside / terms if terms else 0.0)
        return [sqrt(start), *[sqrt(terms)] * (self.many - 1)]

    @cached_property
    def turned(self) -> float:
        """Noise added by a step away of length 1: √(2 - 1/q)·√c in units of `steps`."""
        return self.reach * sqrt(2.0 - 1.0 / self.many)

    @cached_property
    def least(self) -> float:
        """The least eigenvalue of G in units of `steps`."""
        s = self.steps
        return min(eigen([[a / (s[i] * s[j]) for j, a in enumerate(row)] for i, row in enumerate(self.matrix)])[0])

    @cached_property
    def away(self) -> float | None:
        """Largest distance of θ, in units of `steps`; None where the region may have no end."""
        if not self.least > self.turned:
            return None
        s, noise = self.steps, product(product(self.back, self.varied), self.back)
        largest = max(eigen([[a * s[i] * s[j] for j, a in enumerate(row)] for i, row in enumerate(noise)])[0])
        return self.reach * sqrt(max(0.0, largest)) / (1.0 - self.turned / self.least)

    def half(self, part: Sequence[float]) -> float:
        """Return the largest distance of Σ part·θ from that of G⁻¹h; without an end, infinite."""
        if self.away is None:
            return inf
        u = times(self.back, part)
        moved = sqrt(max(0.0, dot(u, times(self.varied, u))))
        long = sqrt(fsum((step * each) ** 2 for step, each in zip(self.steps, u, strict=True)))
        return self.reach * moved + self.turned * long * self.away


@lru_cache(maxsize=256)
def reach(many: int, *, normal: bool) -> float:
    """√c: with 95 % Q <= c, rounded upwards, Q the square of `many` noises of variance 1 in any orthogonal directions.

    Of normal noises χ². A Laplace noise is √τ times a normal one, τ exponential with the mean 1; so Q is Σ w·τ with
    Σ w = R, a χ², and Q > c no oftener than `beyond(c/R)` says.
    """
    low, high = 0.0, 1e4
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _missed(middle, many, normal=normal) > MISSED else (low, middle)
    return sqrt(ceil(high * 100.0) / 100.0)


def _missed(c: float, many: int, *, normal: bool) -> float:
    """Return the mean of beyond(c/R), R a χ² of so many degrees; of normal noises P(R > c). By Simpson's rule."""
    half = many / 2.0
    scale = half * log(2.0) + lgamma(half)
    nodes = ((weight * chance, c / x) for weight, x, chance in (_nodes()[: PARTS + 1] if normal else _nodes()))
    return fsum(weight * exp(half * log(r) - r / 2.0 - scale) for weight, r in nodes)


@lru_cache(maxsize=1)
def _nodes() -> tuple[tuple[float, float, float], ...]:
    """Return the weight, x and `beyond(x)` of each node of Simpson's rule along log x."""
    found = []
    for piece, (start, end) in enumerate(PIECES):
        step = (end - start) / PARTS
        for place in range(PARTS + 1):
            x = exp(start + place * step)
            inner = 4.0 if place % 2 else 2.0
            weight = step / 3.0 * (inner if 0 < place < PARTS else 1.0)
            found.append((weight, x, 1.0 if not piece else exp(-x) if piece == 2 else beyond(x)))
    return tuple(found)


def beyond(x: float) -> float:
    """Return at least P(S > x) for every S = Σ w·τ, τ exponential with the mean 1, w >= 0 with the sum 1.

    From 2 on e^-x: there it grows wherever weight moves from a smaller one to a larger. Below: P is log-concave and has
    the integral 1, so that x·(1 - P) <= -log P.
    """
    if x <= 1.0:
        return 1.0
    if x > 2.0:
        return exp(-x)
    found = 0.0
    for _ in range(TURNS):
        found = exp(-x * (1.0 - found))
    return found
