"""Intervals for second moments: what the noisy sums do not reject (test inversion; exact laws, nothing simulated).

A variance v about a mean share r makes one weighted sum of the noisy moments noise alone; a covariance does so about
two mean shares. The shares are not known; each is first held to an interval of its own, and what is kept for any share
in it is kept. All the misses together are at most 1 − confidence (Bonferroni), however few rows there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteGaussian, Mechanism

FloatArray = NDArray[np.float64]
Weigh = Callable[[FloatArray], FloatArray]
"""Takes candidates to the weights of the noisy sums, on the last axis."""
Holds = Callable[[FloatArray], NDArray[np.bool_]]
"""Function that returns which candidates are kept."""

SHARES = 0.1
"""Part of the misses that the mean shares get."""
LARGEST = 0.25
"""No variance or covariance is larger, as a part of Δ²."""
HALVINGS = 32
FORESEEN = 16
"""Halvings that are enough to foresee an error."""
AHEAD = 4
"""So many of them at a time."""
APART = 1e-3
"""Least relative gap of two Laplace scales: closer ones are widened, since the closed form divides by the gap."""
CELLS = 2000
"""Taken at a time."""


def kept(distance: FloatArray, weights: FloatArray, mechanism: Mechanism, alpha: float) -> NDArray[np.bool_]:
    """Return True where a weighted sum of noises exceeds a distance with a probability above α.

    Laplace noises of distinct scales sᵢ: P(|Σ| > t) = Σᵢ e^(−t/sᵢ) Πⱼ sᵢ²/(sᵢ² − sⱼ²), j ≠ i. A scale that is widened
    only widens the sum.
    """
    size = np.abs(weights)
    if isinstance(mechanism, DiscreteGaussian):
        reach = NormalDist().inv_cdf(1 - alpha / 2) * mechanism.scale
        return np.asarray(distance <= reach * np.sqrt((size**2).sum(axis=-1)))
    scales = np.sort(size, axis=-1) * mechanism.scale
    scales[..., 0] = np.maximum(scales[..., 0], 1e-9 * scales[..., -1] + 1e-300)
    for place in range(1, scales.shape[-1]):
        scales[..., place] = np.maximum(scales[..., place], scales[..., place - 1] * (1 + APART))
    scales = scales.transpose(-1, *range(scales.ndim - 1)).copy()
    squares, terms = scales**2, np.exp(-distance / scales)
    for place, other in permutations(range(len(scales)), 2):
        terms[place] *= squares[place] / (squares[place] - squares[other])
    return np.asarray(terms.sum(axis=0) > alpha)


@dataclass(frozen=True, slots=True)
class _Sums:
    """Noisy sums of the same mechanism, a row of them a cell, and what they do not reject."""

    sums: FloatArray
    mechanism: Mechanism
    rounding: float
    """Part of a step by which a sum may be off, beside its continuous noise."""
    alpha: float
    foreseen: bool
    """True if a rough answer is enough."""

    @property
    def whole(self) -> FloatArray:
        """Sum over all rows, as the noisy sums give it."""
        return np.asarray(self.sums.sum(axis=-1))

    def clear(self, alpha: float) -> NDArray[np.bool_]:
        """Return True where there certainly are rows."""
        ones = np.ones_like(self.sums)
        distance = self.whole - self.rounding * self.sums.shape[-1]
        return np.asarray((distance > 0) & ~kept(np.maximum(distance, 0), ones, self.mechanism, alpha))

    def ends(
        self, at: Weigh, low: FloatArray, high: FloatArray, alpha: float, slack: FloatArray | float = 0.0
    ) -> FloatArray:
        """Return the ends of candidates kept, down and up, around the one that the sums say: that one is kept always.

        Where they say what cannot be, it is the nearest that can, and its distance counts as none: an interval is never
        narrower than the noise is wide. `slack`: by how much a sum may be off beside noise and rounding.
        """
        ones = (1,) * (low.ndim - 1)
        sums, safe = self.sums.reshape(-1, *ones, self.sums.shape[-1]), np.where(self.whole > 0, self.whole, 1)

        def total(weights: FloatArray) -> FloatArray:
            return np.asarray((sums * weights).sum(axis=-1))

        centre = np.clip(total(at(np.zeros_like(low))) / safe.reshape(-1, *ones), low, high)
        own = np.abs(total(at(centre))) + slack

        def holds(candidate: FloatArray) -> NDArray[np.bool_]:
            weights = at(candidate)
            off = own + self.rounding * np.abs(weights).sum(axis=-1)
            return np.asarray(kept(np.maximum(np.abs(total(weights)) - off, 0.0), weights, self.mechanism, alpha))

        limits = np.stack([low, high])
        at_limit = holds(limits)
        if self.foreseen:
            return np.where(at_limit, limits, _halved(holds, centre, limits, FORESEEN // AHEAD, AHEAD))
        return np.where(at_limit, limits, _halved(holds, centre, limits, HALVINGS, 1))

    def shares(self, at: Weigh, alpha: float, points: int) -> FloatArray:
        """Return the mean shares that are kept, from the lowest to the highest, as so many points: (cells, points)."""
        low, high = self.ends(at, np.zeros(len(self.sums)), np.ones(len(self.sums)), alpha)
        return np.asarray(low[:, None] + (high - low)[:, None] * np.linspace(0, 1, points))

    def projected(self, at: Weigh, like: FloatArray, least: float, gap: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what is kept within [least, ¼] for any of the shares; everything where rows are not clearly there."""
        whole = np.maximum(self.whole, 0).reshape(-1, *(1 for _ in like.shape[1:]))
        low, high = np.full(like.shape, least), np.full(like.shape, LARGEST)
        down, up = self.ends(at, low, high, (1 - SHARES) * self.alpha, whole * gap)
        axes = tuple(range(1, like.ndim))
        known = self.clear(SHARES / 2 * self.alpha)
        return np.where(known, down.min(axis=axes), least), np.where(known, up.max(axis=axes), LARGEST)


