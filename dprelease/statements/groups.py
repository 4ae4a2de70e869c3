"""Shares of one of two codes; and means and shares by group: the group that stands apart, and the range of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log
from typing import Any

from dprelease.model.certificate import Certificate
from dprelease.model.grade import QUOTABLE, Grade, Scale, grade
from dprelease.model.noise import Drawn
from dprelease.model.presentation import Quantity, Trait
from dprelease.model.release import Estimates
from dprelease.model.stated import Grades
from dprelease.model.statement import Finding, Way
from dprelease.statements.families import ALPHA, MAX_CELLS, NOISES, CellFamily, places_of
from dprelease.statements.order import FINE, decimal, finding, last
from dprelease.statements.tails import SHARP, quotient_tail

SHARE = Scale(feasible=(0, 1), is_share=True)
LEFT_OUT = frozenset({"survey_weights", "sampling"})
MILLION = 10**6
"""Fineness of means and shares by group, in parts of their range."""
APART, LOWEST, ENVELOPE = Fraction(2, 5), Fraction(1, 5), Fraction(2, 5)
"""Parts of a table's level for each of these claims."""
TENTH = Fraction(1, 10)
"""Largest distance between limits of shares that are stated as one range; of other numbers a quarter of the lower."""


def shares(family: CellFamily, first: int, limits: Grades) -> Iterator[Finding]:
    """Yield the share of one of two codes with its interval, two-sided at α; where it can be quoted.

    One contrast that is fixed: (1 − s)·n − s·n′. `first`: the cell whose share is estimated, from 0. With a noisy count
    below 0 none is stated: the further below, the narrower that interval is, beside "none – 30" in the table.
    """
    alpha = family.part("share")
    if not alpha or not family.is_exact:
        return
    over, under = int(family.counts[first]), int(family.counts[1 - first])
    if min(over, under) < 0:
        return
    if (ends := share_ends(family.noise, over, under, alpha / 2, FINE)) is None:
        return
    share = Fraction(over, over + under)
    least, most = map(float, ends)
    letter = grade(float(share), least, most, SHARE, limits)
    if letter in QUOTABLE:
        values = (decimal(each, FINE) for each in (share, *ends))
        told = dict(zip(("share", "least", "most"), values, strict=True))
        sure = 1.0 if letter is Grade.RELIABLE else 0.0
        yield finding(family, "share", alpha, (family.places[first],), sure, **told)


def share_ends(noise: Drawn, over: int, under: int, beta: Fraction, fine: int) -> tuple[Fraction, Fraction] | None:
    """Return the ends of x/(x + x′), each at β, in parts of one in `fine`, outward; None where all may be nothing."""
    if over + under <= 0:
        return None
    return lower_end(noise, over, under, beta, fine), 1 - lower_end(noise, under, over, beta, fine)


