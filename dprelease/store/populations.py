"""The registered populations. A registered population does not change and does not go away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, NeighboringRelation, PrivacyLoss
from dprelease.store.account import unknown_population
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within


def add(database: Database, population: Population, *, actor: Actor) -> Population:
    """Registers a population. Raises InputError where the name is taken."""
    with database.writing() as connection:
        if connection.execute("SELECT 1 FROM populations WHERE name = ?", [population.name]).fetchone():
            raise InputError(
                "population",
                found=population.name,
                allowed="a name that no population has",
                remedy="Choose another name, or register the dataset in the population that is there: "
                "they share its budget.",
            )
        connection.execute(
            "INSERT INTO populations VALUES"
            " (:name, :unit, :neighbors, :currency, :epsilon_nano, :delta_atto, :size, :created)",
            {**population.to_mapping(), "created": timestamp()},
        )
        append_within(
            connection,
            EventKind.POPULATION_CREATED,
            actor=actor.name,
            population=population.name,
            body=population.to_mapping(),
        )
    return population


def get(database: Database, name: str) -> Population:
    """Raises InputError where there is no such population."""
    with database.reading() as connection:
        for row in connection["populations"].rows_where("name = ?", [name]):
            return _read(row)
        raise unknown_population(connection, name)


def all(database: Database) -> list[Population]:
    """Every population, by name."""
    with database.reading() as connection:
        return all_within(connection)


def all_within(connection: Connection) -> list[Population]:
    return [_read(row) for row in connection["populations"].rows_where(order_by="name")]


def _read(row: Mapping[str, Any]) -> Population:
    return Population(
        name=row["name"],
        unit=row["unit"],
        neighbors=NeighboringRelation(row["neighbors"]),
        cap=PrivacyLoss(epsilon_nano=row["cap_epsilon_nano"], delta_atto=row["cap_delta_atto"]),
        currency=Currency(row["currency"]),
        size=row["size"],
    )
