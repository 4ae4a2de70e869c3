"""The discrete Laplace mechanism (also called geometric)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, expm1
from typing import Any, ClassVar, Self

from dprelease.mechanisms import half_width, library
from dprelease.mechanisms.mechanism import Integers, Noise, clamped, pure_epsilon, pure_scale
from dprelease.mechanisms.threads import noisy
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteLaplace(Noise):
    """Noise k drawn with probability proportional to exp(-|k| / scale), added to each integer of a tally.

    Loss: pure ε = l1 / scale. Variance: 2q / (1 − q)², q = exp(−1/scale). Ghosh, Roughgarden, Sundararajan 2009;
    sampled exactly by OpenDP (Canonne, Kamath, Steinke 2020).
    """

    name: ClassVar[str] = "discrete_laplace"

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, **settings: Any) -> Self:
        return cls(sensitivity=sensitivity, share=share, scale=_scale(sensitivity.l1, share))

    @property
    def epsilon(self) -> Fraction:
        return self.sensitivity.l1 / Fraction(self.scale)

    def release(self, values: Integers) -> Integers:
        return noisy(library.laplace(self.scale), clamped(values))

    def half_width(self, confidence: float = 0.95) -> int:
        return half_width.laplace(self.scale, confidence)

    @property
    def variance(self) -> float:
        """2q / (1 − q)²."""
        return 2 * exp(-1 / self.scale) / expm1(-1 / self.scale) ** 2


@lru_cache(maxsize=4096)
def _scale(l1: int, share: PrivacyLoss) -> float:
    return pure_scale(l1, 1, pure_epsilon(share), lambda scale: l1 / Fraction(scale))
