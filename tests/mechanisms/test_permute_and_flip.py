"""Permute-and-flip: the frequencies of its choices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dprelease.mechanisms import PermuteAndFlip
from dprelease.mechanisms.permute_and_flip import uniform_between
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from tests.mechanisms.exact import ALARM, REFUSED, fit, noncentrality, permute_and_flip

DRAWS = 12_000


def chooser(epsilon: float, monotone: bool) -> PermuteAndFlip:
    sensitivity = Sensitivity(l1=0, linf=1, monotone=monotone)
    return PermuteAndFlip.calibrate(sensitivity, PrivacyLoss(epsilon_nano=round(epsilon * 1e9)))


@pytest.mark.full
@pytest.mark.parametrize(
    ("scores", "epsilon", "monotone"),
    [
        pytest.param([0, 6], 0.5, False, marks=pytest.mark.full),
        pytest.param([0, 3], 0.5, True, marks=pytest.mark.full),
        ([5, 3, 5, 0], 1.5, False),
        pytest.param([-1, -2, -3, -4, -9], 0.8, True, marks=pytest.mark.full),
        ([2**62, 2**62 - 1, 2**62 - 2], 2.0, False),
    ],
)
def test_choices_have_their_exact_frequencies(scores: list[int], epsilon: float, monotone: bool) -> None:
    """χ² against the algorithm run on every order of the candidates. False alarms: 1e-8 a case.

    A scale wrong by 30 % is refused: it moves the χ² statistic by more than 150, and is missed less than once in 10^8.
    """
    mechanism = chooser(epsilon, monotone)
    assert mechanism.scale == pytest.approx((1 if monotone else 2) / epsilon)
    chosen = mechanism.release(np.array([scores] * DRAWS))
    counts = np.bincount(chosen, minlength=len(scores))
    chances = permute_and_flip(scores, mechanism.scale)
    assert fit(counts, chances) > ALARM
    for factor in (1.3, 1 / 1.3):
        wrong = permute_and_flip(scores, mechanism.scale * factor)
        assert noncentrality(chances, wrong, DRAWS) > 150
        assert fit(counts, wrong) < REFUSED


def test_rows_are_chosen_from_on_their_own() -> None:
    chosen = chooser(1000.0, False).release(np.array([[0, 9, 0], [9, 0, 0], [0, 0, 9]]))
    assert chosen.tolist() == [1, 0, 2]


def test_without_noise_the_best_is_chosen() -> None:
    assert chooser(1e-6, False).noiseless(np.array([[0, 9, 0], [9, 0, 0]])).tolist() == [1, 0]


def test_a_point_in_a_cell_is_uniform_and_inside() -> None:
    """χ² over 10 points, 20,000 draws. False alarms: 1e-8."""
    drawn = [uniform_between(-3, 6) for _ in range(20_000)]
    assert set(drawn) == set(range(-3, 7))
    assert stats.chisquare(np.bincount(np.array(drawn) + 3)).pvalue > ALARM
    assert uniform_between(4, 4) == 4