def _halved(holds: Holds, inside: FloatArray, outside: FloatArray, times: int, ahead: int) -> FloatArray:
    """Return the outer ends of what is left between candidates that hold and others, halved so many times `ahead` each.

    What may be asked in the next halvings is asked at once: few cells take as long as many.
    """
    parts, each = 2**ahead, np.arange(outside.size)
    grid = np.empty((parts + 1, outside.size))
    grid[0], grid[parts] = np.broadcast_to(inside, outside.shape).ravel(), outside.ravel()
    steps = [2**level for level in reversed(range(ahead))]
    for _ in range(times):
        for step in steps:
            grid[step :: 2 * step] = (grid[: -1 : 2 * step] + grid[2 * step :: 2 * step]) / 2
        held = holds(grid[1:-1].reshape(-1, *outside.shape)).reshape(parts - 1, -1)
        at = np.zeros(outside.size, dtype=np.intp)
        for step in steps:
            at += step * held[at + step - 1, each]
        grid[0], grid[parts] = grid[at, each], grid[at + 1, each]
    return np.asarray(grid[parts].reshape(outside.shape))


def rounding(by: int) -> float:
    """Return the part of a step by which a sum may be off: half by discrete noise, one more where it was divided."""
    return 0.5 if by == 1 else 1.5


