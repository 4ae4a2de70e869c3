"""Quotients of two noisy counts with their intervals, in decimals: the same bytes on every machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, partial
from math import exp, expm1, prod, sqrt

from dprelease.model.certificate import Certificate
from dprelease.model.release import Estimates

ALPHA = Decimal("0.05")
NORMAL = Decimal("1.9599639845400542355")
"""97.5 % quantile of the standard normal: 95 % of its values lie within ± it."""
GAUSSIAN = "discrete_gaussian"
DIGITS, EXACT = 9, 50
"""Digits of an end, and of its computation: of the two terms of a tail as many as are alike may be lost,
twice those of an end."""
ENDS, UP, DOWN = (Context(prec=DIGITS, rounding=way) for way in (ROUND_HALF_EVEN, ROUND_CEILING, ROUND_FLOOR))
NEAR = Decimal("1e-7")
"""Relative distance from a guess in floats at which an end of the interval is first searched for."""


@dataclass(frozen=True, slots=True)
class PublishedQuotient:
    """Quotient of two noisy counts with its 95 % interval: the quotients of true counts that they do not reject."""

    value: Fraction
    lower: Decimal | None
    upper: Decimal | None


ITSELF = PublishedQuotient(Fraction(1), Decimal(1), Decimal(1))


@dataclass(frozen=True)
class CountNoise:
    """Noise of each count of a table: one discrete Laplace noise, or a sum of discrete Gaussian ones."""

    scale: Decimal
    is_normal: bool

    @classmethod
    def of(cls, certificate: Certificate, statistic: str, table: Estimates) -> CountNoise:
        """Return the noise of a table without totals, as the certificate states it."""
        (mechanism,) = certificate.rests_on(certificate.statistic(statistic))
        summed = prod(mechanism.shape) // len(table)
        with localcontext(Context(prec=EXACT)):
            is_normal = mechanism.name == GAUSSIAN
            return cls(Decimal(repr(float(mechanism.scale))) * Decimal(summed).sqrt(), is_normal)

    def quotient(self, count: int, by: int) -> PublishedQuotient | None:
        """Estimate A / B from y = A + η, y′ = B + ζ: 0 where y is below; None where y′ is not above 0.

        If r = A / B, then y − r·y′ is η − r·ζ alone. So r >= 0 is kept where |y − r·y′| is at most the 95 % quantile of
        |η − r·ζ|, with continuous noises of the same scale, and half of max(1, r) for the noises being discrete: that
        held in at least 95 % of cases wherever it was enumerated (tests). No end where y′ is not told apart from 0 by
        the same measure, or where not even 0 is kept of a y below 0.

        Each end is the first number of nine digits that is not kept, from the quotient outwards; 0 where 0 is kept.
        """
        if by <= 0:
            return None
        value = Fraction(max(count, 0), by)
        with localcontext(Context(prec=EXACT)):
            if not self._rejects(Decimal(by) - Decimal("0.5"), Decimal(1), Decimal(0)):
                return PublishedQuotient(value, None, None)
            rejected = cache(partial(self._rejected, count, by))
            if count < 0 and rejected(Decimal(0)):
                return PublishedQuotient(value, None, None)
            lower = self._end(rejected, count, by, up=False) if rejected(Decimal(0)) else Decimal(0)
            return PublishedQuotient(value, lower, self._end(rejected, count, by, up=True))

    def _rejected(self, count: int, by: int, r: Decimal) -> bool:
        return self._rejects(abs(count - r * by) - max(Decimal(1), r) / 2, Decimal(1), r)

    def _rejects(self, t: Decimal, one: Decimal, other: Decimal) -> bool:
        """Return True if |one·η + other·ζ| exceeds t with probability below 5 %."""
        if t <= 0:
            return False
        if self.is_normal:
            return t * t > NORMAL * NORMAL * self.scale * self.scale * (one * one + other * other)
        large, small = max(one, other) * self.scale, min(one, other) * self.scale
        if large == small:
            return (1 + t / (2 * large)) * (-t / large).exp() < ALPHA
        rest = small * small * (-t / small).exp() if small else Decimal(0)
        return (large * large * (-t / large).exp() - rest) / (large * large - small * small) < ALPHA

    def _end(self, rejected: Callable[[Decimal], bool], count: int, by: int, *, up: bool) -> Decimal:
        """Search by halving for the first number of nine digits, from the quotient outwards, that is rejected."""
        inside = (UP if up else DOWN).divide(max(count, 0), by)
        if rejected(inside):
            return inside
        outwards = ENDS.next_plus if up else ENDS.next_minus
        outside = None if up else Decimal(0)
        guess = ENDS.create_decimal(repr(self._guess(count, by, up=up)))
        for near in sorted((ENDS.multiply(guess, 1 - NEAR), ENDS.multiply(guess, 1 + NEAR)), reverse=not up):
            if near <= inside if up else not 0 < near < inside:
                continue
            if rejected(near):
                outside = near
                break
            inside = near
        while outside is None:
            further = ENDS.add(ENDS.add(inside, inside), ENDS.divide(1, by))
            inside, outside = (inside, further) if rejected(further) else (further, None)
        while (after := outwards(inside)) != outside:
            middle = ENDS.divide(ENDS.add(inside, outside), 2)
            if not min(inside, outside) < middle < max(inside, outside):
                middle = after
            inside, outside = (inside, middle) if rejected(middle) else (middle, outside)
        return outside

    def _guess(self, count: int, by: int, *, up: bool) -> float:
        scale = float(self.scale)
        inside = max(count, 0) / by
        outside = inside
        while up and _kept(scale, self.is_normal, count, by, outside):
            outside = 2 * outside + 1 / by
        outside = outside if up else 0.0
        for _ in range(80):
            middle = (inside + outside) / 2
            kept = _kept(scale, self.is_normal, count, by, middle)
            inside, outside = (middle, outside) if kept else (inside, middle)
        return outside or inside


def _kept(scale: float, is_normal: bool, count: int, by: int, r: float) -> bool:
    """Return True if r is not rejected, in floats, without differences of nearly equal numbers."""
    t = abs(count - r * by) - max(1.0, r) / 2
    if t <= 0:
        return True
    if is_normal:
        return t <= float(NORMAL) * scale * sqrt(1 + r * r)
    large, small = max(1.0, r) * scale, min(1.0, r) * scale
    apart = large - small
    delta = t * apart / (large * small) if small else 0.0
    slope = -expm1(-delta) / apart if apart else t / (large * small)
    further = small * small * slope / (large + small) if small else 0.0
    return exp(-t / large) * (1 + further) >= float(ALPHA)
