"""Intervals by quadrature: against closed forms, and the coverage of a ratio."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dprelease.statistics.combination import quantile
from dprelease.statistics.quadrature import Scaled, laplace, lattice, normal, spread

Reals = NDArray[np.float64]


def test_inverse_distributions() -> None:
    shares = np.array([1e-9, 0.01, 0.25, 0.5, 0.8, 1 - 1e-9])
    for noise, law in ((laplace(3), stats.laplace(scale=3)), (normal(3), stats.norm(scale=3))):
        np.testing.assert_allclose(noise.scale * noise.law(shares), law.ppf(shares), rtol=1e-7, atol=1e-15)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_the_lattice_fills_the_cube(dimensions: int) -> None:
    """Far more evenly than as many random points."""
    points = lattice(4096, dimensions)
    assert points.min() > 0
    assert points.max() < 1
    assert stats.qmc.discrepancy(points, method="L2-star") < 0.25 * stats.qmc.discrepancy(
        np.random.default_rng(9).random((4096, dimensions)), method="L2-star"
    )
    assert (lattice(4096, dimensions) == points).all()


@pytest.mark.parametrize("count", [1, 2, 3, 6, 10])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_a_sum_of_noises_reaches_as_far_as_it_should(count: int, confidence: float) -> None:
    values = np.array([[100] * count, [7] * count])
    lower, upper = spread(lambda true: true.sum(axis=-1), values, [laplace(4.0)] * count, confidence)
    half = quantile(confidence, ((4.0, count),))
    np.testing.assert_allclose(lower, values.sum(1) - half, atol=0.04 * half)
    np.testing.assert_allclose(upper, values.sum(1) + half, atol=0.04 * half)
    lower, upper = spread(lambda true: true.sum(axis=-1), values, [normal(4.0)] * count, confidence)
    half = quantile(confidence, (), 4 * count**0.5)
    np.testing.assert_allclose(upper - lower, 2 * half, atol=0.04 * half)


def test_noise_is_taken_off() -> None:
    """Noise that is never below 0 leaves truths at or below the noisy value."""
    lower, upper = spread(lambda true: true[..., 0], np.array([[10.0]]), [Scaled(lambda share: -np.log1p(-share), 1.0)])
    np.testing.assert_allclose((lower[0], upper[0]), (10 + np.log(0.025), 10 + np.log(0.975)), atol=0.02)


def test_each_number_has_its_own_noise_and_each_cell_its_own_interval() -> None:
    values = np.array([[10, 1000], [20, 2000], [30, 3000]])
    first = spread(lambda true: true[..., 0], values, [laplace(1.0), normal(50.0)])
    second = spread(lambda true: true[..., 1], values, [laplace(1.0), normal(50.0)])
    np.testing.assert_allclose(first[1] - values[:, 0], quantile(0.95, ((1.0, 1),)), rtol=0.02)
    np.testing.assert_allclose(values[:, 1] - second[0], quantile(0.95, (), 50.0), rtol=0.02)


def test_many_cells_in_parts_are_as_one_by_one() -> None:
    values = np.random.default_rng(10).integers(50, 100, (300, 2))
    noises = [laplace(2.0), laplace(3.0)]

    def ratio(true: Reals) -> Reals:
        assert true.nbytes <= 16e6
        return np.asarray(true[..., 0] / true[..., 1])

    lower, upper = spread(ratio, values, noises)
    for cell in (0, 130, 299):
        alone = spread(ratio, values[cell : cell + 1], noises)
        assert (alone[0][0], alone[1][0]) == (lower[cell], upper[cell])


def test_what_has_no_bound_has_none() -> None:
    """A tenth of the results not a number: both ends open. A tenth infinite: one. A hundredth: none."""
    values, noises = np.zeros((1, 1)), [normal(1.0)]

    def ends(odd: float, share: float) -> list[bool]:
        edge = stats.norm.ppf(share)
        found = spread(lambda true: np.where(-true[..., 0] < edge, odd, true[..., 0]), values, noises)
        return [bool(np.isnan(end[0])) for end in found]

    assert ends(np.nan, 0.1) == [True, True]
    assert ends(np.inf, 0.1) == [False, True]
    assert ends(-np.inf, 0.1) == [True, False]
    assert ends(np.nan, 0.01) == [False, False]
    lower, _ = spread(lambda true: np.sqrt(true[..., 0]) / 0, values, noises)
    assert np.isnan(lower).all()


def test_the_variance_of_noisy_moments_is_covered() -> None:
    """2,000 draws; with 95 % coverage, below 0.93 by chance less than once in 10⁴ runs."""
    rng = np.random.default_rng(11)
    truth, scales = np.array([500.0, 2_000.0, 12_000.0]), (4.0, 40.0, 400.0)
    values = np.stack([np.rint(each + rng.laplace(0, b, 2000)) for each, b in zip(truth, scales, strict=True)], axis=1)

    def variance(true: Reals) -> Reals:
        return np.asarray(true[..., 2] / true[..., 0] - (true[..., 1] / true[..., 0]) ** 2)

    lower, upper = spread(variance, values, [laplace(scale) for scale in scales])
    inside = float(((lower <= variance(truth)) & (variance(truth) <= upper)).mean())
    assert 0.93 < inside < 0.97
