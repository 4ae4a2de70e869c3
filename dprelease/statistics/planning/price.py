"""Costs and expected errors of a plan: computed from public facts alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

from dprelease.accounting.rho_conversion import epsilon_at
from dprelease.accounting.shares import factor_of, times
from dprelease.errors import PlanError
from dprelease.model.encoding import canonical, digest
from dprelease.model.plan import Plan
from dprelease.model.plan_code import loss_of
from dprelease.model.privacy import Currency, PrivacyLoss, Terms, decimal_text, rho_delta, total
from dprelease.model.recurring import shapes
from dprelease.model.report import Report, nearest
from dprelease.model.schema import Schema
from dprelease.model.stated import as_json
from dprelease.model.statistic import Statistic
from dprelease.model.tally import TallyQuery
from dprelease.model.view import View, Viewed
from dprelease.statistics.derived import check_derived
from dprelease.statistics.planning.bounding import with_bounds
from dprelease.statistics.planning.division import Division
from dprelease.statistics.planning.measurement import PricedMeasurement
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.planning.reaches import Reaches, check_sources, reaches_of
from dprelease.statistics.planning.weighing import weighed
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.words import phrase

MAX_CELLS = 50_000_000
"""Largest number of cells of all tallies of a plan: twelve full cross tables, or hundreds of quantiles."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Price(Viewed):
    """The price of a plan: charged is the sum of its statistics' losses, never more than the plan's ε and δ.

    Example: `dp.price(plan)["ages"].error95`.
    """

    plan: Plan
    """Complete: with the columns it uses. Of a run it is the plan of one edition: `plan.whole` is the run's."""
    statistics: tuple[StatisticPrice, ...]
    currency: Currency = Currency.PURE
    discovers: bool = True
    """Both as of the population."""
    stated_loss: PrivacyLoss | None = None
    """Loss of its run as a certificate states it; None where it is worked out."""

    @cached_property
    def measurements(self) -> tuple[PricedMeasurement, ...]:
        """Measurements that are noised, charged and sealed."""
        return tuple(item.derivation.own for item in self.statistics if item.derivation.own is not None)

    @cached_property
    def edition_loss(self) -> PrivacyLoss:
        """Privacy loss of the draw by itself; of a run, whose loss is what counts, that of this edition."""
        return total(measurement.loss for measurement in self.measurements)

    @cached_property
    def loss(self) -> PrivacyLoss:
        """Privacy loss that is charged, in the population's currency: of a run for all its editions, once.

        That is its factor times the largest loss of an edition, whatever the length of its period.
        """
        if self.plan.run is None or self.stated_loss is not None:
            return self.stated_loss or self.edition_loss
        solved = any(item.statistic.target_error is not None for item in self.statistics)
        losses = [each.edition_loss for each in (self.shapes if solved else (self,))]
        most = PrivacyLoss(
            epsilon_nano=max(each.epsilon_nano for each in losses),
            rho_nano=max(each.rho_nano for each in losses),
            delta_atto=max(each.delta_atto for each in losses),
        )
        return times(most, factor_of(self.plan))

    @cached_property
    def shapes(self) -> tuple[Price, ...]:
        """Prices of the editions of its run: one that stands for all where no statistic looks at their dates."""
        names, plan, terms = shapes(self.plan), self.plan.whole, (self.currency, self.discovers)
        if self.plan.run is not None and self.plan.run.period in names and len(names) == 1:
            return (self,)
        return tuple(_priced(plan.edition(name), *terms) for name in names)

    @property
    def edition_hashes(self) -> tuple[str, ...]:
        """Hashes of the mechanisms by edition in order; one where all have the same."""
        found = tuple(each.mechanisms_hash for each in self.shapes)
        return found[:1] if len(set(found)) == 1 else found

    @cached_property
    def reaches(self) -> Reaches:
        """Margins of error by noise of each standardised rate."""
        return reaches_of(self.plan, self.statistics)

    @cached_property
    def mechanisms_hash(self) -> str:
        """Hashes the mechanisms with their scales and settings: which noise a draw is made with."""
        return digest({each.id: as_json(each.stated().mechanisms) for each in self.measurements})

    @property
    def rounds(self) -> int:
        """Number of rounds in which it is drawn."""
        return max((measurement.rounds for measurement in self.measurements), default=1)

    @property
    def epsilon(self) -> Decimal:
        """Cost of the plan at its own δ: Σε, or in zcdp ε(Σρ), in four digits, rounded up."""
        if self.currency is Currency.PURE:
            return self.loss.epsilon
        return epsilon_at(self.loss.rho_nano, self.rho_delta_atto)

    @property
    def delta(self) -> Decimal:
        """The δ that goes with it: Σδ of the mechanisms, and in zcdp the δ that turns ρ into ε."""
        if self.currency is Currency.PURE:
            return self.loss.delta
        return PrivacyLoss(delta_atto=self.loss.delta_atto + self.rho_delta_atto).delta

    @property
    def rho_delta_atto(self) -> int:
        """Part of the plan's δ at which its ρ is told as an ε."""
        return rho_delta(self.plan.delta_atto, self.discovers)

    def __getitem__(self, statistic: str) -> StatisticPrice:
        for item in self.statistics:
            if item.id == statistic:
                return item
        near = nearest(statistic, [item.id for item in self.statistics])
        raise KeyError(f"no statistic {statistic!r} in this plan. {near}".rstrip())

    def __iter__(self) -> Iterator[StatisticPrice]:
        return iter(self.statistics)

    def __len__(self) -> int:
        return len(self.statistics)

    def _ipython_key_completions_(self) -> list[str]:
        return [item.id for item in self.statistics]

    def view(self) -> View:
        rows = [(i.id, i.kind, "" if i.error95 is None else f"± {i.error95:.4g}", i.basis or "") for i in self]
        loss = loss_of(self.plan, self.epsilon, self.delta)
        counted = [f"ρ = {self.loss.rho}"] if self.currency is Currency.ZCDP else []
        title = str(phrase("statistics.view_price", title=self.plan.title or self.plan.dataset))
        return View(title, [loss, *counted], ("id", "kind", "error95", "basis"), rows)

    def to_mapping(self) -> dict[str, Any]:
        mapping = {
            "plan_hash": self.plan.whole.hash,
            "dataset": self.plan.dataset,
            "unit": self.plan.unit.to_mapping(),
            "neighbors": self.plan.neighbors.value,
            "currency": self.currency.value,
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "epsilon_text": decimal_text(self.epsilon),
            "measurements": as_json([measurement.stated() for measurement in self.measurements]),
            "statistics": [statistic.to_mapping(self.plan.schema) for statistic in self.statistics],
        }
        if self.currency is Currency.ZCDP:
            mapping["rho"] = float(self.loss.rho)
        return mapping


