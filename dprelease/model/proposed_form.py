"""Proposal of a written form for a column's cells: one for a person to accept, or several where cells leave it open.

Words and units come from closed lists, never from cells. A form that a person did not accept reads nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from dprelease.model.column_fields import NUMERIC, ColumnType
from dprelease.model.date_form import EXCEL, EXCEL_1904, DateForm, names
from dprelease.model.missing import BLANKS
from dprelease.model.number_form import Negative, NumberForm
from dprelease.model.separators import (
    APOSTROPHES,
    EDGES,
    LONGEST,
    MARKS,
    MINUS,
    SPACES,
    Mixed,
    SeparatorRole,
    Settled,
    separators,
)
from dprelease.model.word_form import FALSE, TRUE, words_by_language, words_of_no_answer

Reading = Mapping[str, Any]
"""Reading of a column as in a plan."""
FEW = 30
"""Cells that tell whether a column without a type may hold days."""
ENOUGH = 0.5
"""Minimum share of the cells written in a form: with fewer, a column is none of its kind."""
MEASURES = (
    *("concentr-percent", "concentr-permille", "mass-kilogram", "mass-gram", "mass-milligram", "mass-tonne"),
    *("length-kilometer", "length-meter", "length-centimeter", "length-millimeter"),
    *("area-square-meter", "area-square-kilometer", "area-hectare", "volume-liter", "volume-milliliter"),
    *("volume-cubic-meter", "duration-hour", "duration-minute", "duration-second", "temperature-celsius"),
)
"""Units of CLDR, none of which some language writes as it writes a thousand or a million (`mil`, `M`, `k` are such)."""
PRINTED = {"Fr": "CHF", "Fr.": "CHF", "lei": "RON", "Ft": "HUF"}
"""Signs of money on price tags, of which Babel 2.18 has the codes alone in the languages that are read here."""
CORE = re.compile(rf"(?:[0-9.,][0-9.,{SPACES}{APOSTROPHES}]*[0-9][.,]?|[0-9])(?:[eE][-+]?[0-9]+)?")
PLAIN = re.compile(r"[ \t\n\x0b\f\r]*[-+]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][-+]?[0-9]+)?[ \t\n\x0b\f\r]*")
DAY = re.compile(r"([0-9]{1,2})([./-])[ ]?([0-9]{1,2})\2[ ]?([0-9]{4}|[0-9]{2})(?:[tT ].*)?", re.ASCII)
SERIAL = re.compile(r"[2-6][0-9]{4}(?:[.][0-9]+)?", re.ASCII)
"""A day of 1954 to 2091 as a workbook counts it."""
OTHER_DAYS = ("yyyymmdd", "y-m", "m/y", "quarter", "iso-week", "iso-week-day")
BY_NAME = ("d MMM y", "d-MMM-y", "MMM d y", "d MMM yy", "d-MMM-yy")
LANGUAGES = ("en", "es", "de", "fr", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "ro", "ca", "gl", "eu", "el")
CENTURY = 1930
NO_DAYS = ("9999-12-31", "2999-12-31")
"""Days that mean in many tables that there is no day."""
PROGRAMS = ({"true", "t", "yes", "y", "1"}, {"false", "f", "no", "n", "0"})
"""Words that are read where nothing is declared."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Readings of one column. One is proposed; of several, or of none, a person has to say which it is."""

    readings: tuple[Reading, ...]

    @property
    def is_asked(self) -> bool:
        return len(self.readings) != 1


def propose(texts: Iterable[str], type: ColumnType | str, categories: Sequence[str] = ()) -> Proposal | None:
    """Return the proposal for a column of a type with these cells; None where they are read as they are, or are no
    such.
    """
    cells = [text for text in texts if len(text) <= LONGEST]
    bare = [cell for text in cells if (cell := text.strip(EDGES)) and cell not in words_of_no_answer()]
    kind = ColumnType(type)
    if kind is ColumnType.CATEGORY:
        return _spellings(cells, categories)
    if not bare or kind is ColumnType.TEXT:
        return None
    if kind in NUMERIC:
        return _numbers(bare)
    return _dates(bare) if kind is ColumnType.DATE else _words(bare)


