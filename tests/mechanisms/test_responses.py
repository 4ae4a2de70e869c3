"""Subsets and unary codes: who tells what how often, what that gives away, and how far estimates are off."""

from __future__ import annotations

from itertools import combinations
from math import comb, exp, log

import numpy as np
import pytest
from scipy import stats

from dprelease.errors import DPReleaseError, PlanError
from dprelease.mechanisms import RandomizedResponse, Response, SubsetResponse, UnaryResponse
from dprelease.mechanisms.subset_response import uniform_subsets
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from tests.mechanisms.exact import ALARM, REFUSED

SUBSTITUTED = Sensitivity(l1=2, linf=1, l2_squared=2)
WAYS = (RandomizedResponse, SubsetResponse, UnaryResponse)


def made(way: type[Response], answers: int, epsilon: float) -> Response:
    return way.calibrate(SUBSTITUTED, PrivacyLoss(epsilon_nano=round(epsilon * 1e9)), answers=answers)


def rare(mechanism: Response) -> float:
    """n times the variance of the estimate of a share near 0."""
    p, q = mechanism.true_chance, mechanism.other_chance
    return q * (1 - q) / (p - q) ** 2


@pytest.mark.parametrize(
    ("epsilon", "answers", "response", "unary", "subset", "size"),
    [
        (1, 4, 1.60, 3.68, 1.60, 1),
        (1, 10, 3.63, 3.68, 2.84, 3),
        (1, 50, 17.2, 3.68, 3.50, 13),
        (4, 50, 0.0357, 0.0760, 0.0357, 1),
    ],
)
def test_variances_of_the_literature(
    epsilon: float, answers: int, response: float, unary: float, subset: float, size: int
) -> None:
    """(e^ε + k − 2)/(e^ε − 1)², 4 e^ε/(e^ε − 1)², and the subsets of Ye and Barg, at a share near 0."""
    sets = made(SubsetResponse, answers, epsilon)
    assert isinstance(sets, SubsetResponse)
    assert sets.size == size
    assert rare(made(RandomizedResponse, answers, epsilon)) == pytest.approx(response, rel=0.006)
    assert rare(made(UnaryResponse, answers, epsilon)) == pytest.approx(unary, rel=0.005)
    assert rare(sets) == pytest.approx(subset, rel=0.005)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("answers", [2, 3, 5])
@pytest.mark.parametrize("way", WAYS)
def test_no_outcome_of_a_row_tells_more_than_epsilon(way: type[Response], answers: int, epsilon: float) -> None:
    """The largest ratio of the chances of what one row tells, over all that it can tell and all pairs of answers."""
    mechanism = made(way, answers, epsilon)
    p, q = mechanism.true_chance, mechanism.other_chance
    chances = np.zeros((answers, 2**answers))
    for true in range(answers):
        for told in range(2**answers):
            bits = [told >> place & 1 for place in range(answers)]
            if way is UnaryResponse:
                each = [p if place == true else q for place in range(answers)]
                chances[true, told] = np.prod([one if bit else 1 - one for one, bit in zip(each, bits, strict=True)])
            else:
                size = mechanism.size if isinstance(mechanism, SubsetResponse) else 1
                if sum(bits) == size:
                    held = p / comb(answers - 1, size - 1)
                    chances[true, told] = held if bits[true] else (1 - p) / comb(answers - 1, size)
    assert chances.sum(axis=1) == pytest.approx(1)
    possible = chances[:, chances.max(axis=0) > 0]
    assert log((possible.max(axis=0) / possible.min(axis=0)).max()) == pytest.approx(epsilon, abs=1e-9)


