"""What draws prove: lower bounds on a privacy loss that hold whatever the mechanism, but for a stated chance."""

from __future__ import annotations

from math import exp, inf, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Reals = NDArray[np.float64]

FALSE_ALARM = 2e-8
"""The chance that one bound claims too much."""
POINTS = 60
"""Of the seldom event's counts, by which power is computed."""
CLIP = 2.5
"""Log-likelihood ratios count up to this: the narrower, the less a rare draw can weigh."""


def epsilon_bound(often: Any, seldom: Any, draws: int, delta: float = 0.0, claim: float = FALSE_ALARM) -> Any:
    """ln((p − δ) / q) with p at its lower and q at its upper Clopper–Pearson bound; −∞ where p may be δ or less.

    An event of chance p under one table and q under its neighbour refutes every (ε, δ) with a smaller ε.
    """
    often, seldom = np.asarray(often), np.asarray(seldom)
    lowest = np.where(often > 0, stats.beta.ppf(claim / 2, np.maximum(often, 1), draws - often + 1), 0.0)
    highest = np.where(seldom < draws, stats.beta.ppf(1 - claim / 2, seldom + 1, np.maximum(draws - seldom, 1)), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(lowest > delta, np.log(np.maximum(lowest - delta, 0) / highest), -inf)


def rho_bound(here: Reals, there: Reals, claim: float = FALSE_ALARM) -> float:
    """At least this is the Kullback–Leibler divergence, which ρ-zCDP bounds by ρ (order 1): Donsker and Varadhan.

    KL(P‖Q) >= E_P[f] − ln E_Q[e^f] for every f; here f is a log-likelihood ratio that was fixed beforehand, clipped.
    Both means are bounded by Maurer and Pontil's empirical Bernstein inequality (2009, theorem 4). `here` and `there`
    are the values of f for draws under P and under Q.
    """
    first, second = np.clip(here, -CLIP, CLIP), np.exp(np.clip(there, -CLIP, CLIP))
    return float(
        np.mean(first)
        - _slack(first, 2 * CLIP, claim / 2)
        - log(np.mean(second) + _slack(second, exp(CLIP) - exp(-CLIP), claim / 2))
    )


def _slack(values: Reals, width: float, claim: float) -> float:
    """√(2 V ln(2/claim) / n) + 7 width ln(2/claim) / (3 (n − 1)), V the sample variance."""
    draws, surprise = len(values), log(2 / claim)
    return sqrt(2 * float(np.var(values, ddof=1)) * surprise / draws) + 7 * width * surprise / (3 * (draws - 1))


def epsilon_power(p: float, q: float, draws: int, declared: float, delta: float = 0.0) -> float:
    """The chance that an event of these chances refutes (declared, δ): over independent binomial counts."""
    # For each count of the seldom event, the least count of the other that refutes.
    grid = stats.binom.ppf((np.arange(POINTS) + 0.5) / POINTS, draws, q).astype(int)
    chances = []
    for seldom in np.unique(grid):
        highest = stats.beta.ppf(1 - FALSE_ALARM / 2, seldom + 1, draws - seldom) if seldom < draws else 1.0
        needed = highest * exp(declared) + delta
        least = _least_count(needed, draws) if needed < 1 else draws + 1
        chances.append(((grid == seldom).sum() / POINTS, stats.binom.sf(least - 1, draws, p)))
    return float(sum(weight * chance for weight, chance in chances))


def _least_count(lowest: float, draws: int) -> int:
    """The smallest count whose Clopper–Pearson lower bound is above a chance."""
    low, high = 0, draws + 1
    while low < high:
        middle = (low + high) // 2
        bound = stats.beta.ppf(FALSE_ALARM / 2, middle, draws - middle + 1) if 0 < middle <= draws else 0.0
        bound = 1.0 if middle > draws else bound
        low, high = (low, middle) if bound > lowest else (middle + 1, high)
    return low


def rho_power(here: Reals, there: Reals, draws: int, declared: float) -> float:
    """The chance that so many draws refute ρ, from a larger sample of f: the bound is nearly normal."""
    first, second = np.clip(here, -CLIP, CLIP), np.exp(np.clip(there, -CLIP, CLIP))
    surprise = log(4 / FALSE_ALARM)
    slack = [
        sqrt(2 * float(np.var(part)) * surprise / draws) + 7 * width * surprise / (3 * (draws - 1))
        for part, width in ((first, 2 * CLIP), (second, exp(CLIP) - exp(-CLIP)))
    ]
    middle = float(np.mean(first)) - slack[0] - log(float(np.mean(second)) + slack[1])
    deviation = sqrt(float(np.var(first)) / draws + float(np.var(second)) / float(np.mean(second)) ** 2 / draws)
    return float(stats.norm.sf((declared - middle) / deviation)) if deviation else float(middle > declared)


def pure_of(rho: float) -> float:
    """The pure ε whose ρ is ε²/2."""
    return sqrt(2 * rho)
