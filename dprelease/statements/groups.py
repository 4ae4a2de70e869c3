"""Two codes: the share of the first. Means and shares by group: which is apart, and between what all of them are."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dprelease.model.grade import Grade, Scale, grade
from dprelease.model.stated import Grades
from dprelease.model.statement import Finding
from dprelease.statements.families import Family
from dprelease.statements.order import FINE, decimal, finding, last
from dprelease.statements.tails import SHARP, quotient_tail

SHARE = Scale(feasible=(0, 1), is_share=True)
QUOTABLE = (Grade.RELIABLE, Grade.CAUTION)
SURE = "1.000000"
"""The strength of a number graded A, and of a better class than that of others."""


def shares(family: Family, first: int, limits: Grades) -> Iterator[Finding]:
    """The share of one of two codes with its interval, two-sided at α; where it can be quoted.

    One contrast that is fixed: (1 − s)·n − s·n′. `first`: the cell whose share it is, from 0.
    """
    alpha = family.part("share")
    if not alpha or not family.is_exact:
        return
    over, under = int(family.counts[first]), int(family.counts[1 - first])
    if (ends := share_ends(family, over, under, alpha / 2)) is None:
        return
    share = Fraction(min(max(over, 0), over + under), over + under)
    letter = grade(float(share), *map(float, ends), SHARE, limits)
    if letter in QUOTABLE:
        values = (decimal(each, FINE) for each in (share, *ends))
        told = dict(zip(("share", "least", "most"), values, strict=True))
        sure = 1.0 if letter is Grade.RELIABLE else 0.0
        yield finding(family, "share", alpha, (family.places[first],), sure, **told)


def share_ends(family: Family, over: int, under: int, beta: Fraction) -> tuple[Fraction, Fraction] | None:
    """The ends of x/(x + x′), each at β, in thousandths and outward; None where all may be nothing."""
    if over + under <= 0:
        return None
    low, high = _end(family, over, under, beta), _end(family, under, over, beta)
    return Fraction(low, FINE), Fraction(FINE - high, FINE)


def _end(family: Family, over: int, under: int, beta: Fraction) -> int:
    """The last thousandth below x/(x + x′) that is left out; 0 where none is."""

    def left_out(r: int) -> bool:
        beyond = (FINE - r) * over - r * under
        return quotient_tail(family.noise, family.noise, FINE - r, r, beyond) <= beta * SHARP

    centre = min(max(FINE * over // (over + under), 0), FINE - 1)
    return last(left_out, 1, centre + 1) if centre and left_out(1) else 0
