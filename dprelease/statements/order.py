"""Order of cells: most, fewest, more than all others; how far any two are apart; the last beside the first.

Each claim errs with probability `alpha` at most, whatever the true numbers x are. Formulas and proofs: docs/formats.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import log
from typing import Any

from msgspec import UNSET

from dprelease.model.statement import Finding, Way
from dprelease.statements.families import PERIODS, CellFamily
from dprelease.statements.tails import SHARP, combined_tail, difference, difference_tail, quotient_tail

RATIO = 100
"""Steps per unit in which quotients of the most by any other are stated."""
FINE = 1000
"""Steps per unit of other quotients."""
MIN_RATIO = Fraction(105, 100)
"""Smallest quotient that is stated."""
ALIKE = Fraction(5, 4)
"""Largest quotient at which any two cells are called alike."""
MAX_TIMES = 10**6
"""Largest quotient that is stated."""
WEAK = 0.01
"""Strength of a claim without a factor, and the least of one with some."""


def orders(family: CellFamily) -> Iterator[Finding]:
    """Yield findings on the order of the cells, the strongest claim first."""
    if family.shape == PERIODS:
        yield from first_last(family)
    found = most(family)
    yield from filter(None, [found, fewest(family)])
    if found is None:
        yield from spread(family)


def most(family: CellFamily) -> Finding | None:
    """Find the least k of 1, 2, 3 for which k cells exceed every other one, each at β = α_k/(k(m − k) + 1).

    k = 1: for each cell i that is not alone at the top some other one, fixed by the truth, has as much; that i passes
    has probability β, and there are m such i at most. k > 1: some cell of the claimed set beat one of the true set that
    has as much: k(m − k) pairs, and one more for a tie at the border.
    """
    size = len(family.places)
    ranked = sorted(range(size), key=lambda place: (-family.counts[place], place))
    for k, claim in ((1, "most"), (2, "ahead2"), (3, "ahead3")):
        alpha = family.part(claim)
        if not alpha or k >= size:
            return None
        inside, outside = ranked[:k], ranked[k:]
        beta = alpha / (k * (size - k) + 1)
        named = k == 1 or not family.never & {family.places[place] for place in inside}
        if named and _beats(family, inside, outside, beta):
            places = tuple(sorted(family.places[place] for place in inside))
            factor = _times(family, inside[0], outside, beta) if k == 1 else None
            told = UNSET if factor is None else decimal(factor, RATIO)
            strength = log(factor) if factor is not None else _ahead(family, inside, outside, beta) if k > 1 else None
            way: Way = "most" if k == 1 else "ahead"
            return finding(family, way, alpha, places, None if strength is None else max(WEAK, strength), factor=told)
    return None


def fewest(family: CellFamily) -> Finding | None:
    """Find the cell that has fewer than every other one, as `most` of −y."""
    alpha, size = family.part("least"), len(family.places)
    if not alpha or size < 3:
        return None
    place = min(range(size), key=lambda each: family.counts[each])
    others = [each for each in range(size) if each != place]
    found = _beats(family, others, [place], alpha / size)
    return finding(family, "least", alpha, (family.places[place],), None) if found else None


def spread(family: CellFamily) -> Iterator[Finding]:
    """Yield the greatest upper limit of a quotient of two cells, each one-sided at α, where it is 5/4 at most.

    The true greatest and the true least cell are two that the truth fixes: one event, however many cells there are.
    """
    alpha = family.part("spread")
    if not alpha or not family.is_exact or min(family.counts) <= 0:
        return
    high, low = (int(each) for each in (max(family.counts), min(family.counts)))

    def beyond(r: int) -> bool:
        return quotient_tail(family.noise, family.noise, r, FINE, r * low - FINE * high) <= alpha * SHARP

    most = int(ALIKE * FINE)
    if beyond(most):
        factor = Fraction(last(lambda r: not beyond(r), FINE * high // low, most) + 1, FINE)
        yield finding(family, "spread", alpha, (), -log(factor), factor=decimal(factor, FINE))


def first_last(family: CellFamily) -> Iterator[Finding]:
    """Yield the last whole period by the first, two-sided at α: two fixed cells; nothing where they may be alike."""
    alpha, noises = family.part("first_last"), family.noises
    before, after = int(family.counts[0]), int(family.counts[-1])
    if not family.is_exact or abs(after - before) < difference(noises[0], noises[-1], float(alpha / 2)):
        return
    ends = quotient(family, after, before, alpha / 2)
    if ends is None or ends[0] <= 1 <= ends[1]:
        return
    near = min(abs(log(end)) for end in ends if end > 0)
    told = (Fraction(max(after, 0), before), *ends)
    values = dict(zip(("share", "least", "most"), (decimal(each, FINE) for each in told), strict=True))
    yield finding(family, "first_last", alpha, (family.places[0], family.places[-1]), near, **values)


def quotient(family: CellFamily, over: int, under: int, beta: Fraction) -> tuple[Fraction, Fraction] | None:
    """Return the ends of x/x′ of two cells, each at β, in thousandths and outward (Fieller); None where x′ may be 0.

    A quotient r above y/y′ is left out where r·n′ − n >= r·y′ − y has probability β at most, below it where
    n − r·n′ >= y − r·y′ has.
    """
    noise = family.noise
    if under <= 0 or not is_positive(family, under, beta):
        return None

    def above(r: int) -> bool:
        return quotient_tail(noise, noise, r, FINE, r * under - FINE * over) <= beta * SHARP

    def below(r: int) -> bool:
        return quotient_tail(noise, noise, FINE, r, FINE * over - r * under) <= beta * SHARP

    centre = max(0, FINE * over // under)
    high = centre + 1
    while not above(high):
        high *= 2
        if high > FINE * MAX_TIMES:
            return None
    lowest = last(below, 1, centre + 1) if centre and below(1) else 0
    return Fraction(lowest, FINE), Fraction(last(lambda r: not above(r), centre, high) + 1, FINE)


def is_positive(family: CellFamily, count: int, beta: Fraction) -> bool:
    """Return True if noise alone leads to such a number with probability β at most."""
    return count > 0 and combined_tail(((1, family.noise),), count) <= beta * SHARP


def last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the last integer from `low` to below `high` up to which `holds` is true; `low` where for none."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _beats(family: CellFamily, inside: Sequence[int], outside: Sequence[int], beta: Fraction) -> bool:
    """Return True if each cell inside exceeds each outside by the margin of noise at β; also as published.

    A number that is not told apart from none is never said to have more than another.
    """
    if not family.none.isdisjoint(family.places[place] for place in inside):
        return False
    if min(family.shown[place] for place in inside) <= max(family.shown[place] for place in outside):
        return False
    count = family.counts
    if family.is_exact:
        gap = min(count[place] for place in inside) - max(count[place] for place in outside)
        return gap >= 1 and difference_tail(family.noise, family.noise, int(gap)) <= beta * SHARP
    pairs = ((one, other, count[one] - count[other]) for one in inside for other in outside)
    return all(
        gap > 0 and difference_tail(family.noises[one], family.noises[other], gap) <= beta * SHARP
        for one, other, gap in pairs
    )


def _times(family: CellFamily, first: int, others: Sequence[int], beta: Fraction) -> Fraction | None:
    """Return the greatest r of two decimals for which x/x′ >= r is claimed at β for every other cell; None below 1.05.

    It costs nothing: where the first is the true most, its quotient with the next is one that the truth fixes, and of
    the m events of `most` only those of other cells are spent.
    """
    if not family.is_exact:
        return None
    over, under = int(family.counts[first]), int(max(family.counts[place] for place in others))
    if not is_positive(family, under, Fraction(1, 40)):
        return None
    noise = family.noise

    def claimed(r: int) -> bool:
        return quotient_tail(noise, noise, RATIO, r, RATIO * over - r * under) <= beta * SHARP

    low = int(MIN_RATIO * RATIO)
    if not claimed(low):
        return None
    return Fraction(last(claimed, low, max(low, RATIO * over // under) + 1), RATIO)


def _ahead(family: CellFamily, inside: Sequence[int], outside: Sequence[int], beta: Fraction) -> float | None:
    """Return ln of the least inside, less the margin of noise, by the greatest outside."""
    least, most = min(family.counts[place] for place in inside), max(family.counts[place] for place in outside)
    if not family.is_exact or most <= 0:
        return None
    return log((least - difference(family.noise, family.noise, float(beta))) / most)


def finding(
    family: CellFamily, way: Way, alpha: Fraction, places: Sequence[int], strength: float | None, **values: Any
) -> Finding:
    return Finding(
        way=way,
        alpha=f"{alpha.numerator}/{alpha.denominator}",
        places=tuple(places),
        axis=UNSET if family.axis is None else family.axis,
        basis=family.basis,
        strength=f"{WEAK if strength is None else strength:.6f}",
        **values,
    )


def decimal(number: Fraction, parts: int) -> str:
    """Write a number in such parts, with as many decimals."""
    return f"{Decimal(round(number * parts)) / parts:.{len(str(parts)) - 1}f}"
