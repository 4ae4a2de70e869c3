"""Whether published noise is of its distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dprelease.mechanisms import DiscreteGaussian
from dprelease.mechanisms.mechanism import Noise
from tests.mechanisms.exact import gaussian_pmf, laplace_pmf, symmetric_fit
from tests.privacy.cases import Case
from tests.privacy.publishing import pair, without_sharing


def fits(case: Case, draws: int, factors: Sequence[float] = (1.0,)) -> list[float]:
    """The p-values of χ² tests that what is published minus the truth has the stated noise, or so many times it."""
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
        scales = [mechanism.scale * factor for factor in factors]
        return [symmetric_fit(noise, pmf(scale, int(50 * scale) + 12)) for scale in scales]
