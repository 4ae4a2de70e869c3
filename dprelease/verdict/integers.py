"""Tables that are said to come of noisy integers beside them, made of these again in another way: by averages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.model.release import Estimates, MeasuredTables, SyntheticRows
from dprelease.model.stated import StatedMechanism
from dprelease.verdict import transcript

FloatArray = NDArray[np.float64]
Places = tuple[int, ...]
"""Places of columns among those of the family."""
NEAR = 1e-9
"""Tolerance of floats, relative to the largest number of all tables."""
WHOLE = 1e-6
"""The same, relative to the largest noisy integer, where tables are weighted in whole parts of 2^-24."""
WIDER = 1.5
"""Rows by which an interval may reach further than a normal one: half a step and a step at most."""
HEAVIER = 1.1
"""Factor by which Laplace noise may reach further than normal noise of its variance: ln 20 / √2 = 2.118, not 1.96."""


@dataclass(frozen=True)
class _Part:
    """Residual of a set of columns: what was measured beyond the sets within it."""

    numbers: FloatArray
    """Its share of each cell's count: no sums along any column."""
    square: float
    """The variance of such a number before the sums along columns were taken off."""


@dataclass(frozen=True)
class SourceTables:
    """The tables whose noisy integers these are, where they are those of another statistic: options, and answer."""

    asked: Mapping[str, Any]
    output: MeasuredTables | SyntheticRows


def follows(
    output: MeasuredTables | SyntheticRows,
    asked: Mapping[str, Any],
    mechanisms: Sequence[StatedMechanism],
    given: SourceTables | None = None,
) -> bool:
    """Return True if each table is what the noisy integers beside them come to, with intervals as wide as noise is.

    `asked`: the statistic as in a plan. Raises ValueError or KeyError where the integers are of something else.
    """
    if isinstance(output, SyntheticRows) and asked.get("method") in transcript.METHODS:
        columns = len(asked["columns"])
        return transcript.follows(output, asked["method"], columns, min(asked.get("order") or 2, columns), mechanisms)
    whole = SourceTables(asked, output) if given is None else given
    measured = dict(zip(_tables(whole.asked), _parts_of(whole.output), strict=True))
    cells = {
        place: len(axis.cells)
        for places, table in measured.items()
        for place, axis in zip(places, table.axes, strict=True)
    }
    residuals = mechanisms[0].name == "residual_gaussian"
    drawn = [np.array(numbers, dtype=np.float64) for numbers in output.integers]
    parts = dict(
        _of_residuals(drawn[0], mechanisms[0]) if residuals else _of_tables(drawn, mechanisms, measured, cells)
    )
    largest = max(1.0, *(float(np.abs(each).max(initial=0)) for each in (drawn if not residuals else _ends(measured))))
    near, wider = (NEAR * largest, 1.0) if residuals else (WHOLE * largest, HEAVIER)
    there = [whole.asked["columns"].index(name) for name in asked["columns"]]
    return all(
        _follows(table, tuple(there[place] for place in places), parts, cells, near, wider)
        for places, table in zip(_tables(asked), _parts_of(output), strict=True)
    )


def _parts_of(output: MeasuredTables | SyntheticRows) -> list[Estimates]:
    """Return the measured tables: of rows that are nobody's, the last table tells how far they are off."""
    return list(output.parts.values())[: -1 if isinstance(output, SyntheticRows) else None]


def _ends(tables: Mapping[Places, Estimates]) -> Iterator[FloatArray]:
    for table in tables.values():
        yield np.array([table.lower95, table.upper95], dtype=np.float64)


def _tables(asked: Mapping[str, Any]) -> list[Places]:
    columns = asked["columns"]
    if asked.get("tables"):
        return [tuple(sorted(columns.index(name) for name in names)) for names in asked["tables"]]
    most = min(asked.get("order") or 2, len(columns))
    return [places for length in range(1, most + 1) for places in combinations(range(len(columns)), length)]


