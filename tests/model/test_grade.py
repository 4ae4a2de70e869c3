"""Grades: what is not there is not called reliable, exactly by the noise; and every degenerate number has a letter."""

from __future__ import annotations

from itertools import count, product
from math import exp, inf, nan

import numpy as np
import pytest

from dprelease.mechanisms import DiscreteLaplace, half_width
from dprelease.model.feasible import Range, feasible, quotients
from dprelease.model.grade import Grade, Scale, at_most, grade
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.schema import Schema
from dprelease.model.stated import USUAL, Grades
from dprelease.model.tally import Sensitivity
from dprelease.statistics import KINDS
from dprelease.statistics.algebra.share import share
from dprelease.statistics.kinds.mean import share_interval

pytestmark = pytest.mark.quick

COUNTED = Scale(feasible=(0, inf), step=1)
SHARE = Scale(feasible=(0, 1), is_share=True)
LOOSEST = Grades(caution=1, unreliable=1)
EPSILONS = [each / 20 for each in range(2, 81)]
A, C, U, N, MISSING = Grade


def first(letter: Grade, half: int, limits: Grades, scale: Scale = COUNTED) -> int:
    """The smallest noise that looks so reliable, of a cell of which there is nothing."""
    good = {A: (A,), C: (A, C)}[letter]
    return next(k for k in count(1) if grade(k, k - half, k + half, scale, limits) in good)


@pytest.mark.parametrize("limits", [USUAL, LOOSEST], ids=["usual", "loosest"])
@pytest.mark.parametrize(("letter", "chance"), [(A, 1e-4), (C, 1e-2)])
def test_an_empty_cell_is_seldom_graded_well_with_laplace_noise(letter: Grade, chance: float, limits: Grades) -> None:
    """P(noise >= k) = q^k / (1 + q), exactly; with policy limits that would let everything pass, too."""
    for epsilon in EPSILONS:
        half, q = half_width.laplace(1 / epsilon, 0.95), exp(-epsilon)
        k = first(letter, half, limits)
        assert q**k / (1 + q) < chance, epsilon
        worse = {grade(less, less - half, less + half, COUNTED, limits) for less in range(-2 * k, k)}
        assert worse.isdisjoint({letter, A}), epsilon


@pytest.mark.parametrize("limits", [USUAL, LOOSEST], ids=["usual", "loosest"])
@pytest.mark.parametrize(("letter", "chance"), [(A, 1e-4), (C, 1e-2)])
def test_an_empty_cell_is_seldom_graded_well_with_gaussian_noise(letter: Grade, chance: float, limits: Grades) -> None:
    """P(noise >= k) of the discrete Gaussian of σ = 1/ε and of 4/ε, summed over its mass."""
    for sigma in (scale / epsilon for epsilon in EPSILONS for scale in (1, 4)):
        half = half_width.gaussian(sigma, 0.95)
        mass = half_width.mass(sigma)
        assert mass[first(letter, half, limits) :].sum() < chance, sigma


@pytest.mark.parametrize("cells", [2, 3, 12])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1, 2, 3, 4])
def test_sums_of_noise_are_held_to_the_same(epsilon: float, cells: int) -> None:
    """Of cells that add up, by convolution of their exact noise."""
    reach = int(60 / epsilon) + 1
    k = np.arange(-reach, reach + 1)
    one = np.exp(-epsilon * np.abs(k))
    one /= one.sum()
    summed = one
    for _ in range(cells - 1):
        summed = np.convolve(summed, one)
    middle = len(summed) // 2
    inside = summed[middle] + 2 * np.cumsum(summed[middle + 1 :])
    half = 0 if summed[middle] >= 0.95 else int(np.argmax(inside >= 0.95)) + 1
    for letter, chance in ((A, 1e-4), (C, 1e-2)):
        assert summed[middle + first(letter, half, LOOSEST) :].sum() < chance


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "scale", [SHARE, *(Scale(feasible=each) for each in ((0, 1), (1, 30), (-1, 1), (18, 65), (0.5, 1)))], ids=str
)
def test_means_and_shares_of_nobody_are_seldom_called_reliable(scale: Scale) -> None:
    """Summed over a grid of both noises of a one-sided mean, in steps of a fifth of their scale."""
    mechanism = DiscreteLaplace.calibrate(Sensitivity(l1=100, linf=100), PrivacyLoss(epsilon_nano=10**9))
    steps = np.arange(-1200, 1201, 20)
    chances = np.exp(-np.abs(steps) / mechanism.scale)
    chances /= chances.sum()
    above, below = (part.ravel().astype(float) for part in np.meshgrid(steps, steps, indexing="ij"))
    parts = share(above, below), *share_interval(above, below, mechanism, 0.95)
    low, width = scale.feasible[0], scale.feasible[1] - scale.feasible[0]
    rows = zip(*(low + width * part for part in parts), np.outer(chances, chances).ravel(), strict=True)
    found = sum(chance for *cells, chance in rows if grade(*map(float, cells), scale, USUAL) is A)
    assert found < 1e-4 * 0.9