@lru_cache(maxsize=256)
def price_of(plan: str, currency: Currency, discovers: bool) -> Price:
    """Return the price of a complete plan as it is stored, in JSON: the same text costs the same, whoever asks."""
    return price(Plan.parse(json.loads(plan)), currency=currency, discovers=discovers)


def price(
    plan: Plan, schema: Schema | None = None, *, currency: Currency = Currency.PURE, discovers: bool = True
) -> Price:
    """Price a plan from its own columns, joined by a registered schema if given. Reads no rows.

    `currency`, `discovers`: of the plan's population. Raises PlanError where a column is undeclared, a statistic does
    not fit the plan's unit, relation or budget, a target error cannot be met, or a share would be 0.

    Example: `dp.price(plan).epsilon`.
    """
    complete = plan.with_schema(schema or Schema({}))
    if complete.run is not None and not complete.run.period:
        complete = complete.edition(complete.run.first)
    return _priced(complete, currency, discovers)


@lru_cache(maxsize=1024)
def _of_text(plan: str, currency: Currency, discovers: bool) -> Price:
    complete = Plan.parse(json.loads(plan)).with_schema(Schema({}))  # columns in order of use, as a verifier has them
    return _worked_out(complete, currency, discovers)


def _priced(complete: Plan, currency: Currency, discovers: bool) -> Price:
    """Return the price of a complete plan; of an edition it is kept, since a run asks for that of each."""
    if complete.run is None:
        return _worked_out(complete, currency, discovers)
    return _of_text(canonical(complete.to_mapping()).decode(), currency, discovers)


def _worked_out(complete: Plan, currency: Currency, discovers: bool) -> Price:
    terms, statistics = checked(complete, currency, discovers)
    division = weighed(Division.of(complete, statistics, terms))
    items = division.priced(division.shares(complete))
    check_sources(complete, items)
    return Price(plan=complete, statistics=with_bounds(items, complete.schema), currency=currency, discovers=discovers)


def checked(plan: Plan, currency: Currency, discovers: bool = True) -> tuple[Terms, list[TallyStatistic]]:
    """Return what a complete plan's guarantee is about, and its statistics. Raises PlanError where one misfits."""
    terms = Terms(plan.unit, plan.neighbors, currency, discovers)
    statistics = [_tabulated(statistic) for statistic in plan.statistics]
    _check(plan, statistics, terms)
    return terms, statistics


def _check(plan: Plan, statistics: Sequence[TallyStatistic], terms: Terms) -> None:
    report = Report()
    for place, statistic in enumerate(statistics):
        statistic.check_plan(f"statistics[{place}]", plan, terms, report)
    check_derived(plan, statistics, report)
    report.raise_any(PlanError)
    queries = (query for statistic in statistics for query in statistic.queries(plan.schema))
    cells = sum(query.cells for query in queries if isinstance(query, TallyQuery))
    if cells > MAX_CELLS:
        remedy = phrase("statistics.use_fewer_statistics_bins")
        raise PlanError(
            "statistics",
            found=phrase("statistics.cells_count_all", cells=cells),
            allowed=phrase("model.at_most", max_text=MAX_CELLS),
            remedy=remedy,
        )


def _tabulated(statistic: Statistic) -> TallyStatistic:
    assert isinstance(statistic, TallyStatistic)
    return statistic
