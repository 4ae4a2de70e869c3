"""What differs between the columns of two editions, by their names."""

from __future__ import annotations

import pytest

from dprelease.codebook.edition import compare

pytestmark = pytest.mark.quick


def test_names_that_stay_are_not_asked_about() -> None:
    found = compare(["age", "sex", "income"], ["sex", "income", "age"])
    assert (found.same, found.gone, found.new, found.proposed) == (("age", "sex", "income"), (), (), {})


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("gasto_2024", "gasto_2025"),
        ("Tamaño municipio", "TAMANO_MUNICIPIO"),
        ("ocupacion", "ocupación_cno"),
        ("income", "incomes"),
    ],
)
def test_a_renamed_column_is_proposed(before: str, now: str) -> None:
    assert compare([before, "age"], ["age", "zzz", now]).proposed == {before: now}


def test_each_new_name_is_proposed_once_and_for_the_nearest() -> None:
    found = compare(["gasto", "gastos"], ["gastos_1"])
    assert found.proposed == {"gastos": "gastos_1"}
    assert found.gone == ("gasto", "gastos")


def test_names_that_have_little_in_common_are_not_proposed() -> None:
    assert compare(["sex", "ward"], ["region", "year"]).proposed == {}
