"""Forms read what was written in them: SQL of every engine and plain Python, which share no code, say the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from random import Random

import pytest

from dprelease.extras.warehouses.postgresql import PostgreSQL
from dprelease.extras.warehouses.spark_dialect import Spark
from dprelease.model.date_form import DateForm
from dprelease.model.date_form import written as written_in
from dprelease.model.form import Form
from dprelease.model.number_form import Negative, NumberForm
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.word_form import Spellings, YesNoWords, words_by_language
from dprelease.table import Engine
from dprelease.table.address import read_address
from dprelease.table.answer import Session
from dprelease.table.dialect import Dialect
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.form import canonical
from dprelease.table.kit.form import canonical_of
from dprelease.table.values import values_of
from dprelease.table.warehouse import open_warehouse
from tests.table.servers import postgres_binary, postgres_server

AFFIXES = ("€", "EUR", "kr.", "$", "%", "kg", "R$", "CHF", "Fr")
FORMS = ("d.m.y", "dd/mm/y", "m/d/y", "y-m-d", "d MMM y", "dd-MMM-yy", "d.m.yy", "y.m.d", "MMM d y", "mm-dd-y")
READY = ("yyyymmdd", "y-m", "m/y", "quarter", "iso-week", "iso-week-day", "year", "excel", "excel-1904", "y-00-00")
LANGUAGES = ("de", "en", "es", "fr", "it", "pt", "sv", "pl", "cs")
CATEGORIES = ("Nordküste", "São João", "Île verte", "New York", "01", "7", "28079")
NOISE = " .,-+()'’\u00a0\u202f€%eEkWQT/:0123456789é\u0301aJ\u200b\t"


def number_forms(draw: Random) -> NumberForm:
    decimal = draw.choice(".,")
    signs = [sign for sign in (".", ",", " ", "\u202f", "’") if sign != decimal]
    return NumberForm(
        decimal=decimal,
        thousands=tuple(draw.sample(signs, draw.randrange(3))),
        affixes=tuple(draw.sample(AFFIXES, draw.randrange(3))),
        negative=tuple(draw.sample(list(Negative), draw.randrange(1, 4))),
        exponent=draw.random() < 0.5,
        lakh=draw.random() < 0.2,
    )


def number_in(form: NumberForm, value: Decimal, draw: Random) -> str:
    """A value as somebody writes it in a form."""
    whole, _, part = f"{abs(value):f}".partition(".")
    if form.groups and draw.random() < 0.7:
        head, tail = whole[:-3], whole[-3:]
        size = 2 if form.lakh else 3
        groups = [head[max(0, end - size) : end] for end in range(len(head), 0, -size)][::-1]
        whole = draw.choice(form.groups).join([*groups, tail])
    text = whole + (form.decimal + part if part else "")
    if value < 0:
        way = draw.choice(form.negative)
        marks = {Negative.SIGN: draw.choice("-−–") + text, Negative.AFTER: text + "-", Negative.BRACKETS: f"({text})"}
        text = marks[way]
    if form.affixes and draw.random() < 0.7:
        unit, gap = draw.choice(form.affixes), draw.choice(("", " ", "\u00a0"))
        text = unit + gap + text if draw.random() < 0.5 else text + gap + unit
    return draw.choice(("", " ", "\t", "\ufeff")) + text + draw.choice(("", "\u00a0"))


def date_forms(draw: Random) -> DateForm:
    name = draw.choice((*FORMS, *READY))
    fields = {
        "dates": [name],
        "months": [draw.choice(LANGUAGES)] if "MMM" in name else [],
        "of_period": draw.choice(("first", "last")),
        "time": draw.choice((None, "any")),
    }
    report = Report()
    form = DateForm.read(fields, "reading", report).bounded(date(1950, 1, 1), date(2040, 1, 1), "reading", report)
    assert not report.problems
    return form


def word_forms(draw: Random) -> YesNoWords:
    return draw.choice([form for code, form in words_by_language().items() if code in LANGUAGES])


def spelling_forms(draw: Random) -> Spellings:
    categories = tuple(draw.sample(CATEGORIES, 4))
    spellings = {categories[0]: ("N.", "Nord É")} if draw.random() < 0.5 else {}
    return Spellings(categories, spellings, draw.choice((None, 1, 2, 5)))


def cells(form: Form, draw: Random, count: int) -> list[tuple[str, str | None]]:
    """Texts, some with what they mean and some spoilt."""
    found: list[tuple[str, str | None]] = []
    while len(found) < count:
        text, truth = cell(form, draw)
        found.append((text, truth))
        spoilt = list(text)
        for _ in range(draw.randrange(1, 3)):
            place = draw.randrange(len(spoilt) + 1)
            spoilt[place : place + draw.randrange(2)] = draw.choice(NOISE)
        found.append(("".join(spoilt), None))
    return found


def cell(form: Form, draw: Random) -> tuple[str, str | None]:
    if isinstance(form, NumberForm):
        value = Decimal(draw.randrange(-(10**8), 10**8)).scaleb(-draw.choice((0, 0, 1, 2, 3)))
        return number_in(form, value, draw), f"{value:f}"
    if isinstance(form, DateForm):
        day = date(1950, 1, 1) + timedelta(draw.randrange(30_000))
        (text,) = written_in(form, day)
        is_day = any(token in form.dates[0] for token in ("d", "excel"))
        has_time = "d" in form.dates[0] and "week" not in form.dates[0]
        clock = draw.choice(("", "", " 10:30", "T23:59:59Z")) if has_time else ""
        return text + clock, day.isoformat() if is_day or form.dates[0] == "iso-week-day" else None
    if isinstance(form, YesNoWords):
        meaning, words = draw.choice((("true", form.yes), ("false", form.no)))
        return draw.choice((str, str.upper, str.title))(draw.choice(words)), meaning
    category = draw.choice(form.categories)
    spelt = unicodedata.normalize(draw.choice(("NFC", "NFD")), category)
    is_code = form.width is not None and category.isdigit()
    return spelt.replace(" ", draw.choice((" ", "\u00a0"))), category.rjust(
        form.width or 0, "0"
    ) if is_code else category


def told(session: Session, dialect: Dialect, form: Form, texts: list[str]) -> list[str | None]:
    """What an engine makes of texts."""
    rows = ", ".join(f"({place}, {dialect.text(text)})" for place, text in enumerate(texts))
    sql = canonical(form, dialect.as_text('"x"', "VARCHAR" if isinstance(dialect, DuckDB) else "text"), dialect)
    return [found for _, found in session.rows(f'SELECT "i", {sql} FROM (VALUES {rows}) AS t("i", "x") ORDER BY "i"')]


MAKERS = (number_forms, date_forms, word_forms, spelling_forms)


def assert_same(session: Session, dialect: Dialect, seed: int, count: int) -> None:
    draw = Random(seed)
    form = MAKERS[seed // 10 % len(MAKERS)](draw)
    made = cells(form, draw, count)
    texts = [text for text, _ in made]
    said = [canonical_of(form, text) for text in texts]
    wrong = [
        (text, truth, found) for (text, truth), found in zip(made, said, strict=True) if truth not in (None, found)
    ]
    assert not wrong, (form, wrong[:3])
    assert [form.canonical(text) for text in texts] == said
    other = told(session, dialect, form, texts)
    assert [each for each in zip(texts, said, other, strict=True) if each[1] != each[2]] == [], form


@pytest.fixture(scope="module")
def duckdb() -> Session:
    return Engine().session()


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Session]:
    with postgres_server() as server, open_warehouse(*read_address(server.address("no.table"))).session() as session:
        yield session


@pytest.mark.parametrize("of_period", ["first", "last"])
def test_each_ready_form_says_the_first_or_the_last_day_of_its_period(duckdb: Session, of_period: str) -> None:
    """Of leap years, of the last week of a year, of each quarter; by the engine and by plain Python."""
    days = [date(2024, 2, 10), date(2023, 2, 10), date(2021, 1, 2), date(2020, 12, 31), date(2022, 5, 1)]
    for name in READY:
        form = DateForm(dates=(name,), of_period=of_period)
        texts = [text for day in days for text in written_in(form, day)]
        assert told(duckdb, DuckDB(), form, texts) == [canonical_of(form, text) for text in texts], name


@pytest.mark.one_in(30)
@pytest.mark.parametrize("seed", range(400))
def test_duckdb_and_plain_python_read_a_form_alike(duckdb: Session, seed: int) -> None:
    assert_same(duckdb, DuckDB(), seed, 120)


@pytest.mark.one_in(30)
@pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
@pytest.mark.parametrize("seed", range(80))
def test_postgresql_reads_a_form_alike(postgresql: Session, seed: int) -> None:
    assert_same(postgresql, PostgreSQL(), seed, 120)


@pytest.mark.parametrize("make", MAKERS)
def test_spark_has_no_more_than_its_own_primitives(make: object) -> None:
    sql = canonical(make(Random(3)), "`x`", Spark())  # type: ignore[operator]
    assert "SUBSTRING(" not in sql
    assert "$'" not in sql


def test_what_is_no_day_is_none_on_any_engine(duckdb: Session) -> None:
    form = DateForm(dates=("excel", "iso-week"))
    texts = ["60", "0", "2958466", "9999999", "2021-W53", "2020-W53", "0000-W01", "9999-W52", "61", "59"]
    expected = [None, None, None, None, None, "2020-12-28", None, "9999-12-27", "1900-03-01", "1900-02-28"]
    assert told(duckdb, DuckDB(), form, texts) == expected == [canonical_of(form, text) for text in texts]


@pytest.mark.one_in(27)
@pytest.mark.parametrize("seed", range(200))
def test_a_scan_reads_the_value_that_the_canonical_text_says(duckdb: Session, seed: int) -> None:
    """Also where DuckDB makes no canonical text on the way."""
    draw, dialect = Random(seed), DuckDB()
    form = MAKERS[seed % 2](draw)
    type_, bounds = ("date", ("1900-01-01", "2100-12-31")) if isinstance(form, DateForm) else ("number", (0, 9))
    column = Schema.parse({"x": {"type": type_, "lower": bounds[0], "upper": bounds[1]}})["x"]
    texts = [text for text, _ in cells(form, draw, 120)]
    texts += [
        "00.00.0000",
        "01.02.0000",
        "0000-01-01",
        "30.02.2020",
        "31/04/2021",
        "2020-02-30",
        "",
        "x",
        "-",
        "1" * 1001,
    ]
    rows = ", ".join(
        f"({place}, {dialect.text(text)}, {'NULL' if (said := form.canonical(text)) is None else dialect.text(said)})"
        for place, text in enumerate(texts)
    )
    values = values_of([("read", replace(column, reading=form), "VARCHAR")], dialect)
    source = values.source(f"(VALUES {rows}) AS t(i, x, said)", ["i", "x", "said"], dialect)
    said = dialect.value(replace(column, reading=None), "VARCHAR", "said")
    found = duckdb.rows(f"SELECT i FROM {source} WHERE read IS DISTINCT FROM {said} ORDER BY i")
    assert [texts[place] for (place,) in found] == [], form
