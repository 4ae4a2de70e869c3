"""Acceptance criteria of a release: judged from prices before the charge, from noisy values after the draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from dprelease.errors import PlanError
from dprelease.model.criterion import Criterion, Requirement
from dprelease.model.encoding import plain
from dprelease.model.release import Estimates, Output
from dprelease.model.report import Report
from dprelease.model.stated import StatedCriterion
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.words import Figure, phrase

CONFIDENCE = 0.95
"""With which a criterion that is found to hold does hold."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Judgement of a criterion: held or not."""

    criterion: Criterion
    held: bool

    def stated(self) -> StatedCriterion:
        """Return what a certificate states about it."""
        asked = self.criterion
        return StatedCriterion(
            statistic=asked.statistic, requirement=asked.requirement, limit=plain(asked.limit), held=self.held
        )


class Prospect(StrEnum):
    """Prospect of a criterion before any charge. Where one `fails`, is `unforeseen` or `unjudged`, the plan is refused.

    `likely`, `unlikely`: were the expected rows spread evenly; `open`: it depends on the table.
    """

    CERTAIN = "certain"
    LIKELY = "likely"
    UNLIKELY = "unlikely"
    OPEN = "open"
    FAILS = "fails"
    UNFORESEEN = "unforeseen"
    UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class Outlook:
    """Outlook of a criterion: its prospect, and what it needs."""

    criterion: Criterion
    prospect: Prospect
    needed: float | None = None
    """Least size of every noisy value, for a relative error; least distance of values, for a ranking."""


def foreseen(price: Price) -> list[Outlook]:
    """Return what can be said of a plan's criteria beforehand. Reads no rows."""
    return [_foreseen(criterion, price) for criterion in price.plan.accept]


def _foreseen(criterion: Criterion, price: Price) -> Outlook:
    item, limit = price[criterion.statistic], float(criterion.limit)
    if criterion.requirement is Requirement.ERROR:
        if item.error95 is None:
            return Outlook(criterion, Prospect.UNFORESEEN)
        return Outlook(criterion, Prospect.CERTAIN if item.error95 <= criterion.limit else Prospect.FAILS)
    half = joint_half_width(item, price)
    if half is None:
        return Outlook(criterion, Prospect.UNJUDGED)
    if criterion.requirement is Requirement.RANKING:
        return Outlook(criterion, Prospect.OPEN, 2 * half)
    needed = half + half / limit
    if price.plan.expected is None:
        return Outlook(criterion, Prospect.OPEN, needed)
    usual = item.statistic.magnitude(price.plan.schema, price.plan.expected)
    return Outlook(criterion, Prospect.LIKELY if usual - half >= needed else Prospect.UNLIKELY, needed)


def check(price: Price) -> None:
    """Raise PlanError where a criterion cannot be judged, or is known to fail: before anything is charged."""
    report = Report()
    for place, outlook in enumerate(foreseen(price)):
        criterion = outlook.criterion
        item, path = price[criterion.statistic], f"accept[{place}].{criterion.requirement}"
        if outlook.prospect is Prospect.UNFORESEEN:
            found, remedy = phrase("statistics.no_error_can_foreseen"), phrase("statistics.give_expected_rows")
            report.add(path, found=found, allowed=phrase("model.at_most", max_text=criterion.limit), remedy=remedy)
        elif outlook.prospect is Prospect.FAILS:
            found, remedy = (
                phrase("statistics.error", error95=Figure(f"{item.error95:.4g}")),
                phrase("statistics.raise_share_ask_less"),
            )
            report.add(path, found=found, allowed=phrase("model.at_most", max_text=criterion.limit), remedy=remedy)
        elif outlook.prospect is Prospect.UNJUDGED:
            report.add(
                path,
                found=phrase("statistics.whose_noise_same_all", kind=item.kind),
                allowed=phrase("statistics.counts_sums_histograms_cross"),
            )
    report.raise_any(PlanError)


def judge(price: Price, answers: Mapping[str, Output]) -> list[Judgement]:
    """Return every criterion of a plan, judged on the noisy values; post-processing, which costs nothing."""
    return [Judgement(criterion, _holds(criterion, price, answers)) for criterion in price.plan.accept]


def joint_half_width(item: StatisticPrice, price: Price) -> float | None:
    """Return what no value's noise exceeds, with 95 % confidence for all together (Bonferroni): P(|noise| > h) is at
    most 0.05 / values. None where noise alone does not say it."""
    if item.source is not None or item.basis != "mechanism" or not item.size:
        return None
    plan = price.plan
    confidence = 1 - (1 - CONFIDENCE) / item.size
    error = item.statistic.error(plan.schema, item.mechanisms, plan.expected, confidence)
    return None if error is None else error.error95


def _holds(criterion: Criterion, price: Price, answers: Mapping[str, Output]) -> bool:
    if criterion.requirement is Requirement.ERROR:
        return True  # known before the charge
    item, table = price[criterion.statistic], answers[criterion.statistic]
    if not isinstance(table, Estimates):
        return False
    half, noisy = joint_half_width(item, price), table.extra.get("raw", table.value)
    values = [float(value) for value in noisy if isinstance(value, int | float)]
    if half is None or len(values) != len(table):
        return False
    if criterion.requirement is Requirement.RELATIVE_ERROR:
        return _is_near(values, half, float(criterion.limit))
    return _is_apart(values, half, int(criterion.limit))


def _is_near(values: Sequence[float], half: float, share: float) -> bool:
    """Check relative errors: where no noise exceeds `half`, a true value is at least |noisy| − half, so its relative
    error at most half / (|noisy| − half)."""
    return all(abs(value) > half and half <= share * (abs(value) - half) for value in values)


def _is_apart(values: Sequence[float], half: float, first: int) -> bool:
    """Check the order: where no noise exceeds `half`, values further apart than twice that are in true order."""
    ordered = sorted(values, reverse=True)[: first + 1]
    return all(above - below > 2 * half for above, below in pairwise(ordered))
