"""Noise of a sum Σ c·Z of independent draws, without numpy: a reader of releases needs no more than Python.

Programs in other languages follow the same steps in the same order: adapters/r and portal/templates/reader.js.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, cos, exp, expm1, log, log1p, pi, sin, sqrt

from dprelease.model.noise import EVEN, LAPLACE, Drawn

Parts = Mapping[tuple[float, Drawn], int]
"""Number of draws by coefficient, above 0, and law."""
LEVEL = 0.05
GUARD = 1e-9
"""Distance from the level within which a probability counts as above it, so that all programs decide alike."""
POINTS = 100_000
REST, TOO_MUCH, SMALL = 1e-10, 1e-6, 1e-7
WIDE = 40
"""Deviations in a period of the sum at a distance."""


def margin(parts: Parts) -> int:
    """Return the least h with P(|Σ c·Z| > h) <= 5 %, for whole coefficients.

    P(|S| <= h) = (1/M) Σ w·φ(t)·sin((2h+1)t/2)/sin(t/2) over t = 2πj/M, j = 0 to M/2, M >= 80 deviations: what wraps is
    below e^-40. It ends where the rest is below 10^-10, else the rest counts as outside. Where that is too much, noise
    is taken as continuous (`outside`).
    """
    if sum(parts.values()) == 1 and next(iter(parts))[1].name == LAPLACE:
        ((c, noise),) = parts
        return round(c) * max(0, ceil(-noise.scale * (log(LEVEL / 2) + log1p(exp(-1 / noise.scale)))) - 1)
    deviation = _deviation(parts)
    size = 64
    while size < 80 * deviation + 64:
        size *= 2
    weights, rest = [], 0.0
    for j in range(1, size // 2 + 1):
        t = 2 * pi * j / size
        weights.append((t / 2, (1 if 2 * j == size else 2) * _turned(parts, t) / sin(t / 2)))
        rest = 0.0 if 2 * j == size else _plain(parts, t) * log(pi / t)
        if rest < REST or j == POINTS:
            break
    low, high = -1, ceil(4.5 * deviation) + 1
    if rest > TOO_MUCH:
        high += ceil(sum(c * many for (c, _), many in parts.items()))
    while high - low > 1:
        h = (low + high) // 2
        if rest > TOO_MUCH:
            beyond = outside(parts, h)
        else:
            beyond = 1 - (2 * h + 1 + sum(w * sin((2 * h + 1) * half) for half, w in weights)) / size + rest
        low, high = (h, high) if beyond > LEVEL - GUARD else (low, h)
    return high


def outside(parts: Parts, distance: float) -> float:
    """Return at least P(|Σ c·Z| >= distance), by continuous noise of the same laws and one step a draw.

    P(|S| <= h) = (2/π)·∫ φ(t)·sin(ht)/t dt over t > 0, summed at distances at which S wraps beyond 20 deviations.
    """
    h = distance - sum(c * many for (c, _), many in parts.items())
    if h <= 0 or not parts:
        return float(h <= 0 and bool(parts))
    if sum(parts.values()) == 1 and next(iter(parts))[1].name == LAPLACE:
        ((c, noise),) = parts
        return exp(-h / (c * noise.scale))
    step = 2 * pi / (WIDE * _deviation(parts) + 2 * h)
    inside, rest = h, 0.0
    for j in range(1, POINTS + 1):
        t = j * step
        rest = 1.0
        for (c, noise), many in parts.items():
            square = (c * noise.scale * t) ** 2
            rest *= (1 / (1 + square) if noise.name == LAPLACE else exp(-square / 2)) ** many
        inside += 2 * rest * sin(h * t) / t
        if rest < SMALL:
            break
    return max(0.0, 1 - inside * step / pi) + rest


def _deviation(parts: Parts) -> float:
    """Return a standard deviation that is no smaller than that of the sum."""
    return sqrt(sum(many * (2 if n.name == LAPLACE else 1) * (c * n.scale) ** 2 for (c, n), many in parts.items()))


def _turned(parts: Parts, t: float) -> float:
    """Return the characteristic function of the sum."""
    found = 1.0
    for (c, noise), many in parts.items():
        found *= _characteristic(noise, c * t) ** many
    return found


def _plain(parts: Parts, t: float) -> float:
    """Return the part of it that falls up to π: a bound of the rest."""
    found = 1.0
    for (c, noise), many in parts.items():
        found *= _characteristic(noise, t) ** many if c == 1 else 1.0
    return found


def _characteristic(noise: Drawn, angle: float) -> float:
    """Return the characteristic function of one draw: in closed form, else of its probabilities."""
    s = noise.scale
    if noise.name == LAPLACE:
        return 1 / (1 + 4 * exp(-1 / s) / expm1(-1 / s) ** 2 * sin(angle / 2) ** 2)
    if s >= EVEN:
        folded = abs((angle + pi) % (2 * pi) - pi)
        return exp(-((folded * s) ** 2) / 2)
    weights = [exp(-(k * k) / (2 * s * s)) for k in range(1, ceil(12 * s) + 1)]
    return (1 + 2 * sum(w * cos(k * angle) for k, w in enumerate(weights, 1))) / (1 + 2 * sum(weights))
