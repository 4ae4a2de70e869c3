"""Files as offices in eight countries write them: cells of known meaning, and what must become of each column.

    made = files(seed=3)        # 60 files
    path = made[0].write(folder)

`READ`: every cell is understood, as it is or after one question. `ASK`: the cells do not settle it, so that nothing may
be read before somebody answered. `UNREADABLE`: some cells mean nothing in the column's form, and must be counted.
"""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import openpyxl

READ, ASK, UNREADABLE = "read", "ask", "unreadable"
ROWS = 40
HARD, NARROW = "\u00a0", "\u202f"
"""Blanks that do not break a line."""
EPOCH = date(1899, 12, 30)
REGIONS = ("Nordküste", "São João", "Älvsjö", "Île verte", "Ñuñoa", "Zürich")
CODES = ("01001", "08019", "28079", "07", "7")


@dataclass(frozen=True, kw_only=True)
class Country:
    """How an office writes."""

    code: str
    decimal: str
    group: str
    delimiter: str
    encoding: str
    currency: str
    day: str
    months: tuple[str, ...]
    yes: tuple[str, str]
    """In a word, and in a letter."""
    no: tuple[str, str]
    absent: tuple[str, ...]

    def number(self, value: Decimal, places: int, *, grouped: bool = True) -> str:
        whole, _, part = f"{abs(value):.{places}f}".partition(".")
        whole = f"{int(whole):,}".replace(",", self.group) if grouped else whole
        return ("-" if value < 0 else "") + whole + (self.decimal + part if places else "")


def _country(
    code: str, signs: str, encoding: str, currency: str, day: str, months: str, words: str, *absent: str
) -> Country:
    yes, no, y, n = words.split()
    return Country(
        code=code,
        decimal=signs[0],
        group=signs[1],
        delimiter="," if code == "en" else ";",
        encoding=encoding,
        currency=currency,
        day=day,
        months=tuple(months.split()),
        yes=(yes, y),
        no=(no, n),
        absent=absent,
    )


