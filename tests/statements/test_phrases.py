"""Statistics have names: noun phrases by rule in each language, with the plan's own word for a record, or its title."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dprelease.model.statistic import KINDS
from dprelease.statements.phrases import WORDS, lowered, noun_phrase, record, title_or_phrase
from dprelease.statistics import Plan
from dprelease.words.language import speaking
from tests.model.plans import example

pytestmark = pytest.mark.quick

HOUSE = Path(__file__).resolve().parents[2] / "dprelease" / "statements"
VISITS = {"one": {"en": "visit", "es": "visita"}, "many": {"en": "visits", "es": "visitas"}, "gender": {"es": "f"}}
OTHERS = [*(HOUSE.parent / "portal").glob("*.py"), *(HOUSE.parent / "bundle").glob("*.py")]
TEXTS: dict[str, Any] = {
    "languages": ["en", "es"],
    "record": VISITS,
    "columns": {
        "income": {"label": {"en": "Yearly income", "es": "Ingresos al año"}, "unit": {"en": "€", "es": "€"}},
        "region": {
            "label": {"en": "ICD region"},
            "predicate": {"north": {"en": "are northern", "es": "son del norte"}},
        },
        "sex": {"predicate": {"F": {"en": "are of women"}}},
    },
    "statistics": {"n": {"title": {"es": "Visitas de adultos"}}},
}


def called(asked: dict[str, Any], code: str = "en", texts: dict[str, Any] = TEXTS, part: str = "") -> str:
    plan = Plan.parse(example(texts=texts))
    with speaking(code):
        return title_or_phrase(
            {"id": "x", **asked}, KINDS[asked["kind"]].presentation, plan.schema.called(plan.texts), "person", part
        )


@pytest.mark.parametrize(
    ("asked", "english", "spanish"),
    [
        ({"kind": "count"}, "Visits", "Visitas"),
        ({"kind": "count", "by": ["region", "sex"]}, "Visits by ICD region and sex", "Visitas por ICD region y sex"),
        ({"kind": "histogram", "column": "age"}, "Visits by age", "Visitas por age"),
        (
            {"kind": "count", "by": ["day"], "levels": {"day": "month"}},
            "Visits by day (month)",
            "Visitas por day (mes)",
        ),
        ({"kind": "mean", "column": "income", "by": ["sex"]}, "Mean yearly income by sex, €", None),
        ({"kind": "variance", "column": "income"}, "Variance of yearly income, €²", None),
        ({"kind": "units", "by": ["sex"]}, "Units (person) by sex", "Unidades (person) por sex"),
        ({"kind": "linear", "outcome": "income", "on": ["age", "sex"]}, "Yearly income from age and sex", None),
        (
            {"kind": "proportion", "where": [{"column": "region", "equals": "north"}], "by": ["sex"]},
            "Share of visits that are northern, by sex",
            "Proporción de visitas que son del norte, por sex",
        ),
        (
            {"kind": "proportion", "where": [{"column": "sex", "equals": "F"}]},
            "Share of visits that are of women",
            "Proporción de visitas: sex es F",
        ),
        (
            {"kind": "proportion", "where": [{"column": "age", "at_least": 65}]},
            "Share of visits: age at least 65",
            "Proporción de visitas: age al menos 65",
        ),
    ],
)
def test_a_statistic_is_named_by_its_kind_and_columns(asked: dict[str, Any], english: str, spanish: str | None) -> None:
    assert called(asked) == english
    assert spanish is None or called(asked, "es") == spanish


def test_the_title_of_the_plan_is_the_name_in_every_language() -> None:
    assert called({"id": "n", "kind": "count"}, "en") == "Visitas de adultos"
    assert called({"id": "n", "kind": "count"}, "es") == "Visitas de adultos"
    named = called({"id": "n", "kind": "workload", "columns": ["sex"]}, "es", part="sex")
    assert named == "Visitas de adultos: Visitas por sex"


def test_a_record_without_a_word_of_its_own_is_a_record() -> None:
    plain = {"languages": ["es"], "record": {"one": {"es": "visita"}, "many": {"es": "visitas"}}}
    assert [called({"kind": "count"}, code, plain) for code in ("en", "es")] == ["Records", "Visitas"]
    plan = Plan.parse(example())
    with speaking("es"):
        assert record(plan.texts).many == "registros"


@pytest.mark.parametrize("code", ["en", "es"])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_has_a_name_without_a_question_or_an_empty_place(kind: str, code: str) -> None:
    assert {f"name_{kind}", f"kind_{kind}"} <= {*WORDS}
    every = {"column": "income", "numerator": "income", "denominator": "age", "outcome": "sex", "on": ["age"]}
    for more in ({}, {"by": ["region"]}):
        asked = {"kind": kind, **every, "columns": ["age", "day"], "where": [{"column": "sex", "equals": "M"}], **more}
        name = called({"id": "x", **asked}, code)
        assert not re.search(r"[?¿{}]|  | ,|\b(by|of|por|de)( by|,|:|$)", name), name
        assert name[0].isupper()


def test_labels_are_small_inside_a_phrase_but_not_abbreviations() -> None:
    assert [lowered(each) for each in ("Region", "ICD code", "Año", "E", "")] == ["region", "ICD code", "año", "E", ""]


def test_a_hostile_label_is_shown_and_breaks_nothing() -> None:
    texts = {**TEXTS, "columns": {"sex": {"label": {"en": "{sex} {0} %s\u202e"[:-1]}}}}
    assert called({"kind": "count", "by": ["sex"]}, texts=texts) == "Visits by {sex} {0} %s"


def test_every_word_of_the_room_is_used() -> None:
    used = {
        key for path in (*HOUSE.glob("*.py"), *OTHERS) for key in re.findall(r'"([a-zA-Z_0-9]+)"', path.read_text())
    }
    assert {
        key for key in WORDS if not key.startswith(("name_", "number_", "found_", "caution_", "kind_"))
    } - used == set()


def test_phrases_are_of_options_alone() -> None:
    plan = Plan.parse(example(texts=TEXTS))
    assert (
        noun_phrase({"id": "n", "kind": "count"}, KINDS["count"].presentation, plan.schema.called(plan.texts), "person")
        == "Visits"
    )
