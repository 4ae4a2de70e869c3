"""Reliability grade of a published number, in one letter, by its interval and its feasible range: the only rule.

The rule, with its reasons, is in docs/formats.md. It looks at published numbers and declarations only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import chain, repeat
from math import inf, isfinite, log

from dprelease.model.certificate import Certificate
from dprelease.model.feasible import Range, feasible
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait, ValueKind
from dprelease.model.release import Cell, Estimates, plain
from dprelease.model.stated import Grades
from dprelease.model.statement import Reason

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
COUNT = ("count", "count_lower95", "count_upper95")
TOTAL_ENDS = ("lower95_total", "upper95_total")
"""An estimate of its own beside a value."""
APPROXIMATE = ("lower", "upper")
"""Ends of an interval that holds about as often as one of 95 %: its number is to be used with caution at best."""
CHANCES = (1e-4, 1e-2)
"""Maximum probabilities that a number with nothing behind it is graded A, and C or better."""
TIMES = {sides: [log(sides / (2 * chance)) / log(20) for chance in CHANCES] for sides in (1, 2)}
"""Multiples of the reach from 0 that give these probabilities: `_of_nothing`."""
PRECISE, NARROW, WIDE, UNEVEN = 0.05, 0.1, 0.3, 1.3
"""Widths of intervals: of a share; of a value on its scale, twice (the second also of a share); by the smaller side."""
TOLD, TOLD_ROUGHLY, FAR = 0.2, 1.0, 4.0
"""Widths of intervals of log-odds that are graded A, and C; and how far from 0 these are never A."""


class Grade(StrEnum):
    """Reliable, to be used with caution, unreliable, not told apart from none, and no value."""

    RELIABLE = "A"
    CAUTION = "C"
    UNRELIABLE = "U"
    NONE = "N"
    MISSING = "O"


QUOTABLE = (Grade.RELIABLE, Grade.CAUTION)
Graded = tuple[Grade, Reason | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Scale for grading the numbers of one table."""

    feasible: Range
    is_share: bool = False
    step: float | None = None
    """Value of one noise step, for a number that adds up, so that there may be nothing of it."""
    threshold: float | None = None
    """The least noisy count that is published, where categories are discovered."""
    is_log_odds: bool = False
    """True for the bins of a model: the value that a bin adds has a scale of its own."""

    @classmethod
    def of(cls, certificate: Certificate, table: str) -> Scale:
        """Return the scale of a table, by what the certificate states."""
        stated, asked = certificate.statistic(table), certificate.asked(table)
        shown, mechanisms = stated.presentation, certificate.rests_on(stated)
        steps = [float(each.step) for each in mechanisms if each.step is not None]
        whole = shown.measure in (Quantity.RECORDS, Quantity.UNITS) and "survey_weights" not in asked
        is_share = shown.measure is Quantity.SHARE
        limits = [float(each.settings["threshold"]) for each in mechanisms if "threshold" in each.settings]
        return cls(
            feasible=feasible(asked, shown, certificate.columns),
            is_share=is_share,
            step=(1.0 if whole else max(steps, default=0.0)) if shown.has(Trait.ADDITIVE) and not is_share else None,
            threshold=max(limits, default=None) if shown.values is ValueKind.NOISY else None,
            is_log_odds=table.endswith(".points") and shown.has(Trait.BY_BIN),
        )


def grades(certificate: Certificate, table: str, estimates: Estimates) -> Iterator[Grade]:
    """Grade each row, in the order of the file.

    A value that has no interval is graded by the count beside it; a sample by noise and sampling together.
    """
    return (letter for letter, _ in graded(certificate, table, estimates))


def graded(certificate: Certificate, table: str, estimates: Estimates) -> Iterator[Graded]:
    """Yield each grade with its reason; of A, and where there is no whole interval, none."""
    scale, limits = Scale.of(certificate, table), certificate.grades
    counts = _rows(estimates, COUNT) if estimates.extra.keys() >= set(COUNT) else repeat((None, None, None))
    approximate = estimates.extra.keys() >= set(APPROXIMATE)
    ends = TOTAL_ENDS if estimates.extra.keys() >= set(TOTAL_ENDS) else ("lower95", "upper95")
    ends = APPROXIMATE if approximate else ends
    fixed = _constant(certificate.statistic(table).presentation, estimates)
    ranked = certificate.statements.ranks.get(table) if certificate.statements else None
    each = zip(_rows(estimates, ("value", *ends)), counts, fixed, strict=False)
    for place, (row, count, is_constant) in enumerate(each):
        own = row[0] is None or row[1:] != (None, None) or None in count
        if is_constant and row[0] is not None:
            yield Grade.RELIABLE, None
            continue
        if ranked is not None and place in ranked.places:
            yield Grade.CAUTION, Reason.RANK
            continue
        found = grade_and_reason(*(row if own else count), scale=scale, limits=limits)
        yield (Grade.CAUTION, Reason.APPROXIMATE) if approximate and found[0] is Grade.RELIABLE else found


def _constant(shown: Presentation, estimates: Estimates) -> Iterator[bool]:
    """Yield for each row True if it is 1 by definition: a column's correlation with itself, the last share of a cdf."""
    if shown.has(Trait.SIGNED) and len(estimates.axes) == 2:
        first, second = estimates.axes
        return (one == other for one in first.cells for other in second.cells)
    if shown.look is ChartType.STAIRS:
        return (place == len(estimates) - 1 for place in range(len(estimates)))
    return repeat(False)


