"""Shortest stretch of neighbouring bins that holds more than a third, a half or two thirds of all."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from math import log, sqrt

from dprelease.mechanisms.half_width import LAPLACE
from dprelease.model.statement import Finding
from dprelease.statements.families import CellFamily
from dprelease.statements.order import FINE, decimal, finding
from dprelease.statements.tails import SHARP, Drawn, combined_tail

PARTS = (Fraction(1, 3), Fraction(1, 2), Fraction(2, 3))
DENSE = Fraction(13, 10)
"""Smallest density at which a stretch is stated, in multiples of its share of the width."""


def stretches(family: CellFamily) -> Iterator[Finding]:
    """Yield the densest stretch among the shortest for each part.

    The claim that a stretch of l of m bins holds more than p = a/b of all is (b − a)·inside − a·outside > 0, tested
    one-sided at β = α/(3·⌊m/2⌋·(m − l + 1)). The levels of all that are tried sum to α, whichever is chosen. The sum of
    all has to be told apart from nothing by the noise of a cell alone: else there is no share.
    """
    alpha, size, counts = family.part("stretch"), len(family.places), [int(each) for each in family.counts]
    if not alpha or not family.is_exact or sum(counts) <= 0:
        return
    sums, whole = list(accumulate(counts, initial=0)), sum(family.widths)
    found: list[tuple[Fraction, Fraction, int, int]] = []
    for part in PARTS:
        if (place := _shortest(family.noise, sums, part, alpha)) is not None:
            first, behind = place
            dense = part * whole / sum(family.widths[first:behind])
            found.append((dense, part, first, behind))
    dense, part, first, behind = max(found, default=(Fraction(0), Fraction(0), 0, 0))
    if dense >= DENSE and size > 1:
        share = decimal(Fraction(sums[behind] - sums[first], sums[-1]), FINE)
        places = (family.places[first], family.places[behind - 1])
        yield finding(family, "stretch", alpha, places, log(dense), factor=decimal(part, FINE), share=share)


def _shortest(noise: Drawn, sums: list[int], part: Fraction, alpha: Fraction) -> tuple[int, int] | None:
    """Return the first bin and the one behind the last, of the least length that passes: largest sum, then first."""
    size, (a, b) = len(sums) - 1, part.as_integer_ratio()
    for length in range(1, size // 2 + 1):
        first = max(range(size - length + 1), key=lambda place: sums[place + length] - sums[place])
        inside = sums[first + length] - sums[first]
        contrast = b * inside - a * sums[-1]
        parts = (
            (b - a, Drawn(noise.name, noise.scale, noise.draws * length)),
            (-a, Drawn(noise.name, noise.scale, noise.draws * (size - length))),
        )
        beta = alpha / (len(PARTS) * (size // 2) * (size - length + 1))
        if contrast > _deviation(parts) and combined_tail(parts, contrast) <= beta * SHARP:
            return first, first + length
    return None


def _deviation(parts: tuple[tuple[int, Drawn], ...]) -> float:
    """Return a standard deviation of the continuous noise, which noise passes more often than any β."""
    return sqrt(sum(c * c * each.scale**2 * each.draws * (2 if each.name == LAPLACE else 1) for c, each in parts))
