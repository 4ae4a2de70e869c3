"""ρ is worth the smallest ε that is proven, rounded against us, and the same on every machine."""

from __future__ import annotations

from decimal import ROUND_DOWN, Context, Decimal, localcontext
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dprelease.accounting.zcdp import epsilon_of, rho_within
from dprelease.errors import PlanError
from dprelease.model.privacy import ATTO, NANO
from tests.accounting.figures import CONVERSIONS
from tests.tries import tries

pytestmark = pytest.mark.quick

rhos = st.floats(0, 15).map(lambda digits: int(10**digits))
epsilons = rhos
deltas = st.floats(0, 17.9).map(lambda digits: int(10**digits))


def scanned(rho_nano: int, delta_atto: int) -> Decimal:
    """The ε of the best of all orders, by ever finer scans with 80 digits, straight from the formula."""
    with localcontext(Context(prec=80)):
        rho, log_delta = Decimal(rho_nano) / NANO, (Decimal(delta_atto) / ATTO).ln()

        def at(place: Decimal) -> Decimal:
            extra = place.exp()
            order = 1 + extra
            return order * rho + (extra / order).ln() - (order.ln() + log_delta) / extra

        low, high = Decimal(-60), Decimal(60)
        for _ in range(28):
            places = [low + (high - low) * step / 20 for step in range(21)]
            best = min(range(21), key=lambda step: at(places[step]))
            low, high = places[max(0, best - 1)], places[min(20, best + 1)]
        return max(Decimal(0), at((low + high) / 2))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("rho_nano", "delta_atto"),
    [(1, 1), (1, 10**15), (10**3, 10**9), (5 * 10**8, 10**13), (10**9, 10**12), (10**9, 9 * 10**17), (10**15, 10**6)],
)
def test_epsilon_is_the_best_orders_rounded_up(rho_nano: int, delta_atto: int) -> None:
    exact = scanned(rho_nano, delta_atto)
    assert 0 <= epsilon_of(rho_nano, delta_atto) - exact < Decimal("1.000001e-9")


@settings(deadline=None)
@given(rhos, deltas, st.floats(-20, 20))
def test_no_order_gives_less(rho_nano: int, delta_atto: int, place: float) -> None:
    with localcontext(Context(prec=60)):
        rho, extra = Decimal(rho_nano) / NANO, Decimal(place).exp()
        log_delta = (Decimal(delta_atto) / ATTO).ln()
        other = (1 + extra) * rho + (extra / (1 + extra)).ln() - ((1 + extra).ln() + log_delta) / extra
        assert epsilon_of(rho_nano, delta_atto) <= max(Decimal(0), other) + Decimal("1e-9")


@settings(deadline=None, max_examples=tries(40))
@given(rhos, deltas)
def test_its_delta_is_kept(rho_nano: int, delta_atto: int) -> None:
    """δ(ε) of the formula, at the ε that is given, is at most δ for some order: that which solves for its minimum."""
    epsilon = epsilon_of(rho_nano, delta_atto)
    with localcontext(Context(prec=60)):
        rho, delta = Decimal(rho_nano) / NANO, Decimal(delta_atto) / ATTO
        low, high = Decimal(-120), Decimal(120)
        for _ in range(110):
            place = (low + high) / 2
            extra = place.exp()
            low, high = (place, high) if rho * (2 * extra + 1) + place - (1 + extra).ln() < epsilon else (low, place)
        order = 1 + extra
        log_least = extra * (order * rho - epsilon) + extra * extra.ln() - order * order.ln()
        assert log_least <= delta.ln() + Decimal("1e-25")


@pytest.mark.parametrize(
    ("param", "times", "delta", "expected"),
    [
        (param, times, delta, cks)
        for mechanism, param, times, delta, cks, _, _ in CONVERSIONS
        if mechanism == "gaussian"
    ],
)
def test_figures_of_gaussian_noise(param: float, times: int, delta: float, expected: float) -> None:
    rho_nano = ceil(Fraction(times * NANO) / (2 * Fraction(param) ** 2))
    assert float(epsilon_of(rho_nano, round(delta * ATTO))) == pytest.approx(expected, rel=1e-6)


@settings(deadline=None)
@given(rhos, rhos, deltas, deltas)
def test_more_loss_is_worth_more_and_more_delta_less(one: int, other: int, delta: int, delta_other: int) -> None:
    assert epsilon_of(min(one, other), delta) <= epsilon_of(max(one, other), delta)
    assert epsilon_of(one, max(delta, delta_other)) <= epsilon_of(one, min(delta, delta_other))
    assert rho_within(min(one, other), delta) <= rho_within(max(one, other), delta)
    assert rho_within(one, min(delta, delta_other)) <= rho_within(one, max(delta, delta_other))


@settings(deadline=None)
@given(epsilons, deltas)
@example(10**9, 10**12)
@example(10**15, 1)
@example(1, 1)
def test_the_rho_of_a_cap_never_exceeds_it_and_one_more_would(epsilon_nano: int, delta_atto: int) -> None:
    rho_nano = rho_within(epsilon_nano, delta_atto)
    assert epsilon_of(rho_nano, delta_atto) * NANO <= epsilon_nano < epsilon_of(rho_nano + 1, delta_atto) * NANO


@settings(deadline=None)
@given(rhos, deltas)
def test_there_and_back_loses_nothing(rho_nano: int, delta_atto: int) -> None:
    """ε is a whole number of 10^-9, and each 10^-9 of ρ is worth more than that."""
    back = rho_within(int(epsilon_of(rho_nano, delta_atto) * NANO), delta_atto)
    assert back >= rho_nano
    assert epsilon_of(back, delta_atto) == epsilon_of(rho_nano, delta_atto)


def test_nothing_spent_is_worth_nothing() -> None:
    assert epsilon_of(0, 1) == 0
    assert rho_within(0, 1) == 0


def test_a_large_delta_alone_pays_for_a_little() -> None:
    assert epsilon_of(1, 10**15) == 0
    assert rho_within(0, 10**15) == 1359


def test_a_population_of_one_and_a_millionth() -> None:
    """A reading that a person can check: ε = 1, δ = 10^-6 is ρ = 0.0243…, and back."""
    assert rho_within(NANO, 10**12) == 24_355_970
    assert str(epsilon_of(24_355_970, 10**12)) == "0.999999993"


def test_results_do_not_depend_on_the_callers_decimals() -> None:
    usual = epsilon_of(123_456_789, 10**11), rho_within(987_654_321, 10**11)
    epsilon_of.cache_clear()
    rho_within.cache_clear()
    with localcontext(Context(prec=5, rounding=ROUND_DOWN)):
        assert (epsilon_of(123_456_789, 10**11), rho_within(987_654_321, 10**11)) == usual


@pytest.mark.parametrize("delta_atto", [0, -1, ATTO, 2 * ATTO])
def test_no_delta_is_refused_in_words(delta_atto: int) -> None:
    with pytest.raises(PlanError, match=r"delta: found .* allowed: a number between 0 and 1.*Choose a δ such as"):
        epsilon_of(NANO, delta_atto)
    with pytest.raises(PlanError, match="delta: found"):
        rho_within(NANO, delta_atto)


def test_less_than_nothing_is_refused() -> None:
    with pytest.raises(PlanError, match=r"rho: found -0\.000000001"):
        epsilon_of(-1, 1)
    with pytest.raises(PlanError, match=r"epsilon: found -0\.000000001"):
        rho_within(-1, 1)
