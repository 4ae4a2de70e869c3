"""Margins of error of counts after they were made consistent: the exact law of the noise that is left in them.

For tables whose keys agree wherever they share a column, the least-squares fit has a closed form (Xiao et al. 2023, the
residual basis). Every table A is a sum over the sets B of its columns of components, estimated from each table that has
B: with weights 1/(s²·Π d) of the columns that are summed. So a fitted cell is a sum of the noisy cells, weighted by
their table and by the columns in which they agree with it; there are few different weights.

Where columns are cut differently (ages alone and by tens), the weights are those of the fit itself, a cell at a time.
It is a projection F with F·V symmetric, V the variances, so that fitting one cell tells how all enter it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from math import ceil, floor, prod, sqrt

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from dprelease.model.tally import Key
from dprelease.statistics.algebra import combination
from dprelease.statistics.algebra.consistency import NoisyCounts, consistent

MAX_COLUMNS = 8
"""Largest number of columns of a table: there are as many kinds of weights as sets of columns."""
MAX_CELLS = 600
"""Largest number of cells of all tables of a family without a closed form: it is fitted as many times."""
MAX_TERMS = 100
"""A sum of many unlike Laplace noises reaches as far as that of at most so many like ones, or less far."""
MAX_SCALES = 12
"""Largest number of Laplace scales in a cell whose sum is taken as it is."""
LEAST = 1e-9
"""Below this a weight is what rounding left of none."""
NEAR = 1e-5
"""Relative: more than a rough `combination.tail` and `quantile` err together."""
Columns = frozenset[str]


@dataclass(frozen=True, slots=True)
class NoisyCountTable:
    """A table of noisy counts."""

    keys: tuple[Key, ...]
    variance: float
    """Variance of each cell's noise, as the fit weighs it."""
    mechanism: Mechanism | None
    """Mechanism of each cell's own draw; None where a cell is made of several."""


@dataclass(frozen=True, slots=True)
class FittedNoise:
    """The noise that is left in a fitted cell."""

    noises: combination.Noises
    largest: float
    """Largest weight of a noisy cell in it: their noise is discrete, in steps of as much."""

    def reach(self, confidence: float = 0.95) -> float:
        """Return the half-width of the cell."""
        reached = combination.quantile(confidence, self.noises.laplaces, self.noises.sigma)
        return reached * combination.SLACK + self.largest / 2

    def stays_below(self, half: float, confidence: float = 0.95) -> bool:
        """Return True, at a tenth of the work, if `reach` is less; not so where the two are nearer than NEAR."""
        most = (half * (1 - NEAR) - self.largest / 2) / combination.SLACK
        noises = self.noises
        return most > 0 and combination.tail(most, noises.laplaces, noises.sigma, combination.ROUGH) < 1 - confidence


def reach(measured: Sequence[NoisyCountTable], keys: Sequence[Key], confidence: float = 0.95) -> float | None:
    """Return the half-width of each fitted cell of a table with these keys; None where no closed form is known."""
    found = law(measured, keys)
    return None if found is None else found.reach(confidence)


@lru_cache(maxsize=256)
def reaches(measured: tuple[NoisyCountTable, ...], place: int, confidence: float = 0.95) -> NDArray[np.float64] | None:
    """The half-width of each fitted cell of one of the tables, whatever their cuts; None of more than `MAX_CELLS`.

    Laplace noises with more than `MAX_SCALES` weights reach as far as so many like ones of at most the
    same kurtosis.
    """
    shapes = [tuple(key.cells for key in table.keys) for table in measured]
    if sum(map(prod, shapes)) > MAX_CELLS:
        return None
    if not all(isinstance(each.mechanism, DiscreteLaplace | DiscreteGaussian) for each in measured):
        return None
    halves = [_noise(measured, _entering(measured, shapes, place, cell)) for cell in range(prod(shapes[place]))]
    return np.array([law.reach(confidence) for law in halves])


def _noise(measured: Sequence[NoisyCountTable], entering: Sequence[NDArray[np.float64]]) -> FittedNoise:
    """Return the noise of a fitted cell that noisy ones enter with these weights."""
    laplaces: Counter[float] = Counter()
    normal = largest = 0.0
    for table, weights in zip(measured, entering, strict=True):
        assert isinstance(table.mechanism, DiscreteLaplace | DiscreteGaussian)
        sizes = np.abs(weights).ravel() * table.mechanism.scale
        largest = max(largest, float(np.abs(weights).max()))
        if isinstance(table.mechanism, DiscreteGaussian):
            normal += float((sizes**2).sum())
        else:
            laplaces.update(float(f"{size:.9g}") for size in sizes.tolist() if size > LEAST)
    if len(laplaces) <= MAX_SCALES:
        return FittedNoise(combination.Noises(tuple(sorted(laplaces.items())), sqrt(normal)), largest)
    squares = 2 * sum(count * scale**2 for scale, count in laplaces.items())
    fourths = 4 * sum(count * scale**4 for scale, count in laplaces.items())
    terms = min(MAX_TERMS, max(1, floor(squares**2 / fourths)))
    return FittedNoise(combination.Noises(((sqrt(squares / (2 * terms)), terms),), sqrt(normal)), largest)