def test_noise_in_larger_steps_is_held_to_the_same() -> None:
    """Sums in steps of 100, with noise of ε = 4 a step: an interval of ± 0 that says nothing."""
    scale = Scale(feasible=(0, inf), step=100)
    assert half_width.laplace(1 / 4, 0.95) == 0
    assert [grade(100 * k, 100 * k, 100 * k, scale, USUAL) for k in range(5)] == [N, U, C, A, A]
    either = Scale(feasible=(-inf, inf), step=100)
    assert [grade(-100 * k, -100 * k, -100 * k, either, USUAL) for k in (1, 2, 3, 4)] == [U, C, C, A]


@pytest.mark.parametrize(
    ("value", "half", "letter"),
    [(1000, 330, A), (1000, 340, C), (1000, 660, C), (1000, 670, U), (1000, 1000, N), (0, 20, N), (-300, 80, N)],
)
def test_counts_are_graded_by_how_far_their_interval_reaches(value: int, half: int, letter: Grade) -> None:
    assert grade(value, value - half, value + half, COUNTED, USUAL) is letter


def test_what_is_not_told_apart_from_none_is_at_most_so_much() -> None:
    assert (at_most(20, -60, 100), at_most(-800, -1400, -100), at_most(-5, -5, -5)) == (100, 700, 0)


@pytest.mark.parametrize(
    ("value", "half", "letter"),
    [(0.5, 0.05, A), (0.5, 0.14, A), (0.5, 0.15, U), (0.1, 0.06, C), (0.1, 0.07, U), (0.9, 0.07, U), (0.01, 0.02, C)],
)
def test_shares_are_graded_by_their_smaller_side(value: float, half: float, letter: Grade) -> None:
    assert grade(value, value - half, value + half, SHARE, USUAL) is letter


@pytest.mark.parametrize(
    ("value", "ends", "bounds", "letter"),
    [
        (30_000, (28_000, 33_000), (0, 200_000), A),
        (0, (0, 37_600), (0, 37_600), U),
        (-309.7, (-320.0, -300.0), (0, inf), U),
        (40_000, (-20_000, 37_600), (0, 37_600), U),
        (0.3, (0.25, 0.35), (-1, 1), A),
        (0.3, (0.1, 0.5), (-1, 1), C),
        (0.3, (0.0, 0.7), (-1, 1), U),
        (1960, (1910, 2020), (1900, 2025), U),
        (1960, (1955, 1966), (1900, 2025), A),
        (5, (5, 5), (5, 5), U),
        ("2025-06-30", ("2025-06-20", "2025-07-05"), (739_252, 739_616), A),
        ("2025-06-30", ("2025-01-20", "2025-12-05"), (739_252, 739_616), U),
    ],
)
def test_values_are_graded_on_their_scale(
    value: object, ends: tuple[object, object], bounds: Range, letter: Grade
) -> None:
    assert grade(value, *ends, Scale(feasible=bounds), USUAL) is letter  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "lower", "upper", "letter"),
    [
        (None, None, None, MISSING),
        (5, None, None, U),
        (5, 4, None, U),
        (5, None, 6, U),
        (5, -inf, 6, U),
        (5, 4, inf, U),
        (5, -inf, inf, U),
        (nan, 1, 2, U),
        ("north", None, None, U),
        (0, 0, 0, N),
        (7, 7, 7, A),
        (10**300, 10**300, 10**300, A),
        (1e-300, 1e-300, 1e-300, U),
    ],
)
def test_whatever_is_published_has_a_letter(value: object, lower: object, upper: object, letter: Grade) -> None:
    assert grade(value, lower, upper, COUNTED, USUAL) is letter  # type: ignore[arg-type]