def propose_any(texts: Iterable[str]) -> tuple[ColumnType, Proposal] | None:
    """Return type and proposal for a column of undeclared type, as days, yes and no, or numbers; None where it is none.

    Nothing for numbers, days and words that are read as they are, and for words of no language.
    """
    cells = [
        text
        for text in texts
        if len(text) <= LONGEST and (cell := text.strip(EDGES)) and cell not in words_of_no_answer()
    ]
    plain = sum(PLAIN.fullmatch(text.strip(EDGES)) is not None for text in cells)
    if plain >= ENOUGH * len(cells):
        types: tuple[ColumnType, ...] = (ColumnType.NUMBER,)
    elif sum(any(map(str.isdigit, text)) for text in cells) >= ENOUGH * len(cells):
        some = cells[:: max(1, len(cells) // FEW)]  # names of months in many languages take their time
        types = (*((ColumnType.DATE,) if propose(some, ColumnType.DATE) else ()), ColumnType.NUMBER)
    else:
        types = (ColumnType.BOOLEAN,)
    for type in types:
        found = propose(cells, type)
        if found is not None and found.readings:
            return type, found
    return None


def _numbers(cells: Sequence[str]) -> Proposal | None:
    parted = [found for cell in cells if (found := _parted(cell)) is not None]
    if len(parted) < ENOUGH * len(cells):
        return None
    cores = [core for core, _, _ in parted]
    units = tuple(dict.fromkeys(unit for _, unit, _ in parted if unit))
    ways = tuple(way for way in Negative if way is Negative.SIGN or any(way is each for _, _, each in parted))
    blanks = tuple(family[0] for family in (SPACES, APOSTROPHES) if any(set(core) & set(family) for core in cores))
    marks = separators(cores)
    if isinstance(marks, Settled):
        if not (units or blanks or len(ways) > 1) and all(PLAIN.fullmatch(core) for core in cores):
            return None
        decimals: Sequence[str] = (_decimal(marks),)
    elif isinstance(marks, Mixed):
        decimals = MARKS
    else:
        decimals = (marks.sign, *(mark for mark in MARKS if mark != marks.sign))
    pairs = product(decimals, _alike(units))
    return Proposal(tuple(_reading(decimal, cores, alike, ways, blanks) for decimal, alike in pairs))


def _alike(units: Iterable[str]) -> list[tuple[str, ...]]:
    """Return units grouped by what they may mean: a column of kg and g is read in one of them, or in the other."""
    groups: list[tuple[str, ...]] = []
    for unit in units:
        same = next((group for group in groups if any(_units()[unit] & _units()[each] for each in group)), None)
        if same is not None:
            groups.remove(same)
        groups.append((*(same or ()), unit))
    return groups or [()]


def _decimal(found: Settled) -> str:
    """Return the decimal mark: the one that is known, or the one that does not stand between thousands."""
    grouping = [sign for sign, role in found.roles.items() if role is SeparatorRole.GROUPING]
    return found.decimal or next((mark for mark in MARKS if mark not in grouping), MARKS[0])


def _reading(
    decimal: str, cores: Sequence[str], units: tuple[str, ...], ways: tuple[Negative, ...], blanks: tuple[str, ...]
) -> Reading:
    other = next(mark for mark in MARKS if mark != decimal)
    groups = (*((other,) if any(other in core for core in cores) else ()), *blanks)
    return NumberForm(decimal=decimal, thousands=groups, affixes=units, negative=ways).to_mapping()


def _parted(cell: str) -> tuple[str, str, Negative] | None:
    """Return the number in a cell, its unit, and how it is below zero; None where it is no number with a known unit."""
    found = CORE.search(cell)
    if found is None:
        return None
    rest, way = cell[: found.start()] + "\0" + cell[found.end() :], Negative.SIGN
    rest = re.sub(rf"[{SPACES}]", "", rest)
    if rest.startswith("(") and rest.endswith(")"):
        rest, way = rest[1:-1], Negative.BRACKETS
    elif re.search(rf"\0[{MINUS}]", rest):
        rest, way = re.sub(rf"\0[{MINUS}]", "\0", rest), Negative.AFTER
    else:
        rest = re.sub(rf"^[{MINUS}+]|[{MINUS}+](?=\0)", "", rest, count=1)
    unit = rest.replace("\0", "")
    if unit and (unit not in _units() or not (rest.startswith("\0") or rest.endswith("\0"))):
        return None
    return found[0].strip(SPACES), unit, way


@cache
def _units() -> Mapping[str, frozenset[str]]:
    """Return units of measure and of money as CLDR writes them in each language; and what each may mean."""
    from babel import Locale
    from babel.units import format_unit

    locales = [Locale.parse(code) for code in LANGUAGES]
    found = [(str(code), str(code)) for code in locales[0].currencies]
    found += [(str(sign), str(code)) for locale in locales for code, sign in locale.currency_symbols.items()]
    for locale, measure, number in product(locales, MEASURES, "15"):
        text = format_unit(number, measure, "short", locale=locale)
        found.append((text.replace(number, "").strip(SPACES), measure))
    meanings: dict[str, set[str]] = {}
    for unit, meaning in (*found, *PRINTED.items()):
        if unit and not any(map(str.isspace, unit)):
            meanings.setdefault(unit, set()).add(meaning)
    return {unit: frozenset(each) for unit, each in meanings.items()}


def _dates(cells: Sequence[str]) -> Proposal | None:
    iso = DateForm()
    rest = [cell for cell in cells if iso.canonical(cell) is None]
    if not rest:
        return None
    if sum(SERIAL.fullmatch(cell) is not None for cell in rest) >= ENOUGH * len(cells):
        return Proposal(tuple({"dates": [calendar]} for calendar in (EXCEL, EXCEL_1904)))
    parts = [found for cell in rest if (found := DAY.fullmatch(cell)) is not None]
    orders: list[list[str]] = [[]]
    for sign in "./-":
        for length, year in ((4, "y"), (2, "yy")):
            of_it = [found for found in parts if found[2] == sign and len(found[4]) == length]
            if of_it:
                ways = _orders(of_it, sign, year)
                orders = [[*order, way] for order in orders for way in ways]
    others = [cell for cell in rest if DAY.fullmatch(cell) is None]
    more, languages, count = _others(others)
    if len(parts) + count < ENOUGH * len(cells):
        return None
    said = {"months": list(languages)} if languages else {}
    readings = [{"dates": [*order, *more], **said} for order in orders if order or more]
    if len(readings) > 2:  # both orders of every sign alike
        readings = [each for each in readings if len({form[0] for form in each["dates"] if form[1] in "/-"}) < 2]
    return Proposal(tuple(readings)) if readings else None


def no_days(texts: Iterable[str], form: DateForm | None) -> list[str]:
    """Return the days among some cells that stand for none in many tables."""
    read = {(form or DateForm()).canonical(text) for text in texts}
    return [day for day in NO_DAYS if day in read]


def no_answers(texts: Iterable[str], categories: Collection[str] = ()) -> tuple[str, ...]:
    """Return words among some cells that stand for no answer in many tables, and for none of these categories."""
    cells = dict.fromkeys(text.strip(BLANKS) for text in texts if len(text) <= LONGEST)
    return tuple(cell for cell in cells if cell in words_of_no_answer() and cell not in categories)


def _orders(parts: Sequence[re.Match[str]], sign: str, year: str) -> list[str]:
    """Return the day first or the month first: both where no cell says which, or cells say both."""
    day, month = f"d{sign}m{sign}{year}", f"m{sign}d{sign}{year}"
    if sign == ".":
        return [day]
    is_day, is_month = (any(int(found[place]) > 12 for found in parts) for place in (1, 3))
    return [day, month] if is_day == is_month else [day] if is_day else [month]


def _others(cells: Collection[str]) -> tuple[list[str], tuple[str, ...], int]:
    """Return ready forms and names of months, the languages of these, and how many cells they read."""
    forms, languages, left = list[str](), tuple[str, ...](), list(cells)
    for name in OTHER_DAYS:
        kept = [cell for cell in left if DateForm(dates=(name,)).canonical(cell) is None]
        if len(kept) < len(left):
            forms, left = [*forms, name], kept
    if left and any(any(map(str.isalpha, cell)) for cell in left):
        best: tuple[int, str] = (0, "")
        for code in LANGUAGES:
            form = DateForm(dates=BY_NAME, months=(code,), century=CENTURY)
            count = sum(form.canonical(cell) is not None for cell in left) if names(code) else 0
            best = max(best, (count, code), key=lambda each: each[0])
        if best[0]:
            form = DateForm(dates=BY_NAME, months=(best[1],), century=CENTURY)
            for name in BY_NAME:
                own = DateForm(dates=(name,), months=(best[1],), century=CENTURY)
                forms += [name] if any(own.canonical(cell) for cell in left) else []
            languages = (best[1],)
            left = [cell for cell in left if form.canonical(cell) is None]
    return forms, languages, len(cells) - len(left)


def _words(cells: Sequence[str]) -> Proposal | None:
    words = {cell.lower() for cell in cells}
    if words <= PROGRAMS[0] | PROGRAMS[1]:
        return None
    if len(words) > 2:
        return None
    found: dict[tuple[str | None, ...], Reading] = {}
    for code in LANGUAGES:
        form = words_by_language()[code]
        meanings = tuple(form.canonical(word) for word in sorted(words))
        if set(meanings) <= {TRUE, FALSE} and len(set(meanings)) == len(words):
            found.setdefault(meanings, form.to_mapping())
    return Proposal(tuple(found.values()))


def _spellings(cells: Sequence[str], categories: Sequence[str]) -> Proposal | None:
    """Return a proposal for a category: blanks at the ends are no part of it; zeros lost on its left are put back."""
    said: dict[str, Any] = {}
    widths = {len(category) for category in categories if category.isascii() and category.isdigit()}
    if len(widths) == 1 and all(category.isdigit() for category in categories):
        (width,) = widths
        if width > 1 and any(cell.isdigit() and len(cell) < width for cell in cells):
            said["width"] = width
    trimmed = [cell for cell in cells if cell != cell.strip(EDGES)]
    if any(cell.strip(EDGES) in categories or not categories for cell in trimmed):
        return Proposal((said,))
    return Proposal((said,)) if said else None
