"""Exact tails of sums of the noise of whole numbers, by an integral of their generating function.

Of a whole number S with M(z) = E exp(zS) and any c > 0 where M(c) is finite,

    P(S >= t) = 1/2π ∫ M(z) exp(−zt) / (1 − exp(−z)) du over z = c + iu from −π to π,

by n equal steps, whose error is Σ exp(ckn) P(S >= t + kn) over k ≠ 0: never below 0. With discrete Laplace noise,
M(z) = (1 − q)² / ((1 − q e^z)(1 − q e^−z)), q = exp(−1/scale); with discrete Gaussian noise, Σ exp(zk − k²/2σ²) over k,
divided by its value at 0. It shares no code with `statements`, `noise` and `claims`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, exp, gcd, inf, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

GAUSSIAN = "discrete_gaussian"
LIKELY = 4.0
"""Standard deviations up to which nothing is computed: no chance would be low enough."""
TRIES = np.geomspace(1e-3, 60, 240)
"""Values of c · standard deviation at which M(c) exp(−ct) bounds the chance (Chernoff)."""
NEAR = 10.0
"""Largest excess of the logarithm of that bound over that of the chance."""
INSIDE = 0.8
"""Part of the largest c at which the integral is taken."""
LEFT = 20.0
"""Minus the logarithm of what the number of steps may add, relative to the chance."""
SMALL = 4.0
"""Scales of Gaussian noise below which M is summed term by term; from there exp(σ²z²/2) is as exact as floats."""
BLOCK, MOST = 4096, 1 << 17
"""Steps that are taken at once, and at most: beyond, the bound has to do."""
Complex = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Draws:
    """Independent noise of one scale, added up over so many draws, times a whole number."""

    mechanism: str
    scale: float
    draws: int = 1
    weight: int = 1

    @property
    def variance(self) -> float:
        """At most; Laplace 2q / (1 − q)² <= 2·scale², Gaussian <= σ²."""
        return self.draws * (self.weight * self.scale) ** 2 * (1 if self.mechanism == GAUSSIAN else 2)

    @property
    def largest(self) -> float:
        """Returns where M(c) ends."""
        return inf if self.mechanism == GAUSSIAN else 1 / (self.weight * self.scale)

    def log_m(self, z: Complex) -> Complex:
        """Return the logarithm of M, on some branch."""
        z = self.weight * z
        if self.mechanism != GAUSSIAN:
            decay = 1 / self.scale
            sides = np.log(-np.expm1(z - decay)) + np.log(-np.expm1(-z - decay))
            return np.asarray(self.draws * (2 * np.log(-np.expm1(-decay)) - sides))
        z = z.real + 1j * ((z.imag + pi) % (2 * pi) - pi)
        if self.scale >= SMALL:
            return np.asarray(self.draws * (self.scale * z) ** 2 / 2)
        reach = ceil(self.scale**2 * float(z.real.max(initial=0)) + 12 * self.scale) + 2
        k = np.arange(-reach, reach + 1)
        mass = np.exp(-((k / self.scale) ** 2) / 2)
        return np.asarray(self.draws * np.log(np.exp(np.multiply.outer(z, k)) @ (mass / mass.sum())))


def is_rarer(t: int, noise: Sequence[Draws], log_risk: float) -> bool:
    """Return True if noise goes to t or beyond more rarely than a risk, of which the logarithm is given."""
    noise = [replace(each, weight=abs(each.weight)) for each in noise if each.weight]
    common = gcd(*(each.weight for each in noise))
    t, noise = -(-t // common) if common else t, [replace(each, weight=each.weight // common) for each in noise]
    spread = sqrt(sum(each.variance for each in noise))
    if t <= max(0.0, LIKELY * spread):
        return False
    if not noise:
        return True
    end = min(each.largest for each in noise)
    rates = np.unique(np.minimum(TRIES / spread, 0.99 * end))
    bounds = sum(_real(each, rates) for each in noise) - rates * float(t)
    best = int(np.argmin(bounds))
    if bounds[best] < log_risk or bounds[best] >= log_risk + NEAR:
        return bool(bounds[best] < log_risk)
    return _chance(t, noise, min(float(rates[best]), INSIDE * end), end, spread) < exp(log_risk)


def _real(noise: Draws, rates: NDArray[Any]) -> NDArray[Any]:
    """Return the logarithm of M at real numbers, of Gaussian noise at most (Canonne, Kamath, Steinke 2020)."""
    if noise.mechanism == GAUSSIAN:
        return np.asarray(noise.draws * (noise.weight * noise.scale * rates) ** 2 / 2)
    return noise.log_m(rates + 0j).real


def _chance(t: int, noise: Sequence[Draws], c: float, end: float, spread: float) -> float:
    """Return P(Σ >= t), or slightly more; 1 where it would take too many steps."""
    if len(noise) == noise[0].draws == 1 and noise[0].mechanism != GAUSSIAN:  # of weight 1, for it is the divisor
        return exp(-t / noise[0].scale) / (1 + exp(-1 / noise[0].scale))

    def part(z: Complex) -> Complex:
        return np.asarray(np.exp(sum(each.log_m(z) for each in noise) - z * t) / -np.expm1(-z))

    least = -log(max(float(part(np.array([c + 0j]))[0].real), 1e-300))
    steps = ceil(max((least + NEAR + LEFT) / c, 0 if end == inf else LEFT / (end - c), LEFT * spread))
    alone = [each for each in noise if each.weight == 1]
    first = part(np.array([c + 0j]))[0].real
    at_0 = sum(float(each.log_m(np.array([c + 0j]))[0].real) for each in alone)
    total, half = first, steps // 2
    for begin in range(1, half + 1, BLOCK):
        if begin > MOST:
            return 1.0
        z = c + 2j * pi * np.arange(begin, min(begin + BLOCK, half + 1)) / steps
        total += 2 * float(part(z).real.sum())
        falls = sum(float(each.log_m(z[-1:])[0].real) for each in alone) - at_0 if alone else 0.0
        rest = 2 * half * first * exp(falls)
        if begin + BLOCK > half:
            rest = 0.0
        if rest < abs(total) / 1000:
            return float(total + rest) / steps
    return float(total) / steps