@pytest.mark.full
@pytest.mark.parametrize(("answers", "epsilon", "true"), [(6, 0.5, 0), (6, 0.5, 5), (5, 0.2, 2), (12, 1.0, 3)])
def test_each_set_is_told_as_often_as_it_should(answers: int, epsilon: float, true: int) -> None:
    """χ² over the sets that 6,000 rows tell one by one, and over how often each code is told by 100,000 rows.

    False alarms: 1e-8 a case. An ε twice as large would be missed less than once in 10^8.
    """
    mechanism = made(SubsetResponse, answers, epsilon)
    assert isinstance(mechanism, SubsetResponse)
    assert mechanism.size > 1
    given = np.eye(answers, dtype=np.int64)[true]
    sets = list(combinations(range(answers), mechanism.size))
    held = mechanism.truth / comb(answers - 1, mechanism.size - 1)
    missed = (1 - mechanism.truth) / comb(answers - 1, mechanism.size)
    seen = dict.fromkeys(sets, 0)
    for _ in range(6000):
        told = mechanism.release(given)
        seen[tuple(int(place) for place in np.flatnonzero(told))] += 1
    assert (
        stats.chisquare(list(seen.values()), [6000 * (held if true in one else missed) for one in sets]).pvalue > ALARM
    )

    told = mechanism.release(given * 100_000)
    for place, count in enumerate(told.tolist()):
        chance = mechanism.true_chance if place == true else mechanism.other_chance
        assert stats.binomtest(count, 100_000, chance).pvalue > ALARM
    twice = made(SubsetResponse, answers, 2 * epsilon).true_chance
    assert stats.binomtest(int(told[true]), 100_000, twice).pvalue < REFUSED


def test_each_bit_is_told_as_often_as_it_should() -> None:
    """Binomial tests of 200,000 rows that all have one answer. False alarms: 5e-8."""
    mechanism = made(UnaryResponse, 5, 0.8)
    told = mechanism.release(np.array([0, 0, 200_000, 0, 0]))
    assert told[-1] == mechanism.rows(told) == 200_000
    for place, count in enumerate(mechanism.counts(told).tolist()):
        assert stats.binomtest(count, 200_000, 0.5 if place == 2 else 1 / (exp(0.8) + 1)).pvalue > ALARM


@pytest.mark.parametrize(("size", "choices"), [(0, 3), (1, 1), (3, 3), (1, 4), (2, 5), (11, 20)])
def test_subsets_are_uniform(size: int, choices: int) -> None:
    """Each choice in `size` of `choices` of them. False alarms: 1e-8 a case, shared out over the choices."""
    told = uniform_subsets(20_000, size, choices)
    assert told.sum() == 20_000 * size
    if 0 < size < choices:
        assert min(stats.binomtest(int(each), 20_000, size / choices).pvalue for each in told) > ALARM / choices


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("counts", [[0, 0, 0], [1, 0, 0], [0, 7, 1]])
def test_few_rows_and_none(way: type[Response], counts: list[int]) -> None:
    mechanism = made(way, 3, 0.7)
    told = mechanism.release(np.array(counts))
    assert mechanism.rows(told) == sum(counts)
    assert mechanism.rows(mechanism.noiseless(np.array(counts))) == sum(counts)
    assert mechanism.could_tell(told)


def test_what_no_rows_could_tell() -> None:
    sets = SubsetResponse.calibrate(SUBSTITUTED, PrivacyLoss(epsilon_nano=10**9), answers=10)
    assert sets.size == 3
    assert not sets.could_tell(np.array([1] + [0] * 9))
    assert not sets.could_tell(np.array([3, 2, 1] + [0] * 7))
    assert sets.could_tell(np.array([2, 2, 2] + [0] * 7))
    assert not made(UnaryResponse, 2, 1).could_tell(np.array([4, 0, 3]))


@pytest.mark.parametrize("way", [SubsetResponse, UnaryResponse])
def test_bad_settings(way: type[Response]) -> None:
    with pytest.raises(PlanError, match="relation substitute"):
        way.calibrate(Sensitivity(l1=1, linf=1), PrivacyLoss(epsilon_nano=10**9), answers=3)
    with pytest.raises(PlanError, match="answers: found 1"):
        made(way, 1, 1.0)
    with pytest.raises(DPReleaseError, match="3 answers"):
        made(way, 3, 1.0).release(np.array([1, 2]))
