"""Texts of a plan: read and written alike, of bounded length, and what would mislead a reader is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.errors import PlanError
from dprelease.model.measured import measured_of
from dprelease.statistics import Plan
from dprelease.words.language import speaking
from tests.model.plans import example

pytestmark = pytest.mark.quick

TEXTS: dict[str, Any] = {
    "languages": ["es", "en"],
    "title": {"es": "Visitas al hospital", "en": "Hospital visits"},
    "record": {"one": {"es": "visita"}, "many": {"es": "visitas"}, "gender": {"es": "f"}},
    "columns": {
        "region": {"label": {"es": "Región", "en": "Part of the country"}, "codelist": "regions"},
        "income": {"label": {"es": "Ingresos"}, "unit": {"es": "euros al año"}, "note": {"es": "Antes de impuestos."}},
    },
    "statistics": {"n": {"title": {"es": "Personas"}}},
    "codelists": {
        "regions": {
            "source": "Office of Elbonia",
            "version": "2025",
            "codes": {"north": {"es": "Norte", "en": "The north"}, "south": {"es": "Sur"}},
        }
    },
}


def refusal(**changes: Any) -> str:
    with pytest.raises(PlanError) as caught:
        Plan.parse(example(texts=TEXTS | changes))
    return str(caught.value)


def listed(codes: dict[Any, Any]) -> dict[str, Any]:
    return {"codelists": {"regions": {"codes": codes}}}


def test_they_are_written_as_they_were_read() -> None:
    plan = Plan.parse(example(texts=TEXTS))
    assert plan.to_mapping()["texts"] == TEXTS
    assert Plan.parse(plan.to_mapping()) == plan


def test_a_plan_without_them_is_as_it_was() -> None:
    assert "texts" not in Plan.parse(example()).to_mapping()


def test_they_change_nothing_that_is_measured() -> None:
    assert measured_of(Plan.parse(example(texts=TEXTS))) == measured_of(Plan.parse(example()))


@pytest.mark.parametrize(
    ("language", "label"), [("es", "Ingresos"), ("es-MX", "Ingresos"), ("en", "Ingresos"), ("fr", "Ingresos")]
)
def test_a_label_that_is_missing_is_that_of_the_first_language(language: str, label: str) -> None:
    schema = Plan.parse(example(texts=TEXTS)).schema
    assert schema.label("income", language) == label
    assert schema.label("age", language) == "age"


def test_the_label_is_that_of_the_language() -> None:
    schema = Plan.parse(example(texts=TEXTS)).schema
    assert [schema.label("region", each) for each in ("es", "en")] == ["Región", "Part of the country"]
    assert (schema.unit("income", "es"), schema.unit("age", "es")) == ("euros al año", "")


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"languages": []}, "texts.languages"),
        ({"languages": ["Spanish"]}, "texts.languages[0]"),
        ({"languages": ["es", "es"]}, "texts.languages[1]"),
        ({"languages": [f"{a}{b}" for a in "abcd" for b in "abcd"]}, "texts.languages"),
        ({"title": {"fr": "Visites"}}, "texts.title.fr"),
        ({"title": {"es": "x" * 201}}, "texts.title.es"),
        ({"title": {"es": ""}}, "texts.title.es"),
        ({"title": {"es": "Norte\u202e"}}, "texts.title.es"),
        ({"columns": {"income": {"note": {"es": "x" * 2001}}}}, "texts.columns.income.note.es"),
        ({"columns": {"income": {"codelist": "incomes"}}}, "texts.columns.income.codelist"),
        ({"statistics": {"m": {"title": {"es": "Media"}}}}, "texts.statistics.m"),
        ({"record": {"one": {"es": "visita"}}}, "texts.record.many"),
        ({"record": {"one": {"es": "visita"}, "many": {"en": "visits"}}}, "texts.record.one.en"),
        ({"record": {"one": {"es": "v" * 41}, "many": {"es": "visitas"}}}, "texts.record.one.es"),
        ({"record": {"one": {"es": "visita"}, "many": {"es": ""}}}, "texts.record.many.es"),
        ({"record": {"one": {"es": "v"}, "many": {"es": "v"}, "gender": {"es": "x"}}}, "texts.record.gender.es"),
        (
            {"columns": {"region": {"predicate": {"north": {"es": "x" * 41}}}}},
            "texts.columns.region.predicate.north.es",
        ),
        ({"columns": {"region": {"predicate": {}}}}, "texts.columns.region.predicate"),
        ({"codelists": {"Región": {"codes": {"n": {"es": "Norte"}}}}}, "texts.codelists.Región"),
        (listed({}), "texts.codelists.regions.codes"),
    ],
)
def test_what_cannot_be_used_is_named(changes: dict[str, Any], where: str) -> None:
    assert f"{where}: found" in refusal(**changes)


@pytest.mark.parametrize(
    ("codes", "where"),
    [
        ({"n": {"es": "Norte"}, "s": {"es": "Norte"}}, "codes.s.es"),
        ({"n": {"es": "s"}, "s": {"es": "Sur"}}, "codes.n.es"),
        ({"n": {"es": "Norte"}, "s": {"es": "n"}}, "codes.s.es"),
        ({"n": {"es": "Total"}, "s": {"es": "Todo", "en": "Total"}}, "codes.s.en"),
        ({"n": {"es": "A\u00f1o"}, "s": {"es": "An\u0303o"}}, "codes.s.es"),
        ({"n": {"es": "s"}, "s": {}}, "codes.n.es"),
    ],
)
def test_labels_that_do_not_tell_codes_apart_are_refused(codes: dict[str, Any], where: str) -> None:
    message = refusal(**listed(codes))
    assert where in message
    assert "Add what differs" in message


def test_a_code_that_stands_there_twice_is_refused() -> None:
    assert "a code that stands there twice" in refusal(**listed({1: {"es": "uno"}, "1": {"es": "otro"}}))


@pytest.mark.parametrize(
    ("texts", "where"),
    [
        (listed({"north": {"es": "south"}}), "codes.north.es"),
        ({"columns": {"regoin": {"label": {"es": "Región"}}}}, "texts.columns.regoin"),
        ({"columns": {"region": {"predicate": {"nroth": {"es": "son del norte"}}}}}, "columns.region.predicate"),
        ({"columns": {"region": {"label": {"es": "Año"}}, "age": {"label": {"es": "Año"}}}}, "columns.age.es"),
    ],
)
def test_what_only_the_declared_columns_show_is_refused_before_a_charge(texts: dict[str, Any], where: str) -> None:
    plan = Plan.parse(example(texts=TEXTS | texts))
    with pytest.raises(PlanError) as caught:
        plan.with_schema(plan.schema)
    assert where in str(caught.value)


def test_a_code_may_be_called_as_it_is() -> None:
    Plan.parse(example(texts=TEXTS | listed({"n": {"es": "n"}, 1: {"es": "uno"}})))


def test_right_to_left_labels_of_200_characters_are_kept() -> None:
    label = "شمال " * 40
    plan = Plan.parse(example(texts=TEXTS | {"languages": ["ar", *TEXTS["languages"]], "title": {"ar": label}}))
    with speaking("en"):
        assert plan.texts.title["ar"] == label.strip()
