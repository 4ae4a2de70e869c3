"""Splitting and composing privacy loss: pure functions on integers, rounding always against us."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dprelease.errors import PlanError
from dprelease.model.plan import Plan
from dprelease.model.privacy import PrivacyLoss, decimal_text


def split(whole: int, weights: Sequence[Fraction]) -> list[int]:
    """Splits an integer by weights so that the parts sum to the whole (largest remainder; ties to the earlier)."""
    total = sum(weights)
    quotas = [whole * weight / total for weight in weights]
    parts = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(parts)), key=lambda index: (parts[index] - quotas[index], index))
    for index in by_remainder[: whole - sum(parts)]:
        parts[index] += 1
    return parts


def shares(plan: Plan) -> list[int]:
    """The ε share of each statistic in nano: its own ε, or its weight's part of what those leave.

    Raises PlanError where the statistics' own ε exceed the plan's, or a share would be 0.
    """
    own = sum(statistic.epsilon_nano or 0 for statistic in plan.statistics)
    left = plan.epsilon_nano - own
    weighted = [index for index, statistic in enumerate(plan.statistics) if statistic.epsilon_nano is None]
    if left < 0:
        raise PlanError(
            "statistics",
            found=f"statistics with their own ε that sum to {_text(own)}",
            allowed=f"at most the plan's ε, {_text(plan.epsilon_nano)}",
            remedy="Raise privacy.epsilon or lower the statistics' own.",
        )
    if weighted and left < len(weighted):
        raise PlanError(
            f"statistics[{weighted[0]}]",
            found="an ε share of 0",
            allowed="a share above 0",
            remedy=f"The statistics' own ε leave {_text(left)} of {_text(plan.epsilon_nano)}: lower them.",
        )
    result = [statistic.epsilon_nano or 0 for statistic in plan.statistics]
    if weighted:
        parts = split(left, [Fraction(plan.statistics[index].weight) for index in weighted])
        for index, part in zip(weighted, parts, strict=True):
            if part == 0:
                raise PlanError(
                    f"statistics[{index}].weight",
                    found="an ε share of 0",
                    allowed="a share above 0",
                    remedy="Raise its weight.",
                )
            result[index] = part
    return result


def _text(nano: int) -> str:
    return decimal_text(PrivacyLoss(epsilon_nano=nano).epsilon)
