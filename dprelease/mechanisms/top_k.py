"""Noisy top-k: private selection of the best few candidates, in order."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from dprelease.mechanisms import library
from dprelease.mechanisms.mechanism import (
    Integers,
    Mechanism,
    check_whole,
    clamped,
    pure_epsilon,
    pure_scale,
    score_range,
    zcdp_scale,
)
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.stated import Norms
from dprelease.model.tally import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyTopK(Mechanism):
    """Selection in each row of a matrix of scores: k candidates, best first: each time one of those that are left.

    In a share of ε each is selected by permute-and-flip, in a share of ρ by the exponential mechanism (the k largest of
    score + Gumbel(scale) are the same). Loss: pure ε = k · 2·linf / scale, half of it if monotone, where linf sums over
    the rows; in a share of ρ, ρ = k · (2·linf / scale)² / 8, a quarter if monotone. Durfee and Rogers 2019; McKenna and
    Sheldon 2020; sampled by OpenDP's noisy top-k.
    """

    name: ClassVar[str] = "noisy_top_k"
    k: int
    """Number of candidates selected; all where there are no more."""

    def __post_init__(self) -> None:
        Mechanism.__post_init__(self)
        check_whole("k", self.k, least=1)

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, *, k: int, **settings: Any) -> Self:
        check_whole("k", k, least=1)
        scale = _scale(sensitivity.linf, sensitivity.monotone, k, share)
        return cls(sensitivity=sensitivity, share=share, scale=scale, k=k)

    @property
    def epsilon(self) -> Fraction:
        return self.k * score_range(self.sensitivity.linf, self.sensitivity.monotone) / Fraction(self.scale)

    @property
    def rho(self) -> Fraction:
        if self._gumbel:
            return self.k * (self.epsilon / self.k) ** 2 / 8
        return self.epsilon**2 / 2

    def release(self, values: Integers) -> Integers:
        measurement, scores = self._measurement, clamped(values)
        chosen = [measurement(row) for row in scores]
        return np.array(chosen, dtype=np.int64).reshape(len(scores), min(self.k, scores.shape[-1]))

    def noiseless(self, values: Integers) -> Integers:
        return np.asarray(np.argsort(-clamped(values), axis=-1, kind="stable")[..., : self.k], dtype=np.int64)

    @property
    def norms(self) -> Norms:
        return Norms(linf=self.sensitivity.linf, monotone=self.sensitivity.monotone)

    @property
    def settings(self) -> dict[str, Any]:
        return {"k": self.k}

    @property
    def derived(self) -> dict[str, Any]:
        return {"noise": "gumbel" if self._gumbel else "exponential"}

    @property
    def _gumbel(self) -> bool:
        return self.share.currency is Currency.ZCDP

    @property
    def _measurement(self) -> Any:
        return library.top_k(self.scale, self.k, self.sensitivity.monotone, self._gumbel)


@lru_cache(maxsize=4096)
def _scale(linf: int, monotone: bool, k: int, share: PrivacyLoss) -> float:
    spread = score_range(linf, monotone)
    if share.currency is Currency.ZCDP:
        factor = k * (Fraction(1, 4) if monotone else Fraction(1))
        return zcdp_scale(linf**2, factor, share.rho_nano, lambda scale: k * (spread / Fraction(scale)) ** 2 / 8)
    whole = k * (1 if monotone else 2)
    return pure_scale(linf, whole, pure_epsilon(share), lambda scale: k * spread / Fraction(scale))
