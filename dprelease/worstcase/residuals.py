"""What noise on residuals spends, by what every pair of neighbouring rows changes in them, column by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from dprelease.worstcase.reach import Family

Sets = Mapping[tuple[int, ...], int]
"""By set of columns a number, in multiples of 1 / FINE."""

FINE = 2**200


def rho(mechanism: Mapping[str, Any], family: Family) -> Fraction | None:
    """Returns the loss of the scales that a certificate states; None where its residuals are not those of the family.

    The residuals of a set are a product over its columns of d·[same value] − 1 for each of the d values. So the inner
    product of what two rows add to them is a product over the columns, of the two vectors that are written out below.
    Raises ValueError where a set or a scale is none.
    """
    settings = mechanism["settings"]
    sets = [tuple(map(int, part.split())) for part in settings["sets"].split("|")]
    scales = [Fraction(float(text)) for text in settings["scales"].split()]
    if len(sets) != len(scales) or len(set(sets)) != len(sets) or not all(scale > 0 for scale in scales):
        raise ValueError("sets of residuals, and other scales")
    if any(len(set(places)) != len(places) or min(places, default=0) < 0 for places in sets):
        raise ValueError("a set with a column twice")
    if any(family.cells[place] < 2 for places in sets for place in places):
        return None
    parts = {places: int(FINE / (2 * scale**2)) for places, scale in zip(sets, scales, strict=True)}
    products = [_products(cells) for cells in family.cells]
    norms = {places: part * prod(products[place][0] for place in places) for places, part in parts.items()}
    most = sum(norms.values())
    if family.moves:
        columns = sorted({place for places in parts for place in places})
        # |x − y|² = |x|² + |y|² − 2x·y, and both rows add as much in squares.
        most = max(most, 2 * (most - _least(parts, columns, products)))
    return Fraction(family.rows**2 * most, FINE)


def _least(parts: Sets, columns: Sequence[int], products: Sequence[tuple[int, int]]) -> int:
    """The least inner product of two rows, over all ways in which they agree in some of the columns only."""
    if not columns:
        return sum(parts.values())
    first, *others = columns
    found = []
    for factor in products[first]:
        rest: dict[tuple[int, ...], int] = {}
        for places, part in parts.items():
            left = tuple(place for place in places if place != first)
            rest[left] = rest.get(left, 0) + part * (factor if first in places else 1)
        found.append(_least(rest, others, products))
    return min(found)


def _products(cells: int) -> tuple[int, int]:
    """The inner products of d·[same value] − 1 for one value and the same, and for one value and another."""
    one = [cells * (value == 0) - 1 for value in range(cells)]
    two = [cells * (value == 1) - 1 for value in range(cells)]
    return sum(a * b for a, b in zip(one, one, strict=True)), sum(a * b for a, b in zip(one, two, strict=True))
