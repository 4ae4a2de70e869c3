"""Bins that are counted at several levels: the fit, its variances, and which levels are planned."""

from __future__ import annotations

import numpy as np
import pytest

from dprelease.statistics.algebra.tree import GAIN, FloatArray, Tree, TreeFit, is_tree, least_precise, planned

TREES = [
    ((7, 4, 2), (1.0, 2.0, 0.5)),
    ((10, 4), (1.5, 0.7)),
    ((29, 8, 2), (1.0, 1.0, 3.0)),
    ((16, 4), (2.0, 2.0)),
    ((4, 2), (1.0, 1.0)),
    ((5,), (2.0,)),
    ((2,), (1.0,)),
]
EVERY_SIZE = [*range(2, 60), 101, 150, 365, 1000]


def levels(tree: Tree) -> FloatArray:
    """Which bins each run holds, all levels below one another."""
    cells = tree.sizes[0]
    runs = [np.arange(cells) // tree.fan**level for level in range(len(tree.sizes))]
    return np.vstack([np.equal.outer(np.arange(n), run) for n, run in zip(tree.sizes, runs, strict=True)]).astype(float)


def solved(tree: Tree, variances: tuple[float, ...]) -> tuple[FloatArray, FloatArray]:
    """The matrix that makes bins of all noisy counts by least squares, and the variance of each of these."""
    noise = np.repeat(variances, tree.sizes)
    design = levels(tree)
    weighted = design.T / noise
    return np.linalg.solve(weighted @ design, weighted), noise


@pytest.mark.parametrize(("sizes", "variances"), TREES)
def test_the_fit_is_that_of_least_squares_and_so_are_its_variances(
    sizes: tuple[int, ...], variances: tuple[float, ...]
) -> None:
    tree, random = Tree(sizes), np.random.default_rng(7)
    matrix, noise = solved(tree, variances)
    fit = TreeFit(tree, variances)
    noisy = [random.normal(size=size) for size in sizes]
    assert fit.bins(noisy) == pytest.approx(matrix @ np.concatenate(noisy))
    cells = sizes[0]
    for shares in (np.zeros(cells), np.ones(cells), random.random(cells)):
        sides = np.where(np.tri(cells, dtype=bool), 1 - shares[:, None], -shares[:, None])
        entries = (sides @ matrix) ** 2 * noise
        squares, fourths = fit.shares(shares)
        assert squares == pytest.approx(entries.sum(axis=1))
        assert fourths == pytest.approx((entries**2).sum(axis=1))
        assert fit.variance(shares) == pytest.approx(squares)


@pytest.mark.parametrize("sizes", [sizes for sizes, _ in TREES])
def test_every_level_counts_every_row_once(sizes: tuple[int, ...]) -> None:
    """What its sensitivity rests on: one row changes one cell of a level, by 1."""
    tree, cells = Tree(sizes), sizes[0]
    for place in range(cells):
        found = tree.counts(np.eye(cells, dtype=np.int64)[place])
        assert [each.shape for each in found] == [(size,) for size in sizes]
        assert all(each.dtype == np.int64 and sorted(each)[-2:] == [0, 1] for each in found)
    assert tuple(each.sum() for each in tree.counts(np.full(cells, 2**60, dtype=object))) == (cells * 2**60,) * len(
        sizes
    )


def test_which_levels_are_those_of_a_tree() -> None:
    for sizes in ((101,), (101, 26, 7), (101, 51), (2,), (7, 3), (10_000, 2500, 625)):
        assert is_tree(sizes, sizes[0])
    for sizes in ((), (100,), (101, 101), (101, 1), (101, 0), (101, 26, 8), (101, 200), (26, 101), (101, 26, 26)):
        assert not is_tree(sizes, 101)


@pytest.mark.parametrize("squared", [False, True])
def test_a_tree_is_planned_only_where_the_least_precise_share_gains_a_fifth(*, squared: bool) -> None:
    several = []
    for cells in EVERY_SIZE:
        tree = planned(cells, squared=squared)
        depth = len(tree.sizes)
        assert tree == Tree.of(cells, tree.fan, depth)
        if depth > 1:
            several.append(cells)
            noise = float(depth ** (2 if squared else 1))
            alone = least_precise(TreeFit(Tree((cells,)), (1.0,)))
            assert least_precise(TreeFit(tree, (noise,) * depth)) <= GAIN * alone
    assert min(several) > (100 if squared else 20), "the usual 20 bins are counted as they were"
    assert max(EVERY_SIZE) in several


@pytest.mark.parametrize("squared", [False, True])
def test_wherever_the_rows_are_the_largest_error_is_smaller_than_by_the_bins_alone(*, squared: bool) -> None:
    """Not for rows spread evenly alone: for any share r up to any bin.

    By the bins alone the share of the middle bin has a variance of cells/4 at least, whatever it is. So the largest of
    any table is the greater of that and of the variance of the share looked at.
    """
    for cells in EVERY_SIZE:
        tree = planned(cells, squared=squared)
        if len(tree.sizes) == 1:
            continue
        noise = float(len(tree.sizes) ** (2 if squared else 1))
        fit, alone = TreeFit(tree, (noise,) * len(tree.sizes)), TreeFit(Tree((cells,)), (1.0,))
        for share in np.linspace(0, 1, 41):
            shares = np.full(cells, share)
            assert np.all(fit.variance(shares)[:-1] <= 0.9 * np.maximum(cells / 4, alone.variance(shares)[:-1]))
