"""How much worse a model gets by noise in the counts that it is made of, from public facts alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist


def excess(bins: Sequence[int], variances: Sequence[float], classes: int, rows: int, confidence: float) -> float:
    """How far the expected log-loss is above that without noise, for rows spread evenly; not above this, mostly.

    Σ over columns of (C(C − 1)/2)·k²·sd²/n², with k bins, C classes and n rows: by the second derivative of the
    log-loss, ½·Σ P(bin)·(1 − 1/C)·Var(ln T), where Var(ln T) = sd²/(n/kC)². That is its mean; it is about mean·χ²/ν,
    of ν independent log-odds, which gives what it stays below (Wilson and Hilferty 1931).
    """
    mean = sum(k * k * variance for k, variance in zip(bins, variances, strict=True))
    mean *= classes * (classes - 1) / 2 / rows**2
    free = max(1, (classes - 1) * (sum(bins) - len(bins) + 1))
    spread = 2 / (9 * free)
    return float(mean * max(0.0, 1 - spread + NormalDist().inv_cdf(confidence) * sqrt(spread)) ** 3)
