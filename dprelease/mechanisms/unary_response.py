"""Unary encoding: every row answers yes or no to each code, and not always truthfully."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp
from typing import Any, ClassVar, Self

import numpy as np

from dprelease.errors import PlanError
from dprelease.mechanisms.mechanism import Integers, check_whole, pure_epsilon
from dprelease.mechanisms.randomized_response import heads
from dprelease.mechanisms.response import Response, check_substituted, first_within, loss_of, scale_of
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from dprelease.words import phrase

EVEN = 0.5
LEAST = 2.0**-53
"""Smallest chance of a lie, whatever the share: no loss is above 36.8."""
BELOW = 1e-15
"""From so far below its closed form a probability is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnaryResponse(Response):
    """Replacement of each row's answer, one of k codes, by k bits; tells the number of rows with each bit, and of rows.

    The bit of the true answer is 1 with probability 1/2, that of each other with q < 1/2 (optimised unary encoding).

    Loss: pure ε = ln((1 − q)/q): where the answer changes, two bits have other chances, and the ratio is that of (1, 0)
    in them. The least q within a share of ε is 1/(e^ε + 1). Wang, Blocki, Li, Jha 2017. The coins are OpenDP's, exact
    for every float q.
    """

    name: ClassVar[str] = "unary_response"
    lie: float
    """q: the probability that the bit of a code that is not the true one is 1."""

    def __post_init__(self) -> None:
        super(UnaryResponse, self).__post_init__()
        if not 0 < self.lie < EVEN:
            raise PlanError("lie", found=self.lie, allowed=phrase("mechanisms.below_a_half"))

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, *, answers: int, **settings: Any) -> Self:
        check_whole("answers", answers, least=2)
        check_substituted(sensitivity)
        lie = _lie(pure_epsilon(share))
        return cls(sensitivity=sensitivity, share=share, scale=scale_of(share), answers=answers, lie=lie)

    @property
    def epsilon(self) -> Fraction:
        return loss_of(_ratio(self.lie))

    @property
    def true_chance(self) -> float:
        return EVEN

    @property
    def other_chance(self) -> float:
        return self.lie

    def rows(self, told: Integers) -> int:
        return int(np.ravel(told)[-1])

    def release(self, values: Integers) -> Integers:
        counts = self.checked(values)
        rows = int(counts.sum())
        ones = [heads(true, EVEN) + heads(rows - true, self.lie) for true in counts.tolist()]
        return np.array([*ones, rows], dtype=np.int64)

    def noiseless(self, values: Integers) -> Integers:
        """Return the expected number of bits, to the nearest whole one."""
        counts = self.checked(values)
        rows = int(counts.sum())
        ones = [round(true * EVEN + (rows - true) * self.lie) for true in counts.tolist()]
        return np.array([*ones, rows], dtype=np.int64)

    @property
    def derived(self) -> dict[str, Any]:
        return {"lie": self.lie}


def _ratio(lie: float) -> Fraction:
    exactly = Fraction(lie)
    return (1 - exactly) / exactly


@lru_cache(maxsize=4096)
def _lie(epsilon: Fraction) -> float:
    """Return the least float q whose loss is at most ε; none below LEAST."""
    near = max(1 / (exp(min(float(epsilon), 700.0)) + 1), LEAST)
    return first_within(near * (1 - BELOW), epsilon, _ratio, upwards=True)
