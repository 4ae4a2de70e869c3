"""Attacks on tables: suppressed cells, beside linear programs; a table that is published twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from dprelease.adversaries import suppression
from dprelease.adversaries.suppression import Suppressed, by_subtraction
from dprelease.extras.lab import tables, worlds
from dprelease.extras.lab.chance import integer_laplace, uniforms
from dprelease.extras.lab.defences import NoDefence, Private, RandomlyRounded, Rounded
from dprelease.extras.lab.outcome import success_bound
from dprelease.extras.lab.worlds import TABLES, SampleVisit
from dprelease.workspace import sample
from tests.extras.lab.oracle import ORACLE

REGIONS = [*sample.REGIONS, "abroad"]


def whole() -> Iterator[SampleVisit]:
    for row in sample.rows():
        where = REGIONS.index(row["region"]), sample.WARDS.index(row["ward"])
        yield SampleVisit(int(row["person_id"][1:]), row["age"] // 5, int(row["sex"] == "M"), *where)


@pytest.fixture(scope="module")
def everybody() -> Sequence[SampleVisit]:
    return list(whole())


@pytest.fixture(scope="module")
def some() -> Sequence[SampleVisit]:
    return list(worlds.visits())


@pytest.mark.full
def test_the_world_is_the_beginning_of_the_sample_table(
    everybody: Sequence[SampleVisit], some: Sequence[SampleVisit]
) -> None:
    assert len(everybody) == ORACLE["sample_table"]["rows"]
    assert list(some) == [visit for visit in everybody if visit.patient < 300]
    assert len(some) == 580


def test_how_many_visits_are_unique() -> None:
    keys = Counter((row["age"], row["day"], row["ward"]) for row in sample.rows())
    alone = sum(times for times in keys.values() if times == 1)
    assert alone / keys.total() == pytest.approx(ORACLE["sample_table"]["unique_age_day_ward"], abs=5e-5)


@pytest.mark.parametrize(
    ("columns", "least", "key"),
    [
        (("band", "ward", "region"), 5, "band x ward x region, t=5"),
        (("band", "ward", "region"), 10, "t=10"),
        (("band", "ward", "region", "sex"), 5, "band x ward x region x sex, t=5"),
        (("band", "ward", "region", "sex"), 10, "t=10 sex"),
    ],
)
def test_all_margins_tell_all(columns: tuple[str, ...], least: int, key: str, everybody: Sequence[SampleVisit]) -> None:
    found = tables.subtract(worlds.table(columns, everybody), Suppressed(least))
    assert [len(found.primary), sum(each.exact for each in found.primary)] == ORACLE["sample_table"]["suppressed"][key]
    assert found.outcome.won == 1


@pytest.mark.parametrize(
    ("name", "least", "small", "recovered", "hidden", "exact", "near"), ORACLE["tables"], ids=lambda value: str(value)
)
def test_two_columns(
    name: str, least: int, small: int, recovered: int, hidden: int, exact: int, near: int, some: Sequence[SampleVisit]
) -> None:
    counts = worlds.table(TABLES[name], some)
    flags = suppression.hidden(counts, Suppressed(least))
    assert flags.sum() == small
    assert (flags & ~by_subtraction(flags)).sum() == recovered
    found = tables.subtract(counts, Suppressed(least, complementary=True))
    assert len(found.cells) == hidden
    assert sum(each.exact for each in found.cells) == exact
    assert sum(each.most - each.least <= 1 for each in found.cells) == near
    plain = tables.subtract(counts, Suppressed(least))
    assert found.outcome.guessing <= found.outcome.won <= plain.outcome.won <= plain.outcome.at_most
    assert sum(each.exact for each in plain.primary) >= recovered


def programmed(counts: Any, found: tables.Subtraction, least: int) -> list[tuple[int, int]]:
    cells = [each.cell for each in found.cells]
    lines = [(axis, place) for axis in (0, 1) for place in range(counts.shape[axis])]
    lines = [(axis, place) for axis, place in lines if any(cell[axis] == place for cell in cells)]
    matrix = [[float(cell[axis] == place) for cell in cells] for axis, place in lines]
    sums = [sum(int(counts[cell]) for cell in cells if cell[axis] == place) for axis, place in lines]
    bounds = [(1, least - 1) if counts[cell] < least else (1, None) for cell in cells]
    ends = []
    for place in range(len(cells)):
        aim = np.eye(len(cells))[place]
        low, high = (linprog(sign * aim, A_eq=matrix, b_eq=sums, bounds=bounds).fun for sign in (1, -1))
        ends.append((round(low), round(-high)))
    return ends


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 4), st.integers(2, 4), st.integers(2, 6), st.booleans(), st.data())
def test_ends_are_those_of_linear_programs(
    rows: int, columns: int, least: int, complementary: bool, data: st.DataObject
) -> None:
    values = data.draw(st.lists(st.integers(0, 9), min_size=rows * columns, max_size=rows * columns))
    counts = np.array(values).reshape(rows, columns)
    found = tables.subtract(counts, Suppressed(least, complementary))
    ends = [(each.least, each.most) for each in found.cells]
    assert all(low <= each.truth <= high for each, (low, high) in zip(found.cells, ends, strict=True))
    assert ends == programmed(counts, found, least)
    assert found.outcome.guessing - 1e-12 <= found.outcome.won <= 1


def test_degenerate_tables() -> None:
    nobody = tables.subtract(np.zeros((3, 3), dtype=np.int64), Suppressed(5, complementary=True))
    assert nobody.cells == ()
    assert nobody.outcome.won == nobody.outcome.guessing
    one = tables.subtract(np.array([[1]]), Suppressed(5, complementary=True))
    assert sum(each.exact for each in one.primary) == 1
    assert tables.subtract(np.array([[1, 0], [0, 1]]), Suppressed(2)).outcome.won == 1


class TestTwice:
    @pytest.mark.one_in(3)
    @pytest.mark.parametrize("least", ["5", "10"])
    def test_of_all(self, least: str, everybody: Sequence[SampleVisit]) -> None:
        found = tables.republished(everybody, ("band", "ward", "region"), Suppressed(int(least)))
        assert found.people == 12_000
        assert found.shown / found.people == pytest.approx(ORACLE["sample_table"]["two_releases"][least], abs=5e-5)

    @pytest.mark.parametrize("least", ["5", "10"])
    def test_of_some(self, least: str, some: Sequence[SampleVisit]) -> None:
        found = tables.republished(some, ("ward", "region"), Suppressed(int(least)))
        assert (found.people, found.shown) == (300, ORACLE["twice_300"][least])

    def test_margins_alone_show_everybody(self, some: Sequence[SampleVisit]) -> None:
        for column in ("ward", "region"):
            assert tables.republished(some, (column,), Suppressed(5)).shown == 300

    def test_exact_and_rounded(self, some: Sequence[SampleVisit]) -> None:
        assert tables.republished(some, ("ward", "region"), NoDefence()).outcome.won == 1
        assert tables.republished(some, ("ward", "region"), Rounded(1)).outcome.won == 1
        rounded = tables.republished(some, ("ward", "region"), Rounded(5))
        assert rounded.outcome.guessing < rounded.outcome.won < 1

    @pytest.mark.parametrize(("epsilon", "cells"), list(product([0.1, 1.0, 4.0], [2, 25])))
    def test_the_cell_that_fell_most(self, epsilon: float, cells: int) -> None:
        """Beside draws, within 6 standard deviations: a false alarm in one of 10^9 seeds."""
        trials = 20_000
        noise = integer_laplace(uniforms(f"fell {epsilon} {cells}", 2, trials, cells), 1 / epsilon)
        fall = (noise[0] - noise[1]).astype(np.float64)
        fall[:, 0] += 1
        tied = fall + 0.5 * uniforms(f"ties {epsilon} {cells}", trials, cells)
        won = float((tied.argmax(axis=1) == 0).mean())
        exact = tables.fell_most(1 / epsilon, cells)
        assert won == pytest.approx(exact, abs=6 * (exact * (1 - exact) / trials) ** 0.5)
        assert 1 / cells <= exact <= success_bound(4 * epsilon, answers=cells)

    def test_next_to_no_noise_and_next_to_no_signal(self) -> None:
        assert tables.fell_most(1 / 40, 25) == pytest.approx(1, abs=1e-9)
        assert tables.fell_most(200, 25) == pytest.approx(1 / 25, abs=1e-3)

    @settings(deadline=None, max_examples=30)
    @given(st.floats(0.02, 20))
    def test_never_above_its_bound(self, epsilon: float) -> None:
        found = tables.republished(list(worlds.visits()), ("ward", "region"), Private(epsilon)).outcome
        assert found.guessing <= found.won <= found.at_most


class TestRounding:
    def test_where_a_difference_of_one_shows(self, everybody: Sequence[SampleVisit]) -> None:
        counts = worlds.table(("band", "ward", "region"), everybody)
        shows = [tables.shows(int(count), 1, Rounded(5)) for count in counts.ravel()]
        share = float(counts.ravel()[shows].sum() / counts.sum())
        assert share == pytest.approx(ORACLE["rounding_shows"], abs=5e-4)

    def test_random_rounding_is_drawn_anew(self, some: Sequence[SampleVisit]) -> None:
        with pytest.raises(ValueError, match="drawn"):
            tables.republished(some, ("ward",), RandomlyRounded(3))
