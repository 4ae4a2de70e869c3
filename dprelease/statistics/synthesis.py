"""Rows that are nobody's, made of noisy tables, and how far they are off, told by these tables alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum, prod, sqrt

import numpy as np

from dprelease.statistics.algebra.cliques import Cliques, spread
from dprelease.statistics.algebra.raking import Codes, counted, raked
from dprelease.statistics.algebra.residual import AxisFamily, FloatArray, Places
from dprelease.statistics.algebra.shrinking import Shrinking, component
from dprelease.statistics.algebra.stream import Stream

FEWEST, MOST = 20_000, 100_000
"""Candidates: twice as many as rows, within these bounds."""
PARTS, STEP = 2, 0.5
"""Pairs of fits to a part of other noise and to its opposite, by which it is told how far rows follow the noise."""
LOOSE, MIN_KEPT = 4.0, 0.02
"""Looseness of the fit of weights where all of a component is kept (less kept: looser), and its least kept part."""
Z95, OF_ONE = 1.96, 1.5
"""Standard deviations an error may be off, and how many times the largest variance of its noise beyond that:
squares of few normal numbers reach further up than normal numbers do."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Squared distance of a table of rows from the true one: added up over cells, at the noisy number of rows."""

    square: float
    """May be negative, as any difference of what varies."""
    lower: float
    upper: float


