"""Zero-concentrated differential privacy: what ρ is worth as (ε, δ), and back. Decimal arithmetic, the same anywhere.

A mechanism is ρ-zCDP where its Rényi divergence of every order α > 1 is at most αρ (Bun and Steinke 2016).
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal, localcontext
from functools import lru_cache

from dprelease.errors import PlanError
from dprelease.model.privacy import ATTO, NANO
from dprelease.words import phrase

EXACT = Context(prec=50)
"""Context of 50 digits: logarithms and exponentials correctly rounded, unlike floats, which differ between machines."""
SLACK = Decimal("1e-30")
"""Relative and absolute: above what rounding to 50 digits adds up to in these formulas (1e-32, where δ is near 1)."""
STEP = Decimal("1e-20")
"""Relative step at which Newton's iteration stops. The order need not be exact: the formula holds for every one."""
ONE_NANO = Decimal("1e-9")


@lru_cache(maxsize=4096)
def epsilon_of(rho_nano: int, delta_atto: int) -> Decimal:
    """Return the smallest ε for which every ρ-zCDP mechanism is known to be (ε, δ)-DP, rounded up to whole 10^-9.

    δ(ε) = inf over α > 1 of exp((α − 1)(αρ − ε)) / (α − 1) · (1 − 1/α)^α, solved for ε at this δ:
    ε = inf over α > 1 of αρ + ln(1 − 1/α) − (ln α + ln δ) / (α − 1), and 0 where that is negative.
    Canonne, Kamath, Steinke 2020, proposition 12.

    Raises PlanError unless 0 < δ < 1 and ρ >= 0.
    """
    _check(delta_atto)
    if rho_nano < 0:
        raise PlanError("rho", found=_per(rho_nano, NANO), allowed=phrase("accounting.number_at_least_0"))
    if rho_nano == 0:
        return Decimal(0)
    with localcontext(EXACT) as context:
        rho, log_delta = Decimal(rho_nano) / NANO, (Decimal(delta_atto) / ATTO).ln()
        epsilon = _epsilon(rho, log_delta, _best_order(rho, log_delta))
        context.rounding = ROUND_CEILING
        return max(Decimal(0), epsilon + SLACK * (1 + epsilon)).quantize(ONE_NANO)


@lru_cache(maxsize=4096)
def rho_within(epsilon_nano: int, delta_atto: int) -> int:
    """Return the largest ρ in nano with `epsilon_of(ρ, δ)` at most ε: 0 where not even 10^-9 is.

    Newton's iteration from ρ = (√(ε + ln(1/δ)) − √ln(1/δ))², which is at most the answer (Bun and Steinke 2016,
    proposition 1.3). ε is concave in ρ with slope α, so that no step goes beyond the answer.

    Raises PlanError unless 0 < δ < 1 and ε >= 0.
    """
    _check(delta_atto)
    if epsilon_nano < 0:
        raise PlanError("epsilon", found=_per(epsilon_nano, NANO), allowed=phrase("accounting.number_at_least_0"))
    with localcontext(EXACT):
        epsilon, log_delta = Decimal(epsilon_nano) / NANO, (Decimal(delta_atto) / ATTO).ln()
        rho = ((epsilon - log_delta).sqrt() - (-log_delta).sqrt()) ** 2
        step = Decimal(1)
        while step > ONE_NANO / 1000:
            order = _best_order(rho, log_delta)
            step = (epsilon - _epsilon(rho, log_delta, order)) / order
            rho += step
        rho_nano = int(rho * NANO)
        while epsilon_of(rho_nano + 1, delta_atto) <= epsilon:
            rho_nano += 1
        while epsilon_of(rho_nano, delta_atto) > epsilon:
            rho_nano -= 1
        return rho_nano


def _check(delta_atto: int) -> None:
    if not 0 < delta_atto < ATTO:
        raise PlanError(
            "delta",
            found=_per(delta_atto, ATTO),
            allowed=phrase("accounting.number_between_0_1_zcdp"),
            remedy=phrase("accounting.choose_such_1e_6"),
        )


def _per(count: int, unit: int) -> Decimal:
    return (Decimal(count) / unit).normalize()


def _epsilon(rho: Decimal, log_delta: Decimal, order: Decimal) -> Decimal:
    """Return the ε that one order α > 1 gives: αρ + ln(1 − 1/α) − (ln α + ln δ) / (α − 1)."""
    return order * rho + (1 - 1 / order).ln() - (order.ln() + log_delta) / (order - 1)


def _best_order(rho: Decimal, log_delta: Decimal) -> Decimal:
    """Return the α > 1 of the smallest ε: the only root of ρ(α − 1)² + ln α = ln(1/δ).

    Newton's iteration in y = ln α, in which the left side is convex, from the right of the root.
    """
    y = -log_delta
    if rho > 0:
        y = min(y, (1 + (y / rho).sqrt()).ln())
    while True:
        order = y.exp()
        step = (rho * (order - 1) ** 2 + y + log_delta) / (2 * rho * (order - 1) * order + 1)
        y -= step
        if step < STEP * y:
            return y.exp()
