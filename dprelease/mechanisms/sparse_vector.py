"""The sparse vector technique: which of many counts reach a threshold, at a loss that their number does not change."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from dprelease.errors import PlanError
from dprelease.mechanisms import half_width, library
from dprelease.mechanisms.mechanism import Integers, Mechanism, check_whole, clamped, pure_epsilon, pure_scale
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.stated import Norms
from dprelease.model.tally import Sensitivity
from dprelease.words import Figure, phrase

ABOVE, BELOW, NOT_REACHED = 1, 0, -1
MAX_SCALE = 2.0**50
"""Noise beyond int64 saturates, of which the proof knows nothing: at this scale a draw gets that far once in e^4096."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseVector(Mechanism):
    """Questions in order, whether each of a vector of integers reaches a threshold, until `answers` of them (c) did.

    Once, the threshold gets noise of ε₁; each question gets noise of its own; with `numeric`, each value that reached
    is published with fresh noise of ε₃. Lyu, Su, Li 2017, "Understanding the sparse vector technique", the standard
    algorithm with ε₁, ε₂, ε₃ (algorithm 8 in textbooks): D = linf; threshold Lap(D/ε₁), questions Lap(2cD/ε₂), or
    Lap(cD/ε₂) if monotone, answers Lap(cD/ε₃). ε₃ is half of the share with `numeric`, else 0; of the rest, ε₂ : ε₁ =
    (2c)^⅔, or c^⅔ if monotone, where the variance of the comparison is smallest.

    Loss: pure ε = ε₁ + ε₂ + ε₃, whatever the number of questions. The proof holds for integers: it moves the noise of
    the threshold by D and that of a question by at most 2D (D if monotone), which are whole; a move by d changes the
    probabilities of discrete Laplace noise of scale b by at most exp(d/b); it sums where the paper integrates.
    """

    name: ClassVar[str] = "sparse_vector"
    threshold: int
    """Threshold that a value has to reach."""
    answers: int
    """c: after so many values that reach it the rest is not asked."""
    numeric: bool
    """True if values that reach the threshold are published, with noise."""
    threshold_scale: float
    """Scale of the noise on the threshold; `scale` is that of the questions."""
    answer_scale: float | None = None
    """Scale of the noise on published values."""

    def __post_init__(self) -> None:
        Mechanism.__post_init__(self)
        check_whole("answers", self.answers, least=1)
        for found in (self.scale, self.threshold_scale):
            if not 0 < found <= MAX_SCALE:
                raise PlanError(
                    "scale",
                    found=found,
                    allowed=phrase("mechanisms.more_than_0_at", max_scale=Figure(f"{MAX_SCALE:.0f}")),
                    remedy=phrase("mechanisms.raise_share"),
                )
        if self.numeric != (self.answer_scale is not None and self.answer_scale > 0):
            raise PlanError(
                "answer_scale", found=self.answer_scale, allowed=phrase("mechanisms.number_above_0_numeric")
            )

    @classmethod
    def calibrate(
        cls,
        sensitivity: Sensitivity,
        share: PrivacyLoss,
        *,
        threshold: int,
        answers: int,
        numeric: bool = False,
        **settings: Any,
    ) -> Self:
        check_whole("answers", answers, least=1)
        scales = _scales(sensitivity.linf, sensitivity.monotone, answers, numeric, share)
        return cls(
            sensitivity=sensitivity,
            share=share,
            threshold=threshold,
            answers=answers,
            numeric=numeric,
            threshold_scale=scales[0],
            scale=scales[1],
            answer_scale=scales[2],
        )

    @property
    def epsilon(self) -> Fraction:
        return sum(self.epsilons, start=Fraction(0))

    @property
    def epsilons(self) -> tuple[Fraction, Fraction, Fraction]:
        """ε₁, ε₂ and ε₃, exactly."""
        linf, asked = self.sensitivity.linf, _asked(self.sensitivity.linf, self.sensitivity.monotone, self.answers)
        return (
            linf / Fraction(self.threshold_scale),
            asked / Fraction(self.scale),
            Fraction(0) if self.answer_scale is None else self.answers * linf / Fraction(self.answer_scale),
        )

    def release(self, values: Integers) -> Integers:
        """Return a row per question: its status (1 above, 0 below, −1 not reached), and its noisy value or 0."""
        exact = clamped(values)
        (threshold,) = library.laplace(self.threshold_scale)(clamped(np.array([self.threshold], dtype=object)))
        noisy = np.array(library.laplace(self.scale)(exact), dtype=np.int64)
        reached = np.flatnonzero(noisy >= threshold)[: self.answers]
        if self.answer_scale is not None and len(reached):
            return self._told(exact, reached, library.laplace(self.answer_scale)(exact[reached]))
        return self._told(exact, reached, 0)

    def noiseless(self, values: Integers) -> Integers:
        exact = clamped(values)
        reached = np.flatnonzero(exact >= self.threshold)[: self.answers]
        return self._told(exact, reached, exact[reached] if self.numeric else 0)

    def _told(self, exact: Integers, reached: Integers, numbers: Any) -> Integers:
        told = np.zeros((len(exact), 2), dtype=np.int64)
        told[:, 0] = BELOW
        told[reached, 0] = ABOVE
        told[reached, 1] = numbers
        if len(reached) == self.answers:
            told[reached[-1] + 1 :, 0] = NOT_REACHED
        return told

    def answer_half_width(self, confidence: float = 0.95) -> int:
        """Return the smallest h such that a published value is within h of the true one with that confidence."""
        assert self.answer_scale is not None
        return half_width.laplace(self.answer_scale, confidence)

    def reach(self, questions: int, confidence: float = 0.95) -> int:
        """With that confidence every question is answered rightly, for values further than this from the threshold."""
        miss = (1 - confidence) / 2
        threshold = half_width.laplace(self.threshold_scale, 1 - miss)
        return threshold + half_width.laplace(self.scale, 1 - miss / questions)

    @property
    def norms(self) -> Norms:
        return Norms(linf=self.sensitivity.linf, monotone=self.sensitivity.monotone)

    @property
    def settings(self) -> dict[str, Any]:
        return {"threshold": self.threshold, "answers": self.answers, "numeric": self.numeric}

    @property
    def derived(self) -> dict[str, Any]:
        answer = {} if self.answer_scale is None else {"answer_scale": self.answer_scale}
        return {"threshold_scale": self.threshold_scale, **answer}


def _asked(linf: int, monotone: bool, answers: int) -> int:
    """Return the sensitivity that the noise of c questions has to cover: c times linf, twice that unless monotone."""
    return (1 if monotone else 2) * answers * linf


@lru_cache(maxsize=4096)
def _scales(
    linf: int, monotone: bool, answers: int, numeric: bool, share: PrivacyLoss
) -> tuple[float, float, float | None]:
    """Return the noise scales of the threshold, the questions and the published values."""
    whole = pure_epsilon(share)
    told = whole / 2 if numeric else Fraction(0)
    asked = _asked(linf, monotone, answers)
    first = (whole - told) / (1 + Fraction(((1 if monotone else 2) * answers) ** (2 / 3)))
    return (
        _smallest(linf, first),
        _smallest(asked, whole - told - first),
        _smallest(answers * linf, told) if numeric else None,
    )


def _smallest(distance: int, epsilon: Fraction) -> float:
    return pure_scale(distance, 1, epsilon, lambda scale: distance / Fraction(scale))
