"""What every mechanism is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite, nextafter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError, PlanError
from dprelease.model.privacy import NANO, PrivacyLoss
from dprelease.model.tally import Sensitivity

Integers = NDArray[Any]
"""int64, or Python integers (dtype object) where int64 would not hold them."""

LIMIT = 2**62
MAX_SENSITIVITY = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism(ABC):
    """Turns exact integers into integers that may be published, at a stated loss."""

    name: ClassVar[str]
    sensitivity: Sensitivity
    scale: float
    """In lattice steps (or score steps), not data units."""
    share: PrivacyLoss
    """What is charged: the mechanism's exact loss is at most this."""

    def __post_init__(self) -> None:
        if not (isfinite(self.scale) and self.scale > 0):
            raise PlanError("scale", found=self.scale, allowed="a finite number above 0")

    @classmethod
    @abstractmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss) -> Self:
        """The mechanism with the smallest scale whose exact privacy map is at most the share."""

    @abstractmethod
    def release(self, values: Integers) -> Integers:
        """Draws once. Values beyond ±2^62 are clamped first, which no neighbour can notice (1-Lipschitz)."""

    @abstractmethod
    def noiseless(self, values: Integers) -> Integers:
        """What `release` would return without noise; for the curator's preview only."""

    def to_mapping(self) -> dict[str, Any]:
        """What a certificate states about it."""
        return {
            "name": self.name,
            "scale": self.scale,
            "sensitivity": {"l1": self.sensitivity.l1, "linf": self.sensitivity.linf},
            "epsilon_nano": self.share.epsilon_nano,
            "delta_atto": self.share.delta_atto,
        }


def clamped(values: Integers) -> NDArray[np.int64]:
    """Integers clamped to ±2^62, as int64."""
    return np.ascontiguousarray(np.clip(values, -LIMIT, LIMIT), dtype=np.int64)


def smallest_scale(distance: int, factor: int, share: PrivacyLoss, privacy_map: Callable[[float], float]) -> float:
    """The smallest float scale with privacy_map(scale) <= ε, near factor * distance / ε.

    The closed form overshoots ε by an ulp more often than not, and OpenDP rounds its map upwards, so the
    neighbouring floats are tried in turn.
    """
    if distance > MAX_SENSITIVITY:
        raise PlanError(
            "columns",
            found=f"a sensitivity of {distance} steps",
            allowed=f"at most {MAX_SENSITIVITY}",
            remedy="Choose tighter bounds, a coarser resolution or a smaller max_rows.",
        )
    epsilon = Fraction(share.epsilon_nano, NANO)
    scale = float(Fraction(factor * distance) / epsilon)
    for _ in range(2):
        scale = nextafter(scale, 0)
    for _ in range(8):
        if Fraction(privacy_map(scale)) <= epsilon:
            return scale
        scale = nextafter(scale, inf)
    raise InternalError(f"no scale near {scale} meets ε = {share.epsilon}")
