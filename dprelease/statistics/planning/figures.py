"""Costs of one release by other compositions: shown beside the sum that is charged, never charged or summed.

The statistics of a release are chosen together, before any of its noise is drawn: the convolution of losses needs that.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dprelease.accounting import pld, renyi
from dprelease.accounting.composition import advanced_epsilon
from dprelease.errors import PlanError
from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.words import NOTHING, Figure, phrase

NOTE = "shown only, never charged or summed"


def figures(price: Price, delta: float) -> dict[str, Any]:
    """Return the (ε, δ) of a plan's mechanisms: the sum that is charged, and for this δ three others.

    `renyi`: the sum of Rényi divergences, converted at its best order. `advanced`: advanced composition, as if each
    mechanism had the largest ε of them; only where all have a pure ε. `pld`: the convolution of their privacy losses.
    Mechanisms with a δ of their own leave that much less of it to each. Raises PlanError where they leave nothing, or δ
    is not between 10^-12 and 1.
    """
    mechanisms = [(item, mechanism) for item in price.statistics for mechanism in item.mechanisms]
    own = float(sum((mechanism.delta for _, mechanism in mechanisms), start=Fraction(0)))
    left = delta - own
    if not pld.MIN_DELTA <= left < 1:
        raise PlanError(
            "delta",
            found=delta,
            allowed=phrase("statistics.number_from_below_1", number=Figure(f"{own + pld.MIN_DELTA:g}")),
            remedy=phrase("statistics.smaller_leaves_nothing_beside") if own else NOTHING,
        )
    terms = [_term(item, mechanism) for item, mechanism in mechanisms]
    curve = renyi.Composed(tuple((term.curve, 1) for term in terms))
    found = {
        "basic": {"epsilon": float(price.epsilon), "delta": float(price.delta)},
        "renyi": {"epsilon": renyi.epsilon_of(curve, left).epsilon, "delta": delta},
        **_advanced(terms, left, delta),
        "pld": {"epsilon": pld.composed_epsilon(terms, left), "delta": delta},
    }
    return {"note": NOTE, "mechanisms": len(mechanisms), "figures": found}


def _advanced(terms: list[pld.Term], left: float, delta: float) -> dict[str, Any]:
    pure = [term.epsilon for term in terms if not isinstance(term, pld.GaussianTerm)]
    if len(pure) < len(terms):
        return {}
    epsilon = min(sum(pure), advanced_epsilon(max(pure), len(pure), left))
    return {"advanced": {"epsilon": epsilon, "delta": delta}}


def _term(item: StatisticPrice, mechanism: Mechanism) -> pld.Term:
    """Return the worst-case loss that is known of a mechanism."""
    if mechanism.epsilon is None or mechanism.rho < mechanism.epsilon**2 / 2:
        return pld.GaussianTerm(float(mechanism.rho))
    epsilon = float(mechanism.epsilon)
    if isinstance(mechanism, DiscreteLaplace) and isinstance(item.statistic, NoisyTable) and item.size == 1:
        return pld.LaplaceTerm(epsilon, mechanism.sensitivity.l1)
    return pld.PureTerm(epsilon)
