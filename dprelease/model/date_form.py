"""Written form of a column's days, as public contract: text becomes yyyy-mm-dd, or nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache, cached_property, lru_cache
from itertools import combinations
from typing import Any

from dprelease.errors import Problem
from dprelease.model.number_form import among, given, listed
from dprelease.model.report import Report, join
from dprelease.model.separators import EDGES, LONGEST, SPACES
from dprelease.model.spelt import variants
from dprelease.words import phrase, quoted, verbatim

ISO, EXCEL, EXCEL_1904 = "iso", "excel", "excel-1904"
FIRST, LAST = "first", "last"
LAST_SERIAL = 2_958_465
"""Serial number of 9999-12-31."""
MAX_FORMS = 10
LAST_CENTURY = 9900
"""Latest first year that two digits of a year may mean."""
KEYS = ("dates", "months", "of_period", "century", "time")
TOKENS = {
    "d": ("d", "0?[1-9]|[12][0-9]|3[01]"),
    "dd": ("d", "0[1-9]|[12][0-9]|3[01]"),
    "m": ("m", "0?[1-9]|1[0-2]"),
    "mm": ("m", "0[1-9]|1[0-2]"),
    "MMM": ("M", ""),
    "MMMM": ("M", ""),
    "y": ("y", "[0-9]{4}"),
    "yy": ("c", "[0-9]{2}"),
}
"""Part of a day and pattern, by token. `c`: a year of two digits; `M`: a month by name."""
WRITTEN = re.compile(r"(d{1,2}|m{1,2}|MMMM?|y{1,2})([./ -])(d{1,2}|m{1,2}|MMMM?|y{1,2})\2(d{1,2}|m{1,2}|MMMM?|y{1,2})")
BLANKS = among(SPACES) + "+"
BETWEEN = {".": f"[.](?:{BLANKS})?", "/": "/", "-": "-", " ": BLANKS}
YEAR, MONTH, DAY, QUARTER = ("y", "[0-9]{4}"), ("m", "0?[1-9]|1[0-2]"), ("d", "0[1-9]|[12][0-9]|3[01]"), ("q", "[1-4]")
TWO_MONTH, WEEK, GAP = ("m", "0[1-9]|1[0-2]"), ("w", "0[1-9]|[1-4][0-9]|5[0-3]"), ("", f"(?:{BLANKS})?")
Piece = tuple[str, str]
Layout = tuple[Piece, ...]
"""The pieces of a text from left to right: what each is, and its pattern."""
READY: Mapping[str, tuple[Layout, ...]] = {
    ISO: ((YEAR, ("", "-"), MONTH, ("", "-"), TOKENS["d"]),),
    "yyyymmdd": ((YEAR, TWO_MONTH, DAY),),
    "y-m": ((YEAR, ("", "-"), MONTH),),
    "m/y": ((MONTH, ("", "/"), YEAR),),
    "quarter": (
        (YEAR, ("", "-?[Qq]"), QUARTER),
        (("", "[QqTt]"), QUARTER, GAP, YEAR),
        (QUARTER, ("", "[.]?"), GAP, ("", "[QqTt]"), GAP, YEAR),
    ),
    "iso-week": ((YEAR, ("", "-?W"), WEEK),),
    "iso-week-day": ((YEAR, ("", "-W"), WEEK, ("", "-"), ("k", "[1-7]")), (YEAR, ("", "W"), WEEK, ("k", "[1-7]"))),
    "year": ((YEAR,),),
    "y-00-00": ((YEAR, ("", "-00-00")),),
    EXCEL: ((("n", "[1-9][0-9]{0,6}"), ("", "(?:[.][0-9]+)?")),),
    EXCEL_1904: ((("s", "[0-9]{1,7}"), ("", "(?:[.][0-9]+)?")),),
}
CLOCK = "(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::(?:[0-5][0-9]|60)(?:[.,][0-9]+)?)?|24:00(?::00(?:[.,]0+)?)?"
ZONE = " ?(?:[zZ]|[uU][tT][cC]|[-+](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)"
TIME = f"(?:[tT ](?:{CLOCK})(?:{ZONE})?)?"
ANY_TIME = f"(?:[tT ](?:{CLOCK})(?: ?[aApP][.]?[mM][.]?)?(?:{ZONE}| [A-Za-z]+(?:/[A-Za-z_]+)*)?)?"
LEAP = "[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00"
"""Years of 366 days."""
SAMPLES = (date(2011, 10, 12), *(date(1999, 12, 6) + timedelta(days) for days in range(0, 11_500, 61)))
"""Days by which two forms are compared."""


@dataclass(frozen=True)
class DateForm:
    """Ways in which a day, or a period, is written. yyyy-mm-dd is always one of them."""

    dates: tuple[str, ...] = ()
    months: tuple[str, ...] = ()
    """Languages whose names of months are read."""
    of_period: str = FIRST
    """Day that stands for a month, quarter, week or year: its first or last."""
    century: int | None = None
    """The first year that two digits may mean."""
    time: bool = False
    """True if zones by name, and am and pm, may follow a day."""
    window: tuple[int, int] | None = None
    """The years that two digits may mean, by the column's bounds."""

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> DateForm:
        """Return the form that a mapping declares."""
        fields = given(report.mapping(value, path, allowed=KEYS, required=("dates",)))
        dates = report.sequence(fields.get("dates") or [], join(path, "dates"), longest=MAX_FORMS)
        well = [text for text in dates if _is_form(text)]
        for text in dates:
            if text not in well:
                report.add(join(path, "dates"), found=text, allowed=phrase("model.date_forms", ready=", ".join(READY)))
        languages = listed(fields.get("months", []))
        known = [code for code in languages if names(str(code))]
        for code in (code for code in languages if code not in known):
            report.add(join(path, "months"), found=code, allowed=phrase("model.language_of_months"))
        by_name = any("MMM" in text for text in well)
        if by_name and not languages:
            report.add(join(path, "months"), found=phrase("model.nothing"), allowed=phrase("model.language_of_months"))
        of_period = report.choice(fields.get("of_period", FIRST), join(path, "of_period"), (FIRST, LAST)) or FIRST
        century = fields.get("century")
        if century is not None:
            century = report.integer(century, join(path, "century"), lowest=1, highest=LAST_CENTURY)
        if (time := fields.get("time")) not in (None, "any"):
            report.add(join(path, "time"), found=time, allowed=verbatim("any"))
        form = cls(
            dates=tuple(dict.fromkeys(well)),
            months=tuple(map(str, known)),
            of_period=of_period,
            century=century,
            time=time == "any",
        )
        report.problems += form._contradictions(path)
        return form

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan, without what goes without saying."""
        said: dict[str, Any] = {"dates": list(self.dates)}
        said |= {"months": list(self.months)} if self.months else {}
        said |= {"of_period": self.of_period} if self.of_period != FIRST else {}
        said |= {"century": self.century} if self.century is not None else {}
        return said | ({"time": "any"} if self.time else {})

    def bounded(self, lower: date, upper: date, path: str, report: Report) -> DateForm:
        """Return this form for a column with bounds, which decide years of two digits: once, whatever is made of it."""
        if self.window is not None or not any("c" in roles(layout) for layout in self.layouts):
            return self
        if self.century is None and upper.year - lower.year >= 100:
            found = phrase("model.years_of_bounds", first=str(lower.year), last=str(upper.year))
            report.add(path, found=found, allowed=phrase("model.bounds_of_a_century"))
        return replace(self, window=(lower.year, min(upper.year, lower.year + 99)))

    @property
    def years(self) -> tuple[int, int]:
        """The years that two digits may mean."""
        if self.century is not None:
            return self.century, self.century + 99
        return self.window or (1, 0)

    @cached_property
    def month_names(self) -> Mapping[int, tuple[str, ...]]:
        """The names of each month in the languages that are read."""
        found = {month: [name for code in self.months for name in names(code)[month]] for month in range(1, 13)}
        return {month: tuple(dict.fromkeys(each)) for month, each in found.items()}

    @cached_property
    def layouts(self) -> tuple[Layout, ...]:
        """Every way in which a text is read, one of which at most reads it."""
        forms = (*self.dates, ISO) if ISO not in self.dates else self.dates
        return tuple(layout for form in forms for layout in READY.get(form) or (self._layout(form),))

    def _layout(self, form: str) -> Layout:
        """Return the pieces of a form that is no ready one."""
        found = WRITTEN.fullmatch(form)
        assert found is not None
        first, between, second, third = found.groups()
        pieces = []
        for token in (first, second, third):
            role, pattern = TOKENS[token]
            pieces.append((role, self.month_pattern if role == "M" else pattern))
        dotted = "[.]?" if between == " " and pieces[0][0] == "d" and pieces[1][0] == "M" else ""
        return pieces[0], ("", dotted + BETWEEN[between]), pieces[1], ("", BETWEEN[between]), pieces[2]

    @cached_property
    def month_pattern(self) -> str:
        """Any name of a month."""
        return "|".join(self.names_patterns.values())

    @cached_property
    def names_patterns(self) -> Mapping[int, str]:
        """The names of each month, in any case."""
        return {month: "|".join(map(_any_case, each)) for month, each in self.month_names.items()}

    def pattern(self, layout: Layout, role: str) -> str:
        """Return a pattern of a whole text with one of its pieces as the one group."""
        pieces = (f"({pattern})" if found == role else f"(?:{pattern})" for found, pattern in layout)
        has_day = {"d", "k"} & set(roles(layout))
        return "".join(pieces) + ((ANY_TIME if self.time else TIME) if has_day else "")

    def canonical(self, text: str) -> str | None:
        """Return the day as yyyy-mm-dd, which may be none of the calendar; None where the text is of no form."""
        bare = text.strip(EDGES)
        if len(text) > LONGEST:
            return None
        for layout in self.layouts:
            found = {}
            for role in roles(layout):
                if (match := re.fullmatch(self.pattern(layout, role), bare)) is None:
                    break
                found[role] = match[1]
            else:
                return self._day(found)
        return None

    def _day(self, found: Mapping[str, str]) -> str | None:
        if "n" in found or "s" in found:
            return _serial(found)
        year = found.get("y") or self._year(found["c"])
        if year is None:
            return None
        if "w" in found:
            return self._week(year, int(found["w"]), found.get("k"))
        if "d" in found:
            return f"{year}-{self._month(found):02}-{int(found['d']):02}"
        if "q" in found:
            first = last = 3 * int(found["q"])
            first -= 2
        elif "m" in found or "M" in found:
            first = last = self._month(found)
        else:
            first, last = 1, 12
        if self.of_period == FIRST:
            return f"{year}-{first:02}-01"
        days = 29 if last == 2 and re.fullmatch(LEAP, year) else LENGTHS[last - 1]
        return f"{year}-{last:02}-{days}"

    def _month(self, found: Mapping[str, str]) -> int:
        if "m" in found:
            return int(found["m"])
        return next(month for month in self.month_names if re.fullmatch(self.names_patterns[month], found["M"]))

    def _year(self, two: str) -> str | None:
        first, last = self.years
        return next((f"{year:04}" for year in range(first, last + 1) if f"{year % 100:02}" == two), None)

    def _week(self, year: str, week: int, day: str | None) -> str | None:
        weekday = int(day) if day else 1 if self.of_period == FIRST else 7
        try:
            return date.fromisocalendar(int(year), week, weekday).isoformat()
        except ValueError:
            return None

    def _contradictions(self, path: str) -> list[Problem]:
        """Return problems: two forms that read one text as two days, and names that are of two months."""
        problems = []
        spelt = [(month, name.casefold()) for month, each in self.month_names.items() for name in each]
        months: dict[str, int] = {}
        for month, name in spelt:
            if months.setdefault(name, month) != month:
                allowed = phrase("model.one_month")
                problems.append(Problem(join(path, "months"), quoted(name), allowed, phrase("model.one_language")))
                break
        for first, second in combinations(self.dates, 2):
            one, other = (replace(self, dates=(form,), window=(1950, 2049)) for form in (first, second))
            if (found := _disagreement(one, other)) is not None:
                both = phrase("model.two_forms", first=first, second=second, text=found)
                problems.append(Problem(join(path, "dates"), both, phrase("model.one_day_a_text")))
        return problems


LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def roles(layout: Layout) -> list[str]:
    return [role for role, _ in layout if role]


def _is_form(text: object) -> bool:
    """Return True if a text is a ready form, or has a day, a month and a year, each once."""
    if not isinstance(text, str):
        return False
    if (found := WRITTEN.fullmatch(text)) is None:
        return text in READY
    return sorted(token[0].lower() for token in (found[1], found[3], found[4])) == ["d", "m", "y"]


def _any_case(name: str) -> str:
    """Return a pattern of one name in any case, letter by letter."""
    letters = ([letter, *{each for each in (letter.lower(), letter.upper()) if len(each) == 1}] for letter in name)
    return "".join(among(sorted(set(each))) if len(set(each)) > 1 else among(each[:1]) for each in letters)


@cache
def names(language: str) -> Mapping[int, tuple[str, ...]]:
    """Return month names in a language, of CLDR: whole and short, alone and in a day, with a point and without."""
    from babel import Locale, UnknownLocaleError

    try:
        told = Locale.parse(language.replace("-", "_")).months
    except (UnknownLocaleError, ValueError, TypeError):
        return {}
    found: dict[int, tuple[str, ...]] = {}
    for month in range(1, 13):
        plain = (str(told[way][width][month]) for way in ("format", "stand-alone") for width in ("wide", "abbreviated"))
        spelt = (name for each in plain for name in (each.rstrip("."), f"{each.rstrip('.')}.") if not each.isdigit())
        found[month] = tuple(dict.fromkeys(way for name in spelt for way in variants(name)))
    return found if all(found.values()) else {}


def _serial(found: Mapping[str, str]) -> str | None:
    """Return the day of a number of Excel, in whose first calendar 1900 was a leap year."""
    if "s" in found:
        days = date(1904, 1, 1).toordinal() + int(found["s"])
    else:
        number = int(found["n"])
        if number == 60 or number > LAST_SERIAL:
            return None
        days = (date(1899, 12, 30) if number > 60 else date(1899, 12, 31)).toordinal() + number
    return date.fromordinal(days).isoformat() if days <= date.max.toordinal() else None


@lru_cache(maxsize=256)
def _disagreement(one: DateForm, other: DateForm) -> str | None:
    """Return a text that two forms read as two days. To look for one takes 60 ms."""
    for day in SAMPLES:
        for writer, reader in ((one, other), (other, one)):
            for text in written(writer, day):
                own, found = writer.canonical(text), reader.canonical(text)
                if found is not None and found != own:
                    return text
    return None


def written(form: DateForm, day: date) -> list[str]:
    """Return a day in each form; of a period, the period that it is in."""
    year, week, weekday = day.isocalendar()
    texts = []
    for name in form.dates:
        if name in READY:
            texts.append(
                {
                    ISO: day.isoformat(),
                    "yyyymmdd": f"{day:%Y%m%d}",
                    "y-m": f"{day:%Y-%m}",
                    "m/y": f"{day:%m/%Y}",
                    "quarter": f"{day.year}-Q{(day.month + 2) // 3}",
                    "iso-week": f"{year}-W{week:02}",
                    "iso-week-day": f"{year}-W{week:02}-{weekday}",
                    "year": f"{day.year}",
                    "y-00-00": f"{day.year}-00-00",
                    EXCEL: str((day - date(1899, 12, 30)).days),
                    EXCEL_1904: str((day - date(1904, 1, 1)).days),
                }[name]
            )
        else:
            texts.append(re.sub("d+|m+|M+|y+", lambda token: _token(form, day, token[0]), name))
    return texts


def _token(form: DateForm, day: date, token: str) -> str:
    if token.startswith("M"):
        return next(iter(form.month_names[day.month]), "")
    value = {"d": day.day, "m": day.month, "y": day.year % 100 if len(token) > 1 else day.year}[token[0]]
    return f"{value:02}" if len(token) > 1 else str(value)
