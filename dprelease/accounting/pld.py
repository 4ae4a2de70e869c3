"""Joint loss of the statistics of one release, by privacy loss distributions: less than the sum of their ε.

A figure to be shown, beside what is charged, for one release whose statistics were all chosen beforehand. It never
admits a charge, and such figures are never summed across releases: their δ would have to be, and later plans depend on
earlier results.

Each term is replaced by a pair of distributions on a grid of losses that is at least as bad (Doroshenko, Ghazi, Kamath,
Kumar, Manurangsi 2022, "connect the dots"); Google's dp-accounting convolves them (Koskela, Jälkö, Honkela 2020).
Pairs that are at least as bad for every ε, negative ones too, stay so when composed (Zhu, Dong, Wang 2022).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, exp, inf, isfinite, log
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprelease.accounting import renyi
from dprelease.errors import PlanError, need
from dprelease.words import phrase

if TYPE_CHECKING:
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

Losses: TypeAlias = NDArray[np.float64]

MIN_DELTA = 1e-12
"""Minimum δ: below it the convolution's rounding is most of the result."""
ROUNDING = (1e-13, 3e-16)
"""Parts kept from δ for the convolution's rounding, altogether and for each term; found to be at most a fifth of it."""
CUT = 1e-17
"""The δ that is left where the losses of Gaussian noise are cut off (and counted as infinite)."""
CELLS = (2**15, 2**17)
"""Minimum and maximum number of grid cells, from 0 to the sum of the largest losses; within, the smallest ε gets eight.
"""
FEW = 1000
"""Maximum number of masses that the library convolves one by one."""
MIN_STEP = 1e-7
"""Minimum step of the grid: a gain of less is not worth the rounding it would take."""


@dataclass(frozen=True, slots=True)
class PureTerm:
    """Any ε-DP mechanism: vectors of Laplace noise, selections, a count. At most a randomized response with this ε."""

    epsilon: float

    def __post_init__(self) -> None:
        _check("epsilon", self.epsilon)

    @property
    def curve(self) -> renyi.Curve:
        return renyi.Pure(self.epsilon)


@dataclass(frozen=True, slots=True)
class LaplaceTerm:
    """Discrete Laplace noise on one integer, ε = sensitivity / scale.

    With a sensitivity of one step it loses as much as any ε-DP mechanism; with many, what continuous noise loses.
    Continuous noise's figure is no bound for the discrete one's. A vector of several cells is a `PureTerm`.
    """

    epsilon: float
    sensitivity: int
    """Sensitivity in lattice steps, at least 1."""

    def __post_init__(self) -> None:
        _check("epsilon", self.epsilon)
        if self.sensitivity < 1:
            raise PlanError("sensitivity", found=self.sensitivity, allowed=phrase("accounting.at_least_1"))

    @property
    def curve(self) -> renyi.Curve:
        return renyi.Pure(self.epsilon)


@dataclass(frozen=True, slots=True)
class GaussianTerm:
    """Gaussian noise, continuous or discrete, on one number or a vector, or whatever else is ρ-zCDP.

    ρ = (L2 sensitivity)² / (2σ²), a noise multiplier of 1/√(2ρ). Known of discrete noise, and used here, is that it is
    ρ-zCDP, and so (ε, δ)-DP by the formula of `zcdp.epsilon_of` at every ε (Canonne, Kamath, Steinke 2020). Not
    known, and for few lattice steps not true, is that it loses no more than the continuous noise of the same ρ, whose
    exact ε is smaller by some percent; that figure is not given.
    """

    rho: float

    def __post_init__(self) -> None:
        _check("rho", self.rho)

    @property
    def curve(self) -> renyi.Curve:
        return renyi.Gaussian(self.rho)


Term: TypeAlias = PureTerm | LaplaceTerm | GaussianTerm


