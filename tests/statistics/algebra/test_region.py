"""The region of a line's coefficients: it holds every one that noise within its reach could have come from."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from dprelease.statistics.algebra.combination import quantile
from dprelease.statistics.algebra.line import LAPLACE95, LineSums
from dprelease.statistics.algebra.region import beyond, reach


def gamma(many: int, x: float) -> float:
    """P(mean of so many exponentials > x)."""
    term = total = exp(-many * x)
    for place in range(1, many):
        term *= many * x / place
        total += term
    return total


def test_no_weighted_sum_of_exponentials_is_beyond_oftener() -> None:
    """Of equal weights, of two, and of several that differ, in closed form."""
    rng = np.random.default_rng(0)
    for x in (0.5, 1.0, 1.01, 1.2, 1.5, 1.9, 2.0, 2.001, 3.0, 8.0):
        for many in (1, 2, 3, 5, 20):
            assert gamma(many, x) <= beyond(x) + 1e-12
        for many in (2, 3, 4):
            for _ in range(40):
                w = rng.dirichlet(np.full(many, 0.6))
                if min(abs(a - b) for i, a in enumerate(w) for b in w[:i]) < 0.01:
                    continue
                parts = [np.prod([a / (a - b) for b in w if b != a]) * exp(-x / a) for a in w if a > 1e-3]
                assert sum(parts) <= beyond(x) + 1e-9
    assert beyond(1.0) == 1.0
    assert beyond(1.0001) > 0.99


def test_of_normal_noises_it_is_chi_squared() -> None:
    """Known quantiles; of two in closed form. Rounded upwards to a hundredth of c."""
    for many, square in ((1, 3.8415), (2, -2 * log(0.05)), (5, 11.0705), (10, 18.3070), (61, 80.2321)):
        assert square - 1e-4 <= reach(many, normal=True) ** 2 <= square + 0.0101


@pytest.mark.parametrize("many", [1, 2, 5, 12])
def test_of_laplace_noises_at_most_5_percent_are_beyond(many: int) -> None:
    """In the directions of the axes, where that is most, and in some others: 100,000 draws each. False alarms: below
    1e-8 (six standard errors)."""
    rng = np.random.default_rng(many)
    noise = rng.laplace(size=(100_000, 2 * many)) / sqrt(2)
    for part in (np.eye(2 * many)[:, :many], *(np.linalg.qr(rng.normal(size=(2 * many, many)))[0] for _ in range(3))):
        missed = (((noise @ part) ** 2).sum(axis=1) > reach(many, normal=False) ** 2).mean()
        assert missed <= 0.05 + 6 * sqrt(0.05 * 0.95 / 100_000)


def test_no_sum_of_laplace_noises_reaches_further_than_one_of_its_variance() -> None:
    """By the exact law of sums."""
    rng = np.random.default_rng(2)
    assert quantile(0.95, ((1.0, 1),)) == pytest.approx(LAPLACE95 * sqrt(2))
    for many in (2, 3, 6):
        for _ in range(6):
            scales = np.sqrt(rng.dirichlet(np.full(many, 0.5)) / 2)
            assert quantile(0.95, tuple((float(scale), 1) for scale in scales)) <= LAPLACE95 * (1 + 1e-9)


def made(kind: str, scale: float) -> tuple[LineSums, NDArray[np.float64]]:
    """Sums of a constant, three terms and an outcome, with noise of this size, and the line without it."""
    rng = np.random.default_rng(5)
    terms = rng.uniform(-1, 1, size=(400, 3))
    places = {}
    if kind == "two values":
        terms[:, :2] = np.sign(terms[:, :2])
        places = {(1, 1): (0, 0), (2, 2): (0, 0)}
    if kind == "categories":
        one = rng.integers(0, 3, 400)
        terms[:, 0], terms[:, 1] = one == 1, one == 2
        places = {(1, 1): (0, 1), (2, 2): (0, 2)}
    outcome = terms @ np.array([0.5, -0.3, 0.2]) + 0.1 * rng.normal(size=400)
    whole = np.column_stack([np.ones(400), terms, outcome])
    weights = {(0, 0): 30, (4, 4): 3} | {(0, j): 15 for j in (1, 2, 3)} | {(0, 4): 40}
    weights |= {(i, 4): 30 for i in (1, 2, 3)} | {(i, j): 10 for i in (1, 2, 3) for j in range(i, 4)}
    own = {entry: weight for entry, weight in weights.items() if entry not in places}
    if kind == "categories":
        del own[1, 2]
    products = whole.T @ whole
    entries = {(i, j): products[i, j] for i, j in own}
    deviations = {entry: scale / weight for entry, weight in own.items()}
    exactly, *_ = np.linalg.lstsq(whole[:, :4], outcome, rcond=None)
    return LineSums(4, entries, deviations, places), exactly


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("kind", "scale"),
    [("ordered", 20.0), ("ordered", 90.0), ("two values", 90.0), ("categories", 10.0), ("categories", 35.0)],
)
def test_it_holds_whatever_noise_within_its_reach_could_have_been(kind: str, scale: float) -> None:
    """Noise of the length √c in all directions is taken off again: of every solution that is left, each coefficient and
    some sums of these are within what is said, which is not ten times as wide as need be."""
    sums, _ = made(kind, scale)
    far = reach(4, normal=False)
    found = sums.enclosed(far)
    assert found is not None
    parts = [*np.eye(4).tolist(), [1.0, -2.0, 0.5, 3.0]]
    halves, _ = found.halves(parts)
    rng = np.random.default_rng(1)
    widest = np.zeros(len(parts))
    for _ in range(4000):
        noise = dict(zip(sums.entries, rng.normal(size=len(sums.entries)) ** 3, strict=True))
        if rng.random() < 0.5:  # most of it on a few entries
            noise = {entry: size * (rng.random() < 0.2) for entry, size in noise.items()}
        long = sqrt(sum(size * size for size in noise.values())) or 1.0
        entries = {entry: n + far / long * noise[entry] * sums.deviations[entry] for entry, n in sums.entries.items()}
        other = np.array(LineSums(4, entries, sums.deviations, sums.places).matrix)
        theta = np.linalg.solve(other[:4, :4], other[:4, 4])
        widest = np.maximum(widest, np.abs(np.array(parts) @ (theta - np.array(found.theta))))
    assert (widest <= np.array(halves)).all()
    assert (widest >= np.array(halves) / 10).all()


def test_where_noise_may_leave_no_solution_it_has_no_end() -> None:
    assert made("ordered", 20.0)[0].enclosed(3.0) is not None
    assert made("ordered", 2000.0)[0].enclosed(3.0) is None
    nothing = dict.fromkeys(made("ordered", 1.0)[0].entries, 0.0)
    assert LineSums(4, nothing, dict.fromkeys(nothing, 1.0), {}).enclosed(3.0) is None
    alone = LineSums(1, {(0, 0): 100.0, (0, 1): 20.0, (1, 1): 9.0}, {(0, 0): 2.0, (0, 1): 1.0, (1, 1): 3.0}, {})
    found = alone.enclosed(reach(1, normal=True))
    assert found is not None
    (half,), _ = found.halves([[1.0]])
    square = reach(1, normal=True) ** 2  # Fieller's ends: (20 - 100θ)² = c(1 + 4θ²)
    low, high = sorted(np.roots([100.0**2 - 4 * square, -2 * 20 * 100.0, 20.0**2 - square]))
    assert 0.2 - half <= low
    assert high <= 0.2 + half < 0.2 + 1.1 * (high - 0.2)
