"""A large draw in several threads is the draw that one thread makes: every number for its own cell."""

from __future__ import annotations

import numpy as np
import pytest

from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, ExponentialMechanism, Mechanism, PermuteAndFlip
from dprelease.mechanisms.threads import LARGE
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity

ALMOST_NONE = PrivacyLoss(epsilon_nano=10**12)
ALMOST_NONE_ZCDP = PrivacyLoss(rho_nano=10**12)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("shape", [(LARGE + 1,), (3, LARGE // 2)])
@pytest.mark.parametrize(("mechanism", "share"), [(DiscreteLaplace, ALMOST_NONE), (DiscreteGaussian, ALMOST_NONE_ZCDP)])
def test_each_cell_has_its_own_noise(mechanism: type[Mechanism], share: PrivacyLoss, shape: tuple[int, ...]) -> None:
    """At these losses noise is 0 but for a chance below 10^-100 (each cell, Laplace: e^-1000; Gaussian: σ = 0.0224)."""
    exact = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    noisy = mechanism.calibrate(Sensitivity(l1=1, linf=1, l2_squared=1), share).release(exact)
    assert noisy.dtype == np.int64
    assert np.array_equal(noisy, exact)


def test_pieces_have_different_noise() -> None:
    """Scale 1000, 20,001 cells: that the halves agree has a chance below 10^-1000."""
    drawn = DiscreteLaplace.calibrate(Sensitivity(l1=1, linf=1), PrivacyLoss(epsilon_nano=10**6)).release(
        np.zeros(LARGE + 1)
    )
    half = LARGE // 2
    assert not np.array_equal(drawn[:half], drawn[half : 2 * half])
    assert abs(np.abs(drawn).mean() - 1000) < 6 * 1000 / LARGE**0.5  # six standard errors: false alarm below 10^-8


@pytest.mark.parametrize(
    ("mechanism", "share"), [(PermuteAndFlip, ALMOST_NONE), (ExponentialMechanism, ALMOST_NONE_ZCDP)]
)
def test_each_row_of_scores_has_its_own_choice(mechanism: type[Mechanism], share: PrivacyLoss) -> None:
    """One candidate of each row is far better than the rest: another is chosen with a chance below 10^-100."""
    best = np.arange(0, 40, 4)
    scores = np.full((len(best), LARGE // 8), -(10**6), dtype=np.int64)
    scores[np.arange(len(best)), best] = 0
    chosen = mechanism.calibrate(Sensitivity(l1=0, linf=1), share).release(scores)
    assert chosen.tolist() == best.tolist()
