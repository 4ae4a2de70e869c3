"""Split of a plan's budget between its statistics, in whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dprelease.accounting.zcdp import rho_within
from dprelease.errors import PlanError
from dprelease.model.plan import Plan
from dprelease.model.privacy import NANO, Currency, PrivacyLoss, Terms, decimal_text, rho_delta
from dprelease.words import Figure, phrase
from dprelease.words.phrases import verbatim

MOST = 5
"""Statistics that a message names."""


def split(whole: int, weights: Sequence[Fraction]) -> list[int]:
    """Split an integer by weights so that the parts sum to the whole (largest remainder; ties to the earlier)."""
    total = sum(weights)
    quotas = [whole * weight / total for weight in weights]
    parts = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(parts)), key=lambda index: (parts[index] - quotas[index], index))
    for index in by_remainder[: whole - sum(parts)]:
        parts[index] += 1
    return parts


def budget(plan: Plan, terms: Terms) -> PrivacyLoss:
    """Return the budget of a plan: its ε and δ, or in zcdp the largest ρ with ε(ρ, δ/2) <= ε, and the other δ/2.

    Of a population of which nothing is ever discovered: the largest ρ with ε(ρ, δ) <= ε, and no δ. Of a run it is that
    of one edition: the whole divided by the run's factor, rounded down.
    """
    whole, factor = _budget(plan, terms), factor_of(plan)
    share = PrivacyLoss.of(terms.currency, whole.nano // factor, whole.delta_atto // factor)
    if factor > 1 and not share.nano:
        found = phrase("accounting.run_share_0", symbol=whole.symbol, factor=factor)
        raise PlanError("privacy.epsilon", found=found, allowed=phrase("accounting.share_above_0"))
    return share


def factor_of(plan: Plan) -> int:
    """Return how many times the loss of one edition a plan's run loses; 1 where it has none."""
    return 1 if plan.run is None else plan.run.factor(plan.neighbors)


def times(loss: PrivacyLoss, factor: int) -> PrivacyLoss:
    """Return a loss so many times."""
    return PrivacyLoss(
        epsilon_nano=factor * loss.epsilon_nano, rho_nano=factor * loss.rho_nano, delta_atto=factor * loss.delta_atto
    )


def _budget(plan: Plan, terms: Terms) -> PrivacyLoss:
    if terms.currency is Currency.PURE:
        return PrivacyLoss(epsilon_nano=plan.epsilon_nano, delta_atto=plan.delta_atto)
    if plan.delta_atto < 2:
        raise PlanError(
            "privacy.delta",
            found=phrase("accounting.0_population_counts"),
            allowed=phrase("accounting.above_0_means_only"),
            remedy=phrase("accounting.set_well_below_one"),
        )
    rho_nano = rho_within(plan.epsilon_nano, rho_delta(plan.delta_atto, terms.discovers))
    return PrivacyLoss(rho_nano=rho_nano, delta_atto=plan.delta_atto // 2 if terms.discovers else 0)


def in_currency(epsilon_nano: int, currency: Currency) -> int:
    """Return the cost of a statistic's own ε, in nano: ε, or ρ = ε²/2, rounded down (its noise is made for that)."""
    return epsilon_nano if currency is Currency.PURE else epsilon_nano**2 // (2 * NANO)


def lost(epsilon_nano: int, currency: Currency) -> int:
    """Return the amount of a loss of ε that is already made, in nano: ε, or ρ = ε²/2, rounded up."""
    return epsilon_nano if currency is Currency.PURE else -(-(epsilon_nano**2) // (2 * NANO))


def shares(
    whole: PrivacyLoss,
    *,
    own: Sequence[int | None],
    weights: Sequence[Fraction],
    with_delta: Sequence[bool],
    places: Sequence[int],
) -> list[PrivacyLoss]:
    """Return the share of each statistic: its own amount, or its weight's part of what those leave.

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
            found=phrase(
                "accounting.statistics_their_own_target",
                symbol=whole.symbol,
                whole=Figure(_text(taken, whole)),
                each=verbatim(_each(own, places)),
            ),
            allowed=phrase("accounting.at_most_plan", whole=Figure(_text(whole.nano, whole))),
            remedy=phrase("accounting.too_much_raise_privacy", whole=Figure(_text(-left, whole))),
        )
    if weighted and left < len(weighted):
        raise PlanError(
            f"statistics[{places[weighted[0]]}]",
            found=phrase("accounting.share_0_plan", symbol=whole.symbol),
            allowed=phrase("accounting.share_above_0"),
            remedy=phrase(
                "accounting.statistics_own_leave_lower",
                whole=Figure(_text(left, whole)),
                whole_2=Figure(_text(whole.nano, whole)),
            ),
        )
    amounts = [part or 0 for part in own]
    if weighted:
        for index, part in zip(weighted, split(left, [weights[index] for index in weighted]), strict=True):
            amounts[index] = part
    for index, part in enumerate(amounts):
        if part == 0:
            raise PlanError(
                f"statistics[{places[index]}]",
                found=phrase("accounting.share_0_plan", symbol=whole.symbol),
                allowed=phrase("accounting.share_above_0"),
                remedy=phrase("accounting.raise_weight_own"),
            )
    takers = [index for index, needed in enumerate(with_delta) if needed]
    deltas = dict(zip(takers, split(whole.delta_atto, [Fraction(1)] * len(takers)), strict=True)) if takers else {}
    return [PrivacyLoss.of(whole.currency, part, deltas.get(index, 0)) for index, part in enumerate(amounts)]


def _each(own: Sequence[int | None], places: Sequence[int]) -> str:
    """Return the statistics with an amount of their own and that, the largest first."""
    amounts = sorted(((part, -place) for part, place in zip(own, places, strict=True) if part), reverse=True)
    told = [f"statistics[{-place}] {decimal_text(PrivacyLoss(epsilon_nano=part).epsilon)}" for part, place in amounts]
    return ", ".join([*told[:MOST], *(["…"] if len(told) > MOST else [])])


def _text(nano: int, whole: PrivacyLoss) -> str:
    return f"{whole.symbol} {decimal_text(PrivacyLoss(epsilon_nano=nano).epsilon)}"
