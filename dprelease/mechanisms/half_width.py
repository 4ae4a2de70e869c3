"""Half width of the noise of one integer, and of a sum of several: the only place that knows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, expm1, log, log1p, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from dprelease.model.noise import GAUSSIAN, LAPLACE

SUMMED = 10_000.0
"""Up to this σ probabilities are summed one by one."""


def half_width(name: str, scale: float, confidence: float = 0.95) -> int:
    """The smallest h with P(|k| <= h) >= confidence, in lattice steps; a Gaussian of σ > 10,000 may give one more."""
    return ONE[name](scale, confidence)


def laplace(scale: float, confidence: float) -> int:
    """1 − 2q^(h+1) / (1 + q) >= confidence, q = e^(−1/scale)."""
    tail = log((1 - confidence) / 2) + log1p(exp(-1 / scale))
    return max(0, ceil(-scale * tail) - 1)


@lru_cache(maxsize=4096)
def gaussian(scale: float, confidence: float) -> int:
    """Find the half width by summing; beyond that by Φ, which bounds it from above.

    Φ: a sum of exp(−k²/2σ²) over k > h is at most its integral from h + ½ where it is convex (h + ½ >= σ), and from h
    elsewhere, and the sum over all k is at least the integral (Poisson summation). The last ulps are rounded up.
    """
    if scale <= SUMMED:
        return _smallest(mass(scale), confidence)
    reach = -scale * NormalDist().inv_cdf((1 - confidence) / 2) * (1 + 2**-48)
    half = ceil(Fraction(reach) - Fraction(1, 2))
    return half if half + Fraction(1, 2) >= scale else ceil(reach)


@lru_cache(maxsize=1024)
def summed(noises: tuple[tuple[str, float], ...], confidence: float = 0.95) -> int:
    """Return the smallest h with P(|Σ k| <= h) >= confidence for independent draws, each by its name and scale.

    By the product of their characteristic functions on a ring so wide that what comes around is below 10^-18. Where a
    scale is above 10,000 the lattice is made coarser until it is not, which rounds h up, by less than 1 part in 5,000.
    """
    coarser = max(1, ceil(max(scale for _, scale in noises) / SUMMED))
    scales = [(name, scale / coarser) for name, scale in noises]
    square = sum((2 if name == LAPLACE else 1) * scale**2 for name, scale in scales)
    reach = 45 * max(scale for _, scale in scales) + 14 * sqrt(square) + 2
    size = 1 << ceil(reach * 2).bit_length()
    angles = np.sin(np.arange(size // 2 + 1) * np.pi / size) ** 2
    transformed = np.ones(size // 2 + 1)
    for name, scale in scales:
        transformed = transformed * (_of_laplace(scale, angles) if name == LAPLACE else _of_gaussian(scale, size))
    half = _smallest(np.fft.irfft(transformed, size)[: size // 2], confidence)
    return half if coarser == 1 else (half + 1) * coarser


def _of_laplace(scale: float, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """The characteristic function (1 − q)² / ((1 − q)² + 4q sin²(θ/2)), q = e^(−1/scale); `angles`: sin²(θ/2)."""
    rest = expm1(-1 / scale)
    return np.asarray(1 / (1 + 4 * exp(-1 / scale) / rest**2 * angles), dtype=np.float64)


def _of_gaussian(scale: float, size: int) -> NDArray[np.float64]:
    half, ring = mass(scale), np.zeros(size)
    ring[: len(half)] = half
    ring[size - len(half) + 1 :] = half[:0:-1]
    return np.asarray(np.fft.rfft(ring).real, dtype=np.float64)


def mass(scale: float) -> NDArray[np.float64]:
    """P(k) of the discrete Gaussian for k = 0, 1, 2 and on, until P(k) < 10^-30 · P(0)."""
    weights = np.exp(-((np.arange(ceil(12 * scale) + 1) / scale) ** 2) / 2)
    return np.asarray(weights / (1 + 2 * weights[:0:-1].sum()), dtype=np.float64)


def _smallest(mass: NDArray[np.float64], confidence: float) -> int:
    """Return the least half width at a confidence level, of a symmetric distribution, from its half k >= 0."""
    beyond = 2 * np.append(np.cumsum(mass[:0:-1])[::-1], 0)  # P(|k| > h)
    return int(np.argmax(beyond <= 1 - confidence))


HalfWidth = Callable[[float, float], int]
ONE: dict[str, HalfWidth] = {LAPLACE: laplace, GAUSSIAN: gaussian}
