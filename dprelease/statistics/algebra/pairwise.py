"""Joint distribution of several columns over combinations of their bins, from noisy tables of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from dprelease.statistics.algebra.agreed import NoisySource, ReconciledTables
from dprelease.statistics.algebra.elementary import Floats, added, exp, inverted, log
from dprelease.statistics.algebra.points import (
    SMALL,
    AllCombinations,
    Codes,
    Pair,
    Points,
    SomeCombinations,
    Wanted,
    over,
)

POINTS = 20_000
MAX_COMBINATIONS = 200_000
"""With more combinations of bins a model is fitted to a list of some of them."""
CELLS = 0.001
"""The weight of the points for cells of pair tables, of that of all points, before raking."""
RAKED, ROUNDS = 20, 200
"""Rounds of raking at most: of one table or a list of combinations, and of all combinations."""
STEPS, LONGEST = 50, 3.0
"""Number of steps of Newton's search for each bin's factor, and the longest step in logarithms."""
CLOSE = 1e-6
"""Tolerance of the rows of a cell, as a part of all rows."""
SHORT = 1e-6
"""Most rows that a bin may have fewer than it has of one class, beside a billionth of its rows."""


def joint(found: ReconciledTables, pairs: Mapping[Pair, NoisySource]) -> dict[Pair, Floats]:
    """Return tables of pairs with the margins of the tables by class, none negative."""
    margins = [added(table) for table in found.tables]
    return {pair: _joint(found.rows, margins[pair[0]], margins[pair[1]], own) for pair, own in pairs.items()}


def _joint(rows: float, one: Floats, other: Floats, noised: NoisySource) -> Floats:
    """Return a pair table shrunk towards independence as James and Stein do, by how much of the rest is noise."""
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
        table = table * over(one, added(table))[:, None]
        table = table * over(other, added(table, 0))[None, :]
    return table


def information(table: Floats) -> float:
    """Return Σ t·ln(t·n/(row·column)): how much one column tells of the other, in rows."""
    rows, columns, whole = added(table), added(table, 0), float(added(table.ravel()))
    apart = np.maximum(rows[:, None] * columns[None, :] / max(whole, SMALL), SMALL)
    return float(added((table * log(np.maximum(table, SMALL) / apart)).ravel()))


def tree(columns: int, tables: Mapping[Pair, Floats]) -> list[tuple[int, int | None]]:
    """Return columns in an order in which each follows from one before it, or none: the tree of most information."""
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
    """Return points spread evenly over a cube of so many axes, one a row: the fractions of (i + ½)·φ^−j.

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


def distribution(found: ReconciledTables, tables: Mapping[Pair, Floats]) -> Points | None:
    """Return the distribution that has the tables of pairs and the rows of each bin.

    Over all combinations of bins, where these are not too many, it is the one of largest entropy. Else it is over a
    list of combinations. None where no such distribution is found: then score equations have no solution.
    """
    sizes = [len(table) for table in found.tables]
    if is_whole(sizes):
        raked = _raked(AllCombinations.even(sizes), found, tables, ROUNDS)
    else:
        raked = _raked(_listed(found, tables), found, tables, RAKED)
    return raked if is_borne(raked, found) else None


def is_whole(sizes: Sequence[int]) -> bool:
    """Return True if every combination of bins gets a weight of its own. `sizes`: the number of bins by column."""
    return prod(sizes) <= MAX_COMBINATIONS


def is_borne(points: Points, found: ReconciledTables) -> bool:
    """Return True if each bin has its rows, and no fewer than rows of either class: else no fit has these tables."""
    for column, table in enumerate(found.tables):
        rows, wanted = points.table(points.weights, column), added(table)
        short = table.max(axis=1) - rows
        if (np.abs(rows - wanted) > CLOSE * found.rows).any() or (short > SHORT + 1e-9 * wanted).any():
            return False
    return True


