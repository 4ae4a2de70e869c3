"""Outcome of an attack: what guessing wins, what the attack won, and what nobody can win more than.

All attacks are measured alike: somebody names one of so many answers that are as likely as one another beforehand, and
is right or wrong. One definition of the bound holds for all, whatever else they know and however they compute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, sqrt


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


def group_bound(epsilon: float, distances: Sequence[Sequence[int]]) -> float:
    """Bound success where answers i and j are so many neighbours apart: 1 / minᵢ Σⱼ e^(−ε·distance), for δ = 0.

    By group privacy p(i|j) ≥ e^(−ε·distance)·p(i|i); added up over all i and j, with Σ p(i|j) = 1 for each j.
    """
    return min(1.0, 1 / min(sum(exp(-epsilon * distance) for distance in row) for row in distances))


def count_bound(epsilon: float, candidates: int) -> float:
    """Bound the success of whoever names a count among so many that follow one another."""
    return group_bound(epsilon, [[abs(one - other) for other in range(candidates)] for one in range(candidates)])


def in_hundred(share: float) -> float:
    """Round a share of 100 to a tenth; above 99.9 to a thousandth: what may still be wrong must not round to all."""
    return round(100 * share, 3 if share > 0.999 else 1) + 0.0


def drawn_error(share: float, trials: int) -> float:
    """Return five standard deviations of a share of so many independent trials, and no less than 12.5 / trials."""
    return max(5 * sqrt(share * (1 - share) / trials), 12.5 / trials)
