"""Randomized response: who tells the truth how often, and what that gives away."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from scipy import stats

from dprelease.errors import DPReleaseError, PlanError
from dprelease.mechanisms import RandomizedResponse, library
from dprelease.mechanisms.randomized_response import heads, uniform_counts
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from tests.mechanisms.exact import ALARM, REFUSED, fit, noncentrality

SUBSTITUTED = Sensitivity(l1=2, linf=1, l2_squared=2)
ROWS = 200_000


def survey(answers: int, epsilon: float) -> RandomizedResponse:
    share = PrivacyLoss(epsilon_nano=round(epsilon * 1e9))
    return RandomizedResponse.calibrate(SUBSTITUTED, share, answers=answers)


@pytest.mark.parametrize(
    ("answers", "truth", "epsilon"),
    [
        (2, 0.55, 0.2006706954621514),
        (2, 0.6, 0.4054651081081642),
        (2, 0.75, 1.0986122886681098),
        (2, 0.9, 2.1972245773362196),
        (3, 0.6, 1.0986122886681096),
        (10, 0.5, 2.1972245773362196),
    ],
)
def test_published_figures(answers: int, truth: float, epsilon: float) -> None:
    """Warner's 1965 survey with p = 3/4 loses ln 3; the others follow from p = e^ε / (e^ε + k − 1)."""
    mechanism = survey(answers, epsilon)
    assert mechanism.truth == pytest.approx(truth, abs=1e-9)
    assert mechanism.truth + (answers - 1) * mechanism.lie == pytest.approx(1, rel=1e-15)
    assert log(mechanism.truth / mechanism.lie) == pytest.approx(epsilon, abs=1e-9)
    assert float(library.randomized_response(answers, truth).map(1)) == pytest.approx(epsilon, abs=1e-12)


@pytest.mark.parametrize("answers", [2, 3, 10, 1000])
@pytest.mark.parametrize("nano", [1, 10**6, 10**9, 3 * 10**10, 10**15])
def test_the_loss_of_one_row_is_the_stated_one(answers: int, nano: int) -> None:
    """The largest ratio of two chances of one answer: p (k − 1) / (1 − p), in exact arithmetic.

    The chance used is a float, and 1 − p is exact where the coin needs it, so this is the real one. e^ε is bounded from
    above to 15 digits.
    """
    mechanism = RandomizedResponse.calibrate(SUBSTITUTED, PrivacyLoss(epsilon_nano=nano), answers=answers)
    truth = Fraction(mechanism.truth)
    if truth >= Fraction(1, 2):
        assert Fraction(1 - mechanism.truth) == 1 - truth
    ratio = truth * (answers - 1) / (1 - truth)
    assert ratio > 1
    assert float(ratio) <= exp(min(nano / 1e9, 700)) * (1 + 1e-15)


@pytest.mark.parametrize(
    ("answers", "epsilon", "true"),
    [(2, 1.0986122886681098, 0), (2, 0.3, 1), (3, 1.0, 1), (5, 0.5, 4), (40, 3.0, 7)],
)
def test_answers_have_their_exact_frequencies(answers: int, epsilon: float, true: int) -> None:
    """χ² over the answers of 200,000 rows that all have one true answer. False alarms: 1e-8 a case.

    An ε wrong by 30 % is refused: it moves the χ² statistic by more than 150, and is missed less than once in 10^8.
    """
    mechanism = survey(answers, epsilon)
    told = mechanism.release(np.eye(answers, dtype=np.int64)[true] * ROWS)
    assert told.sum() == ROWS
    assert fit(told, chances(answers, epsilon, true)) > ALARM
    for wrong in (epsilon * 1.3, epsilon / 1.3):
        claimed = chances(answers, wrong, true)
        assert noncentrality(chances(answers, epsilon, true), claimed, ROWS) > 150
        assert fit(told, claimed) < REFUSED


def chances(answers: int, epsilon: float, true: int) -> list[float]:
    weights = [exp(epsilon) if answer == true else 1.0 for answer in range(answers)]
    return [weight / sum(weights) for weight in weights]


def test_it_is_what_the_library_does_row_by_row() -> None:
    """Two samples of 4,000 rows, this and OpenDP's on single codes; χ² of homogeneity. False alarms: 1e-8."""
    mechanism = survey(4, 1.0)
    single = library.randomized_response(4, mechanism.truth)
    other = np.bincount([single(2) for _ in range(4000)], minlength=4)
    told = mechanism.release(np.array([0, 0, 4000, 0]))
    assert stats.chi2_contingency([other, told]).pvalue > ALARM


@pytest.mark.full
def test_the_estimate_varies_as_the_textbooks_say() -> None:
    """p = 3/4: given the truth, 2s − 1/2 has mean π and variance 0.75/n; 2,000 surveys of 100 rows, 30 of them yes.

    The mean is within 6 deviations, the variance within χ² bounds. False alarms: 1e-8.
    """
    mechanism = survey(2, 1.0986122886681098)
    shares = np.array([2 * mechanism.release(np.array([70, 30]))[1] / 100 - 0.5 for _ in range(2000)])
    variance = 0.75 / 100
    assert abs(shares.mean() - 0.3) < 6 * (variance / 2000) ** 0.5
    low, high = stats.chi2.ppf([ALARM / 2, 1 - ALARM / 2], 1999) / 1999
    assert low * variance < shares.var(ddof=1) < high * variance


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 1000])
def test_every_row_answers_once(rows: int) -> None:
    told = survey(3, 1.0).release(np.array([rows, 0, rows]))
    assert told.dtype == np.int64
    assert told.sum() == 2 * rows
    assert told.min() >= 0


@pytest.mark.one_in(2)
@pytest.mark.parametrize("chance", [0.5, 0.25, 1 / 3, 0.001, 2**-53])
def test_a_coin_has_its_chance(chance: float) -> None:
    """Two-sided binomial test, 300,003 coins. False alarms: 1e-8 a case."""
    assert stats.binomtest(heads(300_003, chance), 300_003, chance).pvalue > ALARM


@pytest.mark.parametrize(("choices", "draws"), [(1, 5), (2, 100_001), (3, 100_000), (7, 99_999), (1000, 200_000)])
def test_choices_are_equally_likely(choices: int, draws: int) -> None:
    """χ². False alarms: 1e-8 a case."""
    counts = uniform_counts(draws, choices)
    assert counts.sum() == draws
    assert choices == 1 or stats.chisquare(counts).pvalue > ALARM


def test_without_noise_everybody_tells_the_truth() -> None:
    assert survey(3, 0.1).noiseless(np.array([5, 0, 2])).tolist() == [5, 0, 2]


@pytest.mark.parametrize("l1", [1, 4])
def test_it_is_for_one_row_that_is_substituted(l1: int) -> None:
    """Adding a row would show in the number of answers."""
    with pytest.raises(PlanError, match="relation substitute"):
        RandomizedResponse.calibrate(Sensitivity(l1=l1, linf=1), PrivacyLoss(epsilon_nano=10**9), answers=2)


def test_one_answer_is_no_question() -> None:
    with pytest.raises(PlanError, match="answers: found 1"):
        survey(1, 1.0)


@pytest.mark.parametrize("counts", [[1, 2], [1, 2, -3], [[1, 2, 3]]])
def test_counts_must_fit_the_answers(counts: list[int]) -> None:
    with pytest.raises(DPReleaseError, match="3 answers"):
        survey(3, 1.0).release(np.array(counts))
