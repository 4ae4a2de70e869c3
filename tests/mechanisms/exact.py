"""Exact distributions, computed slowly from the definitions, to hold mechanisms against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from math import exp, factorial

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Reals = NDArray[np.float64]
ALARM = 1e-8
"""A p-value that honest draws have less often than that. Some 60 are looked at in `make test`: 6e-7 in all."""
REFUSED = 1e-4
"""A p-value below which draws are not of a law: where it moves χ² by 150 over 20 cells, all but one in 10^9 are."""


def laplace_pmf(scale: float, reach: int) -> Reals:
    """P(k) for k = 0..reach: (1 − q) / (1 + q) · q^k, q = exp(−1/scale)."""
    return np.exp(-np.arange(reach + 1) / scale) * np.tanh(1 / (2 * scale))


def laplace_tail(scale: float, least: NDArray[np.int64]) -> Reals:
    """P(k >= least): q^least / (1 + q) for least > 0, else 1 − q^(1 − least) / (1 + q)."""
    q = exp(-1 / scale)
    return np.where(least > 0, q ** np.maximum(least, 0), 1 + q - q ** (1 - np.minimum(least, 0))) / (1 + q)


def gaussian_pmf(scale: float, reach: int) -> Reals:
    """P(k) for k = 0..reach: exp(−k² / 2σ²) over the sum of all of them."""
    weights = np.exp(-((np.arange(reach + 1) / scale) ** 2) / 2)
    return weights / (2 * weights[::-1].sum() - 1)


def exponential(scores: Sequence[int], scale: float) -> list[float]:
    """Each candidate's chance: proportional to exp(score / scale)."""
    weights = [exp((score - max(scores)) / scale) for score in scores]
    return [weight / sum(weights) for weight in weights]


def permute_and_flip(scores: Sequence[int], scale: float) -> list[float]:
    """Each candidate's chance, by running the algorithm on every order of the candidates.

    Candidates are visited in a uniform order; each is taken with probability exp((score − best) / scale).
    """
    best = max(scores)
    heads = [exp((score - best) / scale) for score in scores]
    chances = [0.0] * len(scores)
    for order in permutations(range(len(scores))):
        reached = 1 / factorial(len(scores))
        for candidate in order:
            chances[candidate] += reached * heads[candidate]
            reached *= 1 - heads[candidate]
    return chances


def peeled(
    scores: Sequence[int], k: int, scale: float, one: Callable[[Sequence[int], float], list[float]]
) -> dict[tuple[int, ...], float]:
    """The chance of each ordered choice of k candidates, where each is chosen by `one` among those that are left."""
    chances = {(): 1.0}
    for _ in range(k):
        longer = {}
        for chosen, chance in chances.items():
            left = [place for place in range(len(scores)) if place not in chosen]
            for place, next_chance in zip(left, one([scores[place] for place in left], scale), strict=True):
                longer[*chosen, place] = chance * next_chance
        chances = longer
    return chances


def sparse_vector(
    values: Sequence[int], threshold: int, answers: int, threshold_scale: float, scale: float
) -> dict[tuple[int, ...], float]:
    """The chance of each list of statuses (1 above, 0 below, −1 not reached), summed over the threshold's noise."""
    reach = int(45 * threshold_scale) + 5
    half = laplace_pmf(threshold_scale, reach)
    noise, chance = np.arange(-reach, reach + 1), np.concatenate([half[:0:-1], half])
    outcomes: dict[tuple[int, ...], Reals] = {(): chance}
    for value in values:
        above = laplace_tail(scale, threshold + noise - value)
        longer = {}
        for told, parts in outcomes.items():
            if told.count(1) == answers:
                longer[*told, -1] = parts
            else:
                longer[*told, 1] = parts * above
                longer[*told, 0] = parts * (1 - above)
        outcomes = longer
    return {told: float(parts.sum()) for told, parts in outcomes.items()}


def fit(observed: Sequence[int] | NDArray[np.int64], chances: Sequence[float] | Reals) -> float:
    """The p-value of a χ² test of counts; what is expected fewer than five times is put together."""
    counts, expected = np.asarray(observed), np.asarray(chances, dtype=np.float64) * np.sum(observed)
    filled = expected > 5
    counts = np.append(counts[filled], counts[~filled].sum())
    expected = np.append(expected[filled], expected[~filled].sum())
    kept = (expected > 1e-6) | (counts > 0)
    return float(stats.chisquare(counts[kept], expected[kept] * counts[kept].sum() / expected[kept].sum()).pvalue)


def noncentrality(true: Sequence[float], claimed: Sequence[float], draws: int) -> float:
    """How far the χ² statistic is moved on average where draws of one distribution are held against another."""
    one, other = np.array(true), np.array(claimed)
    return draws * float(((one - other) ** 2 / other).sum())


def laplace_fit(noise: NDArray[np.int64], scale: float) -> float:
    """The p-value of a χ² test that integers are discrete Laplace of a scale, over about 40 cells of like chance."""
    return symmetric_fit(noise, laplace_pmf(scale, int(40 * scale) + 40))


def gaussian_fit(noise: NDArray[np.int64], scale: float) -> float:
    """The p-value of a χ² test that integers are discrete Gaussian of a σ, over about 40 cells of like chance."""
    return symmetric_fit(noise, gaussian_pmf(scale, int(12 * scale) + 12))


def symmetric_fit(noise: NDArray[np.int64], half: Reals) -> float:
    """The p-value of a χ² test of integers, over about 40 cells of like chance; `half` is P(0), P(1) and on."""
    reach = len(half) - 1
    chances = np.concatenate([half[:0:-1], half])
    cell = np.minimum((np.cumsum(chances) - chances / 2) * 40, 39).astype(int)
    observed = np.bincount(cell[np.clip(noise, -reach, reach) + reach], minlength=40)
    return fit(observed, np.bincount(cell, weights=chances, minlength=40))
