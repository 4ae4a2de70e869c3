"""Sensitivity of sums of products of a row's terms, which are measured together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt, prod

from dprelease.model.privacy import Terms
from dprelease.model.tally import Sensitivity


@dataclass(frozen=True)
class Changes:
    """Changes by a row, in units: alone (L1, L2², each), or in place of another. A number is its own square where
    no entry changes by more than 1."""

    alone: Fraction | int
    both: Fraction | int
    square: int
    each: int = 2
    alone_square: int | None = None
    largest: int = 1


def sensitivity(
    terms: Terms, shape: tuple[int, ...], changes: Changes, unit: int, *, grouped: bool, groups: int = 1
) -> Sensitivity:
    """Return the sensitivity of sums to which rows add at most `unit` in an entry, divided and rounded down.

    An entry that changes by d changes by ⌈|d|⌉ at most when it is rounded: that is nothing more for a whole d, and else
    at most 1 in every entry that can change. `groups`: each has the same entries, and a row is in one of them. It may
    leave one and enter another, which is further than any two rows of one group in L1; m rows may be in m groups,
    which is no further than all of them in one (docs/privacy.md).
    """
    whole = terms.max_rows * unit
    square = changes.alone if changes.alone_square is None else changes.alone_square
    own, squared = (changes.both, changes.square) if terms.substitute else (changes.alone, square)
    if terms.substitute and groups > 1:
        own, squared = max(own, 2 * changes.alone), max(squared, 2 * square)
    l1, l2 = ceil(own * whole), ceil(squared * whole**2)
    if terms.substitute or ((grouped or groups > 1) and terms.max_rows > 1):
        touched = min(groups, terms.max_rows * (2 if terms.substitute else 1))
        entries = prod(shape) // groups * touched
        l1, l2 = l1 + entries, l2 + 2 * (isqrt(l2 * entries) + 1) + entries
    linf = (changes.each if terms.substitute else changes.largest) * whole
    return Sensitivity(l1=l1, linf=linf, l2_squared=l2, shape=shape)


def attained(terms: Terms, *, later: bool = False) -> Fraction:
    """Return the part of a sensitivity that the kit's pairs attain.

    Under substitute bounds are proved that no pair attains (docs/privacy.md).
    """
    if terms.substitute:
        return Fraction(49, 100)
    return Fraction(9, 10) if later else Fraction(999, 1000)
