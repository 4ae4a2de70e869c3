"""Expected error of the private choice of a quantile, for rows spread evenly over the bounds."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import ExponentialMechanism, Mechanism

FloatArray = NDArray[np.float64]
BLOCKS = 512
"""Neighbouring cells are taken together above this many, which changes the figure by less than a block."""
REACH = 24
"""e^−24: how much less likely than the best one the farthest cell is that is looked at."""
STEP = 0.2
"""Step of the integral where it begins and ends at next to nothing: the trapezoidal rule is then almost exact."""
STEPS = 400
"""Number of steps of the integral otherwise."""


def win_probabilities(advantage: FloatArray, copies: FloatArray, mechanism: Mechanism) -> FloatArray:
    """Return the probability that a mechanism chooses one of the `copies` candidates of each score.

    `advantage` is score − best (at most 0), w = exp(advantage / scale). The exponential mechanism chooses candidate r
    with probability w_r / Σw; permute-and-flip with w_r ∫₀¹ Π_{s≠r} (1 − x·w_s) dx, where the integral is taken over
    y = −log x by the trapezoidal rule, in place: most of the time would go into fresh memory.
    """
    weights = np.exp(advantage / mechanism.scale)
    if isinstance(mechanism, ExponentialMechanism):
        return np.asarray(weights * copies / (weights * copies).sum())
    whole = float((weights * copies).sum())
    last = np.log(whole) + 25
    y = np.linspace(1e-9, last, STEPS if np.exp(-whole) > 1e-12 else int(last / STEP))
    x = np.exp(-y)
    others = np.multiply.outer(x, weights)
    np.subtract(1, others, out=others)
    density = np.divide((np.exp(np.log(others) @ copies) * x)[:, None], others, out=others)
    slices = density[1:] + density[:-1]
    slices *= np.diff(y)[:, None] / 2
    chances = copies * weights * slices.sum(axis=0)
    return np.asarray(chances / chances.sum())


@lru_cache(maxsize=4096)
def even_spread_error(
    cells: int, probability: Decimal, rows: float, mechanism: Mechanism, points: bool, confidence: float
) -> float:
    """Return the distance, as a share of the bounds' width, that `confidence` of choices stay within.

    The mechanism's scale is in steps of scores multiplied by the probability's denominator; `points`: cells are single
    values.
    """
    scale = mechanism.scale
    share = float(probability)
    factor = probability.as_integer_ratio()[1]
    reach = min(cells, int(np.ceil(REACH * scale / factor / rows * cells)) + 2)
    best = min(cells - 1, int(share * cells))
    first, last = max(0, best - reach), min(cells - 1, best + reach)
    block = -(-(last - first + 1) // BLOCKS)
    starts = np.arange(first, last + 1, block, dtype=np.float64)
    copies = np.minimum(block, last + 1 - starts)
    middle = starts + (copies - 1) / 2
    below, above = rows * middle / cells, rows * (cells - 1 - middle) / cells
    score = -factor * np.maximum(below - share * rows, above - (1 - share) * rows)
    chances = win_probabilities(score - score.max(), copies, mechanism)
    distance = np.abs(middle - best) / max(1, cells - 1) if points else np.abs((middle + 0.5) / cells - share)
    order = np.argsort(distance)
    position = int(np.searchsorted(np.cumsum(chances[order]), confidence))
    return float(distance[order][min(position, len(order) - 1)])
