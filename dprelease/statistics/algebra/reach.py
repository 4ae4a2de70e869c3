"""Margins of error of estimates made of several noisy integers, by the noise of their mechanisms.

Discrete noise is bounded by the continuous one of the same scale plus half a step, which only widens intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, sqrt

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteGaussian, Mechanism
from dprelease.statistics.algebra import combination
from dprelease.statistics.algebra.combination import Noises
from dprelease.statistics.algebra.summed import SummedLaplace
from dprelease.statistics.algebra.tree import Tree, TreeFit

FloatArray = NDArray[np.float64]
FORESEEN = 24
"""Halvings that are enough to foresee an error: to 1e-7 of it."""
MAX_TERMS = 100
"""The sum of more noises than this is taken to reach as far as that of so many, which is a little farther."""


def noises(mechanism: Mechanism, terms: int = 1) -> Noises:
    """Return the noise of a sum of so many integers."""
    if isinstance(mechanism, DiscreteGaussian):
        return Noises((), mechanism.scale * terms**0.5)
    if isinstance(mechanism, SummedLaplace):
        return Noises(tuple((part, terms) for part in mechanism.parts))
    return Noises(((mechanism.scale, terms),))


def sum_reach(mechanism: Mechanism, terms: int, confidence: float) -> float:
    """Return the half-width of the sum of so many noises, in lattice steps."""
    noise = noises(mechanism, terms)
    return combination.quantile(confidence, noise.laplaces, noise.sigma)


def quotient(
    top: FloatArray,
    bottom: FloatArray,
    mechanisms: Sequence[Mechanism],
    confidence: float = 0.95,
    *,
    halvings: int = 64,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Two noisy sums divided, each with a mechanism of its own: the values with the ratios that they do not reject.

    No value (NaN) where the lower sum is not above 0; from −∞ to ∞ where it is not clearly above 0. With confidence 0
    the interval is the value itself.
    """
    value = np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan)
    if confidence == 0:
        return value, value, value
    over, under = (noises(mechanism) for mechanism in mechanisms)
    return value, *combination.fieller(top, bottom, over, under, confidence, halvings=halvings)


def quotient_error(
    top: float, bottom: float, mechanisms: Sequence[Mechanism], confidence: float = 0.95
) -> float | None:
    """Return the margin of error of the quotient of two noisy sums with these values; None without end.

    (A + η) / (B + ζ) exceeds r = A / B by more than t where η − (r + t)ζ > tB; it falls short where η − (r − t)ζ < −tB.
    Continuous noise, without the half steps by which intervals are wider.
    """
    over, under = (noises(mechanism) for mechanism in mechanisms)
    ratio, alpha = top / bottom, 1 - confidence

    def beyond(t: float) -> float:
        sides = (over.plus(under.scaled(ratio + t)), over.plus(under.scaled(ratio - t)))
        return sum(combination.tail(t * bottom, noise.laplaces, noise.sigma) for noise in sides) / 2

    if combination.tail(bottom, under.laplaces, under.sigma) >= alpha:
        return None
    low, high = 0.0, 1e-9 + abs(ratio)
    while beyond(high) > alpha:
        low, high = high, 2 * high
    for _ in range(FORESEEN):
        middle = (low + high) / 2
        low, high = (middle, high) if beyond(middle) > alpha else (low, middle)
    return high


def fit(mechanisms: Sequence[Mechanism], cells: int) -> TreeFit:
    """The fit of so many bins to counts that have the noise of each level's mechanism: variances in that of the first.

    Discrete noise is weighed as the continuous one of the same scale.
    """
    shapes = [mechanism.sensitivity.shape or () for mechanism in mechanisms]
    sizes = tuple(shape[0] for shape in shapes) if len(shapes) > 1 else (cells,)
    return TreeFit(Tree(sizes), tuple((mechanism.scale / mechanisms[0].scale) ** 2 for mechanism in mechanisms))


def cumulative_interval(
    counts: FloatArray, fitted: TreeFit, mechanism: Mechanism, confidence: float = 0.95, *, halvings: int = 50
) -> tuple[FloatArray, FloatArray]:
    """Return for each cell the share of the noisy counts up to it, as an interval within [0, 1].

    `mechanism`: of the first level. With y₁ the fitted counts up to a cell and y₂ those beyond, (1 − r)·y₁ − r·y₂ is
    noise alone where r is the share: a sum of the noises of all levels, each with a weight of at most 1. Its reach is
    that of so many equal Laplace noises as have at most the same kurtosis. With confidence 0 it is the share itself.
    """
    below, cells = np.cumsum(counts), len(counts)
    whole = float(below[-1])
    first = np.arange(1, cells + 1, dtype=np.float64)
    centre = np.clip(below / whole, 0, 1) if whole > 0 else first / cells
    if confidence == 0:
        return centre, centre
    squares, fourths = fitted.shares(centre)
    terms = np.maximum(1, np.floor(squares**2 / np.maximum(fourths, 1e-300))).astype(int)
    terms = np.minimum(terms, MAX_TERMS)
    reaches = {n: sum_reach(mechanism, n, confidence) / n**0.5 for n in set(terms.tolist())}
    reach = np.array([reaches[n] for n in terms.tolist()])
    clear = whole > _whole_reach(fitted, mechanism, confidence)
    ends = np.repeat([[0.0], [1.0]], cells, axis=1)
    if not clear:
        return ends[0], ends[1]
    inside, outside = np.stack([centre, centre]), ends
    for _ in range(halvings):
        middle = (inside + outside) / 2
        holds = np.abs(below - middle * whole) <= reach * np.sqrt(fitted.variance(middle)) + 0.5
        inside, outside = np.where(holds, middle, inside), np.where(holds, outside, middle)
    return outside[0], outside[1]


def _whole_reach(fitted: TreeFit, mechanism: Mechanism, confidence: float) -> float:
    """Return the margin of error of the sum of all cells."""
    squares, fourths = (each[-1] for each in fitted.shares(np.zeros(fitted.tree.sizes[0])))
    terms = max(1, floor(squares**2 / fourths))
    return float(sum_reach(mechanism, terms, confidence) * sqrt(squares / terms))
