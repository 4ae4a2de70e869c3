"""Tail probabilities of differences of noise between published numbers: the thresholds of every claim.

All numbers are whole, in steps of the noise. A claim is made where noise leads to it with probability β at most; a
probability within 1 part in 10^9 of β counts as above it, so that two programs decide alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, erfc, exp, expm1, log, sqrt

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms.half_width import mass
from dprelease.model.noise import EVEN, GAUSSIAN, LAPLACE, Drawn, IntervalNoise, Noise

SHARP = 1 - 1e-9
"""Factor on β: a claim needs P <= β times this."""
COARSE = 1000.0
"""Scale from which a step is a thousandth of it at most: the lattice is coarser, or the noise continuous."""
NEARLY = 1e-3
"""Smallest relative difference of two scales; below, the closed form for unequal ones loses its digits."""
REACH = 45
"""Scales of Laplace noise beyond which less than 10^-19 lies."""
Array = NDArray[np.float64]


def difference_tail(one: Noise, other: Noise, d: int | Fraction) -> float:
    """Return P(n − n′ >= d), d >= 1, of the noises of two numbers.

    Bounded: n − n′ >= d takes n >= d·r/(r + r′) or −n′ >= d·r′/(r + r′), and each has probability ½·20^(−d/(r + r′))
    at most, from r + r′ on.
    """
    if isinstance(one, IntervalNoise) or isinstance(other, IntervalNoise):
        share = float(d) / (_reach(one) + _reach(other))
        return exp(-share * log(20)) if share >= 1 else 1.0
    d = int(d)
    if one.draws == other.draws == 1 and one.name == other.name == LAPLACE:
        if one.scale == other.scale:
            return _equal(one.scale, d)
        if abs(one.scale - other.scale) >= NEARLY * one.scale:
            return _unequal(one.scale, other.scale, d)
    if one.draws == other.draws == 1 and one.name == other.name == GAUSSIAN and min(one.scale, other.scale) >= EVEN:
        sigma = sqrt(one.scale**2 + other.scale**2)
        return _of_normal((d - 1) / sigma) if sigma > COARSE else _survival(Drawn(GAUSSIAN, sigma)).from_on(d)
    return quotient_tail(one, other, 1, 1, d)


def difference(one: Noise, other: Noise, beta: float) -> int:
    """Return the least d >= 1 with P(n − n′ >= d) <= β."""
    return _least(one, other, float(beta))


@lru_cache(maxsize=4096)
def _least(one: Noise, other: Noise, beta: float) -> int:
    return least(lambda d: difference_tail(one, other, d), beta)


def least(tail: Callable[[int], float], beta: float) -> int:
    """Return the least d >= 1 at which a falling tail is at most β."""
    low, high = 0, 1
    while tail(high) > beta * SHARP:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if tail(middle) > beta * SHARP else (low, middle)
    return high


def quotient_tail(one: Drawn, other: Drawn, a: int, b: int, t: int) -> float:
    """Return P(a·n − b·n′ >= t) for whole a, b >= 1: it decides whether a true quotient may be b / a.

    Σ_k P(n′ = k)·P(n >= (t + b·k)/a), exactly. Where a scale is above 1,000, single draws are at most a continuous
    noise of the same law and one step, in distribution, and sums of draws c times one step of a lattice c times as
    coarse: both sides of 0 are told in docs/formats.md.
    """
    if max(one.scale, other.scale) > COARSE and one.draws == other.draws == 1 and one.name == other.name:
        return _continuous(one, other, a, b, t - a - b)
    coarser = max(1, ceil(max(one.scale, other.scale) / COARSE))
    if coarser > 1:
        t = -(-t // coarser) - a * one.draws - b * other.draws
        one, other = (Drawn(each.name, each.scale / coarser, each.draws) for each in (one, other))
    far, inner = _survival(one), _survival(other)
    if abs(t) > a * (far.top + 1) + b * inner.top:
        return float(t < 0)
    k = np.arange(-inner.top, inner.top + 1)
    weights = np.concatenate([inner.half[:0:-1], inner.half])
    return float(weights @ far.each_from(-((-t - b * k) // a)))


def combined_tail(parts: tuple[tuple[int, Drawn], ...], t: int) -> float:
    """Return P(Σ c·n >= t) for sums n of independent draws with whole coefficients c; by `_ring`."""
    coarser = max(1, ceil(max(each.scale for _, each in parts) / COARSE))
    if coarser > 1:
        t = -(-t // coarser) - sum(abs(c) * each.draws for c, each in parts)
        parts = tuple((c, Drawn(each.name, each.scale / coarser, each.draws)) for c, each in parts)
    found = _survival(parts[0][1]) if len(parts) == 1 and parts[0][0] == 1 else _ring(parts)
    return found.from_on(max(-found.top, min(t, found.top + 1)))


def _reach(noise: Noise) -> float:
    if isinstance(noise, IntervalNoise):
        return noise.reach
    return float(least(lambda d: _survival(noise).from_on(d), 0.025))


def _equal(scale: float, d: int) -> float:
    """Return q^d/(1 + q)²·((1 − q)(d + c) + q), c = (1 + q²)/(1 − q²), q = e^(−1/scale)."""
    q, rest = exp(-1 / scale), -expm1(-1 / scale)
    return exp(-d / scale) / (1 + q) ** 2 * (rest * (d + (1 + q * q) / (rest * (1 + q))) + q)


def _unequal(scale: float, other: float, d: int) -> float:
    """Return (1 − q′)²/(q′g)·q^d/(1 + q) − (1 − q)²/(qg)·q′^d/(1 + q′), g = (1/q′ + q′) − (1/q + q).

    Partial fractions of the product of both characteristic functions in z + 1/z. 1/q + q − 2 is 4·sinh²(1/2t).
    """
    wide, narrow = (_sinh2(scale), _sinh2(other))
    one = exp(-d / scale) / (1 + exp(-1 / scale))
    two = exp(-d / other) / (1 + exp(-1 / other))
    return (narrow * one - wide * two) / (narrow - wide)


def _sinh2(scale: float) -> float:
    """Return (1 − q)²/q."""
    return float(expm1(-1 / scale) ** 2 * exp(1 / scale))


def _of_normal(z: float) -> float:
    return 0.5 * erfc(z / sqrt(2))


def _continuous(one: Drawn, other: Drawn, a: int, b: int, t: int) -> float:
    """Return P(a·n + b·n′ >= t) for continuous noises of these scales."""
    if t <= 0:
        return 1.0
    if one.name == GAUSSIAN:
        return _of_normal(t / sqrt((a * one.scale) ** 2 + (b * other.scale) ** 2))
    large, small = max(a * one.scale, b * other.scale), min(a * one.scale, b * other.scale)
    if large - small < NEARLY * large:
        return 0.5 * (1 + t / (2 * large)) * exp(-t / large)
    rest = small * small * exp(-t / small)
    return 0.5 * (large * large * exp(-t / large) - rest) / (large * large - small * small)


@dataclass(frozen=True, slots=True)
class _Survival:
    """Symmetric distribution on whole numbers."""

    half: Array
    """P(k) for k = 0, 1 and on."""
    beyond: Array
    """P(n >= k) for k = 0, 1 and on; 0 behind the last."""

    @property
    def top(self) -> int:
        return len(self.half) - 1

    def from_on(self, t: int) -> float:
        """Return P(n >= t)."""
        return float(self.each_from(np.array([t]))[0])

    def each_from(self, t: NDArray[np.int64]) -> Array:
        """Return P(n >= t) of each."""
        k = np.minimum(np.where(t > 0, t, 1 - t), self.top + 1)
        return np.where(t > 0, self.beyond[k], 1 - self.beyond[k])


def _symmetric(half: Array) -> _Survival:
    return _Survival(half, np.append(np.cumsum(half[::-1])[::-1], 0))


@lru_cache(maxsize=256)
def _survival(noise: Drawn) -> _Survival:
    if noise.draws > 1:
        return _ring(((1, noise),))
    if noise.name == GAUSSIAN:
        return _symmetric(mass(noise.scale))
    q, k = exp(-1 / noise.scale), np.arange(ceil(REACH * noise.scale) + 2)
    powers = np.exp(-k / noise.scale)
    beyond = np.append(powers / (1 + q), 0)
    return _Survival(powers * (-expm1(-1 / noise.scale) / (1 + q)), beyond)


@lru_cache(maxsize=256)
def _ring(parts: tuple[tuple[int, Drawn], ...]) -> _Survival:
    """Return the distribution of Σ c·n, by characteristic functions on a ring so wide that less than 10^-18 wraps."""
    square = sum(c * c * (2 if own.name == LAPLACE else 1) * own.scale**2 * own.draws for c, own in parts)
    reach = REACH * max(abs(c) * own.scale for c, own in parts) + 14 * sqrt(square) + 2
    size = 1 << ceil(2 * reach).bit_length()
    found = np.ones(size // 2 + 1)
    for c, own in parts:
        found = found * _transformed(own, abs(c), size) ** own.draws
    return _symmetric(np.maximum(np.fft.irfft(found, size)[: size // 2], 0))


def _transformed(noise: Drawn, c: int, size: int) -> Array:
    """Return the characteristic function of c times one draw: in closed form, else of its probabilities on the ring."""
    angles = c * np.arange(size // 2 + 1) * (np.pi / size)
    if noise.name == LAPLACE:
        q = exp(-1 / noise.scale)
        return np.asarray(1 / (1 + 4 * q / expm1(-1 / noise.scale) ** 2 * np.sin(angles) ** 2))
    if noise.scale >= EVEN:
        folded = np.abs(np.remainder(2 * angles + np.pi, 2 * np.pi) - np.pi)
        return np.asarray(np.exp(-((folded * noise.scale) ** 2) / 2))
    own, ring = mass(noise.scale), np.zeros(size)
    k = np.arange(1 - len(own), len(own))
    np.add.at(ring, c * k % size, own[np.abs(k)])
    return np.asarray(np.fft.rfft(ring).real)
