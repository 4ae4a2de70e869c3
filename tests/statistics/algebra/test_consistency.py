"""Tables made to agree: against brute force over the joint table, and against what the words promise."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression, nnls

from dprelease.errors import InternalError
from dprelease.model.tally import Key
from dprelease.statistics.algebra.consistency import NoisyCounts, consistent, isotonic, rounded

Reals = NDArray[np.float64]

CODES = {"a": 6, "b": 4, "c": 3}
"""A joint table of 72 cells."""
KEYS = {
    "a": [
        Key("a", 6, 6),
        Key("a", 3, 6),
        Key("a", 2, 6),
        Key("a", 2, 5),
        Key("a", 5, 5),
        Key("a", 2, 6, (0, 4, 6)),
        Key("a", 3, 6, (0, 1, 4, 6)),
    ],
    "b": [Key("b", 4, 4), Key("b", 2, 4), Key("b", 1, 4)],
    "c": [Key("c", 3, 3)],
}


def cell_of(key: Key, code: int) -> int:
    return max(cell for cell in range(key.cells) if key.first_code(cell) <= code)


def counting(keys: tuple[Key, ...]) -> Reals:
    """The matrix that takes the joint table to a table of these keys."""
    shape = tuple(key.cells for key in keys)
    matrix = np.zeros((int(np.prod(shape)), 72))
    for place, codes in enumerate(product(*(range(size) for size in CODES.values()))):
        at = dict(zip(CODES, codes, strict=True))
        cells = [cell_of(key, at[key.column]) for key in keys]
        matrix[np.ravel_multi_index(cells, shape) if cells else 0, place] = 1
    return matrix


def flat(arrays: list[Reals]) -> Reals:
    return np.concatenate([array.ravel() for array in arrays])


class Case:
    """Up to 6 random tables of one joint table, with noise."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        joint = rng.poisson(rng.choice([0.1, 1, 10, 1000]), 72)
        self.tables, matrices = [], []
        for _ in range(rng.integers(1, 7)):
            columns = [column for column in CODES if rng.random() < 0.6]
            rng.shuffle(columns)
            keys = tuple(KEYS[column][rng.integers(len(KEYS[column]))] for column in columns)
            scale = float(np.exp(rng.normal(0, rng.choice([0, 1, 2]))))
            matrices.append(counting(keys))
            noisy = matrices[-1] @ joint + rng.laplace(0, scale, len(matrices[-1])) - rng.choice([0, 5])
            shape = tuple(key.cells for key in keys)
            self.tables.append(NoisyCounts(keys, noisy.reshape(shape), 2 * scale**2))
        self.noisy = flat([table.values for table in self.tables])
        self.sd = np.concatenate([np.full(table.values.size, table.variance**0.5) for table in self.tables])
        directions, sizes, _ = np.linalg.svd(np.vstack(matrices) / self.sd[:, None], full_matrices=False)
        self.possible = directions[:, sizes > 1e-9 * sizes[0]]
        """An orthonormal basis of the tables that agree, in units of their noise."""

    def nearest(self) -> Reals:
        return self.possible @ (self.possible.T @ (self.noisy / self.sd)) * self.sd

    def apart(self, found: Reals) -> float:
        scaled = found / self.sd
        return float(np.abs((scaled - self.possible @ (self.possible.T @ scaled)) * self.sd).max())


@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in (0, 25)], ids=str)
def test_the_nearest_tables_that_agree(seeds: range) -> None:
    for seed in seeds:
        case = Case(seed)
        found = flat(consistent(case.tables, nonnegative=False))
        np.testing.assert_allclose(found, case.nearest(), rtol=0, atol=1e-8 * np.abs(case.noisy).max(initial=1))


@pytest.mark.full
@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in (0, 25)], ids=str)
def test_the_nearest_tables_that_agree_without_cells_below_0(seeds: range) -> None:
    """Karush–Kuhn–Tucker: what still pulls is met by cells at 0 that would go below."""
    for seed in seeds:
        case = Case(seed)
        found = flat(consistent(case.tables, nonnegative=True))
        size = np.abs(case.noisy).max(initial=1)
        assert found.min() >= 0
        assert case.apart(found) <= 1e-8 * size
        pull = case.possible.T @ ((found - case.noisy) / case.sd)
        at_zero = case.possible[found <= 0]
        left = nnls(at_zero.T, pull)[1] if len(at_zero) else np.linalg.norm(pull)
        assert left <= 1e-7 * np.linalg.norm(case.noisy / case.sd)


