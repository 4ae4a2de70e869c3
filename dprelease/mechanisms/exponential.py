"""The exponential mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

from dprelease.mechanisms import library
from dprelease.mechanisms.mechanism import SelectionMechanism, pure_epsilon, pure_scale, score_range, zcdp_scale
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.tally import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialMechanism(SelectionMechanism):
    """Selection in each row of a matrix of scores: candidate r with probability proportional to exp(score_r / scale).

    The same as the largest of score + Gumbel(scale). Loss: pure ε = 2·linf / scale, half of it if monotone, where linf
    sums over the rows; ρ = ε²/8, because its range is bounded by ε. McSherry and Talwar 2007; Cesar and Rogers 2021,
    lemma 3.4; sampled by OpenDP's noisy max.
    """

    name: ClassVar[str] = "exponential"

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, **settings: Any) -> Self:
        return cls(sensitivity=sensitivity, share=share, scale=_scale(sensitivity.linf, sensitivity.monotone, share))

    @property
    def epsilon(self) -> Fraction:
        return score_range(self.sensitivity.linf, self.sensitivity.monotone) / Fraction(self.scale)

    @property
    def rho(self) -> Fraction:
        return self.epsilon**2 / 8

    @property
    def _measurement(self) -> Any:
        return library.exponential(self.scale, self.sensitivity.monotone)


@lru_cache(maxsize=4096)
def _scale(linf: int, monotone: bool, share: PrivacyLoss) -> float:
    spread = score_range(linf, monotone)
    if share.currency is Currency.PURE:
        return pure_scale(linf, 1 if monotone else 2, pure_epsilon(share), lambda scale: spread / Fraction(scale))
    factor = Fraction(1, 4) if monotone else 1
    return zcdp_scale(linf**2, factor, share.rho_nano, lambda scale: (spread / Fraction(scale)) ** 2 / 8)