def composed_epsilon(terms: Iterable[Term], delta: float) -> float:
    """Return an ε at δ for all the terms together: the least of what three valid ways give.

    The sum of the pure ε, plus that of all ρ together at δ; Rényi composition (`renyi.epsilon_of`); and the
    convolution of the terms' losses, with all ρ as one. Never above the first, so never above the sum of pure ε.

    Raises PlanError unless 10^-12 <= δ < 1 and there is a term.
    """
    if not MIN_DELTA <= delta < 1:
        raise PlanError(
            "delta",
            found=delta,
            allowed=phrase("accounting.number_from_below_1", min_delta=MIN_DELTA),
            remedy=phrase("accounting.without_sum_what_holds"),
        )
    counted = Counter(terms)
    if not counted:
        raise PlanError("terms", found=phrase("accounting.no_terms"), allowed=phrase("accounting.at_least_one"))
    rho = sum(term.rho * times for term, times in counted.items() if isinstance(term, GaussianTerm))
    pure = {term: times for term, times in counted.items() if not isinstance(term, GaussianTerm)}
    basic = sum(term.epsilon * times for term, times in pure.items())
    if rho:
        basic += renyi.epsilon_of(renyi.Gaussian(rho), delta).epsilon
    curve = renyi.Composed(tuple((term.curve, times) for term, times in counted.items()))
    return min(basic, renyi.epsilon_of(curve, delta).epsilon, _convolved_epsilon(pure, rho, delta))


def _convolved_epsilon(pure: dict[PureTerm | LaplaceTerm, int], rho: float, delta: float) -> float:
    widest = renyi.epsilon_of(renyi.Gaussian(rho), CUT).epsilon if rho else 0.0
    reach = sum((term.epsilon * times for term, times in pure.items()), start=widest)
    smallest = min((term.epsilon for term in pure), default=inf)
    step = max(MIN_STEP, reach / CELLS[1], min(reach / CELLS[0], smallest / 8))
    parts = [
        (term.epsilon * times, _distribution(pure_losses(term, step), step, times)) for term, times in pure.items()
    ]
    if rho:
        parts.append((widest, _distribution(gaussian_losses(rho, widest, step), step, 1)))
    # The narrowest two first, so that few convolutions are long.
    while len(parts) > 1:
        parts.sort(key=lambda part: part[0], reverse=True)
        (width, one), (other_width, other) = parts.pop(), parts.pop()
        parts.append((width + other_width, one.compose(other, tail_mass_truncation=0)))
    left = delta - ROUNDING[0] - ROUNDING[1] * sum(pure.values())
    # Beyond a loss of 700 the library divides by e^−loss, which is 0, and rightly finds no finite ε.
    with np.errstate(over="ignore"):
        return float(parts[0][1].get_epsilon_for_delta(left)) if left > 0 else inf


def _distribution(masses: Losses, step: float, times: int) -> PrivacyLossDistribution:
    """Return the library's value for so many uses of a pair of distributions, given by its masses at 0, 1, 2, … steps.

    What they and their mirror lack of 1 is at infinity.
    """
    need("figures", "dp_accounting")
    from dp_accounting.pld.pld_pmf import DensePLDPmf, SparsePLDPmf
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    mirrored = reflected(masses, step)
    infinite = max(0.0, 1 - masses[1:].sum() - mirrored.sum())
    both = np.concatenate([mirrored[:0:-1], masses])
    lowest, (places,) = 1 - len(masses), np.nonzero(both)
    if len(places) > FEW:
        one = PrivacyLossDistribution(DensePLDPmf(step, lowest, both, infinite, True))
    else:
        by_loss = {int(place) + lowest: float(both[place]) for place in places}
        one = PrivacyLossDistribution(SparsePLDPmf(by_loss, step, infinite, True))
    return one.self_compose(times, tail_mass_truncation=0) if times > 1 else one


def reflected(masses: Losses, step: float) -> Losses:
    """Return the masses at 0, −1, −2, … steps of a pair that is the same both ways: e^−x times that at a loss of x."""
    mirrored: Losses = masses * np.exp(-step * np.arange(len(masses)))
    return mirrored


