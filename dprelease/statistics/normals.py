"""Columns that are taken to be normally distributed within a class: by noisy second moments, class by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.column import Column
from dprelease.model.privacy import Terms
from dprelease.model.release import Cell
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.agreed import NoisySource
from dprelease.statistics.algebra.elementary import Floats, added
from dprelease.statistics.algebra.inversion import LARGEST, rounding, share_of_moments, variance_interval
from dprelease.statistics.algebra.odds import LEAST
from dprelease.statistics.algebra.sensitivity import moments_of, quotient
from dprelease.statistics.algebra.solving import nine
from dprelease.statistics.tabulated import Integers, Measurement

NARROWEST = 0.03
"""Least standard deviation, of the width: so that values which hardly vary in a class rule no class out."""
CLEAR = 2.0
"""A class's rows are there if they are more than so many standard deviations of their noise."""
UNTOLD = (0.5, 0.5, 0.5)
"""Mean, standard deviation and that with noise, in widths, of a column that has nothing to say."""
BINS = 3
"""A mean and a variance move as a table of so many bins does, whose free shares are two."""
Row = Sequence[Cell]


@dataclass(frozen=True)
class ClassNormals:
    """Mean and standard deviation of a column by class, in its own units, with intervals where rows stand out."""

    name: str
    means: Sequence[float]
    deviations: Sequence[float]
    """Standard deviations by which classes are told: wider than those of the rows by as much as there is noise."""
    mean: tuple[Row, Row, Row]
    """Published means: value, lower and upper end; nothing of a class that does not stand out."""
    deviation: tuple[Row, Row, Row]