def _raked(points: Points, found: ReconciledTables, tables: Mapping[Pair, Floats], rounds: int) -> Points:
    """Rake each table of pairs and each column to its rows by turns, until all have them; at last columns alone.

    Noisy tables of three pairs need not go together: rounds then end at a compromise, which has the rows of each bin.
    """
    pairs: Wanted = {(i, j): table for (i, j), table in tables.items()}
    columns: Wanted = {(place,): added(table) for place, table in enumerate(found.tables)}
    points = replace(points, weights=points.weights * found.rows)
    for _ in range(rounds):
        points, off = points.raked(pairs)
        points, other = points.raked(columns)
        if max(off, other) <= CLOSE * found.rows:
            break
    return _settled(points, np.concatenate(list(columns.values())), found)


def _settled(points: Points, wanted: Floats, found: ReconciledTables) -> Points:
    """Return the same with a factor for each bin, by which it has its rows: by Newton's steps for their logarithms."""
    for _ in range(STEPS):
        if is_borne(points, found):
            break
        had = points.products(points.weights)
        least = np.where(np.diag(had) > 0, 1e-12, 1.0) * found.rows
        step = added(inverted(had + np.diag(least)) * (wanted - np.diag(had))[None, :])
        step = step * min(1.0, LONGEST / max(float(np.max(np.abs(step))), SMALL))
        weights = points.weights
        for column, (start, end) in enumerate(points.parts):
            weights = weights * points.at(exp(step[start:end]), column)
        points = replace(points, weights=weights)
    return points


def _listed(found: ReconciledTables, tables: Mapping[Pair, Floats], points: int = POINTS) -> SomeCombinations:
    """Return combinations drawn evenly by the tree of most information, and one for each cell of the tables of pairs.

    The latter has the likeliest bins of the other columns, so that there is a point wherever there are rows.
    """
    margins = [added(table) for table in found.tables]
    codes = np.vstack([_drawn(margins, tables, points), *_likely(margins, tables)])
    weights = np.full(len(codes), CELLS / max(1, len(codes) - points))
    weights[:points] = (1.0 - CELLS) / points
    sizes = tuple(map(len, margins))
    cells, places = np.unique(np.ravel_multi_index(tuple(codes.T), sizes), return_inverse=True)
    distinct = np.stack(np.unravel_index(cells, sizes), axis=1)
    shares: Floats = np.bincount(places.ravel(), weights=weights).astype(np.float64)
    return SomeCombinations(sizes, shares, distinct)


def _likely(margins: Sequence[Floats], tables: Mapping[Pair, Floats]) -> Iterator[Codes]:
    """Yield for each cell (a, b) of columns i and j by other column k the bin of largest t_ik(a, ·)·t_jk(b, ·)/m_k.

    A column in no table of pairs goes with another one as if they were independent.
    """

    def both(one: int, other: int) -> Floats:
        """Return rows by two columns, in this order."""
        table = tables.get((min(one, other), max(one, other)))
        if table is None:
            return margins[one][:, None] * margins[other][None, :] / np.maximum(added(margins[one]), SMALL)
        return table if one < other else table.T

    many = len(margins)
    alone = [tuple(sorted((place, int(place == 0)))) for place in set(range(many)).difference(*tables)]
    for i, j in [*tables, *alone]:
        k, n = len(margins[i]), len(margins[j])
        codes = np.zeros((k, n, many), dtype=np.int64)
        codes[:, :, i], codes[:, :, j] = np.arange(k)[:, None], np.arange(n)[None, :]
        for other in set(range(many)) - {i, j}:
            often = both(i, other)[:, None, :] * both(j, other)[None, :, :] / np.maximum(margins[other], SMALL)
            codes[:, :, other] = np.argmax(often, axis=2)
        yield codes.reshape(k * n, many)


def _drawn(margins: Sequence[Floats], tables: Mapping[Pair, Floats], points: int) -> Codes:
    """Return combinations with the distribution of the tree: each column follows from the one before it."""
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
    return codes


def _ends(table: Floats) -> Floats:
    """Return the ends of each row's bins on [0, 1), all but the last one; equal ends where it has nothing."""
    whole = added(table)
    even = np.broadcast_to(np.arange(1, table.shape[1] + 1) / table.shape[1], table.shape)
    shares = np.where((whole > 0)[:, None], np.add.accumulate(table, axis=1) / np.maximum(whole, SMALL)[:, None], even)
    return np.asarray(shares[:, :-1])
