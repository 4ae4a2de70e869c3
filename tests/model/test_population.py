"""Populations, and plans that contradict them."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.errors import InputError, PlanError
from dprelease.model.population import Dataset, Population
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.schema import Schema
from dprelease.statistics import Plan
from tests.model.plans import small


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
    assert all("registered" in problem.allowed for problem in caught.value.problems)


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
    ],
)
def test_an_unusable_population_is_refused(changes: dict[str, Any], paths: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        population(**changes)
    assert [problem.path for problem in caught.value.problems] == paths


def test_a_population_survives_writing_and_reading() -> None:
    for size in (None, 5):
        value = population(size=size, neighbors="substitute", epsilon="0.1")
        assert Population.from_mapping(value.to_mapping()) == value
        assert value.neighbors is NeighboringRelation.SUBSTITUTE
        assert value.cap.epsilon_nano == 10**8
