"""The thresholded Laplace mechanism: counts of categories that nobody declared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import exp, expm1, floor, log, log1p
from typing import Any, ClassVar, Self

from dprelease.errors import InternalError, PlanError
from dprelease.mechanisms import half_width, library
from dprelease.mechanisms.mechanism import (
    DOWNWARDS,
    LIMIT,
    MAX_SENSITIVITY,
    UPWARDS,
    Noise,
    pure_epsilon,
    pure_scale,
)
from dprelease.model.privacy import ATTO, PrivacyLoss
from dprelease.model.stated import Norms
from dprelease.model.tally import Sensitivity
from dprelease.words import phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdedLaplace(Noise):
    """Discrete Laplace noise on the count of each name that occurs; those that reach a threshold are published.

    Takes and returns counts by name, sorted by name. Names that do not occur never appear, so that a name appears may
    tell of a unit that alone has it: δ bounds the probability of that. Loss: pure ε = l1 / scale, beside
    δ = l0 · P(noise >= threshold − linf), where P(noise >= t) = q^t / (1 + q), q = exp(−1/scale), and l0 counts the
    names of one unit (of both, where one is substituted). Korolova et al. 2009; Rogers 2023; sampled by OpenDP.
    """

    name: ClassVar[str] = "thresholded_laplace"
    threshold: int
    """The smallest noisy count that is published."""

    def __post_init__(self) -> None:
        Noise.__post_init__(self)
        least, most = 1 + self.sensitivity.linf, MAX_SENSITIVITY
        if not least <= self.threshold <= most:
            raise PlanError(
                "threshold",
                found=self.threshold,
                allowed=phrase("mechanisms.from", least=least, most=most),
                remedy=phrase("mechanisms.raise_share"),
            )

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, **settings: Any) -> Self:
        """Needs l0, l1 and linf, and a δ in the share."""
        if share.delta_atto == 0:
            raise PlanError(
                "delta",
                found="0",
                allowed=phrase("mechanisms.discovering_categories_needs_delta"),
                remedy=phrase("mechanisms.set_delta_such_1e"),
            )
        l0, l1, linf = _distances(sensitivity)
        scale = _scale(l1, pure_epsilon(share))
        threshold = linf + _margin(scale, Fraction(share.delta_atto, l0 * ATTO))
        return cls(sensitivity=sensitivity, share=share, scale=scale, threshold=threshold)

    @property
    def epsilon(self) -> Fraction:
        _, l1, _ = _distances(self.sensitivity)
        return l1 / Fraction(self.scale)

    @property
    def delta(self) -> Fraction:
        l0, _, linf = _distances(self.sensitivity)
        return l0 * tail_above(self.scale, self.threshold - linf)

    def release(self, values: Mapping[str, int]) -> dict[str, int]:
        """Names go to OpenDP in hexadecimal: it cuts texts at a NUL, and takes no halves of surrogate pairs."""
        given = {_coded(name): min(int(count), LIMIT) for name, count in values.items() if count > 0}
        noisy = library.laplace_threshold(self.scale, self.threshold)(given)
        return dict(sorted((_decoded(name), count) for name, count in noisy.items()))

    def noiseless(self, values: Mapping[str, int]) -> dict[str, int]:
        return {name: min(int(count), LIMIT) for name, count in sorted(values.items()) if count >= self.threshold}

    def half_width(self, confidence: float = 0.95) -> int:
        return half_width.laplace(self.scale, confidence)

    @property
    def variance(self) -> float:
        return 2 * exp(-1 / self.scale) / expm1(-1 / self.scale) ** 2

    @property
    def norms(self) -> Norms:
        return Norms(l0=self.sensitivity.l0, l1=self.sensitivity.l1, linf=self.sensitivity.linf)

    @property
    def derived(self) -> dict[str, Any]:
        return {"threshold": self.threshold}


def _coded(name: str) -> str:
    return name.encode("utf-8", "surrogatepass").hex()


def _decoded(code: str) -> str:
    return bytes.fromhex(code).decode("utf-8", "surrogatepass")


def _distances(sensitivity: Sensitivity) -> tuple[int, int, int]:
    """l0, l1 and linf, each no more than the others allow."""
    l0, linf = sensitivity.l0, min(sensitivity.linf, sensitivity.l1)
    if min(l0, linf) < 1:
        raise InternalError(f"l0, l1 and linf above 0 are needed, not {sensitivity}")
    return l0, min(sensitivity.l1, l0 * linf), linf


@lru_cache(maxsize=4096)
def _scale(l1: int, epsilon: Fraction) -> float:
    return pure_scale(l1, 1, epsilon, lambda scale: l1 / Fraction(scale))


@lru_cache(maxsize=4096)
def tail_above(scale: float, least: int) -> Fraction:
    """P(noise >= least) for least > 0, rounded upwards in the 50th digit.

    Not from OpenDP, whose map leaves out a noisy count that equals the threshold (0.16, its issue 2922), although it
    is published, and does not go below 10^-16.
    """
    above = UPWARDS.next_plus(UPWARDS.exp(UPWARDS.divide(-least, Decimal(scale))))
    q = DOWNWARDS.next_minus(DOWNWARDS.exp(DOWNWARDS.divide(-1, Decimal(scale))))
    return Fraction(UPWARDS.divide(above, DOWNWARDS.add(1, q)))


@lru_cache(maxsize=4096)
def _margin(scale: float, delta: Fraction) -> int:
    """Return the smallest t > 0 with P(noise >= t) <= δ; beyond 2^44 to 13 digits."""
    near = -scale * (log(delta) + log1p(exp(-1 / scale)))
    step = max(1, floor(near * 2**-44))
    margin = max(floor(near) - 2 * step, 1)
    for _ in range(8):
        if tail_above(scale, margin) <= delta:
            return margin
        margin += step
    raise InternalError(f"no threshold near {near} meets δ = {float(delta)}")
