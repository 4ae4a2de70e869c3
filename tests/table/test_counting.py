"""Tallies beyond sums of codes: units, conditions of one measure, declared missing values, discovered categories."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import DiscoveryQuery, Key, Measure, TallyQuery
from dprelease.table import Discovery, Engine, Tally
from dprelease.table.dialect import LONGEST

ENGINE = Engine()
SCHEMA = Schema.parse(
    {
        "k": {"type": "integer", "lower": 0, "upper": 4},
        "filled": {"type": "integer", "lower": 0, "upper": 4, "count_missing_as": 2},
        "g": {"type": "category", "categories": ["a", "b", "c"]},
        "told": {"type": "category", "categories": ["yes", "no", "none"], "count_missing_as": "none"},
        "town": {"type": "category", "categories": "discover"},
    }
)
G = Key("g", 3, 3)
TYPES = {"person": pa.int64(), "k": pa.int64(), "filled": pa.int64(), "g": pa.string(), "told": pa.string()}
TYPES |= {"town": pa.string()}


def rows(count: int, seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)

    def some(choices: list[Any]) -> Any:
        return choices[rng.integers(len(choices))]

    return [
        {
            "person": some([None, *range(12)]),
            "k": some([None, 0, 1, 2, 3, 4]),
            "filled": some([None, 0, 4]),
            "g": some([None, "a", "b", "c", "undeclared"]),
            "told": some([None, "yes", "no", "what?"]),
            "town": some([None, "Ulm", "Bern", "Ålesund", "x" * 500, "x" * 500 + "y"]),
        }
        for _ in range(count)
    ]


def answer(table: list[dict[str, Any]], *queries: Any, unit: PrivacyUnit = PrivacyUnit(), where: Any = ()) -> list[Any]:  # noqa: B008
    stored = pa.table({name: pa.array([row[name] for row in table], type=type_) for name, type_ in TYPES.items()})
    found = ENGINE.answer(ENGINE.hold(stored), queries, schema=SCHEMA, where=where, unit=unit)
    assert all(isinstance(item, Tally | Discovery) for item in found)
    return [item.values for item in found]


@pytest.mark.parametrize("seed", range(5))
def test_units_are_counted_once_in_each_group(seed: int) -> None:
    table = rows(200, seed)
    whole, by_group = answer(
        table, TallyQuery(units=True), TallyQuery((G,), units=True), unit=PrivacyUnit("person", 1000)
    )
    people = {row["person"] for row in table} - {None}
    assert int(whole) == len(people)
    pairs = {(row["person"], row["g"]) for row in table if row["person"] is not None and row["g"] in ("a", "b", "c")}
    assert by_group.tolist() == [sum(group == name for _, group in pairs) for name in "abc"]


@pytest.mark.parametrize("most", [1, 2])
def test_a_unit_counts_in_no_more_groups_than_it_may(most: int) -> None:
    table = [
        {"person": person, "k": 0, "filled": 0, "g": name, "told": "yes", "town": name * 3}
        for person in range(60)
        for name in "abc"
    ]
    unit = PrivacyUnit("person", 5, most)
    units, found, rows_ = answer(
        table, TallyQuery((G,), units=True), DiscoveryQuery(("town",)), TallyQuery((G,)), unit=unit
    )
    assert units.sum() == 60 * most
    assert sum(found.values()) == 60 * most
    assert rows_.sum() == 180  # counts of rows are bounded by max_rows alone
    assert min(units) > 0, "which groups count depends on the unit, not on the group's place"


def test_which_groups_count_does_not_depend_on_other_units() -> None:
    """Rows of others come and go; a unit's own cells stay."""
    own = [{"person": 1, "k": 0, "filled": 0, "g": name, "told": None, "town": name} for name in "abc"]
    unit = PrivacyUnit("person", 3, 1)
    (alone,) = answer(own, TallyQuery((G,), units=True), unit=unit)
    others = [row | {"person": 2 + (row["person"] or 0)} for row in rows(100, 3)]
    (without,) = answer(others, TallyQuery((G,), units=True), unit=unit)
    (together,) = answer(own + others, TallyQuery((G,), units=True), unit=unit)
    assert (together - without).tolist() == alone.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_a_measure_may_have_conditions_of_its_own(seed: int) -> None:
    table = rows(200, seed)
    conditions = (Condition("k", (("at_least", 1), ("at_most", 3))), Condition("told", (("equals", "none"),)))
    passing, summed = answer(
        table,
        TallyQuery((G,), Measure((), (), conditions)),
        TallyQuery((), Measure(("filled",), (), conditions)),
    )
    meant = [row for row in table if row["k"] in (1, 2, 3) and row["told"] not in ("yes", "no")]
    assert passing.tolist() == [sum(row["g"] == name for row in meant) for name in "abc"]
    assert int(summed) == sum(2 if row["filled"] is None else row["filled"] for row in meant)


def test_missing_and_unreadable_values_count_as_the_declared_one() -> None:
    table = rows(300, 9)
    told, filled = answer(table, TallyQuery((Key("told", 3, 3),)), TallyQuery((Key("filled", 5, 5),)))
    assert told.sum() == filled.sum() == 300
    assert told.tolist() == [sum(row["told"] == name for row in table) for name in ("yes", "no")] + [
        sum(row["told"] not in ("yes", "no") for row in table)
    ]
    assert filled[2] == sum(row["filled"] is None for row in table)


def test_discovered_cells_are_those_that_have_rows() -> None:
    table = rows(300, 4)
    towns, pairs = answer(table, DiscoveryQuery(("town",)), DiscoveryQuery(("town", G)))
    expected = Counter(row["town"][:LONGEST] for row in table if row["town"] is not None)
    assert {json.loads(name)[0]: count for name, count in towns.items()} == expected
    both = Counter(
        (row["town"][:LONGEST], "abc".index(row["g"]))
        for row in table
        if row["town"] is not None and row["g"] in ("a", "b", "c")
    )
    assert {tuple(json.loads(name)): count for name, count in pairs.items()} == both


def test_what_a_plan_discovers_and_counts_comes_from_the_same_rows() -> None:
    """Rows of a unit that are cut for one query are cut for all."""
    table = [row for row in rows(400, 5) if row["town"] is not None and row["g"] in ("a", "b", "c")]
    unit = PrivacyUnit("person", 2)
    towns, groups = answer(table, DiscoveryQuery(("town",)), TallyQuery((G,)), unit=unit)
    assert (
        sum(towns.values())
        == groups.sum()
        == sum(min(2, count) for person, count in Counter(row["person"] for row in table).items() if person is not None)
    )
