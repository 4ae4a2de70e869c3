"""How rarely sums of noise go so far is what adding up their probabilities gives."""

from __future__ import annotations

from math import ceil, log, sqrt

import numpy as np
import pytest

from dprelease.verdict.tails import GAUSSIAN, Draws, is_rarer

LAPLACE = "discrete_laplace"
NOISES = [
    [Draws(LAPLACE, 3.0)],
    [Draws(LAPLACE, 0.3), Draws(LAPLACE, 0.2)],
    [Draws(LAPLACE, 2.0, 5), Draws(LAPLACE, 4.0)],
    [Draws(LAPLACE, 7.0, 1, 3), Draws(LAPLACE, 4.0, 1, -2)],
    [Draws(LAPLACE, 3.0, 2, 4), Draws(LAPLACE, 2.0, 1, 4)],
    [Draws(LAPLACE, 4.0, 2), Draws(LAPLACE, 1.0, 1, 6), Draws(LAPLACE, 9.0, 3, 0)],
    [Draws(GAUSSIAN, 3.0)],
    [Draws(GAUSSIAN, 5.0, 4), Draws(GAUSSIAN, 2.0)],
    [Draws(LAPLACE, 3.0), Draws(GAUSSIAN, 6.0)],
]


def chance(t: int, noise: list[Draws]) -> float:
    """P(Σ >= t) by convolving the probabilities, in 80 bits."""
    total = np.ones(1, dtype=np.longdouble)
    for each in noise:
        k = np.arange(-ceil(60 * each.scale) - 9, ceil(60 * each.scale) + 10)
        own = np.exp(-((k / each.scale) ** 2) / 2) if each.mechanism == GAUSSIAN else np.exp(-np.abs(k) / each.scale)
        spaced = np.zeros((len(k) - 1) * max(1, abs(each.weight)) + 1, dtype=np.longdouble)
        spaced[:: max(1, abs(each.weight))] = own / own.sum()
        for _ in range(each.draws if each.weight else 0):
            total = np.convolve(total, spaced)
    return float(total[len(total) // 2 + t :].sum())


@pytest.mark.parametrize("noise", NOISES, ids=str)
def test_chances_are_those_of_adding_up_all_probabilities(noise: list[Draws]) -> None:
    for times in (5, 8, 11):
        t = ceil(times * sqrt(sum(each.variance for each in noise)))
        exact = chance(t, noise)
        assert exact < 1e-14 or is_rarer(t, noise, log(exact) + 0.01)
        assert not is_rarer(t, noise, log(exact) - 1e-6)


def test_of_no_noise_anything_above_0_is_too_much() -> None:
    assert is_rarer(2**80, [Draws(LAPLACE, 3.0)], -1000)
    for noise in ([], [Draws(LAPLACE, 3.0, 1, 0)]):
        assert [is_rarer(t, noise, -30) for t in (-1, 0, 1)] == [False, False, True]


@pytest.mark.parametrize("scale", [1e-3, 0.03, 1.0, 1e6])
@pytest.mark.parametrize("mechanism", [LAPLACE, GAUSSIAN])
def test_scales_of_any_size_have_a_limit_where_noise_ends(mechanism: str, scale: float) -> None:
    """Where so many scales are as rare as 10^-9 asks: noise of two draws, by doubling."""
    noise = [Draws(mechanism, scale), Draws(mechanism, scale)]
    assert not is_rarer(ceil(3 * scale) - 1, noise, log(1e-9))
    assert is_rarer(ceil(30 * scale), noise, log(1e-9))
