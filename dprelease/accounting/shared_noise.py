"""Noise that several parties add in equal shares: how near the sum of discrete Gaussians is to one, and what it costs.

Decimal arithmetic, rounded upwards: the same on every machine, and never too small.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from functools import lru_cache
from math import inf

from dprelease.errors import PlanError
from dprelease.model.privacy import NANO
from dprelease.words import phrase

BELOW = Context(prec=50, rounding=ROUND_FLOOR)
ABOVE = Context(prec=50, rounding=ROUND_CEILING)
PI = Decimal("3.1415926535897932384626433832795028841971693993751")
"""First 50 digits of π: less than π."""
SLACK = Decimal("1e-30")
"""Relative slack; above what roots and exponentials, which are rounded to the nearest, may have lost."""
LEAST = Decimal("1e-60")
"""No exponential is taken for less, so that none is rounded down to 0."""


@lru_cache(maxsize=4096)
def distance(sigma: float, shares: int) -> Decimal:
    """Return τ = 10 Σ exp(−2π²σ²k/(k + 1)) over k from 1 to shares − 1, rounded up: 0 of one share.

    By so much the sum of that many discrete Gaussians of one σ departs from being discrete Gaussian itself, in each
    integer (Kairouz, Liu, Steinke 2021, on sums of discrete Gaussians). Raises PlanError unless σ >= 1/2, shares >= 1.
    """
    _check(sigma, shares)
    with localcontext(BELOW):
        rate = 2 * PI * PI * (Decimal(sigma) * Decimal(sigma))
        exponents = [rate * k / (k + 1) for k in range(1, shares)]
    with localcontext(ABOVE):
        return 10 * sum((max((-each).exp(), LEAST) for each in exponents), Decimal(0)) * (1 + SLACK)


@lru_cache(maxsize=4096)
def summed_rho(l2_squared: int, sigma: float, shares: int, cells: int) -> int:
    """Return the ρ of the sum of so many shares of noise, in 10^-9 and rounded up: (Δ₂/(√n·σ) + τ√cells)² / 2.

    Each of n shares is discrete Gaussian noise of one σ on each of `cells` integers; a unit changes the sum of the
    integers by at most Δ₂ in L2. Kairouz, Liu, Steinke 2021, privacy for sums of discrete Gaussians: the second of two
    bounds, there as ½ε²-concentrated. Raises PlanError unless σ >= 1/2, Δ₂² >= 1, shares >= 1 and cells >= 1.
    """
    _check(sigma, shares)
    for name, number in (("sensitivity", l2_squared), ("cells", cells)):
        if number < 1:
            raise PlanError(name, found=number, allowed=phrase("accounting.at_least_1"))
    with localcontext(BELOW):
        variance = Decimal(sigma) * Decimal(sigma) * shares
    with localcontext(ABOVE):
        root = (Decimal(l2_squared) / variance).sqrt() * (1 + SLACK)
        root += distance(sigma, shares) * Decimal(cells).sqrt() * (1 + SLACK)
        return int((root * root / 2 * NANO).to_integral_value(ROUND_CEILING))


def _check(sigma: float, shares: int) -> None:
    if not 0.5 <= sigma < inf:
        raise PlanError("scale", found=sigma, allowed=phrase("accounting.finite_from_half"))
    if shares < 1:
        raise PlanError("shares", found=shares, allowed=phrase("accounting.at_least_1"))
