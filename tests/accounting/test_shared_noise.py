"""What sums of shares of noise cost: the figures of the formula, and never less than it says or than is true."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import ceil, exp, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.accounting.shared_noise import PI, distance, summed_rho
from dprelease.errors import PlanError
from dprelease.model.privacy import NANO

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("sigma", "shares", "tau"),
    [
        # Variance σ² in all, in five shares: σ = 5, 3 and 2.
        (sqrt(5), 5, 3.70e-21),
        (3 / sqrt(5), 5, 1.93e-7),
        (2 / sqrt(5), 5, 4.10e-3),
        (2.24, 5, 3.11e-21),
        (1.5, 5, 2.3e-9),
        (1.0, 5, 5.3e-4),
        (2.25, 1, 0.0),
    ],
)
def test_the_distance_has_the_figures_of_its_formula(sigma: float, shares: int, tau: float) -> None:
    assert float(distance(sigma, shares)) == pytest.approx(tau, rel=0.05)


def exact(sigma: float, shares: int) -> Decimal:
    """By a series of its own for π (Machin) and 120 digits."""
    with localcontext(Context(prec=120)):

        def arctan(whole: int) -> Decimal:
            return sum(
                ((-1) ** n / (Decimal(2 * n + 1) * Decimal(whole) ** (2 * n + 1)) for n in range(90)), Decimal(0)
            )

        turn = 16 * arctan(5) - 4 * arctan(239)
        rate = 2 * turn * turn * Decimal(sigma) ** 2
        return 10 * sum(((-rate * k / (k + 1)).exp() for k in range(1, shares)), Decimal(0))


@settings(deadline=None)
@given(st.floats(0.5, 5), st.integers(1, 40))
def test_the_distance_is_rounded_up_and_hardly(sigma: float, shares: int) -> None:
    true = exact(sigma, shares)
    with localcontext(Context(prec=120)):
        assert true <= distance(sigma, shares) <= true * (1 + Decimal("1e-28")) + Decimal("1e-57")


def test_the_constant_is_below_pi() -> None:
    assert Decimal("3.14159265358979323846264338327950288419716939937510582097") > PI
    assert float(PI) == pi


@settings(deadline=None)
@given(st.integers(1, 2**53 - 1), st.floats(2.25, 1e6), st.integers(1, 100), st.integers(1, 2**26))
def test_the_loss_is_that_of_exact_noise_and_hardly_more(l2: int, sigma: float, shares: int, cells: int) -> None:
    found, least = summed_rho(l2, sigma, shares, cells), Fraction(l2) / (2 * shares * Fraction(sigma) ** 2) * NANO
    assert least <= found <= ceil(least * (1 + Fraction(1, 10**11))) + 1


def test_narrow_shares_are_charged_what_they_lack() -> None:
    tau = 10 * sum(exp(-2 * pi**2 * k / (k + 1)) for k in range(1, 4))
    expected = (0.5 + tau * sqrt(100)) ** 2 / 2
    assert summed_rho(1, 1.0, 4, 100) == ceil(expected * NANO)
    assert expected > 0.125 * 1.02


@pytest.mark.parametrize(("sigma", "shares"), [(0.8, 2), (1.0, 3), (1.3, 2), (2.25, 4)])
def test_no_exact_sum_of_shares_loses_more(sigma: float, shares: int) -> None:
    """By enumeration: the Rényi divergence of the sum and the sum moved by 1 is at most αρ, at several α."""
    k = np.arange(-60, 61)
    one = np.exp(-(k**2) / (2 * sigma**2))
    law = one / one.sum()
    total = law
    for _ in range(shares - 1):
        total = np.convolve(total, law)
    middle = len(total) // 2
    reach = int(6 * sigma * sqrt(shares))  # what is left out is below 10^-8 of the divergence
    p, q = total[middle - reach : middle + reach], total[middle - reach + 1 : middle + reach + 1]
    rho = summed_rho(1, sigma, shares, 1) / NANO
    for order in (1.1, 2.0, 4.0, 8.0):
        divergence = np.log((p**order * q ** (1 - order)).sum()) / (order - 1)
        assert divergence <= order * rho * (1 + 1e-9)


@pytest.mark.parametrize(
    "wrong", [(0, 0.4, 2, 3), (1, float("nan"), 2, 3), (1, float("inf"), 2, 3), (1, 3.0, 0, 3), (1, 3.0, 2, 0)]
)
def test_what_has_no_loss_is_refused(wrong: tuple[int, float, int, int]) -> None:
    with pytest.raises(PlanError):
        summed_rho(*wrong)
