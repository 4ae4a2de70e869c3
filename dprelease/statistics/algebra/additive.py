"""An additive logistic model of bins, fitted to noisy tables alone: of each column by class, and of pairs of columns.

The score equations of a logistic model are Σ over rows of onehot·(y − σ(β·onehot)) = 0. The first part is in the tables
by class. The second needs the joint distribution of the columns: it is taken over a public sample that has the pair
tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dprelease.statistics.algebra.agreed import Agreed, Noised
from dprelease.statistics.algebra.elementary import Floats, added, log, logistic
from dprelease.statistics.algebra.pairwise import Codes, Pair, Sample

STEPS = 100
LEAST = 1e-9
"""Of a penalty, by row: with less the equations of very many rows are singular in floats."""
LONGEST = 3.0
"""Of a step, in log-odds."""
CLOSE = 1e-12
"""So small a step ends the search; or one of a thousand times that which is no smaller than the one before it."""


@dataclass(frozen=True, eq=False)
class Fit:
    """An additive logistic model: log-odds of the intercept, and by column and bin (0 on average over rows)."""

    intercept: float
    points: tuple[Floats, ...]
    root: Floats
    """A matrix R with covariance RR' of all these that is due to the noise, the intercept first."""

    @property
    def deviations(self) -> Floats:
        """Returns the standard deviation of each, the intercept first."""
        return np.asarray(np.sqrt(added(self.root * self.root)))

    @property
    def covariance(self) -> Floats:
        """Returns it whole."""
        return np.stack([added(self.root * row[None, :]) for row in self.root])


def fitted(
    found: Agreed, labels: Sequence[Noised], pairs: Mapping[Pair, Noised], drawn: Sample, positive: int = 1
) -> Fit:
    """Solves Σ onehot·y − Σ w·onehot·σ(β·onehot) − λβ = 0 by damped Newton steps, with λ = 1 + sd of the label tables.

    The intercept has (nearly) no penalty. How β answers to noise is, to first order, H⁻¹ times the noise in the
    equations: in the label tables, and in how pairs of bins divide the rows of each (`_noise`).
    """
    sizes = [len(table) for table in found.tables]
    starts = np.concatenate(([1], 1 + np.add.accumulate(sizes)))
    width = int(starts[-1])
    wanted = np.concatenate(([found.classes[positive]], *(table[:, positive] for table in found.tables)))
    places = drawn.codes + starts[:-1]
    least = LEAST * found.rows
    penalty = np.full(width, max(1.0 + max(table.variance for table in labels) ** 0.5, least))
    penalty[0] = least
    beta, inverse, before = np.zeros(width), np.zeros((width, width)), np.inf
    beta[0] = float(log((found.classes[positive] + 1.0) / (found.rows - found.classes[positive] + 1.0)))
    for _ in range(STEPS):
        chance = logistic(_scores(places, beta))
        expected = drawn.weights * chance
        gradient = wanted - _sums(places, expected, width) - penalty * beta
        hessian = _products(places, expected * (1.0 - chance), width)
        hessian[np.arange(width), np.arange(width)] += penalty
        inverse = inverted(hessian)
        step = added(inverse * gradient[None, :])
        size = float(np.max(np.abs(step)))
        beta = beta + step * min(1.0, LONGEST / max(size, 1e-300))
        if size < CLOSE or before <= size < 1e3 * CLOSE:
            break
        before = size
    noise = _noise(found, labels, pairs, drawn, starts, logistic(_scores(places, beta)))
    parts, rows = list(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)), inverse * np.sqrt(noise)[None, :]
    shares = [added(table) / found.rows for table in found.tables]
    means = [float(added(share * beta[a:b])) for share, (a, b) in zip(shares, parts, strict=True)]
    moved = [added(share[:, None] * rows[a:b], 0) for share, (a, b) in zip(shares, parts, strict=True)]
    root = [rows[0] + sum(moved), *(rows[a:b] - own[None, :] for own, (a, b) in zip(moved, parts, strict=True))]
    points = tuple(beta[a:b] - mean for mean, (a, b) in zip(means, parts, strict=True))
    return Fit(float(beta[0]) + float(sum(means)), points, np.vstack(root))


def _scores(places: Codes, beta: Floats) -> Floats:
    z = np.full(len(places), beta[0])
    for column in range(places.shape[1]):
        z = z + beta[places[:, column]]
    return z


def _noise(
    found: Agreed, labels: Sequence[Noised], pairs: Mapping[Pair, Noised], drawn: Sample, starts: Codes, chance: Floats
) -> Floats:
    """The variance of the noise in each equation.

    Of a bin with share p of the class: one more row of the class adds 1 − p to its equation, one of the other −p. Of a
    pair of bins with share q, one more row (and one less of another pair of the bin) adds −(q − p). That pair tables
    are raked and shrunk is left out: both make it less.
    """
    variances = np.zeros(int(starts[-1]))
    variances[0] = found.variance
    chances = drawn.weights * chance
    means = []
    for column, table in enumerate(labels):
        own, bins = drawn.codes[:, column], len(table.counts)
        mean = _shares(own, chances, drawn.weights, bins)
        means.append(mean)
        variances[starts[column] : starts[column + 1]] = table.variance * ((1.0 - mean) ** 2 + mean**2)
    for (i, j), table in pairs.items():
        k, n = table.counts.shape
        shares = _shares(drawn.codes[:, i] * n + drawn.codes[:, j], chances, drawn.weights, k * n).reshape(k, n)
        for axis, column in enumerate((i, j)):
            mean = means[column][:, None] if axis == 0 else means[column][None, :]
            more = added((shares - mean) ** 2, 1 - axis)
            variances[starts[column] : starts[column + 1]] += table.variance * more
    return variances


def _shares(cells: Codes, chances: Floats, weights: Floats, many: int) -> Floats:
    """The share of the class in each cell; a half where the sample has nobody."""
    whole = np.bincount(cells, weights=weights, minlength=many)
    own = np.bincount(cells, weights=chances, minlength=many)
    return np.where(whole > 0, own / np.where(whole > 0, whole, 1.0), 0.5)


def _sums(places: Codes, weights: Floats, width: int) -> Floats:
    """Σ w·onehot: of the intercept, and of each bin."""
    sums = np.zeros(width)
    sums[0] = float(added(weights))
    for column in range(places.shape[1]):
        sums += np.bincount(places[:, column], weights=weights, minlength=width)
    return sums


def _products(places: Codes, weights: Floats, width: int) -> Floats:
    """Σ w·onehot·onehot'."""
    sums = np.zeros((width, width))
    sums[0] = sums[:, 0] = own = _sums(places, weights, width)
    bins = np.arange(1, width)
    sums[bins, bins] = own[1:]
    for i in range(places.shape[1]):
        for j in range(i):
            cell = np.bincount(places[:, i] * width + places[:, j], weights=weights, minlength=width * width)
            table = cell.reshape(width, width)
            sums += table + table.T
    return sums


def inverted(matrix: Floats) -> Floats:
    """The inverse of a positive definite matrix, by Gauss and Jordan's steps in order."""
    width = len(matrix)
    left, right = matrix.copy(), np.eye(width)
    for k in range(width):
        pivot = left[k, k]
        left[k], right[k] = left[k] / pivot, right[k] / pivot
        factor = left[:, k].copy()
        factor[k] = 0.0
        left -= factor[:, None] * left[k][None, :]
        right -= factor[:, None] * right[k][None, :]
    return right
