"""The noise of sums: half-widths are exact, draws covered, and one Laplace noise of its variance reaches further."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from dprelease.errors import InternalError
from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, PermuteAndFlip, half_width
from dprelease.mechanisms.mechanism import Noise
from dprelease.mechanisms.residual import ResidualGaussian, sensitivity
from dprelease.model.noise import GAUSSIAN, LAPLACE
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from dprelease.statistics.algebra import combination
from dprelease.statistics.algebra.reach import noises
from dprelease.statistics.algebra.share import share_interval
from dprelease.statistics.algebra.summed import summed

ONE = Sensitivity(l1=1, l2_squared=1, linf=1, shape=(1,))
KINDS: dict[str, type[Noise]] = {LAPLACE: DiscreteLaplace, GAUSSIAN: DiscreteGaussian}
DRAWS = 30_000
SDS = 6.5
"""How many standard deviations a share of draws may be off: beyond in under 10^-10 of cases."""


def of(name: str, scale: float) -> Noise:
    return KINDS[name](sensitivity=ONE, share=PrivacyLoss(epsilon_nano=10**9), scale=scale)


def probabilities(name: str, scale: float) -> NDArray[np.float64]:
    """By the definition, in both directions."""
    reach = np.arange(-int(60 * scale) - 3, int(60 * scale) + 4)
    weights = np.exp(-np.abs(reach) / scale) if name == LAPLACE else np.exp(-((reach / scale) ** 2) / 2)
    return np.asarray(weights / weights.sum())


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999, 1 - 1e-8])
@pytest.mark.parametrize(
    "parts",
    [
        ((LAPLACE, 0.2), (LAPLACE, 0.3)),
        ((LAPLACE, 1.0),) * 5,
        ((LAPLACE, 3.3), (LAPLACE, 8.0), (LAPLACE, 0.5)),
        ((GAUSSIAN, 0.4), (GAUSSIAN, 0.7), (GAUSSIAN, 0.4)),
        ((GAUSSIAN, 6.0), (GAUSSIAN, 9.5)),
        ((LAPLACE, 4.0), (GAUSSIAN, 7.0)),
    ],
)
def test_a_half_width_is_the_smallest_that_holds(parts: tuple[tuple[str, float], ...], confidence: float) -> None:
    whole = np.ones(1)
    for part in parts:
        whole = np.convolve(whole, probabilities(*part))
    middle = len(whole) // 2
    found = half_width.summed(parts, confidence)
    inside = [float(whole[middle - h : middle + h + 1].sum()) if h >= 0 else 0.0 for h in (found - 1, found)]
    assert inside[0] < confidence <= inside[1] + 1e-12


@pytest.mark.parametrize("name", KINDS)
def test_of_one_it_is_what_is_known(name: str) -> None:
    for scale in (0.2, 1.0, 7.7, 300.0, 9_000.0):
        assert half_width.summed(((name, scale),)) == half_width.half_width(name, scale)


def test_of_large_scales_it_is_rounded_up_by_little() -> None:
    for scales in ((2e6,), (5e7, 1.0), (3e5, 4e5, 5e5)):
        exact = combination.quantile(0.95, tuple((scale, 1) for scale in scales))
        assert exact - 1 <= half_width.summed(tuple((LAPLACE, scale) for scale in scales)) <= exact * 1.0003 + 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("scales", [(1.5, 1.5, 1.5), (0.6, 2.0, 12.0), (20.0,) * 6])
def test_draws_of_several_are_within_it(name: str, scales: tuple[float, ...]) -> None:
    mechanisms = [of(name, scale) for scale in scales]
    together = summed(mechanisms)
    assert isinstance(together, Noise)
    drawn = np.abs(sum(each.release(np.zeros(DRAWS, dtype=np.int64)) for each in mechanisms))
    half, off = together.half_width(), SDS * sqrt(0.05 * 0.95 / DRAWS)
    assert (drawn <= half).mean() >= 0.95 - off
    assert (drawn <= half - 1).mean() < 0.95 + off
    squares = float((drawn.astype(float) ** 2).mean())
    assert squares == pytest.approx(together.variance, rel=SDS * sqrt(5 / DRAWS))
    assert together.variance == pytest.approx(sum(each.variance for each in mechanisms))
    assert noises(together, 3).standard_deviation == pytest.approx(
        sqrt(3 * sum(noises(each).standard_deviation ** 2 for each in mechanisms))
    )


def test_one_laplace_noise_of_its_variance_reaches_further_but_not_by_much() -> None:
    """With 95 %, alone, weighted against another one, and in sums of many cells."""
    for count, ratio, other, cells in product((2, 3, 5, 40), (1.0, 0.3, 0.02), (0.0, 0.4, 1.0, 5.0), (1, 7)):
        scales = [1.0] + [ratio] * (count - 1)
        whole = sqrt(sum(scale**2 for scale in scales))
        parts = tuple((scale * by, cells) for scale in scales for by in (1.0, other) if by)
        one = tuple((whole * by, cells) for by in (1.0, other) if by)
        exact, wider = combination.quantile(0.95, parts), combination.quantile(0.95, one)
        assert exact * (1 - 1e-7) <= wider <= 1.09 * exact


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("part", [0.5, 0.9])
def test_shares_of_sums_are_covered(name: str, part: float) -> None:
    """Those by which means and proportions have their intervals: of three sites with other scales."""
    mechanisms = [of(name, scale) for scale in (4.0, 4.0, 9.0)]
    true = np.array([round(2000 * part), round(2000 * (1 - part))])
    cells = np.zeros((20_000, 2), dtype=np.int64)
    drawn = true + sum(each.release(cells) for each in mechanisms)
    first, second = drawn.astype(np.float64).T
    low, high = share_interval(first, second, summed(mechanisms))
    covered = float(((low <= part) & (part <= high)).mean())
    assert 0.95 - SDS * sqrt(0.05 * 0.95 / 20_000) <= covered <= 0.985


def test_residuals_have_the_noise_of_all_by_set() -> None:
    own = {"cells": "3 2", "sets": "|0|1|0 1", "rows": 1, "moves": False}
    known = sensitivity(**own)  # type: ignore[arg-type]
    several = [
        ResidualGaussian.calibrate(known, PrivacyLoss(rho_nano=rho), **own, ratios=[1.0, 2.0, 3.0, 4.0])
        for rho in (10**8, 3 * 10**8)
    ]
    together = summed(several)
    assert isinstance(together, ResidualGaussian)
    for places, scale in together.by_set.items():
        assert scale**2 == pytest.approx(sum(each.by_set[places] ** 2 for each in several))


def test_nothing_is_drawn_by_it_and_nothing_else_adds_up() -> None:
    assert summed([of(LAPLACE, 2.0)]) == of(LAPLACE, 2.0)
    for name in KINDS:
        with pytest.raises(InternalError):
            summed([of(name, 1.0)] * 2).release(np.zeros(1))
    with pytest.raises(InternalError):
        summed([of(LAPLACE, 1.0), of(GAUSSIAN, 1.0)])
    chosen = PermuteAndFlip(sensitivity=ONE, share=PrivacyLoss(epsilon_nano=10**9), scale=1.0)
    with pytest.raises(InternalError):
        summed([chosen, chosen])
