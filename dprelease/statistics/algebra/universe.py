"""A distribution over every combination of cells, moved towards noisy tables by multiplicative weights.

Weights are whole numbers in floats, below 2^53 in all: they add up exactly in any order, and what else is computed of
them is done element by element. So each machine comes to the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.statistics.algebra.raking import projected
from dprelease.statistics.algebra.residual import FloatArray, Places

WHOLE = 2.0**50
"""Sum of the weights, but for rounding."""
DAMPED = 1.0
"""Standard deviations of a cell that are added to what it is and to what it is to be."""
LEAST = 1e-6
"""Part of all rows that is added to the damping: so that no weight is 0."""


@dataclass(frozen=True, slots=True)
class TargetTable:
    """A noisy table: numbers that are not negative and add up to the rows, and the standard deviation of a cell."""

    numbers: FloatArray
    deviation: float


def wanted(noisy: NDArray[Any], deviation: float, total: float) -> TargetTable:
    """Return the nearest numbers that a table of so many rows may have."""
    return TargetTable(projected(noisy.astype(np.float64), total), deviation)


@dataclass(frozen=True)
class Universe:
    """Weights of all combinations of cells."""

    cells: tuple[int, ...]
    weights: FloatArray
    """An axis for each column."""

    @classmethod
    def even(cls, cells: Sequence[int]) -> Universe:
        """Return a universe in which all combinations are as likely."""
        each = float(np.rint(WHOLE / prod(cells)))
        return cls(tuple(cells), np.full(tuple(cells), each))

    def table(self, places: Places) -> FloatArray:
        """Return the weights by some columns."""
        others = tuple(place for place in range(len(self.cells)) if place not in places)
        return np.asarray(self.weights.sum(axis=others))

    def towards(self, tables: Mapping[Places, TargetTable], total: float, sweeps: int) -> Universe:
        """Return what comes of so many passes over noisy tables of so many rows.

        Each multiplies the weights of a cell by (y + c)/(q + c): y its noisy count, q what it has, c standard
        deviations of the noise. That is exp((y − q)/(q + c)) to the first order: multiplicative weights, with steps
        relative to the cell.
        """
        weights = self.weights.copy()
        for _ in range(sweeps):
            for places, own in tables.items():
                others = tuple(place for place in range(len(self.cells)) if place not in places)
                now = weights.sum(axis=others)
                share = now * (total / WHOLE)
                damped = DAMPED * own.deviation + LEAST * total
                factor = (own.numbers + damped) / (share + damped)
                factor = factor * (WHOLE / float(np.add.accumulate((now * factor).ravel())[-1]))
                weights *= np.expand_dims(factor, others)
                np.rint(weights, out=weights)
                np.maximum(weights, 1.0, out=weights)
        return Universe(self.cells, weights)