def _entering(
    measured: Sequence[NoisyCountTable], shapes: Sequence[tuple[int, ...]], place: int, cell: int
) -> list[NDArray[np.float64]]:
    """Return the weight with which each noisy cell enters a fitted one: an array for each table."""
    alone = [np.zeros(shape) for shape in shapes]
    alone[place].ravel()[cell] = 1
    tables = [NoisyCounts(each.keys, values, each.variance) for each, values in zip(measured, alone, strict=True)]
    fitted = consistent(tables, nonnegative=False)
    return [values * measured[place].variance / each.variance for values, each in zip(fitted, measured, strict=True)]


def law(measured: Sequence[NoisyCountTable], keys: Sequence[Key]) -> FittedNoise | None:
    """Return the noise of each fitted cell of a table with these keys; None where no closed form is known."""
    sizes = _sizes([*(table.keys for table in measured), keys])
    if sizes is None or not all(isinstance(each.mechanism, DiscreteLaplace | DiscreteGaussian) for each in measured):
        return None
    laplaces: dict[float, int] = {}
    squares = largest = 0.0
    for weight, count, mechanism in _weights(measured, _columns(keys, sizes), sizes):
        size = abs(weight)
        largest = max(largest, size)
        if isinstance(mechanism, DiscreteGaussian):
            squares += count * (size * mechanism.scale) ** 2
        else:
            scale = float(f"{size * mechanism.scale:.12g}")
            laplaces[scale] = laplaces.get(scale, 0) + count
    noise = tuple(sorted((scale, count) for scale, count in laplaces.items() if scale))
    return FittedNoise(combination.Noises(noise, sqrt(squares)), largest)


def _sizes(tables: Sequence[Sequence[Key]]) -> Mapping[str, int] | None:
    """Return cells of each column; None where two tables cut one column differently, or have too many columns."""
    found: dict[str, Key] = {}
    for key in chain.from_iterable(tables):
        if found.setdefault(key.column, key) != key:
            return None
    sizes = {name: key.cells for name, key in found.items()}
    return sizes if all(len(_columns(keys, sizes)) <= MAX_COLUMNS for keys in tables) else None


def _columns(keys: Sequence[Key], sizes: Mapping[str, int]) -> Columns:
    """Return the columns with more than one cell: the others change nothing."""
    return frozenset(key.column for key in keys if sizes[key.column] > 1)


def _subsets(columns: Columns) -> Sequence[Columns]:
    ordered = sorted(columns)
    sizes = range(len(ordered) + 1)
    return [frozenset(part) for part in chain.from_iterable(combinations(ordered, size) for size in sizes)]


def _weights(
    measured: Sequence[NoisyCountTable], wanted: Columns, sizes: Mapping[str, int]
) -> Iterator[tuple[float, int, Mechanism]]:
    """Yield the weight of noisy cells in a fitted one, how many have it, and their mechanism."""

    def cells(columns: Columns) -> int:
        return prod(sizes[name] for name in columns)

    parts = _subsets(wanted)
    places = sorted(range(len(parts)), key=lambda place: sorted(parts[place]))
    factors = [
        [(prod((name in agreed) - 1 / sizes[name] for name in sorted(part)), cells(wanted - part)) for part in parts]
        for agreed in parts
    ]
    tables = [(_columns(table.keys, sizes), table) for table in measured]
    told = [
        {place: 1 / (table.variance * cells(own - parts[place])) for place in places if parts[place] <= own}
        for own, table in tables
    ]
    precision = [sum(each[place] for each in told if place in each) for place in range(len(parts))]
    for (own, table), each in zip(tables, told, strict=True):
        assert table.mechanism is not None
        shares = [(place, part / precision[place]) for place, part in each.items()]
        for agreed in sorted(each):
            weight = 0.0
            for place, share in shares:
                sign, others = factors[agreed][place]
                weight += share * sign / others
            count = prod(sizes[name] - 1 for name in (own & wanted) - parts[agreed]) * cells(own - wanted)
            yield weight, count, table.mechanism


def outwards(number: float, up: bool, digits: int) -> float:
    """Round a number away from the estimate."""
    steps = number * 10**digits
    return float((ceil(steps) if up else -ceil(-steps)) / 10**digits)
