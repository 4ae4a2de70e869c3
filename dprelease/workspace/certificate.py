"""The certificate of a release: everything a reader needs to check what was promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from math import ceil
from typing import Any

from dprelease.accounting.composition import group
from dprelease.accounting.zcdp import epsilon_of
from dprelease.model.encoding import plain
from dprelease.model.population import Population
from dprelease.model.privacy import ATTO, NANO, Currency, NeighboringRelation, PrivacyLoss, decimal_text
from dprelease.model.version import VERSION
from dprelease.statistics.price import Price
from dprelease.statistics.priced import StatisticPrice
from dprelease.statistics.survey import Survey


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """The entry of a release in the ledger, and what its population has spent by then."""

    seq: int
    hash: str
    spent: PrivacyLoss
    charges: int


GROUPS = (2, 5, 10, 100)
"""Of how many units together a certificate states the protection."""


@cache
def versions() -> dict[str, str]:
    """The software that made a release."""
    return {"dprelease": VERSION, "duckdb": version("duckdb"), "opendp": version("opendp")}


def certificate(
    *,
    release_id: str,
    price: Price,
    population: Population,
    charge: Charge,
    changed: Mapping[str, bool],
    published: date,
) -> dict[str, Any]:
    """The content of release.json.

    `changed`: whether plan
    and schema were created or changed after true values of the population were previewed.
    """
    plan, loss, spent = price.plan, price.loss, charge.spent
    guarantee: dict[str, Any] = {
        "epsilon": plain(price.epsilon),
        "delta": plain(price.delta),
        "unit": population.unit,
        "unit_column": plan.unit.column,
        "max_rows": plan.unit.max_rows,
        "neighbors": plan.neighbors.value,
        "groups": [_group(price, size) for size in GROUPS],
    }
    if plan.unit.max_groups is not None:
        guarantee["max_groups"] = plan.unit.max_groups
    if price.currency is Currency.ZCDP:
        guarantee["rho"] = plain(loss.rho)
    if plan.neighbors is NeighboringRelation.ADD_REMOVE:
        guarantee["exchange_epsilon"] = _group(price, 2)["epsilon"]
    return {
        "dprelease_release": 1,
        "id": release_id,
        "title": plan.title or f"Statistics of {plan.dataset}",
        "description": plan.description,
        "published": published.isoformat(),
        "plan": plan.to_mapping(),
        "plan_hash": plan.hash,
        "population": {
            "name": population.name,
            "unit": population.unit,
            "neighbors": population.neighbors.value,
            "currency": population.currency.value,
            "epsilon_cap": plain(population.cap.epsilon),
            "delta_cap": plain(population.cap.delta),
            "size": population.size,
        },
        "guarantee": guarantee,
        "statistics": [_statistic(item) for item in price.statistics],
        "loss": loss.to_mapping(),
        "ledger": {"seq": charge.seq, "hash": charge.hash},
        "cumulative": {
            **_meaning(spent, population),
            "loss": spent.to_mapping(),
            "releases": charge.charges,
        },
        "approval": {"workspace": "solo"},
        "previews": {"plan_changed_after": changed["plan"], "schema_changed_after": changed["schema"]},
        "caveats": caveats(price, population, changed),
        "versions": versions(),
        "supersedes": None,
        "errata": [],
    }


def _statistic(item: StatisticPrice) -> dict[str, Any]:
    mapping = item.to_mapping()
    del mapping["mechanism"], mapping["scale"]
    return {**mapping, **item.loss.to_mapping()}


def _answered(price: Price, unit: str) -> list[str]:
    """What randomized response does not hide."""
    names = [item.id for item in price.statistics if isinstance(item.statistic, Survey)]
    if not names:
        return []
    told = f"The number of rows is published exactly, by {', '.join(names)}: that hides what one {unit} answered, "
    return [f"{told}not whether there is such a {unit}."]


def _meaning(spent: PrivacyLoss, population: Population) -> dict[str, Any]:
    """What a population has spent as (ε, δ): in zcdp at half of the cap's δ."""
    if population.currency is Currency.PURE:
        return {"epsilon": plain(spent.epsilon), "delta": plain(spent.delta)}
    half = population.cap.delta_atto // 2
    return {
        "epsilon": plain(epsilon_of(spent.rho_nano, half)),
        "delta": plain(PrivacyLoss(delta_atto=spent.delta_atto + half).delta),
        "rho": plain(spent.rho),
    }


def _group(price: Price, units: int) -> dict[str, Any]:
    """The (ε, δ) that a group of so many units together is protected with; in zcdp by k²ρ where that is known."""
    half = price.plan.delta_atto // 2
    if price.currency is Currency.ZCDP and price.loss.delta_atto == 0:
        rho = group(PrivacyLoss(rho_nano=price.loss.rho_nano), units).rho_nano
        return {"units": units, "epsilon": plain(epsilon_of(rho, half)), "delta": plain(price.delta)}
    stated = PrivacyLoss(epsilon_nano=ceil(price.epsilon * NANO), delta_atto=ceil(price.delta * ATTO))
    together = group(stated, units)
    return {"units": units, "epsilon": plain(together.epsilon), "delta": plain(together.delta)}


def _group_text(price: Price, units: int) -> str:
    stated = _group(price, units)
    delta = f", δ = {decimal_text(Decimal(repr(stated['delta'])))}" if stated["delta"] else ""
    return f"{decimal_text(Decimal(repr(stated['epsilon'])))}{delta}"


def caveats(price: Price, population: Population, changed: Mapping[str, bool]) -> list[str]:
    """What the guarantee does not cover, in sentences."""
    plan, unit = price.plan, population.unit
    after = [word for word in ("plan", "schema") if changed[word]]
    if after:
        previewed = (
            f"Created or changed after true values of this population were previewed: the {' and the '.join(after)}. "
            "What that choice tells is outside the guarantee."
        )
    else:
        previewed = "Neither the plan nor the schema was changed after true values of this population were previewed."
    if plan.neighbors is NeighboringRelation.ADD_REMOVE:
        hidden = (
            f"It hides whether one {unit} is in the data at all. Exchanging the values of a {unit} who is present is "
            f"hidden less well, as if two were at stake: ε = {_group_text(price, 2)}."
        )
    else:
        counted = any(isinstance(item.statistic, Survey) for item in price.statistics)
        hidden = f"It hides what the rows of one {unit} are{'' if counted else ', including that there are none'}."
    if plan.unit.column is None:
        rows = f"Each row is taken to be one {unit}: the curator attests that nobody has two rows."
    else:
        rows = (
            f"At most {plan.unit.max_rows} rows of each {unit} were used; further rows, and rows that do not say whose "
            "they are, were left out, so totals can be lower than in the full table."
        )
    return [
        "The guarantee takes the plan and the declared columns as given: it does not protect how they were chosen.",
        previewed,
        hidden,
        f"A group of such units is protected less well the larger it is: 10 units with ε = {_group_text(price, 10)}.",
        rows,
        *_answered(price, unit),
        "Values outside the declared bounds count as the nearest bound.",
        "Intervals bound the noise only: not sampling, clipping or the leaving out of rows.",
        "One person wrote, approved and published this release (solo workspace).",
    ]
