"""How much one privacy unit can change a tally, for the two shapes that tallies have. All figures are exact."""

from __future__ import annotations

from math import isqrt

from dprelease.model.privacy import Terms
from dprelease.model.tally import Sensitivity


def simplex(terms: Terms, size: int = 1, *, cells: int = 2, rows: int | None = None) -> Sensitivity:
    """Each row adds `size` in all, split over cells, never less than 0: histograms (size 1), one-sided sums (size K).

    With m rows a unit: L1 = L2 = m·size under add_remove, since all its rows may meet in one cell. Under substitute
    they may move to another cell: L1 = 2m·size, L2 = √2·m·size; not so where there is only one cell. `rows`: another
    m than max_rows.
    """
    most = size * (terms.max_rows if rows is None else rows)
    sides = 2 if terms.substitute and cells > 1 else 1
    return Sensitivity(l1=sides * most, linf=most, l2_squared=sides * most**2, monotone=not terms.substitute)


def quotient(size: int) -> int:
    """By what sums of second moments are divided, so that they stay far below 2^62 for any number of rows.

    The smallest power of two that leaves a row less than 2^31.
    """
    return 1 << max(0, size.bit_length() - 31)


def divided(stated: Sensitivity, by: int, entries: int) -> Sensitivity:
    """Of whole numbers divided and rounded down: each entry may change by a part of 1 more than it did."""
    if by == 1:
        return stated
    l2 = isqrt(stated.l2_squared // by**2) + 1 + isqrt(entries) + 1
    return Sensitivity(l1=-(-stated.l1 // by) + entries, linf=-(-stated.linf // by) + 1, l2_squared=l2**2)


def spread(terms: Terms, lowest: int, highest: int, *, groups: bool) -> Sensitivity:
    """Each row adds a number from lowest to highest to one cell: sums.

    With M = max(|lowest|, |highest|): L1 = L2 = mM under add_remove. Under substitute m·max(M, highest − lowest) in one
    cell; with groups a row may also leave one and enter another, which gives L1 = 2mM and L2 = √2·mM.
    """
    largest = max(abs(lowest), abs(highest))
    if not terms.substitute:
        most = terms.max_rows * largest
        return Sensitivity(l1=most, linf=most, l2_squared=most**2)
    within = terms.max_rows * max(largest, highest - lowest)
    if not groups:
        return Sensitivity(l1=within, linf=within, l2_squared=within**2)
    across = terms.max_rows * largest
    return Sensitivity(l1=2 * across, linf=within, l2_squared=max(2 * across**2, within**2))
