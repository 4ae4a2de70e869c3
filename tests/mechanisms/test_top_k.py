"""Noisy top-k: the frequencies of its ordered choices."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any

import numpy as np
import pytest

from dprelease.errors import PlanError
from dprelease.mechanisms import NoisyTopK
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from tests.mechanisms.exact import ALARM, REFUSED, exponential, fit, noncentrality, peeled, permute_and_flip

DRAWS = 6000


def chooser(k: int, monotone: bool = False, **amount: int) -> NoisyTopK:
    return NoisyTopK.calibrate(Sensitivity(l1=0, linf=1, monotone=monotone), PrivacyLoss(**amount), k=k)


@pytest.mark.full
@pytest.mark.parametrize(
    ("scores", "k"),
    [
        ([5, 3, 5, 0], 2),
        pytest.param([7, 6, 2], 3, marks=pytest.mark.full),
        pytest.param([6, 4, 4, 4, 1], 1, marks=pytest.mark.full),
        pytest.param([3, 3, 3], 2, marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("amount", [{"epsilon_nano": 2 * 10**9}, {"rho_nano": 5 * 10**8}])
def test_choices_have_their_exact_frequencies(scores: list[int], k: int, amount: dict[str, int]) -> None:
    """χ² over all ordered choices: in a share of ε permute-and-flip again and again, in one of ρ the exponential
    mechanism. 6,000 draws; false alarms: 1e-8 a case. The other of the two, and a scale wrong by 30 %, are refused:
    each moves the χ² statistic by more than 150, and is missed less than once in 10^8. (Equal scores: in no case.)
    """
    mechanism = chooser(k, **amount)
    own, other = (exponential, permute_and_flip) if "rho_nano" in amount else (permute_and_flip, exponential)
    seen = Counter(map(tuple, mechanism.release(np.array([scores] * DRAWS)).tolist()))
    chances = peeled(scores, k, mechanism.scale, own)
    assert seen.keys() <= chances.keys()
    counts = [seen[choice] for choice in chances]
    assert fit(counts, [*chances.values()]) > ALARM
    if len({*scores}) > 1:
        wrongs: list[Any] = [(own, mechanism.scale * 1.3), (own, mechanism.scale / 1.3), (other, mechanism.scale)]
        for law, scale in wrongs:
            wrong = [*peeled(scores, k, scale, law).values()]
            assert noncentrality([*chances.values()], wrong, DRAWS) > 150
            assert fit(counts, wrong) < REFUSED


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("k", [1, 2, 7])
def test_the_loss_grows_with_k(k: int, monotone: bool) -> None:
    """ε = k · 2 / scale and ρ = k · (2 / scale)² / 8; half and a quarter where monotone."""
    spread = 1 if monotone else 2
    assert chooser(k, monotone, epsilon_nano=10**9).scale == pytest.approx(k * spread)
    assert chooser(k, monotone, rho_nano=10**9).scale == pytest.approx(spread * sqrt(k / 8))
    assert chooser(k, monotone, rho_nano=10**9).epsilon == pytest.approx(sqrt(8 * k))


def test_rows_are_chosen_from_on_their_own() -> None:
    for amount in ({"epsilon_nano": 10**15}, {"rho_nano": 10**15}):
        chosen = chooser(2, **amount).release(np.array([[0, 9, 5], [9, 0, 5], [5, 0, 9]]))
        assert chosen.tolist() == [[1, 2], [0, 2], [2, 0]]


def test_it_chooses_no_more_than_there_are() -> None:
    for amount in ({"epsilon_nano": 10**9}, {"rho_nano": 10**9}):
        mechanism = chooser(5, **amount)
        for scores in ([[1, 2, 3]], [[4, 4, 4]]):
            assert sorted(mechanism.release(np.array(scores))[0].tolist()) == [0, 1, 2]
        assert mechanism.noiseless(np.array([[1, 2, 3]])).tolist() == [[2, 1, 0]]


def test_without_noise_the_best_are_chosen_and_ties_keep_their_order() -> None:
    assert chooser(2, epsilon_nano=1).noiseless(np.array([[3, 9, 3], [9, 0, 9]])).tolist() == [[1, 0], [0, 2]]


def test_none_cannot_be_chosen() -> None:
    with pytest.raises(PlanError, match="k: found 0"):
        chooser(0, epsilon_nano=10**9)
