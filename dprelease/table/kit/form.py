"""A column's form in plain Python, a second time: letter by letter, from what is declared, without any pattern."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from dprelease.model.date_form import DateForm, names
from dprelease.model.form import Form
from dprelease.model.number_form import Negative, NumberForm
from dprelease.model.word_form import Spellings, YesNoWords
from dprelease.table.kit.clock import DIGITS, is_digits, is_time

SPACES = (" ", "\u00a0", "\u202f", "\u2009")
APOSTROPHES = ("'", "\u2019")
DASHES = ("-", "\u2212", "\u2013")
ENDS = "".join((*SPACES, "\t\n\x0b\x0c\r\ufeff\u200b\u200e\u200f"))
LONGEST = 1000


def canonical_of(form: Form, text: str) -> str | None:
    """Return the text that the grammar reads for a stored text; None where the text does not fit the form."""
    bare = text.strip(ENDS)
    if isinstance(form, YesNoWords):
        is_yes = any(_is_word(bare, word) for word in form.yes)
        return "true" if is_yes else "false" if any(_is_word(bare, word) for word in form.no) else None
    if isinstance(form, Spellings):
        return _category(form, bare)
    if len(text) > LONGEST:
        return None
    return _number(form, bare) if isinstance(form, NumberForm) else _day(form, bare)


def _number(form: NumberForm, text: str) -> str | None:
    """The one reading of a text: without units and blanks, then without a sign."""
    for rest, below, can_sign in _unsigned(form, text):
        found = _body(form, rest)
        if found is not None and can_sign:
            return f"-{found}" if below else found
    return None


def _unsigned(form: NumberForm, text: str) -> Iterator[tuple[str, bool, bool]]:
    """Yield each text left without units and sign, with: is it negative, and does the form allow its sign."""
    signs = {"+": False, **dict.fromkeys(DASHES, True)}
    has_sign = Negative.SIGN in form.negative
    for inner in _bare(form, text):
        yield inner, False, True
        if inner[:1] in signs:
            for rest in _bare(form, inner[1:], ends=False):
                yield rest, signs[inner[0]], has_sign
        if inner[-1:] in DASHES:
            yield inner[:-1], True, Negative.AFTER in form.negative
        if len(inner) > 1 and (inner[0], inner[-1]) == ("(", ")"):
            for rest in _bare(form, inner[1:-1]):
                yield rest, True, Negative.BRACKETS in form.negative
    if text[:1] in signs:
        for rest in _bare(form, text[1:]):
            yield rest, signs[text[0]], has_sign


def _bare(form: NumberForm, text: str, *, ends: bool = True) -> Iterator[str]:
    """Yield a text without a unit before it, after it, or at both ends. Without a unit, blanks are part of it."""
    heads = [text, *(text[len(unit) :].lstrip("".join(SPACES)) for unit in form.affixes if text.startswith(unit))]
    for head in heads:
        yield head
        for unit in form.affixes:
            if ends and head.endswith(unit):
                yield head[: -len(unit)].rstrip("".join(SPACES))


def _body(form: NumberForm, text: str) -> str | None:
    """Return a number without a sign, with a point and without signs between thousands."""
    if text.lower() in ("inf", "infinity") and text.isascii():
        return text
    place = next((place for place, sign in enumerate(text) if sign in "eE"), len(text))
    mantissa, power = text[:place], text[place:]
    if power:
        figures = power[2:] if power[1:2] in ("+", "-") else power[1:]
        if not (form.exponent and is_digits(figures)):
            return None
    whole, mark, fraction = mantissa.partition(form.decimal)
    if (fraction and not is_digits(fraction)) or not (whole or fraction):
        return None
    if whole and not is_digits(whole):
        plain = _ungrouped(form, whole)
        if plain is None:
            return None
        whole = plain
    return f"{whole}{'.' if mark else ''}{fraction}{power}"


def _ungrouped(form: NumberForm, whole: str) -> str | None:
    """Digits of well-made groups, which one and the same sign parts."""
    signs = {sign for sign in whole if sign not in DIGITS}
    if len(signs) != 1:
        return None
    (sign,) = signs
    family = next((family for family in (SPACES, APOSTROPHES) if sign in family), (sign,))
    if not any(each in family for each in form.thousands):
        return None
    first, *middle, last = whole.split(sign)
    size = 2 if form.lakh else 3
    well = len(last) == 3 and all(len(part) == size for part in middle) and 1 <= len(first) <= size
    return "".join((first, *middle, last)) if well and first[0] != "0" else None


def _day(form: DateForm, text: str) -> str | None:
    for name in (*form.dates, "iso"):
        found = _of_form(form, name, text)
        if found is not None:
            return found
    return None


def _of_form(form: DateForm, name: str, text: str) -> str | None:
    match name:
        case "excel" | "excel-1904":
            return _serial(text, is_early=name == "excel-1904")
        case "quarter":
            return _quarter(form, text)
        case "year" | "y-00-00":
            year = text if name == "year" else text.removesuffix("-00-00")
            whole = len(year) == 4 and is_digits(year) and (name == "year" or len(text) == 10)
            return _period(form, year, 1, 12) if whole else None
        case "y-m" | "m/y":
            year, month = text.split("-", 1) if name == "y-m" and "-" in text else (text[-4:], text[:-5])
            parted = "-" in text if name == "y-m" else text[-5:-4] == "/"
            number = _two(month, 12) if parted else None
            return _period(form, year, number, number) if number and len(year) == 4 and is_digits(year) else None
        case "iso-week" | "iso-week-day":
            return _week(form, text, by_day=name == "iso-week-day")
    for end in range(len(text), 0, -1):  # a time may follow a day
        if end == len(text) or is_time(text[end:]) or (form.time and _is_any_time(text[end:])):
            found = _written_day(form, name, text[:end])
            if found is not None:
                return found
    return None


def _is_any_time(text: str) -> bool:
    """Return True for a time with am or pm, or with a zone that is called by a name."""
    words = text[1:].split(" ")
    if text[:1] not in (" ", "T", "t") or len(words) > 3:
        return False
    clock = words.pop(0)
    half = "".join(sign for sign in clock[-4:].lower() if sign in "apm.")
    if half in ("am", "pm", "a.m", "p.m", "a.m.", "p.m.", "am.", "pm.") and clock.lower().endswith(half):
        clock = clock[: -len(half)]
    elif words and words[0].lower() in ("am", "pm", "a.m", "p.m", "a.m.", "p.m.", "am.", "pm."):
        words.pop(0)
    zone = words.pop(0) if words else ""
    area, *places = zone.split("/")
    by_name = (not zone or (area.isascii() and area.isalpha())) and all(
        place and all(sign == "_" or (sign.isascii() and sign.isalpha()) for sign in place) for place in places
    )
    offset = bool(zone) and is_time(f" {clock} {zone}")
    return not words and ((by_name and is_time(f" {clock}")) or offset)


def _written_day(form: DateForm, name: str, text: str) -> str | None:
    if name == "yyyymmdd":
        parts, tokens = [text[:4], text[4:6], text[6:]], ["y", "mm", "dd"]
        if len(text) != 8:
            return None
    else:
        name = "y-m-d" if name == "iso" else name
        between = next(sign for sign in "./- " if sign in name)
        tokens, parts = name.split(between), _parted(name, between, text)
    if len(parts) != 3:
        return None
    said = dict(zip((token[0].lower() for token in tokens), zip(tokens, parts, strict=True), strict=True))
    (day_form, day), (month_form, month), (year_form, year) = said["d"], said["m"], said["y"]
    number = _two(day, 31, exact=day_form == "dd")
    which = _named(form, month) if month_form.startswith("M") else _two(month, 12, exact=month_form == "mm")
    if year_form == "yy":
        first, last = form.years
        ends = [each for each in range(first, last + 1) if len(year) == 2 and f"{each:04}"[-2:] == year]
        year = f"{ends[0]:04}" if ends else ""
    if not (number and which and len(year) == 4 and is_digits(year)):
        return None
    return f"{year}-{which:02}-{number:02}"


def _parted(name: str, between: str, text: str) -> list[str]:
    """Return the three parts of a written day. Blanks may follow a point; a name of a month may end with one."""
    if between == " ":
        parts = [part for part in "".join(" " if sign in SPACES else sign for sign in text).split(" ") if part]
        if name.startswith("d") and "M" in name.split(" ")[1] and parts and parts[0].endswith("."):
            parts[0] = parts[0][:-1]
        return parts if text[:1] not in SPACES and text[-1:] not in SPACES else []
    parts = text.split(between)
    if between == ".":
        if len(parts) == 4 and "M" in name:
            place = next(place for place, token in enumerate(name.split(".")) if token.startswith("M"))
            parts[place : place + 2] = [f"{parts[place]}."] if not parts[place + 1] else parts[place : place + 2]
        return [part.lstrip("".join(SPACES)) if place else part for place, part in enumerate(parts)]
    return parts


def _named(form: DateForm, text: str) -> int | None:
    for month in range(1, 13):
        for name in (name for code in form.months for name in names(code)[month]):
            if len(name) == len(text) and all(a in (b, b.lower(), b.upper()) for a, b in zip(text, name, strict=True)):
                return month
    return None


def _two(text: str, most: int, *, exact: bool = False) -> int | None:
    """Return a number of one digit or two, from 1; of two only where that is `exact`."""
    good = is_digits(text) and len(text) <= 2 and (len(text) == 2 or not exact)
    return int(text) if good and 1 <= int(text) <= most else None


def _period(form: DateForm, year: str, first: int, last: int) -> str:
    if form.of_period == "first":
        return f"{year}-{first:02}-01"
    number = int(year)
    is_leap = number % 4 == 0 and (number % 100 != 0 or number % 400 == 0)
    days = 29 if last == 2 and is_leap else 28 if last == 2 else 30 if last in (4, 6, 9, 11) else 31
    return f"{year}-{last:02}-{days}"


def _quarter(form: DateForm, text: str) -> str | None:
    """2020-Q2, 2020Q2, Q2 2020, T2 2020, 2T2020, 2.Q 2020."""
    kept = [sign for sign in text if sign not in SPACES]
    plain = "".join(kept)
    if len(kept) < len(text) and text[:4] == plain[:4] and is_digits(plain[:4]):
        return None
    if is_digits(plain[:4]) and plain[4:].lstrip("-")[:1] in ("Q", "q") and plain.count("-") <= 1:
        year, quarter = plain[:4], plain[4:].removeprefix("-")[1:]
    elif plain[:1] in tuple("QqTt") and not _has_gap(text, (0, 1)):
        year, quarter = plain[2:], plain[1:2]
    elif plain[:1] and plain[1:].removeprefix(".")[:1] in tuple("QqTt") and plain.count(".") <= 1:
        year, quarter = plain[1:].removeprefix(".")[1:], plain[:1]
        if "." in plain and _has_gap(text, (0, 1)):
            return None
    else:
        return None
    if quarter not in ("1", "2", "3", "4") or len(year) != 4 or not is_digits(year) or _is_parted(text, year):
        return None
    return _period(form, year, 3 * int(quarter) - 2, 3 * int(quarter))


def _has_gap(text: str, places: tuple[int, int]) -> bool:
    return any(sign in SPACES for sign in text[places[0] : places[1] + 1])


def _is_parted(text: str, year: str) -> bool:
    """Return True if a blank stands within the year."""
    return year not in text


def _week(form: DateForm, text: str, *, by_day: bool) -> str | None:
    year, rest = text[:4], text[4:]
    dashed = rest.startswith("-")
    week, day = rest[2:4] if dashed else rest[1:3], rest[4:] if dashed else rest[3:]
    if not is_digits(year) or rest.removeprefix("-")[:1] != "W" or not is_digits(week) or len(week) != 2:
        return None
    weekday = ""
    if by_day:
        weekday = day[1:] if dashed and day[:1] == "-" else day if not dashed else ""
        if len(weekday) != 1 or weekday not in "1234567":
            return None
    elif day:
        return None
    monday = date(max(1, int(year)), 1, 4) - timedelta(days=date(max(1, int(year)), 1, 4).weekday())
    days = 7 * (int(week) - 1) + (int(weekday) if by_day else 1 if form.of_period == "first" else 7) - 1
    last = 7 * (int(week) - 1) + 3
    if not 1 <= int(week) <= 53 or int(year) == 0 or monday.toordinal() + days > date.max.toordinal():
        return None
    return (monday + timedelta(days=days)).isoformat() if (monday + timedelta(days=last)).year == int(year) else None


def _serial(text: str, *, is_early: bool) -> str | None:
    whole, point, part = text.partition(".")
    if not is_digits(whole) or len(whole) > 7 or (point and not is_digits(part)):
        return None
    number = int(whole)
    if is_early:
        return (date(1904, 1, 1) + timedelta(days=number)).isoformat() if number <= 2_957_003 else None
    if whole[0] == "0" or number == 60 or number > 2_958_465:
        return None
    return (date(1899, 12, 31) + timedelta(days=number - (number > 60))).isoformat()


def _is_word(text: str, word: str) -> bool:
    """Return True for a word in one of four cases, with its accents, however they are made, or without."""
    word = word.strip(ENDS)
    return any(text in _spelt(way) for way in (word, word.lower(), word.upper(), word.title()))


def _spelt(word: str) -> Iterable[str]:
    apart = unicodedata.normalize("NFD", word)
    return word, apart, unicodedata.normalize("NFC", word), "".join(s for s in apart if not unicodedata.combining(s))


def _category(form: Spellings, text: str) -> str:
    found = next((each for each in form.categories if any(_same(text, way) for way in _ways(form, each))), text)
    digits = form.width is not None and is_digits(found) and len(found) < form.width
    return "0" * ((form.width or 0) - len(found)) + found if digits else found


def _ways(form: Spellings, category: str) -> tuple[str, ...]:
    return (category, *form.spellings.get(category, ()))


def _same(text: str, word: str) -> bool:
    """The same letters, composed or decomposed; blanks that break or not, all of one kind."""
    word = word.strip(ENDS)
    forms = {word, unicodedata.normalize("NFC", word), unicodedata.normalize("NFD", word)}
    return any(text in (way, way.replace(" ", "\u00a0"), way.replace("\u00a0", " ")) for way in forms)
