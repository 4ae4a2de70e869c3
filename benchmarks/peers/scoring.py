"""How tables are split into rows to learn from and rows to test on, and how predictions are scored, for all alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
TESTED = 0.2
LEAST, MOST = 1e-6, 1 - 1e-6
"""Probabilities are taken to lie between these where their logarithm is asked."""


def split(rows: int, seed: int) -> tuple[Array, Array]:
    """Places of the rows to learn from, and of a fifth to test on."""
    order = np.random.default_rng(seed).permutation(rows)
    kept = int(rows * (1 - TESTED))
    return order[:kept], order[kept:]


def rmse(truth: Array, predicted: Array) -> float:
    """Root mean square error."""
    return float(np.sqrt(np.mean((truth - predicted) ** 2)))


def scores(truth: Array, chance: Array) -> list[float]:
    """Accuracy, area under the ROC curve and log-loss of chances of the outcome 1."""
    positive = truth == 1
    order = np.argsort(chance, kind="stable")
    ranks = np.empty(len(chance))
    ranks[order] = np.arange(1, len(chance) + 1)
    _, place, count = np.unique(chance, return_inverse=True, return_counts=True)
    ranks = (np.bincount(place, weights=ranks) / count)[place]
    many, few = int(positive.sum()), int((~positive).sum())
    area = (ranks[positive].sum() - many * (many + 1) / 2) / (many * few)
    sure = np.clip(chance, LEAST, MOST)
    loss = -np.mean(np.where(positive, np.log(sure), np.log(1 - sure)))
    return [float(np.mean((chance > 0.5) == positive)), float(area), float(loss)]


def cost(points: Array, centres: Array) -> float:
    """Sum of squared distances to the nearest centre."""
    return float(((points[:, None, :] - centres[None]) ** 2).sum(axis=2).min(axis=1).sum())


def fuzzy_cost(points: Array, centres: Array, fuzziness: float = 2.0) -> float:
    """The objective of fuzzy c-means at its best memberships for these centres."""
    squares = np.maximum(((points[:, None, :] - centres[None]) ** 2).sum(axis=2), 1e-12)
    weights = squares ** (-1 / (fuzziness - 1))
    memberships = weights / weights.sum(axis=1, keepdims=True)
    return float((memberships**fuzziness * squares).sum())
