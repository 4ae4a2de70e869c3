"""The check that is proposed beside other statistics: of which columns, and for how much of the budget."""

from __future__ import annotations

from typing import Any

import pytest

import dprelease
from dprelease.model.schema import Schema
from dprelease.statistics.planning.check import FIRST, check_of, checked, first_check

COLUMNS: dict[str, Any] = {
    "region": {"type": "category", "categories": ["n", "s"]},
    "sex": {"type": "category", "categories": ["F", "M", "none"], "count_missing_as": "none"},
    "ward": {"type": "category", "categories": "discover"},
    "age": {"type": "integer", "lower": 0, "upper": 99},
    "pay": {"type": "integer", "lower": 0, "upper": 9},
}
SCHEMA = Schema.parse(COLUMNS)
SHARE = [{"column": "age", "at_least": 18}]
MEANS: list[dict[str, Any]] = [
    {"kind": "mean", "column": "pay", "by": ["region", "sex"]},
    {"kind": "proportion", "where": SHARE, "weight": 2},
]


@pytest.mark.parametrize(
    ("statistics", "columns"),
    [
        (MEANS, ["pay", "region", "age"]),
        ([*MEANS, {"kind": "histogram", "column": "region", "missing": {"region": "group"}}], ["pay", "age"]),
        ([*MEANS, {"kind": "answered", "columns": ["pay"]}], None),
        ([{"kind": "count"}, {"kind": "histogram", "column": "sex"}, {"kind": "histogram", "column": "ward"}], None),
        ([], None),
    ],
)
def test_it_is_of_the_columns_in_use_that_no_table_tells_it_of(
    statistics: list[dict[str, Any]], columns: list[str] | None
) -> None:
    found = check_of(statistics, SCHEMA)
    assert (None if found is None else found["columns"]) == columns


def test_it_takes_three_hundredths_of_the_budget() -> None:
    check = check_of(MEANS, SCHEMA)
    assert check is not None
    statistics = [{**each, "id": f"s{place}"} for place, each in enumerate([*MEANS, check])]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    plan = {"dprelease": 1, "dataset": "t", "privacy": privacy, "columns": COLUMNS, "statistics": statistics}
    price = dprelease.price(dprelease.Plan.parse(plan))
    assert float(price["s2"].loss.epsilon) == pytest.approx(0.03, abs=1e-4)


@pytest.mark.parametrize(
    ("column", "chosen", "whole"),
    [
        ("age", ["region", "age", "pay"], True),
        ("sex", ["age", "sex"], True),
        ("age", ["age", "sex", "ward"], False),
        ("sex", ["sex"], False),
    ],
)
def test_a_plan_of_its_own_is_of_all_columns_and_of_one_in_detail(column: str, chosen: list[str], whole: bool) -> None:
    """Of all only where they are others than the one: those that are complete have a value in each row."""
    columns = {name: COLUMNS[name] for name in chosen}
    schema = Schema.parse(columns)
    asked = first_check(column, schema)
    statistics = [{**each, "id": f"s{place}"} for place, each in enumerate(asked)]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": FIRST}
    plan = {"dprelease": 1, "dataset": "t", "privacy": privacy, "columns": columns, "statistics": statistics}
    dprelease.price(dprelease.Plan.parse(plan))
    assert asked[-1] == {"kind": "answered", "columns": [column], "detail": True}
    assert [each["columns"] for each in asked[:-1]] == ([[name for name in chosen if name != "sex"]] if whole else [])
    assert checked(schema) == [name for name in chosen if name != "ward"]
