"""Intervals for functions of noisy numbers that no closed form inverts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
InverseDistribution = Callable[[Reals], Reals]
"""Takes probabilities strictly between 0 and 1 to the values that noise stays below with them."""

NUMBERS = 1_000_000
"""Held at a time: 8 MB, of which a function needs a few."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """Noise of a law that has one shape at all scales, so that its points are computed once."""

    law: InverseDistribution
    """At scale 1."""
    scale: float


def laplace(scale: float) -> Scaled:
    """Continuous Laplace noise."""
    return Scaled(_laplace, scale)


def normal(sigma: float) -> Scaled:
    """Normal noise."""
    return Scaled(_normal, sigma)


def _laplace(share: Reals) -> Reals:
    return np.asarray(np.sign(share - 0.5) * -np.log1p(-np.abs(2 * share - 1)))


def _normal(share: Reals) -> Reals:
    return np.array(list(map(NormalDist().inv_cdf, share.tolist())))


def spread(
    function: Callable[[Reals], Reals],
    values: NDArray[np.generic],
    noises: Sequence[Scaled],
    confidence: float = 0.95,
    points: int = 4096,
) -> tuple[Reals, Reals]:
    """The central `confidence` of function(values − noise), by a fixed quadrature of the noise's distribution.

    `values`: (cells, numbers), noisy, with an independent noise for each number. `function` takes (cells, points,
    numbers) and returns (cells, points). The points are the same for all cells and always: a lattice of declared steps,
    brought to the noise's distribution. Nothing is drawn, and who has the noisy values gets the same interval. It is
    the interval of what the true values may be in the light of the noisy ones alone; its coverage is approximate.

    A result that is not a number may lie anywhere, so it counts at both ends. A bound is NaN where it is not finite:
    more than (1 − confidence) / 2 of the results are infinite or not numbers. Ends are rounded outwards by one point.
    """
    noise = np.stack([each.scale * _placed(each.law, points, len(noises), at) for at, each in enumerate(noises)]).T
    numbers = values.astype(np.float64)
    below = floor((1 - confidence) / 2 * points)
    above = min(ceil((1 + confidence) / 2 * points), points - 1)
    ends = np.empty((2, len(numbers)))
    step = max(1, NUMBERS // noise.size)
    for start in range(0, len(numbers), step):
        part = slice(start, start + step)
        with np.errstate(all="ignore"):
            results = function(numbers[part, None, :] - noise)
        unknown = np.isnan(results)
        if unknown.any():
            ends[0, part] = np.partition(np.where(unknown, -np.inf, results), below, axis=1)[:, below]
            ends[1, part] = np.partition(np.where(unknown, np.inf, results), above, axis=1)[:, above]
        else:
            ends[:, part] = np.partition(results, (below, above), axis=1)[:, [below, above]].T
    ends[~np.isfinite(ends)] = np.nan
    return ends[0], ends[1]


@lru_cache(maxsize=128)
def _placed(law: InverseDistribution, points: int, dimensions: int, place: int) -> Reals:
    """One coordinate of the lattice, brought to a law at scale 1."""
    result = law(lattice(points, dimensions)[:, place])
    result.flags.writeable = False
    return result


@lru_cache(maxsize=16)
def lattice(points: int, dimensions: int) -> Reals:
    """Points that fill the unit cube evenly: (points, dimensions), all strictly inside.

    Point k is (½ + k√2, ½ + k√3, ½ + k√5, ...) modulo 1, one prime a dimension (Richtmyer 1951). Of 3 dimensions and
    more, it is two to three times as even as the same with powers of the generalised golden ratio.
    """
    primes = [n for n in range(2, 20 * dimensions + 3) if all(n % divisor for divisor in range(2, n))][:dimensions]
    inside = (0.5 + np.outer(np.arange(1, points + 1), np.sqrt(primes))) % 1
    result = np.clip(inside, 0.25 / points, 1 - 0.25 / points)
    result.flags.writeable = False
    return result
