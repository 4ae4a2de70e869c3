"""Reader of stored values in plain Python: a second implementation of docs/reading.md, "What a cell says"."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from math import floor, isinf, isnan

from dprelease.model.column import ORDERED, Column, ColumnType
from dprelease.model.missing import CLIPPED, CodeRange, End, OutsideAnswer
from dprelease.model.reading_report import STATES, CellState
from dprelease.table.kit.clock import is_digits, is_time
from dprelease.table.kit.form import canonical_of

BLANKS = " \t\n\x0b\f\r"
YES, NO = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")
LONGEST_NUMBER, LONGEST_TEXT = 1000, 200
NOWHERE, NOT_BELOW = OutsideAnswer(End.MISSING, End.MISSING), OutsideAnswer(below=End.MISSING)
FIRST, LAST = date(1, 1, 1).toordinal(), date(9999, 12, 31).toordinal()


@dataclass(frozen=True)
class Single:
    """A number stored in 32 bits."""

    value: float


@dataclass(frozen=True)
class Day:
    """A stored date or time: its day, counted from the first of the year 1, and its text."""

    number: float
    text: str | None
    """None outside the years 1 to 9999."""


Stored = bool | int | float | Single | Decimal | str | Day | None
"""An int was stored as a whole number of at most 64 bits; whole numbers of other types come as Decimal."""


def code_of(column: Column, stored: Stored) -> int | None:
    """Return the code that a column has for a stored value; None where it is missing."""
    found = None if is_absent(column, stored) else _code(column, read(column, stored))
    return column.code(column.count_missing_as) if found is None and column.complete else found


def read(column: Column, stored: Stored) -> Stored:
    """Return a stored text as its column's form reads it; what else is stored stays."""
    return canonical_of(column.reading, stored) if column.reading and isinstance(stored, str) else stored


def state_of(column: Column, stored: Stored) -> CellState:
    """Return the state of a cell in the reading report."""
    if is_absent(column, stored):
        return CellState.MISSING
    value = read(column, stored)
    if (text_of(value) if column.discover else _code(_beyond(column, NOWHERE), value)) is not None:
        return CellState.UNDERSTOOD
    if _is_empty(stored):
        return CellState.EMPTY
    if column.type in ORDERED and _code(_beyond(column, CLIPPED), value) is not None:
        is_below = _code(_beyond(column, NOT_BELOW), value) is None
        return CellState.BELOW if is_below else CellState.ABOVE
    return CellState.UNDECLARED if column.type is ColumnType.CATEGORY else CellState.UNREADABLE


@lru_cache
def _beyond(column: Column, outside: OutsideAnswer) -> Column:
    """The same column, where values beyond its bounds count otherwise."""
    return replace(column, outside=outside) if column.type in ORDERED else column


def _is_empty(stored: Stored) -> bool:
    """Return True if a cell is empty: null, NaN, or blanks alone."""
    match stored:
        case None:
            return True
        case str():
            return not stored.strip(BLANKS)
        case Single():
            return isnan(stored.value)
        case float() | Decimal():
            return isnan(stored)
        case _:
            return False


def counts_of(column: Column, cells: Iterable[Stored]) -> dict[CellState, int]:
    """Return the counts of the reading report, from the cells of a column."""
    counted = Counter(state_of(column, stored) for stored in cells)
    return {state: counted[state] for state in STATES}


def is_absent(column: Column, stored: Stored) -> bool:
    """Return True if a stored value is a code for no answer."""
    codes = column.missing_codes or ()
    value = read(column, stored) if column.type in ORDERED else stored
    if column.type is ColumnType.DATE:
        x, text = day_of(value), stored if isinstance(stored, str) else None
    else:
        x, text = number_of(value), text_of(stored)
    bare = None if text is None else text.strip(BLANKS)
    return any(bare == code if isinstance(code, str) else x is not None and _meets(code, x, stored) for code in codes)


def _meets(code: Decimal | date | CodeRange, x: float, stored: Stored) -> bool:
    """Return True if a number or a day is a code, or within a range of them."""
    if isinstance(code, Decimal):
        return x in _ends(code, stored)
    low, high = (code.low, code.high) if isinstance(code, CodeRange) else (code, code)
    return (low is None or min(_ends(low, stored)) <= x) and (high is None or x <= max(_ends(high, stored)))


def _ends(end: Decimal | date, stored: Stored) -> tuple[float, ...]:
    """Return the floats that may store a number or day: also the nearest of 32 bits, whole only if stored so."""
    if isinstance(end, date):
        return (end.toordinal(),)
    (short,) = struct.unpack("<f", struct.pack("<f", float(end)))
    return (float(end), short) if isinstance(stored, Single) or short != floor(short) else (float(end),)


def _code(column: Column, stored: Stored) -> int | None:
    match column.type:
        case ColumnType.CATEGORY:
            return _place(column, text_of(stored))
        case ColumnType.BOOLEAN:
            return truth_of(stored)
        case ColumnType.DATE:
            return _day_code(column, day_of(stored))
        case _:
            return _number_code(column, stored)


