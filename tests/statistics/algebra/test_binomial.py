"""Intervals of shares from answers that were changed at random, by enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dprelease.mechanisms import RandomizedResponse, Response, SubsetResponse, UnaryResponse
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from dprelease.statistics.algebra.binomial import shares_that_fit

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("way", [RandomizedResponse, SubsetResponse, UnaryResponse])
@pytest.mark.parametrize(("answers", "epsilon"), [(2, 0.5), (12, 1.0), (12, 3.0)])
def test_intervals_hold_the_true_share_in_95_of_100_surveys(way: type[Response], answers: int, epsilon: float) -> None:
    """Over every count that 40 rows can tell, for every number of true answers: exact, no draw."""
    mechanism = way.calibrate(
        Sensitivity(l1=2, linf=1, l2_squared=2), PrivacyLoss(epsilon_nano=round(epsilon * 1e9)), answers=answers
    )
    rows, p, q = 40, mechanism.true_chance, mechanism.other_chance
    lower, upper = shares_that_fit(np.arange(rows + 1), rows, p, q, 0.95)
    covered = []
    for true in range(rows + 1):
        law = np.convolve(
            stats.binom.pmf(np.arange(true + 1), true, p), stats.binom.pmf(np.arange(rows - true + 1), rows - true, q)
        )
        covered.append(law[(lower <= true / rows + 1e-12) & (true / rows <= upper + 1e-12)].sum())
    assert min(covered) >= 0.95
    assert np.mean(covered) < 0.995
