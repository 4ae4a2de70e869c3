"""The discrete Laplace mechanism (also called geometric)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, expm1, log, log1p, sqrt
from typing import ClassVar, Self

import numpy as np

from dprelease.mechanisms import library
from dprelease.mechanisms.mechanism import Integers, Mechanism, clamped, smallest_scale
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplace(Mechanism):
    """Adds k drawn with probability proportional to exp(-|k| / scale) to each integer of a tally.

    Loss: pure ε = l1 / scale. Variance: 2q / (1 − q)², q = exp(−1/scale). Ghosh, Roughgarden, Sundararajan 2009;
    sampled exactly by OpenDP (Canonne, Kamath, Steinke 2020).
    """

    name: ClassVar[str] = "discrete_laplace"

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss) -> Self:
        return cls(sensitivity=sensitivity, share=share, scale=_scale(sensitivity.l1, share))

    def release(self, values: Integers) -> Integers:
        exact = clamped(values)
        noisy = library.laplace(self.scale)(exact.ravel())
        return np.array(noisy, dtype=np.int64).reshape(exact.shape)

    def noiseless(self, values: Integers) -> Integers:
        return clamped(values)

    def half_width(self, confidence: float = 0.95) -> int:
        """The smallest h with P(|k| <= h) >= confidence: 1 − 2q^(h+1) / (1 + q) >= confidence."""
        tail = log((1 - confidence) / 2) + log1p(exp(-1 / self.scale))
        return max(0, ceil(-self.scale * tail) - 1)

    @property
    def standard_deviation(self) -> float:
        """√(2q) / (1 − q), in lattice steps."""
        return sqrt(2 * exp(-1 / self.scale)) / -expm1(-1 / self.scale)


@lru_cache(maxsize=4096)
def _scale(l1: int, share: PrivacyLoss) -> float:
    return smallest_scale(l1, 1, share, lambda scale: float(library.laplace(scale).map(l1)))