def test_a_discovered_cell_near_its_threshold_is_not_called_reliable() -> None:
    """It is published because its noise took it there."""
    scale = Scale(feasible=(0, inf), step=1, threshold=500)
    assert [grade(k, k - 100, k + 100, scale, USUAL) for k in (520, 599, 600)] == [C, C, A]


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [
        ((0, 20), (1, 4)),
        ((5, 20), (2, 4)),
        ((-5, 20), (1, 4)),
        ((-20, -5), (1, 4)),
        ((0, 20), (0, 4)),
        ((-20, 0), (0, 4)),
    ],
)
def test_a_ratio_is_within_what_its_columns_allow(numerator: tuple[int, int], denominator: tuple[int, int]) -> None:
    """By every pair of values of up to three rows, and no wider than they reach."""
    schema = Schema.parse(
        {
            name: {"type": "integer", "lower": low, "upper": high}
            for name, (low, high) in {"n": numerator, "d": denominator}.items()
        }
    )
    least, most = quotients(schema["n"], schema["d"])
    tops, bottoms = (np.linspace(low, high, 6) for low, high in (numerator, denominator))
    one = list(product(tops, bottoms))
    sums = [(a + b, c + d) for (a, c), (b, d) in product(one, one)]
    found = [top / bottom for top, bottom in sums if bottom > 0]
    assert least <= min(found)
    assert max(found) <= most
    if denominator[0] > 0:
        assert (min(found), max(found)) == pytest.approx((least, most))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"kind": "count"}, (0, inf)),
        ({"kind": "units"}, (0, inf)),
        ({"kind": "sum", "column": "x"}, (-inf, inf)),
        ({"kind": "sum", "column": "p"}, (0, inf)),
        ({"kind": "mean", "column": "x"}, (-10, 30)),
        ({"kind": "median", "column": "p"}, (2, 6)),
        ({"kind": "median", "column": "day"}, (739_252, 739_616)),
        ({"kind": "std", "column": "x"}, (0, 20)),
        ({"kind": "variance", "column": "x"}, (0, 400)),
        ({"kind": "proportion"}, (0, 1)),
        ({"kind": "rate", "per": 100_000}, (0, 100_000)),
        ({"kind": "rate", "column": "p"}, (0, inf)),
        ({"kind": "ratio", "numerator": "x", "denominator": "p"}, (-5, 15)),
        ({"kind": "correlation"}, (-1, 1)),
        ({"kind": "covariance"}, (-inf, inf)),
        ({"kind": "mode", "column": "g"}, (-inf, inf)),
    ],
    ids=str,
)
def test_what_a_statistic_can_be_follows_from_the_declarations(asked: dict[str, object], expected: Range) -> None:
    schema = Schema.parse(
        {
            "x": {"type": "integer", "lower": -10, "upper": 30},
            "p": {"type": "integer", "lower": 2, "upper": 6},
            "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
            "g": {"type": "category", "categories": ["a", "b"]},
        }
    )
    assert feasible(asked, KINDS[str(asked["kind"])].presentation, schema) == expected


@pytest.mark.parametrize(
    ("value", "reach", "letter"),
    [
        (0.2, 0.05, A),
        (3.99, 0.09, A),
        (-4, 0.09, A),
        (4.01, 0.09, C),
        (-22.8, 0.05, C),
        (0.2, 0.1, C),
        (-1, 0.49, C),
        (1, 0.5, U),
        (9, 3, U),
        (0.05, 0.05, U),
        (0.01, 0.02, U),
        (0, 0, U),
    ],
)
def test_log_odds_of_a_bin_are_graded_by_the_width_of_their_interval(value: float, reach: float, letter: Grade) -> None:
    scale = Scale(feasible=(-inf, inf), is_log_odds=True)
    assert grade(value, value - reach, value + reach, scale, USUAL) is letter
    assert grade(value, None, value + reach, scale, USUAL) is U
    assert grade(None, None, None, scale, USUAL) is MISSING
