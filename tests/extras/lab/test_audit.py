"""The noise that a release draws, on public numbers: its ε is proved from below and never beaten."""

from __future__ import annotations

from math import exp, log

import pytest

from dprelease.extras.lab import audit, pair
from dprelease.extras.lab.audit import Audit

RARE = 1e-9
"""How often each of these bounds may fail."""


def found(noise: str, epsilon: float, people: int = 1, draws: int = 20_000, delta: float = 0.0) -> Audit:
    made = audit.laplace(epsilon) if noise == "laplace" else audit.gaussian(epsilon)
    return audit.audit(made, 108, 108 - people, 108, draws=draws, fails=RARE, delta=delta)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("people", [1, 3])
def test_no_draws_prove_more_than_is_promised(epsilon: float, people: int) -> None:
    """Fails by chance less than once in 10^9."""
    assert found("laplace", epsilon, people).epsilon <= people * epsilon


@pytest.mark.full
def test_draws_come_close_to_it() -> None:
    """0.9 at ε = 1: both counts would have to be off by 6 standard deviations and more; less than once in 10^8."""
    assert 0.8 < found("laplace", 1.0, draws=100_000).epsilon <= 1


def test_gaussian_noise_stays_below_its_epsilon_at_a_delta() -> None:
    """Fails by chance less than once in 10^9."""
    assert 0 < found("gaussian", 1.0, delta=1e-6).epsilon <= pair.gaussian_epsilon(1.0, 1e-6)


@pytest.mark.full
def test_half_of_the_noise_would_be_noticed() -> None:
    """Noise for ε = 2, said to be for 1. Fails by chance less than once in 10^8."""
    assert found("laplace", 2.0, draws=50_000).epsilon > 1.5


def test_counts_bound_a_probability() -> None:
    low, high = (audit._end(0.73, log(4 / 0.05) / 10_000, upwards=each) for each in (False, True))
    assert low < 0.73 < high
    assert high - low < 0.03
    assert audit._proved(7310, 2690, 10_000, 0.05, 0.0) == pytest.approx(0.94, abs=0.02)
    assert audit._proved(7310, 2690, 10_000, 0.05, 0.0) < log(exp(1))
    assert audit._proved(10_000, 0, 10_000, 0.05, 0.0) > 7
    assert audit._proved(5000, 5000, 10_000, 0.05, 0.0) == 0
