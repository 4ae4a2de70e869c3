"""Linear functionals of noisy integers: what numbers follow from measured cells, and how their noise adds up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from math import ceil, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteGaussian, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.tally import Key
from dprelease.statistics.algebra import combination
from dprelease.statistics.algebra.reach import noises

Groups = tuple[tuple[int, ...], ...]
Rule = tuple[str | None, frozenset[str]]
"""Noise, and the columns without which a row is not counted: what two statistics must have in common."""


@dataclass(frozen=True, slots=True)
class IntegerSource:
    """Noisy integers of another statistic, from which the whole numbers of one follow at no cost.

    A cell of the other has one integer, or several `parts`; a number is Σ part · integer / size over its cells.
    """

    axes: tuple[int, ...]
    """The places of its keys among the source's, in its own order."""
    groups: tuple[Groups, ...]
    """Cells of the source that each of its own is made of, by key; () where these are the same."""
    shape: tuple[int, ...]
    """Number of the source's cells along each key."""
    parts: tuple[int, ...]
    """Weight of each integer of a cell in a number."""
    size: int
    """Divisor of a number's steps: 1 for counts by counts, K by one-sided sums, K² by moments."""
    off: float = 0.5
    """Most by which an integer may be off, in steps: half by discrete noise, one more where it was divided."""

    @property
    def terms(self) -> int:
        """Largest number of cells that are added up for one number."""
        return int(self.added.max())

    @property
    def added(self) -> NDArray[np.int64]:
        """Number of cells that are added up for each number."""
        summed = prod(cells for place, cells in enumerate(self.shape) if place not in self.axes)
        sizes = [
            [len(cells) for cells in groups] or [1] * self.shape[place]
            for place, groups in zip(self.axes, self.groups, strict=True)
        ]
        return np.asarray(reduce(np.multiply.outer, [np.array(each) for each in sizes], np.array(summed)))

    @property
    def squares(self) -> int:
        """Largest variance of a number before it is divided by `size`, where that of an integer is 1."""
        return self.terms * self._square

    @property
    def _square(self) -> int:
        return sum(part**2 for part in self.parts)

    def summed(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the source's numbers, weighted by parts and added up over the keys that are not wanted, in order."""
        whole = values.reshape(self.shape if self.parts == (1,) else (*self.shape, len(self.parts)))
        if self.parts != (1,):
            whole = (whole.astype(object) * np.array(self.parts, dtype=object)).sum(axis=-1)
            whole = np.asarray(whole, dtype=object)
        others = tuple(place for place in range(len(self.shape)) if place not in self.axes)
        kept = sorted(self.axes)
        found = np.transpose(whole.sum(axis=others) if others else whole, [kept.index(place) for place in self.axes])
        for axis, groups in enumerate(self.groups):
            if groups:
                found = np.stack([found.take(cells, axis).sum(axis) for cells in groups], axis)
        return np.asarray(found)

    def numbers(self, noisy: NDArray[Any]) -> NDArray[Any]:
        """Return the noisy numbers, to the nearest whole one."""
        ordered = np.asarray(self.summed(noisy.astype(object)), dtype=object)
        return np.asarray((2 * ordered + self.size) // (2 * self.size), dtype=object)

    def half_widths(self, mechanism: Mechanism, confidence: float = 0.95) -> list[int]:
        """Return the half-width of each number."""
        terms = self.added.ravel().tolist()
        known = {many: self.half_width(mechanism, confidence, many) for many in {*terms}}
        return [known[many] for many in terms]

    def half_width(self, mechanism: Mechanism, confidence: float = 0.95, terms: int | None = None) -> int:
        """Return the half-width of a number of so many cells, by default of most: the quantile of the weighted sum of
        noises, to the next whole one."""
        assert isinstance(mechanism, Noise)
        terms = self.terms if terms is None else terms
        if terms == 1 and self.parts == (1,) and self.size == 1:
            return mechanism.half_width(confidence)
        sizes = [abs(part) for part in self.parts]
        if isinstance(mechanism, DiscreteGaussian):
            reach = combination.quantile(confidence, (), mechanism.scale * (terms * self._square) ** 0.5)
        else:
            each = noises(mechanism, terms)
            laplaces = tuple(own for part in sizes if part for own in each.scaled(part).laplaces)
            reach = combination.quantile(confidence, laplaces)
        if self.size == 1:
            return ceil(reach)
        return max(0, ceil((reach + terms * sum(sizes) * self.off) / self.size - 0.5))


@dataclass(frozen=True, slots=True)
class MeasuredSource:
    """Noisy integers of a statistic: `counts` and `sums` tell what they count of rows and of values."""

    rule: Rule
    keys: tuple[Key, ...]
    size: int
    counts: tuple[int, ...]
    column: str | None = None
    sums: tuple[int, ...] = ()
    """In steps of the column's lattice."""
    off: float = 0.5

    def source(self, keys: tuple[Key, ...], parts: tuple[int, ...]) -> IntegerSource | None:
        """Return the source of numbers by other keys; None where they do not follow."""
        found = [self._within(key) for key in keys]
        ways = [each for each in found if each is not None]
        axes = tuple(axis for axis, _ in ways)
        if len(ways) < len(keys) or len({*axes}) < len(axes) or len({*self.keys}) < len(self.keys):
            return None
        if self.size > 1 and any(groups for _, groups in ways):
            return None  # what is rounded is told of cells of one size
        cells = tuple(key.cells for key in self.keys)
        return IntegerSource(axes, tuple(groups for _, groups in ways), cells, parts, self.size, self.off)

    def _within(self, key: Key) -> tuple[int, Groups] | None:
        """Return the place of a key that tells another one's cells, and which of them each is made of."""
        if key in self.keys:
            return self.keys.index(key), ()
        made = ((axis, coarsening(own, key)) for axis, own in enumerate(self.keys) if own.column == key.column)
        return next(((axis, groups) for axis, groups in made if groups is not None), None)


@lru_cache(maxsize=4096)
def coarsening(fine: Key, coarse: Key) -> Groups | None:
    """Return the cells of one key that each cell of another of the same column is made of; None where some is not.

    Whatever makes cells of codes: bins, a declared level, a period of the calendar. No cell is made of nothing.
    """
    if fine.span != coarse.span or fine.missing != coarse.missing or not (fine.whole and coarse.whole):
        return None
    (firsts, cells), (others, wider) = _stretches(fine), _stretches(coarse)
    starts = np.union1d(firsts, others)
    pairs = {
        *zip(
            cells[np.searchsorted(firsts, starts, "right") - 1].tolist(),
            wider[np.searchsorted(others, starts, "right") - 1].tolist(),
            strict=True,
        )
    }
    into = dict(pairs)
    if len(into) < len(pairs):
        return None
    into |= {fine.coded: coarse.coded} if fine.missing else {}
    groups: list[list[int]] = [[] for _ in range(coarse.cells)]
    for cell in sorted(into):
        groups[into[cell]].append(cell)
    return tuple(map(tuple, groups)) if all(groups) else None


def _stretches(key: Key) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first code of each stretch of codes, and the cell that these are in."""
    many = len(key.edges) - 1 if key.edges else key.coded
    firsts = np.array([key.first_code(stretch) for stretch in range(many)], dtype=np.int64)
    return firsts, np.array(key.to or range(many), dtype=np.int64)
