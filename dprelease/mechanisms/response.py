"""Answers that are changed at random row by row, so that whoever collects them never needs to know the true one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Self

import numpy as np

from dprelease.errors import InternalError, PlanError
from dprelease.mechanisms.mechanism import UPWARDS, Integers, Mechanism, check_whole, pure_epsilon
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.stated import StatedMechanism
from dprelease.model.tally import Sensitivity
from dprelease.words import phrase, verbatim

MAX_STEPS = 2**61
"""Floats from a closed form to what meets ε."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response(Mechanism):
    """Change of the answer of each row, one of k codes, by itself; tells how many changed answers hold each code.

    Takes how many rows gave each answer, a vector of k: the counts say all about the rows but their order, which is
    nobody's. How many rows there are is published, so it is for populations in which a unit is a row that may be
    substituted, and for nothing else. There is no lattice noise: `scale` is 1/ε.
    """

    answers: int
    """k: how many codes there are."""

    def __post_init__(self) -> None:
        Mechanism.__post_init__(self)
        check_whole("answers", self.answers, least=2)

    @classmethod
    def from_stated(cls, stated: StatedMechanism, sensitivity: Sensitivity) -> Self:
        """No noise has its scale, so that it is held against the share."""
        if stated.scale != scale_of(stated.loss.exactly):
            raise PlanError("scale", found=stated.scale, allowed=verbatim("1/ε"))
        return super(Response, cls).from_stated(stated, sensitivity)

    @property
    @abstractmethod
    def true_chance(self) -> float:
        """The probability that a row's changed answer holds the true code."""

    @property
    @abstractmethod
    def other_chance(self) -> float:
        """The probability that it holds another given code."""

    @abstractmethod
    def rows(self, told: Integers) -> int:
        """Return the number of rows that answered, by what was released."""

    def could_tell(self, told: Integers) -> bool:
        """Return True if so many rows could have told each code."""
        return bool(np.all(self.counts(told) <= self.rows(told)))

    def counts(self, told: Integers) -> Integers:
        """Return how many changed answers hold each code, of what was released."""
        return np.asarray(told).ravel()[: self.answers]

    @property
    def settings(self) -> dict[str, Any]:
        return {"answers": self.answers}

    def checked(self, values: Integers) -> Integers:
        """Return the counts of true answers. Raises InternalError where they are none."""
        counts = np.array(values, dtype=np.int64)
        if counts.shape != (self.answers,) or counts.min() < 0:
            raise InternalError(f"counts of {self.answers} answers are needed, not of shape {counts.shape}")
        return counts


def check_substituted(sensitivity: Sensitivity) -> None:
    """Raise PlanError unless one row is replaced by another: more or fewer rows would show."""
    if sensitivity.l1 != 2:
        raise PlanError(
            "neighbors",
            found=phrase("mechanisms.randomized_response_where_unit", l1=sensitivity.l1),
            allowed=phrase("mechanisms.2_population_relation_substitute"),
        )


def scale_of(share: PrivacyLoss) -> float:
    """Return 1/ε."""
    return float(1 / pure_epsilon(share))


def loss_of(ratio: Fraction) -> Fraction:
    """Return the natural logarithm of a ratio of chances of at least 1, rounded upwards in the 50th digit."""
    upper = UPWARDS.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    return Fraction(UPWARDS.next_plus(UPWARDS.ln(upper)))


def first_within(start: float, epsilon: Fraction, ratio: Callable[[float], Fraction], *, upwards: bool) -> float:
    """The first float from a start on, upwards or downwards, at which the loss of a ratio of chances is at most ε.

    Neighbouring floats can have the same loss as it is stated, so steps grow until one fits, and are then halved.
    """

    def at(steps: int) -> float:
        return float((np.float64(start).view(np.int64) + (steps if upwards else -steps)).view(np.float64))

    def fits(steps: int) -> bool:
        return loss_of(ratio(at(steps))) <= epsilon

    if fits(0):
        return start
    high = 1
    while not fits(high):
        high *= 2
        if high > MAX_STEPS:
            raise InternalError(f"no probability near {start} meets ε = {float(epsilon)}")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return at(high)
