"""Demands on the noise of counts from which a plan derives more, and margins of error of standardised rates.

By plan and mechanisms alone, so known before any row is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal

from dprelease.errors import PlanError
from dprelease.model.derived import Compared, DerivedRate
from dprelease.model.plan import Plan
from dprelease.model.standard import Form, standardised
from dprelease.statistics.algebra import combination
from dprelease.statistics.algebra.combination import Noises
from dprelease.statistics.algebra.reach import noises
from dprelease.statistics.planning.derivation import CountsOfSource, SameMeasurement
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.words import phrase

Reaches = Mapping[str, tuple[float | None, ...]]
"""Margins of error of each row, by the id of a table of standardised rates; None of a row without a value."""
CONFIDENCE = 0.95
SLACK = 1 + 1e-8
"""For the error of the quantile."""
UP = Context(prec=9, rounding=ROUND_CEILING)
"""Digits that a certificate states, rounded up."""


def reaches_of(plan: Plan, items: Sequence[StatisticPrice]) -> Reaches:
    """Return the half-width of each interval: P(|Σ c_i (noise of count i)| > reach) <= 5 %.

    It is the quantile of the sum with continuous noises of the same scales, and half a step of the largest |c_i| for
    the noise being discrete, by which coverage was at least 95 % in every sum that was enumerated (tests).
    """
    public = {each.name: each for each in plan.public}
    found: dict[str, tuple[float | None, ...]] = {}
    for asked in plan.derived:
        if isinstance(asked, DerivedRate) and asked.standardise is not None:
            item = next(each for each in items if each.id == asked.of)
            one = noise_of(item)
            assert one is not None, "checked when it was priced"
            _, forms = standardised(item.statistic.axes(plan.schema), asked, public)
            found[asked.id] = tuple(None if form is None else _reach(form, one) for form in forms)
    return found


def check_sources(plan: Plan, items: Sequence[StatisticPrice]) -> None:
    """Raise PlanError where noises of counts are not as what is derived of them needs.

    Standardised rates take no counts that are divided out of other whole numbers, and rounded; an index or a change
    none either, nor such as are sums of several counts with Laplace noise.
    """
    for place, asked in enumerate(plan.derived):
        item = next(each for each in items if each.id == asked.of)
        noise, source = noise_of(item), item.derivation.measurement.id
        path, remedy = f"derived[{place}].of", phrase("statistics.standard_own_epsilon", of=asked.of)
        if noise is None and (isinstance(asked, Compared) or asked.standardise is not None):
            found = phrase("statistics.standard_follows", of=asked.of, source=source)
            raise PlanError(path, found=found, allowed=phrase("statistics.standard_measured"), remedy=remedy)
        if isinstance(asked, Compared) and noise is not None and any(many > 1 for _, many in noise.laplaces):
            found = phrase("statistics.compared_sums", of=asked.of, source=source)
            raise PlanError(path, found=found, allowed=phrase("statistics.compared_measured"), remedy=remedy)


def noise_of(item: StatisticPrice) -> Noises | None:
    """Return the noise of each count, all independent; None where counts are quotients, rounded to whole ones."""
    derivation, (mechanism, *_) = item.derivation, item.derivation.measurement.mechanisms
    if isinstance(derivation, SameMeasurement):
        return noises(mechanism)
    whole = isinstance(derivation, CountsOfSource) and derivation.way.size == 1 and derivation.way.parts == (1,)
    return noises(mechanism, derivation.way.terms) if whole and isinstance(derivation, CountsOfSource) else None


def _reach(form: Form, one: Noises) -> float:
    each = [one.scaled(float(factor)) for _, factor in form]
    laplaces = tuple(sorted(noise for own in each for noise in own.laplaces))
    sigma = sum(own.sigma**2 for own in each) ** 0.5
    reach = combination.quantile(CONFIDENCE, laplaces, sigma) * SLACK
    return float(Decimal(reach + max(float(factor) for _, factor in form) / 2).normalize(UP))