def text_of(stored: Stored) -> str | None:
    """Return the text of a value, to compare with categories."""
    match stored:
        case None | str():
            return stored
        case bool():
            return "true" if stored else "false"
        case int():
            return str(stored)
        case Decimal():
            return _decimal_text(stored)
        case Day():
            return stored.text
        case Single():
            return _float_text(stored.value, (10, 6), (1000, 4), (10**5, 2), last=1)
        case _:
            return _float_text(stored, (10**9, 6), (10**12, 3), last=0)


def _decimal_text(stored: Decimal) -> str | None:
    if stored.is_nan():
        return None
    if stored.is_infinite():
        return "inf" if stored > 0 else "-inf"
    text = f"{stored:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _float_text(x: float, *limits: tuple[float, int], last: int) -> str | None:
    if isnan(x):
        return None
    if isinf(x):
        return "inf" if x > 0 else "-inf"
    if abs(x) >= 2**63:
        return None
    if x == floor(x):
        return str(int(x))
    decimals = next((places for limit, places in limits if abs(x) < limit), last)
    whole = floor(abs(x))
    steps = whole * 10**decimals + floor((abs(x) - whole) * 10**decimals + 0.5)
    told = str(steps).rjust(decimals + 1, "0")
    whole_digits, fraction = told[: len(told) - decimals], told[len(told) - decimals :].rstrip("0")
    sign = "-" if x < 0 and steps else ""
    return f"{sign}{whole_digits}.{fraction}" if fraction else f"{sign}{whole_digits}"


def truth_of(stored: Stored) -> int | None:
    """1 for yes, 0 for no."""
    text = text_of(stored)
    if text is None:
        return None
    word = text.strip(BLANKS)
    if not word.isascii():
        return None
    return 1 if word.lower() in YES else 0 if word.lower() in NO else None


def number_of(stored: Stored) -> float | None:
    """Return the nearest double."""
    match stored:
        case None | Day():
            return None
        case str():
            return _number(stored)
        case Single():
            return stored.value
        case _:
            try:
                return float(stored)
            except OverflowError:
                return float("inf") if stored > 0 else float("-inf")


def _number(text: str) -> float | None:
    word = text.strip(BLANKS)
    if len(text) > LONGEST_NUMBER or not word.isascii():
        return None
    bare = word[1:] if word[:1] in ("+", "-") else word
    if bare.lower() not in ("inf", "infinity"):
        mantissa, _, exponent = bare.lower().partition("e")
        if "e" in bare.lower() and not is_digits(exponent[1:] if exponent[:1] in ("+", "-") else exponent):
            return None
        whole, _, fraction = mantissa.partition(".")
        if not is_digits(whole + fraction):
            return None
    return float(word)


def _number_code(column: Column, stored: Stored) -> int | None:
    assert isinstance(column.lower, Decimal) and isinstance(column.upper, Decimal)
    steps, step = column.lattice.steps, column.lattice.resolution
    if isinstance(stored, int) and not isinstance(stored, bool) and step == 1:
        whole = stored - int(column.lower)
        return None if _strays(column, whole < 0, whole > steps) else max(0, min(steps, whole))
    x = number_of(stored)
    if x is None or isnan(x):
        return None
    if _strays(column, x < float(column.lower - step / 2), x > float(column.upper + step / 2)):
        return None
    if x < float(column.lower + step / 2):
        return 0
    return steps if x >= float(column.upper) else floor((x - float(column.lower)) / float(step) + 0.5)


def _strays(column: Column, below: bool, above: bool) -> bool:
    """Return True if a value lies beyond a bound where that counts as no value."""
    return (below and column.outside.below is End.MISSING) or (above and column.outside.above is End.MISSING)


def day_of(stored: Stored) -> float | None:
    """Return the day, counted from the first of the year 1."""
    if isinstance(stored, Day):
        return stored.number
    return _written_day(stored) if isinstance(stored, str) else None


def _written_day(text: str) -> int | None:
    word = text.strip(BLANKS)
    between = word[4:5]
    if not word.isascii() or between not in ("-", "/", ".", " ") or not is_digits(word[:4]):
        return None
    month, found, rest = word[5:].partition(between)
    day = rest[:2] if is_digits(rest[:2]) else rest[:1]
    if not (found and is_digits(month) and is_digits(day) and len(month) <= 2 and is_time(rest[len(day) :])):
        return None
    try:
        return date(int(word[:4]), int(month), int(day)).toordinal()
    except ValueError:
        return None


def _day_code(column: Column, day: float | None) -> int | None:
    assert isinstance(column.lower, date)
    if day is None:
        return None
    since, last = day - column.lower.toordinal(), column.lattice.steps
    return None if _strays(column, since < 0, since > last) else int(max(0.0, min(float(last), since)))


def _place(column: Column, text: str | None) -> int | None:
    if text is None:
        return None
    if text in column.categories:
        return column.categories.index(text)
    return len(column.categories) if column.other else None
