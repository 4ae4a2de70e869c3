"""Labels of a codebook become texts of a plan: in the language stated, told apart, and such as a plan takes."""

from __future__ import annotations

import pytest

from dprelease.codebook import read, texts_of
from dprelease.codebook.book import Writing
from dprelease.model.report import Report
from dprelease.model.texts import Texts
from tests.codebook.files import DDI

pytestmark = pytest.mark.quick


def test_labels_of_values_become_a_list_without_codes_for_no_answer() -> None:
    texts = texts_of(read("survey.xml", DDI), ["sex", "income"], "en")
    assert texts["columns"]["sex"] == {"label": {"en": "Sex of the respondent"}, "codelist": "sex"}
    assert texts["codelists"] == {"sex": {"codes": {"1": {"en": "Male"}, "2": {"en": "Female"}}}}
    assert texts["columns"]["income"]["label"] == {"en": "Net income"}
    assert texts_of(read("survey.xml", DDI), ["other"], "en") == {}


def test_what_looks_alike_is_told_apart_and_what_is_too_long_is_cut() -> None:
    writing = Writing("book")
    labels = {"1": {"es": "Norte"}, "2": {"es": "Norte"}, "3": {"es": "1"}, "4": {"es": "x" * 300, "en": "West\u202e"}}
    writing.add("Año", {"type": "category"}, label={"es": "Año", "sr-Latn": "Godina"}, labels=labels)
    writing.add("año 2", {"type": "category"}, label="Año", labels={"1": "uno"})
    texts = texts_of(writing.done(), ["Año", "año 2"], "es")
    report = Report()
    Texts.read(texts, report).check_columns({"Año": ("1", "2", "3", "4"), "año 2": ("1",)}, report)
    assert report.problems == []
    assert texts["languages"] == ["es", "sr-Latn", "en"]
    codes = texts["codelists"]["ano"]["codes"]
    assert [codes[code]["es"] for code in "123"] == ["Norte", "Norte (2)", "1 (3)"]
    assert len(codes["4"]["es"]) == 200
    assert texts["columns"]["año 2"]["label"]["es"] == "Año (año 2)"
