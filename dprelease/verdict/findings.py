"""Whether what a page finds in its tables holds: worked out again from the tables, with no help of who wrote it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import exp, log

from dprelease.errors import IntegrityError
from dprelease.model.certificate import Certificate
from dprelease.model.presentation import Quantity
from dprelease.model.release import NO_ANSWER, TOTAL, Estimates, Release
from dprelease.words import phrase, quoted

CHANCE = 0.05
"""At most this often any of the findings in a table may be one of noise."""
ROUNDED = 1e-9
"""What arithmetic may make of it."""


def check_finding(release: Release, table: str, way: str, places: Sequence[int]) -> None:
    """Raises IntegrityError where two cells that are told apart are not, by their published intervals.

    The noise of a cell is beyond r in 1 of 20 cases at most (r: the reach of its interval and one step) and is
    log-concave: beyond t·r in at most 0.05^t. That what is larger by d is not so in truth takes a noise beyond
    d·r1 / (r1 + r2) in the one, or beyond d·r2 / (r1 + r2) in the other, of the right sign: 0.05^(d / (r1 + r2)) at
    most, and m times that in a table of m cells.
    """
    certificate, estimates = release.certificate, release.tables[table]
    asked = certificate.asked(table)
    beside = {code for option, code in (("margins", TOTAL), ("missing", NO_ANSWER)) if option in asked}
    rows = [
        place
        for place, row in enumerate(estimates.rows())
        if not _is_beside(estimates, row, beside) and not _is_cut(estimates, row)
    ]
    pairs = list(_pairs(way, places, rows))
    step = _step(certificate, table)
    most = CHANCE / max(1, len(rows)) * (1 - ROUNDED if way == "nothing" else 1 + ROUNDED)
    apart = [_chance(estimates, first, second, step) < most for first, second in pairs]
    if not {*places} <= {*rows} or not pairs or any(each is (way == "nothing") for each in apart):
        raise IntegrityError(phrase("verdict.finding_does_not_hold", statistic=quoted(table)))


def _pairs(way: str, places: Sequence[int], rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Which cell is said to have more than which; of `nothing`, which one might have been."""
    if way == "most":
        yield from ((first, second) for first in places for second in rows if second not in places)
    elif way == "between":
        yield (places[0], places[1])
    else:
        yield from ((first, second) for first in rows for second in rows if first != second)


def _chance(estimates: Estimates, first: int, second: int, step: float) -> float:
    """How often at most noise would do that. 1 where the first is not the larger, or an interval is missing."""
    sizes, reaches = [], []
    for place in (first, second):
        cells = (estimates.value[place], estimates.lower95[place], estimates.upper95[place])
        value, lower, upper = (float(cell) if isinstance(cell, int | float) else None for cell in cells)
        if value is None or lower is None or upper is None:
            return 1
        sizes.append(value)
        reaches.append(max(upper - value, value - lower) + step)
    more = sizes[0] - sizes[1]
    return exp(log(CHANCE) * more / sum(reaches)) if more > 0 else 1


def _step(certificate: Certificate, table: str) -> float:
    """The largest step of its noise, in units of the value; one record where records are counted."""
    asked, stated = certificate.asked(table), certificate.statistic(table)
    if stated.presentation.measure in (Quantity.RECORDS, Quantity.UNITS) and "survey_weights" not in asked:
        return 1
    return max((float(each.step) for each in certificate.rests_on(stated) if each.step is not None), default=0)


def _is_cut(estimates: Estimates, row: Sequence[object]) -> bool:
    """Whether a row is of a period of which the bounds hold a part: a further key column of an axis says so."""
    place = 0
    for axis in estimates.axes:
        further = zip(axis.names, row[place : place + len(axis.names)], strict=True)
        if any(name.rstrip("_").endswith("_partial") and cell == "yes" for name, cell in [*further][1:]):
            return True
        place += len(axis.names)
    return False


def _is_beside(estimates: Estimates, row: Sequence[object], codes: Collection[str]) -> bool:
    """Whether a row is a total along a key, or of no answer to it: the first key column of an axis says so."""
    place = 0
    for axis in estimates.axes:
        if row[place] in codes:
            return True
        place += len(axis.names)
    return False
