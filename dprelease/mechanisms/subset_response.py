"""Subset selection: every row names several answers, the true one mostly among them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, floor, nextafter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import PlanError
from dprelease.mechanisms.mechanism import Integers, check_whole, pure_epsilon
from dprelease.mechanisms.randomized_response import uniform_counts, untruths
from dprelease.mechanisms.response import Response, check_substituted, first_within, loss_of, scale_of
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.tally import Sensitivity
from dprelease.words import phrase

ABOVE = 1e-15
"""From so far above its closed form a probability is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubsetResponse(Response):
    """Replacement of each row's answer, one of k codes, by a set of w codes; tells how many sets hold each code.

    With probability p the set holds the true answer and w − 1 others, else w others; which, is a uniform draw. A set
    with the true answer has probability p / C(k−1, w−1), another one (1 − p) / C(k−1, w).

    Loss: pure ε = ln(p (k − w) / ((1 − p) w)), the ratio of the two. The largest p within a share of ε is
    w e^ε / (w e^ε + k − w). w is the size, near k / (1 + e^ε), whose estimates vary least where all answers are equally
    common; w = 1 is randomized response. Ye, Barg 2018; Wang, Huang, Wang, Nie, Xu, Yang, Li, Qiao 2016. The coin is
    OpenDP's, exact for every float p.
    """

    name: ClassVar[str] = "subset_response"
    size: int
    """w: how many codes a set holds."""
    truth: float
    """p: the probability that the true one is among them."""

    def __post_init__(self) -> None:
        super(SubsetResponse, self).__post_init__()
        check_whole("size", self.size, least=1)
        if not (self.size < self.answers and self.size / self.answers < self.truth < 1):
            raise PlanError("truth", found=self.truth, allowed=phrase("mechanisms.more_than_share_of_set"))

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, *, answers: int, **settings: Any) -> Self:
        check_whole("answers", answers, least=2)
        check_substituted(sensitivity)
        size, truth = _planned(answers, pure_epsilon(share))
        return cls(sensitivity=sensitivity, share=share, scale=scale_of(share), answers=answers, size=size, truth=truth)

    @property
    def epsilon(self) -> Fraction:
        return loss_of(_ratio(self.answers, self.size, self.truth))

    @property
    def true_chance(self) -> float:
        return self.truth

    @property
    def other_chance(self) -> float:
        return _other(self.answers, self.size, self.truth)

    def rows(self, told: Integers) -> int:
        return int(np.sum(told)) // self.size

    def could_tell(self, told: Integers) -> bool:
        return super(SubsetResponse, self).could_tell(told) and int(np.sum(told)) % self.size == 0

    def release(self, values: Integers) -> Integers:
        counts, told = self.checked(values), np.zeros(self.answers, dtype=np.int64)
        for answer, rows in enumerate(counts.tolist()):
            lies = untruths(rows, self.truth)
            told[answer] += rows - lies
            others = uniform_subsets(rows - lies, self.size - 1, self.answers - 1)
            others += uniform_subsets(lies, self.size, self.answers - 1)
            told[:answer] += others[:answer]
            told[answer + 1 :] += others[answer:]
        return told

    def noiseless(self, values: Integers) -> Integers:
        """Sets that hold the true answer, and of the others the expected number, to the nearest whole one.

        Without noise there is nothing to draw, so they are spread evenly, and add up to w for each row.
        """
        counts = self.checked(values)
        rows, others = int(counts.sum()), self.answers - 1
        told, left = np.divmod(counts * others + (rows - counts) * (self.size - 1), others)
        told[np.argsort(-left, kind="stable")[: rows * self.size - int(told.sum())]] += 1
        return np.asarray(told)

    @property
    def derived(self) -> dict[str, Any]:
        return {"size": self.size, "truth": self.truth}


def uniform_subsets(rows: int, size: int, choices: int) -> NDArray[np.int64]:
    """Draw the number of independent uniform subsets of a size, out of so many, that hold each choice.

    The choices come one after the other: where r of a subset's places are left and c choices are to come, the next is
    taken with probability r / c. Rows with the same r are drawn together.
    """
    told, left = np.zeros(choices, dtype=np.int64), {size: rows}
    for place in range(choices):
        remaining, after = choices - place, dict[int, int]()
        for open_, many in left.items():
            taken = int(uniform_counts(many, remaining)[:open_].sum()) if 0 < open_ < remaining else many * (open_ > 0)
            told[place] += taken
            for state, moved in ((open_ - 1, taken), (open_, many - taken)):
                if moved:
                    after[state] = after.get(state, 0) + moved
        left = after
    return told


def _ratio(answers: int, size: int, truth: float) -> Fraction:
    exactly = Fraction(truth)
    return exactly * (answers - size) / ((1 - exactly) * size)


def _other(answers: int, size: int, truth: float) -> float:
    """Return the probability that a set holds a given code that is not the true one."""
    return (truth * (size - 1) + (1 - truth) * size) / (answers - 1)


@lru_cache(maxsize=4096)
def _planned(answers: int, epsilon: Fraction) -> tuple[int, float]:
    """Return the size whose estimates vary least, and the largest float p whose loss is at most ε."""
    odds = exp(min(float(epsilon), 700.0))
    near = answers / (1 + odds)
    sizes = {min(max(1, size), answers - 1) for size in (floor(near), ceil(near))}

    def chance(size: int) -> float:
        return size * odds / (size * odds + answers - size)

    def variance(size: int) -> float:
        p, q, share = chance(size), _other(answers, size, chance(size)), 1 / answers
        return (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2

    size = min(sorted(sizes), key=variance)
    start = min(chance(size) * (1 + ABOVE), nextafter(1, 0))
    return size, first_within(start, epsilon, lambda truth: _ratio(answers, size, truth), upwards=False)
