"""Candidates for rows, drawn column by column of noisy tables: each column by the two that tell most of it.

The columns and those that they are drawn by make a tree of cliques: of all distributions with these tables over
cliques, the one drawn from has the largest entropy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, prod

import numpy as np

from dprelease.statistics.algebra.raking import Codes, places_in
from dprelease.statistics.algebra.residual import FloatArray, Places
from dprelease.statistics.algebra.stream import Stream

SELDOM = 1e-9
"""Part of a value's total frequency added to its frequency beside others: so that each is possible everywhere."""


@dataclass(frozen=True)
class Cliques:
    """In what order columns are drawn, and by which others."""

    cells: Sequence[int]
    tables: Mapping[Places, FloatArray]
    """Tables over all sets of up to some number of columns; no number in them is negative."""

    def order(self) -> Iterator[tuple[int, Places]]:
        """Each column with those that it is drawn by: the pair first that tells most of one another, then whatever is
        told most of by a pair that stands within a clique already."""
        length = max(map(len, self.tables)) - 1
        whole = tuple(range(len(self.cells)))
        start = (
            max(
                combinations(whole, length),
                key=lambda places: self._told(places[-1], places[:-1]) if length > 1 else 0.0,
            )
            if length
            else ()
        )
        for number, place in enumerate(start):
            yield place, start[:number]
        left = [place for place in whole if place not in start]
        parents = [start]
        told: dict[tuple[int, Places], float] = {}
        while left:
            pairs = [(place, among) for place in left for among in parents]
            told |= {pair: self._told(*pair) for pair in pairs if pair not in told}
            place, among = max(pairs, key=lambda pair: told[pair])
            yield place, among
            left.remove(place)
            own = tuple(sorted((place, *among)))
            parents += [each for each in combinations(own, length) if each not in parents]

    def _told(self, place: int, by: Places) -> float:
        """Return a table's distance from one in which a column is independent of the others, as a share of its rows."""
        table = self._last(place, by)
        alone, others = table.cumsum(axis=0)[-1], table.cumsum(axis=1)[:, -1]
        whole = float(alone.cumsum()[-1])
        return fsum(np.abs(table - others[:, None] * (alone / whole)).ravel().tolist()) / (2 * whole)

    def _last(self, place: int, by: Places) -> FloatArray:
        """Return the table over some columns and one more: a row for each cell of those, a column for each of this."""
        places = tuple(sorted((place, *by)))
        table = np.moveaxis(self.tables[places], [places.index(each) for each in (*by, place)], range(len(places)))
        return np.ascontiguousarray(table.reshape(prod(self.cells[each] for each in by), self.cells[place]))

    def candidates(self, count: int, stream: Stream) -> Codes:
        """Return so many, sorted by their cells."""
        codes = np.zeros((len(self.cells), count), dtype=np.int64)
        for place, by in self.order():
            alone = self._last(place, ())
            table = self._last(place, by) + SELDOM * alone
            ends = np.add.accumulate(table.ravel())
            among = places_in(codes, self.cells, by) * self.cells[place]
            first, last = np.concatenate([[0.0], ends])[among], ends[among + self.cells[place] - 1]
            chosen = np.searchsorted(
                ends, first + stream.uniform(f"candidates {place}", count) * (last - first), "right"
            )
            codes[place] = np.clip(chosen - among, 0, self.cells[place] - 1)
        return codes[:, np.lexsort(codes[::-1])]


def spread(weights: FloatArray, count: int, start: float) -> Codes:
    """Return so many places, each as often as its weight says to less than one: at equal steps along the sums."""
    ends = np.add.accumulate(weights)
    steps = (np.arange(count) + start) * (float(ends[-1]) / max(1, count))
    return np.asarray(np.minimum(np.searchsorted(ends, steps, "right"), len(weights) - 1))
