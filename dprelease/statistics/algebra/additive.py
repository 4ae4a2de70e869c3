"""An additive logistic model of bins, fitted to noisy tables alone: of each column by class, and of pairs of columns.

The score equations of a logistic model are Σ over rows of onehot·(y − σ(β·onehot)) = 0. The first part is in the tables
by class. The second needs the joint distribution of the columns: it is taken over combinations of bins with weights by
which they have the pair tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dprelease.statistics.algebra.agreed import NoisySource, ReconciledTables
from dprelease.statistics.algebra.elementary import Floats, added, inverted, log
from dprelease.statistics.algebra.points import Pair, Points

STEPS = 100
LEAST = 1e-9
"""Least penalty by row: with less the equations of very many rows are singular in floats."""
LONGEST = 3.0
"""Longest step, in log-odds."""
CLOSE = 1e-12
"""So small a step ends the search; or one of a thousand times that which is no smaller than the one before it."""


@dataclass(frozen=True, eq=False)
class AdditiveFit:
    """An additive logistic model: log-odds of the intercept, and by column and bin (0 on average over rows)."""

    intercept: float
    points: tuple[Floats, ...]
    pull: tuple[Floats, ...]
    """About how much the penalty took from each of these, of the same sign where it drew towards 0."""
    root: Floats
    """A matrix R with covariance RR' of intercept and points that is due to the noise."""

    @property
    def deviations(self) -> Floats:
        """Standard deviation of each, the intercept first."""
        return np.asarray(np.sqrt(added(self.root * self.root)))

    @property
    def covariance(self) -> Floats:
        """Covariance matrix as a whole."""
        return np.stack([added(self.root * row[None, :]) for row in self.root])


def fitted(
    found: ReconciledTables,
    labels: Sequence[NoisySource],
    pairs: Mapping[Pair, NoisySource],
    points: Points,
    positive: int = 1,
) -> AdditiveFit:
    """Solve Σ onehot·y − Σ w·onehot·σ(β·onehot) − λβ = 0 by damped Newton steps, with λ = 1 + sd of the label tables.

    The intercept has (nearly) no penalty. How β answers to noise is, to first order, H⁻¹ times the noise in the
    equations: in the label tables, and in how pairs of bins divide the rows of each. Points are 0 on average over rows,
    and noise in the rows of bin v moves that average by (point of v)/n a row. What else was changed of tables moves
    points likewise (`_root`): a shift by δ beside noise of σ is counted as one more standard deviation.
    ±1.96·√(σ² + δ²) holds in 95 %, since √((1.96·σ)² + (1.96·δ)²) ≥ 1.65·σ + δ.
    """
    parts = [(a + 1, b + 1) for a, b in points.parts]
    width = parts[-1][1]
    wanted = np.concatenate(([found.classes[positive]], *(table[:, positive] for table in found.tables)))
    least = LEAST * found.rows
    penalty = np.full(width, max(1.0 + max(table.variance for table in labels) ** 0.5, least))
    penalty[0] = least
    beta, inverse, before = np.zeros(width), np.zeros((width, width)), np.inf
    beta[0] = float(log((found.classes[positive] + 1.0) / (found.rows - found.classes[positive] + 1.0)))
    for _ in range(STEPS):
        chance = _chance(points, beta, parts)
        expected = points.weights * chance
        gradient = wanted - _sums(points, expected) - penalty * beta
        curved = points.products(expected * (1.0 - chance))
        own = np.diag(curved)
        first = float(added(own[: points.sizes[0]]))
        hessian = np.block([[np.array([[first]]), own[None, :]], [own[:, None], curved]]) + np.diag(penalty)
        inverse = inverted(hessian)
        step = added(inverse * gradient[None, :])
        size = float(np.max(np.abs(step)))
        beta = beta + step * min(1.0, LONGEST / max(size, 1e-300))
        if size < CLOSE or before <= size < 1e3 * CLOSE:
            break
        before = size
    shares = [added(table) / found.rows for table in found.tables]

    def centred(numbers: Floats) -> list[Floats]:
        """Return the intercept's part, and each column's with an average of 0 over rows."""
        means = [added(share * numbers[a:b].T) for share, (a, b) in zip(shares, parts, strict=True)]
        bins = [numbers[a:b] - mean for mean, (a, b) in zip(means, parts, strict=True)]
        return [numbers[:1] + sum(means), *bins]

    start, *bins = centred(beta)
    taken = centred(added(inverse * (penalty * beta)[None, :]))[1:]
    answers = np.vstack(centred(inverse))
    by_rows = np.zeros(answers[:, 1:].shape)
    for own, (a, b) in zip(bins, parts, strict=True):
        by_rows[0, a - 1 : b - 1] = own / found.rows
        by_rows[a:b, a - 1 : b - 1] = -own / found.rows
    root = _root(found, labels, pairs, points, _chance(points, beta, parts), answers, by_rows)
    return AdditiveFit(float(start[0]), tuple(bins), tuple(taken), root)


