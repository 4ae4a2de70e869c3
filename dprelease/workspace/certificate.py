"""The certificate of a release: everything a reader needs to check what was promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.metadata import version
from typing import Any

from dprelease.model.encoding import plain
from dprelease.model.population import Population
from dprelease.model.privacy import NeighboringRelation, PrivacyLoss, decimal_text
from dprelease.model.version import VERSION
from dprelease.statistics.price import Price, StatisticPrice


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """The entry of a release in the ledger, and what its population has spent by then."""

    seq: int
    hash: str
    spent: PrivacyLoss
    charges: int


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
        "epsilon": plain(loss.epsilon),
        "delta": plain(loss.delta),
        "unit": population.unit,
        "unit_column": plan.unit.column,
        "max_rows": plan.unit.max_rows,
        "neighbors": plan.neighbors.value,
    }
    if plan.neighbors is NeighboringRelation.ADD_REMOVE:
        guarantee["exchange_epsilon"] = plain(2 * loss.epsilon)
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
        "loss": {"epsilon_nano": loss.epsilon_nano, "delta_atto": loss.delta_atto},
        "ledger": {"seq": charge.seq, "hash": charge.hash},
        "cumulative": {"epsilon": plain(spent.epsilon), "delta": plain(spent.delta), "releases": charge.charges},
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
    return {**mapping, "epsilon_nano": item.loss.epsilon_nano, "delta_atto": item.loss.delta_atto}


def caveats(price: Price, population: Population, changed: Mapping[str, bool]) -> list[str]:
    """What the guarantee does not cover, in sentences."""
    plan, unit, loss = price.plan, population.unit, price.loss.epsilon
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
            f"hidden with twice the loss, ε = {decimal_text(2 * loss)}."
        )
    else:
        hidden = f"It hides what the rows of one {unit} are, including that there are none."
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
        f"A group of k such units is protected with k times the loss: 10 units with ε = {decimal_text(10 * loss)}.",
        rows,
        "Values outside the declared bounds count as the nearest bound.",
        "Intervals bound the noise only: not sampling, clipping or the leaving out of rows.",
        "One person wrote, approved and published this release (solo workspace).",
    ]
