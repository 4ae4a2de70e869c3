"""Noise mechanism of a statistic, and its margin of error."""

from __future__ import annotations

from dprelease.mechanisms import NOISE, DiscreteGaussian, DiscreteLaplace, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.privacy import Terms

KINDS = {"laplace": DiscreteLaplace, "gaussian": DiscreteGaussian}


def noise_of(name: str | None, terms: Terms) -> type[Noise]:
    """Return the mechanism of a name that adds noise; by default that of the currency."""
    return KINDS[name] if name else NOISE[terms.currency]


def half_width(mechanism: Mechanism, confidence: float = 0.95) -> int:
    """Return the half-width of one integer's interval, in lattice steps."""
    assert isinstance(mechanism, Noise)
    return mechanism.half_width(confidence)
