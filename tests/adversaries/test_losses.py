"""Losses on a grid, beside closed forms and beside counting every result."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import erf, exp, sqrt, tanh

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dprelease.accounting.pld import GaussianTerm, LaplaceTerm, PureTerm
from dprelease.adversaries.losses import COARSE, FINE, LatticeTerm, Losses, NormalTerm, Term, composed
from tests.tries import tries

ALARMS = np.array([0.0, 0.001, 0.01, 0.1, 0.5, 0.9, 1.0])


def one(term: Term, times: int = 1, points: int = FINE) -> Losses:
    return composed({term: times}, points=points)


@pytest.mark.parametrize("points", [FINE, COARSE])
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.5, 0.67, 1.0, 2.0, 3.0, 5.0, 30.0, 1e6])
def test_closed_forms_of_pure_losses(epsilon: float, points: int) -> None:
    assert one(PureTerm(epsilon), points=points).advantage == pytest.approx(tanh(epsilon / 2), abs=1e-9)
    assert one(LaplaceTerm(epsilon, 1), points=points).advantage == pytest.approx(tanh(epsilon / 2), abs=1e-9)
    many = one(LaplaceTerm(epsilon, 10**9), points=points).advantage
    assert many == pytest.approx(-np.expm1(-epsilon / 2), abs=1e-8)


@pytest.mark.parametrize("points", [FINE, COARSE])
@pytest.mark.parametrize(
    ("rho", "normal", "any_noise"),
    [(0.05, 0.12563, 0.18467), (0.1, 0.17694, 0.25908), (0.5, 0.38292, 0.54394), (1.0, 0.52050, 0.71311)],
)
def test_gaussian_noise_tells_less_than_anything_of_the_same_rho_may(
    rho: float, normal: float, any_noise: float, points: int
) -> None:
    found = one(NormalTerm(rho), points=points).advantage
    assert found == pytest.approx(normal, abs=5e-6)
    assert found == pytest.approx(erf(sqrt(rho) / 2), abs=1e-9)
    assert one(GaussianTerm(rho), points=points).advantage == pytest.approx(any_noise, abs=1e-5 * FINE / points)


@pytest.mark.parametrize(("scale", "expected"), [(0.4, 0.9192), (1.0, 0.3989), (5.0, 0.0798)])
def test_noise_of_few_steps_tells_more_than_continuous_noise(scale: float, expected: float) -> None:
    found = one(LatticeTerm(scale, 1)).advantage
    assert found == pytest.approx(expected, abs=5e-5)
    assert found > erf(1 / (2 * sqrt(2) * scale))


@pytest.mark.parametrize(("times", "expected"), [(10, 0.12254), (30, 0.21402)])
def test_ten_and_thirty_numbers_at_a_tenth(times: int, expected: float) -> None:
    assert one(PureTerm(0.1), times).advantage == pytest.approx(expected, abs=5e-6)


@settings(deadline=None, max_examples=tries(40))
@given(st.floats(0.01, 8), st.integers(1, 40))
@example(1.0, 1)
def test_copies_are_a_binomial_distribution(epsilon: float, times: int) -> None:
    """The largest difference of hits and false alarms of so many randomized responses, by counting the true ones."""
    truth = 1 / (1 + exp(-epsilon))
    chances = [np.array([1.0]), np.array([1.0])]
    for _ in range(times):
        chances = [np.convolve(chances[side], [1 - p, p]) for side, p in enumerate((truth, 1 - truth))]
    assert one(PureTerm(epsilon), times).advantage == pytest.approx(
        float(np.abs(chances[0] - chances[1]).sum() / 2), abs=1e-6
    )


def laplace(scale: float, shift: int, reach: int = 200) -> tuple[np.ndarray, np.ndarray]:
    places = np.arange(-reach, reach + 1)
    chances = [np.exp(-np.abs(places - middle) / scale) for middle in (0, shift)]
    return chances[0] / chances[0].sum(), chances[1] / chances[1].sum()


def gaussian(scale: float, shift: int, reach: int = 60) -> tuple[np.ndarray, np.ndarray]:
    places = np.arange(-reach, reach + 1)
    chances = [np.exp(-(((places - middle) / scale) ** 2) / 2) for middle in (0, shift)]
    return chances[0] / chances[0].sum(), chances[1] / chances[1].sum()


def together(*pairs: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    own, other = np.array([1.0]), np.array([1.0])
    for p, q in pairs:
        own, other = np.outer(own, p).ravel(), np.outer(other, q).ravel()
    return own, other


def best_hits(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Neyman and Pearson, result by result."""
    order = np.argsort(-(p / np.maximum(q, 1e-300)), kind="stable")
    return np.interp(ALARMS, np.append(0, np.cumsum(q[order])), np.append(0, np.cumsum(p[order])))


