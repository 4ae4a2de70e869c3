"""A column's form as SQL: a text as it is stored becomes the text that the grammar reads, or NULL; never an error.

Written with what dialects have in common (`matches`, `group`, `replaced`, `trimmed`, `later`) and `CASE`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING

from dprelease.model.date_form import FIRST, LAST_SERIAL, LEAP, LENGTHS, DateForm, Layout
from dprelease.model.form import Form
from dprelease.model.number_form import NumberForm
from dprelease.model.separators import EDGES, LONGEST
from dprelease.model.word_form import Spellings, YesNoWords

if TYPE_CHECKING:
    from dprelease.table.dialect import Dialect

MONDAY = "DATE '0001-01-01'"
EPOCH, EPOCH_BEFORE_LEAP, EPOCH_1904 = "DATE '1899-12-30'", "DATE '1899-12-31'", "DATE '1904-01-01'"
LAST_SERIAL_1904 = LAST_SERIAL - 1462


def canonical(form: Form, text: str, dialect: Dialect) -> str:
    """Return SQL of the canonical text of an expression that is a text."""
    bare = dialect.trimmed(text, EDGES)
    if isinstance(form, NumberForm):
        return _within(text, _number(form, bare, dialect))
    if isinstance(form, DateForm):
        return _within(text, _day(form, bare, dialect))
    if isinstance(form, YesNoWords):
        cases = " ".join(
            f"WHEN {each} IN ({_listed((word for word in texts if word == word.strip(EDGES)), dialect)}) THEN '{said}'"
            for each in (text, bare)  # most texts have no blanks at their ends, and trimming takes longest
            for said, texts in form.texts.items()
        )
        return f"CASE {cases} END"
    return _category(form, bare, dialect)


def _within(text: str, branches: Iterable[str]) -> str:
    """Return SQL of the first branch that fits, of a text that is not too long."""
    return f"CASE WHEN LENGTH({text}) > {LONGEST} THEN NULL {' '.join(branches)} END"


def _listed(texts: Iterable[str], dialect: Dialect) -> str:
    return ", ".join(map(dialect.text, texts)) or "NULL"


def _number(form: NumberForm, bare: str, dialect: Dialect) -> Iterable[str]:
    for pattern, below in form.patterns:
        digits = dialect.group(bare, pattern)
        for sign in form.groups:
            digits = dialect.replaced(digits, sign, "")
        if form.decimal != ".":
            digits = dialect.replaced(digits, form.decimal, ".")
        yield f"WHEN {dialect.matches(bare, pattern)} THEN {chr(39) + '-' + chr(39) + ' || ' if below else ''}{digits}"


def _day(form: DateForm, bare: str, dialect: Dialect) -> Iterable[str]:
    for layout in form.layouts:
        roles = [role for role, _ in layout if role]
        pieces = {role: dialect.group(bare, form.pattern(layout, role)) for role in roles}
        yield f"WHEN {dialect.matches(bare, form.pattern(layout, ''))} THEN {_of_pieces(form, layout, pieces, dialect)}"


def _of_pieces(form: DateForm, layout: Layout, pieces: dict[str, str], dialect: Dialect) -> str:
    if "n" in pieces or "s" in pieces:
        return _serial(pieces, dialect)
    year = pieces["y"] if "y" in pieces else _century(form, pieces["c"], dialect)
    if "w" in pieces:
        return _week(form, year, pieces, dialect)
    if "M" in pieces:
        named = (
            f"WHEN {dialect.matches(pieces['M'], form.names_patterns[month])} THEN '{month:02}'"
            for month in range(1, 13)
        )
        month = f"CASE {' '.join(named)} END"
    elif "m" in pieces:
        month = _padded(pieces["m"], dialect)
    elif "q" in pieces:
        months = (3 * quarter - (2 if form.of_period == FIRST else 0) for quarter in range(1, 5))
        ends = (f"WHEN '{quarter}' THEN '{month:02}'" for quarter, month in enumerate(months, start=1))
        month = f"CASE {pieces['q']} {' '.join(ends)} END"
    else:
        month = "'01'" if form.of_period == FIRST else "'12'"
    if "d" in pieces:
        day = _padded(pieces["d"], dialect)
    elif form.of_period == FIRST:
        day = "'01'"
    else:
        lengths = " ".join(f"WHEN '{month:02}' THEN '{days}'" for month, days in enumerate(LENGTHS, start=1))
        day = (
            f"CASE WHEN {month} = '02' AND {dialect.matches(year, LEAP)} THEN '29' ELSE CASE {month} {lengths} END END"
        )
    return f"{year} || '-' || {month} || '-' || {day}"


def _padded(digits: str, dialect: Dialect) -> str:
    """Return SQL of one digit or two as two."""
    return dialect.group(f"('0' || {digits})", ".?([0-9]{2})")


def _century(form: DateForm, two: str, dialect: Dialect) -> str:
    """Return SQL of the year of two digits; NULL where the column's years have none that ends so."""
    first, last = form.years
    centuries: dict[int, list[str]] = {}
    for year in range(first, last + 1):
        centuries.setdefault(year // 100, []).append(f"'{year % 100:02}'")
    cases = (f"WHEN {two} IN ({', '.join(ends)}) THEN '{century:02}' || {two}" for century, ends in centuries.items())
    return f"CASE {' '.join(cases)} END" if centuries else f"CAST(NULL AS {dialect.text_type})"


def _whole(digits: str, dialect: Dialect) -> str:
    """At most nine digits as a whole number, three at a time: never an error."""
    padded = f"('000000000' || {digits})"
    parts = (dialect.group(padded, f".*([0-9]{{3}})[0-9]{{{after}}}") for after in (6, 3, 0))
    numbers = (f"CAST({dialect.small_number(part)} AS BIGINT)" for part in parts)
    return f"({' + '.join(f'{number} * {10**after}' for number, after in zip(numbers, (6, 3, 0), strict=True))})"


def _serial(pieces: dict[str, str], dialect: Dialect) -> str:
    """Return SQL of the day of a number of Excel, which has a 29 February 1900: number 60, and no day."""
    number = _whole(pieces["n" if "n" in pieces else "s"], dialect)
    if "s" in pieces:
        day = dialect.later(EPOCH_1904, number)
        return f"CASE WHEN {number} <= {LAST_SERIAL_1904} THEN {_text(day, dialect)} END"
    early, late = (_text(dialect.later(day, number), dialect) for day in (EPOCH_BEFORE_LEAP, EPOCH))
    return f"CASE WHEN {number} < 60 THEN {early} WHEN {number} > 60 AND {number} <= {LAST_SERIAL} THEN {late} END"


def _text(day: str, dialect: Dialect) -> str:
    return f"CAST({day} AS {dialect.text_type})"


def _week(form: DateForm, year: str, pieces: dict[str, str], dialect: Dialect) -> str:
    """The day of a week: 4 January is in the first one. Week 53 is one only where its Thursday is in the year."""
    years = f"(GREATEST({_whole(year, dialect)}, 1) - 1)"
    leaps = f"{dialect.divided(years, 4)} - {dialect.divided(years, 100)} + {dialect.divided(years, 400)}"
    fourth = f"(365 * {years} + {leaps} + 3)"
    weekday = _whole(pieces["k"], dialect) if "k" in pieces else "1" if form.of_period == FIRST else "7"
    begins = f"({fourth} - {fourth} % 7 + 7 * ({_whole(pieces['w'], dialect)} - 1))"
    thursday = _text(dialect.later(MONDAY, f"({begins} + 3)"), dialect)
    day = _text(dialect.later(MONDAY, f"({begins} + {weekday} - 1)"), dialect)
    is_last = f"({year} = '9999' AND {begins} + {weekday} - 1 > {date.max.toordinal() - 1})"
    return f"CASE WHEN {year} = '0000' OR {is_last} THEN NULL WHEN SUBSTR({thursday}, 1, 4) = {year} THEN {day} END"


def _category(form: Spellings, bare: str, dialect: Dialect) -> str:
    cases = [
        f"WHEN {bare} IN ({_listed(texts, dialect)}) THEN {dialect.text(category)}"
        for category, texts in form.texts.items()
    ]
    known = f"CASE {' '.join(cases)} ELSE {bare} END" if cases else bare
    if form.width is None or form.width == 1:
        return known
    short = f"[0-9]{{1,{form.width - 1}}}"
    zeros = dialect.group(f"('{'0' * form.width}' || {known})", f".*([0-9]{{{form.width}}})")
    return f"CASE WHEN {dialect.matches(known, short)} THEN {zeros} ELSE {known} END"
