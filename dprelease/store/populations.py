"""The registered populations. A registered population does not change and does not go away."""

from __future__ import annotations

from dprelease.errors import InputError, InternalError
from dprelease.model.actor import Actor
from dprelease.model.population import Population
from dprelease.model.privacy import Currency
from dprelease.store.clock import timestamp
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.store.registered import population_within, populations_within


def add(database: Database, population: Population, *, actor: Actor) -> Population:
    """Registers a population. Raises InputError where the name is taken."""
    if (population.rho_nano > 0) != (population.currency is Currency.ZCDP):
        raise InternalError(f"a population in {population.currency} with a cap of ρ = {population.rho_nano} nano")
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
            "INSERT INTO populations"
            " (name, unit, neighbors, currency, cap_epsilon_nano, cap_rho_nano, cap_delta_atto, size, created)"
            " VALUES (:name, :unit, :neighbors, :currency, :epsilon_nano, :rho_nano, :delta_atto, :size, :created)",
            {"rho_nano": 0, **population.to_mapping(), "created": timestamp()},
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
        return population_within(connection, name)


def all(database: Database) -> list[Population]:
    """Every population, by name."""
    with database.reading() as connection:
        return populations_within(connection)
