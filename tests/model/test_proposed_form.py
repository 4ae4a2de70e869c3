"""Cells propose a form where they settle it; where they do not, a person is asked, and nothing is guessed."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.model import proposed_form
from dprelease.model.number_form import NumberForm
from dprelease.model.proposed_form import LANGUAGES, PLAIN, PROGRAMS, _units, no_answers, propose, propose_any
from dprelease.model.report import Report
from dprelease.model.word_form import YesNoWords, words_by_language, words_of_no_answer

pytestmark = pytest.mark.quick

POINT, COMMA = {"decimal": ".", "thousands": [","]}, {"decimal": ",", "thousands": ["."]}
CASES: list[tuple[str, list[str], list[dict[str, Any]] | None]] = [
    ("number", ["48.411,71 €", "12 €", " 7,5 €"], [{**COMMA, "affixes": ["€"]}]),
    ("number", ["16,0 %", "7,5%", "k. A."], [{"decimal": ",", "affixes": ["%"]}]),
    ("number", ["$1,234.50", "(12.00)", "-$3"], [{**POINT, "affixes": ["$"], "negative": ["sign", "brackets"]}]),
    ("number", ["1 234,5", "12\u202f000", "3-"], [{"decimal": ",", "thousands": [" "], "negative": ["sign", "after"]}]),
    ("number", ["1.5", "-2", "1e5", ""], None),
    ("number", ["1.5", " 2 "], None),
    ("number", ["200.000", "1.000"], [{"decimal": "."}, {"decimal": ",", "thousands": ["."]}]),
    ("integer", ["1,000", "7"], [{"decimal": ","}, {"decimal": ".", "thousands": [","]}]),
    ("integer", ["1.000.000", "200.000"], [COMMA]),
    ("number", ["1,5", "2.5"], [POINT, COMMA]),
    ("number", ["12 kg", "7,5 g"], [{"decimal": ",", "affixes": ["kg"]}, {"decimal": ",", "affixes": ["g"]}]),
    ("number", ["12 €", "EUR 7,5"], [{"decimal": ",", "affixes": ["€", "EUR"]}]),
    ("number", ["12 m²", "7 m²"], [{"decimal": ".", "affixes": ["m²"]}]),
    ("number", ["5 mil", "7 k"], None),
    ("number", ["5 Std.", "7 Std."], [{"decimal": ".", "affixes": ["Std."]}]),
    ("number", ["8,25E+3", "-1,5e2"], [{"decimal": ","}]),
    ("number", ["12 beans", "3 beans"], None),
    ("number", ["North", "South", "1"], None),
    ("number", [], None),
    ("date", ["01.02.2020", "3. 4. 2021"], [{"dates": ["d.m.y"]}]),
    ("date", ["03/04/2021", "05/06/2021"], [{"dates": ["d/m/y"]}, {"dates": ["m/d/y"]}]),
    ("date", ["03/04/2021", "13/06/2021"], [{"dates": ["d/m/y"]}]),
    ("date", ["03/04/2021", "06/13/2021 10:30"], [{"dates": ["m/d/y"]}]),
    ("date", ["12/31/2021", "31/12/2021"], [{"dates": ["d/m/y"]}, {"dates": ["m/d/y"]}]),
    ("date", ["03-04-21", "31.12.2021"], [{"dates": ["d.m.y", "d-m-yy"]}, {"dates": ["d.m.y", "m-d-yy"]}]),
    ("date", ["5. März 2020", "7 MAI 2020"], [{"dates": ["d MMM y"], "months": ["de"]}]),
    ("date", ["20200413", "20201231"], [{"dates": ["yyyymmdd"]}]),
    ("date", ["2020-Q2", "2020-01-01"], [{"dates": ["quarter"]}]),
    ("date", ["43721", "44856.5", ""], [{"dates": ["excel"]}, {"dates": ["excel-1904"]}]),
    ("date", ["2020-01-01", "2020-1-2"], None),
    ("date", ["North"], None),
    ("boolean", ["J", "N", ""], [{"yes": ["ja", "j"], "no": ["nein", "n"]}]),
    ("boolean", ["Sí", "No"], [{"yes": ["sí", "s"], "no": ["no", "n"]}]),
    ("boolean", ["yes", "N", "1"], None),
    ("boolean", ["x", ""], []),
    ("boolean", ["1", "2"], []),
    ("boolean", ["A", "B"], []),
    ("boolean", ["a", "b", "c"], None),
    ("category", [" North", "South"], [{}]),
    ("category", ["North", "South"], None),
    ("category", ["North", "1 "], None),
    ("text", ["1,5"], None),
]


@pytest.mark.parametrize(("type", "cells", "readings"), CASES)
def test_what_cells_propose(type: str, cells: list[str], readings: list[dict[str, Any]] | None) -> None:
    found = propose(cells, type, ("North", "South") if type == "category" else ())
    if readings is None:
        assert found is None
        return
    assert found is not None
    assert [dict(each) for each in found.readings] == readings
    assert found.is_asked == (len(readings) != 1)


def test_zeros_lost_on_the_left_are_proposed_to_be_put_back() -> None:
    found = propose(["1", "12"], "category", ("01", "12"))
    assert found is not None
    assert found.readings == ({"width": 2},)
    assert propose(["1", "12"], "category", ("1", "12")) is None


@pytest.mark.parametrize(("type", "cells", "readings"), [each for each in CASES if each[0] not in ("category", "text")])
def test_a_column_without_a_type_is_proposed_as_what_its_cells_are(
    type: str, cells: list[str], readings: list[dict[str, Any]] | None
) -> None:
    """Whole numbers and others alike. Words that no language has for yes and no, 20200413 and 43721 propose nothing."""
    found = propose_any(cells)
    if found is None:
        plain = [{"dates": ["yyyymmdd"]}], [{"dates": ["excel"]}, {"dates": ["excel-1904"]}]
        assert readings in (None, [], *plain)
    else:
        kind, proposal = found
        assert (kind, list(proposal.readings)) == ("number" if type == "integer" else type, readings)


def test_every_unit_that_is_proposed_may_be_declared() -> None:
    for unit in _units():
        report = Report()
        form = NumberForm.read({"affixes": [unit]}, "reading", report)
        assert not report.problems, unit
        assert form.canonical(f"12 {unit}") == form.canonical(f"{unit}12") == "12", unit


def test_words_of_no_answer_mean_neither_yes_nor_no() -> None:
    """The list is closed, has its sources, and takes a number, a day or a yes from no column."""
    words = words_of_no_answer()
    assert {"unbekannt", "UNBEKANNT", "unknown", "k. A.", "n/a", "N/A", "Desconocido", "non renseigne"} <= words
    forms = [words_by_language()[code] for code in LANGUAGES]
    answers = {text for form in forms for texts in form.texts.values() for text in texts}
    assert not words & (answers | PROGRAMS[0] | PROGRAMS[1])
    assert not any(PLAIN.fullmatch(word) for word in words)
    assert no_answers([" k. A.", "Nord", "unknown"], ["unknown"]) == ("k. A.",)


def test_a_pair_that_two_languages_mean_the_other_way_round_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pair of the present list is one; a later edition of it may have some."""
    pair = {"aa": YesNoWords(yes=("ja",), no=("nu",)), "bb": YesNoWords(yes=("nu",), no=("ja",))}
    monkeypatch.setattr(proposed_form, "LANGUAGES", tuple(pair))
    monkeypatch.setattr(proposed_form, "words_by_language", lambda: pair)
    found = propose(["ja", "nu", "ja"], "boolean")
    assert found is not None
    assert found.is_asked
    assert len(found.readings) == 2
