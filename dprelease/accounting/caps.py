"""What a population may spend in its currency."""

from __future__ import annotations

from dataclasses import replace

from dprelease.accounting.zcdp import rho_within
from dprelease.errors import InputError
from dprelease.model.population import Population
from dprelease.model.privacy import Currency
from dprelease.words import phrase


def with_rho(population: Population) -> Population:
    """The population with the ρ that its cap comes to, where it counts in ρ."""
    if population.currency is Currency.PURE:
        return population
    rho_nano = rho_within(population.cap.epsilon_nano, population.cap.delta_atto // 2)
    if rho_nano == 0:
        raise InputError(
            "epsilon",
            found=phrase("accounting.comes_less_than_1e", cap=population.cap),
            allowed=phrase("accounting.cap_comes_at_least"),
            remedy=phrase("accounting.raise_choose_currency_pure"),
        )
    return replace(population, rho_nano=rho_nano)
