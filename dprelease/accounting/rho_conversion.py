"""Conversion of a loss to (ε, δ), of a release and of a population in the same measure; and of a cap to ρ."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from math import ceil

from dprelease.accounting.composition import group
from dprelease.accounting.zcdp import epsilon_of, rho_within
from dprelease.errors import InputError
from dprelease.model.encoding import plain
from dprelease.model.population import Population
from dprelease.model.privacy import ATTO, NANO, Currency, PrivacyLoss
from dprelease.model.stated import GroupGuarantee, Worth
from dprelease.words import phrase

DIGITS = 4
"""Significant digits of an ε that was computed from a ρ; it is rounded up, so that it holds."""


def epsilon_at(rho_nano: int, delta_atto: int) -> Decimal:
    """Return the ε that ρ is worth at δ, in four significant digits, rounded up. Raises PlanError unless 0 < δ < 1."""
    return Context(prec=DIGITS, rounding=ROUND_CEILING).plus(epsilon_of(rho_nano, delta_atto)).normalize()


def _as_epsilon(loss: PrivacyLoss, currency: Currency, at_atto: int) -> tuple[Decimal, Decimal]:
    """Return a loss as (ε, δ): itself where it is pure; in zcdp ε(ρ) at δ = `at_atto`, which its own δ is added to."""
    if currency is Currency.PURE:
        return loss.epsilon, loss.delta
    at = at_atto if loss.rho_nano else 0
    return epsilon_at(loss.rho_nano, at_atto), PrivacyLoss(delta_atto=loss.delta_atto + at).delta


def worth(loss: PrivacyLoss, population: Population) -> Worth:
    """Return the cost of a release of a population, or of all, as (ε, δ); in zcdp at the δ of its ρ, with the ρ."""
    epsilon, delta = _as_epsilon(loss, population.currency, population.rho_delta_atto)
    rho = None if population.currency is Currency.PURE else plain(loss.rho)
    return Worth(epsilon=plain(epsilon), delta=plain(delta), rho=rho)


def together(loss: PrivacyLoss, currency: Currency, at_atto: int, units: int) -> GroupGuarantee:
    """Return the (ε, δ) that protects a group of so many units: by k²ρ where that is known, else from (ε, δ)."""
    if currency is Currency.ZCDP and loss.delta_atto == 0:
        epsilon, delta = _as_epsilon(group(loss, units), currency, at_atto)
    else:
        one, own = _as_epsilon(loss, currency, at_atto)
        whole = group(PrivacyLoss(epsilon_nano=ceil(one * NANO), delta_atto=ceil(own * ATTO)), units)
        epsilon, delta = whole.epsilon, whole.delta
    return GroupGuarantee(units=units, epsilon=plain(epsilon), delta=plain(delta))


def with_rho(population: Population) -> Population:
    """Return the population with the ρ that its cap comes to, where it counts in ρ."""
    if population.currency is Currency.PURE:
        return population
    rho_nano = rho_within(population.cap.epsilon_nano, population.rho_delta_atto)
    if rho_nano == 0:
        raise InputError(
            "epsilon",
            found=phrase("accounting.comes_less_than_1e", cap=population.cap),
            allowed=phrase("accounting.cap_comes_at_least"),
            remedy=phrase("accounting.raise_choose_currency_pure"),
        )
    return replace(population, rho_nano=rho_nano)