def pure_losses(term: PureTerm | LaplaceTerm, step: float) -> Losses:
    """Return masses at losses of 0, 1, 2, … steps, of a pair that is at least as bad as the term's own.

    Discrete Laplace noise Y, shifted by Δ: at k <= 0 the loss is ε, at 0 < k < Δ it is (Δ − 2k) ε/Δ, at k >= Δ it
    is −ε, with P(k) = (1 − q)/(1 + q) q^|k|, q = e^(−ε/Δ), and Q(k) = P(Δ − k). With Δ = 1 that is a
    randomized response. What P and Q have between two points of the grid goes to the two so that both sums stay.
    """
    steps = term.sensitivity if isinstance(term, LaplaceTerm) else 1
    rate = term.epsilon / steps
    losses = step * np.arange(ceil(term.epsilon / step) + 1)
    # The first k with a loss of at most each grid point; the loss of ε, at all k <= 0, is apart.
    first = np.maximum(1, np.ceil((steps - losses / rate) / 2))
    own = np.diff(np.exp(-rate * first))
    own[-1] += 1
    # Q's, times e^loss at the cell's lower end, which is at most P's: no overflow however large ε is.
    lower_ends, mirror = losses[:-1], rate * (steps + 1 - first)
    other = np.exp(lower_ends - mirror[:-1]) - np.exp(lower_ends - mirror[1:])
    other[-1] += exp(lower_ends[-1] - term.epsilon)
    to_upper_end = np.clip((own - other) / -np.expm1(-step), 0, own)
    masses = np.append(own - to_upper_end, 0.0)
    masses[1:] += to_upper_end
    return _centred(masses / (1 + exp(-rate)), step, 0.0)


def gaussian_losses(rho: float, widest: float, step: float) -> Losses:
    """Return losses as `pure_losses`, for whatever is ρ-zCDP: of the pair with that δ(ε) on the grid, up to `widest`.

    δ(ε) = min over α of e^((α−1)(αρ−ε)) (α−1)^(α−1) / α^α, at the root of ρ(2α − 1) + ln(1 − 1/α) = ε. It is
    convex in e^ε for ε >= 0, and the δ of negative ε follows, for the pair is the same both ways.
    """
    losses = step * np.arange(ceil(widest / step) + 1)
    lowest, highest = -rho - 5, log((widest + 5) / rho + 10)
    places = np.union1d(np.linspace(lowest, highest, 2**10), np.linspace(max(lowest, -40), highest, 2**14))

    def root_at(log_extra: Losses) -> Losses:
        return rho * (2 * np.exp(log_extra) + 1) - np.logaddexp(0, -log_extra)

    log_extra = np.interp(losses, root_at(places), places)
    for _ in range(4):
        extra = np.exp(log_extra)
        log_extra -= (root_at(log_extra) - losses) / (2 * rho * extra + 1 / (1 + extra))
    extra = np.exp(log_extra)
    deltas = np.exp(extra * ((1 + extra) * rho - losses) - extra * np.logaddexp(0, -log_extra) - np.log1p(extra))
    falls = -np.diff(deltas)
    masses = np.zeros_like(losses)
    masses[1:] = falls / -np.expm1(-step)
    masses[1:-1] -= falls[1:] / np.expm1(step)
    return _centred(np.maximum(0, masses), step, float(deltas[-1]))


def _centred(masses: Losses, step: float, infinite: float) -> Losses:
    """Return the masses with what they and their mirror lack of 1 − infinite put at 0.

    Where they are more than that already, the bound that they stand for has a kink at 0, which no pair of
    distributions has. Then those nearest 0 are left out, and the lack goes to the next: a line over the kink.
    """
    both = masses + reflected(masses, step)
    beyond = np.append(np.cumsum(both[:0:-1])[::-1], 0.0)
    nearest = int(np.argmax(beyond <= 1 - infinite))
    result = np.where(np.arange(len(masses)) < nearest, 0.0, masses)
    lack = 1 - infinite - beyond[nearest]
    result[nearest] = lack / (1 + exp(-step * nearest)) if nearest else lack
    return result


def _check(name: str, value: float) -> None:
    if not (isfinite(value) and value > 0):
        raise PlanError(name, found=value, allowed=phrase("accounting.finite_number_above_0"))
