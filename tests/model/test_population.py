"""Populations, and plans that contradict them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dprelease.errors import InputError, PlanError
from dprelease.model.population import Dataset, Population
from dprelease.model.privacy import NeighboringRelation, PrivacyLoss
from dprelease.model.schema import Schema
from dprelease.statistics import Plan
from tests.model.plans import small

pytestmark = pytest.mark.quick


def population(**changes: Any) -> Population:
    given = {
        "unit": "person",
        "neighbors": "add_remove",
        "epsilon": "3",
        "delta": 0,
        "currency": "pure",
        "size": 12_000,
    }
    return Population.read(changes.pop("name", "patients-2025"), **(given | changes))


def dataset(unit_column: str | None) -> Dataset:
    return Dataset(name="d", population="patients-2025", unit_column=unit_column, schema=Schema({}), version="1")


def plan(unit: Any, neighbors: str = "add_remove") -> Plan:
    return Plan.parse(small(privacy={"unit": unit, "neighbors": neighbors, "epsilon": 1}))


PERSON = {"column": "person_id", "max_rows": 5}


@pytest.mark.parametrize(
    ("unit_column", "unit", "neighbors", "paths"),
    [
        ("person_id", PERSON, "add_remove", []),
        (None, "row", "add_remove", []),
        ("person_id", "row", "add_remove", ["privacy.unit"]),
        (None, PERSON, "add_remove", ["privacy.unit"]),
        ("patient", PERSON, "add_remove", ["privacy.unit"]),
        ("person_id", PERSON, "substitute", ["privacy.neighbors"]),
        ("person_id", "row", "substitute", ["privacy.unit", "privacy.neighbors"]),
    ],
)
def test_a_plan_must_agree_with_its_population(
    unit_column: str | None, unit: Any, neighbors: str, paths: list[str]
) -> None:
    if not paths:
        dataset(unit_column).check(plan(unit, neighbors), population())
        return
    with pytest.raises(PlanError) as caught:
        dataset(unit_column).check(plan(unit, neighbors), population())
    assert [problem.path for problem in caught.value.problems] == paths
    assert all("registered" in str(problem.allowed) for problem in caught.value.problems)


def test_max_rows_is_the_plans_own() -> None:
    for max_rows in (1, 50):
        dataset("person_id").check(plan({"column": "person_id", "max_rows": max_rows}), population())


@pytest.mark.parametrize(
    ("changes", "paths"),
    [
        ({"name": "Patients"}, ["population"]),
        ({"name": "../x"}, ["population"]),
        ({"name": ""}, ["population"]),
        ({"unit": " "}, ["unit"]),
        ({"neighbors": "bounded"}, ["neighbors"]),
        ({"currency": "euro"}, ["currency"]),
        ({"epsilon": 0}, ["epsilon"]),
        ({"epsilon": -1, "delta": 2, "size": 0}, ["epsilon", "delta", "size"]),
        ({"epsilon": float("nan")}, ["epsilon"]),
        ({"currency": "zcdp"}, ["delta"]),
        ({"currency": "zcdp", "delta": "1e-18"}, ["delta"]),
        ({"currency": "zcdp", "delta": -1, "epsilon": 0}, ["epsilon", "delta"]),
        ({"currency": "zcdp", "delta": "small"}, ["delta"]),
    ],
)
def test_an_unusable_population_is_refused(changes: dict[str, Any], paths: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        population(**changes)
    assert [problem.path for problem in caught.value.problems] == paths


def test_zcdp_says_what_delta_it_needs() -> None:
    with pytest.raises(InputError, match=r"delta: found 0; allowed: a number from 2e-18 to 0.001.*such as 1e-6"):
        population(currency="zcdp")


def test_a_pure_population_spends_its_cap() -> None:
    value = population(delta="1e-6")
    assert value.budget == value.cap == PrivacyLoss(epsilon_nano=3 * 10**9, delta_atto=10**12)


@pytest.mark.parametrize(("delta_atto", "half"), [(10**12, 5 * 10**11), (10**12 + 1, 5 * 10**11), (2, 1)])
def test_a_zcdp_population_spends_rho_and_half_of_its_delta(delta_atto: int, half: int) -> None:
    read = population(currency="zcdp", delta=f"{delta_atto}e-18")
    value = replace(read, rho_nano=10**8)
    assert value.cap == PrivacyLoss(epsilon_nano=3 * 10**9, delta_atto=delta_atto)
    assert value.budget == PrivacyLoss(rho_nano=10**8, delta_atto=half)
    assert Population.from_mapping(value.to_mapping()) == value


def test_a_pure_population_is_written_as_it_was_before_there_was_rho() -> None:
    assert population().to_mapping() == {
        "name": "patients-2025",
        "unit": "person",
        "neighbors": "add_remove",
        "currency": "pure",
        "epsilon_nano": 3 * 10**9,
        "delta_atto": 0,
        "size": 12_000,
    }


def test_a_population_survives_writing_and_reading() -> None:
    for size in (None, 5):
        value = population(size=size, neighbors="substitute", epsilon="0.1")
        assert Population.from_mapping(value.to_mapping()) == value
        assert value.neighbors is NeighboringRelation.SUBSTITUTE
        assert value.cap.epsilon_nano == 10**8
