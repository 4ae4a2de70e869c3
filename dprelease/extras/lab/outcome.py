"""Outcome of an attack: what guessing wins, what the attack won, and what nobody can win more than.

All attacks are measured alike: somebody names one of so many answers that are as likely as one another beforehand, and
is right or wrong. One definition of the bound holds for all, whatever else they know and however they compute.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, sqrt


@dataclass(frozen=True, slots=True)
class Outcome:
    """Three shares of right answers, from 0 to 1."""

    guessing: float
    """Success of whoever sees nothing."""
    won: float
    """Success of this attack."""
    at_most: float
    """Bound on the success of any attack; 1 where nothing is promised."""
    error: float = 0.0
    """Margin of error of a run that was drawn: five standard deviations, exceeded in one of 1,700,000 runs. 0 where
    `won` is computed exactly."""


def success_bound(epsilon: float, delta: float = 0.0, answers: int = 2) -> float:
    """Return the most that (ε, δ) allow whoever names one of so many answers: (e^ε + (m − 1)·δ) / (e^ε + m − 1).

    Each two answers have to be neighbours. Of any attack, the chance p(i|i) to name i where it is true is at most
    e^ε·p(i|j) + δ where j is; added up over all i and j ≠ i, with Σ p(i|j) = 1 for each j. Attained by randomised
    response; for two answers and δ = 0 it is e^ε / (1 + e^ε), that is (1 + tanh(ε/2)) / 2.
    """
    others = (answers - 1) * exp(-epsilon)
    return min(1.0, (1 + others * delta) / (1 + others))


def count_best(epsilon: float, candidates: int) -> float:
    """Return the most that ε allows whoever names a count among so many that follow one another.

    (2 + (m − 2)(1 − q)) / (m (1 + q)), q = e^−ε. Discrete Laplace noise attains it, and no noise allows more: of all
    that is ε-private it is the best for whoever wants to be right, whatever they know beforehand (Ghosh, Roughgarden,
    Sundararajan 2009). A linear programme over all channels has the same optimum (`tests/extras/lab/test_attacks.py`).
    """
    q = exp(-epsilon)
    return (2 + (candidates - 2) * (1 - q)) / (candidates * (1 + q)) if candidates > 1 else 1.0


def in_hundred(share: float) -> float:
    """Round a share of 100 to a tenth; above 99.9 to a thousandth: what may still be wrong must not round to all."""
    return round(100 * share, 3 if share > 0.999 else 1) + 0.0


def up_in_hundred(share: float) -> float:
    """Round a bound up, to a tenth of a hundredth, or above 99.9 to a thousandth: none is told too low, or as all."""
    up = ceil(1000 * share - 1e-9) / 1000
    return in_hundred(up if up < 1 else ceil(100_000 * share - 1e-9) / 100_000)


def drawn_error(share: float, trials: int) -> float:
    """Return five standard deviations of a share of so many independent trials, and no less than 12.5 / trials."""
    return max(5 * sqrt(share * (1 - share) / trials), 12.5 / trials)
