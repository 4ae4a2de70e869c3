"""Composition and conversion beside figures that were found with another library."""

from __future__ import annotations

from math import log

import pytest

from dprelease.accounting import renyi
from dprelease.extras.lab import together
from tests.extras.lab.figures import EXACT, FIGURES, FOUR

COPIES = (1, 10, 100)


@pytest.mark.parametrize("row", FIGURES["composed"], ids=str)
def test_copies_by_each_theorem(row: list[float]) -> None:
    epsilon, copies, delta, *expected = row
    found = together.of_pure(epsilon, int(copies), delta)
    told = [found.basic, found.first, found.advanced, found.renyi, found.exact]
    assert told[0] == pytest.approx(expected[0], abs=EXACT)
    advanced, exact = expected[2], expected[4]
    assert told[1:3] == pytest.approx([expected[1], advanced], abs=FOUR)
    assert told[3] == pytest.approx(expected[3], abs=FOUR)
    assert told[4] == pytest.approx(exact, abs=FOUR)
    assert found.basic is not None
    assert found.exact <= found.basic


@pytest.mark.parametrize("row", FIGURES["composed_exactly"], ids=str)
def test_copies_to_nine_digits(row: list[float]) -> None:
    epsilon, copies, delta, basic, first, advanced, exact = row
    found = together.of_pure(epsilon, int(copies), delta)
    assert (found.basic, found.first, found.advanced) == pytest.approx((basic, first, advanced), abs=EXACT)
    assert found.exact == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "parameter"), [(kind, each) for kind, rows in FIGURES["converted"].items() for each in rows]
)
def test_a_curve_is_worth_so_much(kind: str, parameter: str) -> None:
    curve: renyi.Curve
    number = float(parameter)
    if kind == "response":
        curve = renyi.RandomizedResponseCurve(log(number / (1 - number)))
    elif kind == "laplace":
        curve = renyi.Laplace(1 / number)
    else:
        curve = renyi.Gaussian(1 / (2 * number**2))
    row = FIGURES["converted"][kind][parameter]
    for copies, best in zip(COPIES, row[1::2], strict=True):
        assert renyi.epsilon_of(curve * copies, 1e-5).epsilon == pytest.approx(best, abs=FOUR)


def test_gaussian_noise_is_worth_what_one_answer_of_all_is() -> None:
    for copies, exact in ((1, 4.3771780956812245), (100, 91.81728962466374)):
        assert together.of_gaussian(0.5, copies, 1e-5).exact == pytest.approx(exact, abs=1e-8)
    assert together.of_gaussian(0.5, 1, 1e-5).renyi == pytest.approx(4.728386984943314, abs=EXACT)
