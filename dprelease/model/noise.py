"""Noise of published numbers, by the names that a certificate has for it."""

from __future__ import annotations

from dataclasses import dataclass

LAPLACE, GAUSSIAN = "discrete_laplace", "discrete_gaussian"
EVEN = 4.0
"""From this σ on, the difference of two discrete Gaussians is one of √2·σ, to 10^-60 of each probability."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Noise of one number: a sum of independent draws of one mechanism."""

    name: str
    scale: float
    draws: int = 1


@dataclass(frozen=True, slots=True)
class IntervalNoise:
    """Noise with a known interval only: symmetric, log-concave, and beyond `reach` in 1 of 40 on one side."""

    reach: float
    """Larger distance from the value to an end of the 95 % interval, plus one, in steps."""


Noise = Drawn | IntervalNoise
