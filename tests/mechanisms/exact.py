"""Exact distributions, computed slowly from the definitions, to hold mechanisms against."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from math import exp, factorial

import numpy as np
from numpy.typing import NDArray
from scipy import stats


def laplace_pmf(scale: float, reach: int) -> NDArray[np.float64]:
    """P(k) for k = 0..reach: (1 − q) / (1 + q) · q^k, q = exp(−1/scale)."""
    return np.exp(-np.arange(reach + 1) / scale) * np.tanh(1 / (2 * scale))


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


def laplace_fit(noise: NDArray[np.int64], scale: float) -> float:
    """The p-value of a χ² test that integers are discrete Laplace of a scale, over about 40 cells of like chance."""
    reach = int(40 * scale) + 40
    half = laplace_pmf(scale, reach)
    chances = np.concatenate([half[:0:-1], half])
    cell = np.minimum((np.cumsum(chances) - chances / 2) * 40, 39).astype(int)
    observed = np.bincount(cell[np.clip(noise, -reach, reach) + reach], minlength=40)
    expected = np.bincount(cell, weights=chances, minlength=40) * len(noise)
    filled = expected > 5
    observed = np.append(observed[filled], observed[~filled].sum())
    expected = np.append(expected[filled], expected[~filled].sum())
    kept = expected > 1e-6
    return float(stats.chisquare(observed[kept], expected[kept] * observed[kept].sum() / expected[kept].sum()).pvalue)
