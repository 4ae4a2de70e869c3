"""The declared reading of a column: what it takes, what contradicts itself, how it is written again."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from dprelease.model.column import ColumnType
from dprelease.model.date_form import DateForm
from dprelease.model.form import FORMS, Form, settled, told
from dprelease.model.report import Report
from dprelease.model.word_form import words_by_language
from dprelease.words.language import speaking

pytestmark = pytest.mark.quick

WELL: list[tuple[str, dict[str, Any]]] = [
    ("number", {"decimal": ","}),
    (
        "number",
        {
            "decimal": ",",
            "thousands": ["."],
            "affixes": ["€", "EUR"],
            "negative": ["sign", "after", "brackets"],
            "exponent": False,
        },
    ),
    ("integer", {"decimal": ".", "thousands": [","], "lakh": True}),
    ("date", {"dates": ["d.m.y", "d MMM yy"], "months": ["de", "en"], "of_period": "last", "century": 1930}),
    ("date", {"dates": ["quarter", "iso-week", "excel"], "time": "any"}),
    ("boolean", {"yes": ["Ja", "J"], "no": ["Nein", "N"]}),
    ("category", {"spellings": {"North": ["NORTH", "N."]}, "width": 2}),
]
BAD: list[tuple[str, dict[str, Any], str]] = [
    ("number", {"decimal": ";"}, "reading.decimal: found ';'; allowed: a point or a comma"),
    ("number", {"decimal": ",", "thousands": [",", "."]}, "reading.thousands: found ','"),
    ("number", {"thousands": ["_"]}, "reading.thousands: found '_'"),
    ("number", {"affixes": ["5kg"]}, "reading.affixes: found '5kg'"),
    ("number", {"affixes": ["kr", "kr."]}, "reading.affixes: found 'kr.'"),
    ("number", {"negative": ["red"]}, "reading.negative: found 'red'"),
    ("number", {"decimals": ","}, "Did you mean 'decimal'?"),
    ("date", {"dates": ["d/m/y", "m/d/y"]}, "as two days"),
    ("date", {"dates": ["dd-mm-yy", "yy-mm-dd"]}, "as two days"),
    ("date", {"dates": ["year", "excel"]}, "as two days"),
    ("date", {"dates": ["d/m"]}, "reading.dates: found 'd/m'"),
    ("date", {"dates": ["d MMM y"]}, "reading.months: found nothing"),
    ("date", {"dates": ["d MMM y"], "months": ["xx"]}, "reading.months: found 'xx'"),
    ("date", {"dates": ["d MMM y"], "months": ["cs", "hr"]}, "of one month each"),
    ("boolean", {"yes": ["T"], "no": ["N", "t"]}, "in one of both lists"),
    ("boolean", {"yes": ["sí"], "no": ["SI"]}, "in one of both lists"),
    ("boolean", {"yes": ["x"]}, "reading.no"),
    ("category", {"spellings": {"North": ["N"], "South": ["N"]}}, "spellings of one category"),
    ("category", {"spellings": {"North": ["South"]}}, "spellings of one category"),
    ("category", {"spellings": {"Nort": ["N"]}}, "Did you mean 'North'?"),
    ("category", {"width": 0}, "reading.width: found 0"),
]


def read(type: str, declared: dict[str, Any]) -> tuple[Form, list[str]]:
    report = Report()
    form = FORMS[ColumnType(type)].read(declared, "reading", report)
    form = settled(form, (None, None), ("North", "South", "01"), "reading", report)
    return form, [str(problem) for problem in report.problems]


@pytest.mark.parametrize(("type", "declared"), WELL)
def test_what_is_declared_is_written_again_as_it_was(type: str, declared: dict[str, Any]) -> None:
    form, problems = read(type, declared)
    assert problems == []
    assert form.to_mapping() == declared


@pytest.mark.parametrize(("type", "declared", "said"), BAD)
def test_what_contradicts_itself_is_refused_in_both_languages(type: str, declared: dict[str, Any], said: str) -> None:
    assert any(said in problem for problem in read(type, declared)[1]), read(type, declared)[1]
    with speaking("es"):
        assert read(type, declared)[1]


def test_two_digits_of_a_year_need_bounds_of_a_century_or_its_beginning() -> None:
    form, report = DateForm(dates=("d.m.yy",)), Report()
    assert form.bounded(date(1950, 1, 1), date(2040, 1, 1), "reading", report).canonical("1.2.49") is None
    assert form.bounded(date(1950, 1, 1), date(2040, 1, 1), "reading", report).canonical("1.2.50") == "1950-02-01"
    assert report.problems == []
    form.bounded(date(1900, 1, 1), date(2040, 1, 1), "reading", report)
    assert "century: 1930" in str(report.problems[0])
    own = DateForm(dates=("d.m.yy",), century=1930).bounded(date(1900, 1, 1), date(2040, 1, 1), "reading", Report())
    assert [own.canonical(f"1.2.{two}") for two in ("29", "30")] == ["2029-02-01", "1930-02-01"]


@pytest.mark.parametrize(
    ("languages", "text", "day"),
    [
        (["de"], "5. März 2020", "2020-03-05"),
        (["de"], "5 MARZ 2020", "2020-03-05"),
        (["es"], "5 sept 2020", "2020-09-05"),
        (["it"], "5 SET 2020", "2020-09-05"),
        (["fr"], "5 févr. 2020", "2020-02-05"),
        (["en"], "5 März 2020", None),
        (["de"], "5 March 2020", None),
        (["de", "en"], "5 March 2020", "2020-03-05"),
    ],
)
def test_months_are_read_in_the_languages_that_are_declared_alone(
    languages: list[str], text: str, day: str | None
) -> None:
    assert DateForm(dates=("d MMM y",), months=tuple(languages)).canonical(text) == day


@pytest.mark.parametrize(
    "code", ["en", "es", "de", "fr", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "cs", "ro", "ca", "gl", "eu", "el"]
)
def test_words_of_yes_and_no_are_known_by_language_and_never_both(code: str) -> None:
    words = words_by_language()[code]
    assert words.yes
    assert words.no
    assert read("boolean", words.to_mapping())[1] == []
    assert {words.canonical(word.upper()) for word in words.yes} == {"true"}
    assert {words.canonical(word) for word in words.no} == {"false"}


def test_a_form_is_shown_by_a_number_that_its_unit_may_have() -> None:
    shares: dict[str, Any] = {"decimal": ",", "affixes": ["%"]}
    report = Report()
    assert told(FORMS[ColumnType.NUMBER].read(shares, "reading", report)) == "13,5 % → 13.5"
    grouped = FORMS[ColumnType.NUMBER].read({**shares, "thousands": ["."]}, "reading", report)
    assert told(grouped) == "48.411,71 % → 48411.71"
    assert not report.problems
