"""Noisy tables that are drawn towards those over fewer columns: by how much, and whether they err less by it.

Everything is seeded: no test fails by chance.
"""

from __future__ import annotations

from itertools import combinations
from math import cos, pi, prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.fft import dctn

from dprelease.statistics.algebra.elementary import cosine
from dprelease.statistics.algebra.raking import counted
from dprelease.statistics.algebra.shrinking import Shrinking, along, component

CELLS = (12, 9, 5, 2)
ROWS = 5_000
DRAWS = 30


def tables(codes: NDArray[np.int64], order: int) -> dict[tuple[int, ...], Any]:
    return {
        places: counted(codes, CELLS, places)
        for size in range(1, order + 1)
        for places in combinations(range(len(CELLS)), size)
    }


def noisy(true: dict[tuple[int, ...], Any], square: float, seed: int) -> dict[tuple[int, ...], Any]:
    """With noise of σ_B² on each component, so that tables agree."""
    numbers = np.random.default_rng(seed)
    parts = {}
    for size in range(4):
        for places in combinations(range(len(CELLS)), size):
            drawn = numbers.normal(0, square**0.5, [CELLS[place] for place in places])
            parts[places] = component(drawn, places, places)
    found = {}
    for table, counts in true.items():
        for size in range(len(table) + 1):
            for part in combinations(table, size):
                others = prod(CELLS[place] for place in table if place not in part)
                counts = counts + parts[part].reshape([CELLS[p] if p in part else 1 for p in table]) / others
        found[table] = counts
    return found


def shrunk(estimates: dict[tuple[int, ...], Any], square: float, ordered: tuple[int, ...] = ()) -> Shrinking:
    squares = {places: square for size in range(4) for places in combinations(range(len(CELLS)), size)}
    return Shrinking(CELLS, estimates, squares, ordered, float(estimates[(0,)].sum()))


def people(dependent: bool) -> NDArray[np.int64]:
    numbers = np.random.default_rng(11)
    first = np.minimum(CELLS[0] - 1, numbers.poisson(4, ROWS))
    second = np.minimum(CELLS[1] - 1, numbers.binomial(8, 0.3, ROWS) + (first // 3 if dependent else 0))
    third = (numbers.integers(0, 3, ROWS) + (second // 3 if dependent else 0)) % CELLS[2]
    fourth = (numbers.random(ROWS) < (0.02 + first / 15 if dependent else 0.3)).astype(np.int64)
    return np.stack([first, second, third, fourth])


@pytest.mark.parametrize("ordered", [(), (0, 1)])
def test_without_noise_tables_stay_what_they_are(ordered: tuple[int, ...]) -> None:
    true = tables(people(dependent=True), 3)
    found = shrunk(true, 1e-9, ordered)
    assert all(np.allclose(found.tables[places], table, atol=1e-3) for places, table in true.items())


@pytest.mark.parametrize("ordered", [(), (0, 1)])
def test_where_columns_do_not_go_together_nothing_beyond_them_is_left(ordered: tuple[int, ...]) -> None:
    true = tables(people(dependent=False), 2)
    kept = [shrunk(noisy(true, 400.0, seed), 400.0, ordered).kept for seed in range(DRAWS)]
    assert np.mean([own[places] for own in kept for places in own if len(places) == 2]) < 0.25
    assert np.mean([own[places] for own in kept for places in own if len(places) == 1]) > 0.5


@pytest.mark.one_in(10)
@pytest.mark.parametrize("square", [25.0, 400.0, 2500.0])
@pytest.mark.parametrize("order", [2, 3])
def test_tables_err_less_than_noisy_ones_and_never_below_zero(square: float, order: int) -> None:
    true = tables(people(dependent=True), order)
    errors: dict[tuple[tuple[int, ...], int], float] = {}
    for seed in range(DRAWS):
        estimates = noisy(true, square, seed)
        unordered, ordered = (shrunk(estimates, square, places).tables for places in ((), (0, 1)))
        for number, found in enumerate((estimates, unordered, ordered)):
            for size in range(1, order + 1):
                own = (((found[each] - true[each]) ** 2).sum() for each in true if len(each) == size)
                errors[number, size] = errors.get((number, size), 0.0) + float(sum(own))
        for table in ordered.values():
            assert table.min() >= 0
            assert table.sum() == pytest.approx(estimates[(0,)].sum())
    for size in range(1, order + 1):
        assert errors[1, size] < 1.01 * errors[0, size]
        assert errors[2, size] < 1.01 * errors[0, size]
    assert errors[1, 2] < 0.85 * errors[0, 2]
    assert errors[2, 1] < 0.99 * errors[1, 1]  # bins that go up and down slowly
    if order == 3:
        assert errors[1, 3] < 0.4 * errors[0, 3]


@pytest.mark.parametrize(
    ("cells", "estimates"),
    [
        ((1,), {(0,): np.array([5.0])}),
        ((1, 3), {(0,): np.array([6.0]), (1,): np.array([1.0, -2.0, 7.0]), (0, 1): np.array([[1.0, -2.0, 7.0]])}),
        ((2,), {(0,): np.array([-4.0, -9.0])}),
        ((2, 2), {(0,): np.zeros(2), (1,): np.zeros(2), (0, 1): np.zeros((2, 2))}),
    ],
)
def test_columns_of_one_cell_and_tables_without_rows(cells: tuple[int, ...], estimates: dict[Any, Any]) -> None:
    axes = [place for place, size in enumerate(cells) if size > 1]
    squares = {places: 9.0 for size in range(3) for places in combinations(axes, size)}
    found = Shrinking(cells, estimates, squares, tuple(range(len(cells))), 1.0)
    for places, table in found.tables.items():
        assert table.shape == estimates[places].shape
        assert table.min() >= 0
        assert table.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("shape", [(1,), (2,), (12,), (64,), (7, 10), (3, 5, 4)])
def test_waves_are_those_of_another_library(shape: tuple[int, ...]) -> None:
    numbers = np.random.default_rng(5).normal(size=shape)
    axes = list(range(len(shape)))
    waves = along(numbers, axes, inverse=False)
    assert np.allclose(waves, dctn(numbers, norm="ortho"), atol=1e-12)
    assert np.allclose(along(waves, axes, inverse=True), numbers, atol=1e-12)


def test_cosines_are_those_of_another_library() -> None:
    turns = np.linspace(0, 1, 1001)
    assert np.abs(cosine(turns) - [cos(pi * turn) for turn in turns]).max() < 1e-15
