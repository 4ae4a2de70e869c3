"""The discrete Gaussian mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, nextafter, sqrt
from statistics import NormalDist
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import library
from dprelease.mechanisms.mechanism import Integers, Noise, clamped, refused_in_pure, zcdp_scale
from dprelease.mechanisms.threads import noisy
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity

SUMMED = 10_000.0
"""Up to this σ probabilities are summed one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian(Noise):
    """Adds k drawn with probability proportional to exp(−k² / 2σ²) to each integer of a tally; `scale` is σ.

    Loss: ρ = l2_squared / (2σ²), no pure ε; its exact δ at a given ε is in the accounting room. Variance: σ², less
    by under 10^-30 of it from σ = 2 on. Canonne, Kamath, Steinke 2020, theorem 4; sampled exactly by OpenDP.
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
        return Fraction(_rho(self.scale, self.sensitivity.l2_squared))

    def release(self, values: Integers) -> Integers:
        return noisy(library.gaussian(self.scale), clamped(values))

    def half_width(self, confidence: float = 0.95) -> int:
        """The smallest h with P(|k| <= h) >= confidence; for σ > 10,000 perhaps one more, never fewer."""
        return _half_width(self.scale, confidence)

    @property
    def variance(self) -> float:
        if self.scale > 10:
            return self.scale**2
        mass = _mass(self.scale)
        return float(2 * (mass * np.arange(len(mass)) ** 2).sum())

    @property
    def norms(self) -> dict[str, Any]:
        return {"l2": root_above(self.sensitivity.l2_squared)}


def root_above(square: int) -> float:
    """The smallest float whose square is at least a whole number."""
    root = sqrt(square)
    for _ in range(2):
        root = nextafter(root, 0)
    while Fraction(root) ** 2 < square:
        root = nextafter(root, inf)
    return root


def _rho(scale: float, l2_squared: int) -> float:
    return float(library.gaussian(scale).map(root_above(l2_squared)))


@lru_cache(maxsize=4096)
def _scale(l2_squared: int, rho_nano: int) -> float:
    return zcdp_scale(l2_squared, 1, rho_nano, lambda scale: _rho(scale, l2_squared))


def _mass(scale: float) -> NDArray[np.float64]:
    """P(k) for k = 0, 1, 2 and on, until P(k) < 10^-30 · P(0)."""
    weights = np.exp(-((np.arange(ceil(12 * scale) + 1) / scale) ** 2) / 2)
    return np.asarray(weights / (1 + 2 * weights[:0:-1].sum()), dtype=np.float64)


@lru_cache(maxsize=4096)
def _half_width(scale: float, confidence: float) -> int:
    """By summing; beyond that by Φ, which bounds it from above.

    Φ: a sum of exp(−k²/2σ²) over k > h is at most its integral from h + ½ where it is convex (h + ½ >= σ), and from h
    elsewhere, and the sum over all k is at least the integral (Poisson summation). The last ulps are rounded up.
    """
    if scale <= SUMMED:
        mass = _mass(scale)
        beyond = 2 * np.append(np.cumsum(mass[:0:-1])[::-1], 0)  # P(|k| > h)
        return int(np.argmax(beyond <= 1 - confidence))
    reach = -scale * NormalDist().inv_cdf((1 - confidence) / 2) * (1 + 2**-48)
    half = ceil(Fraction(reach) - Fraction(1, 2))
    return half if half + Fraction(1, 2) >= scale else ceil(reach)
