"""The noise of integers that were added up after several mechanisms drew theirs, each for a table of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from dprelease.errors import InternalError
from dprelease.mechanisms import DiscreteGaussian, DiscreteLaplace, Mechanism, ResidualGaussian, half_width
from dprelease.model.noise import GAUSSIAN, LAPLACE

ADDABLE = (DiscreteLaplace, DiscreteGaussian, ResidualGaussian)
"""Mechanisms that add noise to integers which add up: what they drew for several tables may be added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummedLaplace(DiscreteLaplace):
    """The sum of independent discrete Laplace noises; `scale` is √Σ scale².

    A half-width is that of the sum itself. Where a formula takes one Laplace noise of that scale instead, intervals
    with 95 % are wider, by 8 % at most: the sum has the same variance, and reaches less far.
    """

    parts: tuple[float, ...]
    """The scale of each, in lattice steps."""

    def half_width(self, confidence: float = 0.95) -> int:
        return half_width.summed(tuple((LAPLACE, part) for part in self.parts), confidence)

    @property
    def variance(self) -> float:
        alone = DiscreteLaplace(sensitivity=self.sensitivity, share=self.share, scale=self.scale)
        return sum(replace(alone, scale=part).variance for part in self.parts)

    def release(self, values: Any) -> Any:
        raise InternalError("noise that was drawn by several mechanisms is not drawn by one")


@dataclass(frozen=True, slots=True, kw_only=True)
class SummedGaussian(DiscreteGaussian):
    """The sum of independent discrete Gaussian noises; `scale` is √Σ σ².

    From σ = 4 on the sum is a discrete Gaussian of that scale, to 10^-60 of each probability.
    """

    parts: tuple[float, ...]
    """The σ of each, in lattice steps."""

    def half_width(self, confidence: float = 0.95) -> int:
        return half_width.summed(tuple((GAUSSIAN, part) for part in self.parts), confidence)

    @property
    def variance(self) -> float:
        alone = DiscreteGaussian(sensitivity=self.sensitivity, share=self.share, scale=self.scale)
        return sum(replace(alone, scale=part).variance for part in self.parts)

    def release(self, values: Any) -> Any:
        raise InternalError("noise that was drawn by several mechanisms is not drawn by one")


def summed(mechanisms: Sequence[Mechanism]) -> Mechanism:
    """Return the noise of the sum of what mechanisms of one kind drew, independently.

    Its sensitivity and share are those of the first: nothing is drawn or charged by it. Of one mechanism it is that
    one. Raises InternalError where the noises do not add up.
    """
    first = mechanisms[0]
    if len(mechanisms) == 1:
        return first
    if any(type(each) is not type(first) for each in mechanisms):
        raise InternalError("noises of several kinds")
    parts = tuple(each.scale for each in mechanisms)
    scale = root_of_squares(parts)
    if isinstance(first, ResidualGaussian):
        by_set = zip(
            *([*each.by_set.values()] for each in mechanisms if isinstance(each, ResidualGaussian)), strict=True
        )
        scales = [root_of_squares(each) for each in by_set]
        return replace(first, scales=" ".join(map(repr, scales)), scale=min(scales))
    if isinstance(first, DiscreteGaussian):
        return SummedGaussian(sensitivity=first.sensitivity, share=first.share, scale=scale, parts=parts)
    if isinstance(first, DiscreteLaplace):
        return SummedLaplace(sensitivity=first.sensitivity, share=first.share, scale=scale, parts=parts)
    raise InternalError(f"{first.name} draws no integers that add up")


def root_of_squares(numbers: Sequence[float]) -> float:
    """Return √Σ number²."""
    return sqrt(sum(number**2 for number in numbers))