def _rows(estimates: Estimates, names: Sequence[str]) -> Iterator[tuple[Cell, Cell, Cell]]:
    columns = (chain.from_iterable(plain(estimates.numbers[name])) for name in names)
    return zip(*columns, strict=True)


def grade(value: Cell, lower: Cell, upper: Cell, scale: Scale, limits: Grades) -> Grade:
    """Grade one number: `grade_and_reason`."""
    return grade_and_reason(value, lower, upper, scale, limits)[0]


def grade_and_reason(value: Cell, lower: Cell, upper: Cell, scale: Scale, limits: Grades) -> Graded:
    """Grade one number by its 95 % interval, in this order.

    O: there is none. U: no whole interval; one that covers all that it can be; a number that is further outside of
    that than the interval reaches. Log-odds of bins: by the width of the interval, where 0 is not in it. N: what is at
    least 0 without a limit, with an interval that reaches 0. Then by how far the interval reaches: of the number, of
    the range, or of the smaller side of a share (NCHS 2017). A and C of what adds up also ask that none of it would
    look so in at most 1 of 10,000 and of 100 cases.
    """
    if value is None:
        return Grade.MISSING, None
    number, low, high = (_number(cell) for cell in (value, lower, upper))
    if number is None or low is None or high is None:
        return Grade.UNRELIABLE, None
    if scale.is_log_odds:
        return _of_log_odds(number, low, high)
    least, most = scale.feasible
    reach = max(number - low, high - number)
    if low <= least and high >= most:
        return Grade.UNRELIABLE, Reason.RANGE
    if scale.step is None and not least - reach <= number <= most + reach:
        return Grade.UNRELIABLE, Reason.EDGE
    if (least, most) == (0, inf) and low <= 0:
        return Grade.NONE, Reason.NOTHING
    if scale.is_share:
        found = [(_of_share(number, high - low, reach, limits), Reason.SIDE)]
    else:
        found = list(_of_range(number, high - low, reach, scale, limits))
    if scale.step is not None:
        found.append((_of_nothing(abs(number), reach + scale.step, 1 if least == 0 else 2), Reason.NOTHING))
    if scale.threshold is not None and number - reach < scale.threshold:
        found.append((Grade.CAUTION, Reason.THRESHOLD))
    letter, reason = max(found, key=lambda each: each[0])
    return letter, None if letter is Grade.RELIABLE else reason


def at_most(value: Cell, lower: Cell, upper: Cell) -> float:
    """Return the upper bound, in 95 of 100 cases, of an amount that is not told apart from none: grade N.

    Noise that goes this far down goes further by the reach of the interval in 1 of 20 cases at most.
    """
    number, low, high = (_number(cell) or 0 for cell in (value, lower, upper))
    return max(high, number - low, high - number)


def _of_nothing(size: float, reach: float, sides: int) -> Grade:
    """Return the grade of a size that noise alone may have: P(noise >= size) <= ½ · 20^(−size / reach) for symmetric
    log-concave noise that stays below `reach` (one step beyond the interval) with 95 %: discrete Laplace, discrete
    Gaussian, sums of them. `sides`: 2 where noise of either sign looks like something."""
    reliable, caution = TIMES[sides]
    if size >= reliable * reach:
        return Grade.RELIABLE
    return Grade.CAUTION if size >= caution * reach else Grade.UNRELIABLE


def _of_log_odds(number: float, low: float, high: float) -> Graded:
    if low <= 0 <= high or high - low >= TOLD_ROUGHLY:
        return Grade.UNRELIABLE, Reason.ODDS
    return (Grade.RELIABLE, None) if high - low < TOLD and abs(number) <= FAR else (Grade.CAUTION, Reason.ODDS)


def _of_share(share: float, width: float, reach: float, limits: Grades) -> Grade:
    smaller = min(share, 1 - share)
    if width >= WIDE or (width > PRECISE and width > UNEVEN * smaller):
        return Grade.UNRELIABLE
    return Grade.RELIABLE if smaller > 0 and reach <= limits.caution * smaller else Grade.CAUTION


def _of_range(
    number: float, width: float, reach: float, scale: Scale, limits: Grades
) -> Iterator[tuple[Grade, Reason]]:
    """Yield grades by the number where 0 means none, by the range where it does not, by both where the range begins
    above 0.
    """
    least, most = scale.feasible
    yield Grade.RELIABLE, Reason.AMOUNT
    if least >= 0 or most - least == inf:
        yield _by(reach, limits.caution * abs(number), limits.unreliable * abs(number)), Reason.AMOUNT
    if least != 0 and most - least < inf:
        yield _by(width, NARROW * (most - least), WIDE * (most - least)), Reason.RANGE
    if most - least < inf and not (least < number < most and width <= WIDE * (most - least)):
        yield Grade.CAUTION, Reason.EDGE  # so may one of which there is nothing look: a quotient of noise and noise


def _by(length: float, reliable: float, caution: float) -> Grade:
    return Grade.RELIABLE if length <= reliable else Grade.CAUTION if length <= caution else Grade.UNRELIABLE


def _number(cell: Cell) -> float | None:
    """Return a cell as a number: a day as its ordinal; None where it is neither, or is not finite."""
    if isinstance(cell, str):
        return date.fromisoformat(cell).toordinal() if DAY.fullmatch(cell) else None
    return cell if cell is not None and isfinite(cell) else None
