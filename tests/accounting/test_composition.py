"""Compositions, groups, exchanges and beliefs are what their definitions say, and never promise too much."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, inf, log, nan, sqrt

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dprelease.accounting.composition import (
    advanced_epsilon,
    event_bounds,
    group,
    optimal_epsilon,
    posterior_bounds,
)
from dprelease.errors import PlanError
from dprelease.model.privacy import ATTO, NANO, PrivacyLoss
from tests.accounting.figures import BELIEFS, COMPOSITION, CONVERSIONS, GROUPS

epsilons = st.floats(-9, 3).map(lambda digits: 10.0**digits)
deltas = st.floats(-18, -0.1).map(lambda digits: 10.0**digits)
copies = st.floats(0, 3.5).map(lambda digits: int(10**digits))
probabilities = st.floats(0, 1) | st.floats(-300, 0).map(lambda digits: 10.0**digits)


@pytest.mark.parametrize(("epsilon", "times", "delta", "advanced", "optimal"), COMPOSITION)
def test_figures_of_composition(epsilon: float, times: int, delta: float, advanced: float, optimal: float) -> None:
    assert advanced_epsilon(epsilon, times, delta) == pytest.approx(advanced, rel=1e-9)
    assert optimal_epsilon(epsilon, times, delta) == pytest.approx(optimal, rel=1e-9)


@pytest.mark.parametrize(
    ("truth", "times", "delta", "exact"),
    [(row[1], row[2], row[3], row[6]) for row in CONVERSIONS if row[0] == "rr"],
)
def test_figures_of_randomized_responses(truth: float, times: int, delta: float, exact: float) -> None:
    assert optimal_epsilon(log(truth / (1 - truth)), times, delta) == pytest.approx(exact, rel=1e-9)


@settings(deadline=None)
@given(epsilons, copies, deltas)
@example(0.1, 10_000, 1e-6)
@example(1000.0, 10_000, 1e-6)
@example(0.01, 1_000_000, 1e-15)
def test_the_best_is_never_above_the_advanced_nor_that_above_the_sum(epsilon: float, times: int, delta: float) -> None:
    optimal, advanced = optimal_epsilon(epsilon, times, delta), advanced_epsilon(epsilon, times, delta)
    assert 0 <= optimal <= advanced * (1 + 1e-9)
    assert advanced <= times * epsilon


@pytest.mark.parametrize(("epsilon", "times"), [(0.3, 1), (0.3, 2), (1.5, 7), (0.02, 60), (4, 25)])
@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-9])
def test_the_best_is_exactly_what_copies_of_randomized_response_have(epsilon: float, times: int, delta: float) -> None:
    """Their outcomes are counted, with fractions: δ at the ε found is δ, and more at any smaller ε."""
    ratio = Fraction(exp(epsilon))

    def real_delta(at: float) -> Fraction:
        factor = Fraction(exp(at))
        return (
            sum(
                (
                    comb(times, lies) * max(Fraction(0), ratio ** (times - lies) - factor * ratio**lies)
                    for lies in range(times + 1)
                ),
                start=Fraction(0),
            )
            / (1 + ratio) ** times
        )

    found = optimal_epsilon(epsilon, times, delta)
    if found == 0:
        assert real_delta(0) <= delta
    else:
        assert float(real_delta(found)) == pytest.approx(delta, rel=1e-9)
        assert real_delta(found * (1 - 1e-6)) > delta


@pytest.mark.parametrize("compose", [advanced_epsilon, optimal_epsilon])
def test_without_a_delta_the_sum_is_what_holds(compose: object) -> None:
    assert callable(compose)
    assert compose(0.25, 8, 0) == 2
    for wrong in ((0, 1, 0.1), (nan, 1, 0.1), (inf, 1, 0.1), (1, 0, 0.1), (1, 10**7, 0.1), (1, 1, 1), (1, 1, -0.1)):
        with pytest.raises(PlanError, match="found"):
            compose(*wrong)


def test_ten_thousand_statistics_are_no_harder_than_ten() -> None:
    """The library's own formula overflows here."""
    times, epsilon = 10_000, 0.1
    expected = times * epsilon * (exp(epsilon) - 1) / (exp(epsilon) + 1) + epsilon * sqrt(2 * times * log(1e6))
    assert advanced_epsilon(epsilon, times, 1e-6) == pytest.approx(expected, rel=1e-3)
    assert advanced_epsilon(epsilon, times, 1e-6) <= expected


@pytest.mark.parametrize(("epsilon", "delta", "units", "epsilon_of_all", "delta_of_all"), GROUPS)
def test_figures_of_groups(
    epsilon: float, delta: float, units: int, epsilon_of_all: float, delta_of_all: float
) -> None:
    one = PrivacyLoss(epsilon_nano=round(epsilon * NANO), delta_atto=round(delta * ATTO))
    together = group(one, units)
    assert together.epsilon_nano == round(epsilon_of_all * NANO)
    assert 0 <= together.delta_atto - delta_of_all * ATTO < 1 + 1e-12 * together.delta_atto


