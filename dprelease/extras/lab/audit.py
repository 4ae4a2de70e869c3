"""Draws of the mechanism that a release uses, on two public numbers, and what they prove of its ε.

Nothing confidential goes in, so nothing is charged. How often an event came bounds its probability on either side by
Chernoff's inequality, D(k/n ‖ p) <= ln(4/α) / n: four such bounds hold together but for a chance of α.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import numpy as np

from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, Noise
from dprelease.model.privacy import NANO, PrivacyLoss
from dprelease.model.tally import Sensitivity

DRAWS = 10_000
FAILS = 0.05
STEPS = 60
ONE = Sensitivity(l1=1, linf=1, l2_squared=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Counts of an event in so many draws on each number, and the least ε that this proves."""

    draws: int
    first: int
    second: int
    epsilon: float
    """With the stated chance of being too high; 0 where nothing is proved."""


def laplace(epsilon: float) -> Noise:
    """Return the noise of a release that counts in ε, on a count that changes by 1."""
    return DiscreteLaplace.calibrate(ONE, PrivacyLoss(epsilon_nano=round(epsilon * NANO)))


def gaussian(epsilon: float) -> Noise:
    """Return the noise of a release that counts in ρ = ε²/2."""
    return DiscreteGaussian.calibrate(ONE, PrivacyLoss(rho_nano=round(epsilon**2 / 2 * NANO)))


def audit(
    noise: Noise, here: int, there: int, least: int, *, draws: int = DRAWS, fails: float = FAILS, delta: float = 0.0
) -> Audit:
    """Draw on either number, and count how often what comes is at least `least`.

    The ε that is proved: ln((p − δ) / q), with p no less and q no more likely than the counts allow, either way round.
    """
    first, second = (
        int((noise.release(np.full(draws, value, dtype=np.int64)) >= least).sum()) for value in (here, there)
    )
    proved = max(
        _proved(first, second, draws, fails, delta),
        _proved(draws - second, draws - first, draws, fails, delta),
    )
    return Audit(draws=draws, first=first, second=second, epsilon=proved)


def _proved(many: int, few: int, draws: int, fails: float, delta: float) -> float:
    """Return the ε proved by the counts of an event, or of its complement."""
    width = log(4 / fails) / draws
    p, q = _end(many / draws, width, upwards=False) - delta, _end(few / draws, width, upwards=True)
    return max(0.0, log(p / q)) if p > 0 else 0.0


def _end(part: float, width: float, *, upwards: bool) -> float:
    """Return the last p on that side with D(part ‖ p) within the width, by bisection."""
    inner, outer = part, 1.0 if upwards else 0.0
    for _ in range(STEPS):
        middle = (inner + outer) / 2
        inner, outer = (middle, outer) if _divergence(part, middle) <= width else (inner, middle)
    return outer


def _divergence(part: float, p: float) -> float:
    """Return Kullback and Leibler's divergence of two coins, in nats."""
    total = 0.0
    for own, other in ((part, p), (1 - part, 1 - p)):
        if own > 0:
            total += own * log(own / other) if other > 0 else inf
    return total
