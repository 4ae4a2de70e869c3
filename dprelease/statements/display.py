"""Text and numbers as readers see them: nothing hidden in the text, no digits the noise does not support."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_UP, Context, Decimal
from math import floor, log10

from dprelease.model.feasible import ANYTHING, Range
from dprelease.model.privacy import decimal_text
from dprelease.model.release import Cell
from dprelease.words.language import point
from dprelease.words.phrases import visible

THIN = "\N{NARROW NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
DIGITS = 10
"""Significant digits of a number without an interval."""
MAX_DIGITS = 700
"""Largest number of digits, as the longest float has on both sides of its point."""


def half_width(lower: Cell, upper: Cell) -> float | None:
    """Return half the width of an interval of numbers; None where there is none."""
    if isinstance(lower, int | float) and isinstance(upper, int | float) and upper > lower:
        return float((upper - lower) / 2)
    return None


def estimate(
    value: Cell, lower: Cell, upper: Cell, *, limits: Range = ANYTHING, finest: int | None = None
) -> tuple[str, str, str]:
    """Write value, lower and upper in steps of a power of ten at most a quarter of the interval, ends outwards.

    `limits`: bounds that no rounding passes. `finest`: the exponent of the least step.
    """
    half = half_width(lower, upper)
    if half is None:
        return shown(value), shown(lower), shown(upper)
    place = floor(log10(half / 2))
    whole = all(isinstance(number, int) for number in (value, lower, upper))
    place = max(place, 0) if whole else place if finest is None else max(place, finest)
    step = Decimal(1).scaleb(place)
    return (
        _rounded(value, step, ROUND_HALF_EVEN, limits),
        _rounded(lower, step, ROUND_FLOOR, limits),
        _rounded(upper, step, ROUND_CEILING, limits),
    )


def rounded(value: Cell, lower: Cell, upper: Cell) -> Cell:
    """Return the number that `estimate` shows, as a number; a value without an interval as it is."""
    half = half_width(lower, upper)
    if half is None or not isinstance(value, int | float):
        return value
    place = floor(log10(half / 2))
    if isinstance(value, int):
        return round(value, -max(place, 0))
    return float(_in_steps(value, Decimal(1).scaleb(place), ROUND_HALF_EVEN))


def shown(cell: Cell, digits: int = DIGITS) -> str:
    """Write a cell without an interval: text made visible, a float with at most so many significant digits."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return visible(cell)
    if isinstance(cell, int):
        return grouped(Decimal(cell))
    return grouped(Context(prec=digits).create_decimal_from_float(cell).normalize())


def plain_keys(cells: Iterable[Cell]) -> bool:
    """Return True if key numbers are shown without grouping: up to four digits, as years are written."""
    return all(abs(cell) < 10_000 for cell in cells if isinstance(cell, int | float))


def shown_key(cell: Cell) -> str:
    """Write a cell of a key column."""
    return shown(cell).replace(THIN, "") if plain_keys([cell]) else shown(cell)


def margin(half: float) -> str:
    """Write half a width with at most two significant digits, rounded up."""
    return grouped(Context(prec=2, rounding=ROUND_UP).create_decimal(repr(half)).normalize())


def _rounded(cell: Cell, step: Decimal, rounding: str, limits: Range) -> str:
    if not isinstance(cell, int | float):
        return shown(cell)
    number = _in_steps(cell, step, rounding)
    passed = [limit for limit, sign in zip(limits, (-1, 1), strict=True) if (number - Decimal(limit)) * sign > 0]
    return shown(passed[0]) if passed else grouped(number)


def _in_steps(number: float | int, step: Decimal, rounding: str) -> Decimal:
    """Return the number rounded to a multiple of a step, with the step's decimals."""
    context = Context(prec=MAX_DIGITS, rounding=rounding)
    steps = context.to_integral_value(context.divide(Decimal(repr(number)), step))
    return context.quantize(context.multiply(steps, step), min(step, Decimal(1)))


def grouped(number: Decimal) -> str:
    """Write thousands apart by a narrow space, a true minus sign, trailing zeros kept where the number has them."""
    exponent = number.adjusted()
    if number and not -7 <= exponent <= 20:
        return pointed(f"{number.normalize():e}".replace("-", MINUS).replace("e+", "e"))
    text = f"{number:,f}" if number else f"{abs(number):f}"
    return pointed(text.replace(",", THIN).replace("-", MINUS))


def exact(number: Decimal | float | int) -> str:
    """Write a declared number, such as ε, with all its digits."""
    return pointed(decimal_text(number if isinstance(number, Decimal) else Decimal(repr(number))))


def pointed(text: str) -> str:
    """Return a number that was written with a point, as the current language writes it."""
    return text.replace(".", point())


def factor(epsilon: float | int) -> str:
    """Write e^ε with three significant digits, rounded up."""
    value = Context(prec=30).create_decimal(repr(epsilon)).exp(Context(prec=30))
    value = Context(prec=3, rounding=ROUND_UP).create_decimal(value)
    if value < 1_000_000:
        return grouped(value.normalize() if value < 1000 else value.quantize(Decimal(1)))
    return f"{pointed(str(value.scaleb(-value.adjusted())))} × 10{str(value.adjusted()).translate(SUPERSCRIPTS)}"