@given(st.integers(1, 10**10), st.integers(1, 10**15), st.integers(2, 12))
def test_a_group_loses_what_its_members_lose_one_after_another(epsilon_nano: int, delta_atto: int, units: int) -> None:
    """δ of k units is that of k − 1, grown by e^ε, and one more."""
    one = PrivacyLoss(epsilon_nano=epsilon_nano, delta_atto=delta_atto)
    fewer, together = group(one, units - 1), group(one, units)
    assert together.epsilon_nano == units * epsilon_nano
    factor = exp(epsilon_nano / NANO)
    grown = fewer.delta_atto * factor + delta_atto
    # That of k − 1 is rounded up by less than 1.
    assert together.delta_atto == ATTO or together.delta_atto == pytest.approx(grown, rel=1e-9, abs=factor + 1)
    assert together.delta_atto >= min(ATTO, units * delta_atto)


def test_groups_in_the_other_currency_and_at_the_edges() -> None:
    assert group(PrivacyLoss(rho_nano=7), 5) == PrivacyLoss(rho_nano=175)
    assert group(PrivacyLoss(epsilon_nano=7), 5) == PrivacyLoss(epsilon_nano=35)
    assert group(PrivacyLoss(delta_atto=7), 5) == PrivacyLoss(delta_atto=35)
    assert group(PrivacyLoss(rho_nano=7, delta_atto=7), 1) == PrivacyLoss(rho_nano=7, delta_atto=7)
    assert group(PrivacyLoss(epsilon_nano=10**15, delta_atto=1), 3).delta_atto == ATTO
    assert group(PrivacyLoss(epsilon_nano=1, delta_atto=1), 2).delta_atto == 3, "rounded up"
    with pytest.raises(PlanError, match="Convert to"):
        group(PrivacyLoss(rho_nano=7, delta_atto=7), 2)
    with pytest.raises(PlanError, match="units: found 0"):
        group(PrivacyLoss(), 0)


@pytest.mark.parametrize(("p", "epsilon", "low", "high", "less", "more"), BELIEFS)
def test_figures_of_belief(p: float, epsilon: float, low: float, high: float, less: float, more: float) -> None:
    assert event_bounds(p, epsilon) == pytest.approx((low, high), rel=1e-12)
    assert posterior_bounds(p, epsilon) == pytest.approx((less, more), rel=1e-12)


@settings(deadline=None)
@given(probabilities, st.floats(0, 2000), st.floats(0, 1) | deltas)
@example(1e-300, 0.0, 0.0)
@example(0.0, 2000.0, 0.0)
@example(1.0, 2000.0, 0.0)
def test_bounds_hold_the_probability_and_stay_probabilities(p: float, epsilon: float, delta: float) -> None:
    low, high = event_bounds(p, epsilon, delta)
    slack = 1e-15
    assert 0 <= low <= p * (1 + slack) <= high * (1 + 2 * slack) + slack * slack
    assert high <= 1
    less, more = posterior_bounds(p, epsilon)
    assert 0 <= less <= p * (1 + slack)
    assert p <= more * (1 + slack)
    assert more <= 1
    # What is believed of one of two tables moves less than what may happen on them.
    low, high = event_bounds(p, epsilon)
    assert low <= less * (1 + 1e-12)
    assert more <= high * (1 + 1e-12)


@settings(deadline=None)
@given(probabilities, st.floats(0, 20), st.floats(0, 0.5))
def test_the_bounds_are_the_definition_both_ways_for_an_event_and_its_complement(
    p: float, epsilon: float, delta: float
) -> None:
    def allowed(q: float) -> bool:
        # 1 − q rounds, and e^ε makes that large.
        grown, slack = exp(epsilon), 1e-9 + 1e-15 * exp(epsilon)
        return all(
            here <= grown * there * (1 + slack) + delta + slack
            for here, there in [(p, q), (q, p), (1 - p, 1 - q), (1 - q, 1 - p)]
        )

    low, high = event_bounds(p, epsilon, delta)
    assert allowed(low)
    assert allowed(high)
    assert high > 1 - 1e-3 or not allowed(high + 1e-3)
    assert low < 1e-3 or not allowed(low - 1e-3 * (1 + exp(epsilon)) * 1.01)


def test_certainty_and_impossibility_stay() -> None:
    for epsilon in (0.0, 1.0, 5000.0):
        assert posterior_bounds(0, epsilon) == (0, 0)
        assert posterior_bounds(1, epsilon) == (1, 1)
        assert event_bounds(0, epsilon) == (0, 0)
        assert event_bounds(1, epsilon) == (1, 1)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, nan])
def test_what_is_no_probability_is_refused(wrong: float) -> None:
    for bounds in (event_bounds, posterior_bounds):
        with pytest.raises(PlanError, match="probability: found"):
            bounds(wrong, 1)
    with pytest.raises(PlanError, match="delta: found"):
        event_bounds(0.5, 1, wrong)
    for epsilon in (-1, inf, nan):
        with pytest.raises(PlanError, match="epsilon: found"):
            posterior_bounds(0.5, epsilon)