@dataclass(frozen=True)
class Synthesis:
    """Rows of estimates that agree with one another."""

    family: AxisFamily
    """All tables over up to some number of columns."""
    estimates: Mapping[Places, FloatArray]
    squares: FloatArray
    """The σ_B² of what was measured, of each set of the family."""
    stream: Stream
    excess: float = 0.0
    """The fourth cumulant of the noise on a cell over its squared variance: 0 of normal, 3 of Laplace noise."""
    ordered: Places = ()
    """The columns whose neighbouring cells are alike."""

    @cached_property
    def total(self) -> float:
        """The noisy number of rows; at least one, so that there are shares."""
        return self._total(self.estimates)

    @property
    def count(self) -> int:
        """The noisy number of rows."""
        return max(0, round(sum(self.estimates[self.family.tables[0]].ravel().tolist())))

    def _total(self, estimates: Mapping[Places, FloatArray]) -> float:
        return max(1.0, fsum(estimates[self.family.tables[0]].ravel().tolist()))

    @cached_property
    def variances(self) -> dict[Places, float]:
        """Variance of the noise on a cell of each table."""
        found = self.family.variances(self.squares).tolist()
        return dict(zip(self.family.tables, found, strict=True))

    def rows(self, count: int) -> Codes:
        """Return so many rows, in no order: of each column the cell of each row."""
        codes, weights = self._fit(self.estimates, self._candidates(count))
        chosen = spread(weights, count, float(self.stream.uniform("start", 1)[0]))
        order = np.argsort(self.stream.words("order", count), kind="stable")
        return np.asarray(codes[:, chosen[order]])

    @staticmethod
    def _candidates(count: int) -> int:
        """Return the number of candidates that so many rows are chosen of."""
        return min(MOST, max(FEWEST, 2 * count))

    def _fit(self, estimates: Mapping[Places, FloatArray], count: int) -> tuple[Codes, FloatArray]:
        """Return so many candidates with weights."""
        total = self._total(estimates)
        deviations = {places: sqrt(variance) for places, variance in self.variances.items()}
        squares = dict(zip(self.family.sets, self.squares.tolist(), strict=True))
        shrunk = Shrinking(self.family.cells, estimates, squares, self.ordered, total)
        deviations = {places: LOOSE * own / max(shrunk.kept[places], MIN_KEPT) for places, own in deviations.items()}
        codes = Cliques(self.family.cells, shrunk.tables).candidates(count, self.stream)
        return codes, raked(codes, self.family.cells, shrunk.tables, deviations, total)

    def misfits(self, rows: Codes) -> Iterator[tuple[Places, Misfit]]:
        """Estimate the squared error of each table of rows.

        E = Σ (row − estimate)² − d·V + 2·Σ Cov(row, estimate) over the d cells: unbiased where the covariance is, which
        is that of rows made of other noise. Var(E) ≤ 2·tr Σ² + 4·δ'Σδ + κ·d·V² with δ = row − estimate, κ of `excess`
        and Σ, the covariance of the estimates of A: σ_B² / Π d_i over A∖B on the component of each B ⊆ A, which has
        Π (d_i − 1) dimensions. (Where rows are S times the estimates, E is off by ε'(I − 2S)ε − 2δ'ε of the noise ε;
        no more than rows that do not follow it, S = 0, or that are it, S = I. A squared cell has κ·V² beside 2·V².)
        """
        squares = dict(zip(self.family.sets, self.squares.tolist(), strict=True))
        covariances = self._covariances(rows.shape[1])
        for table, estimate in self.estimates.items():
            cells = estimate.size
            off = counted(rows, self.family.cells, table) * (self.total / max(1, rows.shape[1])) - estimate
            traces, largest, slope = [], 0.0, []
            for part in self.family.parts(table):
                own = squares[part] / prod(self.family.cells[place] for place in table if place not in part)
                largest = max(largest, own)
                traces.append(own**2 * prod(self.family.cells[place] - 1 for place in part))
                slope.append(own * _squared(component(off, table, part)))
            square = _squared(off) - cells * self.variances[table] + 2 * covariances[table]
            heavy = self.excess * cells * self.variances[table] ** 2
            reach = Z95 * sqrt(2 * fsum(traces) + 4 * fsum(slope) + heavy)
            yield table, Misfit(square, square - reach, square + reach + OF_ONE * largest)

    def _covariances(self, rows: int) -> dict[Places, float]:
        """Estimate Σ Cov(row, estimate) of each table: how far so many rows go along some of the noise.

        By Stein's lemma E ε'f(y) = E tr(Σ·∂f/∂y) for normal noise ε of covariance Σ in y, and for other noise, of the
        same covariance and known, ε*'·(f(y + h·ε*) − f(y − h·ε*))/2h has that mean but for terms in h². It is counted
        as a part of what Σ ε*² comes to, and of d·V that part is told: how large the few noises are by chance so does
        not matter. f is fitted with as many candidates as the rows are: with fewer, cells without one follow nothing.
        """
        along, whole = self._along(self._candidates(rows))
        return {
            table: estimate.size * self.variances[table] * along[table] / whole[table]
            for table, estimate in self.estimates.items()
        }

    def _along(self, count: int) -> tuple[dict[Places, float], dict[Places, float]]:
        """Return by table how far fits to the estimates and noise, and to the estimates and the opposite noise, differ
        along that noise, for each step of it; and the noise's squares: sums over all pairs of fits."""
        cells, tables = self.family.cells, self.family.tables
        along: dict[Places, list[float]] = {table: [] for table in tables}
        whole: dict[Places, list[float]] = {table: [] for table in tables}
        for number in range(PARTS):
            noise = self._noise(f"noise {number}")
            one, two = (
                self._fit({table: self.estimates[table] + sign * noise[table] for table in tables}, count)
                for sign in (STEP, -STEP)
            )
            for table in tables:
                apart = counted(one[0], cells, table, one[1]) - counted(two[0], cells, table, two[1])
                along[table].append(fsum((apart * noise[table]).ravel().tolist()) / (2 * STEP))
                whole[table].append(_squared(noise[table]))
        return {table: fsum(along[table]) for table in tables}, {table: fsum(whole[table]) for table in tables}

    def _noise(self, purpose: str) -> dict[Places, FloatArray]:
        """Numbers for the cells of each table that vary as its noise does: the sum of a part for each set within it."""
        cells, parts = self.family.cells, {}
        for places, square in zip(self.family.sets, self.squares.tolist(), strict=True):
            shape = [cells[place] for place in places]
            part = self.stream.bell(f"{purpose} {places}", prod(shape)).reshape(shape) * sqrt(square)
            parts[places] = component(part, places, places)
        found = {}
        for table in self.family.tables:
            own = np.zeros([cells[place] for place in table])
            for places in self.family.parts(table):
                others = prod(cells[place] for place in table if place not in places)
                own = own + parts[places].reshape([cells[p] if p in places else 1 for p in table]) / others
            found[table] = own
        return found


def _squared(numbers: FloatArray) -> float:
    return fsum((numbers * numbers).ravel().tolist())
