"""Tables of counts over sets of axes, planned and estimated together by residuals, in closed form.

Every table over a set A of axes is a sum of components, one for each B ⊆ A. The component of B is estimated from the
residuals Y_B = ⊗ (d_i·I − J) of the counts by B, whole numbers that get noise of the variance s_B² = σ_B²·Π d_i².
So tables agree by construction, and the variance of a cell of A is

    V_A = Σ over B ⊆ A of σ_B² · Π (d_i − 1)/d_i over B · Π 1/d_j² over A∖B.

Xiao, He, Zhang, Kifer 2023, "An optimal and scalable matrix mechanism for noisy marginals under convex loss functions".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import fsum, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError

Places = tuple[int, ...]
"""A set of axes, in order."""
FloatArray = NDArray[np.float64]
Wholes = NDArray[Any]
"""int64, or Python integers where int64 would not hold them."""

LARGEST = 2**62
ROUNDS = 500
"""Largest number of rounds of `equalised`, which takes some 30."""
GAP = 1e-4
"""Tolerance of the largest variance, relative to the least that is possible."""


@dataclass(frozen=True)
class AxisFamily:
    """Tables of the same rows over sets of axes. An axis with one cell has nothing to tell apart, and no residuals."""

    cells: tuple[int, ...]
    """Number of cells of each axis."""
    tables: tuple[Places, ...]

    def __post_init__(self) -> None:
        axes = range(len(self.cells))
        if not self.tables or not all(tuple(sorted(set(each))) == each for each in self.tables):
            raise InternalError("a family without tables, or with one over axes that are no set")
        if not all(place in axes for each in self.tables for place in each) or min(self.cells, default=1) < 1:
            raise InternalError("a table over an axis that is not there, or an axis without cells")

    @cached_property
    def sets(self) -> tuple[Places, ...]:
        """The sets of axes that have residuals: all subsets of the tables', the smaller ones first."""
        return tuple(sorted({part for table in self.tables for part in self.parts(table)}, key=_by_length))

    def parts(self, table: Places) -> Iterable[Places]:
        """Return the sets that a table's cells are made of."""
        axes = [place for place in table if self.cells[place] > 1]
        return chain.from_iterable(combinations(axes, length) for length in range(len(axes) + 1))

    def sizes(self, places: Sequence[Places]) -> FloatArray:
        """Return the number of cells over each of some sets of axes."""
        return np.array([float(prod(self.cells[place] for place in each)) for each in places])

    @cached_property
    def losses(self) -> FloatArray:
        """p_B = Π (d_i − 1)/d_i for each set: with ρ = Σ p_B / 2σ_B² where one row comes or goes."""
        return np.array([prod(1 - 1 / self.cells[place] for place in places) for places in self.sets])

    @cached_property
    def _links(self) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]:
        """Table, set, and how much of σ² of the set a cell of the table has: for each set within a table."""
        number = {places: place for place, places in enumerate(self.sets)}
        found = [(row, number[part]) for row, table in enumerate(self.tables) for part in self.parts(table)]
        rows, columns = np.array(found, dtype=np.int64).T
        whole, part = self.sizes(self.tables)[rows], self.sizes(self.sets)[columns]
        return rows, columns, self.losses[columns] * (part / whole) ** 2

    def variances(self, squares: FloatArray) -> FloatArray:
        """Return V_A of a cell of each table. `squares`: σ_B² of each set."""
        rows, columns, parts = self._links
        return np.bincount(rows, parts * squares[columns], len(self.tables)).astype(np.float64)

    def prices(self, weights: FloatArray) -> FloatArray:
        """Return the growth of Σ weight·V_A with σ_B² of each set."""
        rows, columns, parts = self._links
        return np.bincount(columns, parts * weights[rows], len(self.sets)).astype(np.float64)

    def weighted(self, weights: FloatArray) -> FloatArray:
        """Return the σ_B² with which Σ weight·V_A is least, at the loss Σ p_B / σ_B² = 1: √(p_B/v_B) · Σ √(p·v)."""
        prices = self.prices(weights)
        return np.asarray(np.sqrt(self.losses / prices) * added(np.sqrt(self.losses * prices)))

    def equalised(self, targets: FloatArray) -> FloatArray:
        """Return the σ_B² with which the largest V_A / target is least, at the loss Σ p_B / σ_B² = 1, to GAP of it.

        By multiplicative weights on the dual: tables whose variance is large get more. What is reached is held against
        the dual, which no plan can undercut: for weights of sum 1 that is Σ weight·V_A / target, at its least.
        """
        weights = np.full(len(self.tables), 1 / len(self.tables))
        best, least, bound = self.weighted(weights / targets), np.inf, 0.0
        for _ in range(ROUNDS):
            squares = self.weighted(weights / targets)
            ratios = self.variances(squares) / targets
            largest = float(ratios.max())
            if largest < least:
                best, least = squares, largest
            bound = max(bound, added(weights * ratios))
            if least <= bound * (1 + GAP):
                break
            weights = weights * ratios
            weights = weights / added(weights)
        return best

    def planned(self, objective: str, importance: FloatArray) -> FloatArray:
        """Return the σ_B² by an objective, at the loss Σ p_B / σ_B² = 1. `importance`: of each table.

        All of them weigh variances with it. `equalise`: the largest one is as small as can be. `minimise`: so is the
        sum over all cells of all tables, and with `means` the sum over tables, each taken once.
        """
        return OBJECTIVES[objective](self, importance)

    def ratios(self, squares: FloatArray) -> list[float]:
        """Return the scales s_B = σ_B·Π d_i of noise on residuals."""
        return [float(scale) for scale in np.sqrt(squares) * self.sizes(self.sets)]

    def squares(self, scales: Mapping[Places, float]) -> FloatArray:
        """Return the σ_B² of noise of such scales on the residuals of each set."""
        return np.array([scales[places] ** 2 for places in self.sets]) / self.sizes(self.sets) ** 2

    def step(self, table: Places) -> int:
        """Return the number of parts of a row of which a table's estimates are whole multiples: Π d_i²."""
        return prod(self.cells[place] ** 2 for place in table)

    def split(self, values: Wholes) -> dict[Places, Wholes]:
        """Return the residuals of each set, which stand one after the other."""
        ends = np.cumsum(self.sizes(self.sets)).astype(np.int64)
        parts = np.split(values, ends[:-1])
        return {
            places: part.reshape([self.cells[place] for place in places])
            for places, part in zip(self.sets, parts, strict=True)
        }

    def residuals(self, counts: Mapping[Places, Wholes]) -> Wholes:
        """Return the residuals of each set, in order, of tables of counts that have all of them as margins."""
        return np.concatenate([residual(_smallest(counts, places)).ravel() for places in self.sets])

    def table(self, noisy: Mapping[Places, Wholes], table: Places) -> Wholes:
        """Return the estimates of a table's cells in parts of a row (`step`), whole so that tables agree exactly.

        The component of B is ⊗ (d_i·I − J) Y_B / Π d_i² of noisy residuals: what in them no counts can have drops out.
        """
        total: Wholes = np.zeros([self.cells[place] for place in table], dtype=object)
        for places in self.parts(table):
            others = prod(self.cells[place] for place in table if place not in places)
            shape = [self.cells[place] if place in places else 1 for place in table]
            total = total + residual(noisy[places]).astype(object).reshape(shape) * others
        return np.asarray(total, dtype=object)


