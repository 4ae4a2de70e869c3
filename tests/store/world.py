"""A small registered world: a population of patients, a dataset of their visits, a plan that counts them."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset, Population
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss, PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.statistic import Statistic
from dprelease.store import datasets, plans, populations
from dprelease.store.database import Database
from dprelease.store.plans import PlanRecord

CURATOR = Actor("maria", frozenset({Role.CURATOR}))
REVIEWER = Actor("jonas", frozenset({Role.REVIEWER}))
ONE = PrivacyLoss(epsilon_nano=10**9)
CENT = PrivacyLoss(epsilon_nano=10**7)
RHO = PrivacyLoss(rho_nano=10**6)
RHO_CENT = PrivacyLoss(rho_nano=10**4)
SCHEMA = Schema.parse(
    {
        "sex": {"type": "category", "categories": ["F", "M"], "description": "as registered — ‹F› or ‹M›"},
        "age": {"type": "integer", "lower": 0, "upper": 100},
        "dose": {"type": "number", "lower": 0, "upper": 1, "resolution": 0.001},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
    }
)


class Count(Statistic):
    """A kind of our own, since the store knows none."""

    kind: ClassVar[str] = "count"


def population(name: str = "patients", cap: PrivacyLoss = ONE) -> Population:
    return Population(name=name, unit="person", neighbors=NeighboringRelation.ADD_REMOVE, cap=cap, size=12_000)


def counted_in_rho(name: str = "patients", rho_nano: int = RHO.rho_nano, delta_atto: int = 10**12 + 1) -> Population:
    """Its ρ is less than its ε and δ allow. Half of its δ, rounded down, is there to be spent."""
    cap = PrivacyLoss(epsilon_nano=10**9, delta_atto=delta_atto)
    return replace(population(name, cap), currency=Currency.ZCDP, rho_nano=rho_nano)


def dataset(name: str = "visits", of: str = "patients") -> Dataset:
    return Dataset(name=name, population=of, unit_column="person_id", schema=SCHEMA, version="v1")


def plan(title: str = "Visits", epsilon_nano: int = CENT.epsilon_nano) -> Plan:
    return Plan(
        title=title,
        dataset="visits",
        unit=PrivacyUnit("person_id", 5),
        neighbors=NeighboringRelation.ADD_REMOVE,
        epsilon_nano=epsilon_nano,
        statistics=(Count(id="n"),),
    )


def register(database: Database, cap: PrivacyLoss = ONE, of: Population | None = None) -> None:
    populations.add(database, of or population(cap=cap), actor=CURATOR)
    datasets.add(database, dataset(), "tables/visits.parquet", actor=CURATOR)


def approve(database: Database, title: str = "Visits", loss: PrivacyLoss = CENT) -> PlanRecord:
    record = plans.add(database, plan(title), "v1", author=CURATOR)
    return plans.approve(database, record.id, loss, approver=REVIEWER)
