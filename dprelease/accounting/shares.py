"""Splitting a plan's budget between its statistics, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dprelease.accounting.zcdp import rho_within
from dprelease.errors import PlanError
from dprelease.model.plan import Plan
from dprelease.model.privacy import NANO, Currency, PrivacyLoss, decimal_text


def split(whole: int, weights: Sequence[Fraction]) -> list[int]:
    """Splits an integer by weights so that the parts sum to the whole (largest remainder; ties to the earlier)."""
    total = sum(weights)
    quotas = [whole * weight / total for weight in weights]
    parts = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(parts)), key=lambda index: (parts[index] - quotas[index], index))
    for index in by_remainder[: whole - sum(parts)]:
        parts[index] += 1
    return parts


def budget(plan: Plan, currency: Currency) -> PrivacyLoss:
    """What a plan may spend: its ε and δ, or in zcdp the largest ρ with ε(ρ, δ/2) <= ε, and the other δ/2."""
    if currency is Currency.PURE:
        return PrivacyLoss(epsilon_nano=plan.epsilon_nano, delta_atto=plan.delta_atto)
    if plan.delta_atto < 2:
        raise PlanError(
            "privacy.delta",
            found="0, in a population that counts in ρ",
            allowed="a δ above 0: ρ means an ε only beside a δ",
            remedy="Set a δ well below one divided by the number of units, such as 1e-6.",
        )
    half = plan.delta_atto // 2
    return PrivacyLoss(rho_nano=rho_within(plan.epsilon_nano, half), delta_atto=half)


def in_currency(epsilon_nano: int, currency: Currency) -> int:
    """What a statistic's own ε costs, in nano: ε, or ρ = ε²/2, rounded down (its noise is made for that)."""
    return epsilon_nano if currency is Currency.PURE else epsilon_nano**2 // (2 * NANO)


def shares(
    whole: PrivacyLoss,
    *,
    own: Sequence[int | None],
    weights: Sequence[Fraction],
    with_delta: Sequence[bool],
    places: Sequence[int],
) -> list[PrivacyLoss]:
    """The share of each statistic: its own amount, or its weight's part of what those leave.

    `whole`: what the plan may spend. Amounts are in nano of its currency. `weights` counts where `own` is None. A δ
    goes to those that need one, evenly. `places`: the statistics' places in the plan, for messages. Raises PlanError
    where the own amounts exceed the plan's, or a share would be 0.
    """
    taken = sum(part or 0 for part in own)
    left = whole.nano - taken
    weighted = [index for index, part in enumerate(own) if part is None]
    if left < 0:
        raise PlanError(
            "statistics",
            found=f"statistics with their own {whole.symbol} or target error that need {_text(taken, whole)}",
            allowed=f"at most the plan's {_text(whole.nano, whole)}",
            remedy=f"That is {_text(-left, whole)} too much: raise privacy.epsilon, or ask for less.",
        )
    if weighted and left < len(weighted):
        raise PlanError(
            f"statistics[{places[weighted[0]]}]",
            found=f"a share of 0 of the plan's {whole.symbol}",
            allowed="a share above 0",
            remedy=f"The statistics' own leave {_text(left, whole)} of {_text(whole.nano, whole)}: lower them.",
        )
    amounts = [part or 0 for part in own]
    if weighted:
        for index, part in zip(weighted, split(left, [weights[index] for index in weighted]), strict=True):
            amounts[index] = part
    for index, part in enumerate(amounts):
        if part == 0:
            raise PlanError(
                f"statistics[{places[index]}]",
                found=f"a share of 0 of the plan's {whole.symbol}",
                allowed="a share above 0",
                remedy="Raise its weight, or its own ε.",
            )
    takers = [index for index, needed in enumerate(with_delta) if needed]
    deltas = dict(zip(takers, split(whole.delta_atto, [Fraction(1)] * len(takers)), strict=True)) if takers else {}
    return [PrivacyLoss.of(whole.currency, part, deltas.get(index, 0)) for index, part in enumerate(amounts)]


def _text(nano: int, whole: PrivacyLoss) -> str:
    return f"{whole.symbol} {decimal_text(PrivacyLoss(epsilon_nano=nano).epsilon)}"
