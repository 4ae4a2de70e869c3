"""Gaussian noise on one number: its exact δ(ε), continuous and discrete, and the smallest σ for a given (ε, δ).

For vectors the discrete noise has no such formula (its δ depends on the direction of the change): there, go by
ρ = (L2 sensitivity)² / (2σ²), see `zcdp`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, erfc, exp, floor, isfinite, log, pi, sqrt

import numpy as np

from dprelease.errors import PlanError

MAX_SENSITIVITY = 2**53
SMOOTH = 200.0
"""From this σ on, sums over the lattice are taken by Euler and Maclaurin's formula, to 10^-12 (10^-8 for a δ of
10^-300); below, term by term."""
MARGIN = 1e-9
"""Relative: more than the rounding of floats can do to a δ, where σ is not beyond 10^5 sensitivities."""
MARGIN_OF_NOISE = 1e-14
"""The same, for every sensitivity that σ comes to: δ is a difference, and the smaller a one the more noise there is."""
REACH = 39.0
"""Further from the middle than so many σ, e^(−x²/2σ²) is 0 in floats."""
DOWN = 0.99
"""By what the search for a discrete σ goes down. Where more noise can cost more, it does so over a wider stretch."""


def continuous_delta(epsilon: float, sigma: float, sensitivity: float = 1.0) -> float:
    """The least δ at ε of continuous Gaussian noise: Φ(a) − e^ε Φ(b), a = Δ/2σ − εσ/Δ, b = −Δ/2σ − εσ/Δ.

    Exact, for vectors too (Δ: their L2 sensitivity). Balle and Wang 2018, theorem 8.

    Raises PlanError unless ε >= 0, σ > 0 and Δ > 0.
    """
    _check(epsilon, sensitivity, sigma=sigma)
    noise = sigma / sensitivity
    a = 0.5 / noise - epsilon * noise
    # e^ε Φ(b) = φ(a) M(−b), with Mills' ratio M(x) = Φ(−x) / φ(x): b² = a² + 2ε.
    density, lost = exp(-a * a / 2) / sqrt(2 * pi), _mills(0.5 / noise + epsilon * noise)
    return max(0.0, erfc(-a / sqrt(2)) / 2 - density * lost if a > 0 else density * (_mills(-a) - lost))


def continuous_epsilon(delta: float, sigma: float, sensitivity: float = 1.0) -> float:
    """The least ε >= 0 at δ of continuous Gaussian noise, from `continuous_delta` by bisection.

    Raises PlanError unless 0 < δ < 1, σ > 0 and Δ > 0.
    """
    _check(0.0, sensitivity, sigma=sigma, delta=delta)
    if continuous_delta(0.0, sigma, sensitivity) <= delta:
        return 0.0
    return _least(lambda epsilon: continuous_delta(epsilon, sigma, sensitivity) <= delta)


def continuous_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The least σ of continuous Gaussian noise for (ε, δ), from `continuous_delta` by bisection.

    Balle and Wang 2018, algorithm 1. Raises PlanError unless ε >= 0, 0 < δ < 1 and Δ > 0.
    """
    _check(epsilon, sensitivity, delta=delta)
    return sensitivity * _least(lambda noise: continuous_delta(epsilon, noise) * _margin(noise) <= delta)


def discrete_delta(epsilon: float, sigma: float, sensitivity: int) -> float:
    """The least δ at ε of discrete Gaussian noise, P(k) ∝ e^(−k²/2σ²), on one integer with integer sensitivity Δ.

    δ = P(Y > εσ²/Δ − Δ/2) − e^ε P(Y > εσ²/Δ + Δ/2), Y the noise: a sum over the lattice of
    P(k − Δ) − e^ε P(k) where that is positive. Canonne, Kamath, Steinke 2020, theorem 7. A change by less than Δ costs
    no more: for each threshold t, P(Y >= t − d) − e^ε P(Y >= t) grows with d. The continuous noise's δ is no bound for
    it: at Δ = 1 and ε = 10, the discrete one reaches 3.8 times as much.

    Raises PlanError unless ε >= 0, σ > 0 and Δ is 1 to 2^53.
    """
    _check(epsilon, _whole(sensitivity), sigma=sigma)
    # From k = first + Δ on, P(k − Δ) > e^ε P(k); the loss there is ε + over.
    first = floor(epsilon * sigma**2 / sensitivity - sensitivity / 2) + 1
    over = max(0.0, (2 * first + sensitivity) * sensitivity / (2 * sigma**2) - epsilon)
    if sigma >= SMOOTH:
        return _smooth_delta(epsilon, sigma, sensitivity, first, over)
    reach = ceil(REACH * sigma)
    places = np.arange(max(first, -reach), reach + 1, dtype=np.float64)
    weights = np.exp(-(places**2) / (2 * sigma**2))
    gains = -np.expm1(-(over + (places - first) * (sensitivity / sigma**2)))
    return min(1.0, float(weights @ gains) / _normalizer(sigma))


