"""What k answers of one mechanism come to at some δ, by each theorem that is in use. Floats, for people to look at."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf, log, sqrt

from dprelease.accounting import renyi
from dprelease.accounting.composition import advanced_epsilon, optimal_epsilon
from dprelease.lab.pair import gaussian_epsilon

STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """The ε of k answers at some δ; None where a theorem says nothing of the mechanism."""

    basic: float | None
    """kε."""
    first: float | None
    """As first published; where it is above kε, it says nothing."""
    advanced: float | None
    renyi: float
    exact: float
    """No less holds for k mechanisms of that kind."""

    def to_mapping(self) -> dict[str, float | None]:
        names = ("basic", "first", "advanced", "renyi", "exact")
        return {name: getattr(self, name) for name in names}


def of_pure(epsilon: float, copies: int, delta: float) -> Together:
    """Of any ε-private mechanisms; see `accounting.composition` and `accounting.renyi` for formulas and sources."""
    return Together(
        basic=copies * epsilon,
        first=first_advanced(epsilon, copies, delta),
        advanced=advanced_epsilon(epsilon, copies, delta),
        renyi=renyi.epsilon_of(renyi.Pure(epsilon) * copies, delta).epsilon,
        exact=optimal_epsilon(epsilon, copies, delta),
    )


def of_gaussian(rho: float, copies: int, delta: float) -> Together:
    """Of Gaussian noise: k answers are one with kρ, whose exact ε is that of one with √k times the distance."""
    return Together(
        basic=None,
        first=None,
        advanced=None,
        renyi=renyi.epsilon_of(renyi.Gaussian(copies * rho), delta).epsilon,
        exact=gaussian_epsilon(sqrt(2 * rho * copies), delta),
    )


def first_advanced(epsilon: float, copies: int, delta: float) -> float:
    """ε √(2k ln(1/δ)) + kε (e^ε − 1). Dwork, Rothblum, Vadhan 2010."""
    if delta == 0:
        return copies * epsilon
    return epsilon * sqrt(-2 * copies * log(delta)) + copies * epsilon * expm1(epsilon)


def first_conversion(curve: renyi.Curve, delta: float, max_order: float = 1e6) -> float:
    """inf over orders of D_α + ln(1/δ) / (α − 1), by golden-section search. Mironov 2017, proposition 3.

    `renyi.epsilon_of` is never above it.
    """

    def at(place: float) -> float:
        return curve.divergence(1 + exp(place)) - log(delta) * exp(-place)

    low, high, golden = -20.0, log(max_order - 1), (sqrt(5) - 1) / 2
    best = inf
    for _ in range(STEPS):
        left, right = high - golden * (high - low), low + golden * (high - low)
        best = min(best, at(left), at(right))
        low, high = (low, right) if at(left) <= at(right) else (left, high)
    return min(best, at(log(max_order - 1)))


def group(epsilon: float, delta: float, people: int) -> tuple[float, float]:
    """k people: kε, and δ (1 + e^ε + … + e^((k−1)ε)), at most 1. Dwork, Roth 2014, theorem 2.2."""
    return people * epsilon, min(1.0, delta * sum(exp(min(700.0, place * epsilon)) for place in range(people)))
