"""Performance of scores that tell two classes apart, from noisy counts by cell of the score, with intervals.

Counts are p of one class and n of the other, by cell from the lowest score to the highest, each with independent noise
of one mechanism. Discrete noise is bounded by the continuous one of the same scale plus half a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteLaplace
from dprelease.mechanisms.mechanism import Noise
from dprelease.statistics.algebra.reach import MAX_TERMS, sum_reach

FloatArray = NDArray[np.float64]
HALVINGS = 40
POINTS = 257
"""Candidates of an area that are tried, from 0 to 1, before the ends are halved."""
PRODUCTS = 0.1
"""Part of an area's misses that products of two noises get; the noises of either class share the rest."""


@dataclass(frozen=True)
class Interval:
    """A number with what it lies between; None where the noisy counts tell none."""

    value: float | None
    lower: float
    upper: float


def reach(squares: FloatArray, fourths: FloatArray, noise: Noise, confidence: float) -> FloatArray:
    """Return the reach of weighted sums of noises, of weights with these sums of squares and of fourth powers.

    As far as that of so many equal noises as have at most the same kurtosis.
    """
    terms = np.clip(np.floor(squares**2 / np.maximum(fourths, 1e-300)), 1, MAX_TERMS).astype(int)
    each = {n: sum_reach(noise, n, confidence) / sqrt(n) for n in set(terms.ravel().tolist())}
    lengths = np.array([each[n] for n in terms.ravel().tolist()]).reshape(terms.shape)
    return np.asarray(lengths * np.sqrt(squares))


def shares(
    inside: FloatArray, outside: FloatArray, of: tuple[FloatArray, FloatArray], noise: Noise, confidence: float = 0.95
) -> list[Interval]:
    """Return shares a / (a + b) of pairs of noisy sums. `of`: how many counts each sum is of.

    If r is the true share, (1 − r)·a − r·b is noise alone, of weights 1 − r and r: kept is each r in [0, 1] for which
    it is within the central part of its law (Fieller's construction). Where the two together are not clearly above 0,
    that is every share.
    """
    whole = inside + outside
    centre = np.clip(np.where(whole > 0, inside / np.where(whole > 0, whole, 1), 0.5), 0, 1)

    def kept(r: FloatArray) -> NDArray[np.bool_]:
        squares = of[0] * (1 - r) ** 2 + of[1] * r**2
        fourths = of[0] * (1 - r) ** 4 + of[1] * r**4
        far = reach(squares, fourths, noise, confidence) + 0.5
        return np.asarray(np.abs((1 - r) * inside - r * outside) <= far)

    ends = [_end(kept, np.where(kept(centre), centre, limit), np.full_like(centre, limit)) for limit in (0.0, 1.0)]
    lower, upper = (np.where(whole > 0, end, limit) for end, limit in zip(ends, (0.0, 1.0), strict=True))
    rows = zip(centre.tolist(), lower.tolist(), upper.tolist(), whole.tolist(), strict=True)
    return [Interval(value if all_ > 0 else None, min(low, value), max(high, value)) for value, low, high, all_ in rows]


def falling(values: Sequence[float]) -> list[float]:
    """Return the numbers that never rise, nearest to these in squares: runs that rise become their mean (PAVA)."""
    runs: list[tuple[float, int]] = []
    for value in values:
        mean, many = value, 1
        while runs and runs[-1][0] < mean:
            other, of = runs.pop()
            mean, many = (other * of + mean * many) / (of + many), of + many
        runs.append((mean, many))
    return [mean for mean, many in runs for _ in range(many)]


def curve(found: Sequence[Interval]) -> list[Interval]:
    """Shares that fall from each to the next: the nearest falling ones, and intervals that all hold as often together.

    Where all intervals hold a falling curve, it lies below the least of the upper ends so far and above the greatest of
    the lower ends from there on. Intervals are widened to hold the fit.
    """
    known = [each.value for each in found if each.value is not None]
    if len(known) < len(found):
        return list(found)
    upper = list(accumulate((each.upper for each in found), min))
    lower = list(accumulate((each.lower for each in reversed(found)), max))[::-1]
    ends = zip(falling(known), lower, upper, strict=True)
    return [Interval(value, min(low, value), max(high, value)) for value, low, high in ends]


def _end(kept, inside: FloatArray, outside: FloatArray) -> FloatArray:  # type: ignore[no-untyped-def]
    at_end = kept(outside)
    limit = outside
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        holds = kept(middle)
        inside, outside = np.where(holds, middle, inside), np.where(holds, outside, middle)
    return np.asarray(np.where(at_end, limit, outside))


def area(p: FloatArray, n: FloatArray, noise: Noise, confidence: float = 0.95) -> Interval:
    """Estimate the area under the curve (AUC): how often a row of p's class scores higher than one of n's, ties ½.

    With K(i, j) = 1, ½ or 0 where cell i is above, at or below j, the area is pʹKn / (Σp·Σn). If θ is the true one, and
    e and f are the noises of both, the noisy pʹ(K − θ)n is eʹ(K − θ)n + pʹ(K − θ)f − eʹ(K − θ)f. Given f, the first is
    a weighted sum of noises whose weights are known; so is the second, given e. The third exceeds
    (k²/α)^(1/4)·v·‖K − θ‖ with a probability of at most α, v and k being variance and kurtosis (at least 3) of the
    noise, since its fourth moment is at most k²·v⁴·‖K − θ‖⁴. Kept is each θ for which the sum is within the three (by
    Bonferroni's bound), whatever the counts are.
    """
    above = np.cumsum(p[::-1])[::-1] - p / 2
    below = np.cumsum(n) - n / 2
    sizes = float(p.sum()), float(n.sum())
    known, whole = float((p * below).sum()), sizes[0] * sizes[1]
    positive = min(sizes) > 0
    centre = min(1.0, max(0.0, known / whole)) if positive else 0.5
    misses = 1 - confidence
    part = 1 - misses * (1 - PRODUCTS) / 2
    variance = max(float(noise.variance), 1e-12)
    kurtosis = (6.0 if isinstance(noise, DiscreteLaplace) else 3.0) + 1.0 / variance
    product = (kurtosis**2 / (misses * PRODUCTS)) ** 0.25 * variance
    cells = len(p)

    def kept(theta: FloatArray) -> NDArray[np.bool_]:
        far = np.zeros_like(theta)
        for weights, size in ((below, sizes[1]), (above, sizes[0])):
            own = np.abs(weights[:, None] - theta * size)
            far += reach((own**2).sum(axis=0), (own**4).sum(axis=0), noise, part) + own.max(axis=0) / 2
        pairs = cells * (cells - 1) / 2
        norm = np.sqrt(pairs * (1 - theta) ** 2 + pairs * theta**2 + cells * (0.5 - theta) ** 2)
        return np.asarray(np.abs(known - theta * whole) <= far + product * norm)

    if not positive:
        return Interval(None, 0.0, 1.0)
    grid = np.linspace(0, 1, POINTS)
    places = np.flatnonzero(kept(grid))
    low, high = (float(grid[places[0]]), float(grid[places[-1]])) if len(places) else (centre, centre)
    low, high = min(low, centre), max(high, centre)
    step = 1 / (POINTS - 1)
    outer = np.array([max(0.0, low - step), min(1.0, high + step)])
    ends = _end(kept, np.array([low, high]), outer)
    return Interval(centre, min(float(ends[0]), centre), max(float(ends[1]), centre))
