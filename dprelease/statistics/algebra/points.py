"""Distributions over combinations of bins of several columns: a weight for every combination, or for a list of some.

Numbers of points are arrays in the shape of the weights. They are added up in a fixed order: the same bits everywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dprelease.statistics.algebra.elementary import LARGEST, Floats, exp

Pair = tuple[int, int]
"""The places of two columns, the lower first."""
Codes = NDArray[np.int64]
Wanted = Mapping[tuple[int, ...], Floats]
"""Rows by the bins of some columns, in rising order."""
SMALL = 1e-200
"""Least divisor: a quotient of counts stays within floats."""


@dataclass(frozen=True, eq=False)
class Points(ABC):
    """Combinations of bins, and how many rows each stands for."""

    sizes: tuple[int, ...]
    """Number of bins of each column."""
    weights: Floats

    @abstractmethod
    def at(self, table: Floats, *columns: int) -> Floats:
        """Return the entry of a table over some columns (in rising order) that each point has."""

    @abstractmethod
    def table(self, numbers: Floats, *columns: int) -> Floats:
        """Return the sums of numbers by the bins of some columns, in rising order."""

    def tables(self, numbers: Floats) -> Mapping[Pair, Floats]:
        """Return the sums by the bins of each two columns."""
        return {pair: self.table(numbers, *pair) for pair in combinations(range(len(self.sizes)), 2)}

    @property
    def parts(self) -> list[tuple[int, int]]:
        """Start and end of each column's bins, with those of all columns in a row."""
        ends = np.add.accumulate(self.sizes).tolist()
        return list(zip([0, *ends[:-1]], ends, strict=True))

    def products(self, numbers: Floats) -> Floats:
        """Return the sums by each two bins of all columns in a row: Σ number·onehot·onehot'."""
        parts = self.parts
        sums = np.diag(np.concatenate([self.table(numbers, column) for column in range(len(parts))]))
        for (i, j), table in self.tables(numbers).items():
            (a, b), (c, d) = parts[i], parts[j]
            sums[a:b, c:d], sums[c:d, a:b] = table, table.T
        return sums

    def chances(self, start: float, parts: Sequence[Floats]) -> Floats:
        """Return 1/(1 + e^−z), where z is start + what the bin of each column adds."""
        most = LARGEST / (len(parts) + 1)
        odds: Floats = np.full(self.weights.shape, exp(-start))
        for column, part in enumerate(parts):
            odds = odds * self.at(exp(np.minimum(np.maximum(-part, -most), most)), column)
        return np.asarray(1.0 / (1.0 + odds))

    def raked(self, wanted: Wanted) -> tuple[Self, float]:
        """Return the points after each table had its turn to get its rows (Deming and Stephan 1940).

        Beside them by how many rows a cell was off, at most, when its turn came.
        """
        weights, off = self.weights, 0.0
        for columns, table in wanted.items():
            had = self.table(weights, *columns)
            off = max(off, float(np.max(np.abs(table - had))))
            weights = weights * self.at(over(table, had), *columns)
        return replace(self, weights=weights), off


@dataclass(frozen=True, eq=False)
class AllCombinations(Points):
    """Every combination once: weights are an array with an axis for each column."""

    @classmethod
    def even(cls, sizes: Sequence[int]) -> AllCombinations:
        """Return the points with the same weight everywhere."""
        return cls(tuple(sizes), np.full(tuple(sizes), 1.0 / prod(sizes)))

    def at(self, table: Floats, *columns: int) -> Floats:
        return table.reshape([size if place in columns else 1 for place, size in enumerate(self.sizes)])

    def table(self, numbers: Floats, *columns: int) -> Floats:
        for gone, place in enumerate(place for place in range(len(self.sizes)) if place not in columns):
            numbers = _without(numbers, place - gone)
        return numbers

    def tables(self, numbers: Floats) -> Mapping[Pair, Floats]:
        found, many = {}, len(self.sizes)
        for i in range(many - 1):
            last = numbers
            for j in range(many - 1, i, -1):
                between = last
                for _ in range(j - i - 1):
                    between = _without(between, 1)
                found[i, j] = between
                last = _without(last, j - i)
            numbers = _without(numbers, 0)
        return found

    def raked(self, wanted: Wanted) -> tuple[Self, float]:
        """Rake as all points do, by the first of their columns: tables of later ones need the sums over those alone."""
        left, off, weights = self, 0.0, self.weights
        for first in range(len(self.sizes)):
            own = {tuple(each - first for each in key): table for key, table in wanted.items() if key[0] == first}
            factor: Floats = np.ones((1,) * len(left.sizes))
            for columns, table in own.items():
                had = left.table(left.weights, *columns)
                off = max(off, float(np.max(np.abs(table - had))))
                ratio = left.at(over(table, had), *columns)
                left, factor = replace(left, weights=left.weights * ratio), factor * ratio
            weights = left.weights if first == 0 else weights * factor
            left = replace(left, sizes=left.sizes[1:], weights=_without(left.weights, 0))
        return replace(self, weights=weights), off


def _without(numbers: Floats, axis: int) -> Floats:
    """Return the sums along an axis, one number after another."""
    shape = numbers.shape
    lines = numbers.reshape(prod(shape[:axis]), shape[axis], -1)
    total: Floats = lines[:, 0].copy()
    for place in range(1, shape[axis]):
        total += lines[:, place]
    return total.reshape(shape[:axis] + shape[axis + 1 :])


def over(wanted: Floats, had: Floats) -> Floats:
    """Return the factor that makes rows what they are to be."""
    return np.asarray(wanted / np.maximum(had, SMALL))


@dataclass(frozen=True, eq=False)
class SomeCombinations(Points):
    """Some combinations, no two alike."""

    codes: Codes
    """One a row, with the bin of each column."""
    cells: dict[tuple[int, ...], Codes] = field(default_factory=dict, repr=False)
    """Cell of each combination, by table that was asked for."""

    def at(self, table: Floats, *columns: int) -> Floats:
        return np.asarray(table.ravel()[self._cells(columns)])

    def table(self, numbers: Floats, *columns: int) -> Floats:
        shape = tuple(self.sizes[column] for column in columns)
        sums: Floats = np.bincount(self._cells(columns), weights=numbers, minlength=prod(shape)).astype(np.float64)
        return sums.reshape(shape)

    def _cells(self, columns: tuple[int, ...]) -> Codes:
        if columns not in self.cells:
            shape = tuple(self.sizes[column] for column in columns)
            self.cells[columns] = np.ravel_multi_index(tuple(self.codes[:, column] for column in columns), shape)
        return self.cells[columns]
