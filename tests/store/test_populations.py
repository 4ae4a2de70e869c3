from __future__ import annotations

from dataclasses import replace

import pytest

from dprelease.errors import InputError, InternalError
from dprelease.model.population import Population
from dprelease.model.privacy import NeighboringRelation, PrivacyLoss
from dprelease.store import ledger, populations
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from tests.store.world import CURATOR, counted_in_rho, population

pytestmark = pytest.mark.quick

SMALL = Population(
    name="a-team",
    unit="household",
    neighbors=NeighboringRelation.SUBSTITUTE,
    cap=PrivacyLoss(epsilon_nano=1, delta_atto=10**15),
)


def test_a_population_comes_back_as_it_was_registered(database: Database) -> None:
    for item in (population(), SMALL, counted_in_rho("students")):
        populations.add(database, item, actor=CURATOR)
    assert populations.get(database, "patients") == population()
    assert populations.every(database) == [SMALL, population(), counted_in_rho("students")]


@pytest.mark.parametrize("item", [SMALL, counted_in_rho()], ids=lambda item: item.currency)
def test_registration_is_an_event(database: Database, item: Population) -> None:
    populations.add(database, item, actor=CURATOR)
    (event,) = ledger.events(database, kinds=[EventKind.POPULATION_CREATED])
    assert (event.population, event.actor, event.body) == (item.name, "maria", item.to_mapping())
    assert event.spent == PrivacyLoss()


@pytest.mark.parametrize(
    "item", [replace(counted_in_rho(), rho_nano=0), replace(population(), rho_nano=1)], ids=lambda item: item.currency
)
def test_rho_belongs_to_zcdp_alone(database: Database, item: Population) -> None:
    with pytest.raises(InternalError, match=item.currency):
        populations.add(database, item, actor=CURATOR)
    assert populations.every(database) == []


def test_a_name_is_taken_once(database: Database) -> None:
    populations.add(database, population(), actor=CURATOR)
    with pytest.raises(InputError, match=r"'patients'.*share its budget"):
        populations.add(database, population(cap=PrivacyLoss(epsilon_nano=5)), actor=CURATOR)
    assert populations.every(database) == [population()]
    assert ledger.count(database) == 2


def test_an_unknown_name_gets_the_nearest(database: Database) -> None:
    populations.add(database, population(), actor=CURATOR)
    with pytest.raises(InputError, match="Did you mean 'patients'"):
        populations.get(database, "patient")
