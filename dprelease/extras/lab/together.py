"""ε of k answers of one mechanism at some δ, by each theorem that is in use. Floats, for people to look at."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log, sqrt

from dprelease.accounting import renyi
from dprelease.accounting.composition import advanced_epsilon, optimal_epsilon
from dprelease.extras.lab.pair import gaussian_epsilon


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
