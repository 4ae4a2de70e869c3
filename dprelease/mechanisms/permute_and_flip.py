"""Permute-and-flip: private selection of a best candidate."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

from dprelease.mechanisms import library
from dprelease.mechanisms.mechanism import SelectionMechanism, pure_epsilon, pure_scale, score_range
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class PermuteAndFlip(SelectionMechanism):
    """Selection in each row of a matrix of scores: a candidate of nearly the highest score.

    Candidate r wins with probability w_r ∫₀¹ Π_{s≠r} (1 − x·w_s) dx, w = exp((score − best) / scale): the same as the
    largest of score + Exponential(scale). Loss: pure ε = 2·linf / scale, half of it if monotone, where linf sums over
    the rows. McKenna and Sheldon 2020; Ding et al. 2021; sampled by OpenDP's noisy max.
    """

    name: ClassVar[str] = "permute_and_flip"

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, **settings: Any) -> Self:
        return cls(sensitivity=sensitivity, share=share, scale=_scale(sensitivity.linf, sensitivity.monotone, share))

    @property
    def epsilon(self) -> Fraction:
        return score_range(self.sensitivity.linf, self.sensitivity.monotone) / Fraction(self.scale)

    @property
    def _measurement(self) -> Any:
        return library.permute_and_flip(self.scale, self.sensitivity.monotone)


def uniform_between(first: int, last: int) -> int:
    """Draw a whole number, first to last, each equally likely: where inside a chosen cell a published point lies."""
    return first + secrets.randbelow(last - first + 1)


@lru_cache(maxsize=4096)
def _scale(linf: int, monotone: bool, share: PrivacyLoss) -> float:
    spread = score_range(linf, monotone)
    return pure_scale(linf, 1 if monotone else 2, pure_epsilon(share), lambda scale: spread / Fraction(scale))
