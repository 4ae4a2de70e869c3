"""Privacy loss of each population over all its releases, by the last public checkpoint of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dprelease.accounting.rho_conversion import worth
from dprelease.model.certificate import Certificate
from dprelease.model.checkpoint import SignedCheckpoint, SpentTotals
from dprelease.model.encoding import plain
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.stated import as_json

Certificates = Callable[[str], Iterable[Certificate]]
"""Function that returns the certificates of a population's releases, newest first."""


def spending(
    signed: SignedCheckpoint, certificates: Certificates, held: Mapping[str, tuple[PrivacyLoss, int]]
) -> list[dict[str, Any]]:
    """Return the loss spent and the budget of every population that the checkpoint states.

    `held`: the part of it that is spent on releases to come, and their number, by population.
    """
    told = {"size": signed.checkpoint.size, "root": signed.checkpoint.root, "on": signed.checkpoint.on}
    return [
        {
            **_spent(standing, _before(standing, certificates)),
            **_held(standing, held),
            "checkpoint": told,
            "signer": signed.signer,
        }
        for standing in signed.checkpoint.populations
    ]


def _held(standing: SpentTotals, held: Mapping[str, tuple[PrivacyLoss, int]]) -> dict[str, Any]:
    """Return what of the loss is held for releases to come; nothing where none is."""
    if standing.population.name not in held:
        return {}
    loss, count = held[standing.population.name]
    return {"held": {**_counted(loss, standing.population.currency), "releases": count}}


def _spent(standing: SpentTotals, before: PrivacyLoss | None) -> dict[str, Any]:
    """Return the loss and budget; with a period, the rest only where a certificate states the loss before it."""
    population = standing.population
    cap: dict[str, Any] = {"epsilon": plain(population.cap.epsilon), "delta": plain(population.cap.delta)}
    if population.currency is Currency.ZCDP:
        cap["rho"] = plain(population.budget.rho)
    found: dict[str, Any] = {
        "population": population.name,
        "unit": population.unit,
        "neighbors": population.neighbors.value,
        "currency": population.currency.value,
        "size": population.size,
        "period": population.period,
        "cap": cap,
        "spent": as_json(worth(standing.spent, population)),
        "releases": standing.charges,
        **({} if population.discovers else {"discovers": False}),
    }
    if before is not None:
        used = standing.spent - before
        found["remaining"] = _counted(population.budget - used, population.currency)
        if population.period is not None:
            found["spent_in_period"] = as_json(worth(used, population))
    return found


def _before(standing: SpentTotals, certificates: Certificates) -> PrivacyLoss | None:
    """Return the loss before the period; None where no certificate of the period states it."""
    population = standing.population
    if population.period is None or standing.charges == 0:
        return PrivacyLoss()
    for facts in certificates(population.name):
        period = facts.cumulative.period
        if period is not None and period.name == population.period:
            return period.before.exactly
    return None


def _counted(loss: PrivacyLoss, currency: Currency) -> dict[str, Any]:
    """Return a loss in the population's currency: remaining ρ is no ε that could be asked for as such."""
    key, amount = ("epsilon", loss.epsilon) if currency is Currency.PURE else ("rho", loss.rho)
    return {key: plain(amount), "delta": plain(loss.delta)}
