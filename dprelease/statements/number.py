"""Published number in words: the only rule for pages, charts, citations and embeds.

A number has one statement, by its grade. Impossible values are cut off its interval: the files keep raw ends.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import inf

from dprelease.model.feasible import AMOUNT, ANYTHING, Range
from dprelease.model.grade import DAY, TOLD_ROUGHLY, Grade, at_most
from dprelease.model.presentation import ValueKind
from dprelease.model.release import Cell
from dprelease.statements.display import THIN, estimate, half_width, shown
from dprelease.statements.phrases import Record, say
from dprelease.statements.question import StatisticLabel
from dprelease.words.releases import say as word

FEW = 4
"""Digits of a number without a known margin of error."""
MARKED = (Grade.CAUTION, Grade.UNRELIABLE)
"""Grades whose mark stands beside a number."""
PERCENT = f"{THIN}%"
WHOLE: Range = (0, 100)
TENTHS = -1
"""Exponent of the finest step of a share, in points."""


def said(
    question: StatisticLabel, value: Cell, lower: Cell, upper: Cell, *, grade: Grade | None = None
) -> tuple[str, str, str]:
    """Write a value and both ends of its interval as texts, with the digits that the noise supports.

    `grade`: of a published number, whose mark the value has; None of a number that is not published yet, which is shown
    as it is. A number that is not told apart from none is one statement, as is one that says nothing. A
    coefficient that cannot be quoted has ends alone.
    """
    if value is None:
        return word("nothing"), "", ""
    if question.presentation.values is ValueKind.STATE:
        return _marked(word(f"answer_{value}".replace(" ", "_")), grade), "", ""
    if grade is None or isinstance(value, str):
        value_, lower_, upper_ = _texts(question, value, lower, upper, ANYTHING, in_percent=False)
        return _marked(question.answered(value) or value_, grade), lower_, upper_
    if grade is Grade.NONE:
        return _none_to(value, lower, upper), "", ""
    if grade is Grade.UNRELIABLE and says_nothing(question, lower, upper):
        return say("cell_nothing"), "", ""
    value, lower, upper = _inside(question, value, lower, upper)
    value_, lower_, upper_ = _texts(question, value, lower, upper, question.limits, in_percent=question.is_share)
    if grade is Grade.UNRELIABLE and question.coefficients:
        return say("cell_nothing"), lower_, upper_
    return _marked(question.answered(value) or value_, grade), lower_, upper_


def says_nothing(question: StatisticLabel, lower: Cell, upper: Cell) -> bool:
    """Return True if the digits of a number say nothing: it has no interval, or one that covers all possible values.

    For a value that is chosen among declared ones, a missing interval does not count.
    """
    unknown = lower is None or upper is None
    return (unknown and not question.presentation.is_chosen) or covers(question.limits, lower, upper)


def is_small(part: str, lower: Cell, upper: Cell) -> bool:
    """Return True if a coefficient is known to add less than 1 log-odds, perhaps not to which side of 0."""
    if part != "points" or not isinstance(lower, int | float) or not isinstance(upper, int | float):
        return False
    return upper - lower < TOLD_ROUGHLY


def hidden(part: str, grade: Grade, lower: Cell, upper: Cell) -> str | None:
    """Return the word in place of the digits of a coefficient that cannot be quoted; None for others.

    `part`: the table of coefficients; empty for other tables.
    """
    if not part or grade not in (Grade.MISSING, Grade.UNRELIABLE):
        return None
    key = "nothing" if grade is Grade.MISSING else "model_small" if is_small(part, lower, upper) else "model_hidden"
    return word(key)


def share(value: Cell, lower: Cell, upper: Cell, *, grade: Grade | None = None) -> tuple[str, str, str]:
    """Write the share that a count has of others, as texts. It is as uncertain as the count: `grade`."""
    if value is None or grade in (Grade.UNRELIABLE, Grade.MISSING):
        return say("cell_nothing") if value is not None else "", "", ""
    if grade is Grade.NONE:
        most = within((0, 1), upper)
        return say("cell_none_to", most=_percent(0.0, 0.0, most if most else 0.0, WHOLE)[2]), "", ""
    value, lower, upper = (within((0, 1), cell) for cell in (value, lower, upper))
    return _percent(value, lower, upper, WHOLE)


def beside(question: StatisticLabel, cell: Cell, lower: Cell, upper: Cell) -> str:
    """Write a number of the same kind beside a value, such as before post-processing, with the digits of the value."""
    if question.is_share:
        return _percent(cell, lower, upper, ANYTHING)[0]
    return estimate(cell, lower, upper)[0]


def drawn(
    question: StatisticLabel, value: Cell, lower: Cell, upper: Cell, grade: Grade | None
) -> tuple[Cell, Cell, Cell]:
    """Return the number and ends that a chart draws: as stated, without impossible values."""
    if grade is None or not isinstance(value, int | float):
        return value, lower, upper
    if grade is Grade.NONE:
        return within(AMOUNT, value), 0, at_most(value, lower, upper)
    return _inside(question, value, lower, upper)


def sentence(
    question: StatisticLabel,
    record: Record,
    named: str,
    value: Cell,
    lower: Cell,
    upper: Cell,
    grade: Grade | None,
    rank: tuple[int, int] | None = None,
) -> str:
    """Write the quotable sentence of one number, by its grade. `named`: its keys, such as: region north, sex F.

    `rank`: of a value told by rank, the largest number of rows on the wrong side, and the least number of all rows.
    """
    low, high = said(question, value, lower, upper, grade=grade)[1:]
    values = {"named": named, "lower": low.removesuffix(PERCENT), "upper": high}
    if value is None or grade is Grade.MISSING:
        return say("number_O", **values)
    if grade is Grade.NONE:
        key, most = f"number_N_{record.gender}" if question.is_count else "number_N", bound(value, lower, upper)
        return say(key, most=most, unit=unit(question, record, most), **values)
    if grade is Grade.UNRELIABLE and low and high:
        return say("number_U", unit=unit(question, record, high), **values)
    plain = said(question, value, lower, upper, grade=Grade.RELIABLE)[0]
    if rank is not None and grade is Grade.CAUTION:
        off, rows = map(shown, rank)
        own = unit(question, record, plain)
        return say("number_rank", named=named, value=plain, unit=own, off=off, rows=rows, many=record.many)
    if grade is Grade.UNRELIABLE:
        return say("number_U_chosen" if question.presentation.is_chosen else "number_U_nothing", value=plain, **values)
    key = f"number_{grade or Grade.RELIABLE}{'' if low and high else '_alone'}"
    return say(key, value=plain, unit=unit(question, record, plain), **values)


def unit(question: StatisticLabel, record: Record, number: str) -> str:
    """Return the unit after a number in a sentence, with a blank: records by their word, a unit of measure, or nothing.

    A share has its sign already, and the name of a quotient or a model says what it is.
    """
    text = (record.one if number == "1" else record.many) if question.is_count else question.unit
    return f" {text}" if text else ""


def tail(*, is_sample: bool) -> str:
    """State once what holds for every interval of a page: its confidence level, and its cause."""
    return say("tail_sampling" if is_sample else "tail")


def how_reliable(grade: Grade) -> str:
    """Return the grade of a row in words; empty for a reliable one."""
    return "" if grade is Grade.RELIABLE else word(f"grade_{grade}")


def bound(value: Cell, lower: Cell, upper: Cell) -> str:
    """Write the upper bound of a number not told apart from none, rounded up to the digits of its interval."""
    most = at_most(value, lower, upper)
    whole = all(isinstance(cell, int) for cell in (value, lower, upper))
    return estimate(0, 0, int(most))[2] if whole else estimate(0.0, 0.0, most)[2]


def covers(limits: Range, lower: Cell, upper: Cell) -> bool:
    """Return True if an interval says nothing: it covers all possible values."""
    low, high = _number(lower), _number(upper)
    return low is not None and high is not None and low <= limits[0] and high >= limits[1]


def within(limits: Range, cell: Cell) -> Cell:
    """Return a number or day clipped to its limits; other cells as they are."""
    number, (low, high) = _number(cell), limits
    if number is None or low <= number <= high:
        return cell
    nearest = low if number < low else high
    if isinstance(cell, str):
        return date.fromordinal(int(nearest)).isoformat()
    return int(nearest) if isinstance(cell, int) and nearest == int(nearest) else nearest


def _inside(question: StatisticLabel, value: Cell, lower: Cell, upper: Cell) -> tuple[Cell, Cell, Cell]:
    """Return a number with its interval, both clipped to the possible values; one without an interval as it is."""
    if half_width(lower, upper) is None and not isinstance(lower, str):
        return value, lower, upper
    return within(question.limits, value), within(question.limits, lower), within(question.limits, upper)


def _none_to(value: Cell, lower: Cell, upper: Cell) -> str:
    return say("cell_none_to", most=bound(value, lower, upper))


def _marked(text: str, grade: Grade | None) -> str:
    """Return a value with the mark of its grade; a reliable one is left alone."""
    mark = Grade.UNRELIABLE if grade is Grade.NONE else grade
    return word(f"value_{mark}", value=text) if mark in MARKED else text


def _texts(
    question: StatisticLabel, value: Cell, lower: Cell, upper: Cell, limits: Range, *, in_percent: bool
) -> tuple[str, str, str]:
    if in_percent:
        return _percent(value, lower, upper, WHOLE)
    if half_width(lower, upper) is not None:
        return estimate(value, lower, upper, limits=limits)
    told = estimate(value, lower, upper)[0] if question.presentation.is_chosen else shown(value, FEW)
    return told, shown(lower, FEW), shown(upper, FEW)


def _percent(value: Cell, lower: Cell, upper: Cell, limits: Range) -> tuple[str, str, str]:
    """Write shares as percentages, in steps of a tenth of a point at least."""
    numbers = (value, lower, upper)
    cells = [float(Decimal(repr(cell)) * 100) if isinstance(cell, int | float) else cell for cell in numbers]
    if half_width(cells[1], cells[2]) is None:
        texts = tuple(shown(round(cell, -TENTHS), FEW) if isinstance(cell, float) else "" for cell in cells)
    else:
        texts = estimate(*cells, limits=limits, finest=TENTHS)
    value_, lower_, upper_ = (f"{text}{PERCENT}" if text else "" for text in texts)
    return value_, lower_, upper_


def _number(cell: Cell) -> float | None:
    if isinstance(cell, str):
        return date.fromisoformat(cell).toordinal() if DAY.fullmatch(cell) else None
    return cell if cell is not None and -inf < cell < inf else None
