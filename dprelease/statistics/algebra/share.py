"""Intervals for a share r = s₁ / (s₁ + s₂) of two sums, each seen with noise of one scale."""

from __future__ import annotations

from math import exp, hypot
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteGaussian, Mechanism

FloatArray = NDArray[np.float64]


def share(y1: FloatArray, y2: FloatArray) -> FloatArray:
    """Return y₁ / (y₁ + y₂), clipped to [0, 1]; the middle where the two together are not above 0."""
    whole = y1 + y2
    return np.clip(np.where(whole > 0, y1 / np.where(whole > 0, whole, 1), 0.5), 0, 1)


def share_interval(
    y1: FloatArray, y2: FloatArray, mechanism: Mechanism, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return the shares r in [0, 1] that the noisy sums do not reject (Fieller's construction; exact, no simulation).

    If r is the true share, (1 − r)·y₁ − r·y₂ is noise alone: (1 − r)·η₁ − r·η₂. So r is kept where that statistic is
    within the central `confidence` of its own distribution. The discrete noise is bounded by the continuous one plus
    half a step, which only widens the interval. Where the two sums together are not clearly positive, the interval is
    [0, 1]. With confidence 0 it is the share itself.
    """
    whole = y1 + y2
    centre = share(y1, y2)
    if confidence == 0:
        return centre, centre
    bounds = []
    for end in (0.0, 1.0):
        inside, outside = centre.copy(), np.full_like(centre, end)
        at_end = _kept(outside, y1, y2, mechanism, confidence) | (whole <= 0)
        for _ in range(60):
            middle = (inside + outside) / 2
            kept = _kept(middle, y1, y2, mechanism, confidence)
            inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
        bounds.append(np.where(at_end, end, inside))
    return bounds[0], bounds[1]


def middle_half_width(y: float, mechanism: Mechanism, confidence: float = 0.95) -> float:
    """Return half the width of `share_interval` where both sums are y, for prices: one number and not an array."""
    if y <= 0:
        return 0.5
    alpha, scale = 1 - confidence, mechanism.scale
    gaussian = isinstance(mechanism, DiscreteGaussian)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * scale if gaussian else 0.0

    def kept(half: float) -> bool:
        """Return True if the noise does not rule out 1/2 − half: y₁ and y₂ differ from their share by 2·half·y."""
        distance, large, small = max(0.0, 2 * half * y - 0.5), 0.5 + half, 0.5 - half
        if gaussian:
            return distance <= reach * hypot(large, small)
        if small < 1e-300:
            return exp(-distance / (large * scale)) > alpha
        if large - small < 1e-6 * large:
            return (1 + distance / scale) * exp(-2 * distance / scale) > alpha
        first = large**2 * exp(-distance / (large * scale))
        second = small**2 * exp(-distance / (small * scale))
        return (first - second) / (large**2 - small**2) > alpha

    inside, outside = 0.0, 0.5
    if kept(outside):
        return outside
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if kept(middle) else (inside, middle)
    return inside


def _kept(r: FloatArray, y1: FloatArray, y2: FloatArray, mechanism: Mechanism, confidence: float) -> NDArray[np.bool_]:
    distance = np.maximum(np.abs((1 - r) * y1 - r * y2) - 0.5, 0)
    if isinstance(mechanism, DiscreteGaussian):
        reach = NormalDist().inv_cdf((1 + confidence) / 2) * mechanism.scale
        return np.asarray(distance <= reach * np.sqrt((1 - r) ** 2 + r**2))
    scale = mechanism.scale
    return np.asarray(weighted_tail(distance, (1 - r) * scale, r * scale) > 1 - confidence)


def weighted_tail(t: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return P(|A + B| > t) for independent continuous Laplace A and B of scales a and b.

    (a² e^(−t/a) − b² e^(−t/b)) / (a² − b²); for a = b: (1 + t / (2a)) e^(−t/a).
    """
    large, small = np.maximum(a, b), np.minimum(a, b)
    alike = large - small < 1e-6 * large
    mean = (large + small) / 2
    tiny = small <= 1e-300
    safe = np.where(tiny, 1.0, small)
    first = large**2 * np.exp(-t / large)
    second = np.where(tiny, 0.0, safe**2 * np.exp(-t / safe))
    different = (first - second) / np.where(alike, 1.0, large**2 - small**2)
    return np.asarray(np.where(alike, (1 + t / (2 * mean)) * np.exp(-t / mean), different))
