"""Tables of counts estimated together from noise on the widest of them: least squares in closed form.

A table A whose cells have independent noise of the variance s² tells of the component of B ⊆ A (`residual.py`) as much
as residuals with σ_B² = s²·Π d_j over A∖B. All that tell of it add up: 1/σ_B² = Σ over A ⊇ B of 1/(s_A²·Π d_j).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dprelease.statistics.algebra.residual import AxisFamily, FloatArray, Places, Wholes, added, margin, residual

BITS = 24
"""Estimates take whole multiples of 2^-BITS of what each table tells, so that tables agree exactly."""
ROUNDS = 200
SHARES = 10**6
"""Shares are whole numbers, of which the largest is this."""
FEW = 8
"""Tables that are measured."""
OTHERS = 0.1
"""Weight of each other table where one has 1.1."""
CLEARLY = 0.005
GAP = 1e-7
"""Shares that have changed by less are done."""


@dataclass(frozen=True)
class Widest:
    """Tables of a family that get noise: those of which no other table has all columns with several cells."""

    family: AxisFamily

    @cached_property
    def tables(self) -> tuple[Places, ...]:
        """They, in the family's order; of those that tell the same apart, the first."""
        several: dict[Places, Places] = {}
        within: set[Places] = set()
        for table in self.family.tables:
            *smaller, own = self.family.parts(table)
            several.setdefault(own, table)
            within.update(smaller)
        return tuple(table for own, table in several.items() if own not in within)

    @cached_property
    def _links(self) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]:
        """Table, set, and 1/Π d_j of the columns that are summed: for each set within a table."""
        number = {places: place for place, places in enumerate(self.family.sets)}
        found = [(row, number[part]) for row, table in enumerate(self.tables) for part in self.family.parts(table)]
        rows, columns = np.array(found, dtype=np.int64).T
        sizes = self.family.sizes
        return rows, columns, sizes(self.family.sets)[columns] / sizes(self.tables)[rows]

    def squares(self, variances: FloatArray) -> FloatArray:
        """Return the σ_B² of each set, by the variance of the noise on the cells of each table."""
        rows, columns, parts = self._links
        return 1 / np.bincount(columns, parts / variances[rows], len(self.family.sets))

    def shares(self, objective: str) -> tuple[int, ...]:
        """Return each table's part of ε, where noise has the variance 1/share².

        The largest variance is not convex in the shares. So with `equalise` and FEW tables it is also looked for from
        where one table has nearly all, and what is better by a part of CLEARLY is taken.
        """
        count = len(self.tables)
        best, least = self._searched(objective, np.ones(count) / count)
        if objective == "equalise" and 1 < count <= FEW:
            for own in np.eye(count):
                found, figure = self._searched(objective, (own + OTHERS) / added(own + OTHERS))
                if figure < least * (1 - CLEARLY):
                    best, least = found, figure
        return tuple(max(1, round(share)) for share in (best / best.max() * SHARES).tolist())

    def _searched(self, objective: str, shares: FloatArray) -> tuple[FloatArray, float]:
        """Return the best shares that are seen from some on, never worse than these, and what they come to.

        In steps to where each table's share is as large as its part of the sum of variances; with `equalise` tables
        with large variances count for more from step to step.
        """
        family, weights = self.family, np.ones(len(self.family.tables))
        if objective == "minimise":
            weights = family.sizes(family.tables)
        best, least = shares, np.inf
        for _ in range(ROUNDS):
            squares = self.squares(1 / shares**2)
            variances = family.variances(squares)
            figure = float(variances.max()) if objective == "equalise" else added(weights * variances)
            if figure < least:
                best, least = shares, figure
            owed = self._owed(family.prices(weights) * squares**2, shares)
            following = np.sqrt(shares * np.sqrt(shares * owed))
            following = following / added(following)
            if objective == "equalise":
                weights = weights * np.sqrt(variances / figure)
                weights = np.ldexp(weights, -np.frexp(weights.max())[1])  # exact, and never too small for a float
            elif np.abs(following - shares).max() < GAP:
                break
            if not following.all():
                break  # from here on the noise of some table would be without end
            shares = following
        return best, least

    def _owed(self, prices: FloatArray, shares: FloatArray) -> FloatArray:
        """Return the part of Σ weight·V that the noise of each table answers for."""
        rows, columns, parts = self._links
        found = np.bincount(rows, prices[columns] * parts * shares[rows] ** 2, len(self.tables)).astype(np.float64)
        return found / added(found)

    def together(self, counts: Sequence[Wholes], variances: FloatArray) -> dict[Places, Wholes]:
        """Combine all tables' residuals of each set, in parts of 2^-BITS: whole numbers, weighted to add up."""
        rows, columns, parts = self._links
        told = parts / variances[rows]
        whole = np.bincount(columns, told, len(self.family.sets))
        found: dict[Places, Wholes] = {}
        for number, places in enumerate(self.family.sets):
            which = np.flatnonzero(columns == number).tolist()
            weights = _wholes([float(told[place] / whole[number]) for place in which])
            own = [residual(margin(counts[rows[place]], self.tables[rows[place]], places)) for place in which]
            weighted = [weight * each.astype(object) for weight, each in zip(weights, own, strict=True)]
            found[places] = np.sum(weighted, axis=0)
        return found


def _wholes(shares: Sequence[float]) -> list[int]:
    """Return shares of 1 as whole numbers that add up to 2^BITS: what rounding leaves goes to the largest."""
    found = [round(share * 2**BITS) for share in shares]
    found[found.index(max(found))] += 2**BITS - sum(found)
    return found
