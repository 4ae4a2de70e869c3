"""Intervals of variances and covariances over few rows, thousands of draws at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace
from dprelease.mechanisms.mechanism import Noise
from dprelease.statistics.algebra.inversion import covariance_interval, variance_interval

DRAWS = 1000
WIDE = 10
"""Codes run to this."""
USUAL = [(rows, 0.95) for rows in (3,)]
CASES = [
    pytest.param(rows, level, marks=[] if (rows, level) in USUAL else pytest.mark.full)
    for rows in (1, 2, 3, 5, 10, 30, 300)
    for level in (0.9, 0.95, 0.99)
]


def mechanism(kind: type[Noise], scale: float) -> Noise:
    made = object.__new__(kind)
    object.__setattr__(made, "scale", scale)
    return made


def drawn(noise: Noise, sums: Any) -> Any:
    """The product's noise, from OpenDP."""
    return noise.release(np.repeat(np.array(sums, dtype=np.int64)[None], DRAWS, axis=0)).astype(float)


@pytest.mark.full
@pytest.mark.parametrize(("kind", "scale"), [(DiscreteLaplace, 100.0), (DiscreteGaussian, 467.0)])
@pytest.mark.parametrize("shape", ["ends", "one", "even"])
@pytest.mark.parametrize(("rows", "level"), CASES)
def test_they_hold_at_least_as_often_as_they_say(
    rows: int, level: float, shape: str, kind: type[Noise], scale: float
) -> None:
    """Fewer by chance in 1e-8 of runs a case."""
    place = np.arange(rows)
    x = {"ends": place % 2 * WIDE, "one": np.where(place == 0, WIDE, 0), "even": place * 7 % (WIDE + 1)}[shape]
    y = x if shape == "ends" else place * 3 % (WIDE + 1)
    noise = mechanism(kind, scale)
    least = stats.binom.ppf(1e-8, DRAWS, level)
    squares = [(x**2).sum(), (2 * x * (WIDE - x)).sum(), ((WIDE - x) ** 2).sum()]
    low, high = variance_interval(drawn(noise, squares), noise, level)
    assert ((low <= np.var(x / WIDE) + 1e-9) & (np.var(x / WIDE) - 1e-9 <= high)).sum() >= least
    products = [(one * other).sum() for one in (x, WIDE - x) for other in (y, WIDE - y)]
    low, high = covariance_interval(drawn(noise, products), noise, level)
    true = float(np.mean((x - x.mean()) * (y - y.mean()))) / WIDE**2
    assert ((low <= true + 1e-9) & (true - 1e-9 <= high)).sum() >= least
