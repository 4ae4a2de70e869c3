"""Sums of products of affine functions of codes, such as Σ w·x or Σ c·(K − c), from tallies of codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.model.column import Column
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Measure, TallyQuery


@dataclass(frozen=True, slots=True)
class Factor:
    """constant + slope · code, for a code from 0 to steps: one factor of what a row adds."""

    column: str
    constant: int
    slope: int
    steps: int

    @property
    def ends(self) -> tuple[int, int]:
        """The smallest and the largest value."""
        last = self.constant + self.slope * self.steps
        return min(self.constant, last), max(self.constant, last)


def value(column: Column) -> Factor:
    """Return the value x in lattice steps: start + c."""
    return Factor(column.name, column.lattice.start, 1, column.lattice.steps)


def above(column: Column) -> Factor:
    """Return x − lower in lattice steps: c."""
    return Factor(column.name, 0, 1, column.lattice.steps)


def below(column: Column) -> Factor:
    """Return upper − x in lattice steps: K − c."""
    return Factor(column.name, column.lattice.steps, -1, column.lattice.steps)


def around(column: Column) -> Factor:
    """Return twice the distance from the middle, in lattice steps: 2c − K."""
    return Factor(column.name, -column.lattice.steps, 2, column.lattice.steps)


def columns_of(factors: Sequence[Factor]) -> tuple[str, ...]:
    """Return the columns, each once."""
    return tuple(dict.fromkeys(factor.column for factor in factors))


def queries(
    keys: tuple[Key, ...], factors: Sequence[Factor], schema: Schema, others: Sequence[str] = ()
) -> tuple[TallyQuery, ...]:
    """Return a tally for each product of some codes, over rows that have all of them (and a code in `others`)."""
    present = with_nulls((*columns_of(factors), *others), schema)
    names = [factor.column for factor in factors]
    sets = [names_ for size in range(len(names) + 1) for names_ in combinations(names, size)]
    return tuple(TallyQuery(keys, Measure(chosen, present)) for chosen in dict.fromkeys(sets))


def with_nulls(columns: Sequence[str], schema: Schema) -> tuple[str, ...]:
    """Return the columns that may leave a row without a code, sorted, each once: those are a query's null rule."""
    return tuple(sorted({name for name in columns if not schema[name].complete}))


def total(factors: Sequence[Factor], asked: Sequence[TallyQuery], tallies: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return Σ over rows of the product of the factors: exact integers (dtype object), of the tallies' shape."""
    by_factors = {query.measure.factors: tally for query, tally in zip(asked, tallies, strict=True)}
    result = np.zeros(np.shape(tallies[0]), dtype=object)
    for chosen in product((False, True), repeat=len(factors)):
        weight = 1
        names = []
        for factor, takes_code in zip(factors, chosen, strict=True):
            weight *= factor.slope if takes_code else factor.constant
            names += [factor.column] if takes_code else []
        if weight:
            result = np.asarray(result + weight * by_factors[tuple(names)].astype(object), dtype=object)
    return result


def ends(factors: Sequence[Factor]) -> tuple[int, int]:
    """Return the smallest and the largest product of the factors."""
    low, high = 1, 1
    for factor in factors:
        corners = [one * other for one in (low, high) for other in factor.ends]
        low, high = min(corners), max(corners)
    return low, high
