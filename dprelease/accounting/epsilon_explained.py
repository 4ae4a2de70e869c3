"""Meaning of an ε and a δ for one unit: odds, beliefs, and units that are known to belong together."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from dprelease.accounting.composition import event_bounds, posterior_bounds
from dprelease.accounting.deployments import part_below

PRIORS = (0.01, 0.1, 0.5)
SAFE_EXPONENT = 700.0


@dataclass(frozen=True, slots=True)
class Bound:
    """Bounds between which something of probability `before` may move."""

    before: float
    least: float
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A guarantee in figures that people know."""

    epsilon: float
    delta: float
    factor: float
    """e^ε: how many times as likely one unit may make any result, beside δ."""
    beliefs: tuple[Bound, ...]
    """Beliefs of an observer that the unit is in the table, with δ = 0, by Bayes' rule. With a δ: none."""
    events: tuple[Bound, ...]
    """The probability of anything that a result decides, with the unit's rows beside without them."""
    part_below: float
    """Part of the published deployments with at most this ε."""


def meaning(epsilon: float, delta: float) -> Meaning:
    """Return the meaning of ε and δ; see `posterior_bounds` and `event_bounds` for formulas and sources."""
    return Meaning(
        epsilon=epsilon,
        delta=delta,
        factor=exp(min(epsilon, SAFE_EXPONENT)),
        beliefs=() if delta else tuple(Bound(prior, *posterior_bounds(prior, epsilon)) for prior in PRIORS),
        events=tuple(Bound(prior, *event_bounds(prior, epsilon, delta)) for prior in PRIORS),
        part_below=part_below(epsilon),
    )
