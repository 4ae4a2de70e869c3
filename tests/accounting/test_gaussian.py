"""The δ of Gaussian noise is exact, and a σ keeps its promise with all that are larger."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from math import erfc, exp, inf, log, nan, pi, sqrt

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from dprelease.accounting import gaussian
from dprelease.accounting.gaussian import (
    classical_sigma,
    continuous_delta,
    continuous_epsilon,
    continuous_sigma,
    discrete_delta,
    sigma_within,
)
from dprelease.accounting.zcdp import epsilon_of
from dprelease.errors import PlanError
from dprelease.model.privacy import ATTO, NANO
from tests.accounting.figures import CALIBRATION, CLASSICAL_FAILS, CONVERSIONS, ONE_OVER_EPSILON


@pytest.mark.parametrize(("epsilon", "delta", "classical", "exact", "real_delta"), CALIBRATION)
def test_figures_of_calibration(
    epsilon: float, delta: float, classical: float, exact: float, real_delta: float
) -> None:
    assert continuous_sigma(epsilon, delta) == pytest.approx(exact, rel=1e-9)
    assert continuous_sigma(epsilon, delta, 250) == pytest.approx(250 * exact, rel=1e-9)
    assert continuous_delta(epsilon, classical) == pytest.approx(real_delta, rel=1e-9)
    assert continuous_delta(epsilon, 250 * classical, 250) == pytest.approx(real_delta, rel=1e-9)
    if epsilon < 1:
        assert classical_sigma(epsilon, delta) == pytest.approx(classical, rel=1e-12)
        assert classical > 1.2 * exact
    else:
        with pytest.raises(PlanError, match=r"epsilon: found .* whose proof ends there"):
            classical_sigma(epsilon, delta)


@pytest.mark.parametrize(("delta", "epsilon"), CLASSICAL_FAILS)
def test_figures_of_where_the_classical_sigma_fails(delta: float, epsilon: float) -> None:
    def real_delta(at: float) -> float:
        return continuous_delta(at, sqrt(2 * log(1.25 / delta)) / at)

    assert real_delta(epsilon) == pytest.approx(delta, rel=1e-9)
    assert real_delta(epsilon * 1.001) > delta > real_delta(epsilon * 0.999)


@pytest.mark.parametrize(
    ("sigma", "times", "delta", "exact"),
    [(row[1], row[2], row[3], row[6]) for row in CONVERSIONS if row[0] == "gaussian"],
)
def test_figures_of_compositions(sigma: float, times: int, delta: float, exact: float) -> None:
    """k answers with noise σ are one with noise σ/√k."""
    assert continuous_epsilon(delta, sigma, sqrt(times)) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("claimed", "delta", "epsilon", "epsilon_of_exchange"), ONE_OVER_EPSILON)
def test_figures_of_one_over_epsilon(claimed: float, delta: float, epsilon: float, epsilon_of_exchange: float) -> None:
    assert continuous_delta(claimed, 1 / claimed) == pytest.approx(delta, rel=1e-9)
    assert continuous_epsilon(1e-5, 1 / claimed) == pytest.approx(epsilon, rel=1e-9)
    assert continuous_epsilon(1e-5, 1 / claimed, 2) == pytest.approx(epsilon_of_exchange, rel=1e-9)


@pytest.mark.parametrize("sigma", [0.2, 1, 7, 300])
@pytest.mark.parametrize("epsilon", [0, 0.01, 0.5, 4])
def test_the_continuous_delta_is_the_difference_of_two_tails(epsilon: float, sigma: float) -> None:
    upper, lower = (sign * 0.5 / sigma - epsilon * sigma for sign in (1, -1))
    expected = stats.norm.cdf(upper) - exp(epsilon) * stats.norm.cdf(lower)
    assert continuous_delta(epsilon, sigma) == pytest.approx(expected, rel=1e-7, abs=1e-15)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-9, 1e-18])
def test_epsilon_and_sigma_are_each_others_inverse(epsilon: float, delta: float) -> None:
    sigma = continuous_sigma(epsilon, delta)
    assert continuous_delta(epsilon, sigma) <= delta
    assert continuous_epsilon(delta, sigma) == pytest.approx(epsilon, rel=1e-8)


def test_a_delta_that_pays_for_all_leaves_no_epsilon() -> None:
    assert continuous_epsilon(0.4, 1) == 0
    assert continuous_epsilon(0.38, 1) > 0


def enumerated(epsilon: float, sigma: float, sensitivity: int) -> float:
    """Σ over the lattice of P(k − Δ) − e^ε P(k), where it is positive, with 40 digits."""
    with localcontext(Context(prec=40)):
        reach = int(40 * sigma) + sensitivity + 3
        spread = 2 * Decimal(sigma) ** 2
        weight = [(-Decimal(k * k) / spread).exp() for k in range(reach + sensitivity + 1)]
        factor = Decimal(epsilon).exp()
        gains = (weight[abs(k - sensitivity)] - factor * weight[abs(k)] for k in range(-reach, reach + 1))
        return float(sum(gain for gain in gains if gain > 0) / (2 * sum(weight) - 1))


@pytest.mark.parametrize("sigma", [0.15, 0.5, 1.0, 3.7, 12.0])
@pytest.mark.parametrize("sensitivity", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [0, 0.1, 1.0, 10.0])
def test_the_discrete_delta_is_the_sum_over_the_lattice(epsilon: float, sigma: float, sensitivity: int) -> None:
    expected = enumerated(epsilon, sigma, sensitivity)
    assert discrete_delta(epsilon, sigma, sensitivity) == pytest.approx(expected, rel=1e-11, abs=1e-290)


@settings(deadline=None)
@given(st.floats(200, 4000), st.floats(-3, 1.1), st.sampled_from([1, 10, 1000, 50_000]), st.floats(0, 1))
@example(200.0, -3.0, 50_000, 0.0)
def test_large_noise_is_summed_as_exactly_as_small(sigma: float, digits: float, sensitivity: int, part: float) -> None:
    """Both ways of summing, where both can be done. δ reaches down to e^−80."""
    epsilon = min(10**digits, 12 * part) * sensitivity / sigma
    in_one = discrete_delta(epsilon, sigma, sensitivity)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gaussian, "SMOOTH", inf)
        one_by_one = discrete_delta(epsilon, sigma, sensitivity)
    assert in_one == pytest.approx(one_by_one, rel=1e-9, abs=1e-16 if one_by_one > 0.1 else 1e-40)


@pytest.mark.parametrize("epsilon", [0, 0.3, 2.0, 20.0])
@pytest.mark.parametrize("sigma", [0.3, 2.0, 40.0])
def test_a_smaller_change_costs_no_more(epsilon: float, sigma: float) -> None:
    found = [discrete_delta(epsilon, sigma, sensitivity) for sensitivity in range(1, 60)]
    assert found == sorted(found)


def test_discrete_noise_of_many_steps_is_as_good_as_continuous_and_of_few_is_not() -> None:
    assert discrete_delta(1, 4e6, 10**6) == pytest.approx(continuous_delta(1, 4), rel=1e-6)
    assert discrete_delta(10, 0.38, 1) > 3 * continuous_delta(10, 0.38)


@settings(deadline=None)
@given(
    st.floats(-2, 1.3).map(lambda digits: 10.0**digits),
    st.floats(-15, -2).map(lambda digits: 10.0**digits),
    st.sampled_from([1, 2, 3, 10, 1000, 10**7, 2**53]),
)
@example(20.0, 1e-6, 1)
@example(0.01, 1e-15, 1)
def test_a_sigma_keeps_its_promise_with_all_larger_ones_and_none_is_wasted(
    epsilon: float, delta: float, sensitivity: int
) -> None:
    sigma = sigma_within(epsilon, delta, sensitivity)
    for larger in np.geomspace(1, 3, 40):
        assert discrete_delta(epsilon, sigma * float(larger), sensitivity) <= delta
    assert discrete_delta(epsilon, sigma * (1 - 1e-5), sensitivity) > delta


@settings(deadline=None)
@given(st.integers(10**7, 10**10), st.integers(10**3, 10**16), st.sampled_from([1, 5, 1000]))
def test_less_noise_is_needed_than_by_way_of_rho(epsilon_nano: int, delta_atto: int, sensitivity: int) -> None:
    """ρ = Δ²/2σ² has an ε at δ of its own, which holds for vectors too and so is never the smaller."""
    sigma = sigma_within(epsilon_nano / NANO, delta_atto / ATTO, sensitivity)
    rho_nano = int(sensitivity**2 / (2 * sigma**2) * NANO)
    assert epsilon_of(rho_nano + 1, delta_atto) * NANO >= epsilon_nano * (1 - 10**-7)


def test_more_noise_may_cost_more_and_the_smallest_sigma_knows() -> None:
    """Below the σ that is given, a few smaller ones keep (ε, δ) too, but not all that lie between."""
    assert discrete_delta(20, 0.1582, 1) < 3e-9 < 3e-6 < discrete_delta(20, 0.2, 1)
    assert sigma_within(20, 1e-6, 1) == pytest.approx(0.27386, abs=1e-4)


def test_a_sigma_for_no_epsilon_at_all() -> None:
    """δ is then the distance of the two distributions: P(0) for one step."""
    assert sigma_within(0, 1e-3, 1) == pytest.approx(1 / (sqrt(2 * pi) * 1e-3), rel=1e-6)
    assert discrete_delta(0, 1, 1) == pytest.approx(1 / sum(exp(-(k**2) / 2) for k in range(-40, 41)), rel=1e-12)
    assert continuous_delta(0, 1) == pytest.approx(1 - erfc(0.5 / sqrt(2)), rel=1e-12)


@pytest.mark.parametrize("wrong", [-0.1, nan, inf])
def test_wrong_numbers_are_refused(wrong: float) -> None:
    for call in (
        lambda: continuous_delta(wrong, 1),
        lambda: discrete_delta(wrong, 1, 1),
        lambda: sigma_within(wrong, 1e-6, 1),
        lambda: classical_sigma(wrong, 1e-6),
    ):
        with pytest.raises(PlanError, match="epsilon: found"):
            call()
    for call in (lambda: continuous_delta(1, wrong), lambda: discrete_delta(1, wrong, 1)):
        with pytest.raises(PlanError, match="sigma: found"):
            call()
    for call in (
        lambda: continuous_sigma(1, wrong),
        lambda: sigma_within(1, wrong, 1),
        lambda: continuous_epsilon(wrong, 1),
    ):
        with pytest.raises(PlanError, match="delta: found"):
            call()
    for sensitivity in (0, -1, 2**53 + 1):
        with pytest.raises(PlanError, match="sensitivity: found"):
            sigma_within(1, 1e-6, sensitivity)


@pytest.mark.parametrize("epsilon", [0, 1, 1.5, 30])
def test_the_classical_formula_is_refused_outside_its_proof(epsilon: float) -> None:
    with pytest.raises(PlanError, match="whose proof ends there"):
        classical_sigma(epsilon, 1e-6)
