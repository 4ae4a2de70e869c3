"""How far two rows are apart in sums without a constant: none further than stated, and some as far."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dprelease.statistics.algebra.products import Changes
from dprelease.statistics.algebra.weighing import EQUAL, OBJECTIVE, Weights, of_origin

SIGNED = (-1.0, -0.75, -2 / 3, -0.5, -1 / 3, -0.25, 0.0, 0.5, 1.0)
POSITIVE = (0.0, 0.25, 0.5, 0.75, 1.0)
METHODS = {"moments": EQUAL, "functional": OBJECTIVE}


def vectors(weights: Weights, columns: int, lists: int, places: tuple[float, ...]) -> np.ndarray:
    """What rows add: ordered columns, then lists of three categories, the first of which has no term; and no row."""
    ways: list[list[tuple[float, ...]]] = [[(place,) for place in places] for _ in range(columns - lists)]
    ways += [[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)] for _ in range(lists)]
    owner = [place for place, way in enumerate(ways) for _ in way[0]]
    rows = np.array([[*(n for part in parts for n in part), y] for *parts, y in product(*ways, places)], dtype=float)
    last = 1 + len(owner)
    pairs = [(i, j) for i in range(1, last) for j in range(i, last) if i == j or owner[i - 1] != owner[j - 1]]
    pairs += [(i, last) for i in range(1, last)]
    found = np.stack([weights.of(i, j, last) * rows[:, i - 1] * rows[:, j - 1] for i, j in pairs], axis=1)
    return np.vstack([np.zeros(len(pairs)), found])


def furthest(found: np.ndarray) -> tuple[float, float]:
    """L1 and L2² between any two."""
    best = [0.0, 0.0]
    for each in found:
        apart = np.abs(found - each)
        best = [max(best[0], float(apart.sum(axis=1).max())), max(best[1], float((apart**2).sum(axis=1).max()))]
    return best[0], best[1]


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("columns", "lists"), [(1, 0), (2, 0), (1, 1), (2, 1), (2, 2)])
def test_no_two_rows_are_further_apart_than_stated(columns: int, lists: int, method: str, *, signed: bool) -> None:
    """In L1 also inside: where signs differ the furthest pair is no pair of corners. Without lists it is attained."""
    weights = METHODS[method]
    found = vectors(weights, columns, lists, SIGNED if signed else POSITIVE)
    stated = of_origin(weights, columns, lists, signed=signed)
    one, square = furthest(found)
    assert one <= float(stated.both) + 1e-9
    assert square <= stated.square + 1e-9
    assert np.abs(found).sum(axis=1).max() == stated.alone
    assert (found**2).sum(axis=1).max() == stated.alone_square
    assert np.abs(found).max() == stated.largest
    assert np.abs(found[:, None] - found[None]).max() <= stated.each
    if not lists:
        assert one == pytest.approx(float(stated.both))
        assert square == stated.square


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("columns", [3, 4])
def test_nor_are_rows_of_more_columns(columns: int, method: str) -> None:
    weights, stated = METHODS[method], of_origin(METHODS[method], columns, 0, signed=True)
    places = (-1.0, -0.5, -1 / columns, -1 / (columns + 1), 0.5, 1.0)
    one, square = furthest(vectors(weights, columns, 0, places))
    assert one == pytest.approx(float(stated.both))
    assert square == stated.square


def test_any_two_of_many_rows_drawn_evenly_are_no_further_apart() -> None:
    rng, columns = np.random.default_rng(0), 3
    for weights in METHODS.values():
        stated = of_origin(weights, columns, 0, signed=True)
        rows = np.sign(rng.uniform(-1, 1, (2, 20_000, 4))) * rng.beta(0.5, 0.5, (2, 20_000, 4))
        own = [weights.of(i, j, 4) * rows[..., i - 1] * rows[..., j - 1] for i in range(1, 4) for j in range(i, 5)]
        apart = np.abs(np.stack(own, axis=-1)[0] - np.stack(own, axis=-1)[1])
        assert apart.sum(axis=1).max() <= float(stated.both)
        assert (apart**2).sum(axis=1).max() <= stated.square


@pytest.mark.parametrize(
    ("columns", "signed", "method", "stated"),
    [
        (1, True, "moments", Changes(2, Fraction(9, 4), 4, 2, 2, 1)),
        (1, False, "moments", Changes(2, 2, 2, 1, 2, 1)),
        (2, True, "moments", Changes(5, Fraction(16, 3), 8, 2, 5, 1)),
        (1, True, "functional", Changes(3, 4, 16, 4, 5, 2)),
        (2, True, "functional", Changes(8, 9, 32, 4, 14, 2)),
        (3, False, "functional", Changes(15, 15, 27, 2, 27, 2)),
    ],
)
def test_oracle_of_the_sensitivity(columns: int, signed: bool, method: str, stated: Changes) -> None:
    """Worked out apart: 9/4 from (1, 1) to (-1/2, 1); m(N + d/(2d + 2)), and m(d + 1)² of the objective."""
    assert of_origin(METHODS[method], columns, 0, signed=signed) == stated