def variance_interval(
    sums: FloatArray, mechanism: Mechanism, confidence: float = 0.95, *, rounding: float = 0.5, foreseen: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return the variances, as parts of Δ², that noisy moments (a, b, d) of each cell do not reject: within [0, ¼].

    With r the mean share and v the variance, Σ(x − r)² − nv = a((1 − r)² − v) − b(r(1 − r) + v) + d(r² − v) = 0.
    """
    return _in_parts(_variances, sums, mechanism, confidence, rounding, foreseen)


def share_of_moments(
    sums: FloatArray, mechanism: Mechanism, confidence: float = 0.95, *, rounding: float = 0.5, foreseen: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return the mean shares, within [0, 1], that noisy moments (a, b, d) of each cell do not reject.

    With r the mean share, Σ(x − r) = a(1 − r) + b(½ − r) − dr = 0. Everything where they add up to nothing.
    """
    return _in_parts(_mean_shares, sums, mechanism, confidence, rounding, foreseen)


def covariance_interval(
    sums: FloatArray, mechanism: Mechanism, confidence: float = 0.95, *, rounding: float = 0.5, foreseen: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return the covariances, as parts of ΔᵢΔⱼ, that the four noisy moments of each cell do not reject: within [−¼, ¼].

    With r, s the mean shares and v the covariance, Σ(x − r)(y − s) − nv = 0 is a sum of the moments weighted by
    (1 − r)(1 − s) − v, −(1 − r)s − v, −r(1 − s) − v and rs − v.
    """
    return _in_parts(_covariances, sums, mechanism, confidence, rounding, foreseen)


def _in_parts(
    method: Callable[[_Sums], tuple[FloatArray, FloatArray]],
    sums: FloatArray,
    mechanism: Mechanism,
    confidence: float,
    rounding: float,
    foreseen: bool,
) -> tuple[FloatArray, FloatArray]:
    starts = range(0, len(sums), CELLS)
    parts = [method(_Sums(sums[at : at + CELLS], mechanism, rounding, 1 - confidence, foreseen)) for at in starts]
    low, high = (np.concatenate([part[end] for part in parts] or [np.zeros(0)]) for end in (0, 1))
    return low, high


def _share(r: FloatArray) -> FloatArray:
    return np.stack([1 - r, 0.5 - r, -r], axis=-1)


def _mean_shares(noisy: _Sums) -> tuple[FloatArray, FloatArray]:
    least, most = np.zeros(len(noisy.sums)), np.ones(len(noisy.sums))
    low, high = noisy.ends(_share, least, most, noisy.alpha)
    known = noisy.whole > 0
    return np.where(known, low, least), np.where(known, high, most)


def _variances(noisy: _Sums) -> tuple[FloatArray, FloatArray]:
    r = noisy.shares(_share, SHARES * noisy.alpha, 3 if noisy.foreseen else 9)

    def variance(v: FloatArray) -> FloatArray:
        return np.stack([(1 - r) ** 2 - v, -r * (1 - r) - v, r**2 - v], axis=-1)

    return noisy.projected(variance, r, 0.0, _gap(r) ** 2)


def _covariances(noisy: _Sums) -> tuple[FloatArray, FloatArray]:
    def of_first(r: FloatArray) -> FloatArray:
        return np.stack([1 - r, 1 - r, -r, -r], axis=-1)

    def of_second(r: FloatArray) -> FloatArray:
        return np.stack([1 - r, -r, 1 - r, -r], axis=-1)

    points = 2 if noisy.foreseen else 5
    firsts, seconds = (noisy.shares(at, SHARES / 2 * noisy.alpha, points) for at in (of_first, of_second))
    r, s = firsts[:, :, None], seconds[:, None, :]

    def covariance(v: FloatArray) -> FloatArray:
        return np.stack([(1 - r) * (1 - s) - v, -(1 - r) * s - v, -r * (1 - s) - v, r * s - v], axis=-1)

    return noisy.projected(covariance, r * s, -LARGEST, (_gap(firsts) * _gap(seconds))[:, :, None])


def _gap(shares: FloatArray) -> FloatArray:
    """Return half the distance of two neighbouring points: how far the true share may be from the nearest."""
    return np.asarray((shares[:, -1:] - shares[:, :1]) / (2 * (shares.shape[1] - 1)))
