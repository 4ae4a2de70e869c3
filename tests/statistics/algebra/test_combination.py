"""Sums of noises and ratios of noisy numbers: against closed forms, enumeration and simulation."""

from __future__ import annotations

from math import exp, inf, isinf

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from dprelease.errors import InternalError
from dprelease.statistics.algebra.combination import ROUGH, Laplaces, Noises, fieller, quantile, tail
from dprelease.statistics.algebra.share import weighted_tail

SUMS: list[tuple[Laplaces, float]] = [
    (((2.0, 1),), 0.0),
    (((2.0, 2),), 0.0),
    (((2.0, 1), (0.3, 1)), 0.0),
    (((1.0, 3),), 0.0),
    (((1.0, 1), (0.5, 2), (0.01, 4)), 0.0),
    (((1.0, 1), (1e-5, 5)), 0.0),
    (((1.0, 1), (0.05, 3)), 0.2),
    (((1.0, 2000), (4.0, 30)), 7.0),
    (((1e-4, 1),), 1.0),
    ((), 3.0),
]


def equal_laplaces(t: float, scale: float, count: int) -> float:
    """P(|sum| > t) of equal Laplace noises: |sum| is a random number of exponentials (Kotz et al. 2001, 2.3)."""
    weights = [1.0]
    for n in range(1, count):
        weights.append(weights[-1] * (count - 1 + n) / (2 * n))
    # The density of the sum is e^(−x) Σ w_j x^(count − 1 − j) / (count − 1 − j)!, up to one factor.
    total = sum(weights)
    return sum(w / total * special.gammaincc(count - j, t / scale) for j, w in enumerate(weights))


def laplace_and_normal(t: float, scale: float, sigma: float) -> float:
    """P(|Laplace + normal| > t), by completing the square."""
    a, b = t / sigma, sigma / scale
    return float(
        special.erfc(a / 2**0.5)
        + exp(b**2 / 2 - t / scale + special.log_ndtr(a - b))
        - exp(b**2 / 2 + t / scale + special.log_ndtr(-a - b))
    )


@pytest.mark.parametrize("count", [3, 4, 10, 40])
def test_the_tail_of_equal_laplaces(count: int) -> None:
    for deviations in (0.0, 0.01, 0.5, 1, 2, 4, 8, 20):
        t = deviations * 3 * (2 * count) ** 0.5
        assert tail(t, ((3.0, count),)) == pytest.approx(equal_laplaces(t, 3, count), rel=3e-8)


@pytest.mark.parametrize(("scale", "sigma"), [(1, 1), (1, 0.1), (1, 1e-3), (0.1, 1), (1e-4, 1), (7, 20)])
def test_the_tail_of_a_laplace_and_a_normal(scale: float, sigma: float) -> None:
    for t in (0.0, 0.1, 0.5, 1, 2, 5, 12):
        wanted = laplace_and_normal(t * sigma, scale, sigma)
        assert tail(t * sigma, ((scale, 1),), sigma) == pytest.approx(wanted, rel=3e-8)


def test_closed_forms_and_inversion_meet() -> None:
    """A third noise too small to matter turns the closed form of two into the integral."""
    for other in (1.0, 0.9999, 0.5, 0.1, 0.02):
        for t in (0.1, 1.0, 3.0, 10.0, 40.0):
            closed = float(weighted_tail(np.array(t), np.array(1.0), np.array(other)))
            assert tail(t, ((1.0, 1), (other, 1))) == closed
            assert tail(t, ((1.0, 1), (other, 1), (1e-6, 1))) == pytest.approx(closed, rel=3e-8)
    assert tail(2.0, ((1.5, 1),)) == pytest.approx(exp(-2 / 1.5), rel=1e-15)
    assert tail(4.0, (), 2.0) == pytest.approx(2 * stats.norm.sf(2), rel=1e-13)


@pytest.mark.full
@pytest.mark.parametrize(("laplaces", "sigma"), SUMS)
def test_the_tail_by_simulation(laplaces: Laplaces, sigma: float) -> None:
    """10⁶ draws of each; |z| > 5 for one of 40 figures happens by chance in 2 of 100,000 runs."""
    rng = np.random.default_rng(7)
    draws = np.zeros(1_000_000)
    for scale, count in laplaces:
        # The sum of Laplace noises is the difference of two gamma variables.
        draws += scale * (rng.gamma(count, size=draws.size) - rng.gamma(count, size=draws.size))
    draws = np.abs(draws + rng.normal(0, sigma, draws.size))
    for confidence in (0.3, 0.8, 0.95, 0.999):
        t = quantile(confidence, laplaces, sigma)
        assert tail(t, laplaces, sigma) == pytest.approx(1 - confidence, rel=3e-8)
        seen = float((draws > t).mean())
        assert abs(seen - (1 - confidence)) < 5 * (confidence * (1 - confidence) / draws.size) ** 0.5


def test_quantiles_far_out_keep_their_digits() -> None:
    for alpha in (1e-6, 1e-9, 1e-13):
        t = quantile(1 - alpha, ((2.0, 5), (1.0, 2)), 0.5)
        assert tail(t, ((2.0, 5), (1.0, 2)), 0.5) == pytest.approx(1 - (1 - alpha), rel=1e-7)
    assert quantile(0.0, ((1.0, 3),)) == 0
    assert quantile(0.95, ()) == 0


def test_equal_noises_may_be_counted_or_listed() -> None:
    listed = quantile(0.95, (*[(2.0, 1)] * 7, (1.0, 1)))
    assert listed == quantile(0.95, ((1.0, 1), (2.0, 7)))


