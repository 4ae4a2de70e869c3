"""Sensitivity of a tally to one privacy unit, for the two kinds of sums that tallies are. All figures are exact.

Each takes the shape of the integers that noise goes on, which is never the shape of the published table: `top` shows k
values, and the counts of all declared ones get noise.
"""

from __future__ import annotations

from math import isqrt, prod

from dprelease.model.privacy import Terms
from dprelease.model.tally import Sensitivity, Shape


def simplex(terms: Terms, shape: Shape, size: int = 1) -> Sensitivity:
    """Return the sensitivity where each row adds `size` in all, split over cells, never less than 0.

    Histograms (size 1), one-sided sums (size K).

    With m rows a unit: L1 = L2 = m·size under add_remove, since all its rows may meet in one cell. Under substitute
    they may move to another cell: L1 = 2m·size, L2 = √2·m·size; not so where there is only one cell.
    """
    most = size * terms.max_rows
    sides = 2 if terms.substitute and prod(shape) > 1 else 1
    return Sensitivity(
        l1=sides * most, linf=most, l2_squared=sides * most**2, monotone=not terms.substitute, shape=shape
    )


def once(terms: Terms, shape: Shape) -> Sensitivity:
    """Return the sensitivity where a unit adds 1 to each of at most g cells, g = `PrivacyUnit.groups`: units by cell.

    No cell changes by more than 1, so that L2² = L1: the cells that change, g under add_remove and 2g under substitute,
    and never more than there are.
    """
    changed = min(terms.unit.groups * (2 if terms.substitute else 1), prod(shape))
    return Sensitivity(l1=changed, linf=1, l2_squared=changed, monotone=not terms.substitute, shape=shape)


def quotient(size: int) -> int:
    """Return the divisor of sums of second moments, so that they stay far below 2^62 for any number of rows.

    The smallest power of two that leaves a row less than 2^31.
    """
    return 1 << max(0, size.bit_length() - 31)


def moments_of(terms: Terms, shape: Shape, size: int) -> Sensitivity:
    """Return the sensitivity of second moments: each row adds `size` in all to one group (`shape`'s last axis).

    They are divided by `quotient(size)`. A unit changes the entries of as many groups as it has rows, under substitute
    of twice as many.
    """
    touched = min(prod(shape), shape[-1] * terms.max_rows * (2 if terms.substitute else 1))
    return divided(simplex(terms, shape, size), quotient(size), touched)


def divided(stated: Sensitivity, by: int, entries: int) -> Sensitivity:
    """Return the sensitivity of whole numbers divided and rounded down: a changed entry may change by a part of 1 more.

    `entries`: how many of them one unit can change.
    """
    if by == 1:
        return stated
    l2 = isqrt(stated.l2_squared // by**2) + 1 + isqrt(entries) + 1
    l1, linf = -(-stated.l1 // by) + entries, -(-stated.linf // by) + 1
    return Sensitivity(l1=l1, linf=linf, l2_squared=l2**2, shape=stated.shape)


def spread(terms: Terms, shape: Shape, lowest: int, highest: int) -> Sensitivity:
    """Return the sensitivity where each row adds a number from lowest to highest to one cell: sums.

    With M = max(|lowest|, |highest|): L1 = L2 = mM under add_remove. Under substitute m·max(M, highest − lowest) in one
    cell; with several a row may also leave one and enter another, which gives L1 = 2mM and L2 = √2·mM.
    """
    largest = max(abs(lowest), abs(highest))
    if not terms.substitute:
        most = terms.max_rows * largest
        return Sensitivity(l1=most, linf=most, l2_squared=most**2, shape=shape)
    within = terms.max_rows * max(largest, highest - lowest)
    if prod(shape) == 1:
        return Sensitivity(l1=within, linf=within, l2_squared=within**2, shape=shape)
    across = terms.max_rows * largest
    return Sensitivity(l1=2 * across, linf=within, l2_squared=max(2 * across**2, within**2), shape=shape)