COUNTRIES = (
    _country(
        "en", ".,", "utf-8", "${}", "m/d/y",
        "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        "Yes No Y N", "NA", ".",
    ),
    _country(
        "es", ",.", "cp1252", "{} €", "d/m/y",
        "ene feb mar abr may jun jul ago sept oct nov dic",
        "Sí No S N", "n.d.", "NS/NC",
    ),
    _country(
        "de", ",.", "cp1252", "{} €", "d.m.y",
        "Jan Feb März Apr Mai Juni Juli Aug Sept Okt Nov Dez",
        "Ja Nein J N", "k. A.", "-",
    ),
    _country(
        "fr", f",{NARROW}", "utf-8", f"{{}}{HARD}€", "d/m/y",
        "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
        "Oui Non O N", "n.d.", "-",
    ),
    _country(
        "it", ",.", "utf-8", "€ {}", "d/m/y",
        "gen feb mar apr mag giu lug ago set ott nov dic",
        "Sì No S N", "nd", "-",
    ),
    _country(
        "pt", ",.", "utf-16", "R$ {}", "d/m/y",
        "jan fev mar abr mai jun jul ago set out nov dez",
        "Sim Não S N", "s/d", "..",
    ),
    _country(
        "sv", f",{HARD}", "utf-8", "{} kr", "y-m-d",
        "jan. feb. mars apr. maj juni juli aug. sep. okt. nov. dec.",
        "Ja Nej J N", "uppgift saknas", "..",
    ),
    _country(
        "de-CH", ".’", "utf-8", "CHF {}", "d.m.y",
        "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
        "Ja Nein J N", "k.A.", "–",
    ),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Cells:
    """One column of a file: how it is declared, what stands in it and what each cell means."""

    declared: Mapping[str, Any]
    """As in a plan, without how its cells are read."""
    contract: Mapping[str, Any] = field(default_factory=dict)
    """How they are read, and which stand for no answer: what its office would say."""
    cells: Sequence[Any] = field(repr=False)
    truth: Sequence[str | None] = field(repr=False)
    must: str = READ
    unreadable: tuple[int, ...] = ()
    """Rows whose cells are not understood under the contract."""


@dataclass(frozen=True, kw_only=True)
class OfficeFile:
    """A file with known truth."""

    name: str
    column: str
    cells: Cells
    content: bytes = field(repr=False)
    layout: Mapping[str, Any] = field(default_factory=dict)
    """What its office would say of its layout."""

    def write(self, folder: Path) -> Path:
        path = folder / self.name
        path.write_bytes(self.content)
        return path


class Office:
    """Makes the columns of one country's office."""

    def __init__(self, seed: int, country: Country) -> None:
        self.draw, self.country = Random(seed), country

    def numbers(self, low: int = 1500, high: int = 90_000, places: int = 2) -> list[Decimal]:
        unit = 10**places
        return [Decimal(self.draw.randint(low * unit, high * unit)) / unit for _ in range(ROWS)]

    def days(self) -> list[date]:
        return [date(2019, 1, 1) + timedelta(self.draw.randrange(1500)) for _ in range(ROWS)]

    def write(self, values: Sequence[Decimal], places: int = 2, form: str = "{}") -> list[str]:
        return [form.format(self.country.number(value, places)) for value in values]

    def day(self, value: date, order: str, year: int = 4) -> str:
        parts = {"d": f"{value.day:02}", "m": f"{value.month:02}", "y": f"{value.year}"[-year:]}
        return order[1].join(parts[token] for token in order.split(order[1]))

    def number(self, cells: Sequence[str], truth: Sequence[Decimal | None], must: str = READ, **said: Any) -> Cells:
        """A column of numbers. `said`: of its form, beside the office's decimal mark."""
        kept = {key: said.pop(key) for key in ("missing_codes", "unreadable") if key in said}
        missing = {"missing_codes": kept["missing_codes"]} if "missing_codes" in kept else {}
        return Cells(
            declared={"type": "number", "lower": -100_000, "upper": 10_000_000, "resolution": "0.01"},
            contract={"reading": {"decimal": self.country.decimal, **said}, **missing},
            cells=cells,
            truth=[None if value is None else f"{value:.2f}" for value in truth],
            must=must,
            unreadable=tuple(kept.get("unreadable", ())),
        )

    def grouped(self) -> Cells:
        values = self.numbers(1000, 3_000_000)
        return self.number(self.write(values), values, thousands=[self.country.group])

    def whole(self) -> Cells:
        values = self.numbers(1_000_000, 9_000_000, 0)
        return self.number(self.write(values, 0), values, thousands=[self.country.group])

    def thousand_or_one(self) -> Cells:
        """One group of three digits in each cell, behind a sign that is a decimal mark elsewhere."""
        values = self.numbers(1000, 900_000, 0)
        sign, decimal = (",", ".") if self.country.group == "," else (".", ",")
        cells = [f"{int(value):,}".replace(",", sign) for value in values]
        return self.number(cells, values, ASK, thousands=[sign], decimal=decimal)

    def money(self) -> Cells:
        values, form = self.numbers(), self.country.currency
        unit = form.format("").strip(f" {HARD}")
        return self.number(self.write(values, 2, form), values, thousands=[self.country.group], affixes=[unit])

    def percent(self) -> Cells:
        values = self.numbers(0, 100, 1)
        gap = self.draw.choice(("", " ", HARD))
        return self.number(self.write(values, 1, f"{{}}{gap}%"), values, affixes=["%"])

    def negative(self) -> Cells:
        values = [value * self.draw.choice((1, -1)) for value in self.numbers()]
        way, form = self.draw.choice((("brackets", "({})"), ("after", "{}-"), ("sign", "\u2212{}")))
        cells = [
            form.format(self.country.number(-value, 2)) if value < 0 else self.country.number(value, 2)
            for value in values
        ]
        return self.number(cells, values, thousands=[self.country.group], negative=["sign", way])

    def scientific(self) -> Cells:
        values = [Decimal(self.draw.randint(100, 999) * 10) for _ in range(ROWS)]
        return self.number([f"{value:.2E}".replace(".", self.country.decimal) for value in values], values)

    def unit(self) -> Cells:
        values = self.numbers(40, 140, 1)
        return self.number(self.write(values, 1, "{} kg"), values, affixes=["kg"])

    def strays(self) -> Cells:
        """Some cells with the decimal mark of another country."""
        values, other = self.numbers(10, 900, 1), "." if self.country.decimal == "," else ","
        cells, rows = self.write(values, 1), sorted(self.draw.sample(range(ROWS), 4))
        for row in rows:
            cells[row] = cells[row].replace(self.country.decimal, other)
        return self.number(cells, values, UNREADABLE, unreadable=rows)

    def absent(self) -> Cells:
        values: list[Decimal | None] = [*self.numbers(0, 500, 1)]
        cells = [self.country.number(value, 1) for value in values if value is not None]
        for row in self.draw.sample(range(ROWS), 8):
            cells[row], values[row] = self.draw.choice(self.country.absent), None
        return self.number(cells, values, missing_codes=list(self.country.absent))

    def date(
        self, cells: Sequence[Any], truth: Sequence[date | None], *forms: str, must: str = READ, **said: Any
    ) -> Cells:
        missing = {"missing_codes": said.pop("missing_codes")} if "missing_codes" in said else {}
        return Cells(
            declared={"type": "date", "lower": "1950-01-01", "upper": "2040-12-31"},
            contract={"reading": {"dates": list(forms), **said}, **missing},
            cells=cells,
            truth=[None if value is None else value.isoformat() for value in truth],
            must=must,
        )

    @property
    def language(self) -> list[str]:
        return [self.country.code.partition("-")[0]]

    def dated(self) -> Cells:
        days, order = self.days(), self.country.day
        return self.date([self.day(day, order) for day in days], days, "iso" if order[0] == "y" else order)

    def day_or_month(self) -> Cells:
        """No cell above 12."""
        draw = self.draw.randint
        days = [date(draw(2019, 2022), draw(1, 12), draw(1, 12)) for _ in range(ROWS)]
        order = "m/d/y" if self.country.day[0] == "m" else "d/m/y"
        return self.date([self.day(day, order) for day in days], days, order, must=ASK)

    def compact(self) -> Cells:
        days = self.days()
        return self.date([f"{day:%Y%m%d}" for day in days], days, "yyyymmdd")

    def named(self) -> Cells:
        days = self.days()
        cells = [f"{day.day} {self.country.months[day.month - 1]} {day.year}" for day in days]
        return self.date(cells, days, "d MMM y", months=self.language)

    def statistical(self) -> Cells:
        """As SAS prints days."""
        days = self.days()
        cells = [
            f"{day.day:02}-{self.country.months[day.month - 1].strip('.').upper()}-{day.year % 100:02}" for day in days
        ]
        return self.date(cells, days, "dd-MMM-yy", months=self.language)

    def short_year(self) -> Cells:
        days, order = self.days(), self.country.day if self.country.day[0] != "y" else "d.m.y"
        return self.date([self.day(day, order, 2) for day in days], days, order.replace("y", "yy"))

    def month(self) -> Cells:
        days = [day.replace(day=1) for day in self.days()]
        return self.date([f"{day:%Y-%m}" for day in days], days, "y-m")

    def quarter(self) -> Cells:
        days = [date(day.year, 3 * ((day.month - 1) // 3) + 1, 1) for day in self.days()]
        form = self.draw.choice(("{y}-Q{q}", "{q}T{y}", "Q{q} {y}"))
        return self.date([form.format(y=day.year, q=(day.month + 2) // 3) for day in days], days, "quarter")

    def week(self) -> Cells:
        days = [day - timedelta(day.weekday()) for day in self.days()]
        return self.date(["{}-W{:02}".format(*day.isocalendar()[:2]) for day in days], days, "iso-week")

    def zone(self) -> Cells:
        days = self.days()
        clocks = [f"T{self.draw.randrange(24):02}:30:00{self.draw.choice(('Z', '+02:00', '-05:00'))}" for _ in days]
        return self.date([f"{day}{clock}" for day, clock in zip(days, clocks, strict=True)], days, "iso")

    def no_day(self) -> Cells:
        days: list[date | None] = [*self.days()]
        cells = [str(day) for day in days]
        for row in self.draw.sample(range(ROWS), 6):
            cells[row], days[row] = self.draw.choice(("0000-00-00", "9999-12-31", "")), None
        return self.date(cells, days, "iso", missing_codes=["0000-00-00", "9999-12-31"])

    def words(self) -> Cells:
        return self._truths(self.country.yes[0], self.country.no[0])

    def letters(self) -> Cells:
        return self._truths(self.country.yes[1], self.country.no[1])

    def one_or_two(self) -> Cells:
        return self._truths("1", "2", ASK)

    def _truths(self, yes: str, no: str, must: str = READ) -> Cells:
        truth = [self.draw.random() < 0.55 for _ in range(ROWS)]
        return Cells(
            declared={"type": "boolean"},
            contract={"reading": {"yes": [yes], "no": [no]}},
            cells=[self.draw.choice((yes, yes.lower())) if value else no for value in truth],
            truth=["true" if value else "false" for value in truth],
            must=must,
        )

    def category(self, cells: Sequence[str], truth: Sequence[str], categories: Sequence[str], *rows: int) -> Cells:
        return Cells(
            declared={"type": "category", "categories": list(categories)},
            contract={"reading": {}},
            cells=cells,
            truth=truth,
            must=UNREADABLE if rows else READ,
            unreadable=rows,
        )

    def blanks(self) -> Cells:
        """Blanks at the ends, and letters decomposed."""
        truth = [self.draw.choice(REGIONS) for _ in range(ROWS)]
        ways: tuple[Callable[[str], str], ...] = (
            str,
            lambda text: f"{text} ",
            lambda text: f"{HARD}{text}",
            lambda text: unicodedata.normalize("NFD", text),
            lambda text: text.replace(" ", HARD),
        )
        return self.category([self.draw.choice(ways)(text) for text in truth], truth, REGIONS)

    def capitals(self) -> Cells:
        truth = [self.draw.choice(("North", "South")) for _ in range(ROWS)]
        rows = sorted(self.draw.sample(range(ROWS), 5))
        cells = [text.upper() if row in rows else text for row, text in enumerate(truth)]
        return self.category(cells, truth, ("North", "South"), *rows)

    def zeros(self) -> Cells:
        truth = [self.draw.choice(CODES) for _ in range(ROWS)]
        return self.category(truth, truth, CODES)


KINDS = (
    *("grouped", "whole", "thousand_or_one", "money", "percent", "negative", "scientific", "unit", "strays", "absent"),
    *("dated", "day_or_month", "compact", "named", "statistical", "short_year", "month", "quarter", "week", "zone"),
    *("no_day", "words", "letters", "one_or_two", "blanks", "capitals", "zeros"),
)
BOOKS = ("titled", "sheets", "serials", "totals")
COUNT = 60


def files(seed: int, count: int = COUNT) -> list[OfficeFile]:
    """So many files, each of another country or another kind than the one before; the last ones are workbooks."""
    texts, draw, made = count - 2 * len(BOOKS), Random(seed), []
    for place in range(count):
        country = COUNTRIES[place % len(COUNTRIES)]
        office = Office(1000 * seed + place, country)
        if place < texts:
            kind = KINDS[(place + place // len(KINDS)) % len(KINDS)]
            made.append(_text(f"{place:02}-{country.code}-{kind}.csv", office, kind, draw))
        else:
            kind = BOOKS[place % len(BOOKS)]
            made.append(_book(f"{place:02}-{country.code}-{kind}.xlsx", office, kind))
    return made


def _text(name: str, office: Office, kind: str, draw: Random) -> OfficeFile:
    cells: Cells = getattr(office, kind)()
    country = office.country
    rows = [["id", kind], *([str(row), cell] for row, cell in enumerate(cells.cells, 1))]
    lines = [country.delimiter.join(f'"{cell}"' if country.delimiter in cell else cell for cell in row) for row in rows]
    content = "\r\n".join([*lines, ""])
    encoding = draw.choice((country.encoding, "utf-8"))
    try:
        data = content.encode(encoding)
    except UnicodeEncodeError:
        data = content.encode("utf-8")
    return OfficeFile(name=name, column=kind, cells=cells, content=data, layout={"delimiter": country.delimiter})


def _book(name: str, office: Office, kind: str) -> OfficeFile:
    """A workbook: with titles, with a second table, with days as numbers, or with units, totals and a note."""
    days = office.days()
    serials = kind == "serials"
    cells = office.date([(day - EPOCH).days if serials else day for day in days], days, "excel" if serials else "iso")
    cells = cells if serials else Cells(declared=cells.declared, cells=cells.cells, truth=cells.truth)
    book = openpyxl.Workbook()
    sheet: Any = book.active
    layout: dict[str, Any] = {}
    if kind in ("titled", "sheets"):
        sheet.title = "Read me"
        sheet.append(["Extract made on 3 May. Do not edit."])
        sheet = book.create_sheet("Data")
        layout["sheet"] = "Data"
    if kind in ("titled", "totals"):
        for row in (["Survey of households, extract"], ["Source: office"], [None, "About the household"]):
            sheet.append(row)
        sheet.merge_cells(start_row=3, start_column=2, end_row=3, end_column=3)
        layout["header"] = 4
    rows = [[row, day, office.draw.randint(100, 9000) / 10] for row, day in enumerate(cells.cells, 1)]
    sheet.append(["id", "visit", "income"])
    if kind == "totals":
        sheet.append([None, "(day)", "(€)"])
        layout |= {"units": True, "skip": {"empty": True, "note": 1, "words": ["Total"]}}
    for row in rows:
        sheet.append(row)
    if kind == "totals":
        for row in (["Total", f"=COUNTA(B6:B{5 + ROWS})"], [], ["Note: figures are provisional."]):
            sheet.append(row)
    if kind == "sheets":
        other = book.create_sheet("Data 2018")
        for row in (["id", "visit", "income"], *rows[: ROWS // 2]):
            other.append(row)
    content = io.BytesIO()
    book.save(content)
    return OfficeFile(name=name, column="visit", cells=cells, content=content.getvalue(), layout=layout)
