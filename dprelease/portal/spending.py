"""What each population has spent in all its releases, by the last public checkpoint of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dprelease.accounting.rho_conversion import worth
from dprelease.model.certificate import Certificate
from dprelease.model.checkpoint import SignedCheckpoint, SpentTotals
from dprelease.model.encoding import plain
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.model.stated import as_json

Certificates = Callable[[str], Iterable[Certificate]]
"""Of the releases of a population, newest first."""


def spending(signed: SignedCheckpoint, certificates: Certificates) -> list[dict[str, Any]]:
    """Returns that of every population that the checkpoint states."""
    told = {"size": signed.checkpoint.size, "root": signed.checkpoint.root, "on": signed.checkpoint.on}
    return [
        {**_spent(standing, _before(standing, certificates)), "checkpoint": told, "signer": signed.signer}
        for standing in signed.checkpoint.populations
    ]


def _spent(standing: SpentTotals, before: PrivacyLoss | None) -> dict[str, Any]:
    """With a period, what is left is said where a certificate tells what was spent before it."""
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
    """What was spent before the period; None where no certificate of the period tells."""
    population = standing.population
    if population.period is None or standing.charges == 0:
        return PrivacyLoss()
    for facts in certificates(population.name):
        period = facts.cumulative.period
        if period is not None and period.name == population.period:
            return period.before.exactly
    return None


def _counted(loss: PrivacyLoss, currency: Currency) -> dict[str, Any]:
    """In what the population counts: remaining ρ is no ε that could be asked for as such."""
    key, amount = ("epsilon", loss.epsilon) if currency is Currency.PURE else ("rho", loss.rho)
    return {key: plain(amount), "delta": plain(loss.delta)}
