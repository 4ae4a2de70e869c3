"""Counts of bins measured at several levels: alone, in runs of b of them, in runs of b² and so on.

Sums over many neighbouring bins then take few noisy numbers each. Every level is a table of the same rows, and a row is
in one of its cells. The counts of the bins are fitted to all levels by least squares (Hay, Rastogi, Miklau and Suciu
2010, "Boosting the accuracy of differentially private histograms through consistency"; here with runs of any length and
noise of any variance): from the bins upwards a run's own count and the sum of its parts are weighed by their variances,
and downwards what the parts lack is divided among them by theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Wholes = NDArray[Any]
"""int64, or Python integers."""

FANS = (3, 4, 5, 6, 8, 10, 12, 16, 20, 32)
"""Permitted numbers of parts of a run."""
GAIN = 0.64
"""A tree is planned where the variance of the least precise share falls to this part, its error to four fifths."""
NEAR = 1.1
"""Tolerance on the least variance: of trees within this factor of it, that of the fewest levels is planned."""


@dataclass(frozen=True)
class Tree:
    """Number of cells of each level, from the bins upwards; a run's parts are so many neighbours, the last's perhaps
    fewer."""

    sizes: tuple[int, ...]

    @classmethod
    def of(cls, cells: int, fan: int, depth: int) -> Tree:
        """Return so many bins, in runs of `fan`, at so many levels."""
        return cls(tuple(-(-cells // fan**level) for level in range(depth)))

    @property
    def fan(self) -> int:
        """The least length of a run that gives as many runs."""
        return -(-self.sizes[0] // self.sizes[1]) if len(self.sizes) > 1 else 1

    def summed(self, values: Wholes) -> Wholes:
        """Return sums over the parts of each run of the level above."""
        return np.asarray(np.add.reduceat(values, np.arange(0, len(values), self.fan)))

    def counts(self, bins: Wholes) -> tuple[Wholes, ...]:
        """Return the counts of every level: whole numbers."""
        levels = [bins]
        while len(levels) < len(self.sizes):
            levels.append(self.summed(levels[-1]))
        return tuple(levels)


def is_tree(sizes: tuple[int, ...], cells: int) -> bool:
    """Return True if levels of so many cells are those of a tree over so many bins."""
    if sizes[:1] != (cells,) or min(sizes) < 2:
        return False
    tree = Tree(sizes)
    return len(sizes) == 1 or (tree.fan > 1 and tree == Tree.of(cells, tree.fan, len(sizes)))


@dataclass(frozen=True)
class TreeFit:
    """The least-squares fit of bins to a tree whose levels have noise of these variances."""

    tree: Tree
    variances: tuple[float, ...]

    @cached_property
    def _known(self) -> tuple[list[FloatArray], list[FloatArray]]:
        """The variance of each run by its own count and all below it, by level, and that of the sum of its parts."""
        own, parts = [np.full(self.tree.sizes[0], self.variances[0])], [np.empty(0)]
        for variance in self.variances[1:]:
            parts.append(self.tree.summed(own[-1]))
            own.append(1 / (1 / variance + 1 / parts[-1]))
        return own, parts

    def bins(self, noisy: Sequence[FloatArray]) -> FloatArray:
        """Return the fitted counts of the bins, of the noisy counts of every level."""
        own, parts = self._known
        below, sums = [noisy[0]], [np.empty(0)]
        for level in range(1, len(noisy)):
            sums.append(self.tree.summed(below[-1]))
            mean = noisy[level] / self.variances[level] + sums[level] / parts[level]
            below.append(own[level] * mean)
        fitted = below[-1]
        for level in range(len(noisy) - 1, 0, -1):
            lacking = np.repeat((fitted - sums[level]) / parts[level], self.tree.fan)[: self.tree.sizes[level - 1]]
            fitted = below[level - 1] + own[level - 1] * lacking
        return fitted

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Variances of the counts up to each bin and of those beyond it, and their covariance."""
        cells = self.tree.sizes[0]
        up_to, beyond, half = (self.shares(np.full(cells, share))[0] for share in (0.0, 1.0, 0.5))
        return up_to, beyond, (up_to + beyond - 4 * half) / 2

    def variance(self, share: FloatArray) -> FloatArray:
        """Return the variance of (1 − r)·(counts up to a bin) − r·(counts beyond it), with a share r for each bin."""
        up_to, beyond, both = self.ends
        return np.asarray((1 - share) ** 2 * up_to + share**2 * beyond - 2 * share * (1 - share) * both)

    def shares(self, share: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The same with Σ (weight² · variance)² over all noises, by which sums of Laplace noises differ from a normal.

        Along the path from the runs of the last level down to a bin: `pulled` is how a fitted run enters by its parts,
        `weight` that of its own estimate. Whatever is beside the path enters as a whole.
        """
        (own, parts), steps = self._known, np.arange(self.tree.sizes[0])
        fourth = self._fourth
        paths = [steps // self.tree.fan**level for level in range(len(own))]
        low, high = 1 - share, -share
        pulled, beside = [low], []
        for level in range(1, len(own)):
            child, first = paths[level - 1], paths[level] * self.tree.fan
            last = np.minimum(first + self.tree.fan, self.tree.sizes[level - 1])
            beside.append((first, child, last))
            before, after = _beside(own[level - 1], first, child, last)
            inside = pulled[-1] * own[level - 1][child]
            pulled.append((low * before + inside + high * after) / parts[level][paths[level]])
        weight, none = pulled[-1], np.zeros_like(steps)
        beside.append((none, paths[-1], none + self.tree.sizes[-1]))
        squares, fourths = self._enter(len(own) - 1, beside[-1], low, high)
        for level in range(len(own) - 1, 0, -1):
            run = paths[level]
            direct = weight * own[level][run] / self.variances[level]
            noise = self.variances[level]
            squares, fourths = squares + direct**2 * noise, fourths + direct**4 * noise**2
            shift = weight * own[level][run] / parts[level][run] - pulled[level]
            more = self._enter(level - 1, beside[level - 1], low + shift, high + shift)
            squares, fourths = squares + more[0], fourths + more[1]
            weight = pulled[level - 1] + shift
        return squares + weight**2 * own[0][steps], fourths + weight**4 * fourth[0][steps]

    @cached_property
    def _fourth(self) -> list[FloatArray]:
        """Sum of weight⁴·variance² in the estimate of each run, by its own count and all below it."""
        own, parts = self._known
        found = [own[0] ** 2]
        for level, variance in enumerate(self.variances[1:], start=1):
            below = (own[level] / parts[level]) ** 4 * self.tree.summed(found[-1])
            found.append((own[level] / variance) ** 4 * variance**2 + below)
        return found

    def _enter(
        self, level: int, places: tuple[NDArray[np.int64], ...], low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what the runs beside the path add, before it with one weight and after it with another."""
        before, after = _beside(self._known[0][level], *places)
        fourth_before, fourth_after = _beside(self._fourth[level], *places)
        return low**2 * before + high**2 * after, low**4 * fourth_before + high**4 * fourth_after


def _beside(
    values: FloatArray, first: NDArray[np.int64], path: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[FloatArray, FloatArray]:
    """Return sums from the first to before the path, and from behind it to before the last."""
    up_to = np.concatenate([[0.0], np.cumsum(values)])
    return up_to[path] - up_to[first], up_to[last] - up_to[path + 1]


def least_precise(fit: TreeFit) -> float:
    """Return the largest variance of (1 − r)·(counts up to a bin) − r·(counts beyond it), for rows spread evenly."""
    cells = fit.tree.sizes[0]
    return float(fit.shares(np.arange(1, cells + 1) / cells)[0].max())


@lru_cache(maxsize=256)
def precision(sizes: tuple[int, ...]) -> float:
    """Return the same of a tree with noise of variance 1 at each level."""
    return least_precise(TreeFit(Tree(sizes), (1.0,) * len(sizes)))


@lru_cache(maxsize=256)
def planned(cells: int, *, squared: bool) -> Tree:
    """Return the tree for so many bins by which the least precise share errs least; one level without a gain.

    Its h levels have equal parts of a budget, so each has h times the variance; h² times where noise is squared in it
    (`squared`: in pure ε).
    """
    alone = Tree((cells,))
    most = GAIN * least_precise(TreeFit(alone, (1.0,)))
    found = [(variance, tree) for variance, tree in _trees(cells, 2 if squared else 1) if variance < most]
    least = min((variance for variance, _ in found), default=0.0)
    near = [(len(tree.sizes), variance, tree) for variance, tree in found if variance <= NEAR * least]
    return min(near, key=lambda each: each[:2])[2] if near else alone


def _trees(cells: int, power: int) -> Iterator[tuple[float, Tree]]:
    """Yield trees with two runs at least at the last level, by least length of runs; more levels while they help."""
    for fan in FANS:
        best, depth = inf, 2
        while -(-cells // fan ** (depth - 1)) >= 2:
            tree = Tree.of(cells, fan, depth)
            variance = least_precise(TreeFit(tree, (float(depth**power),) * depth))
            if tree.fan != fan or variance >= best:
                break
            yield variance, tree
            best, depth = variance, depth + 1
