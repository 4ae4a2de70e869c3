"""Whether published noise is of its distribution."""

from __future__ import annotations

import numpy as np

from dprelease.mechanisms import DiscreteGaussian
from dprelease.mechanisms.mechanism import Noise
from tests.mechanisms.exact import gaussian_pmf, laplace_pmf, symmetric_fit
from tests.privacy.cases import Case
from tests.privacy.publishing import pair, without_sharing


def fits(case: Case, draws: int, factor: float = 1.0) -> float:
    """The p-value of a χ² test that what is published minus the truth has the stated noise, or so many times it."""
    with without_sharing():
        both = pair(case, 500)
        first, second = both.draws(draws)
        (mechanism,) = both.mechanisms
        assert isinstance(mechanism, Noise)
        noise = np.concatenate(
            [
                (drawn[0] - np.asarray(given[0], dtype=np.int64).ravel()).ravel()
                for drawn, given in zip((first, second), both.given, strict=True)
            ]
        )
        pmf = gaussian_pmf if isinstance(mechanism, DiscreteGaussian) else laplace_pmf
        scale = mechanism.scale * factor
        return symmetric_fit(noise, pmf(scale, int(50 * scale) + 12))
