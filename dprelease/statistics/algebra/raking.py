"""Candidates for rows, weighted so that their tables come near to many noisy ones: iterative proportional fitting.

Everything is elementwise or added up one after the other, so that each machine comes to the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from dprelease.statistics.algebra.residual import FloatArray, Places

Codes = NDArray[np.int64]
"""A row a column, a column a candidate: in which cell of the column it is."""

SWEEPS = 5
"""Over all tables; more of them fit the noise."""
DAMPED = 2.0
"""Standard deviations of a cell that are added to what it is and to what it is to be, for each column but the first."""
LEAST = 1e-6
"""Part of all rows that is added to the damping: so that no weight is 0."""


def projected(numbers: FloatArray, total: float) -> FloatArray:
    """Return the nearest numbers that are not negative and add up to the total, in least squares."""
    ordered = np.sort(numbers.ravel())[::-1]
    over = (np.add.accumulate(ordered) - total) / np.arange(1.0, len(ordered) + 1)
    last = int(np.flatnonzero(ordered > over)[-1]) if (ordered > over).any() else 0
    return np.asarray(np.maximum(numbers - over[last], 0.0))


def places_in(codes: Codes, cells: Sequence[int], table: Places) -> Codes:
    """Return the cell of a table that each candidate is in."""
    found = np.zeros(codes.shape[1], dtype=np.int64)
    for place in table:
        found = found * cells[place] + codes[place]
    return found


def counted(codes: Codes, cells: Sequence[int], table: Places, weights: FloatArray | None = None) -> FloatArray:
    """Return the table of candidates."""
    shape = [cells[place] for place in table]
    counts = np.bincount(places_in(codes, cells, table), weights, prod(shape))
    return np.asarray(counts.astype(np.float64).reshape(shape))


def raked(
    codes: Codes,
    cells: Sequence[int],
    wanted: Mapping[Places, FloatArray],
    deviations: Mapping[Places, float],
    total: float,
) -> FloatArray:
    """Return weights of candidates that add up to the total. `wanted`: projected tables; `deviations`: of their cells.

    Each table in turn multiplies the weights of a cell by (wanted + c) / (is + c), the largest tables first. c is many
    standard deviations where a table has many columns, so that a cell of noise moves nothing.
    """
    count = codes.shape[1]
    weights = np.full(count, total / count)
    for _ in range(SWEEPS):
        first: tuple[Places, Codes] | None = None
        for table in sorted(wanted, key=lambda places: (-len(places), places)):
            if first is None or first[0] != table[:-1]:  # tables next to one another mostly begin alike
                first = table[:-1], places_in(codes, cells, table[:-1])
            among = first[1] * cells[table[-1]] + codes[table[-1]] if table else first[1]
            target = wanted[table].ravel()
            present = np.bincount(among, weights, len(target))
            damped = DAMPED * (len(table) - 1) * deviations[table] + LEAST * total
            weights = weights * ((target + damped) / (present + damped))[among]
        weights = weights * (total / float(np.add.accumulate(weights)[-1]))
    return weights
