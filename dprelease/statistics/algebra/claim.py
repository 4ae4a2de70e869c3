"""How unlikely it is that noise of stated scales explains a combination of published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import expm1, inf, log, sqrt

from dprelease.mechanisms.gaussian import DiscreteGaussian
from dprelease.mechanisms.laplace import DiscreteLaplace
from dprelease.mechanisms.mechanism import Noise

TRIES = 200
"""Values of λ that are tried; each gives a bound that holds."""
LIKELY = 4.0
"""Standard deviations up to which nothing is computed: no bound would be low enough."""
EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Draws:
    """Independent noise of one scale, added up over so many cells, times a weight."""

    mechanism: Noise
    cells: int = 1
    weight: float = 1.0

    @property
    def spread(self) -> float:
        """Returns that of all together, at most, of the first order of a standard deviation."""
        return _scale(self.mechanism) * abs(self.weight) * sqrt(self.cells)

    def psi(self, rate: float) -> float:
        """log E exp(λX), X all of them together."""
        return 0.0 if self.weight == 0 else self.cells * _psi(self.mechanism, rate * abs(self.weight))


@dataclass(frozen=True, slots=True)
class Claim:
    """That a combination of noisy numbers is as if its noise were above `excess`, at the worst of `ways` places.

    `between`: noise of which no more is known than that the largest of so many draws lies between, as in a quotient.
    """

    code: str
    """Of the sentence that says it, in the catalogue `verdict`."""
    values: Mapping[str, int | str]
    """What stands in the sentence."""
    excess: float
    noise: tuple[Draws, ...]
    ways: int = 1
    between: Draws | None = None

    def is_beyond(self, log_risk: float) -> bool:
        """Tells whether the chance of it, at any of its places, is below a risk.

        With `between`, half of the risk is that one of its draws is beyond its reach, which is taken off first.
        """
        log_risk -= log(self.ways)
        excess = self.excess
        if self.between is not None:
            log_risk -= log(2)
            excess -= _reach(self.between.mechanism, log_risk - log(2 * self.between.cells))
        if excess <= LIKELY * sqrt(sum(draws.spread**2 for draws in self.noise)):
            return False
        return self._log_chance(excess) < log_risk

    def _log_chance(self, excess: float) -> float:
        """Chernoff's bound: the least of Σ ψ(λ) − λ·excess over some λ, ψ the logarithm of a noise's E exp(λX)."""
        widest = max(_scale(draws.mechanism) * abs(draws.weight) for draws in self.noise)
        rates = [step / (TRIES * widest) for step in range(1, TRIES)]
        rates += [10 ** (step / 20 - 4) / widest for step in range(TRIES)]
        return min(0.0, *(sum(draws.psi(rate) for draws in self.noise) - rate * excess for rate in rates))


def _scale(mechanism: Noise) -> float:
    assert isinstance(mechanism, DiscreteLaplace | DiscreteGaussian)
    return mechanism.scale


def _reach(mechanism: Noise, log_risk: float) -> float:
    """What one draw is not above, but with this risk: Laplace e^(−t/s), Gaussian e^(−t²/2σ²) (Canonne et al. 2020)."""
    scale = _scale(mechanism)
    return scale * (sqrt(-2 * log_risk) if isinstance(mechanism, DiscreteGaussian) else -log_risk) + 1


def _psi(mechanism: Noise, rate: float) -> float:
    """log E exp(λX) of discrete Laplace noise; of discrete Gaussian noise at most λ²σ²/2 (Canonne et al. 2020)."""
    scale = _scale(mechanism)
    if isinstance(mechanism, DiscreteGaussian):
        return (rate * scale) ** 2 / 2
    decay = 1 / scale
    if rate >= decay:
        return inf
    return 2 * log(-expm1(-decay)) - log(-expm1(rate - decay)) - log(-expm1(-rate - decay))
