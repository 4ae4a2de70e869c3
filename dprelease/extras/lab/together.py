"""ε of k answers of one mechanism at some δ, by each theorem that is in use. Floats, for people to look at."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, log, sqrt

from dprelease.accounting import renyi
from dprelease.accounting.composition import advanced_epsilon, optimal_epsilon
from dprelease.extras.lab.pair import gaussian_epsilon

STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedEpsilon:
    """The ε of k answers at some δ; None where a theorem says nothing of the mechanism."""

    basic: float | None
    """kε."""
    first: float | None
    """Advanced composition as first published; where it is above kε, it says nothing."""
    advanced: float | None
    renyi: float
    exact: float
    """No less holds for k mechanisms of that kind."""

    def to_mapping(self) -> dict[str, float | None]:
        names = ("basic", "first", "advanced", "renyi", "exact")
        return {name: getattr(self, name) for name in names}


def of_pure(epsilon: float, copies: int, delta: float) -> ComposedEpsilon:
    """Compose any ε-private mechanisms; formulas and sources are in `accounting.composition` and `accounting.renyi`."""
    return ComposedEpsilon(
        basic=copies * epsilon,
        first=first_advanced(epsilon, copies, delta),
        advanced=advanced_epsilon(epsilon, copies, delta),
        renyi=renyi.epsilon_of(renyi.Pure(epsilon) * copies, delta).epsilon,
        exact=optimal_epsilon(epsilon, copies, delta),
    )


def of_gaussian(rho: float, copies: int, delta: float) -> ComposedEpsilon:
    """Compose Gaussian noise: k answers are one with kρ, whose exact ε is that of one with √k times the distance."""
    return ComposedEpsilon(
        basic=None,
        first=None,
        advanced=None,
        renyi=renyi.epsilon_of(renyi.Gaussian(copies * rho), delta).epsilon,
        exact=gaussian_epsilon(sqrt(2 * rho * copies), delta),
    )


def first_advanced(epsilon: float, copies: int, delta: float) -> float:
    """Return ε √(2k ln(1/δ)) + kε (e^ε − 1). Dwork, Rothblum, Vadhan 2010."""
    if delta == 0:
        return copies * epsilon
    return epsilon * sqrt(-2 * copies * log(delta)) + copies * epsilon * expm1(epsilon)


def of_rho_orders(epsilon: float, copies: int, delta: float) -> float | None:
    """Return 4ε √(2k ln(1/δ)), by Rényi divergence; None where k ε² is above ln(1/δ). Mironov 2017, corollary 2."""
    if copies * epsilon**2 > -log(delta):
        return None
    return 4 * epsilon * sqrt(-2 * copies * log(delta))


def first_conversion(curve: renyi.Curve, delta: float, last: float = 400.0) -> float:
    """Return the least D_α + ln(1/δ) / (α − 1) over orders of up to `last`. Mironov 2017, proposition 3.

    By golden section over ln(α − 1). `renyi.epsilon_of` is never above it.
    """

    def at(place: float) -> float:
        return curve.divergence(1 + exp(place)) - log(delta) * exp(-place)

    low, high, golden = -20.0, log(last - 1), (sqrt(5) - 1) / 2
    best = at(high)
    for _ in range(STEPS):
        left, right = high - golden * (high - low), low + golden * (high - low)
        best = min(best, at(left), at(right))
        low, high = (low, right) if at(left) <= at(right) else (left, high)
    return best


def group(epsilon: float, delta: float, people: int) -> tuple[float, float, float]:
    """Return what holds of a group: kε, δ (1 + e^ε + … + e^((k−1)ε)), and k e^((k−1)ε) δ, which is printed.

    Dwork, Roth 2014, theorem 2.2.
    """
    exact = delta * sum(exp(min(700.0, place * epsilon)) for place in range(people))
    return people * epsilon, min(1.0, exact), min(1.0, people * exp(min(700.0, (people - 1) * epsilon)) * delta)


def group_orders(order: float, divergence: float, doublings: int) -> tuple[float, float]:
    """Return α/2^c and 3^c ζ of 2^c people, by the rule for any mechanism. Mironov 2017, proposition 2."""
    return order / 2**doublings, 3**doublings * divergence
