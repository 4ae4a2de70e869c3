"""Rényi curves are those of the mechanisms at every order, and their conversion is the best of all orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from math import exp, inf, log, nan

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import integrate

from dprelease.accounting.renyi import Composed, Curve, Gaussian, Laplace, Pure, RandomizedResponseCurve, epsilon_of
from dprelease.errors import PlanError
from tests.accounting.figures import ANSWERS, CONVERSIONS, CURVES

epsilons = st.floats(-9, 3).map(lambda digits: 10.0**digits)
orders = st.just(1.0) | st.floats(-12, 12).map(lambda digits: 1 + 10.0**digits)
CURVE_OF: dict[str, Callable[[float], Curve]] = {
    "rr": lambda truth: RandomizedResponseCurve(log(truth / (1 - truth))),
    "laplace": lambda scale: Laplace(1 / scale),
    "gaussian": lambda sigma: Gaussian(1 / (2 * sigma**2)),
}
EACH = [RandomizedResponseCurve, Laplace, Pure, lambda epsilon: RandomizedResponseCurve(epsilon, 7)]


@pytest.mark.parametrize(("mechanism", "param", "order", "expected"), CURVES)
def test_figures_of_curves(mechanism: str, param: float, order: float, expected: float) -> None:
    assert CURVE_OF[mechanism](param).divergence(order) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("mechanism", "param", "times", "delta", "expected", "pure", "exact"), CONVERSIONS)
def test_figures_of_conversion(
    mechanism: str, param: float, times: int, delta: float, expected: float, pure: float | None, exact: float | None
) -> None:
    curve = CURVE_OF[mechanism](param) * times
    assert epsilon_of(curve, delta, max_order=5000).epsilon == pytest.approx(min(expected, pure or inf), rel=1e-6)
    best = epsilon_of(curve, delta)
    assert (exact or 0) * (1 - 1e-12) <= best.epsilon <= expected * (1 + 1e-12)
    assert best.epsilon <= (pure or inf)


@pytest.mark.parametrize(("answers", "truth", "epsilon"), ANSWERS)
def test_figures_of_randomized_response(answers: int, truth: float, epsilon: float) -> None:
    response = RandomizedResponseCurve(epsilon, answers)
    assert response.truth == pytest.approx(truth, rel=1e-12)
    assert response.truth + (answers - 1) * response.other == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize("order", [1, 1.5, 2, 7, 40])
@pytest.mark.parametrize("epsilon", [0.01, 0.7, 3])
def test_randomized_response_is_the_sum_over_its_answers(epsilon: float, order: float) -> None:
    for answers in (2, 3, 10):
        here = np.full(answers, 1 / (exp(epsilon) + answers - 1))
        there = here.copy()
        here[0] = there[1] = 1 - (answers - 1) * here[0]
        ratio = np.log(here / there)
        expected = here @ ratio if order == 1 else log(here @ np.exp((order - 1) * ratio)) / (order - 1)
        assert RandomizedResponseCurve(epsilon, answers).divergence(order) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("order", [1, 1.5, 2, 7, 40])
@pytest.mark.parametrize("epsilon", [0.01, 0.7, 3])
def test_laplace_is_the_integral_over_its_results(epsilon: float, order: float) -> None:
    def density(x: float, place: float) -> float:
        return epsilon / 2 * exp(-epsilon * abs(x - place))

    def loss(x: float) -> float:
        return epsilon * (abs(x - 1) - abs(x))

    def integrand(x: float) -> float:
        return density(x, 0) * (loss(x) if order == 1 else exp((order - 1) * loss(x)))

    # Outside 0 to 1 the loss is ±ε.
    tails = [(0.5, epsilon), (exp(-epsilon) / 2, -epsilon)]
    whole = integrate.quad(integrand, 0, 1)[0]
    whole += sum(mass * (x if order == 1 else exp((order - 1) * x)) for mass, x in tails)
    expected = whole if order == 1 else log(whole) / (order - 1)
    assert Laplace(epsilon).divergence(order) == pytest.approx(expected, rel=1e-7)


@settings(deadline=None)
@given(st.sampled_from(EACH), epsilons, orders, orders)
@example(Laplace, 1000.0, 1e12, 1e9)
@example(RandomizedResponseCurve, 1e-9, 1.0, 1 + 1e-12)
def test_a_curve_rises_to_its_pure_epsilon_and_is_never_nan(
    mechanism: Callable[[float], Curve], epsilon: float, one: float, other: float
) -> None:
    curve = mechanism(epsilon)
    less, more = sorted((one, other))
    assert 0 < curve.divergence(less) <= curve.divergence(more) * (1 + 1e-12)
    assert curve.divergence(more) <= min(epsilon, more * epsilon**2 / 2) * (1 + 1e-12)
    assert curve.divergence(inf) == curve.pure_epsilon == epsilon


@settings(deadline=None)
@given(epsilons, orders.filter(lambda order: order > 1), st.integers(2, 1000))
@example(1e-9, 1 + 1e-12, 2)
@example(1e-9, 1e12, 1000)
@example(1000.0, 1e12, 2)
@example(1000.0, 1 + 1e-12, 2)
def test_no_digit_is_lost_at_any_order(epsilon: float, order: float, answers: int) -> None:
    """Against the textbook formulas with 60 digits. In floats those lose all digits where αε is small or large."""
    with localcontext(Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        alpha, loss = Decimal(order), Decimal(epsilon)
        extra = alpha - 1
        truth, other = (weight / (loss.exp() + answers - 1) for weight in (loss.exp(), Decimal(1)))
        up, down = (extra * loss).exp(), (-extra * loss).exp()
        response = (truth * up + other * down + (answers - 2) * other).ln() / extra
        laplace = ((alpha * up + extra * (-alpha * loss).exp()) / (2 * alpha - 1)).ln() / extra
    assert RandomizedResponseCurve(epsilon, answers).divergence(order) == pytest.approx(float(response), rel=1e-14)
    assert Laplace(epsilon).divergence(order) == pytest.approx(float(laplace), rel=1e-14)


@settings(deadline=None)
@given(epsilons, orders, st.integers(2, 1000))
def test_no_mechanism_is_worse_than_any_pure_one(epsilon: float, order: float, answers: int) -> None:
    worst = Pure(epsilon).divergence(order) * (1 + 1e-12)
    assert Laplace(epsilon).divergence(order) <= worst
    assert RandomizedResponseCurve(epsilon, answers).divergence(order) <= worst
    assert RandomizedResponseCurve(epsilon).divergence(order) == Pure(epsilon).divergence(order)


@pytest.mark.parametrize("scale", [10, 100, 1e4, 1e8])
def test_laplace_at_order_one_is_half_of_epsilon_squared(scale: float) -> None:
    """A printed formula has ε/2, twenty times as much at a scale of 10."""
    assert Laplace(1 / scale).divergence(1) == pytest.approx(0.5 / scale**2, rel=0.4 / scale)
    assert Laplace(0.1).divergence(1) == pytest.approx(0.004837418035959606, rel=1e-12)


@given(epsilons, epsilons, st.integers(1, 1000), orders)
def test_curves_of_mechanisms_used_together_add(one: float, other: float, times: int, order: float) -> None:
    together = Laplace(one) * times + Gaussian(other)
    assert together.divergence(order) == times * Laplace(one).divergence(order) + order * other


def test_nothing_costs_nothing() -> None:
    assert Composed(()).divergence(2) == 0
    assert epsilon_of(Composed(()), 1e-6).epsilon == 0


def test_gaussian_noise_has_no_largest_loss() -> None:
    assert Gaussian(0.5).pure_epsilon == inf
    for curve in (Gaussian(0.5), Laplace(1) + Gaussian(1e-9)):
        with pytest.raises(PlanError, match="divergence of inf at order inf"):
            curve.divergence(inf)


@dataclass(frozen=True, slots=True)
class Broken(Curve):
    def _divergence(self, order: float) -> float:
        return nan


def test_a_divergence_that_is_no_number_is_refused_and_not_taken_for_zero() -> None:
    with pytest.raises(PlanError, match="divergence of nan"):
        Broken().divergence(2)
    with pytest.raises(PlanError, match="divergence of nan"):
        epsilon_of(Laplace(1) + Broken(), 1e-6)


@pytest.mark.parametrize("order", [0.999, 0, -1, nan])
def test_an_order_below_one_is_refused(order: float) -> None:
    with pytest.raises(PlanError, match="order: found"):
        Laplace(1).divergence(order)


@pytest.mark.parametrize("wrong", [0.0, -1.0, nan, inf])
def test_a_loss_that_is_none_is_refused(wrong: float) -> None:
    for mechanism in (RandomizedResponseCurve, Laplace, Pure, Gaussian):
        with pytest.raises(PlanError, match="a finite number above 0"):
            mechanism(wrong)


def test_other_wrong_numbers_are_refused() -> None:
    with pytest.raises(PlanError, match="answers: found 1"):
        RandomizedResponseCurve(1, 1)
    with pytest.raises(PlanError, match="times: found 0"):
        _ = Laplace(1) * 0
    for delta in (0.0, 1.0, -0.1, nan):
        with pytest.raises(PlanError, match="delta: found"):
            epsilon_of(Laplace(1), delta)
    for order in (1, inf, nan):
        with pytest.raises(PlanError, match="max_order: found"):
            epsilon_of(Laplace(1), 0.1, order)


losses = st.floats(-4, 1).map(lambda digits: 10.0**digits)
small = st.floats(-15, -0.3).map(lambda digits: 10.0**digits)


@settings(deadline=None)
@given(losses, losses, st.integers(1, 200), small, st.floats(-9, 12).map(lambda digits: 1 + 10.0**digits))
def test_no_order_gives_less(epsilon: float, rho: float, times: int, delta: float, order: float) -> None:
    curve = Pure(epsilon) * times + Gaussian(rho)
    extra = order - 1
    other = curve.divergence(order) + log(extra / order) - (log(order) + log(delta)) / extra
    assert epsilon_of(curve, delta).epsilon <= max(0.0, other) * (1 + 1e-9) + 1e-12


@settings(deadline=None)
@given(losses, st.integers(1, 200), small)
def test_never_above_the_sum_nor_above_the_older_conversion(epsilon: float, times: int, delta: float) -> None:
    found = epsilon_of(Laplace(epsilon) * times, delta)
    assert 0 <= found.epsilon <= times * epsilon
    older = min(
        (Laplace(epsilon) * times).divergence(order) - log(delta) / (order - 1)
        for order in np.geomspace(1.01, 1e6, 200)
    )
    assert found.epsilon <= older


@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
@pytest.mark.parametrize("delta", [1e-3, 1e-6])
def test_one_randomized_response_keeps_the_epsilon_it_really_has(epsilon: float, delta: float) -> None:
    """π − e^x q = δ: the conversion is exact for two outcomes of loss ±ε."""
    truth = 1 / (1 + exp(-epsilon))
    real = log((truth - delta) / (1 - truth))
    assert epsilon_of(Pure(epsilon), delta).epsilon == pytest.approx(real, rel=1e-9)
