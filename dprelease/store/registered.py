"""A population as it stands in the database, found inside a transaction."""

from __future__ import annotations

from typing import Any

from dprelease.errors import InputError
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss
from dprelease.model.report import nearest
from dprelease.store.connection import Connection

POPULATIONS = (
    "SELECT name, unit, neighbors, currency, cap_epsilon_nano, cap_rho_nano, cap_delta_atto, size FROM populations"
)


def population_within(connection: Connection, name: str) -> Population:
    """Raises InputError where there is no such population."""
    row = connection.execute(f"{POPULATIONS} WHERE name = ?", [name]).fetchone()
    if row is None:
        raise unknown_population(connection, name)
    return _read(row)


def populations_within(connection: Connection) -> list[Population]:
    """Every population, by name."""
    return [_read(row) for row in connection.execute(f"{POPULATIONS} ORDER BY name")]


def unknown_population(connection: Connection, name: str) -> InputError:
    names = [known for (known,) in connection.execute("SELECT name FROM populations")]
    return InputError("population", found=name, allowed="a registered population", remedy=nearest(name, names))


def _read(row: tuple[Any, ...]) -> Population:
    name, unit, neighbors, currency, epsilon_nano, rho_nano, delta_atto, size = row
    return Population(
        name=name,
        unit=unit,
        neighbors=NeighboringRelation(neighbors),
        cap=PrivacyLoss(epsilon_nano=epsilon_nano, delta_atto=delta_atto),
        currency=Currency(currency),
        size=size,
        rho_nano=rho_nano,
    )
