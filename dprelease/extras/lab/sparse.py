"""The sparse vector technique as it is printed in several ways, and how likely what each tells is, by one integral.

Each question i with the true answer f_i is told to be above T + z or below, with noise ν_i of its own, one z for all.
Given z the questions are independent, so that P(told) = ∫ h(z) Π_below F(T + z − f_i) Π_above (1 − F(T + z − f_i)) dz,
with the density h of z and the distribution F of ν, both Laplace. The integral is taken by Gauss and Legendre between
the points where a density has an edge: its error stays below 10^-9, relative.

Lyu, Su, Li 2017, "Understanding the Sparse Vector Technique for
Differential Privacy", whose numbers the ways have here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, expm1, inf, log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

SPAN = 45.0
"""Scales of the noise, beyond which less than 10^-19 is left out."""
NODES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseMethod:
    """One of the ways, with its scales for questions that change by at most 1, any way, with one unit."""

    key: str
    threshold: float
    """The scale of the threshold's noise, at ε = 1 and one answer above."""
    question: float
    """The scale of each question's noise, at ε = 1 and one answer above; 0 where it has none."""
    grows: bool = False
    """True if the scale of a question's noise grows with how many answers above there may be."""
    tells: bool = False
    """True if an answer above is told with its own noise, the one that it was compared with."""

    def scales(self, epsilon: float, above: int) -> tuple[float, float]:
        """Return the scales of threshold and questions at ε, with at most so many answers above."""
        return self.threshold / epsilon, self.question * (above if self.grows else 1) / epsilon


HOLDS = SparseMethod(key="a1", threshold=2, question=4, grows=True)
"""ε/2 for the threshold, ε/2 for the questions, which may move either way: private."""
TELLS = SparseMethod(key="a3", threshold=2, question=2, grows=True, tells=True)
FIXED = SparseMethod(key="a4", threshold=4, question=4 / 3)
GROWN = SparseMethod(key="a4_grown", threshold=4, question=4 / 3, grows=True)
BARE = SparseMethod(key="a5", threshold=2, question=0)
ENDLESS = SparseMethod(key="a6", threshold=2, question=2)
MONOTONE = SparseMethod(key="monotone", threshold=2, question=2, grows=True)
"""The noise for questions that all move the same way, used for others."""


def log_likelihood(
    values: Sequence[float],
    told: Sequence[bool],
    threshold_scale: float,
    question_scale: float,
    threshold: float = 0.0,
    below: float = inf,
) -> float:
    """Return ln P(told) of questions with these true answers; −∞ where it cannot be told.

    `below`: z is no larger than that. `question_scale` of 0: questions have no noise.
    """
    if question_scale == 0:
        return _without_noise(values, told, threshold_scale, threshold)
    edges = sorted({0.0, *(value - threshold for value in values)})
    far = SPAN * max(threshold_scale, question_scale)
    z, weights = _nodes(edges, far, min(threshold_scale, question_scale) / 2, below)
    total = np.log(weights) - np.abs(z) / threshold_scale - log(2 * threshold_scale)
    for (value, above), times in Counter(zip(values, told, strict=True)).items():
        over = (threshold + z - value) / question_scale
        total += times * _log_distribution(-over if above else over)
    most = float(total.max())
    return most + log(float(np.exp(total - most).sum()))


def of_way(way: SparseMethod, epsilon: float, values: Sequence[float], told: Sequence[bool]) -> float:
    """Return ln P(told) by one of the ways, with the threshold 0; an answer above that is told, is told to be 0.

    Of the latter it is the density. Answers above: as many as are told, at least one.
    """
    above = max(1, sum(told))
    threshold, question = way.scales(epsilon, above)
    if not way.tells:
        return log_likelihood(values, told, threshold, question)
    lower = [value for value, is_above in zip(values, told, strict=True) if not is_above]
    upper = [value for value, is_above in zip(values, told, strict=True) if is_above]
    drawn = sum(-abs(value) / question - log(2 * question) for value in upper)
    return drawn + log_likelihood(lower, [False] * len(lower), threshold, question, below=0.0)


def _without_noise(values: Sequence[float], told: Sequence[bool], scale: float, threshold: float) -> float:
    """Return ln P that z lies above all answers that are told below, and not above the others."""
    pairs = list(zip(values, told, strict=True))
    least = max((value - threshold for value, above in pairs if not above), default=-inf)
    most = min((value - threshold for value, above in pairs if above), default=inf)
    mass = _between(least / scale, most / scale)
    return log(mass) if mass > 0 else -inf


def _between(low: float, high: float) -> float:
    """Return the mass of Laplace noise of scale 1 there."""
    if low >= high:
        return 0.0
    if high <= 0:
        return (exp(high) - exp(low)) / 2
    if low >= 0:
        return (exp(-low) - exp(-high)) / 2
    return -(expm1(low) + expm1(-high)) / 2


def _log_distribution(x: Floats) -> Floats:
    """Return ln F of Laplace noise of scale 1."""
    return np.where(x < 0, x - log(2), np.log1p(-np.exp(-np.abs(x)) / 2))


def _nodes(edges: Sequence[float], far: float, width: float, below: float) -> tuple[Floats, Floats]:
    """Return points and weights between the edges and as far beyond, in stretches no wider than that."""
    ends = [edges[0] - far, *edges, edges[-1] + far]
    kept = [end for end in ends if end < below] + ([below] if below < ends[-1] else [])
    stretches = [np.linspace(low, high, max(2, int((high - low) / width) + 2))[:-1] for low, high in pairwise(kept)]
    cuts = np.append(np.concatenate(stretches), kept[-1])
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half = np.diff(cuts)[:, np.newaxis] / 2
    middle = (cuts[:-1] + cuts[1:])[:, np.newaxis] / 2
    return (middle + half * nodes).ravel(), (half * weights).ravel()


def renewed(epsilon: float, values: Sequence[float], told: Sequence[bool]) -> float:
    """Return ln P(told) where the threshold's noise is drawn anew after each answer above: scales 2c/ε and 4c/ε.

    A product, one factor for each stretch that ends with an answer above.
    """
    above, begun, found = max(1, sum(told)), 0, 0.0
    for place, is_above in enumerate(told):
        if is_above or place == len(told) - 1:
            part = slice(begun, place + 1)
            found += log_likelihood(values[part], told[part], 2 * above / epsilon, 4 * above / epsilon)
            begun = place + 1
    return found
