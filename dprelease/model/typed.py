"""Values that somebody typed, pasted or wrote into a codebook: one reader for all of them, which never guesses."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from dprelease.errors import Problem, problem
from dprelease.model.column import NUMERIC, ColumnType
from dprelease.model.date_form import DateForm
from dprelease.model.form import Form
from dprelease.model.number_form import NumberForm
from dprelease.model.report import as_decimal, read_date
from dprelease.model.separators import (
    APOSTROPHES,
    EDGES,
    MARKS,
    MINUS,
    SPACES,
    Ambiguous,
    Mixed,
    Roles,
    SeparatorRole,
    Settled,
    separators,
)
from dprelease.words import Phrase, phrase

WRITTEN_DAY = re.compile(r"([0-9]{1,2})([./-])[ ]*([0-9]{1,2})\2[ ]*([0-9]{4})", re.ASCII)
YEAR_FIRST = re.compile(r"([0-9]{4})([./-])([0-9]{1,2})\2([0-9]{1,2})", re.ASCII)
DAY_FIRST, MONTH_FIRST = "day", "month"


@dataclass(frozen=True, slots=True)
class Context:
    """Known facts about how a text is written, from the list that it stands in or from its column."""

    marks: Settled | None = None
    """Separators of the list, where its numbers are settled; else the text has to say it by itself."""
    order: str | None = None
    """Order of the list's days: the day or the month first."""
    form: Form | None = None
    """Form that the column declares."""


@dataclass(frozen=True, slots=True)
class TypedValue:
    """Value of a typed text."""

    written: str
    value: Decimal | date
    text: str = field(init=False)
    """Text of the value as a declaration writes it."""

    def __post_init__(self) -> None:
        plain = self.value.isoformat() if isinstance(self.value, date) else f"{self.value.normalize():f}"
        object.__setattr__(self, "text", plain)


@dataclass(frozen=True, slots=True)
class TwoValues:
    """A text that may mean either of two values."""

    written: str
    readings: tuple[TypedValue, TypedValue]
    """A number: without, then with decimals. A day: the day first, then the month."""


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A text that is no value of its type: what is allowed, and what to do."""

    written: str
    allowed: Phrase
    remedy: Phrase

    def problem(self, path: str) -> Problem:
        """Return this error as a problem of an input."""
        return problem(path, self.written, self.allowed, self.remedy)


def typed(text: str, type: str | None, context: Context = Context()) -> TypedValue | TwoValues | NotUnderstood:
    """Return the number or day that a text means, by a column's type; of either where the type is not known."""
    bare = text.strip(EDGES)
    if is_day(text, type):
        return _day(text, bare, context)
    return _number(text, bare, context)


def order_of(texts: list[str]) -> str | None:
    """Return the order of day and month in written days, by days that only one of both can be."""
    said = set()
    for text in texts:
        found = WRITTEN_DAY.fullmatch(text.strip(EDGES))
        if found is not None and found[2] != ".":
            first, second = int(found[1]), int(found[3])
            said |= {DAY_FIRST} if first > 12 >= second else {MONTH_FIRST} if second > 12 >= first else set()
    return said.pop() if len(said) == 1 else None


def is_day(text: str, type: str | None) -> bool:
    """Return True if a text is read as a day: by its column's type, else by how it looks."""
    bare = text.strip(EDGES)
    looks = bool(WRITTEN_DAY.fullmatch(bare) or YEAR_FIRST.fullmatch(bare))
    return type == ColumnType.DATE or (type not in NUMERIC and looks)


def _number(text: str, bare: str, context: Context) -> TypedValue | TwoValues | NotUnderstood:
    if isinstance(context.form, NumberForm):
        return _value(text, context.form.canonical(bare)) or _no_number(text)
    marks = context.marks if context.marks is not None else separators([bare])
    if isinstance(marks, Ambiguous):
        return _either(text, bare, lambda roles: read_number(bare, roles), ({marks.sign: role} for role in _BOTH))
    if isinstance(marks, Mixed):
        return _no_number(text)
    found = _value(text, read_number(bare, marks.roles))
    return found if found is not None else _no_number(text)


_BOTH = (SeparatorRole.GROUPING, SeparatorRole.DECIMAL)


def read_number(text: str, roles: Roles) -> str | None:
    """Return a number as a declaration writes it, by what its signs are; None where it is not well written."""
    decimal = next((sign for sign in MARKS if roles.get(sign) is SeparatorRole.DECIMAL), None)
    other = next(sign for sign in reversed(MARKS) if sign != decimal)
    groups = tuple(sign for sign in MARKS if roles.get(sign) is SeparatorRole.GROUPING)
    form = NumberForm(decimal=decimal or other, thousands=(*groups, SPACES[0], APOSTROPHES[0]))
    if any(sign in text for sign in MARKS if sign not in roles):
        return None
    return form.canonical(text)


def _value(text: str, canonical: str | None) -> TypedValue | None:
    """Return the value of a plain number that a declaration may hold."""
    number = None if canonical is None else as_decimal(_plain(canonical))
    return None if number is None else TypedValue(text, number + 0)  # -0 is 0


def _plain(canonical: str) -> str:
    """Return a number without leading zeros, which no declaration has: 007 is 7 once it is known to be a number."""
    return re.sub(r"^(-?)0+(?=[0-9])", r"\1", canonical)


def _either(
    text: str, bare: str, read: Callable[[Any], str | None], ways: Any
) -> TypedValue | TwoValues | NotUnderstood:
    """Return two readings, unless both are one value or only one of them is any."""
    values = [found for way in ways if (found := _value(text, read(way))) is not None]
    if len(values) == 2 and values[0].value != values[1].value:
        return TwoValues(text, (values[0], values[1]))
    return values[0] if values else _no_number(text)


def _no_number(text: str) -> NotUnderstood:
    digits = re.sub(rf"[{SPACES}{APOSTROPHES}]", "", text.strip(EDGES))
    is_grouped_badly = bool(re.fullmatch(rf"[{MINUS}+]?[0-9.,]+", digits))
    remedy = phrase("model.without_separators") if is_grouped_badly else phrase("model.number_alone")
    return NotUnderstood(text, phrase("model.number_such_as"), remedy)


def _day(text: str, bare: str, context: Context) -> TypedValue | TwoValues | NotUnderstood:
    if isinstance(context.form, DateForm):
        said = read_date(context.form.canonical(bare))
        return _no_day(text) if said is None else TypedValue(text, said)
    if (found := YEAR_FIRST.fullmatch(bare)) is not None:
        day = _made(found[1], found[3], found[4])
        return TypedValue(text, day) if day is not None else _no_day(text)
    if (found := WRITTEN_DAY.fullmatch(bare)) is None:
        return _no_day(text)
    first, second, year = found[1], found[3], found[4]
    days = {DAY_FIRST: _made(year, second, first), MONTH_FIRST: _made(year, first, second)}
    order = DAY_FIRST if found[2] == "." else context.order
    if order is not None:
        day = days[order]
        return TypedValue(text, day) if day is not None else _no_day(text)
    real = [day for day in dict.fromkeys(days.values()) if day is not None]
    if len(real) == 2:
        return TwoValues(text, (TypedValue(text, real[0]), TypedValue(text, real[1])))
    return TypedValue(text, real[0]) if real else _no_day(text)


def _made(year: str, month: str, day: str) -> date | None:
    return read_date(f"{year}-{int(month):02}-{int(day):02}") if int(year) else None


def _no_day(text: str) -> NotUnderstood:
    return NotUnderstood(text, phrase("model.day_such_as"), phrase("model.day_year_first"))
