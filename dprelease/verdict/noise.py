"""Tails of sums of the noise of counts, worked out a second time: by an integral of its own.

It shares no code with `dprelease.statistics`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import erfc, log, pi, prod, sqrt
from typing import Any

import numpy as np

from dprelease.verdict.figures import ALL, CsvTable

ALPHA = 0.05
"""In how many cases noise may go beyond an end."""
SMALL = 1e9
"""One part in so many of a chance is left out by the end of the integral, and less by its step."""
FAR = 60
"""Noise goes beyond so many times the sum of its scales in fewer than 1 of 10^24 cases: further need not be looked."""
GAUSSIAN = "discrete_gaussian"


@dataclass(frozen=True)
class RecomputedNoise:
    """Noise of one count: a sum of so many of one scale."""

    scale: float
    is_normal: bool
    summed: int = 1

    @classmethod
    def of(cls, certificate: Mapping[str, Any], statistic: str, counts: CsvTable) -> RecomputedNoise:
        """Return the noise of each count of a table, without totals, by what the certificate states."""
        stated = next(each for each in certificate["statistics"] if each["id"] == statistic)
        asked = next(each for each in certificate["plan"]["statistics"] if each["id"] == statistic)
        (source,) = (each for each in certificate["measurements"] if each["id"] == stated["measurements"][0])
        (mechanism,) = source["mechanisms"]
        cells = sum(not (asked.get("margins") and ALL in row[: counts.keys]) for row in counts.rows)
        return cls(float(mechanism["scale"]), mechanism["name"] == GAUSSIAN, prod(mechanism["shape"]) // cells)

    def chance(self, t: Fraction | float, terms: Iterable[tuple[Fraction | float, int]]) -> float:
        """Return P(|Σ factor · noise of a count| > t). `terms`: of each factor how many counts."""
        scales = Counter[float]()
        for factor, counts in terms:
            if factor and counts:
                scales[float(factor) * self.scale] += counts * self.summed
        far = FAR * sum(scale * count for scale, count in scales.items())
        return (normal if self.is_normal else beyond)(max(0.0, min(float(t), far)), tuple(sorted(scales.items())))


def normal(t: float, noises: tuple[tuple[float, int], ...]) -> float:
    """Return P(|Σ noise| > t) of normal noises, by scale how many."""
    return erfc(t / sqrt(2 * sum(count * scale**2 for scale, count in noises)))


@lru_cache(maxsize=4096)
def beyond(t: float, noises: tuple[tuple[float, int], ...]) -> float:
    """Return P(|Σ noise| > t) of Laplace noises, by their characteristic function φ(u) = Π (1 + scale²u²)^(−count):

        P(|X| <= t) = (2/π) ∫₀^∞ sin(ut) φ(u) / u du  (Gil-Pelaez 1951),

    by the trapezoidal rule on the real axis. Its step h errs by P(|X| > 2π/h − t), which Chernoff's inequality bounds.
    """
    largest = max(scale for scale, _ in noises)
    scales = np.array([scale / largest for scale, _ in noises])
    counts = np.array([count for _, count in noises], dtype=np.float64)
    t /= largest
    thetas = np.linspace(0.02, 0.98, 49)
    bounds = -(counts * np.log1p(-(np.multiply.outer(thetas, scales) ** 2))).sum(axis=1)
    step = 2 * pi / (t + float(((bounds + log(100 * SMALL)) / thetas).min()))
    end = 1.0
    while float((counts * np.log1p((scales * end) ** 2)).sum()) < log(SMALL):
        end *= 1.2
    u = step * np.arange(1, int(end / step) + 2)
    logs = np.zeros_like(u)
    for scale, count in zip(scales, counts, strict=True):
        logs -= count * np.log1p((scale * u) ** 2)
    terms = np.sin(u * t) * np.exp(logs) / u
    return 1 - float(step / pi * (t + 2 * terms.sum()))