def _of_residuals(values: FloatArray, mechanism: StatedMechanism) -> Iterator[tuple[Places, _Part]]:
    """Yield each noisy residual, divided by the cells of its columns, less its averages along each of them."""
    stated = mechanism.settings
    cells = [int(text) for text in str(stated["cells"]).split()]
    sets = [tuple(map(int, text.split())) for text in str(stated["sets"]).split("|")]
    first = 0
    for places, scale in zip(sets, map(float, str(stated["scales"]).split()), strict=True):
        shape = [cells[place] for place in places]
        size = prod(shape)
        yield places, _Part(_without_sums(values[first : first + size].reshape(shape) / size), (scale / size) ** 2)
        first += size
    if first != len(values):
        raise ValueError("residuals of other sets")


def _of_tables(
    values: Sequence[FloatArray],
    mechanisms: Sequence[StatedMechanism],
    tables: Mapping[Places, Estimates],
    cells: Mapping[int, int],
) -> Iterator[tuple[Places, _Part]]:
    """Yield sums of each noisy table that has the columns, averaged by how precise they are, less their averages."""
    noisy = [
        (places, numbers.reshape([cells[place] for place in places]), float(str(noise.scale)))
        for places, numbers, noise in zip(_widest(tables, cells), values, mechanisms, strict=True)
    ]
    for part in {part for places in tables for part in _parts(places, cells)}:
        total, precision = np.zeros([cells[place] for place in part]), 0.0
        for places, numbers, scale in noisy:
            if {*part} <= {*places}:
                summed = tuple(axis for axis, place in enumerate(places) if place not in part)
                own = 1 / (2 * scale**2 * prod(numbers.shape[axis] for axis in summed))
                total, precision = total + own * numbers.sum(axis=summed), precision + own
        yield part, _Part(_without_sums(total / precision), 1 / precision)


def _widest(tables: Iterable[Places], cells: Mapping[int, int]) -> list[Places]:
    """Return the sets that no other table has all columns of; a column with one cell counts for none."""
    several: dict[Places, Places] = {}
    for places in tables:
        several.setdefault(tuple(place for place in places if cells[place] > 1), places)
    return [places for own, places in several.items() if not any({*own} < {*other} for other in several)]


def measured_tables(
    output: MeasuredTables, asked: Mapping[str, Any]
) -> Iterator[tuple[Places, list[int], Sequence[int]]]:
    """The tables that got noise as they are: places of columns, cells of each, integers. None of noise on residuals."""
    tables = dict(zip(_tables(asked), output.parts.values(), strict=True))
    cells: dict[int, int] = {}
    for own, table in tables.items():
        cells |= {place: len(axis.cells) for place, axis in zip(own, table.axes, strict=True)}
    found = [(places, [cells[place] for place in places]) for places in _widest(tables, cells)]
    if [prod(sizes) for _, sizes in found] == [len(numbers) for numbers in output.integers]:
        for (places, sizes), numbers in zip(found, output.integers, strict=True):
            yield places, sizes, numbers


def _parts(places: Places, cells: Mapping[int, int]) -> Iterator[Places]:
    several = [place for place in places if cells[place] > 1]
    for chosen in product((False, True), repeat=len(several)):
        yield tuple(place for place, taken in zip(several, chosen, strict=True) if taken)


def _without_sums(numbers: FloatArray) -> FloatArray:
    for axis in range(numbers.ndim):
        numbers = numbers - numbers.mean(axis=axis, keepdims=True)
    return numbers


def _follows(
    table: Estimates,
    places: Places,
    parts: Mapping[Places, _Part],
    cells: Mapping[int, int],
    near: float,
    wider: float,
) -> bool:
    inside = tuple(sorted(places))
    total, variance = np.zeros([cells[place] for place in inside]), 0.0
    for part in _parts(inside, cells):
        others = prod(cells[place] for place in inside if place not in part)
        numbers = parts[part].numbers.reshape([cells[place] if place in part else 1 for place in inside])
        total = total + numbers / others
        variance += parts[part].square * prod(1 - 1 / cells[place] for place in part) / others**2
    total = total.transpose([inside.index(place) for place in places])
    value, lower, upper = (np.array(each, dtype=np.float64) for each in (table.value, table.lower95, table.upper95))
    reach = NormalDist().inv_cdf(0.975) * sqrt(variance)
    return bool(np.abs(value - total.ravel()).max() <= near) and all(
        each.min() >= reach - near and each.max() <= wider * reach + WIDER + near
        for each in (value - lower, upper - value)
    )
