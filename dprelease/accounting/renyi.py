"""Rényi differential privacy: the curve of a mechanism, order by order, and what it is worth as (ε, δ).

The figures are floats for people to look at; what is charged goes by ε or ρ.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, expm1, inf, isfinite, isinf, log, log1p, sqrt

from dprelease.errors import PlanError
from dprelease.words import phrase

MAX_ORDER = 1e12
"""Maximum order: beyond it a δ of 10^-12 or more gains nothing that a float shows."""
FAR = 30.0
"""Exponent from which exp is so large that its logarithm is taken before it is."""
STEPS = 120
"""Number of steps of golden-section search: each leaves 0.62 of the interval."""


@dataclass(frozen=True, slots=True)
class Curve(ABC):
    """The Rényi divergence between the outputs on two neighbouring tables, at most, for every order α >= 1. In nats.

    D_α(P‖Q) = ln Σ P^α Q^(1−α) / (α − 1); at α = 1 its limit, the Kullback-Leibler divergence; at α = ∞ the largest
    ln(P/Q), which is ε of pure differential privacy. Rényi 1961; Mironov 2017. Curves of mechanisms that are used
    together add (Mironov 2017, proposition 1), and stay valid where later ones are chosen by the results of earlier.
    """

    def divergence(self, order: float) -> float:
        """Return the divergence at one order, 1 to infinity. Raises PlanError below 1, for NaN, and if not finite."""
        if not order >= 1:
            raise PlanError("order", found=order, allowed=phrase("accounting.number_from_1_infinity"))
        divergence = self._divergence(order)
        # A NaN would pass for 0 in a later max(0, …), and an infinite loss for a figure.
        if not isfinite(divergence):
            raise PlanError(
                "order",
                found=phrase("accounting.divergence_at_order", divergence=divergence, order=order),
                allowed=phrase("accounting.order_at_mechanism_finite"),
                remedy=phrase("accounting.gaussian_noise_one_at"),
            )
        return divergence

    @abstractmethod
    def _divergence(self, order: float) -> float:
        """Return `divergence` for an order of at least 1; infinite where it is."""

    @property
    def pure_epsilon(self) -> float:
        """Divergence at order infinity: the pure ε, infinite where it has none."""
        return self._divergence(inf)

    def __add__(self, other: Curve) -> Composed:
        return Composed(((self, 1), (other, 1)))

    def __mul__(self, times: int) -> Composed:
        return Composed(((self, times),))


@dataclass(frozen=True, slots=True)
class RandomizedResponseCurve(Curve):
    """The true answer with probability π = e^ε / (e^ε + k − 1), each of the k − 1 others with q = 1 / (e^ε + k − 1).

    D_α = ln(π e^((α−1)ε) + q e^(−(α−1)ε) + (k − 2) q) / (α − 1); at α = 1, (π − q) ε; at ∞, ε.
    Warner 1965; Kairouz, Oh, Viswanath 2014 for k answers. Mironov 2017, proposition 5, has k = 2.
    """

    epsilon: float
    answers: int = 2
    """k, at least 2."""

    def __post_init__(self) -> None:
        _check("epsilon", self.epsilon)
        if self.answers < 2:
            raise PlanError("answers", found=self.answers, allowed=phrase("accounting.at_least_2"))

    @property
    def truth(self) -> float:
        """π, the probability of the true answer."""
        return 1 / (1 + (self.answers - 1) * exp(-self.epsilon))

    @property
    def other(self) -> float:
        """q, the probability of any one other answer."""
        return exp(-self.epsilon) * self.truth

    def _divergence(self, order: float) -> float:
        if isinf(order):
            return self.epsilon
        # π − q
        gap = -expm1(-self.epsilon) * self.truth
        extra = order - 1
        power = extra * self.epsilon
        if extra == 0 or power == 0:
            return gap * self.epsilon
        if power > FAR:
            rest = (self.other * exp(-power) + (self.answers - 2) * self.other) / self.truth
            return (power + log(self.truth) + log1p(rest * exp(-power))) / extra
        # The sum less 1, without its two large parts that cancel.
        excess = gap * power + power**2 * (self.truth * _beyond_linear(power) + self.other * _beyond_linear(-power))
        return log1p(excess) / extra


@dataclass(frozen=True, slots=True)
class Pure(Curve):
    """Any ε-DP mechanism. It is a randomized response with two answers, processed further, so that its divergence is
    at most that one's: at most ε, and about αε²/2 where αε is small. Kairouz, Oh, Viswanath 2015.
    """

    epsilon: float

    def __post_init__(self) -> None:
        _check("epsilon", self.epsilon)

    def _divergence(self, order: float) -> float:
        return RandomizedResponseCurve(self.epsilon)._divergence(order)


@dataclass(frozen=True, slots=True)
class Laplace(Curve):
    """Continuous Laplace noise on one number, ε = sensitivity / scale.

    D_α = ln(α/(2α−1) e^((α−1)ε) + (α−1)/(2α−1) e^(−αε)) / (α − 1); at α = 1, ε + e^(−ε) − 1; at ∞, ε.
    For small ε it is ε²/2 at α = 1. Mironov 2017, proposition 6.

    Discrete Laplace noise of a few steps loses more than this, up to `Pure` where the sensitivity is one step.
    """

    epsilon: float

    def __post_init__(self) -> None:
        _check("epsilon", self.epsilon)

    def _divergence(self, order: float) -> float:
        if isinf(order):
            return self.epsilon
        extra = order - 1
        power = extra * self.epsilon
        if power > FAR:
            rest = extra / order * exp(-(power + order * self.epsilon))
            return (power + log(order / (2 * order - 1)) + log1p(rest)) / extra
        # The sum less 1, over α − 1, without the large parts that cancel.
        slope = extra * _beyond_linear(power) + order * _beyond_linear(-order * self.epsilon)
        slope *= order * self.epsilon**2 / (2 * order - 1)
        return log1p(slope * extra) / extra if slope * extra > 0 else slope


@dataclass(frozen=True, slots=True)
class Gaussian(Curve):
    """Gaussian noise, continuous or discrete, on numbers or vectors, or whatever else is ρ-zCDP: D_α <= αρ.

    ρ = (L2 sensitivity)² / (2σ²), and the continuous noise attains αρ. No finite divergence at ∞.
    Mironov 2017, proposition 7; discrete: Canonne, Kamath, Steinke 2020.
    """

    rho: float

    def __post_init__(self) -> None:
        _check("rho", self.rho)

    def _divergence(self, order: float) -> float:
        return order * self.rho


@dataclass(frozen=True, slots=True)
class Composed(Curve):
    """Mechanisms used together: each curve, times how often it is used."""

    parts: tuple[tuple[Curve, int], ...]

    def __post_init__(self) -> None:
        for _, times in self.parts:
            if times < 1:
                raise PlanError("times", found=times, allowed=phrase("accounting.at_least_1"))

    def _divergence(self, order: float) -> float:
        return sum((times * curve._divergence(order) for curve, times in self.parts), start=0.0)


@dataclass(frozen=True, slots=True)
class Conversion:
    """The ε of a curve at some δ, and the order that gave it; infinity where that is the curve's pure ε."""

    epsilon: float
    order: float


