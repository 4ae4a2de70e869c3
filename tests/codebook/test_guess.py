"""Guesses from names: what a name says surely, what perhaps, and that each guess can be declared or says what lacks."""

from __future__ import annotations

import inspect

import pytest

from dprelease.codebook import guess as module
from dprelease.codebook.guess import guess, lexicon
from dprelease.errors import SchemaError
from dprelease.model.column import ColumnType
from dprelease.model.domain import domains
from dprelease.model.schema import Schema

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("name", "declared"),
    [
        ("age", {"type": "integer", "lower": 0, "upper": 120}),
        ("Edad", {"type": "integer", "lower": 0, "upper": 120}),
        ("EDAD_AÑOS", {"type": "integer", "lower": 0, "upper": 120}),
        ("year", {"type": "integer", "lower": 1900, "upper": 2100}),
        ("año", {"type": "integer", "lower": 1900, "upper": 2100}),
        ("yearOfBirth", {"type": "integer", "lower": 1900, "upper": 2030}),
    ],
)
def test_a_whole_name_says_it_surely(name: str, declared: dict[str, object]) -> None:
    found = guess(name)
    assert found is not None
    assert found.sure
    assert not found.leave
    assert {key: found.declared[key] for key in declared} == declared
    assert Schema.parse({name: found.declared})


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("sexo", "category"),
        ("sex", "category"),
        ("income", "number"),
        ("gasto_total", "number"),
        ("factor", "number"),
        ("fecha_alta", "date"),
        ("date", "date"),
        ("age_at_visit", "integer"),
        ("age_group", "category"),
        ("grupo_edad", "category"),
        ("month", "integer"),
    ],
)
def test_what_a_name_leaves_open_is_asked(name: str, kind: str) -> None:
    found = guess(name)
    assert found is not None
    assert not found.sure
    assert found.declared["type"] == kind


@pytest.mark.parametrize("name", ["id", "patient_id", "id_hogar", "PersonID", "nombre", "email", "DNI", "record 2"])
def test_who_somebody_is_is_left_out(name: str) -> None:
    found = guess(name)
    assert found is not None
    assert found.leave
    assert found.sure


@pytest.mark.parametrize("name", ["q017", "xyz", "7", "", "stage", "idea", "ageing"])
def test_of_other_names_nothing_is_guessed(name: str) -> None:
    assert guess(name) is None


def test_what_a_codebook_says_goes_before_the_name() -> None:
    found = guess("age", {"type": "integer", "upper": 90})
    assert found is not None
    assert found.sure
    assert (found.declared["lower"], found.declared["upper"]) == (0, 90)
    assert guess("age", {"type": "category"}) is None


def test_every_sure_guess_can_be_declared_and_every_word_stands_once() -> None:
    words = [each.word for each in lexicon()]
    assert sorted(set(words)) == sorted(words)
    for each in lexicon():
        assert each.word == " ".join(module._words(each.word)), "as names are taken apart"
        assert not set(each.usual) - set(domains())
        assert each.declared or each.leave
        if each.sure and not each.leave:
            assert Schema.parse({"x": each.declared})["x"].type in ColumnType
        elif not each.leave and "upper" not in each.declared and each.declared["type"] in ("integer", "number", "date"):
            with pytest.raises(SchemaError):
                Schema.parse({"x": each.declared})


def test_a_guess_is_asked_for_with_a_name_and_with_no_table() -> None:
    assert list(inspect.signature(guess).parameters) == ["name", "known"]
