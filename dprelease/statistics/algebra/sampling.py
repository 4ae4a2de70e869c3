"""Noise and sampling together: how far a weighted share of a sample may be from that of the population."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]


def effective_rows(whole: Reals, squares: Reals, *, lightest: int, effect: float) -> NDArray[np.int64]:
    """T² / (effect · Q), rounded down: how many rows of a simple sample tell as much (Kish 1965).

    `whole`: T = Σw, a lower limit; `squares`: Q = Σw², an upper one; both in steps of the weights. Weights are whole
    there and at least `lightest`, so that Q is at least max(1, lightest)·T. 0 where T is not above 0.
    """
    some = whole > 0
    least = np.where(some, whole, 1.0)
    most = np.maximum(squares, max(1, lightest) * least)
    return np.asarray(np.where(some, np.floor(least**2 / most / effect), 0), dtype=np.int64)


def total_interval(
    value: Reals, lower: Reals, upper: Reals, rows: NDArray[np.int64], confidence: float = 0.95
) -> tuple[Reals, Reals]:
    """The interval of a share from 0 to 1, widened by the sampling of so many effective rows.

    On each side √(d² + z²·r(1 − r)/n), d how far the noise reaches, r the share in its interval with the largest
    r(1 − r): that is the variance of a mean of numbers from 0 to 1 at most. [0, 1] where there are no such rows.
    """
    reach = NormalDist().inv_cdf((1 + confidence) / 2)
    nearest = np.clip(0.5, lower, upper)
    spread = reach**2 * nearest * (1 - nearest) / np.maximum(rows, 1)
    known = (rows > 0) | (confidence == 0)
    below, above = (np.sqrt((value - end) ** 2 + spread) for end in (lower, upper))
    return np.where(known, np.maximum(value - below, 0), 0.0), np.where(known, np.minimum(value + above, 1), 1.0)
