"""A population as it stands in the database, with the cap in force, found inside a transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dprelease.errors import InputError
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss
from dprelease.model.report import nearest
from dprelease.store.connection import Connection
from dprelease.words import phrase

POPULATIONS = """
SELECT name, unit, neighbors, currency, size, discovers, cap.cap_epsilon_nano, cap.cap_rho_nano, cap.cap_delta_atto,
    cap.period, cap.seq, before_epsilon_nano, before_rho_nano, before_delta_atto
FROM populations
JOIN caps AS cap ON cap.seq = (SELECT max(seq) FROM caps WHERE population = populations.name AND seq <= :seq)
"""
LAST = 2**62
"""A seq after every event's."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A population with the event that its cap began with, and what was spent before its period."""

    population: Population
    cap_seq: int
    before: PrivacyLoss


def population_within(connection: Connection, name: str) -> Population:
    """Return a population. Raises InputError where there is no such population."""
    return registered_within(connection, name).population


def registered_within(connection: Connection, name: str, seq: int = LAST) -> Registered:
    """Return one as it stood when an event was written. Raises InputError where there is no such population."""
    row = connection.execute(f"{POPULATIONS} WHERE name = :name", {"name": name, "seq": seq}).fetchone()
    if row is None:
        raise unknown_population(connection, name)
    return _read(row)


def all_registered_within(connection: Connection) -> list[Registered]:
    """Return every population, by name."""
    return [_read(row) for row in connection.execute(f"{POPULATIONS} ORDER BY name", {"seq": LAST})]


def unknown_population(connection: Connection, name: str) -> InputError:
    if connection.execute("SELECT 1 FROM requests WHERE population = ? AND state = 'open'", [name]).fetchone():
        found = phrase("store.waits_approval_second_person", name=name)
        return InputError("population", found=found, allowed=phrase("store.registered_population"))
    names = [known for (known,) in connection.execute("SELECT name FROM populations")]
    return InputError(
        "population", found=name, allowed=phrase("store.registered_population"), remedy=nearest(name, names)
    )


def _read(row: tuple[Any, ...]) -> Registered:
    name, unit, neighbors, currency, size, discovers, epsilon_nano, rho_nano, delta_atto, period, seq, *before = row
    population = Population(
        name=name,
        unit=unit,
        neighbors=NeighboringRelation(neighbors),
        cap=PrivacyLoss(epsilon_nano=epsilon_nano, delta_atto=delta_atto),
        currency=Currency(currency),
        size=size,
        rho_nano=rho_nano,
        period=period,
        discovers=bool(discovers),
    )
    return Registered(population, seq, PrivacyLoss(epsilon_nano=before[0], rho_nano=before[1], delta_atto=before[2]))