def test_two_totals_meet_at_their_weighted_mean() -> None:
    first, second = consistent(
        [NoisyCounts((), np.array(10.0), 1.0), NoisyCounts((), np.array(20.0), 4.0)], nonnegative=False
    )
    assert first == pytest.approx(12)
    assert second == pytest.approx(12)


def test_one_table_stays_as_it_is() -> None:
    table = NoisyCounts((Key("b", 4, 4),), np.array([3, -1, 2, 0]), 2.0)
    assert consistent([table], nonnegative=False)[0].tolist() == [3, -1, 2, 0]
    assert consistent([table], nonnegative=True)[0].tolist() == [3, 0, 2, 0]
    assert consistent([], nonnegative=True) == []


def test_tables_agree_though_their_noise_differs_ten_thousandfold() -> None:
    """Many cells of the noisy table end at 0, and the margins leave them no choice: plain Newton steps stall here."""
    first, second, third = KEYS["a"][0], KEYS["b"][0], KEYS["c"][0]
    for seed in range(20):
        rng = np.random.default_rng(seed)
        joint = rng.poisson(5, (6, 4, 3))
        tables = [
            NoisyCounts((first, second, third), joint + rng.laplace(0, 30, joint.shape), 1800),
            NoisyCounts((first, second), joint.sum(2) + rng.laplace(0, 2e-3, (6, 4)), 8e-6),
            NoisyCounts((third, second), joint.sum(0).T + rng.laplace(0, 2e-3, (3, 4)), 8e-6),
        ]
        cube, one, other = consistent(tables, nonnegative=True)
        np.testing.assert_allclose(cube.sum(2), one, rtol=0, atol=1e-6)
        np.testing.assert_allclose(cube.sum(0).T, other, rtol=0, atol=1e-6)


def test_only_noise_below_0_leaves_nothing() -> None:
    tables = [NoisyCounts((Key("b", 4, 4),), np.full(4, -3.0), 2.0), NoisyCounts((), np.array(-1.0), 0.1)]
    cells, total = consistent(tables, nonnegative=True)
    assert np.abs(cells).max() <= 1e-8
    assert abs(float(total)) <= 1e-8


@pytest.mark.full
def test_a_million_cells_and_twenty_tables() -> None:
    rng = np.random.default_rng(4)
    rows, columns = Key("r", 1000, 1000), Key("s", 1000, 1000)
    counts = rng.poisson(0.5, (1000, 1000))
    cross, first, second = consistent(
        [
            NoisyCounts((rows, columns), counts + rng.laplace(0, 3, counts.shape), 18.0),
            NoisyCounts((rows,), counts.sum(1) + rng.laplace(0, 5, 1000), 50.0),
            NoisyCounts((columns,), counts.sum(0) + rng.laplace(0, 2, 1000), 8.0),
        ],
        nonnegative=True,
    )
    np.testing.assert_allclose(cross.sum(1), first, rtol=0, atol=1e-4)
    np.testing.assert_allclose(cross.sum(0), second, rtol=0, atol=1e-4)

    keys = [Key(name, 70, 70) for name in "abcdefg"]
    people = rng.integers(0, 70, (50_000, 7))
    pairs = list(combinations(range(7), 2))[:20]
    noisy = []
    for one, other in pairs:
        cells = np.zeros((70, 70))
        np.add.at(cells, (people[:, one], people[:, other]), 1)
        noisy.append(NoisyCounts((keys[one], keys[other]), cells + rng.laplace(0, 4, cells.shape), 32.0))
    found = consistent(noisy, nonnegative=True)
    for place in range(7):
        margins = [
            table.sum(1 if pair[0] == place else 0) for table, pair in zip(found, pairs, strict=True) if place in pair
        ]
        assert np.ptp(margins, axis=0).max() <= 1e-5