@pytest.mark.parametrize("noise", [((inf, 1),), ((-1.0, 1),), ((1.0, -1),)])
def test_a_noise_that_is_none_is_refused(noise: Laplaces) -> None:
    with pytest.raises(InternalError):
        Noises(noise)


def laplace(*parts: tuple[float, int]) -> Noises:
    return Noises(parts)


def discrete(noise: Noises) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The whole numbers that discrete noises of these scales sum to, with their probabilities."""
    k = np.arange(-150, 151)
    whole = (k == 0).astype(float)
    parts = [np.exp(-np.abs(k) / scale) for scale, count in noise.laplaces for _ in range(count)]
    parts += [np.exp(-(k**2) / (2 * noise.sigma**2))] if noise.sigma else []
    for part in parts:
        whole = np.convolve(whole, part / part.sum(), "same")
    return k[whole > 1e-6], whole[whole > 1e-6]


NOISES = [
    laplace((0.2, 1)),
    laplace((1.0, 1)),
    laplace((5.0, 1)),
    laplace((1.0, 2)),
    laplace((3.0, 1), (0.7, 2)),
    Noises((), 0.3),
    Noises((), 4.0),
    Noises(((1.0, 1),), 1.0),
    Noises(),
]


@pytest.mark.full
@pytest.mark.parametrize("bottom", NOISES, ids=str)
@pytest.mark.parametrize("top", NOISES[:-2], ids=str)
def test_fieller_covers(top: Noises, bottom: Noises) -> None:
    """Exactly, but for noise of chance 1e-6: over every pair, for a denominator that is clear and one often not."""
    noise, its = discrete(top)
    other, chances = discrete(bottom)
    chance = np.outer(its, chances).ravel()
    for a, b in ((70, 100), (-31, 6)):
        lower, upper = fieller(
            np.repeat(a + noise, len(other)).astype(float), np.tile(b + other, len(noise)).astype(float), top, bottom
        )
        assert chance[(lower <= a / b) & (a / b <= upper)].sum() >= 0.95


@pytest.mark.parametrize(("top", "bottom"), [(NOISES[2], NOISES[1]), (NOISES[4], NOISES[6]), (NOISES[7], NOISES[2])])
def test_fieller_is_what_is_not_rejected_and_no_more(top: Noises, bottom: Noises) -> None:
    """On a grid of ratios around each interval, also of denominators that are hardly clear."""
    reach = quantile(0.95, bottom.laplaces, bottom.sigma)
    denominators = reach + np.array([0.52, 1, 10, 100])
    for numerator in (-40.0, 0.0, 1000.0):
        lower, upper = fieller(np.full(4, numerator), denominators, top, bottom)
        for low, high, denominator in zip(lower, upper, denominators, strict=True):
            width = high - low
            for r in np.concatenate([np.linspace(low - 3 * width, high + 3 * width, 15), [low, high]]):
                both = top.plus(bottom.scaled(r))
                kept = quantile(0.95, both.laplaces, both.sigma) + 0.5 + abs(r) / 2
                distance = abs(numerator - r * denominator)
                if distance < kept * (1 - 1e-5):
                    assert low <= r <= high
                elif distance > kept * (1 + 1e-5):
                    assert not low < r < high


def test_fieller_of_a_denominator_that_may_be_0_is_unbounded() -> None:
    noise = laplace((2.0, 1))
    reach = quantile(0.95, noise.laplaces) + 0.5
    lower, upper = fieller(np.array([5.0] * 4), np.array([-50, 0, reach - 0.01, reach + 0.01]), noise, noise)
    assert [isinf(low) and isinf(high) for low, high in zip(lower, upper, strict=True)] == [True, True, True, False]


def test_fieller_without_noise_below_is_the_noise_above() -> None:
    lower, upper = fieller(np.array([30.0]), np.array([10.0]), laplace((2.0, 1)), Noises())
    half = (quantile(0.95, ((2.0, 1),)) + 0.5) / 10
    assert (lower[0], upper[0]) == pytest.approx((3 - half, 3 + half), rel=1e-5)


def test_fieller_by_simulation() -> None:
    """10⁴ ratios with noise of 3,000 terms; below 0.94 by chance once in 10⁵ runs."""
    rng = np.random.default_rng(8)
    scale, count = 2.0, 3000
    q = exp(-1 / scale)
    size = 10_000
    a, b = 4000, 9000
    noise = rng.negative_binomial(count, 1 - q, size) - rng.negative_binomial(count, 1 - q, size)
    other = rng.geometric(1 - q, size) - rng.geometric(1 - q, size)
    lower, upper = fieller(
        (a + noise).astype(float), (b + other).astype(float), laplace((scale, count)), laplace((scale, 1))
    )
    covered = float(((lower <= a / b) & (a / b <= upper)).mean())
    assert 0.94 < covered < 0.97


@pytest.mark.parametrize(
    ("laplaces", "sigma"), [*SUMS, (tuple((1.1**-place, 1 + place % 9) for place in range(120)), 0.0)]
)
def test_a_rough_tail_is_right_to_six_digits(laplaces: Laplaces, sigma: float) -> None:
    for share in (0.3, 1, 2, 5):
        t = share * Noises(laplaces, sigma).standard_deviation
        assert tail(t, laplaces, sigma, ROUGH) == pytest.approx(tail(t, laplaces, sigma), rel=2e-6)
