"""Noisy tables drawn towards what tables over fewer columns say of them: the more so, the less they say beside noise.

The component of a table over the columns A is what it has beyond the largest entropy that its own tables over fewer
columns allow. A cell d of it, with noise of variance v, becomes w·d with w = t·p/(t·p + v): the mean that is left of a
normal d of variance t·p. p says where a component is likely large: in cells of frequent values, Π s(1 − s) of the
shares s of the values, as counts of independent columns vary; or, along columns of numbers, at low frequencies f of
cosines, Π f^−4: what is smooth. Which of both, and t, are those of the least

    Σ (1 − w)²·d² + 2·Σ v·w − Σ v,

which is unbiased for the squared error of w·d whatever the truth is (Stein 1981), if w were given beforehand.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod, sqrt

import numpy as np

from dprelease.statistics.algebra.elementary import added, cosine
from dprelease.statistics.algebra.raking import projected
from dprelease.statistics.algebra.residual import FloatArray, Places

TIMES = tuple(2.0**power for power in range(-8, 25))
"""Candidates of t, with the mean of p made v."""
SWEEPS = 5
"""Until tables over three columns and more have the margins that they are to have."""
LONGEST = 64
"""Cells of an axis along which cosines are taken."""
LEAST = 1e-9


@dataclass(frozen=True)
class Shrinking:
    """All tables over up to some number of columns, from those over the fewest on."""

    cells: Sequence[int]
    estimates: Mapping[Places, FloatArray]
    """With all tables over fewer columns of each."""
    squares: Mapping[Places, float]
    """The σ_B² of each component that has noise."""
    ordered: Collection[int]
    """The places of columns whose neighbouring cells are alike."""
    total: float
    tables: dict[Places, FloatArray] = field(default_factory=dict)
    """Shrunk tables: nothing in one is negative, and each adds up to the total."""
    kept: dict[Places, float] = field(default_factory=dict)
    """Part that is left of each component, as the mean of w."""

    def __post_init__(self) -> None:
        for places in sorted(self.estimates, key=lambda each: (len(each), each)):
            expected = self._expected(places)
            own, self.kept[places] = self._component(
                places, component(self.estimates[places] - expected, places, places)
            )
            self.tables[places] = projected(self._with_margins(places, expected + own), self.total)

    def _expected(self, places: Places) -> FloatArray:
        """Return the table of the largest entropy that has its tables over fewer columns."""
        shape = [self.cells[place] for place in places]
        table = np.full(shape, self.total / prod(shape))
        for _ in range(SWEEPS if len(places) > 2 else 1):
            for axis in range(len(places)):
                fewer = places[:axis] + places[axis + 1 :]
                is_, wanted = added(table, axis), self.tables[fewer] if fewer else self.total
                table = table * np.expand_dims(np.where(is_ > 0, wanted / np.where(is_ > 0, is_, 1.0), 0.0), axis)
        return table

    def _with_margins(self, places: Places, table: FloatArray) -> FloatArray:
        """Add what entropy leaves out of the tables over fewer columns after so few sweeps, spread evenly."""
        if len(places) > 2:
            for axis, size in enumerate(table.shape):
                wanted = self.tables[places[:axis] + places[axis + 1 :]]
                table = table + np.expand_dims((wanted - added(table, axis)) / size, axis)
        return table

    def _component(self, places: Places, own: FloatArray) -> tuple[FloatArray, float]:
        """Return the shrunk component, and the part that is left of it."""
        if places not in self.squares:
            return np.zeros_like(own), 1.0
        square = self.squares[places]
        noise = square * prod((self.cells[place] - 1) / self.cells[place] for place in places)
        risk, weight = _weights(own, np.full(own.shape, noise), self._frequent(places))
        found = weight * own
        axes = [axis for axis, size in enumerate(own.shape) if places[axis] in self.ordered and size <= LONGEST]
        if axes:
            waves, noises, smooth = along(own, axes, inverse=False), np.full(own.shape, square), np.ones(own.shape)
            for axis, size in enumerate(own.shape):
                if axis in axes:
                    frequencies = np.arange(float(size))
                    smooth = smooth / _on(axis, own.ndim, np.maximum(frequencies, 1.0) ** 2) ** 2
                    noises = noises * _on(axis, own.ndim, np.minimum(frequencies, 1.0))
                else:
                    noises = noises * (size - 1) / size
            smoothed = _weights(waves, noises, smooth)
            if smoothed[0] < risk:
                weight = smoothed[1]
                found = along(weight * waves, axes, inverse=True)
        return found, float(added(weight.ravel())) / weight.size

    def _frequent(self, places: Places) -> FloatArray:
        found = np.ones([self.cells[place] for place in places])
        if len(places) > 1:
            for axis, place in enumerate(places):
                share = self.tables[(place,)] / self.total
                found = found * _on(axis, len(places), np.maximum(share * (1 - share), LEAST))
        return found


def component(numbers: FloatArray, table: Places, part: Places) -> FloatArray:
    """Return numbers less their averages along the axes of a part, and averages along the others."""
    for axis, place in enumerate(table):
        cells = numbers.shape[axis]
        average = np.take(np.add.accumulate(numbers, axis=axis), [cells - 1], axis=axis) / cells
        numbers = numbers - average if place in part else average + np.zeros_like(numbers)
    return numbers


def _weights(own: FloatArray, noises: FloatArray, likely: FloatArray) -> tuple[float, FloatArray]:
    """Return the weights of the least risk, and that risk less Σ v, which no weights change."""
    scaled, squares, twice = likely / (float(added(likely.ravel())) / likely.size), own * own, 2 * noises
    whole = np.ones_like(own)
    best, taken = float(added(squares.ravel())), whole  # nothing is left
    for taking in (1 / (times * scaled + 1) for times in TIMES):  # 1 − w
        risk = float(added((taking * (taking * squares - twice) + twice).ravel()))
        if risk < best:
            best, taken = risk, taking
    everything = float(added(twice.ravel()))
    return (everything, whole) if everything < best else (best, 1 - taken)


def _on(axis: int, axes: int, numbers: FloatArray) -> FloatArray:
    """Return numbers for the cells of an axis."""
    return numbers.reshape([-1 if each == axis else 1 for each in range(axes)])


def along(numbers: FloatArray, axes: Sequence[int], *, inverse: bool) -> FloatArray:
    """Return amounts of the cosines along some axes, of each frequency, or what they add up to."""
    for axis in axes:
        waves, moved = _waves(numbers.shape[axis]), np.moveaxis(numbers, axis, 0)
        waves = waves.T if inverse else waves
        parts = (waves[:, place].reshape([-1] + [1] * (moved.ndim - 1)) * moved[place] for place in range(len(moved)))
        whole = np.zeros_like(moved)
        for part in parts:
            whole = whole + part
        numbers = np.moveaxis(whole, 0, axis)
    return numbers


@lru_cache(maxsize=LONGEST)
def _waves(cells: int) -> FloatArray:
    """√(2/n)·cos(π·f·(2i + 1)/(2n)) for each frequency f and cell i, and √(1/n) where f is 0: an orthonormal basis."""
    turns = np.outer(np.arange(cells), 2 * np.arange(cells) + 1) % (4 * cells)
    found = cosine(np.minimum(turns, 4 * cells - turns) / (2.0 * cells)) * sqrt(2 / cells)
    found[0] = sqrt(1 / cells)
    return found
