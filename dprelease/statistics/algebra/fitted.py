"""How far counts are off after they were made consistent: the exact law of the noise that is left in them.

For tables whose keys agree wherever they share a column, the least-squares fit has a closed form (Xiao et al. 2023, the
residual basis). Every table A is a sum over the sets B of its columns of components, estimated from each table that has
B: with weights 1/(s²·Π d) of the columns that are summed. So a fitted cell is a sum of the noisy cells, weighted by
their table and by the columns in which they agree with it; there are few different weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import ceil, prod, sqrt

from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism
from dprelease.model.tally import Key
from dprelease.statistics.algebra import combination

MOST_COLUMNS = 8
"""Of a table: there are as many kinds of weights as sets of columns."""
NEAR = 1e-5
"""Relative: more than a rough `combination.tail` and `quantile` err together."""
Columns = frozenset[str]


@dataclass(frozen=True, slots=True)
class Measured:
    """A table of noisy counts."""

    keys: tuple[Key, ...]
    variance: float
    """Of each cell's noise, as the fit weighs it."""
    mechanism: Mechanism | None
    """Of each cell's own draw; None where a cell is made of several."""


@dataclass(frozen=True, slots=True)
class Law:
    """The noise that is left in a fitted cell."""

    noises: combination.Noises
    largest: float
    """Of the weights with which noisy cells enter it: their noise is discrete, in steps of as much."""

    def reach(self, confidence: float = 0.95) -> float:
        """The half-width of the cell."""
        reached = combination.quantile(confidence, self.noises.laplaces, self.noises.sigma)
        return reached * combination.SLACK + self.largest / 2

    def stays_below(self, half: float, confidence: float = 0.95) -> bool:
        """Tells, at a tenth of the work, that `reach` is less; not so where the two are nearer than NEAR."""
        most = (half * (1 - NEAR) - self.largest / 2) / combination.SLACK
        noises = self.noises
        return most > 0 and combination.tail(most, noises.laplaces, noises.sigma, combination.ROUGH) < 1 - confidence


def reach(measured: Sequence[Measured], keys: Sequence[Key], confidence: float = 0.95) -> float | None:
    """The half-width of each fitted cell of a table with these keys; None where no closed form is known."""
    found = law(measured, keys)
    return None if found is None else found.reach(confidence)


def law(measured: Sequence[Measured], keys: Sequence[Key]) -> Law | None:
    """The noise of each fitted cell of a table with these keys; None where no closed form is known."""
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
    return Law(combination.Noises(noise, sqrt(squares)), largest)


def _sizes(tables: Sequence[Sequence[Key]]) -> Mapping[str, int] | None:
    """Cells of each column; None where two tables cut one column differently, or have too many columns."""
    found: dict[str, Key] = {}
    for key in chain.from_iterable(tables):
        if found.setdefault(key.column, key) != key:
            return None
    sizes = {name: key.cells for name, key in found.items()}
    return sizes if all(len(_columns(keys, sizes)) <= MOST_COLUMNS for keys in tables) else None


def _columns(keys: Sequence[Key], sizes: Mapping[str, int]) -> Columns:
    """Those with more than one cell: the others change nothing."""
    return frozenset(key.column for key in keys if sizes[key.column] > 1)


def _subsets(columns: Columns) -> Sequence[Columns]:
    ordered = sorted(columns)
    sizes = range(len(ordered) + 1)
    return [frozenset(part) for part in chain.from_iterable(combinations(ordered, size) for size in sizes)]


def _weights(
    measured: Sequence[Measured], wanted: Columns, sizes: Mapping[str, int]
) -> Iterator[tuple[float, int, Mechanism]]:
    """With which weight so many noisy cells of one mechanism enter a fitted cell."""

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
    """Rounded away from the estimate."""
    steps = number * 10**digits
    return float((ceil(steps) if up else -ceil(-steps)) / 10**digits)
