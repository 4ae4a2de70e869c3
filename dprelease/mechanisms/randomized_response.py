"""Randomized response: every row answers for itself, and sometimes untruthfully."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, inf, log2, nextafter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError, PlanError
from dprelease.mechanisms import library
from dprelease.mechanisms.mechanism import Integers, check_whole, pure_epsilon
from dprelease.mechanisms.response import Response, check_substituted, loss_of, scale_of
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from dprelease.words import phrase

CHUNK = 2**22
"""Coins flipped in one call: half a megabyte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(Response):
    """Replacement of each row's answer, one of k codes, with probability 1 − p by another; publishes the new counts.

    Loss: pure ε = ln(p (k − 1) / (1 − p)). A coin decides whether to tell the truth, else a uniform draw which of the
    k − 1 other answers is given. So an answer is given with probability p where it is true, and (1 − p) / (k − 1) where
    it is not: this is k-ary randomized response, and as one row differs, the ratio of the two is the loss. The largest
    p within a share of ε is e^ε / (e^ε + k − 1). Warner 1965; Kairouz, Oh, Viswanath 2016. The coin is OpenDP's
    randomized response on bits, exact for every float p.
    """

    name: ClassVar[str] = "randomized_response"
    truth: float
    """p: the probability of the true answer."""

    def __post_init__(self) -> None:
        super(RandomizedResponse, self).__post_init__()
        if not 1 / self.answers < self.truth < 1:
            raise PlanError(
                "truth", found=self.truth, allowed=phrase("mechanisms.more_than_1_less", answers=self.answers)
            )

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, *, answers: int, **settings: Any) -> Self:
        check_whole("answers", answers, least=2)
        check_substituted(sensitivity)
        truth = truth_within(answers, pure_epsilon(share))
        return cls(sensitivity=sensitivity, share=share, scale=scale_of(share), answers=answers, truth=truth)

    @property
    def epsilon(self) -> Fraction:
        return _loss(self.answers, self.truth)

    @property
    def lie(self) -> float:
        """The probability of each answer that is not the true one."""
        return (1 - self.truth) / (self.answers - 1)

    @property
    def true_chance(self) -> float:
        return self.truth

    @property
    def other_chance(self) -> float:
        return self.lie

    def rows(self, told: Integers) -> int:
        return int(np.sum(told))

    def release(self, values: Integers) -> Integers:
        told = self.noiseless(values)
        for answer, rows in enumerate(told.tolist()):
            lies = untruths(rows, self.truth)
            others = uniform_counts(lies, self.answers - 1)
            told[answer] -= lies
            told[:answer] += others[:answer]
            told[answer + 1 :] += others[answer:]
        return told

    def noiseless(self, values: Integers) -> Integers:
        return self.checked(values)

    @property
    def derived(self) -> dict[str, Any]:
        return {"truth": self.truth}


def untruths(rows: int, truth: float) -> int:
    """Draw the number of rows, out of so many, that do not tell the truth.

    The coins' probability is at most 1/2: 1 − p, which is exact in floats where p >= 1/2 (Sterbenz), else p.
    """
    if truth < 0.5:
        return rows - heads(rows, truth)
    return heads(rows, 1 - truth)


def heads(coins: int, chance: float) -> int:
    """Draw the number of independent coins, out of so many, that come up."""
    found, flip = 0, library.coins(chance)
    for start in range(0, coins, CHUNK):
        size = min(CHUNK, coins - start)
        bits = np.frombuffer(flip(bytes(-(-size // 8))), dtype=np.uint8)
        found += int(np.unpackbits(bits, count=size).sum())
    return found


def uniform_counts(draws: int, choices: int) -> NDArray[np.int64]:
    """Draw the number of times that each of so many equal choices is drawn.

    Of a uniform whole number below choices^d, the d digits in base `choices` are independent and uniform: one call of
    the operating system serves d draws.
    """
    if choices == 1:
        return np.array([draws], dtype=np.int64)
    digits, counts = int(62 / log2(choices)), np.zeros(choices, dtype=np.int64)
    for start in range(0, draws, digits * 2**14):
        size = min(digits * 2**14, draws - start)
        whole = np.array([secrets.randbelow(choices**digits) for _ in range(-(-size // digits))], dtype=np.int64)
        drawn = (whole[:, np.newaxis] // choices ** np.arange(digits)) % choices
        counts += np.bincount(drawn.ravel()[:size], minlength=choices)
    return counts


def _loss(answers: int, truth: float) -> Fraction:
    return loss_of(Fraction(truth) * (answers - 1) / (1 - Fraction(truth)))


@lru_cache(maxsize=4096)
def truth_within(answers: int, epsilon: Fraction) -> float:
    """Return the largest float p whose stated loss is at most ε."""
    truth = min(1 / (1 + (answers - 1) * exp(-epsilon)), nextafter(1, 0))
    for _ in range(4):
        truth = min(nextafter(truth, inf), nextafter(1, 0))
    for _ in range(40):
        if _loss(answers, truth) <= epsilon:
            return truth
        truth = nextafter(truth, 0)
    raise InternalError(f"no probability near {truth} meets ε = {float(epsilon)}")
