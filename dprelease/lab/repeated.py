"""The same question asked again: how often the truth is told after so many answers, exactly."""

from __future__ import annotations

from math import ceil, exp, expm1, lgamma, log, log1p, sqrt

import numpy as np

from dprelease.lab.chance import Floats

SPREAD = 14.0
"""Standard deviations of a sum, and as many scales of noise, beyond which next to nothing is left."""


def of_copies(p: float, q: float, copies: int) -> float:
    """The better guess between two chances of a yes, after so many answers: ½ Σ max of two binomial distributions."""
    return float(np.maximum(_binomial(p, copies), _binomial(q, copies)).sum()) / 2


def best(epsilon: float, copies: int) -> float:
    """The same of answers that cost ε each, with discrete Laplace noise on a count: the best that anybody can do.

    Of two counts that are one apart each answer has one of two losses, ε and −ε: as a randomised response.
    """
    yes = 1 / (1 + exp(-epsilon))
    return of_copies(yes, 1 - yes, copies)


def averaged(epsilon: float, copies: int) -> float:
    """How often the rounded mean of so many answers is the truth; halves go either way.

    The sum of the noise by its characteristic function ((1 − q)² / (1 − 2q·cos θ + q²))^k, q = e^−ε, and a Fourier
    transform: exact but for its rounding, below 10^-12, and for what lies beyond its cycle.
    """
    q = exp(-epsilon)
    deviation = sqrt(2 * q * copies) / -expm1(-epsilon)
    reach = ceil(SPREAD * deviation + 3 * SPREAD / epsilon) + copies
    size = 1 << (2 * reach + 1).bit_length()
    angles = 2 * np.pi * np.arange(size // 2 + 1) / size
    sines = np.sin(angles / 2) ** 2
    sums = np.fft.irfft((1 + 4 * q * sines / expm1(-epsilon) ** 2) ** -float(copies), size)
    half = copies // 2
    inside = float(sums[0] + 2 * sums[1 : half + 1].sum())
    return min(1.0, max(0.0, inside - (float(sums[half]) if copies % 2 == 0 else 0.0)))


def told_by_uniform(reach: int, copies: int) -> float:
    """The better guess between two counts one apart, whose answers differ with a chance of 1/w each."""
    return (2 - (1 - 1 / (2 * reach + 1)) ** copies) / 2


def _binomial(p: float, trials: int) -> Floats:
    if p in (0.0, 1.0):
        found = np.zeros(trials + 1)
        found[trials if p else 0] = 1.0
        return found
    whole = lgamma(trials + 1)
    return np.exp(
        [
            whole - lgamma(i + 1) - lgamma(trials - i + 1) + i * log(p) + (trials - i) * log1p(-p)
            for i in range(trials + 1)
        ]
    )