def epsilon_of(curve: Curve, delta: float, max_order: float = MAX_ORDER) -> Conversion:
    """Return the smallest ε known at δ: ε = inf over 1 < α <= max_order of D_α + ln(1 − 1/α) − (ln α + ln δ) / (α − 1).

    Never above the curve's pure ε, nor below 0. Canonne, Kamath, Steinke 2020, proposition 12, which improves on
    D_α + ln(1/δ) / (α − 1) (Mironov 2017, proposition 3). Falls and then rises in α, for the logarithm of
    its δ is convex in α, so that a golden-section search finds the order; any order gives a valid ε.

    Raises PlanError unless 0 < δ < 1 and max_order > 1.
    """
    if not 0 < delta < 1:
        raise PlanError("delta", found=delta, allowed=phrase("accounting.number_between_0_1"))
    if not 1 < max_order < inf:
        raise PlanError("max_order", found=max_order, allowed=phrase("accounting.finite_number_above_1"))

    def at(place: float) -> float:
        order = 1 + exp(place)
        extra = order - 1
        return curve.divergence(order) + log(extra / order) - (log(order) + log(delta)) / extra

    place = _lowest(at, log(1e-9), log(max_order - 1))
    best = Conversion(max(0.0, at(place)), 1 + exp(place))
    pure = curve.pure_epsilon
    return best if best.epsilon <= pure else Conversion(pure, inf)


def _lowest(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the place where a function that falls and then rises is lowest: golden-section search, and both ends."""
    ends = (low, high)
    golden = (sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(STEPS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = function(right)
    return min((*ends, left, right), key=function)


def _beyond_linear(x: float) -> float:
    """Return (e^x − 1 − x) / x², positive everywhere, 1/2 at 0."""
    if abs(x) > 0.5:
        return (expm1(x) - x) / x**2
    term, total, n = 0.5, 0.5, 2
    while abs(term) > 1e-18:
        n += 1
        term *= x / n
        total += term
    return total


def _check(name: str, value: float) -> None:
    if not (isfinite(value) and value > 0):
        raise PlanError(name, found=value, allowed=phrase("accounting.finite_number_above_0"))
