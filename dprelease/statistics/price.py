"""What a plan costs and how far its results may err: computed from public facts alone."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dprelease.accounting import shares, split
from dprelease.errors import PlanError
from dprelease.mechanisms import Mechanism
from dprelease.model.plan import Plan
from dprelease.model.privacy import PrivacyLoss, decimal_text, total
from dprelease.model.schema import Schema
from dprelease.model.statistic import Statistic
from dprelease.statistics.tabulated import ExpectedError, Tabulated

MAX_CELLS = 50_000_000
"""Of all tallies of a plan together; twelve full cross tables, or hundreds of quantiles."""
BASES = {
    "mechanism": "from the mechanism alone",
    "expected": "from the plan's expected rows and an even spread",
}


@dataclass(frozen=True, kw_only=True)
class StatisticPrice:
    """One statistic with its calibrated mechanisms, its loss and its expected error."""

    statistic: Tabulated
    mechanisms: tuple[Mechanism, ...]
    size: int
    """Rows of its published table."""
    error: ExpectedError | None

    @property
    def id(self) -> str:
        return self.statistic.id

    @property
    def kind(self) -> str:
        return self.statistic.kind

    @property
    def loss(self) -> PrivacyLoss:
        return total(mechanism.share for mechanism in self.mechanisms)

    @property
    def error95(self) -> float | None:
        """In the statistic's own units."""
        return None if self.error is None else self.error.error95

    @property
    def basis(self) -> str | None:
        """`mechanism` or `expected`: what the error is computed from."""
        return None if self.error is None else self.error.basis

    def to_mapping(self) -> dict[str, Any]:
        mechanisms = [mechanism.to_mapping() for mechanism in self.mechanisms]
        return {
            "id": self.id,
            "kind": self.kind,
            "cells": self.size,
            "mechanism": mechanisms[0]["name"],
            "scale": mechanisms[0]["scale"],
            "mechanisms": mechanisms,
            "epsilon": float(self.loss.epsilon),
            "delta": float(self.loss.delta),
            "error95": self.error95,
            "basis": self.basis,
        }


@dataclass(frozen=True, kw_only=True)
class Price:
    """The price of a plan: charged is the sum of its statistics' losses, never more than the plan's ε and δ."""

    plan: Plan
    """Complete: with the columns it uses."""
    statistics: tuple[StatisticPrice, ...]

    @property
    def loss(self) -> PrivacyLoss:
        return total(statistic.loss for statistic in self.statistics)

    def __getitem__(self, statistic: str) -> StatisticPrice:
        return next(item for item in self.statistics if item.id == statistic)

    def to_mapping(self) -> dict[str, Any]:
        return {
            "plan_hash": self.plan.hash,
            "dataset": self.plan.dataset,
            "unit": self.plan.unit.to_mapping(),
            "neighbors": self.plan.neighbors.value,
            "epsilon": float(self.loss.epsilon),
            "delta": float(self.loss.delta),
            "epsilon_text": decimal_text(self.loss.epsilon),
            "statistics": [statistic.to_mapping() for statistic in self.statistics],
        }


def price(plan: Plan, schema: Schema | None = None) -> Price:
    """Prices a plan from its own columns, joined by a registered schema if given. Reads no rows.

    Raises PlanError where a column is undeclared, or a share of ε would be 0.
    """
    complete = plan.with_schema(schema or Schema({}))
    _check_size(complete)
    parts = zip(complete.statistics, shares(complete), strict=True)
    priced = (_priced(_tabulated(statistic), share, complete, place) for place, (statistic, share) in enumerate(parts))
    return Price(plan=complete, statistics=tuple(priced))


def _check_size(plan: Plan) -> None:
    cells = sum(query.cells for statistic in plan.statistics for query in _tabulated(statistic).queries(plan.schema))
    if cells > MAX_CELLS:
        remedy = "Use fewer statistics, bins or quantile cells, or several plans."
        raise PlanError(
            "statistics", found=f"{cells} cells to count in all", allowed=f"at most {MAX_CELLS}", remedy=remedy
        )


def _tabulated(statistic: Statistic) -> Tabulated:
    assert isinstance(statistic, Tabulated)
    return statistic


def _priced(statistic: Tabulated, share: int, plan: Plan, place: int) -> StatisticPrice:
    measurements = statistic.measurements(plan.schema, plan.unit.max_rows, plan.neighbors)
    parts = split(share, [Fraction(1)] * len(measurements))
    if min(parts) == 0:
        raise PlanError(
            f"statistics[{place}]",
            found=f"{len(measurements)} answers for a share of {decimal_text(Decimal(share) / 10**9)}",
            allowed="at least 1e-9 for each",
            remedy="Raise the statistic's share.",
        )
    mechanisms = tuple(
        measurement.mechanism.calibrate(measurement.sensitivity, PrivacyLoss(epsilon_nano=part))
        for measurement, part in zip(measurements, parts, strict=True)
    )
    return StatisticPrice(
        statistic=statistic,
        mechanisms=mechanisms,
        size=statistic.size(plan.schema),
        error=statistic.error(plan.schema, mechanisms, plan.expected),
    )
