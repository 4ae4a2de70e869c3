"""Discrete Gaussian noise: its distribution, its ρ, and intervals that are exactly as wide as they must be."""

from __future__ import annotations

from fractions import Fraction
from math import nextafter, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dprelease.mechanisms import DiscreteGaussian
from dprelease.mechanisms.gaussian import root_above
from dprelease.mechanisms.half_width import SUMMED
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from tests.mechanisms.exact import ALARM, gaussian_fit, gaussian_pmf


def noise(scale: float) -> DiscreteGaussian:
    known = Sensitivity(l1=1, linf=1, l2_squared=1)
    return DiscreteGaussian(sensitivity=known, share=PrivacyLoss(rho_nano=1), scale=scale)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99, 1 - 1e-9])
def test_the_half_width_is_the_smallest_that_holds(confidence: float) -> None:
    for scale in np.geomspace(0.05, SUMMED, 60).tolist():
        half = noise(scale).half_width(confidence)
        mass = gaussian_pmf(scale, half + int(12 * scale) + 12)
        beyond = 2 * mass[:half:-1].sum()
        assert beyond <= (1 - confidence) * (1 + 1e-9), scale
        if half:
            assert beyond + 2 * mass[half] > (1 - confidence) * (1 - 1e-9), scale


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("scale", [nextafter(SUMMED, 1e9), 12_345.6, 50_000.0, 200_000.0])
def test_beyond_the_sums_it_is_never_too_small_and_at_most_one_too_large(scale: float, confidence: float) -> None:
    half = noise(scale).half_width(confidence)
    mass = gaussian_pmf(scale, half + int(9 * scale))
    beyond = 2 * mass[:half:-1].sum()
    assert beyond <= (1 - confidence) * (1 + 1e-12)
    assert beyond + 2 * (mass[half] + mass[half - 1]) > 1 - confidence


@pytest.mark.parametrize("scale", [1e9, 1e12, 1e15, 1e17, 1e20, 9e24])
def test_the_half_width_of_enormous_scales(scale: float) -> None:
    """There the distribution is continuous for all purposes: 1.96 σ."""
    assert noise(scale).half_width() == pytest.approx(scale * stats.norm.ppf(0.975), rel=1e-12, abs=1)


def test_the_half_width_steps_where_it_must() -> None:
    """σ = 1: 1 − 2 · 0.0545 = 89.1 % within 1, 99.1 % within 2."""
    assert noise(1.0).half_width() == 2
    assert noise(0.1).half_width() == 0


@pytest.mark.parametrize("scale", [0.05, 0.3, 0.7, 1.0, 2.5, 9.9, 10.1, 400.0])
def test_the_variance_is_exact(scale: float) -> None:
    """Below σ², as Canonne, Kamath and Steinke 2020 prove."""
    mass = gaussian_pmf(scale, int(15 * scale) + 15)
    variance = 2 * (mass * np.arange(len(mass)) ** 2).sum()
    assert noise(scale).variance == pytest.approx(variance, rel=1e-9)
    assert noise(scale).variance <= scale**2 * (1 + 1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scale", [0.5, 3.0, 250.0])
def test_noise_fits_its_distribution(scale: float) -> None:
    """χ² over 40 cells, 20,000 draws. False alarms: 1e-8 a case. A scale wrong by 30 % is refused with certainty."""
    drawn = noise(scale).release(np.zeros(20_000, dtype=np.int64))
    assert gaussian_fit(drawn, scale) > ALARM
    assert gaussian_fit(drawn, scale * 1.3) < 1e-12
    assert gaussian_fit(drawn, scale / 1.3) < 1e-12


def test_noise_does_not_depend_on_the_value() -> None:
    """χ² at values near both clamps, 20,000 draws each. False alarms: 1e-8 a case."""
    for value in (10**15, -(2**61)):
        assert gaussian_fit(noise(5.0).release(np.full(20_000, value)) - value, 5.0) > ALARM


def test_cells_get_independent_noise_of_the_same_shape() -> None:
    """The correlation of 20,000 neighbouring cells is within 6 deviations of 0. False alarms: 2e-9."""
    drawn = noise(4.0).release(np.zeros((20_000, 2), dtype=np.int64))
    assert drawn.shape == (20_000, 2)
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 6 / 20_000**0.5


@given(st.integers(1, 2**106))
def test_a_root_is_rounded_upwards_by_less_than_an_ulp(square: int) -> None:
    """OpenDP's map takes the L2 norm as a float: one rounded downwards would understate the loss."""
    root = root_above(square)
    assert Fraction(root) ** 2 >= square
    assert Fraction(nextafter(root, 0)) ** 2 < square


@pytest.mark.parametrize(("l2_squared", "rho_nano"), [(2, 10**7), (1, 5 * 10**8), (7, 1), (10**18 + 1, 3 * 10**9)])
def test_sigma_is_the_closed_form(l2_squared: int, rho_nano: int) -> None:
    """σ = √(l2² / 2ρ), and not less: Bun and Steinke 2016, proposition 1.6."""
    known = Sensitivity(l1=l2_squared, linf=1, l2_squared=l2_squared)
    mechanism = DiscreteGaussian.calibrate(known, PrivacyLoss(rho_nano=rho_nano))
    assert mechanism.scale == pytest.approx(sqrt(l2_squared / (2 * rho_nano / 1e9)), rel=1e-14)
    assert l2_squared / (2 * Fraction(mechanism.scale) ** 2) <= mechanism.rho <= Fraction(rho_nano, 10**9)


def test_without_noise_the_value_stays() -> None:
    assert noise(1e9).noiseless(np.array([3, -4])).tolist() == [3, -4]