def _chance(points: Points, beta: Floats, parts: Sequence[tuple[int, int]]) -> Floats:
    return points.chances(float(beta[0]), [beta[a:b] for a, b in parts])


def _root(
    found: ReconciledTables,
    labels: Sequence[NoisySource],
    pairs: Mapping[Pair, NoisySource],
    points: Points,
    chance: Floats,
    answers: Floats,
    by_rows: Floats,
) -> Floats:
    """Return the shift of intercept and points by a standard deviation of each source of noise: a column a source.

    `answers`: how intercept and points answer to each equation; `by_rows`: to a row more in each bin. Sources are the
    cells of the class, by bin; those of the other; the intercept's own and those of pair tables, by bin. Of a bin with
    share p of the class: one more row of the class adds 1 − p to its equation, one of the other −p. Of a pair of bins
    with share q, one more row (and one less of another pair of the bin) adds −(q − p). The last column is what was
    changed otherwise: tables have no cell below 0 (what all bins of a class have lost by that is less noise, and not
    counted), and those of pairs were shrunk and raked. No noise does so on average, since of an empty cell it leaves
    something, and all tables then err to the same side.
    """
    chances = points.weights * chance
    means = [_shares(points, chances, column) for column in range(len(labels))]
    more = [table - own.counts for table, own in zip(found.tables, labels, strict=True)]
    more = [own - (added(own, 0) / len(own))[None, :] for own in more]
    moved = [own[:, 1] * (1.0 - mean) - own[:, 0] * mean for own, mean in zip(more, means, strict=True)]
    variances = [np.zeros(len(mean)) for mean in means]
    for (i, j), table in pairs.items():
        shares = _shares(points, chances, i, j)
        changed = points.table(points.weights, i, j) - table.counts
        for axis, column in ((1, i), (0, j)):
            beside = shares - np.expand_dims(means[column], axis)
            variances[column] = variances[column] + table.variance * added(beside**2, axis)
            moved[column] = moved[column] - added(changed * beside, axis)
    share = np.concatenate(means)
    cell = np.concatenate([np.full(len(own.counts), own.variance**0.5) for own in labels])
    others = np.sqrt(np.concatenate(([found.variance], *variances)))
    off = added(answers[:, 1:] * np.concatenate(moved)) + added(by_rows * added(np.concatenate(more)))
    return np.hstack(
        [
            (answers[:, 1:] * (1.0 - share) + by_rows) * cell,
            (by_rows - answers[:, 1:] * share) * cell,
            answers * others,
            off[:, None],
        ]
    )


def _shares(points: Points, chances: Floats, *columns: int) -> Floats:
    """Return the share of the class in each cell; a half where nobody is."""
    whole, own = points.table(points.weights, *columns), points.table(chances, *columns)
    return np.where(whole > 0, own / np.where(whole > 0, whole, 1.0), 0.5)


def _sums(points: Points, numbers: Floats) -> Floats:
    """Return Σ w·onehot: of the intercept, and of each bin."""
    bins = [points.table(numbers, column) for column in range(len(points.sizes))]
    return np.concatenate(([float(added(bins[0]))], *bins))
