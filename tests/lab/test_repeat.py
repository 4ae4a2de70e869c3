"""Questions that are asked again, beside figures that were found by enumeration."""

from __future__ import annotations

from math import exp

import pytest

from dprelease.lab import repeat
from tests.lab.figures import EXACT, FIGURES, FIVE, FOUR, SIX


@pytest.mark.parametrize("row", FIGURES["repeated"], ids=str)
def test_the_best_guess_after_so_many_answers(row: list[float]) -> None:
    epsilon, copies, success = row
    found = repeat.repeated(epsilon, int(copies))
    assert found == pytest.approx(success, abs=SIX)
    assert found <= repeat.success_bound(copies * epsilon)


@pytest.mark.parametrize("row", FIGURES["split"], ids=str)
def test_one_budget_for_all_answers_never_tells_more_than_one_answer(row: list[float]) -> None:
    copies, success = row
    found = repeat.repeated(1 / copies, int(copies))
    assert found == pytest.approx(success, abs=SIX)
    assert found <= repeat.success_bound(1.0) + EXACT


@pytest.mark.parametrize("row", FIGURES["averaged"], ids=str)
def test_a_rounded_mean_is_the_truth(row: list[float]) -> None:
    epsilon, copies, success = row
    assert repeat.averaged(epsilon, int(copies)) == pytest.approx(success, abs=SIX)


@pytest.mark.parametrize("row", FIGURES["first_averaged"], ids=str)
def test_how_many_answers_a_mean_needs(row: list[float]) -> None:
    epsilon, copies = row
    assert repeat.first_averaged(epsilon) == copies


def test_eve() -> None:
    for rule, rows in FIGURES["eve"].items():
        for copies, success in rows:
            found = (
                repeat.by_mean(0.67, copies)
                if rule == "mean"
                else repeat.repeated(0.67, copies, continuous=rule == "ratio")
            )
            assert found == pytest.approx(success, abs=FIVE), (rule, copies)


@pytest.mark.parametrize("row", FIGURES["differenced"], ids=str)
def test_a_difference_of_two_answers(row: list[float]) -> None:
    assert repeat.differenced(row[0]) == pytest.approx(row[1], abs=EXACT)


def test_uniform_noise_is_narrowed_down() -> None:
    for copies, pinned, left in FIGURES["uniform_left"]:
        assert repeat.uniform_left(2, copies) == pytest.approx((pinned, left), abs=SIX)
    for copies, right in FIGURES["uniform_best"]:
        assert repeat.uniform_best(2, copies) == pytest.approx(right, abs=FOUR)


def test_a_bound_of_eleven_answers() -> None:
    for epsilon, bound in FIGURES["tracker_bound"]:
        assert repeat.success_bound(epsilon, 11) == pytest.approx(bound, abs=FOUR)
    assert repeat.success_bound(1.0) == pytest.approx(exp(1) / (1 + exp(1)), abs=EXACT)
