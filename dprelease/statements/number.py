"""One published number in words: the only rule for what pages, charts, citations and embeds say of it.

A number has one statement, by its grade. What it cannot be at all is cut off its interval: the files keep raw ends.
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
"""Digits of a number of which nothing is known about how far off it is."""
MARKED = (Grade.CAUTION, Grade.UNRELIABLE)
"""Grades that stand beside a number, too."""
PERCENT = f"{THIN}%"
WHOLE: Range = (0, 100)
TENTHS = -1
"""The exponent of the finest step of a share, in points."""


def said(
    question: StatisticLabel, value: Cell, lower: Cell, upper: Cell, *, grade: Grade | None = None
) -> tuple[str, str, str]:
    """A value and both ends of its interval as texts, with the digits that the noise supports.

    `grade`: of a published number, whose mark the value has; none of a number that is looked at before, which is shown
    as it is. A number that is not told apart from none is one statement, and so is one of which nothing can be said. A
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
    """Tells of a number of grade U whether noise made its digits: without an interval, or with one of all that can be.

    The digits of a value that is chosen among declared ones are meant.
    """
    unknown = lower is None or upper is None
    return (unknown and not question.presentation.is_chosen) or covers(question.limits, lower, upper)


def is_small(part: str, lower: Cell, upper: Cell) -> bool:
    """Tells of a coefficient whether it is told to add less than 1 log-odds, if perhaps not to which side of 0."""
    if part != "points" or not isinstance(lower, int | float) or not isinstance(upper, int | float):
        return False
    return upper - lower < TOLD_ROUGHLY


def hidden(part: str, grade: Grade, lower: Cell, upper: Cell) -> str | None:
    """What tables and cards have in place of the digits of a coefficient that cannot be quoted; None of others.

    `part`: which table of coefficients; empty of other tables.
    """
    if not part or grade not in (Grade.MISSING, Grade.UNRELIABLE):
        return None
    key = "nothing" if grade is Grade.MISSING else "model_small" if is_small(part, lower, upper) else "model_hidden"
    return word(key)


def share(value: Cell, lower: Cell, upper: Cell, *, grade: Grade | None = None) -> tuple[str, str, str]:
    """The share that a count has of others, as texts. It is as unsure as the count: `grade`."""
    if value is None or grade in (Grade.UNRELIABLE, Grade.MISSING):
        return say("cell_nothing") if value is not None else "", "", ""
    if grade is Grade.NONE:
        most = within((0, 1), upper)
        return say("cell_none_to", most=_percent(0.0, 0.0, most if most else 0.0, WHOLE)[2]), "", ""
    value, lower, upper = (within((0, 1), cell) for cell in (value, lower, upper))
    return _percent(value, lower, upper, WHOLE)


def beside(question: StatisticLabel, cell: Cell, lower: Cell, upper: Cell) -> str:
    """A number of the same kind beside a value, such as before post-processing, with the digits of the value."""
    if question.is_share:
        return _percent(cell, lower, upper, ANYTHING)[0]
    return estimate(cell, lower, upper)[0]


def drawn(
    question: StatisticLabel, value: Cell, lower: Cell, upper: Cell, grade: Grade | None
) -> tuple[Cell, Cell, Cell]:
    """The number and the ends that a chart draws: what is told of it, and nothing that it cannot be."""
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
    """What can be quoted of one number, by its grade. `named`: what it is of, such as: region north, sex F.

    `rank`: of a value that is told by it, how many rows are on the wrong side at most, of how many at least.
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
    """What follows a number in a sentence, after a blank: records by their word, a unit of measure, or nothing.

    A share has its sign already, and of a quotient or a model the name says what it is.
    """
    text = (record.one if number == "1" else record.many) if question.is_count else question.unit
    return f" {text}" if text else ""


def tail(*, is_sample: bool) -> str:
    """What holds for every interval of a page, once: how sure it is, and why there is one."""
    return say("tail_sampling" if is_sample else "tail")


def how_reliable(grade: Grade) -> str:
    """The grade of a row in words; nothing of a reliable one."""
    return "" if grade is Grade.RELIABLE else word(f"grade_{grade}")


def bound(value: Cell, lower: Cell, upper: Cell) -> str:
    """How much there is at most of what is not told apart from none, rounded up to the digits of its interval."""
    most = at_most(value, lower, upper)
    whole = all(isinstance(cell, int) for cell in (value, lower, upper))
    return estimate(0, 0, int(most))[2] if whole else estimate(0.0, 0.0, most)[2]


def covers(limits: Range, lower: Cell, upper: Cell) -> bool:
    """Tells whether an interval says nothing: it has all that there can be."""
    low, high = _number(lower), _number(upper)
    return low is not None and high is not None and low <= limits[0] and high >= limits[1]


def within(limits: Range, cell: Cell) -> Cell:
    """A number or day as far as it can be; other cells as they are."""
    number, (low, high) = _number(cell), limits
    if number is None or low <= number <= high:
        return cell
    nearest = low if number < low else high
    if isinstance(cell, str):
        return date.fromordinal(int(nearest)).isoformat()
    return int(nearest) if isinstance(cell, int) and nearest == int(nearest) else nearest


def _inside(question: StatisticLabel, value: Cell, lower: Cell, upper: Cell) -> tuple[Cell, Cell, Cell]:
    """A number with its interval, as far as both can be; one without an interval as it is."""
    if half_width(lower, upper) is None and not isinstance(lower, str):
        return value, lower, upper
    return within(question.limits, value), within(question.limits, lower), within(question.limits, upper)


def _none_to(value: Cell, lower: Cell, upper: Cell) -> str:
    return say("cell_none_to", most=bound(value, lower, upper))


def _marked(text: str, grade: Grade | None) -> str:
    """A value with the mark of its grade; a reliable one is left alone."""
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
    """Shares as percentages, in steps of a tenth of a point at least."""
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
