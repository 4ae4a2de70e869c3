"""Populations: the units whose privacy is spent, and the budget of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from dprelease.errors import InputError, PlanError
from dprelease.model.code import ColumnSet, references
from dprelease.model.plan import Plan
from dprelease.model.privacy import (
    ATTO,
    MAX_DELTA,
    Currency,
    NeighboringRelation,
    PrivacyLoss,
    read_delta,
    read_epsilon,
    rho_delta,
)
from dprelease.model.report import Report, as_decimal
from dprelease.model.schema import Schema
from dprelease.words import phrase, quoted

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
MAX_SIZE = 10**12
MIN_ZCDP_DELTA_ATTO = 2
"""Minimum δ of a cap in zCDP: half of it turns ρ into ε and must not be nothing."""


class Overlap(StrEnum):
    """Overlap of two populations: the units that they share."""

    SAME = "same"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """A group of privacy units with one budget: every dataset about them spends from the same cap."""

    name: str
    unit: str
    """Name of the unit, such as person, household or visit."""
    neighbors: NeighboringRelation
    cap: PrivacyLoss
    """Cap as declared: (ε, δ) of all releases together, in either currency."""
    currency: Currency = Currency.PURE
    size: int | None = None
    """Declared public number of units."""
    rho_nano: int = 0
    """Budget in ρ: in zcdp, the largest ρ whose ε at `rho_delta_atto` is within the cap's ε; 0 in pure."""
    period: str | None = None
    """Period for which the cap holds, such as 2026; None where one cap holds for all time."""
    discovers: bool = True
    """False, in zcdp, where it was registered with the promise that no plan ever discovers anything."""

    @property
    def budget(self) -> PrivacyLoss:
        """Budget for all charges together, in the currency: the cap; or ρ, with the other half of the cap's δ.

        Half of δ turns ρ into ε; the other half (both rounded down) pays for mechanisms with a δ of their own. Where
        nothing is discovered there are none: all of δ turns ρ into ε, and none is left to be charged.
        """
        if self.currency is Currency.PURE:
            return self.cap
        return PrivacyLoss(rho_nano=self.rho_nano, delta_atto=self.cap.delta_atto // 2 if self.discovers else 0)

    @property
    def rho_delta_atto(self) -> int:
        """Value of δ, in 10^-18, at which every ρ of a zcdp population is converted to an ε."""
        return rho_delta(self.cap.delta_atto, self.discovers)

    @classmethod
    def read(
        cls,
        name: object,
        *,
        unit: object,
        neighbors: object,
        epsilon: object,
        delta: object,
        currency: object,
        size: object,
        discovers: object = True,
    ) -> Population:
        """Raise InputError with every problem. In zcdp, `rho_nano` is left to whoever can compute it."""
        report = Report()
        text = read_name(name, "population", report)
        word = report.text(unit, "unit", longest=60)
        if not word.strip():
            report.add("unit", found=unit, allowed=phrase("model.word_whose_presence_hidden"))
        relation = report.choice(neighbors, "neighbors", [item.value for item in NeighboringRelation])
        money = report.choice(currency, "currency", [item.value for item in Currency])
        cap = PrivacyLoss(
            epsilon_nano=read_epsilon(epsilon, "epsilon", report),
            delta_atto=_read_delta(delta, money, report),
        )
        declared = None if size is None else report.integer(size, "size", lowest=1, highest=MAX_SIZE)
        _check_discovers(discovers, money, report)
        report.raise_any(InputError)
        return cls(
            name=text,
            unit=word,
            neighbors=NeighboringRelation(relation or ""),
            cap=cap,
            currency=Currency(money or ""),
            size=declared,
            discovers=discovers is True,
        )

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in the ledger; ρ and a period only where there is one, `discovers` only where false."""
        return {
            "name": self.name,
            "unit": self.unit,
            "neighbors": self.neighbors.value,
            "currency": self.currency.value,
            "epsilon_nano": self.cap.epsilon_nano,
            "delta_atto": self.cap.delta_atto,
            **({"rho_nano": self.rho_nano} if self.rho_nano else {}),
            **({"period": self.period} if self.period is not None else {}),
            **({} if self.discovers else {"discovers": False}),
            "size": self.size,
        }

    @classmethod
    def from_mapping(cls, value: Mapping[str, Any]) -> Population:
        """Return the inverse of `to_mapping`, for values this program wrote."""
        return cls(
            name=value["name"],
            unit=value["unit"],
            neighbors=NeighboringRelation(value["neighbors"]),
            currency=Currency(value["currency"]),
            cap=PrivacyLoss(epsilon_nano=value["epsilon_nano"], delta_atto=value["delta_atto"]),
            size=value["size"],
            rho_nano=value.get("rho_nano", 0),
            period=value.get("period"),
            discovers=value.get("discovers", True),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A registered private table of one population. Holds no rows and no path to them."""

    name: str
    population: str
    unit_column: str | None
    """Column that identifies the unit; None where the curator attests that a row is a unit."""
    unit_codes: tuple[str, ...] = ()
    """Identifiers that stand for nobody, such as 0: rows with one are left out, as rows without an identifier are."""
    schema: Schema
    version: str
    """Opaque: changes when the rows are replaced, says nothing about them."""
    analysts: bool = False
    """True where analysts write plans about it at a distance."""

    @property
    def columns(self) -> ColumnSet:
        """Columns for code that asks for statistics of them: `Visits = ws.datasets["visits"].columns`."""
        return references(self.schema)

    def completed(self, plan: Plan) -> Plan:
        """Return the plan with the identifiers that stand for nobody, which are the dataset's to say."""
        if plan.unit.column != self.unit_column or plan.unit.missing_codes:
            return plan
        return replace(plan, unit=replace(plan.unit, missing_codes=self.unit_codes))

    def check(self, plan: Plan, population: Population) -> None:
        """Raise PlanError where the plan contradicts the dataset or its population."""
        report = Report()
        if plan.unit.column != self.unit_column:
            allowed = "row" if self.unit_column is None else f"{{column: {self.unit_column}, max_rows: ...}}"
            report.add(
                "privacy.unit",
                found="row" if plan.unit.column is None else plan.unit.column,
                allowed=phrase("model.dataset_registered", allowed=allowed, name=quoted(self.name)),
            )
        elif plan.unit.missing_codes not in ((), self.unit_codes):
            report.add(
                "privacy.unit.missing_codes",
                found=", ".join(plan.unit.missing_codes),
                allowed=phrase("model.those_dataset_registered_key", name=quoted(self.name)),
            )
        if plan.neighbors is not population.neighbors:
            report.add(
                "privacy.neighbors",
                found=plan.neighbors.value,
                allowed=phrase(
                    "model.population_registered",
                    neighbors=population.neighbors.value,
                    population=quoted(population.name),
                ),
            )
        report.raise_any(PlanError)


def _check_discovers(value: object, currency: str | None, report: Report) -> None:
    """Add a problem unless it is true or false, and false in zcdp alone: elsewhere a cap on δ of 0 says the same."""
    if type(value) is not bool:
        report.add("discovers", found=value, allowed=phrase("model.discovers_true_false"))
    elif not value and currency == Currency.PURE:
        report.add(
            "discovers",
            found=phrase("model.discovers_in_pure"),
            allowed=phrase("model.discovers_in_zcdp"),
            remedy=phrase("model.discovers_no_delta"),
        )


def _read_delta(value: object, currency: str | None, report: Report) -> int:
    """Return the cap's δ in atto; a problem where the currency needs more of it than there is."""
    number = as_decimal(value)
    if currency == Currency.ZCDP and number is not None and 0 <= number * ATTO < MIN_ZCDP_DELTA_ATTO:
        report.add(
            "delta",
            found=value,
            allowed=phrase("model.number_from_e_18", min_zcdp_delta_atto=MIN_ZCDP_DELTA_ATTO, max_delta=MAX_DELTA),
            remedy=phrase("model.give_small_such_1e"),
        )
        return 0
    return read_delta(value, "delta", report)


def read_name(value: object, path: str, report: Report) -> str:
    """Return a name that is safe in a path, a URL and a command line."""
    if isinstance(value, str) and NAME.fullmatch(value):
        return value
    report.add(
        path,
        found=value,
        allowed=phrase("model.z_0_9_point"),
    )
    return ""
