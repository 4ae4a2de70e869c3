"""The residual planner: held against published figures, dense least squares and exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.mechanisms.residual import joint_rho
from dprelease.statistics.algebra.residual import OBJECTIVES, AxisFamily, residual
from tests.mechanisms.test_residual import queries, subsets
from tests.tries import tries

ADULT = (10, 9, 16, 7, 6, 5, 2, 2)
"""Cells of eight columns of the census table Adult; all tables over one to three of them have 18,627 cells."""


def up_to(cells: tuple[int, ...], order: int) -> AxisFamily:
    """All tables over 1 to `order` axes."""
    return AxisFamily(cells, tuple(subsets(len(cells), order)[1:]))


def planned(family: AxisFamily, objective: str) -> Any:
    """σ_B² at ρ = 1/2 under add_remove, and the variances of the tables."""
    squares = family.planned(objective, np.ones(len(family.tables)))
    return squares, family.variances(squares)


def test_two_axes_by_hand() -> None:
    squares, variances = planned(up_to((2, 3), 2), "minimise")
    assert squares == pytest.approx([4.047207, 2.478398, 1.907872, 1.652265], abs=5e-7)
    assert variances == pytest.approx([2.251001, 1.721604, 1.118845], abs=5e-7)
    assert planned(up_to((2, 3), 2), "equalise")[1].max() == pytest.approx(1.72605, rel=2e-4)


def test_adult() -> None:
    family = up_to(ADULT, 3)
    sizes = family.sizes(family.tables)
    squares, variances = planned(family, "minimise")
    assert (len(family.tables), sizes.sum()) == (92, 18_627)
    assert sizes @ variances == pytest.approx(475_667.5168, rel=1e-9)
    of = dict(zip(family.tables, variances.tolist(), strict=True))
    assert [of[0,], of[0, 1], of[0, 1, 2]] == pytest.approx([104.38771, 38.60598, 14.43938], rel=1e-6)
    assert float(joint_rho(scales(family, squares), ADULT, 1, moves=False)) == pytest.approx(0.5, rel=1e-12)
    assert float(joint_rho(scales(family, squares), ADULT, 1, moves=True)) == pytest.approx(1.0123, abs=5e-5)
    assert planned(family, "equalise")[1].max() == pytest.approx(33.8602, rel=1.1e-4)


@pytest.mark.parametrize(
    ("cells", "order", "expected"),
    [((9, 7, 6, 5, 2, 2), 3, 1.0152), ((9, 7, 6, 5, 2, 2), 2, 1.0416), ((2,) * 8, 2, 1.0233), ((2,) * 8, 3, 1.0749)],
)
def test_the_joint_loss_where_rows_move(cells: tuple[int, ...], order: int, expected: float) -> None:
    family = up_to(cells, order)
    assert float(joint_rho(scales(family, planned(family, "minimise")[0]), cells, 1, moves=True)) == pytest.approx(
        expected, abs=5e-5
    )


def scales(family: AxisFamily, squares: Any) -> dict[tuple[int, ...], float]:
    return dict(zip(family.sets, family.ratios(squares), strict=True))


@st.composite
def families(draw: Any) -> AxisFamily:
    cells = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=3)))
    every = subsets(len(cells), len(cells))
    return AxisFamily(cells, tuple(draw(st.lists(st.sampled_from(every), min_size=1, max_size=5))))


def exact(family: AxisFamily, numbers: Any) -> list[Any]:
    """The tables of counts of all cells."""
    axes = range(numbers.ndim)
    return [
        np.asarray(numbers.sum(axis=tuple(axis for axis in axes if axis not in table)), dtype=numbers.dtype)
        for table in family.tables
    ]


@settings(max_examples=tries(60), deadline=None)
@given(families(), st.randoms(use_true_random=False), st.sampled_from([1, 2**40, 2**61]))
def test_without_noise_each_table_is_the_exact_one(family: AxisFamily, chance: Any, times: int) -> None:
    """Also where products are beyond int64."""
    numbers = np.array([chance.randrange(50) * times for _ in range(prod(family.cells))], dtype=object)
    numbers = numbers.reshape(family.cells)
    given = dict(zip(family.tables, exact(family, numbers), strict=True))
    noisy = family.split(family.residuals(given))
    for table, counts in given.items():
        assert (family.table(noisy, table) == counts * family.step(table)).all()


@settings(max_examples=tries(60), deadline=None)
@given(families(), st.randoms(use_true_random=False))
def test_residuals_are_those_of_the_definition(family: AxisFamily, chance: Any) -> None:
    numbers = np.array([chance.randrange(50) for _ in range(prod(family.cells))])
    given = dict(zip(family.tables, exact(family, numbers.reshape(family.cells)), strict=True))
    found = family.split(family.residuals(given))
    for places, residuals in found.items():
        assert (residuals.ravel() == queries(family.cells, places) @ numbers).all()


@settings(max_examples=tries(60), deadline=None)
@given(families(), st.randoms(use_true_random=False))
def test_tables_agree_exactly_whatever_the_noise(family: AxisFamily, chance: Any) -> None:
    """Each shared margin, in fractions."""
    length = int(family.sizes(family.sets).sum())
    noisy = family.split(np.array([chance.randrange(-(10**9), 10**9) for _ in range(length)]))
    tables = {table: family.table(noisy, table) for table in family.tables}
    for one, other in combinations(tables, 2):
        shared = {*one} & {*other}
        margins = []
        for table in (one, other):
            others = tuple(number for number, place in enumerate(table) if place not in shared)
            summed = np.asarray(tables[table].sum(axis=others), dtype=object).ravel()
            margins.append([Fraction(int(number), family.step(table)) for number in summed])
        assert margins[0] == margins[1]


@settings(max_examples=tries(60), deadline=None)
@given(families(), st.lists(st.floats(0.1, 10), min_size=8, max_size=8))
def test_variances_are_those_of_the_linear_map_from_noise_to_cells(family: AxisFamily, numbers: list[float]) -> None:
    """Each noisy integer is put through alone: Σ coefficient² · s²."""
    squares = np.array(numbers[: len(family.sets)])
    scale_of = np.repeat(family.ratios(squares), family.sizes(family.sets).astype(int))
    length = len(scale_of)
    expected = family.variances(squares)
    for which, table in enumerate(family.tables):
        columns = [family.table(family.split(unit), table).ravel() for unit in np.eye(length, dtype=int)]
        parts = np.array(columns).astype(float) / family.step(table)
        assert (parts**2 * scale_of[:, None] ** 2).sum(axis=0) == pytest.approx(expected[which], rel=1e-9)


@settings(max_examples=tries(40), deadline=None)
@given(families(), st.lists(st.floats(0.2, 5), min_size=5, max_size=5), st.randoms(use_true_random=False))
def test_no_other_strategy_of_the_same_loss_does_better(family: AxisFamily, numbers: list[float], chance: Any) -> None:
    importance = np.array(numbers[: len(family.tables)])
    sizes = family.sizes(family.tables)
    worth = {
        "equalise": lambda variances: float((variances * importance).max()),
        "minimise": lambda variances: float((variances * importance * sizes).sum()),
        "means": lambda variances: float((variances * importance).sum()),
    }
    for objective in OBJECTIVES:
        squares = family.planned(objective, importance)
        assert (family.losses / squares).sum() == pytest.approx(1, rel=1e-9)
        reached = worth[objective](family.variances(squares))
        for _ in range(20):
            other = squares * np.array([chance.uniform(0.5, 2) for _ in squares])
            other = other * (family.losses / other).sum()
            assert worth[objective](family.variances(other)) >= reached * (1 - 1.1e-4)


def test_the_estimate_is_that_of_least_squares() -> None:
    """Of noisy whole tables, each cell with its own noise, through residuals of 1/σ_B² = Σ 1/(s² Π d)."""
    family = up_to((2, 3), 2)
    precisions = [
        sum(
            1 / (3 * prod(family.cells[place] for place in {*table} - {*part}))
            for table in family.tables
            if {*part} <= {*table}
        )
        for part in family.sets
    ]
    squares = 1 / np.array(precisions)
    assert family.variances(squares) == pytest.approx([1.875, 1.666667, 1.541667], abs=5e-7)


def test_469_tables_are_planned_at_once() -> None:
    """Fourteen columns, up to three at a time (`benchmarks.prices` times it)."""
    cells = (9, 9, 16, 7, 15, 7, 14, 6, 5, 2, 10, 10, 20, 42)
    family = up_to(cells, 3)
    variances = planned(family, "equalise")[1]
    assert len(family.tables) == 469
    assert variances.max() <= 15.4601**2


def test_residuals_of_a_number_are_itself() -> None:
    assert residual(np.array(7)).tolist() == 7
    assert AxisFamily((1, 1), ((0, 1),)).sets == ((),)
