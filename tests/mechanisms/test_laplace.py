"""Discrete Laplace noise: its distribution, and intervals that are exactly as wide as they must be."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from dprelease.mechanisms import DiscreteLaplace
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from tests.mechanisms.exact import ALARM, laplace_fit, laplace_pmf

BORDER = 1 / log(39)
"""The scale at which |k| <= 0 holds with exactly 95 %."""


def noise(scale: float) -> DiscreteLaplace:
    return DiscreteLaplace(sensitivity=Sensitivity(l1=1, linf=1), share=PrivacyLoss(epsilon_nano=1), scale=scale)


SCALES = sorted({*np.geomspace(0.01, 1e6, 61).tolist(), *[n / 10 for n in range(1, 60)], BORDER - 1e-9, BORDER + 1e-9})


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_the_half_width_is_the_smallest_that_holds(confidence: float) -> None:
    for scale in SCALES:
        half = noise(scale).half_width(confidence)
        mass = laplace_pmf(scale, half + 1)
        within = mass[0] + 2 * mass[1 : half + 1].sum()
        assert within >= confidence - 1e-12, scale
        if half:
            assert within - 2 * mass[half] < confidence + 1e-12, scale


def test_the_half_width_steps_where_it_must() -> None:
    assert noise(BORDER - 1e-9).half_width() == 0
    assert noise(BORDER + 1e-9).half_width() == 1
    assert noise(1.0).half_width() == 3  # 92.7 % within 2, 97.3 % within 3


@pytest.mark.parametrize("scale", [1e9, 1e12, 1e15, 1e17, 1e20, 9e24])
def test_the_half_width_of_enormous_scales(scale: float) -> None:
    """There the distribution is continuous for all purposes: scale · ln 20."""
    assert noise(scale).half_width() == pytest.approx(scale * log(20), rel=1e-12, abs=1)


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 7.5, 1e4])
def test_the_variance_is_exact(scale: float) -> None:
    reach = int(60 * scale) + 60
    mass = laplace_pmf(scale, reach)
    variance = 2 * (mass * np.arange(reach + 1.0) ** 2).sum()
    assert noise(scale).variance == pytest.approx(variance, rel=1e-9)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scale", [0.5, 3.0, 250.0])
def test_noise_fits_its_distribution(scale: float) -> None:
    """χ² over 40 cells, 20,000 draws. False alarms: 1e-8 a case. A scale wrong by 30 % is refused with certainty."""
    drawn = noise(scale).release(np.zeros(20_000, dtype=np.int64))
    assert laplace_fit(drawn, scale) > ALARM
    assert laplace_fit(drawn, scale * 1.3) < 1e-12
    assert laplace_fit(drawn, scale / 1.3) < 1e-12


def test_noise_does_not_depend_on_the_value() -> None:
    """χ² at values near both clamps, 20,000 draws each. False alarms: 1e-8 a case."""
    for value in (10**15, -(2**61)):
        assert laplace_fit(noise(5.0).release(np.full(20_000, value)) - value, 5.0) > ALARM


def test_cells_get_independent_noise_of_the_same_shape() -> None:
    """The correlation of 20,000 neighbouring cells is within 6 deviations of 0. False alarms: 2e-9."""
    drawn = noise(4.0).release(np.zeros((20_000, 2), dtype=np.int64))
    assert drawn.shape == (20_000, 2)
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 6 / 20_000**0.5


def test_without_noise_the_value_stays() -> None:
    assert noise(1e9).noiseless(np.array([3, -4])).tolist() == [3, -4]
