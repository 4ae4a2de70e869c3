"""Base classes of all mechanisms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from fractions import Fraction
from math import ceil, inf, isfinite, isqrt, nextafter, sqrt
from typing import Any, ClassVar, Self, get_type_hints

import msgspec
import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError, PlanError
from dprelease.mechanisms.threads import each_of
from dprelease.model.privacy import ATTO, NANO, Currency, PrivacyLoss
from dprelease.model.stated import Norms, StatedLoss, StatedMechanism
from dprelease.model.tally import Sensitivity
from dprelease.words import phrase

Integers = NDArray[Any]
"""int64, or Python integers (dtype object) where int64 would not hold them."""

UPWARDS, DOWNWARDS = Context(prec=50, rounding=ROUND_CEILING), Context(prec=50, rounding=ROUND_FLOOR)
LIMIT = 2**62
MAX_SENSITIVITY = 2**53 - 1
"""The largest whole number that certificates, being JSON, hold exactly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism(ABC):
    """Mechanism that turns exact integers into integers that may be published, at a stated loss."""

    name: ClassVar[str]
    sensitivity: Sensitivity
    scale: float
    """In lattice steps (or score steps), not data units."""
    share: PrivacyLoss
    """Loss that is charged: the mechanism's exact loss is at most this."""

    def __post_init__(self) -> None:
        if not (isfinite(self.scale) and self.scale > 0):
            raise PlanError("scale", found=self.scale, allowed=phrase("mechanisms.finite_number_above_0"))

    @classmethod
    @abstractmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, *_: Any, **settings: Any) -> Self:
        """Return the mechanism with the smallest scale whose exact privacy map is at most the share.

        `settings`: what else a mechanism has to know, by keyword; others it ignores. (`_` stays empty: it lets a
        mechanism name its settings.) Raises PlanError where the share is in a currency in which the mechanism has no
        finite loss, or lacks a δ that it needs.
        """

    @classmethod
    def from_stated(cls, stated: StatedMechanism, sensitivity: Sensitivity) -> Self:
        """Return the mechanism with scale, settings and share as stated, for the sensitivity of what it is given.

        Raises PlanError or ValueError where there is none.
        """
        hints = get_type_hints(cls)
        own = {each.name for each in fields(cls)}.intersection(stated.settings)
        try:
            settings = {name: msgspec.convert(stated.settings[name], hints[name]) for name in sorted(own)}
        except msgspec.ValidationError as cause:
            raise ValueError(str(cause)) from None
        return cls(sensitivity=sensitivity, scale=float(stated.scale), share=stated.loss.exactly, **settings)

    @property
    @abstractmethod
    def epsilon(self) -> Fraction | None:
        """Its exact pure ε, a logarithm rounded up in the 50th digit; None where there is none (Gaussian noise)."""

    @property
    def rho(self) -> Fraction:
        """Its zCDP ρ: ε²/2 for every ε-DP mechanism (Bun and Steinke 2016, proposition 1.4), unless it has a better."""
        assert self.epsilon is not None
        return self.epsilon**2 / 2

    @property
    def delta(self) -> Fraction:
        """The δ of its own, beside its ε or ρ."""
        return Fraction(0)

    def loss(self, currency: Currency) -> PrivacyLoss:
        """Its loss in a currency, rounded upwards. Raises PlanError where it has none."""
        delta = ceil(self.delta * ATTO)
        if currency is Currency.ZCDP:
            return PrivacyLoss(rho_nano=ceil(self.rho * NANO), delta_atto=delta)
        if self.epsilon is None:
            raise refused_in_pure(self.name)
        return PrivacyLoss(epsilon_nano=ceil(self.epsilon * NANO), delta_atto=delta)

    @abstractmethod
    def release(self, values: Any) -> Any:
        """Draw once. Take and return integers, or where categories are discovered, counts by name.

        Values beyond ±2^62 are clamped first, which no neighbour can notice (1-Lipschitz).
        """

    @abstractmethod
    def noiseless(self, values: Any) -> Any:
        """Return what `release` would return without noise; for the curator's preview only."""

    @property
    def norms(self) -> Norms:
        """The parts of its sensitivity that its loss depends on."""
        return Norms(l1=self.sensitivity.l1, linf=self.sensitivity.linf)

    @property
    def settings(self) -> dict[str, Any]:
        """Other arguments of `calibrate`, by keyword."""
        return {}

    @property
    def derived(self) -> dict[str, Any]:
        """Other results of calibration, besides the scale."""
        return {}

    def stated(self, step: str | None, turn: int = 0) -> StatedMechanism:
        """Return the mechanism as certificates state it. `step`: what an integer is worth, where noise is added to it.

        `step`: what one of the integers is worth, where noise is added to it. `turn`: the round that it is drawn in.
        """
        assert self.sensitivity.shape is not None
        return StatedMechanism(
            name=self.name,
            shape=self.sensitivity.shape,
            step=step,
            scale=self.scale,
            sensitivity=self.norms,
            settings={**self.settings, **self.derived},
            round=turn,
            loss=StatedLoss.of(self.share),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise(Mechanism):
    """Mechanism that adds independent symmetric noise to each integer."""

    @abstractmethod
    def half_width(self, confidence: float = 0.95) -> int:
        """Return the smallest h with P(|noise| <= h) >= confidence, in lattice steps."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Variance of the noise on one integer, in lattice steps squared."""

    def noiseless(self, values: Any) -> Any:
        return clamped(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionMechanism(Mechanism):
    """Mechanism that selects in each row of a matrix of scores one candidate of nearly the highest score."""

    @property
    @abstractmethod
    def _measurement(self) -> Any:
        """Measurement that selects among the scores of one row."""

    def release(self, values: Integers) -> Integers:
        return np.array(each_of(self._measurement, list(clamped(values)), np.size(values)), dtype=np.int64)

    def noiseless(self, values: Integers) -> Integers:
        return np.asarray(np.argmax(clamped(values), axis=-1), dtype=np.int64)

    @property
    def norms(self) -> Norms:
        return Norms(linf=self.sensitivity.linf, monotone=self.sensitivity.monotone)


def score_range(linf: int, monotone: bool) -> int:
    """Return the largest change of the difference of two scores."""
    return linf if monotone else 2 * linf


def refused_in_pure(name: str) -> PlanError:
    """Return the error for a mechanism without a pure ε in a population that counts in ε."""
    return PlanError(
        "statistics",
        found=phrase("mechanisms.noise_population_counts", name=name),
        allowed=phrase("mechanisms.mechanisms_pure_gaussian_noise"),
        remedy=phrase("mechanisms.use_discrete_laplace_noise"),
    )


def clamped(values: Integers) -> NDArray[np.int64]:
    """Integers clamped to ±2^62, as int64."""
    return np.ascontiguousarray(np.clip(values, -LIMIT, LIMIT), dtype=np.int64)


def pure_epsilon(share: PrivacyLoss) -> Fraction:
    """Return the pure ε that a share pays for. Raises PlanError where that is 0."""
    if share.pure_epsilon_nano == 0:
        raise PlanError(
            "statistics", found=phrase("mechanisms.share", share=share), allowed=phrase("mechanisms.larger_share")
        )
    return Fraction(share.pure_epsilon_nano, NANO)


def pure_scale(distance: int, factor: int, epsilon: Fraction, privacy_map: Callable[[float], Fraction]) -> float:
    """Return the smallest float scale with privacy_map(scale) <= ε, near factor * distance / ε."""
    check_distance(distance)
    return smallest_scale(factor * distance / epsilon, lambda scale: privacy_map(scale) <= epsilon)


def zcdp_scale(squared: int, factor: int | Fraction, rho_nano: int, privacy_map: Callable[[float], Fraction]) -> float:
    """Return the smallest float scale with privacy_map(scale) <= ρ, near √(factor * squared / 2ρ)."""
    check_distance(isqrt(squared))
    rho = Fraction(rho_nano, NANO)
    return smallest_scale(sqrt(factor * squared / (2 * rho)), lambda scale: privacy_map(scale) <= rho)


def check_whole(setting: str, found: int, *, least: int) -> None:
    """Raise PlanError where a setting is not a whole number from `least` on."""
    if found < least:
        raise PlanError(setting, found=found, allowed=phrase("mechanisms.whole_number_from", least=least))


def check_distance(distance: int) -> None:
    """Raise PlanError where floats could not hold a sensitivity exactly."""
    if distance > MAX_SENSITIVITY:
        raise PlanError(
            "columns",
            found=phrase("mechanisms.sensitivity_steps", distance=distance),
            allowed=phrase("model.at_most", max_text=MAX_SENSITIVITY),
            remedy=phrase("mechanisms.choose_tighter_bounds_coarser"),
        )


def smallest_scale(near: Fraction | float, fits: Callable[[float], bool]) -> float:
    """Return the smallest float that fits, which is at most a few floats away from the closed form; 0 for 0.

    The closed form, as a float, overshoots a share by an ulp more often than not, so the neighbouring floats are tried
    in turn: up to 20 above, and where the closed form fits, up to 4 below. A loss never grows with its scale, so a
    float below one that does not fit does not fit either.
    """
    scale = float(near)
    if scale == 0:
        return scale
    if fits(scale):
        for _ in range(4):
            below = nextafter(scale, 0)
            if below == 0 or not fits(below):
                break
            scale = below
        return scale
    for _ in range(20):
        scale = nextafter(scale, inf)
        if fits(scale):
            return scale
    raise InternalError(f"no scale near {float(near)} fits")
