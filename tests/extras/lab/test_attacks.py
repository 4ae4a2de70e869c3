"""Attacks on counts and sums, beside figures that were computed otherwise, and never above their bound."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import erf, exp, sqrt, tanh
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from dprelease.accounting.pld import LaplaceTerm
from dprelease.adversaries.losses import FINE, composed
from dprelease.extras.lab import attacks
from dprelease.extras.lab.chance import integer_laplace, uniforms
from dprelease.extras.lab.defences import (
    Defence,
    Minimum,
    NoDefence,
    Private,
    RandomlyRounded,
    Rounded,
    Suppressed,
    Swapped,
    Uniform,
    published,
    told_apart,
    variance,
)
from dprelease.extras.lab.outcome import count_best, success_bound
from dprelease.extras.lab.worlds import BY_KEY, KINGS, King, adults
from tests.extras.lab import scores
from tests.extras.lab.oracle import ORACLE
from tests.tries import tries


def salaries(kings: Iterable[King] = KINGS) -> int:
    return sum(king.salary for king in kings)


class TestBounds:
    @pytest.mark.parametrize("row", ORACLE["guess"], ids=lambda row: str(row["eps"]))
    def test_one_answer(self, row: dict[str, float]) -> None:
        epsilon = row["eps"]
        found = told_apart(published(6, Private(epsilon)), published(5, Private(epsilon)))
        assert found == pytest.approx(row["one_answer_discrete"], abs=1e-9)
        assert found == pytest.approx(exp(epsilon) / (1 + exp(epsilon)), abs=1e-9)
        assert success_bound(epsilon) == pytest.approx(found, abs=1e-12)
        assert (1 + erf(epsilon / 2 / sqrt(2))) / 2 == pytest.approx(row["gaussian_rho_eps2_half"], abs=1e-9)

    def test_it_is_one_definition(self) -> None:
        for epsilon, answers in product((0.1, 1.0, 5.0), (2, 11)):
            bound = success_bound(epsilon, answers=answers)
            assert bound == pytest.approx(exp(epsilon) / (answers - 1 + exp(epsilon)))
        assert count_best(1, 2) == pytest.approx(success_bound(1))
        assert success_bound(1.0) == pytest.approx((1 + tanh(0.5)) / 2)

    @pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
    @pytest.mark.parametrize("candidates", [2, 3, 4, 7])
    def test_no_channel_names_a_count_better_than_the_noise(self, epsilon: float, candidates: int) -> None:
        """By a linear programme: Σ_i p(i|i) as large as can be, Σ_i p(i|j) = 1 and p(i|j) <= e^ε p(i|j ± 1).

        Whoever sees more than a count names one of them, so that outputs are names.
        """
        size = candidates
        neighbours = [(one, one + step) for one in range(size) for step in (-1, 1) if 0 <= one + step < size]
        apart = np.zeros((size * len(neighbours), size * size))
        for row, (out, (one, other)) in enumerate(product(range(size), neighbours)):
            apart[row, out * size + one], apart[row, out * size + other] = 1, -exp(epsilon)
        whole = np.tile(np.eye(size), size)
        found = linprog(-np.eye(size).ravel() / size, apart, np.zeros(len(apart)), whole, np.ones(size))
        assert -found.fun == pytest.approx(count_best(epsilon, size), abs=1e-9)
        assert attacks.named(range(1, size + 1), Private(epsilon)).won == pytest.approx(-found.fun, abs=1e-9)

    def test_degenerate_values(self) -> None:
        assert success_bound(0) == 0.5
        assert success_bound(0, answers=11) == pytest.approx(1 / 11)
        assert success_bound(1e4) == success_bound(800, 0.5) == 1
        assert success_bound(0, 1.0) == 1
        assert success_bound(1, answers=1) == count_best(1, 1) == 1
        assert success_bound(1, 1e-6) == pytest.approx((exp(1) + 1e-6) / (1 + exp(1)))


class TestDifference:
    @pytest.mark.parametrize("row", ORACLE["differencing_two_releases"], ids=lambda row: str(row["eps"]))
    def test_two_noisy_answers(self, row: dict[str, float]) -> None:
        found = attacks.difference(5, Private(row["eps"]))
        assert found.won == pytest.approx(row["closed_form"], abs=1e-9)
        assert found.at_most == success_bound(2 * row["eps"])

    def test_the_kings(self) -> None:
        assert adults() == ORACLE["kings"]["adults"]
        assert salaries() == ORACLE["kings"]["salaries"]
        others = [king for king in KINGS if king.key != "sigerico"]
        assert salaries(others) == ORACLE["kings"]["without_sigerico"]
        assert not BY_KEY["sigerico"].adult

    @pytest.mark.parametrize(
        ("defence", "others", "won"),
        [
            (NoDefence(), 5, 1.0),
            (Minimum(5), 5, 1.0),
            (Suppressed(5), 5, 1.0),
            (Suppressed(7), 5, 0.5),
            (Suppressed(6), 5, 1.0),  # one of them hidden tells it
            (Suppressed(5), 0, 1.0),
            (Rounded(5), 5, 0.5),
            (Rounded(5), 7, 1.0),
            (Swapped(0.0), 5, 1.0),
            (Swapped(0.05), 5, 0.975),
            (Uniform(0), 5, 1.0),
            (Uniform(2), 5, 0.6),
            (RandomlyRounded(3), 6, 2 / 3),
        ],
    )
    def test_customary_defences(self, defence: Defence, others: int, won: float) -> None:
        found = attacks.difference(others, defence)
        assert found.won == pytest.approx(won)
        assert (found.guessing, found.at_most, found.error) == (0.5, 1, 0)

    @pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
    def test_the_attack_on_draws_wins_what_was_computed(self, epsilon: float) -> None:
        """Within 6 standard deviations: a false alarm in one of 10^9 seeds."""
        trials = 40_000
        present = uniforms(f"present {epsilon}", trials) < 0.5
        noise = integer_laplace(uniforms(f"noise {epsilon}", 2, trials), 1 / epsilon)
        found = scores.differenced(5 + present + noise[0], 5 + noise[1])
        won = attacks.difference(5, Private(epsilon)).won
        assert ((found > 0) == present).mean() == pytest.approx(won, abs=6 * sqrt(0.25 / trials))


@pytest.mark.parametrize("row", ORACLE["salary"], ids=lambda row: str(row["eps"]))
def test_a_salary(row: dict[str, float]) -> None:
    found = attacks.salary(Private(row["eps"]))
    assert found.guessing == pytest.approx(1 / 11)
    assert found.won == pytest.approx(row["hit"], abs=5e-5)
    assert success_bound(row["eps"], answers=11) == pytest.approx(row["bound"], abs=5e-5)
    assert found.won <= found.at_most
    assert attacks.salary(NoDefence()).won == 1


def exposed(way: str, rule: Defence) -> int:
    """How many salaries are found so."""
    return sum(attacks.tracker(king, way, rule).found for king in KINGS)


class TestTracker:
    @pytest.mark.parametrize("least", range(1, 10))
    def test_all_but_one_is_never_few(self, least: int) -> None:
        assert exposed("names", Minimum(least)) == len(KINGS)

    @pytest.mark.parametrize("least", [2, 3, 5])
    def test_sums_by_age(self, least: int) -> None:
        assert exposed("ages", Minimum(least)) == ORACLE["kings"]["age_sums_one_sided"][str(least)]
        assert exposed("ages", Minimum(least, both=True)) == ORACLE["kings"]["age_sums_two_sided"][str(least)]

    def test_a_padding_finds_all_that_a_rule_of_two_sides_hid(self) -> None:
        assert [exposed("padding", Minimum(least, both=True)) for least in (2, 3, 5)] == [10, 10, 0]

    def test_degenerate_rules(self) -> None:
        for way in attacks.WAYS:
            assert exposed(way, NoDefence()) == exposed(way, Minimum(0, both=True)) == 10
            assert exposed(way, Minimum(11)) == 0

    def test_the_sums_of_a_padding_give_the_salary(self) -> None:
        grown, small = [[king for king in KINGS if king.adult is adult] for adult in (True, False)]
        for target in KINGS:
            both = [{*part, target} for part in (grown, small)]
            assert sum(salaries(part) for part in both) - salaries() == target.salary
            asked = attacks.tracker(target, "padding", NoDefence()).questions
            assert [question.asked for question in asked] == [*map(len, both), len(grown), len(small)]


class TestRepeat:
    @pytest.mark.parametrize("row", ORACLE["repeated"], ids=lambda row: f"{row['eps']} {row['k']}")
    def test_the_best_guess(self, row: dict[str, Any]) -> None:
        assert attacks.repeat(47, Private(row["eps"]), row["k"]).won == pytest.approx(row["success"], abs=6e-8)

    @pytest.mark.parametrize("row", ORACLE["same_budget_split"], ids=lambda row: str(row["k"]))
    def test_one_budget_for_all(self, row: dict[str, Any]) -> None:
        found = attacks.repeat(47, Private(row["eps"] / row["k"]), row["k"])
        assert found.won == pytest.approx(row["success"], abs=6e-8)
        assert found.won <= found.at_most + 1e-12
        assert found.at_most == pytest.approx(success_bound(row["eps"]))

    @pytest.mark.parametrize("copies", [1, 5, 10, 49])
    def test_continuous_noise(self, copies: int) -> None:
        mean = ORACLE["eve_continuous_mean"][str(copies)]
        best = composed({LaplaceTerm(0.67, 10**9): copies}, points=FINE).advantage
        assert (1 + best) / 2 == pytest.approx(ORACLE["eve_likelihood"][str(copies)], abs=2e-5)
        assert mean <= (1 + best) / 2 + 1e-9 < attacks.best_of_copies(0.67, copies)

    @pytest.mark.parametrize("copies", ORACLE["uniform_told"])
    def test_two_counts_under_uniform_noise(self, copies: str) -> None:
        found = attacks.repeat(5, Uniform(2), int(copies))
        assert found.won == pytest.approx(ORACLE["uniform_told"][copies], abs=5e-5)

    @pytest.mark.parametrize("copies", ORACLE["random_rounding"])
    def test_random_rounding_drawn_anew(self, copies: str) -> None:
        found = attacks.repeat(4, RandomlyRounded(3), int(copies))
        assert found.won == pytest.approx(ORACLE["random_rounding"][copies], abs=5e-4)

    def test_random_rounding_of_a_multiple(self) -> None:
        assert attacks.repeat(3, RandomlyRounded(3), 1).won == pytest.approx(2 / 3)
        assert attacks.repeat(3, RandomlyRounded(3), 2).won == pytest.approx(1 - 2 / 9)
        assert attacks.repeat(5, RandomlyRounded(3), 1).won == pytest.approx(2 / 3)

    @pytest.mark.parametrize("defence", [NoDefence(), Rounded(5), Suppressed(5), Swapped(0.1)])
    def test_what_is_not_drawn_anew_tells_no_more(self, defence: Defence) -> None:
        assert attacks.repeat(5, defence, 1) == attacks.repeat(5, defence, 1000)


class TestNamed:
    def test_small_counts(self) -> None:
        assert attacks.named([1, 2, 3, 4], NoDefence()).won == 1
        assert attacks.named([1, 2, 3, 4], Suppressed(5)).won == 0.25
        assert attacks.named([1, 2, 3, 4], Suppressed(3)).won == 0.75
        assert attacks.named([1, 2, 3, 4], Rounded(5)).won == 0.5
        assert attacks.named([1, 2], Private(1.0)).won == pytest.approx(success_bound(1.0), abs=1e-9)

    def test_by_hand(self) -> None:
        """Of 1, 2, 3 the middle one is named at itself only: (2·1/(1 + q) + (1 − q)/(1 + q)) / 3."""
        q = exp(-0.7)
        assert attacks.named([1, 2, 3], Private(0.7)).won == pytest.approx((3 - q) / (1 + q) / 3, abs=1e-9)


@settings(deadline=None, max_examples=tries(60))
@given(st.floats(0.02, 20), st.integers(0, 40), st.integers(1, 60))
def test_no_attack_wins_more_than_its_bound_nor_less_than_guessing(epsilon: float, others: int, copies: int) -> None:
    private = Private(epsilon)
    outcomes = [attacks.difference(others, private), attacks.repeat(others, private, copies), attacks.salary(private)]
    outcomes += [attacks.named(range(1, 1 + size), private) for size in (1, 2, 5, 9)]
    customary = [NoDefence(), Suppressed(5), Rounded(5), RandomlyRounded(3), Swapped(0.1), Uniform(2)]
    outcomes += [attacks.difference(others, defence) for defence in customary]
    outcomes += [attacks.repeat(others, defence, copies) for defence in customary]
    for each in outcomes:
        assert each.guessing - 1e-9 <= each.won <= each.at_most + 1e-9 <= 1 + 1e-9


def test_variances() -> None:
    for defence in (Uniform(2), Private(0.7), RandomlyRounded(1)):
        found = published(0, defence)
        places = found.first + np.arange(len(found.chances))
        assert variance(defence) == pytest.approx(float((places**2 * found.chances).sum()))
    over = [published(residue, RandomlyRounded(5)).chances[5] for residue in range(5)]
    assert over == pytest.approx([0, 0.2, 0.4, 0.6, 0.8])
    average = np.mean([25 * p * (1 - p) for p in over])
    assert variance(RandomlyRounded(5)) == pytest.approx(average)
    assert variance(NoDefence()) == 0
