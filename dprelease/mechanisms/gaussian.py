"""The discrete Gaussian mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter, sqrt
from typing import Any, ClassVar, Self

import numpy as np

from dprelease.mechanisms import half_width, library
from dprelease.mechanisms.mechanism import Integers, Noise, clamped, refused_in_pure, zcdp_scale
from dprelease.mechanisms.threads import noisy
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.stated import Norms
from dprelease.model.tally import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian(Noise):
    """Noise k drawn with probability proportional to exp(−k² / 2σ²), added to each integer of a tally; `scale` is σ.

    Loss: ρ = l2_squared / (2σ²), no pure ε. Variance: σ², less by under 10^-30 of it from σ = 2 on. Canonne, Kamath,
    Steinke 2020, theorem 4; sampled exactly by OpenDP.
    """

    name: ClassVar[str] = "discrete_gaussian"

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, **settings: Any) -> Self:
        if share.rho_nano == 0:
            raise refused_in_pure(cls.name)
        return cls(sensitivity=sensitivity, share=share, scale=_scale(sensitivity.l2_squared, share.rho_nano))

    @property
    def epsilon(self) -> None:
        return None

    @property
    def rho(self) -> Fraction:
        return _rho(self.scale, self.sensitivity.l2_squared)

    def release(self, values: Integers) -> Integers:
        return noisy(library.gaussian(self.scale), clamped(values))

    def half_width(self, confidence: float = 0.95) -> int:
        """Return the smallest h with P(|k| <= h) >= confidence; for σ > 10,000 perhaps one more, never fewer."""
        return half_width.gaussian(self.scale, confidence)

    @property
    def variance(self) -> float:
        if self.scale > 10:
            return self.scale**2
        mass = half_width.mass(self.scale)
        return float(2 * (mass * np.arange(len(mass)) ** 2).sum())

    @property
    def norms(self) -> Norms:
        return Norms(l2=root_above(self.sensitivity.l2_squared))


def root_above(square: int) -> float:
    """Return the smallest float whose square is at least a whole number."""
    root = sqrt(square)
    for _ in range(2):
        root = nextafter(root, 0)
    while Fraction(root) ** 2 < square:
        root = nextafter(root, inf)
    return root


def _rho(scale: float, l2_squared: int) -> Fraction:
    return l2_squared / (2 * Fraction(scale) ** 2)


@lru_cache(maxsize=4096)
def _scale(l2_squared: int, rho_nano: int) -> float:
    return zcdp_scale(l2_squared, 1, rho_nano, lambda scale: _rho(scale, l2_squared))
