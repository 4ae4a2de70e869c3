"""Shares of rows up to each of some bins, of noisy counts at one level or several, and the quantiles they tell."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import Mechanism
from dprelease.model.release import Cell
from dprelease.statistics.algebra.consistency import isotonic
from dprelease.statistics.algebra.reach import FORESEEN, cumulative_interval, fit

FloatArray = NDArray[np.float64]


def cumulated(
    drawn: Sequence[NDArray[Any]], mechanisms: Sequence[Mechanism], confidence: float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return increasing shares, their intervals, and the shares as they came out.

    Counts are fitted to all levels, cumulated, divided by their total and made increasing by least squares (isotonic).
    """
    fitted = fit(mechanisms, len(drawn[0]))
    counts = fitted.bins([noisy.astype(np.float64) for noisy in drawn])
    below = np.cumsum(counts)
    whole = below[-1]
    raw = below / whole if whole > 0 else np.arange(1, len(counts) + 1) / len(counts)
    lower, upper = cumulative_interval(counts, fitted, mechanisms[0], confidence)
    value = increasing(raw)
    return value, np.minimum(lower, value), np.maximum(upper, value), raw


def increasing(raw: FloatArray) -> FloatArray:
    """Return the nearest increasing shares, within 0 and 1, of which the last is 1."""
    value = np.clip(isotonic(raw), 0, 1)
    value[-1] = 1.0
    return value


@lru_cache(maxsize=4096)
def even_half_widths(cells: int, rows: float, mechanisms: tuple[Mechanism, ...], confidence: float) -> FloatArray:
    """Return the margin of error of each share, for rows spread evenly over so many bins."""
    even = np.full(cells, rows / cells)
    lower, upper = cumulative_interval(even, fit(mechanisms, cells), mechanisms[0], confidence, halvings=FORESEEN)
    return np.asarray((upper - lower) / 2)


def quantile(shares: Sequence[Cell], alpha: Decimal, firsts: Sequence[int]) -> int:
    """The code at which increasing shares reach α: in the first bin whose share is no less, as far as α is from the
    share before it, for values that are even within the bin. Exactly, of these shares.

    `firsts`: the first code of each bin, and the one after the last.
    """
    place = bisect_left(shares, alpha)  # type: ignore[type-var]
    before = Fraction(shares[place - 1]) if place else Fraction(0)  # type: ignore[arg-type]
    step = Fraction(shares[place]) - before  # type: ignore[arg-type]
    first, width = firsts[place], firsts[place + 1] - firsts[place]
    return first + min(width - 1, int((Fraction(alpha) - before) / step * width))