@dataclass(frozen=True)
class Normals:
    """Numeric columns by class, through Σc², 2Σc(K − c) and Σ(K − c)² of the distances c to the lower bound.

    A row adds K² in all to the three sums of its class: L1 = L2 = m·K² under add_remove, 2m·K² and √2·m·K² under
    substitute, whatever the number of classes.
    """

    schema: Schema
    names: tuple[str, ...]
    classes: Key
    present: tuple[str, ...]
    """Columns of which rows have a value that count."""

    @property
    def _columns(self) -> list[Column]:
        return [self.schema[name] for name in self.names]

    def _asked(self, column: Column) -> tuple[TallyQuery, ...]:
        up = moments.above(column)
        return moments.queries((self.classes,), [up, up], self.schema, self.present)

    def queries(self) -> tuple[TallyQuery, ...]:
        """Return the queries for rows, Σc and Σc² of each column, by class."""
        return tuple(query for column in self._columns for query in self._asked(column))

    def measurements(self, noise: type[Noise], terms: Terms) -> list[Measurement]:
        """Return three sums a class, of each column."""
        shape = (self.classes.cells, 3)
        stated = (moments_of(terms, shape, column.lattice.steps**2) for column in self._columns)
        return [Measurement(noise, shape, each) for each in stated]

    def exact(self, tallies: Sequence[Integers]) -> list[Integers]:
        """Return the three sums of each class, in the order of `queries`."""
        found = []
        rest = list(tallies)
        for column in self._columns:
            asked = self._asked(column)
            own, rest = rest[: len(asked)], rest[len(asked) :]
            up, down = moments.above(column), moments.below(column)
            parts = ((1, [up, up]), (2, [up, down]), (1, [down, down]))
            sums = [weight * moments.total(factors, asked, own) for weight, factors in parts]
            found.append(np.stack(sums, axis=-1) // quotient(column.lattice.steps**2))
        return found

    def variances(self, mechanisms: Sequence[Mechanism]) -> list[float]:
        """Return the variance of the noise on a sum of each column, where a row counts 1."""
        return [_variance(each) / _row(column) ** 2 for column, each in zip(self._columns, mechanisms, strict=True)]

    def rows(self, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> list[NoisySource]:
        """Return the noisy number of rows of each class, as each column tells it: a table of one bin."""
        columns = zip(self._columns, drawn, self.variances(mechanisms), strict=True)
        return [NoisySource(added(_floats(sums))[None] / _row(column), 3.0 * each) for column, sums, each in columns]

    def bells(self, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> list[ClassNormals]:
        """Return mean and standard deviation of each column in each class."""
        every = zip(self._columns, drawn, mechanisms, self.variances(mechanisms), strict=True)
        return [_bell(column, _floats(sums), own, sqrt(each)) for column, sums, own, each in every]


def _bell(column: Column, sums: Floats, mechanism: Mechanism, deviation: float) -> ClassNormals:
    """Return a column's normals by class. `deviation`: of noise on a sum, a row being 1; three are a class's rows."""
    rows, together = added(sums) / _row(column), added(sums, 0)
    least = CLEAR * sqrt(3.0) * deviation
    clear, many = (rows > least).tolist(), sqrt(len(rows))
    whole = float(added(together)) / _row(column)
    pooled = _told(together, many * deviation / whole) if whole > many * least else UNTOLD
    found = [
        _told(own, deviation / each) if stands else pooled
        for own, each, stands in zip(sums, rows.tolist(), clear, strict=True)
    ]
    lattice = column.lattice
    lower, width = float(lattice.start * lattice.resolution), float(lattice.steps * lattice.resolution)
    off = rounding(quotient(lattice.steps**2))
    means = share_of_moments(sums, mechanism, rounding=off)
    spreads = [np.sqrt(end) for end in variance_interval(sums, mechanism, rounding=off)]

    def told(values: Sequence[float], ends: Sequence[Floats], start: float) -> tuple[Row, Row, Row]:
        every = zip(values, *ends, clear, strict=True)
        each = [
            (value, min(value, float(low)), max(value, float(high))) if stands else (None, None, None)
            for value, low, high, stands in every
        ]
        value, low, high = (
            [None if at is None else nine(start + width * at) for at in row] for row in zip(*each, strict=True)
        )
        return value, low, high

    return ClassNormals(
        column.name,
        [nine(lower + width * mean) for mean, _, _ in found],
        [nine(width * wide) for *_, wide in found],
        told([mean for mean, _, _ in found], means, lower),
        told([spread for _, spread, _ in found], spreads, 0.0),
    )


def _told(sums: Floats, noise: float) -> tuple[float, float, float]:
    """Return mean, standard deviation, and that with what noise adds, in widths; of sums with a total above 0.

    `noise`: its deviation in each sum, as a part of the rows. With mean r and variance v (`inversion`) it moves r by
    noise·√((1 − r)² + (½ − r)² + r²) and v by noise·√(((1 − r)² − v)² + (r(1 − r) + v)² + (r² − v)²): the square of the
    first and the second are added to v, as a value may lie so much farther off.
    """
    first, middle, _ = sums.tolist()
    whole = float(added(sums))
    r = min(1.0, max(0.0, (first + middle / 2.0) / whole))
    v = min(LARGEST, max(0.0, first / whole - r * r))
    of_mean = noise * noise * ((1.0 - r) * (1.0 - r) + (0.5 - r) * (0.5 - r) + r * r)
    parts = ((1.0 - r) * (1.0 - r) - v, r * (1.0 - r) + v, r * r - v)
    of_variance = noise * sqrt(sum(part * part for part in parts))
    return r, sqrt(v), max(NARROWEST, sqrt(min(LARGEST, v + of_mean + of_variance)))


def _floats(sums: Any) -> Floats:
    return np.asarray(sums, dtype=np.float64).reshape(-1, 3)


def _row(column: Column) -> float:
    """Return the amount a row adds to the three sums of its class."""
    square = column.lattice.steps**2
    return square / quotient(square)


def _variance(mechanism: Mechanism) -> float:
    """Return the variance of the noise on one integer, never quite 0."""
    assert isinstance(mechanism, Noise)
    return max(float(mechanism.variance), LEAST)
