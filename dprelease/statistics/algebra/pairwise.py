"""A public sample of rows that agrees with noisy tables of pairs of columns: how they go together, as far as known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprelease.statistics.algebra.agreed import Agreed, Noised
from dprelease.statistics.algebra.elementary import Floats, added, log

Pair = tuple[int, int]
"""The places of two columns, the lower first."""
Codes = NDArray[np.int64]
POINTS = 20_000
SMALL = 1e-200
"""Of what is divided by, at least: a quotient of counts stays within floats."""
RAKED, SWEPT = 20, 10
LEAST, MOST, HEAVIEST = 0.2, 5.0, 30.0
"""Of a factor by which a sweep changes a weight, and of a weight."""


def joint(found: Agreed, pairs: Mapping[Pair, Noised]) -> dict[Pair, Floats]:
    """Tables of pairs with the margins of the tables by class, none negative."""
    margins = [added(table) for table in found.tables]
    return {pair: _joint(found.rows, margins[pair[0]], margins[pair[1]], own) for pair, own in pairs.items()}


def _joint(rows: float, one: Floats, other: Floats, noised: Noised) -> Floats:
    """What a pair table has beyond independence is shrunk as James and Stein do, by how much of it is noise."""
    apart = one[:, None] * other[None, :] / rows
    beyond = noised.counts - apart
    k, n = beyond.shape
    centred = (
        beyond - (added(beyond) / n)[:, None] - (added(beyond, 0) / k)[None, :] + float(added(beyond.ravel())) / (k * n)
    )
    squares = float(added((centred * centred).ravel()))
    kept = max(0.0, 1.0 - (k - 1) * (n - 1) * noised.variance / squares) if squares > 0 else 0.0
    table: Floats = np.maximum(apart + kept * centred, 1e-9 * rows / (k * n))
    for _ in range(RAKED):
        table = table * _over(one, added(table))[:, None]
        table = table * _over(other, added(table, 0))[None, :]
    return table


def _over(wanted: Floats, had: Floats) -> Floats:
    found: Floats = wanted / np.maximum(had, SMALL)
    return found


def information(table: Floats) -> float:
    """Σ t·ln(t·n/(row·column)): how much one column tells of the other, in rows."""
    rows, columns, whole = added(table), added(table, 0), float(added(table.ravel()))
    apart = np.maximum(rows[:, None] * columns[None, :] / max(whole, SMALL), SMALL)
    return float(added((table * log(np.maximum(table, SMALL) / apart)).ravel()))


def tree(columns: int, tables: Mapping[Pair, Floats]) -> list[tuple[int, int | None]]:
    """The columns in an order in which each follows from one before it (or from none): the tree of most information."""
    told = {pair: information(table) for pair, table in tables.items()}
    found: list[tuple[int, int | None]] = [(0, None)]
    left = list(range(1, columns))
    while left:
        links = [(told.get((min(i, j), max(i, j)), 0.0), -j, -i) for j in left for i, _ in found]
        best, j, i = max(links)
        found.append((-j, -i if best > 0 else None))
        left.remove(-j)
    return found


def sequence(axes: int, points: int = POINTS) -> Floats:
    """Points spread evenly over a cube of so many axes, one a row: the fractions of (i + ½)·φ^−j.

    φ^(axes + 1) = φ + 1 (Roberts 2018).
    """
    root = 2.0
    for _ in range(60):
        power = 1.0
        for _ in range(axes):
            power *= root
        root -= (power * root - root - 1.0) / ((axes + 1) * power - 1.0)
    steps, numbers, step = [], np.arange(points) + 0.5, 1.0
    for _ in range(axes):
        step /= root
        spread = numbers * step
        steps.append(spread - np.floor(spread))
    return np.stack(steps, axis=1)


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct combinations of bins, one a row, and how many rows each stands for."""

    codes: Codes
    weights: Floats


def sample(found: Agreed, tables: Mapping[Pair, Floats], points: int = POINTS) -> Sample:
    """A public sample with the distribution of the tree, and then with weights by which it has all pair tables."""
    margins = [added(table) for table in found.tables]
    even = sequence(len(margins), points)
    codes = np.zeros((points, len(margins)), dtype=np.int64)
    for place, (column, parent) in enumerate(tree(len(margins), tables)):
        if parent is None:
            ends = _ends(margins[column][None, :])
            drawn = np.broadcast_to(ends, (points, ends.shape[1]))
        else:
            pair = (min(column, parent), max(column, parent))
            table = tables[pair] if parent < column else tables[pair].T
            drawn = _ends(table)[codes[:, parent]]
        codes[:, column] = (even[:, place, None] >= drawn).sum(axis=1)
    distinct, often = np.unique(codes, axis=0, return_counts=True)
    own = np.full(len(distinct), 1.0)
    scale = found.rows / points
    for _ in range(SWEPT):
        for (i, j), table in tables.items():
            cell = distinct[:, i] * table.shape[1] + distinct[:, j]
            had = np.bincount(cell, weights=own * often * scale, minlength=table.size)
            factor = np.minimum(np.maximum(table.ravel() / np.maximum(had, SMALL), LEAST), MOST)
            own = np.minimum(own * factor[cell], HEAVIEST)
    weights: Floats = own * often
    return Sample(distinct, weights * (found.rows / float(added(weights))))


def _ends(table: Floats) -> Floats:
    """Of each row: where its bins end on [0, 1), all but the last one; equal ends where it has nothing."""
    whole = added(table)
    even = np.broadcast_to(np.arange(1, table.shape[1] + 1) / table.shape[1], table.shape)
    shares = np.where((whole > 0)[:, None], np.add.accumulate(table, axis=1) / np.maximum(whole, SMALL)[:, None], even)
    return np.asarray(shares[:, :-1])
