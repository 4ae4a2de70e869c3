"""Principal components out of noisy sums of products, with what the noise in them leaves open.

Plain floats in a fixed order: the same on every machine. Terms lie between -1 and 1, the last of them being what
`LineSums` takes for the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, sqrt

from dprelease.statistics.algebra.line import Entry, LineSums
from dprelease.statistics.algebra.solving import Matrix, Vector, dot, eigen, times

APART = 2.0
"""So many times as much as noise moves eigenvalues is one to be away from the others for its interval to hold."""


@dataclass(frozen=True)
class Principal:
    """The directions of A = Σ (t - mean)(t - mean)', the one with most of the variation first.

    Noise E in A moves an eigenvalue by v'Ev, and a vector by Σ (v_k'Ev / (λ - λ_k)) v_k over the others, as far as the
    first order goes: which is far enough where λ is further from the others than twice 2|E|/√d, d terms and |E| the
    Frobenius norm that is expected (of independent entries the largest eigenvalue is about that: Wigner's law).
    """

    sums: LineSums

    @cached_property
    def means(self) -> Vector:
        """Means of the terms."""
        return self.sums.means

    @cached_property
    def _found(self) -> tuple[Vector, Matrix]:
        """Eigenvalues, the largest first, and a row for the vector of each: its largest entry is above 0."""
        means, n, last = self.means, self.sums.rows, self.sums.many
        whole = [[self.sums.matrix[i + 1][j + 1] - n * means[i] * means[j] for j in range(last)] for i in range(last)]
        values, vectors = eigen(whole)
        order = sorted(range(last), key=lambda place: -values[place])
        return [values[place] for place in order], [_signed(vectors[place]) for place in order]

    @property
    def vectors(self) -> Matrix:
        """A row for each direction, of length 1."""
        return self._found[1]

    @cached_property
    def total(self) -> float:
        """The variation of all terms: eigenvalues below 0 are noise, and count as none."""
        return fsum(max(0.0, value) for value in self._found[0])

    @property
    def says_something(self) -> bool:
        """True if there are more rows than noise makes, and variation."""
        return self.sums.has_rows and self.total > 0

    def share(self, place: int) -> float:
        """Return the part of all variation that is along a direction."""
        return max(0.0, self._found[0][place]) / self.total

    def is_apart(self, place: int) -> bool:
        """Return True if noise leaves the direction apart from all others."""
        values, last = self._found[0], self.sums.many
        size = sqrt(fsum(s * s * number**2 for s, rows in self._moved for row in rows for number in row))
        reach = 2.0 * size / sqrt(last)
        return all(abs(values[place] - value) >= APART * reach for other, value in enumerate(values) if other != place)

    def deviations(self, place: int) -> tuple[float, Vector]:
        """Return the standard deviations of the share along a direction, and of each entry of its vector."""
        (values, vectors), many = self._found, self.sums.many
        others = [k for k in range(many) if k != place]
        share, parts = 0.0, [0.0] * many
        for s, rows in self._moved:
            trace = fsum(rows[k][k] for k in range(many))
            share += (s * (rows[place][place] - self.share(place) * trace) / self.total) ** 2
            turned = [rows[k][place] / (values[place] - values[k]) for k in others]
            for entry in range(many):
                moved = s * fsum(number * vectors[k][entry] for k, number in zip(others, turned, strict=True))
                parts[entry] += moved * moved
        return sqrt(share), list(map(sqrt, parts))

    @cached_property
    def _moved(self) -> list[tuple[float, Matrix]]:
        """Deviation of each measured entry, and v_k'Dv_l by pairs of directions for the D by which 1 more moves A."""
        along = times(self.vectors, self.means)
        return [(s, self._change(entry, along)) for entry, s in self.sums.deviations.items()]

    def _change(self, entry: Entry, along: Sequence[float]) -> Matrix:
        """A = M - mm'/n, m = n·mean: of n it is mean·mean', of an m -(mean·e' + e·mean'), of a product e·e' + e·e'."""
        (i, j), vectors = entry, self.vectors
        whole = range(self.sums.many)
        if j == 0:
            squares = [place - 1 for (place, _), source in self.sums.places.items() if source == entry]
            return [
                [along[k] * along[m] + fsum(vectors[k][a] * vectors[m][a] for a in squares) for m in whole]
                for k in whole
            ]
        if i == 0:
            return [[-along[k] * vectors[m][j - 1] - along[m] * vectors[k][j - 1] for m in whole] for k in whole]
        factor = 0.5 if i == j else 1.0
        return [
            [factor * (vectors[k][i - 1] * vectors[m][j - 1] + vectors[k][j - 1] * vectors[m][i - 1]) for m in whole]
            for k in whole
        ]


def _signed(vector: Vector) -> Vector:
    largest = max(vector, key=abs)
    length = sqrt(dot(vector, vector)) * (1.0 if largest >= 0 else -1.0)
    return [number / length for number in vector]
