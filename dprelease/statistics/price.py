"""What a plan costs and how far its results may err: computed from public facts alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

from dprelease.accounting.shares import budget, in_currency, shares, split
from dprelease.accounting.zcdp import epsilon_of
from dprelease.errors import PlanError
from dprelease.mechanisms import Mechanism
from dprelease.model.plan import Plan
from dprelease.model.privacy import MAX_EPSILON, NANO, Currency, PrivacyLoss, Terms, decimal_text, total
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import Statistic
from dprelease.model.tally import TallyQuery
from dprelease.statistics import sharing
from dprelease.statistics.sharing import Source
from dprelease.statistics.tabulated import ExpectedError, Tabulated

MAX_CELLS = 50_000_000
"""Of all tallies of a plan together; twelve full cross tables, or hundreds of quantiles."""
BASES = {
    "mechanism": "from the mechanism alone",
    "expected": "from the plan's expected rows and an even spread",
    "bound": "at most, whatever the rows",
}
ROUNDS = 4
"""Of adjusting weights to expected errors."""


@dataclass(frozen=True, kw_only=True)
class StatisticPrice:
    """One statistic with its calibrated mechanisms, its loss and its expected error."""

    statistic: Tabulated
    mechanisms: tuple[Mechanism, ...]
    """None where its counts follow from another statistic."""
    size: int
    """Rows of its published table; 0 where its keys are discovered."""
    error: ExpectedError | None
    source: StatisticPrice | None = None
    """The statistic whose noisy integers its counts follow from, at no cost of its own."""
    way: Source | None = None

    @property
    def id(self) -> str:
        return self.statistic.id

    @property
    def kind(self) -> str:
        return self.statistic.kind

    @cached_property
    def loss(self) -> PrivacyLoss:
        return total(mechanism.share for mechanism in self.mechanisms)

    @property
    def error95(self) -> float | None:
        """In the statistic's own units."""
        return None if self.error is None else self.error.error95

    @property
    def basis(self) -> str | None:
        """`mechanism`, `expected` or `bound`: what the error is computed from."""
        return None if self.error is None else self.error.basis

    def to_mapping(self) -> dict[str, Any]:
        mechanisms = [mechanism.to_mapping() for mechanism in self.mechanisms]
        shown = [mechanism.to_mapping() for mechanism in (self.source or self).mechanisms]
        mapping = {
            "id": self.id,
            "kind": self.kind,
            "cells": self.size,
            "mechanism": shown[0]["name"],
            "scale": shown[0]["scale"],
            "mechanisms": mechanisms,
            **({"rho": float(self.loss.rho)} if self.loss.rho_nano else {"epsilon": float(self.loss.epsilon)}),
            "delta": float(self.loss.delta),
            "error95": self.error95,
            "basis": self.basis,
        }
        if self.source is not None:
            mapping["source"] = self.source.id
        return mapping


