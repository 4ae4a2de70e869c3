"""Least ε of a whole plan at which some of its statistics err no more than they may: from error back to ε."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from math import exp, inf, log

from dprelease.errors import PlanError
from dprelease.model.plan import Plan
from dprelease.model.privacy import MAX_EPSILON, NANO, Currency
from dprelease.model.schema import Schema
from dprelease.statistics.planning.price import Price, price
from dprelease.words import phrase, verbatim

DIGITS = 3
"""Significant digits of the answer, which is rounded up."""
CLOSE = 1.002
ROUNDS = 60
FASTEST = 16.0
"""The factor between two tries."""


def needed_epsilon(
    plan: Plan, schema: Schema, currency: Currency, errors: Mapping[str, float], *, discovers: bool = True
) -> Decimal:
    """Return the smallest ε of a plan, to three digits, at which each named expected error is at most as stated.

    Shares stay as the plan says, so errors fall as ε grows, nearly as 1/ε: the root is found by secants on logarithms
    between two bounds. Reads no rows. Raises PlanError where a statistic is not in the plan, where its error needs
    `expected`, or where no ε is large enough.
    """
    _check(plan, errors)

    def excess(epsilon: float) -> float:
        """Return the worst error as a multiple of the allowed one; infinite where the plan cannot be paid."""
        nano = min(MAX_EPSILON * NANO, max(1, round(epsilon * NANO)))
        try:
            found = price(replace(plan, epsilon_nano=nano), schema, currency=currency, discovers=discovers)
        except PlanError:
            if epsilon >= MAX_EPSILON:
                raise
            return inf
        return max(_error(found, name) / allowed for name, allowed in errors.items())

    low, high, try_ = 0.0, float(MAX_EPSILON), plan.epsilon_nano / NANO
    if excess(high) > 1:
        raise PlanError(
            "epsilon",
            found=phrase("statistics.errors_no_large_enough"),
            allowed=phrase("statistics.errors_plan_statistics_can"),
            remedy=phrase("statistics.allow_larger_errors_use"),
        )
    for _ in range(ROUNDS):
        if low and high / low <= CLOSE:
            break
        ratio = excess(try_)
        low, high = (try_, high) if ratio > 1 else (low, try_)
        step = FASTEST if ratio == inf else exp(min(log(FASTEST), max(-log(FASTEST), log(max(ratio, 1e-9)))))
        aim = try_ * step * (CLOSE**0.5 if ratio > 1 else CLOSE**-0.5)
        try_ = aim if low < aim < high else (low * high) ** 0.5 if low else high / FASTEST
    rounded = Context(prec=DIGITS, rounding=ROUND_CEILING).create_decimal_from_float(high)
    return min(Decimal(MAX_EPSILON), max(rounded, Decimal(1) / NANO)).quantize(Decimal(1) / NANO).normalize()


def _check(plan: Plan, errors: Mapping[str, float]) -> None:
    known = {statistic.id for statistic in plan.statistics}
    for name, allowed in errors.items():
        if name not in known:
            raise PlanError("statistics", found=name, allowed=verbatim(", ".join(sorted(known))))
        if not 0 < allowed < inf:
            raise PlanError(f"{name}.error", found=allowed, allowed=phrase("model.number_above_0"))
    if not errors:
        raise PlanError("errors", found=phrase("statistics.none"), allowed=phrase("statistics.error_at_least_one"))


def _error(found: Price, name: str) -> float:
    error = found[name].error95
    if error is None:
        raise PlanError(
            "expected",
            found=phrase("model.nothing"),
            allowed=phrase("statistics.expected_number_rows_error"),
            remedy=phrase("statistics.add_expected_rows"),
        )
    return error
