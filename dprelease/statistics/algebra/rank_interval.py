"""Intervals for quantiles: by noisy counts of rows between cells around a published value, or by published shares.

For an edge e between two cells, T(e) = (1 − α)·n_below − α·n_above = n_below − αn, which is below 0 where the
α-quantile lies above e, and above 0 where it lies below. From the lowest edge upwards it is said to lie above, as long
as T(e) is below 0 by more than noise reaches; from the highest downwards it is said to lie below. Each side errs only
if the first edge of which that is not true is passed: a fixed sequence of tests, which needs no correction for many.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteGaussian, Mechanism
from dprelease.model.release import Cell
from dprelease.statistics.algebra import combination

Integers = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def bins(cells: int) -> int:
    """Return the number of bins: between edges at 0, 1, 3, 7, … cells to either side, and both ends."""
    return 2 * _steps(cells) + 1


def _steps(cells: int) -> int:
    return cells.bit_length()


def edges(chosen: Integers, cells: int) -> Integers:
    """The edges around a chosen cell of each group, from 0 to all cells: (groups, bins + 1). Some may be the same."""
    away = 2 ** np.arange(_steps(cells), dtype=np.int64) - 1
    below, above = chosen[:, None] - away[::-1], chosen[:, None] + 1 + away
    ends = np.broadcast_to([[0]], (len(chosen), 1)), np.broadcast_to([[cells]], (len(chosen), 1))
    return np.asarray(np.clip(np.concatenate([ends[0], below, above, ends[1]], axis=1), 0, cells))


def counted(rows: Integers, between: Integers) -> Integers:
    """Return rows between edges, from those of each cell: (groups, cells) to (groups, bins)."""
    upto = np.concatenate([np.zeros((len(rows), 1), dtype=np.int64), np.cumsum(rows, axis=1)], axis=1)
    return np.diff(np.take_along_axis(upto, between, axis=1), axis=1)


def interval(
    noisy: FloatArray, between: Integers, alpha: float, mechanism: Mechanism, confidence: float = 0.95
) -> tuple[Integers, Integers]:
    """The edges that the α-quantile of each group lies between: the first is no more than it, the second is above it.

    `noisy`: the counts between edges, with noise of the mechanism. What is said holds for every value v of which
    n(below v) <= αn <= n(up to v). Continuous noise and half a step stand for the discrete noise.
    """
    count, cells = noisy.shape[1], between[:, -1]
    below = np.cumsum(noisy, axis=1)[:, :-1]
    told = below - alpha * noisy.sum(axis=1, keepdims=True)
    reaches = np.array([_reach(place, count - place, alpha, mechanism, confidence) for place in range(1, count)])
    inner = between[:, 1:-1]
    low, high = np.zeros_like(cells), cells.copy()
    above, beneath = (inner == 0) | (told < -reaches), (inner == cells[:, None]) | (told > reaches)
    for group in range(len(noisy)):
        passed = int(np.argmin(np.append(above[group], False)))
        low[group] = inner[group, passed - 1] if passed else 0
        left = int(np.argmin(np.append(beneath[group][::-1], False)))
        high[group] = inner[group, -left] if left else cells[group]
    return low, high


def _reach(below: int, above: int, alpha: float, mechanism: Mechanism, confidence: float) -> float:
    """Return the reach of the noise of T to one side, with half of what confidence leaves."""
    if isinstance(mechanism, DiscreteGaussian):
        sigma = mechanism.scale * ((1 - alpha) ** 2 * below + alpha**2 * above) ** 0.5
        return combination.quantile(confidence, (), sigma) + 0.5
    laplaces = ((mechanism.scale * (1 - alpha), below), (mechanism.scale * alpha, above))
    return combination.quantile(confidence, laplaces) + 0.5


def cells_between(lower: Sequence[Cell], upper: Sequence[Cell], alpha: Decimal) -> tuple[int, int]:
    """The first and the last cell that the α-quantile may be in, by intervals of the shares up to each cell's end.

    From the first cell upwards it is said to lie beyond, as long as the share is below α throughout its interval; from
    the last one downwards it is said to lie before the end of the cell before, as long as that one's share is above α.
    Each side errs only if the interval of one share that the rows alone decide upon fails: of the first that is not
    below α, or of the last that is not above. It holds for every value v of which n(below v) <= αn <= n(up to v).
    """
    last, first = len(lower) - 1, 0
    while first < last and upper[first] < alpha:  # type: ignore[operator]
        first += 1
    while last and lower[last - 1] > alpha:  # type: ignore[operator]
        last -= 1
    return first, last