@pytest.mark.parametrize(
    ("terms", "pairs"),
    [
        ({LaplaceTerm(1.5, 3): 1}, [laplace(2, 3)]),
        ({LaplaceTerm(1.5, 3): 2}, [laplace(2, 3), laplace(2, 3)]),
        ({LaplaceTerm(1.5, 3): 1, LaplaceTerm(0.5, 2): 1}, [laplace(2, 3), laplace(4, 2)]),
        ({LatticeTerm(1.2, 2): 1, LaplaceTerm(0.5, 2): 1}, [gaussian(1.2, 2), laplace(4, 2)]),
        ({LatticeTerm(0.7, 1): 2}, [gaussian(0.7, 1), gaussian(0.7, 1)]),
    ],
)
def test_a_curve_is_that_of_counting_every_result(
    terms: dict[Term, int], pairs: list[tuple[np.ndarray, np.ndarray]]
) -> None:
    p, q = together(*pairs)
    found = composed(terms)
    assert found.advantage == pytest.approx(float(np.abs(p - q).sum() / 2), abs=1e-5)
    assert found.hits(ALARMS)[1:] == pytest.approx(best_hits(p, q)[1:], abs=1e-4)


@pytest.mark.parametrize(("one_cell", "cells"), list(product([0.2, 1.0, 3.0, 10.0], [2, 5])))
def test_a_change_in_one_cell_is_not_below_the_same_over_several(one_cell: float, cells: int) -> None:
    """At no rate of false alarms: what `worst` is computed for."""
    alarms, shift = np.linspace(0.001, 1, 200), 10
    whole = one(LaplaceTerm(one_cell, shift)).hits(alarms)
    spread = one(LaplaceTerm(one_cell / cells, shift // cells), cells).hits(alarms)
    assert (spread <= whole + 1e-5).all()


def test_a_delta_may_tell_all() -> None:
    none, some = composed(Counter(), delta=[0.01, 0.02]), composed({PureTerm(1): 1}, delta=[0.01])
    assert none.advantage == pytest.approx(1 - 0.99 * 0.98)
    assert some.advantage == pytest.approx(0.01 + 0.99 * tanh(0.5))
    assert some.hits(np.array([1e-9]))[0] == pytest.approx(0.01, abs=1e-6)
    assert composed(Counter()).advantage == 0


terms = st.one_of(
    st.builds(PureTerm, st.floats(1e-4, 20)),
    st.builds(LaplaceTerm, st.floats(1e-4, 20), st.integers(1, 10**6)),
    st.builds(GaussianTerm, st.floats(1e-4, 20)),
    st.builds(NormalTerm, st.floats(1e-6, 20)),
    st.builds(LatticeTerm, st.floats(0.3, 5), st.integers(1, 9)),
)


@settings(deadline=None, max_examples=tries(60))
@given(st.lists(terms, min_size=1, max_size=5))
def test_a_curve_rises_bends_down_and_lies_above_guessing(given_terms: list[Term]) -> None:
    found = composed(Counter(given_terms))
    alarms = np.linspace(0, 1, 101)
    hits = found.hits(alarms)
    assert float(found.masses.sum()) + found.infinite == pytest.approx(1, abs=1e-9)
    assert (np.diff(hits) >= -1e-9).all()
    assert (np.diff(hits, 2) <= 1e-9).all()
    assert (hits >= alarms - 1e-9).all()
    assert float((hits - alarms).max()) <= found.advantage + 1e-9
    more = composed(Counter([*given_terms, PureTerm(0.3)]))
    assert more.advantage >= found.advantage - 1e-6


@pytest.mark.parametrize("scale", [0.99999988500002, 1.0, 0.7])
def test_a_loss_at_the_end_of_the_grid_is_counted(scale: float) -> None:
    """Rounding may put the largest loss on the last point."""
    for points in (COARSE, FINE):
        assert composed({LatticeTerm(scale, 1): 1}, points=points).advantage == pytest.approx(
            2 * normal(scale), abs=0.05
        )


def normal(scale: float) -> float:
    from statistics import NormalDist

    return NormalDist().cdf(1 / (2 * scale)) - 0.5
