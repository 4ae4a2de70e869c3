"""What a loss of a population means as (ε, δ)."""

from __future__ import annotations

from typing import Any

from dprelease.accounting.zcdp import epsilon_of
from dprelease.model.encoding import plain
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, PrivacyLoss


def worth(spent: PrivacyLoss, population: Population) -> dict[str, Any]:
    """What a population has spent as (ε, δ): in zcdp at half of the cap's δ, with the ρ beside it."""
    if population.currency is Currency.PURE:
        return {"epsilon": plain(spent.epsilon), "delta": plain(spent.delta)}
    half = population.cap.delta_atto // 2
    return {
        "epsilon": plain(epsilon_of(spent.rho_nano, half)),
        "delta": plain(PrivacyLoss(delta_atto=spent.delta_atto + half).delta),
        "rho": plain(spent.rho),
    }
