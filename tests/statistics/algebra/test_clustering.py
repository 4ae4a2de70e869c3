"""Groups of weighted points: by definition, by hand, and the same digits everywhere."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
import pytest

from dprelease.statistics.algebra.clustering import FUZZINESS, centres, memberships, nearest, projected, squares

pytestmark = pytest.mark.quick

GRID = np.array([(x / 8, y / 6) for x, y in product(range(9), range(7))])
COUNTS = np.array([(7 * place * place + 3 * place) % 23 - 4 for place in range(len(GRID))])
"""Whole numbers as noise leaves them, some below 0."""


def test_projection_by_hand() -> None:
    assert projected(np.array([5, -1, 2])).tolist() == [4.5, 0.0, 1.5]


def test_projection_keeps_the_sum_and_is_the_nearest() -> None:
    weights = projected(COUNTS)
    assert weights.min() == 0
    assert weights.sum() == pytest.approx(COUNTS.sum())
    taken = (COUNTS - weights)[weights > 0]
    assert np.ptp(taken) < 1e-12  # all that are kept give up alike, and none that is 0 would give up less: the optimum
    assert (COUNTS[weights == 0] <= taken[0] + 1e-12).all()


@pytest.mark.parametrize("counts", [[0, 0, 0], [-3, 1, 1], [-5, -5, -5]])
def test_counts_without_a_sum_weigh_the_same(counts: list[int]) -> None:
    assert projected(np.array(counts)).tolist() == [1, 1, 1]


@pytest.mark.parametrize(("fuzziness", "power"), [("1.25", 8), ("1.5", 4), ("2", 2), ("3", 1)])
def test_memberships_by_hand(fuzziness: str, power: int) -> None:
    """At distances 1 and 3: 1 / (1 + (1/3)^(2/(m − 1)))."""
    (found,) = memberships(np.array([[0.25]]), np.array([[0.0], [1.0]]), Decimal(fuzziness)).tolist()
    own = 1 / (1 + (1 / 3) ** power)
    assert found == pytest.approx([own, 1 - own])


def test_a_point_that_is_a_centre_belongs_to_it_alone() -> None:
    at = np.array([[0.5], [0.2]])
    found = memberships(at, np.array([[0.5], [0.1], [0.5]]), Decimal(2))
    assert found[0].tolist() == [0.5, 0.0, 0.5]
    assert found.sum(axis=1) == pytest.approx([1, 1])


def test_ties_go_to_the_first() -> None:
    assert nearest(np.array([[0.5]]), np.array([[0.25], [0.75]])).tolist() == [0]


@pytest.mark.parametrize("fuzziness", [None, *FUZZINESS])
def test_one_centre_is_the_mean(fuzziness: Decimal | None) -> None:
    weights = projected(COUNTS)
    assert centres(GRID, weights, 1, fuzziness)[0] == pytest.approx(np.average(GRID, axis=0, weights=weights))


def test_two_heaps_are_found() -> None:
    weights = np.zeros(len(GRID))
    weights[[8, 9, 15, 16]], weights[[45, 46, 52, 53]] = 10, 30
    found = centres(GRID, weights, 2)
    assert found.tolist() == [[pytest.approx(1.5 / 8), pytest.approx(1.5 / 6)], [pytest.approx(6.5 / 8), 3.5 / 6]]


def test_k_means_leaves_nothing_to_gain_by_another_round() -> None:
    weights = projected(COUNTS)
    for k in (2, 3, 7):
        found = centres(GRID, weights, k)
        labels = nearest(GRID, found)
        means = [np.average(GRID[labels == place], axis=0, weights=weights[labels == place]) for place in range(k)]
        assert found == pytest.approx(np.array(means))


@pytest.mark.parametrize("fuzziness", FUZZINESS)
def test_c_means_leaves_nothing_to_gain_by_another_round(fuzziness: Decimal) -> None:
    """By Bezdek's formulas with powers."""
    weights, m = projected(COUNTS), float(fuzziness)
    found = centres(GRID, weights, 3, fuzziness)
    apart = np.sqrt(squares(GRID, found))
    shares = 1 / ((apart[:, :, None] / apart[:, None, :]) ** (2 / (m - 1))).sum(axis=2)
    pull = weights[:, None] * shares**m
    assert found == pytest.approx((pull.T @ GRID) / pull.sum(axis=0)[:, None], abs=1e-5)


def test_more_clusters_than_points_with_weight() -> None:
    weights = np.zeros(len(GRID))
    weights[[3, 40]] = 1
    for fuzziness in (None, Decimal(2)):
        found = centres(GRID, weights, 5, fuzziness)
        assert found.shape == (5, 2)
        assert np.isfinite(found).all()
    assert {tuple(GRID[3]), tuple(GRID[40])} <= {tuple(each) for each in centres(GRID, weights, 5).tolist()}


def test_the_same_digits_everywhere() -> None:
    """What verification makes again of published integers, on another machine."""
    weights = projected(COUNTS)
    assert centres(GRID, weights, 2).tolist() == HARD
    assert centres(GRID, weights, 2, Decimal("1.5")).tolist() == SOFT


HARD = [[0.44037550744248966, 0.21539993985866776], [0.5620452945317999, 0.79615504967535]]
SOFT = [[0.39665340035080376, 0.22357291484464306], [0.6033465996491963, 0.7764270851553573]]