@pytest.mark.parametrize(
    ("keys", "values", "variance"),
    [
        ((Key("b", 4, 4),), np.zeros(3), 1.0),
        ((Key("b", 4, 4), Key("b", 2, 4)), np.zeros((4, 2)), 1.0),
        ((), np.zeros(()), 0.0),
        ((), np.zeros(()), float("nan")),
    ],
)
def test_a_table_that_is_none_is_refused(keys: tuple[Key, ...], values: Reals, variance: float) -> None:
    with pytest.raises(InternalError):
        NoisyCounts(keys, values, variance)


A, B, C = Key("a", 6, 6), Key("b", 4, 4), Key("c", 3, 3)
HALVES = Key("a", 2, 6)


def margins_of(joint: Reals, *columns: tuple[Key, ...]) -> list[NoisyCounts]:
    tables = []
    for keys in columns:
        kept = joint.sum(tuple(axis for axis, name in enumerate("abc") if name not in {key.column for key in keys}))
        if HALVES in keys:
            kept = np.add.reduceat(kept, [0, 3], axis=0)
        tables.append(NoisyCounts(keys, kept, 1.0))
    return tables


@pytest.mark.parametrize("low", [0.0, -20.0])
@pytest.mark.parametrize(
    "columns",
    [
        ((), (A,), (A, B), (A, B, C)),
        ((A,), (A, B), (A, C)),
        ((A, B), (A, C)),
        ((B,), (C,), (A,)),
        ((HALVES,), (A,), (HALVES, B), (A, C)),
        ((A, B, C), (A, B, C)),
    ],
)
def test_whole_numbers_add_up_along_a_tree(columns: tuple[tuple[Key, ...], ...], low: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        tables = margins_of(rng.uniform(low, 3, (6, 4, 3)) * (rng.random((6, 4, 3)) < 0.4), *columns)
        whole = rounded(tables)
        for table, found in zip(tables, whole, strict=True):
            assert found.dtype == np.int64
            assert np.abs(found - table.values).max() < 1
            assert found.min() >= 0 or low < 0
        assert flat(
            consistent([NoisyCounts(t.keys, w, 1.0) for t, w in zip(tables, whole, strict=True)], nonnegative=False)
        ).tolist() == pytest.approx(flat(whole).tolist(), abs=1e-6)


def test_a_cross_table_and_both_its_margins_are_each_rounded() -> None:
    joint = np.full((6, 4, 3), 0.1)
    cross, first, second = rounded(margins_of(joint, (A, B), (A,), (B,)))
    assert cross.tolist() == [[0] * 4] * 6
    assert first.tolist() == [1] * 6
    assert second.tolist() == [2] * 4


def test_what_is_left_goes_to_the_largest_remainder_and_among_equals_to_the_earlier() -> None:
    whole, total = rounded(
        [NoisyCounts((B,), np.array([0.5, 1.75, 0.5, 0.25]), 1.0), NoisyCounts((), np.array(3.0), 1.0)]
    )
    assert total == 3
    assert whole.tolist() == [1, 2, 0, 0]


def test_the_last_bits_never_decide() -> None:
    values = np.array([0.5, 0.5, 0.5, 0.5])
    for nudge in (-1e-12, 0, 1e-12):
        assert rounded([NoisyCounts((B,), values + np.array([0, nudge, -nudge, nudge]), 1.0)])[0].tolist() == [
            1,
            1,
            0,
            0,
        ]


def test_isotonic_is_the_nearest_increasing_sequence() -> None:
    rng = np.random.default_rng(6)
    for size in (0, 1, 2, 10, 300):
        values, weights = rng.normal(size=size) + np.linspace(0, 2, size), rng.uniform(0.1, 3, size)
        if size:
            np.testing.assert_allclose(isotonic(values), isotonic_regression(values).x, atol=1e-12)
            np.testing.assert_allclose(isotonic(values, weights), isotonic_regression(values, weights=weights).x)
        else:
            assert isotonic(values).shape == (0,)
    many = rng.normal(size=100_000) + np.linspace(0, 5, 100_000)
    np.testing.assert_allclose(isotonic(many), isotonic_regression(many).x, atol=1e-9)
