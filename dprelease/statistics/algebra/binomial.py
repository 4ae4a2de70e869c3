"""Interval of true answers that a perturbed count does not reject: exact, from two binomial laws."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
FAR = 12
"""Standard deviations, and as many counts more: what lies beyond is below 10^-30."""


def shares_that_fit(
    counts: NDArray[np.int64], rows: int, p: float, q: float, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return for each answer the lowest and highest true share among all rows; from 0 to 1 where there is no row.

    Of t of n `rows` with an answer, each tells it with p; of the other n − t each tells it, too, with q < p. So the
    count is Bin(t, p) + Bin(n − t, q), which grows with t. Kept is each t from which neither so few nor so many are
    less likely than half of 1 − confidence (Clopper and Pearson 1934).
    """
    miss = (1 - confidence) / 2
    if rows == 0:
        return np.zeros(len(counts)), np.ones(len(counts))
    ends = np.empty((2, len(counts)))
    for place, count in enumerate(counts.tolist()):

        def few(t: int, count: int = count) -> bool:
            """Return True if so few, or fewer, are unlikely."""
            return _at_most(count, t, p, rows - t, q) <= miss

        def many(t: int, count: int = count) -> bool:
            """Return True if so many, or more, are likely."""
            return 1 - _at_most(count - 1, t, p, rows - t, q) > miss

        ends[:, place] = _first(many, rows), _first(few, rows + 1) - 1
    ends = np.clip(ends, 0, rows) / rows
    return ends[0], ends[1]


def _first(holds: Callable[[int], bool], end: int) -> int:
    """Return the first whole number from 0 from which on something holds; `end` where it does not before."""
    low, high = -1, end
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _at_most(count: int, first: int, p: float, second: int, q: float) -> float:
    """Return P(Bin(first, p) + Bin(second, q) <= count)."""
    if count < 0:
        return 0.0
    start, one = _law(first, p)
    start_two, two = _law(second, q)
    below = np.concatenate([[0.0], np.minimum(np.cumsum(two), 1.0)])
    left = count - start - np.arange(len(one)) - start_two
    return float((one * below[np.clip(left + 1, 0, len(two))]).sum())


def _law(trials: int, p: float) -> tuple[int, FloatArray]:
    """Return the first count that matters, and the probabilities from there on, each by its ratio to the one before."""
    mean, reach = trials * p, FAR * (sqrt(trials * p * (1 - p)) + 1)
    low, high = max(0, floor(mean - reach)), min(trials, ceil(mean + reach))
    before = np.arange(low, high, dtype=np.float64)
    ratios = (trials - before) / (before + 1) * (p / (1 - p)) if p < 1 else np.full(len(before), np.inf)
    with np.errstate(divide="ignore"):
        logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    weights = np.exp(logs - logs.max()) if p < 1 else np.eye(1, len(logs), len(logs) - 1)[0]
    return low, weights / weights.sum()