@dataclass(frozen=True, kw_only=True)
class Price:
    """The price of a plan: charged is the sum of its statistics' losses, never more than the plan's ε and δ."""

    plan: Plan
    """Complete: with the columns it uses."""
    statistics: tuple[StatisticPrice, ...]
    currency: Currency = Currency.PURE

    @property
    def loss(self) -> PrivacyLoss:
        """What is charged, in the population's currency."""
        return total(statistic.loss for statistic in self.statistics)

    @property
    def epsilon(self) -> Decimal:
        """The ε of the guarantee: Σε, or in zcdp ε(Σρ, δ/2) with the plan's δ."""
        if self.currency is Currency.PURE:
            return self.loss.epsilon
        return epsilon_of(self.loss.rho_nano, self.plan.delta_atto // 2)

    @property
    def delta(self) -> Decimal:
        """The δ of the guarantee: Σδ of the mechanisms, and in zcdp the δ/2 that turns ρ into ε."""
        if self.currency is Currency.PURE:
            return self.loss.delta
        return PrivacyLoss(delta_atto=self.loss.delta_atto + self.plan.delta_atto // 2).delta

    def __getitem__(self, statistic: str) -> StatisticPrice:
        return next(item for item in self.statistics if item.id == statistic)

    def to_mapping(self) -> dict[str, Any]:
        mapping = {
            "plan_hash": self.plan.hash,
            "dataset": self.plan.dataset,
            "unit": self.plan.unit.to_mapping(),
            "neighbors": self.plan.neighbors.value,
            "currency": self.currency.value,
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "epsilon_text": decimal_text(self.epsilon),
            "statistics": [statistic.to_mapping() for statistic in self.statistics],
        }
        if self.currency is Currency.ZCDP:
            mapping["rho"] = float(self.loss.rho)
        return mapping


def price(plan: Plan, schema: Schema | None = None, *, currency: Currency = Currency.PURE) -> Price:
    """Prices a plan from its own columns, joined by a registered schema if given. Reads no rows.

    `currency`: of the plan's population. Raises PlanError where a column is undeclared, a statistic does not fit the
    plan's unit, relation or budget, a target error cannot be met, or a share would be 0.
    """
    complete = plan.with_schema(schema or Schema({}))
    terms = Terms(complete.unit, complete.neighbors, currency)
    statistics = [_tabulated(statistic) for statistic in complete.statistics]
    _check(complete, statistics, terms)
    whole = budget(complete, currency)
    amount = whole.epsilon_nano + whole.rho_nano
    own = [_own(place, statistic, complete, terms, amount) for place, statistic in enumerate(statistics)]
    weights = _weights(complete, statistics, own, terms, amount - sum(part or 0 for part in own))
    given = [None if part is not None else weight for part, weight in zip(own, weights, strict=True)]
    taken_from = sharing.sources(complete, terms, given)
    for index, other in taken_from.items():
        weights[other] += weights[index]
    paying = [index for index in range(len(statistics)) if index not in taken_from]
    parts = shares(
        complete,
        currency,
        own=[own[index] for index in paying],
        weights=[weights[index] for index in paying],
        with_delta=[statistics[index].discovers(complete.schema) for index in paying],
        places=paying,
    )
    paid = {
        index: _priced(statistics[index], part, complete, terms, index)
        for index, part in zip(paying, parts, strict=True)
    }
    items = (
        paid[index] if index in paid else _derived(statistics[index], paid[taken_from[index]], complete)
        for index in range(len(statistics))
    )
    return Price(plan=complete, statistics=tuple(items), currency=currency)


def _check(plan: Plan, statistics: Sequence[Tabulated], terms: Terms) -> None:
    report = Report()
    for place, statistic in enumerate(statistics):
        statistic.check_plan(f"statistics[{place}]", plan, terms, report)
    report.raise_any(PlanError)
    queries = (query for statistic in statistics for query in statistic.queries(plan.schema))
    cells = sum(query.cells for query in queries if isinstance(query, TallyQuery))
    if cells > MAX_CELLS:
        remedy = "Use fewer statistics, bins or quantile cells, or several plans."
        raise PlanError(
            "statistics", found=f"{cells} cells to count in all", allowed=f"at most {MAX_CELLS}", remedy=remedy
        )


def _tabulated(statistic: Statistic) -> Tabulated:
    assert isinstance(statistic, Tabulated)
    return statistic


def _own(place: int, statistic: Tabulated, plan: Plan, terms: Terms, amount: int) -> int | None:
    """A statistic's own share in nano of the currency: stated, or solved from its target error; None by weight."""
    if statistic.epsilon_nano is not None:
        return in_currency(statistic.epsilon_nano, terms.currency)
    if statistic.target_error is None:
        return None
    value, confidence = float(statistic.target_error.value), float(statistic.target_error.confidence)

    discovering = sum(_tabulated(each).discovers(plan.schema) for each in plan.statistics)
    delta = budget(plan, terms.currency).delta_atto // max(1, discovering)

    def errs(nano: int) -> float:
        share = _loss(nano, terms.currency, delta)
        item = _priced(statistic, share, plan, terms, place, confidence=confidence)
        if item.error95 is None and plan.expected is not None:
            return inf
        if item.error95 is None:
            raise PlanError(
                "expected",
                found="nothing",
                allowed="the expected number of rows, on which the error of this statistic depends",
                remedy=f"Add `expected: {{rows: ...}}`, or give statistics[{place}] a weight or an epsilon.",
            )
        return item.error95

    least = len(statistic.measurements(plan.schema, terms))
    needed = _smallest(errs, value, least, MAX_EPSILON * NANO)
    if needed is None or needed > amount:
        symbol = "ε" if terms.currency is Currency.PURE else "ρ"
        has = decimal_text(Decimal(amount) / NANO)
        need = None if needed is None else decimal_text(Decimal(needed) / NANO)
        raise PlanError(
            f"statistics[{place}].target_error",
            found=f"an error of {value:g} with {confidence:.1%}"
            + (f", which takes {symbol} {need}" if need else ", which no noise is small enough for"),
            allowed=f"an error within the plan's {symbol} {has}"
            + (f": it is short by {decimal_text(Decimal((needed or 0) - amount) / NANO)}" if need else ""),
            remedy="Allow a larger error or a lower confidence, or raise privacy.epsilon.",
        )
    return needed


def _smallest(errs: Callable[[int], float], value: float, least: int, most: int) -> int | None:
    """The smallest share whose error is at most the value, by bisection: errors fall as shares grow."""
    low, high = least, least
    while errs(high) > value:
        if high >= most:
            return None
        low, high = high, min(most, high * 4)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if errs(middle) <= value else (middle + 1, high)
    return high


def _loss(nano: int, currency: Currency, delta_atto: int = 0) -> PrivacyLoss:
    pure = currency is Currency.PURE
    return PrivacyLoss(epsilon_nano=nano if pure else 0, rho_nano=0 if pure else nano, delta_atto=delta_atto)


def _weights(
    plan: Plan, statistics: Sequence[Tabulated], own: Sequence[int | None], terms: Terms, left: int
) -> list[Fraction]:
    """The weights as declared, or so that expected relative errors are equal, or their sum is least.

    With relative error r = a/w (in zcdp a/√w): equal where w ∝ a (a²), the sum least where w ∝ √a (a^⅔).
    """
    weights = [Fraction(statistic.weight) for statistic in statistics]
    open_ = [index for index, part in enumerate(own) if part is None]
    if not plan.weights or len(open_) < 2 or left <= 0:
        return weights
    if plan.expected is None:
        raise PlanError(
            "expected",
            found="nothing",
            allowed="the expected number of rows: `weights` other than your own are made from it",
            remedy="Add `expected: {rows: ...}`.",
        )
    falls = 1.0 if terms.currency is Currency.PURE else 0.5
    power = 1 / falls if plan.weights == "equalise" else 1 / (1 + falls)
    for _ in range(ROUNDS):
        parts = split(left, [weights[index] for index in open_])
        for index, part in zip(open_, parts, strict=True):
            share = max(part, len(statistics[index].measurements(plan.schema, terms)))
            item = _priced(
                statistics[index], _loss(share, terms.currency, plan.delta_atto // 2 or 0), plan, terms, index
            )
            relative = (item.error95 or 1.0) / statistics[index].magnitude(plan.schema, plan.expected)
            weights[index] = Fraction((relative * (share / left) ** falls) ** power).limit_denominator(10**9)
            weights[index] = max(weights[index], Fraction(1, 10**9))
    return weights


def _priced(
    statistic: Tabulated, share: PrivacyLoss, plan: Plan, terms: Terms, place: int, *, confidence: float = 0.95
) -> StatisticPrice:
    measurements = statistic.measurements(plan.schema, terms)
    amount = share.epsilon_nano + share.rho_nano
    parts = split(amount, [measurement.weight for measurement in measurements])
    if min(parts) == 0:
        raise PlanError(
            f"statistics[{place}]",
            found=f"{len(measurements)} answers for a share of {decimal_text(Decimal(amount) / NANO)}",
            allowed="at least 1e-9 for each",
            remedy="Raise the statistic's share.",
        )
    mechanisms = tuple(
        measurement.mechanism.calibrate(
            measurement.sensitivity, _loss(part, terms.currency, share.delta_atto), **measurement.settings
        )
        for measurement, part in zip(measurements, parts, strict=True)
    )
    return StatisticPrice(
        statistic=statistic,
        mechanisms=mechanisms,
        size=statistic.size(plan.schema),
        error=statistic.error(plan.schema, mechanisms, plan.expected, confidence),
    )


def _derived(statistic: Tabulated, given: StatisticPrice, plan: Plan) -> StatisticPrice:
    way = sharing.source(statistic, given.statistic, plan.schema)
    assert way is not None
    return StatisticPrice(
        statistic=statistic,
        mechanisms=(),
        size=statistic.size(plan.schema),
        error=ExpectedError(float(way.half_width(given.mechanisms[0])), "mechanism"),
        source=given,
        way=way,
    )