def residual(counts: Wholes) -> Wholes:
    """Return ⊗ (d·I − J) over all axes of whole numbers, exactly."""
    flat = np.ravel(counts)
    largest = max(abs(int(flat.max(initial=0))), abs(int(flat.min(initial=0))))
    found = counts.astype(object if largest * prod(2 * d for d in counts.shape) >= LARGEST else np.int64)
    for axis, cells in enumerate(counts.shape):
        found = cells * found - found.sum(axis=axis, keepdims=True)
    return np.asarray(found)


def added(numbers: FloatArray) -> float:
    """Return the sum, rounded once: the same on every machine, since scales that follow are made again to verify."""
    return fsum(numbers.tolist())


def margin(counts: Wholes, table: Places, places: Places) -> Wholes:
    """Return the counts by some of a table's axes."""
    others = tuple(number for number, place in enumerate(table) if place not in places)
    return np.asarray(counts.sum(axis=others)) if others else counts


def _smallest(counts: Mapping[Places, Wholes], places: Places) -> Wholes:
    """Return the counts by a set of axes, from a smallest table that has them."""
    source = min((table for table in counts if {*places} <= {*table}), key=lambda table: counts[table].size)
    return margin(counts[source], source, places)


def _by_length(places: Places) -> tuple[int, Places]:
    return len(places), places


def _minimise(family: AxisFamily, importance: FloatArray) -> FloatArray:
    return family.weighted(importance * family.sizes(family.tables))


OBJECTIVES: Mapping[str, Callable[[AxisFamily, FloatArray], FloatArray]] = {
    "equalise": lambda family, importance: family.equalised(1 / importance),
    "minimise": _minimise,
    "means": AxisFamily.weighted,
}
"""Objectives that a plan may ask to be as small as can be."""
