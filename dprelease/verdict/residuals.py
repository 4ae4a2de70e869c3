"""Tables that are said to come of noisy residuals, made of them again in another way: by averages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from dprelease.model.release import Axis, Estimates, Model
from dprelease.model.stated import StatedMechanism

Reals = NDArray[np.float64]
Places = tuple[int, ...]
NEAR = 1e-9
"""How far apart floats may be, relative to the largest number."""
WIDER = 1.5
"""By how many rows an interval may reach further than a normal one: half a step and a step at most."""


def follows(output: Model, mechanism: StatedMechanism) -> bool:
    """Tells whether each table is what the noisy residuals beside them come to, with intervals as wide as noise is.

    What residuals tell of a cell beyond the tables over fewer columns is the noisy integer, divided by the cells of its
    columns, less its averages along each of them. The tables of one column come first, and say which column is which.
    """
    tables, residuals = list(output.parts.values()), output.facts["residuals"]
    stated = mechanism.settings
    cells = [int(text) for text in str(stated["cells"]).split()]
    sets = [tuple(map(int, text.split())) for text in str(stated["sets"]).split("|")]
    scales = dict(zip(sets, map(float, str(stated["scales"]).split()), strict=True))
    parts = dict(_parts(np.array(residuals, dtype=np.float64), sets, cells))
    columns = [table.axes[0] for table in tables[: len(cells)]]
    return all(_follows(table, _places(table.axes, columns), parts, scales, cells) for table in tables)


def _parts(values: Reals, sets: Sequence[Places], cells: Sequence[int]) -> Iterator[tuple[Places, Reals]]:
    first = 0
    for places in sets:
        shape = [cells[place] for place in places]
        numbers = values[first : first + prod(shape)].reshape(shape) / prod(shape)
        for axis in range(len(shape)):
            numbers = numbers - numbers.mean(axis=axis, keepdims=True)
        first += prod(shape)
        yield places, numbers
    if first != len(values):
        raise ValueError("residuals of other sets")


def _places(axes: Sequence[Axis], columns: Sequence[Axis]) -> Places:
    return tuple(columns.index(axis) for axis in axes)


def _follows(
    table: Estimates,
    places: Places,
    parts: Mapping[Places, Reals],
    scales: Mapping[Places, float],
    cells: Sequence[int],
) -> bool:
    shape = [cells[place] for place in places]
    total, variance = np.zeros(shape), 0.0
    several = [place for place in places if cells[place] > 1]
    for chosen in product((False, True), repeat=len(several)):
        part = tuple(place for place, taken in zip(several, chosen, strict=True) if taken)
        others = prod(cells[place] for place in places if place not in part)
        total += parts[part].reshape([cells[place] if place in part else 1 for place in places]) / others
        own = prod((1 - 1 / cells[place]) / cells[place] ** 2 for place in part)
        variance += scales[part] ** 2 * own / others**2
    value, lower, upper = (np.array(each, dtype=np.float64) for each in (table.value, table.lower95, table.upper95))
    near, reach = NEAR * max(1.0, float(np.abs(upper).max())), NormalDist().inv_cdf(0.975) * sqrt(variance)
    wide = [value - lower - reach, upper - value - reach]
    return bool(np.abs(value - total.ravel()).max() <= near) and all(
        each.min() >= -near and each.max() <= WIDER + near for each in wide
    )
