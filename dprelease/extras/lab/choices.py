"""Ways to choose one of several candidates by their scores, and how likely each candidate is; nothing is drawn.

Scores change by at most Δ with one unit; they are monotone if all of them change the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import exp, inf

import numpy as np

from dprelease.extras.lab.chance import Floats
from dprelease.extras.lab.pair import exponential, permute_and_flip

EXPONENTIAL, FLIPPED, NOISY = "exponential", "permute_and_flip", "noisy_max"
HOLD = (EXPONENTIAL, FLIPPED, NOISY)
UNDIVIDED, BARE_MAX = "undivided", "bare_max"
BROKEN_WAYS = (UNDIVIDED, BARE_MAX)
"""Exponential mechanism without the 2, and noisy maximum with noise of Δ/ε, of scores that are not monotone."""
SPAN, NODES = 45.0, 8


def chances(way: str, scores: Sequence[float], rate: float) -> Floats:
    """Return the probability of each candidate. `rate`: ε/(2Δ), or ε/Δ of monotone scores; twice that if broken."""
    if way in BROKEN_WAYS:
        way, rate = (EXPONENTIAL if way == UNDIVIDED else NOISY), 2 * rate
    scaled = [2 * rate * each for each in scores]
    if way == EXPONENTIAL:
        return exponential(scaled, scaled, 1.0).p
    return permute_and_flip(scaled, scaled, 1.0).p if way == FLIPPED else noisy_max([each / 2 for each in scaled])


def noisy_max(scores: Sequence[float]) -> Floats:
    """Return how often each score is the largest with Laplace noise of scale 1: ∫ h(z − s_i) Π_j F(z − s_j) dz.

    By Gauss and Legendre between the scores, where a density has an edge.
    """
    ends = [min(scores) - SPAN, *sorted(set(scores)), max(scores) + SPAN]
    cuts = np.concatenate([np.linspace(low, high, int(2 * (high - low)) + 2)[:-1] for low, high in pairwise(ends)])
    cuts = np.append(cuts, ends[-1])
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    z = ((cuts[:-1] + cuts[1:])[:, None] / 2 + np.diff(cuts)[:, None] / 2 * nodes).ravel()
    width = (np.diff(cuts)[:, None] / 2 * weights).ravel()
    apart = z - np.array(scores)[:, None]
    below = np.where(apart < 0, np.exp(np.minimum(apart, 0)) / 2, 1 - np.exp(-np.maximum(apart, 0)) / 2)
    density = np.exp(-np.abs(apart)) / 2
    found = [
        float((density[one] * np.prod(np.delete(below, one, axis=0), axis=0) * width).sum())
        for one in range(len(scores))
    ]
    return np.array(found)


def loss(one: Floats, other: Floats) -> float:
    """Return the largest |ln| of the ratio of two probabilities of a candidate."""
    if (one <= 0).any() or (other <= 0).any():
        return inf
    return float(np.abs(np.log(one) - np.log(other)).max())


def worst(way: str, epsilon: float, candidates: int, *, monotone: bool) -> float:
    """Return the real ε of a way over all scores of so many candidates, Δ = 1: the ε of the way if it holds, else more.

    Scores where one candidate lies far behind and moves by 1, the others by 1 the other way, or stay where they are.
    """
    rate = epsilon if monotone else epsilon / 2
    behind = 60 / epsilon
    first = [0.0, *[behind] * (candidates - 1)]
    second = [1.0, *[behind - (0 if monotone else 1)] * (candidates - 1)]
    return loss(chances(way, first, rate), chances(way, second, rate))


def utility_bound(scores: Sequence[float], rate: float, gap: float) -> float:
    """Return the theorem's bound on the chance of a candidate so much worse than the best: n e^(−rate · gap)."""
    return len(scores) * exp(-rate * gap)
