"""Noise mechanism of a statistic, and its margin of error."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.mechanisms import NOISE, DiscreteGaussian, DiscreteLaplace, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.options import Choice, option
from dprelease.model.privacy import Terms
from dprelease.statistics.tabulated import TallyStatistic

KINDS = {"laplace": DiscreteLaplace, "gaussian": DiscreteGaussian}


@dataclass(frozen=True, kw_only=True)
class Noisy(TallyStatistic):
    """A statistic whose integers get independent noise."""

    noise: str | None = option(Choice(tuple(KINDS)), default=None)
    """laplace or gaussian; by default discrete Laplace where ε is counted, discrete Gaussian where ρ is."""

    def noise_for(self, terms: Terms) -> type[Noise]:
        """Return the mechanism that adds it."""
        return KINDS[self.noise] if self.noise else NOISE[terms.currency]


def half_width(mechanism: Mechanism, confidence: float = 0.95) -> int:
    """Return the half-width of one integer's interval, in lattice steps."""
    assert isinstance(mechanism, Noise)
    return mechanism.half_width(confidence)