def sigma_within(epsilon: float, delta: float, sensitivity: int) -> float:
    """The smallest σ of discrete Gaussian noise on one integer from which on (ε, δ) holds.

    Below it, (ε, δ) may hold again: at ε = 20, Δ = 1, δ is 2e-9 at σ = 0.1582 and 4e-6 at σ = 0.2, since the loss
    takes few values and a larger σ makes the worst of them likelier. So the search goes down, in steps of 1 %, from a σ
    that is known to be enough, with all that are larger: Δ/√(2ρ) with ρ = (√(ε + ln(1/δ)) − √ln(1/δ))² (Bun and
    Steinke 2016, proposition 1.3), or Δ / (√(2π) δ), from δ(ε) <= δ(0) <= Δ P(0). Then it bisects. δ is checked, by
    `discrete_delta`, at the σ that is returned, with 1e-9 of it to spare for rounding.

    Raises PlanError unless ε >= 0, 0 < δ < 1 and Δ is 1 to 2^53.
    """
    _check(epsilon, _whole(sensitivity), delta=delta)
    return _sigma_within(epsilon, delta, sensitivity)


def classical_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """The textbook σ = Δ √(2 ln(1.25/δ)) / ε, which is proven for ε < 1 only, and refused elsewhere.

    At δ = 1e-6 it is false from ε = 8.8 on; where it is proven it is 20 % and more too large. Kept to be compared with
    `continuous_sigma`. Dwork and Roth 2014, theorem A.1.

    Raises PlanError unless 0 < ε < 1, 0 < δ < 1 and Δ > 0.
    """
    _check(epsilon, sensitivity, delta=delta)
    if not 0 < epsilon < 1:
        raise PlanError(
            "epsilon",
            found=epsilon,
            allowed="between 0 and 1 for √(2 ln(1.25/δ)) / ε, whose proof ends there",
            remedy="Use the exact σ.",
        )
    return sensitivity * sqrt(2 * log(1.25 / delta)) / epsilon


@lru_cache(maxsize=4096)
def _sigma_within(epsilon: float, delta: float, sensitivity: int) -> float:
    def holds(sigma: float) -> bool:
        return discrete_delta(epsilon, sigma, sensitivity) * _margin(sigma / sensitivity) <= delta

    high = sensitivity / (sqrt(2 * pi) * delta)
    if epsilon > 0:
        root_rho = epsilon / (sqrt(epsilon - log(delta)) + sqrt(-log(delta)))
        high = min(high, sensitivity / (sqrt(2) * root_rho))
    high *= _margin(high / sensitivity)
    while holds(low := high * DOWN):
        high = low
    return _bisected(holds, low, high)


def _margin(noise: float) -> float:
    return 1 + MARGIN + MARGIN_OF_NOISE * noise


def _smooth_delta(epsilon: float, sigma: float, sensitivity: int, first: int, over: float) -> float:
    """`discrete_delta` where σ is large: from the tails of the noise at `first` and at `first` + Δ."""
    second = _tail(first + sensitivity, sigma)
    if first > 0:
        # Both by the weight of the first, which is e^(ε + over) times that of the second.
        weight = exp(-((first / sigma) ** 2) / 2)
        return max(0.0, weight * (_tail(first, sigma) - exp(-over) * second) / _normalizer(sigma))
    below = exp(-(((1 - first) / sigma) ** 2) / 2) * _tail(1 - first, sigma)
    weight = exp(epsilon - (((first + sensitivity) / sigma) ** 2) / 2)
    return max(0.0, 1 - (below + weight * second) / _normalizer(sigma))


def _tail(start: int, sigma: float) -> float:
    """The sum over k >= start of e^(−k²/2σ²), divided by its first term; start > 0.

    Euler and Maclaurin: Σ f = ∫ f + f/2 − f'/12 + f'''/720 at the start; f'/f = −x/σ, f'''/f = −(x³ − 3x)/σ³ for
    x = start/σ.
    """
    x = start / sigma
    return sigma * _mills(x) + 0.5 + x / (12 * sigma) - (x**3 - 3 * x) / (720 * sigma**3)


def _normalizer(sigma: float) -> float:
    """Σ over all integers of e^(−k²/2σ²); from σ = 2 on √(2π)σ to 10^-33 (Poisson's summation)."""
    if sigma >= 2:
        return sqrt(2 * pi) * sigma
    return 1 + 2 * sum(exp(-(k**2) / (2 * sigma**2)) for k in range(1, ceil(REACH * sigma) + 1))


def _mills(x: float) -> float:
    """Mills' ratio Φ(−x) / φ(x) for x >= 0; where x is large, by its continued fraction."""
    if x < 4:
        return sqrt(pi / 2) * exp(x * x / 2) * erfc(x / sqrt(2))
    rest = x
    for n in range(100, 0, -1):
        rest = x + n / rest
    return 1 / rest


def _least(holds: Callable[[float], bool]) -> float:
    """The least positive float at which something holds that holds at all larger ones."""
    high = 1.0
    while not holds(high):
        high *= 2
    while holds(low := high / 2):
        high = low
    return _bisected(holds, low, high)


def _bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    """A float above low, at most high, at which something holds, and not at the float before; it holds at high only."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _whole(sensitivity: int) -> int:
    if not 0 < sensitivity <= MAX_SENSITIVITY:
        raise PlanError("sensitivity", found=sensitivity, allowed=f"a whole number from 1 to {MAX_SENSITIVITY}")
    return sensitivity


def _check(epsilon: float, sensitivity: float, *, sigma: float = 1.0, delta: float = 0.5) -> None:
    if not (isfinite(epsilon) and epsilon >= 0):
        raise PlanError("epsilon", found=epsilon, allowed="a finite number of at least 0")
    for name, value in (("sensitivity", sensitivity), ("sigma", sigma)):
        if not (isfinite(value) and value > 0):
            raise PlanError(name, found=value, allowed="a finite number above 0")
    if not 0 < delta < 1:
        raise PlanError("delta", found=delta, allowed="a number between 0 and 1")