def lower_end(noise: Drawn, over: int, under: int, beta: Fraction, fine: int) -> Fraction:
    """Return the last part below x/(x + x′) that is left out; 0 where none is."""

    def left_out(r: int) -> bool:
        return quotient_tail(noise, noise, fine - r, r, (fine - r) * over - r * under) <= beta * SHARP

    centre = min(max(fine * over // (over + under), 0), fine - 1) if over + under > 0 else 0
    return Fraction(last(left_out, 1, centre + 1) if centre and left_out(1) else 0, fine)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotients:
    """Means or shares by group: each lies in its range where x/(x + x′) of two noisy numbers does."""

    level: Fraction
    places: Sequence[int]
    pairs: Sequence[tuple[int, int]]
    noise: Drawn
    low: Fraction
    """Start of the range."""
    width: Fraction
    is_share: bool

    def at(self, part: Fraction) -> Quotients:
        """Return the same at a part of its level."""
        return replace(self, level=self.level * part)

    def ends(self, group: int, below: Fraction, above: Fraction) -> tuple[Fraction, Fraction]:
        """Return one-sided limits of a group's number at these levels; those of the range where nothing is known."""
        over, under = self.pairs[group]
        least = lower_end(self.noise, over, under, below, MILLION) if below else Fraction(0)
        most = 1 - lower_end(self.noise, under, over, above, MILLION) if above else Fraction(1)
        return self.low + self.width * least, self.low + self.width * most

    def value(self, group: int) -> Fraction:
        over, under = self.pairs[group]
        share = Fraction(over, over + under) if over + under > 0 else Fraction(1, 2)
        return self.low + self.width * min(max(share, Fraction(0)), Fraction(1))


def quotients(certificate: Certificate, table: str, estimates: Estimates) -> list[Quotients]:
    """Return the quotients of a table of means or shares by group with its noisy integers beside it; else none."""
    stated, asked = certificate.statistic(table), certificate.asked(table)
    (own, *others), cells = certificate.rests_on(stated), len(estimates)
    known = own.name in NOISES and not others and certificate.several is None and not LEFT_OUT & asked.keys()
    is_share = stated.presentation.measure is Quantity.SHARE
    quotient = stated.presentation.has(Trait.QUOTIENT)
    if not quotient or not known or [len(each) for each in estimates.integers] != [2 * cells]:
        return []
    places = places_of(estimates, asked, None)
    if not 2 <= len(places) <= MAX_CELLS:
        return []
    low, width, (numbers,) = Fraction(0), Fraction(1), estimates.integers
    if not is_share:
        lattice = certificate.columns[asked["column"]].lattice
        low, width = (Fraction(each * lattice.resolution) for each in (lattice.start, lattice.steps))
    return [
        Quotients(
            level=ALPHA,
            places=places,
            pairs=[(numbers[2 * place], numbers[2 * place + 1]) for place in places],
            noise=Drawn(own.name, float(own.scale)),
            low=low,
            width=width,
            is_share=is_share,
        )
    ]


def groups(own: Quotients) -> Iterator[Finding]:
    """Yield the highest and the lowest group, or the range of all of them.

    i is highest where its lower limit at α/2m is above every other upper limit at α/4. Let w(i) be some other group,
    fixed by the truth, with as much as i: the claim errs only where the limit of i or of w(i) does. One group alone
    at the top is everybody's w: α/4 and m − 1 times α/2m; of several one more is w of that one: 2·α/4 and m·α/2m. So
    rivals cost nothing for their number. Between: the true least and the true greatest are two groups that are fixed.
    """
    found = [*_apart(own, "apart", own.level * APART), *_apart(own, "lowest", own.level * LOWEST)]
    yield from found
    if found:
        return
    alpha = own.level * ENVELOPE
    ends = [own.ends(group, alpha / 2, alpha / 2) for group in range(len(own.places))]
    least, most = min(end[0] for end in ends), max(end[1] for end in ends)
    if most - least <= (TENTH if own.is_share else least / 4):
        values = {"least": decimal(least, MILLION), "most": decimal(most, MILLION)}
        yield _finding(own, "envelope", alpha, (), -log(1 + (most - least) / own.width), **values)


def _apart(own: Quotients, way: Way, alpha: Fraction) -> Iterator[Finding]:
    size, up = len(own.places), way == "apart"
    each = sorted(range(size), key=lambda group: ((-1 if up else 1) * own.value(group), group))
    first, others = each[0], each[1:]
    near, far = alpha / (2 * size), alpha / 4
    if up:
        own_end = own.ends(first, near, Fraction(0))[0]
        limit = max(own.ends(other, Fraction(0), far)[1] for other in others)
    else:
        own_end = own.ends(first, Fraction(0), near)[1]
        limit = min(own.ends(other, far, Fraction(0))[0] for other in others)
    high, low = (own_end, limit) if up else (limit, own_end)
    if high <= low:
        return
    strength = log(high / low) if own.low == 0 and low > 0 else float((high - low) / own.width)
    values = {"share": decimal(own.value(first), MILLION), "most" if up else "least": decimal(limit, MILLION)}
    yield _finding(own, way, alpha, (own.places[first],), strength, **values)


def _finding(
    own: Quotients, way: Way, alpha: Fraction, places: tuple[int, ...], strength: float, **values: Any
) -> Finding:
    told = f"{alpha.numerator}/{alpha.denominator}"
    return Finding(way=way, alpha=told, places=places, strength=f"{strength:.6f}", **values)
