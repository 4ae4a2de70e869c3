"""A plan file is read exactly as docs/plan.md says, and written back the same."""

from __future__ import annotations

import copy
import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dprelease.errors import NotFoundError, PlanError
from dprelease.model.condition import Condition
from dprelease.model.plan import Expected
from dprelease.model.privacy import NeighboringRelation, PrivacyUnit
from dprelease.statistics import Plan
from dprelease.statistics.kinds.count import Count
from dprelease.statistics.kinds.crosstab import Crosstab
from dprelease.statistics.kinds.histogram import Histogram
from dprelease.statistics.kinds.mean import Mean
from dprelease.statistics.kinds.quantiles import Quantiles
from dprelease.statistics.kinds.sum import Sum
from dprelease.statistics.planning.price import price
from tests.model.plans import EXAMPLE, EXAMPLE_YAML, example, plans, small
from tests.tries import tries

pytestmark = pytest.mark.quick


def refused(plan: Any) -> dict[str, Any]:
    """The problems of a plan by path."""
    with pytest.raises(PlanError) as caught:
        Plan.parse(plan)
    return {problem.path: problem for problem in caught.value.problems}


def test_the_example_is_read_as_it_stands() -> None:
    plan = Plan.parse_text(EXAMPLE_YAML)
    assert plan.title == "Hospital visits 2025"
    assert plan.dataset == "visits"
    assert plan.unit == PrivacyUnit("person_id", 5)
    assert plan.neighbors is NeighboringRelation.ADD_REMOVE
    assert (plan.epsilon_nano, plan.delta_atto) == (10**9, 0)
    assert plan.expected == Expected(50_000, 12_000)
    assert plan.where == (Condition("age", (("at_least", 18),)),)
    assert plan.statistics == (
        Count(id="n"),
        Histogram(id="ages", column="age", bins=20, weight=Decimal(2)),
        Mean(id="mean_income", column="income"),
        Sum(id="total_income", column="income", epsilon_nano=10**8),
        Quantiles(id="income_quartiles", column="income", probs=(Decimal("0.25"), Decimal("0.5"), Decimal("0.75"))),
        Crosstab(id="region_sex", columns=("region", "sex")),
        Mean(id="income_by_region", column="income", by=("region",)),
    )
    assert list(plan.schema.columns) == ["age", "income", "region", "sex", "day"]
    assert plan.schema["age"].lattice.steps == 100
    assert plan.schema["income"].lattice.steps == 200_000
    assert plan.schema["region"].labels == ("north", "south", "east", "west", "other")
    assert plan.schema["day"].lower == date(2025, 1, 1)
    assert plan.schema["day"].codes == 365


def test_yaml_json_and_mapping_give_equal_plans(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(EXAMPLE_YAML)
    (tmp_path / "plan.json").write_text(json.dumps(EXAMPLE))
    (tmp_path / "plan.bom.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(EXAMPLE, indent=1).encode())
    loaded = [Plan.load(tmp_path / name) for name in ("plan.yaml", "plan.json", "plan.bom.json")]
    assert [*loaded, Plan.parse(EXAMPLE)] == [loaded[0]] * 4
    assert len({plan.hash for plan in loaded}) == 1


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="a file that can be read"):
        Plan.load(tmp_path / "nowhere.yaml")


def test_the_example_survives_writing_and_reading() -> None:
    plan = Plan.parse(EXAMPLE)
    assert Plan.parse(plan.to_mapping()) == plan
    assert Plan.parse_text(json.dumps(plan.to_mapping())) == plan
    assert Plan.parse_text(json.dumps(plan.to_mapping())).hash == plan.hash


@settings(max_examples=tries(200), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plans())
def test_every_plan_survives_writing_and_reading(written: dict[str, Any]) -> None:
    plan = Plan.parse(written)
    assert Plan.parse(plan.to_mapping()) == plan
    through_text = Plan.parse_text(json.dumps(plan.to_mapping()))
    assert through_text == plan
    assert through_text.hash == plan.hash


@pytest.mark.parametrize(
    "statistic",
    [
        {"kind": "histogram", "column": "x", "edges": [0, 0.1, 0.3, 1]},
        {"kind": "median", "column": "x", "candidates": [0.1, 0.2, 0.7]},
        {"kind": "crosstab", "columns": ["x", "c"], "bins": {"x": 4}},
    ],
)
def test_decimals_in_options_survive(statistic: dict[str, Any]) -> None:
    """A binary float 0.1 is not the decimal 0.1: both ways of writing a plan must give the same plan."""
    written = small(
        columns={
            "x": {"type": "number", "lower": 0, "upper": 1, "resolution": 0.1},
            "c": {"type": "category", "categories": ["a"]},
        },
        where=[{"column": "x", "at_least": 0.1}, {"column": "x", "in": [0.3, 0.7]}],
        statistics=[{"id": "s", **statistic}],
    )
    from_mapping, from_text = Plan.parse(written), Plan.parse_text(json.dumps(written))
    assert from_mapping == from_text
    assert Plan.parse(from_mapping.to_mapping()) == from_mapping
    assert from_mapping.hash == from_text.hash


def test_a_date_may_be_given_as_a_date() -> None:
    def written(day: Any) -> dict[str, Any]:
        return small(
            columns={"d": {"type": "date", "lower": day, "upper": "2025-12-31"}},
            where=[{"column": "d", "at_least": day}],
        )

    assert Plan.parse(written(date(2025, 1, 1))) == Plan.parse(written("2025-01-01"))
    assert Plan.parse(written(date(2025, 1, 1))).hash == Plan.parse(written("2025-01-01")).hash


def shuffled(value: Any, random: Any) -> Any:
    """The same value with the keys of every mapping in another order."""
    if isinstance(value, dict):
        keys = list(value)
        random.shuffle(keys)
        return {key: shuffled(value[key], random) for key in keys}
    return [shuffled(item, random) for item in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_matter(random: Any) -> None:
    other = Plan.parse(shuffled(EXAMPLE, random))
    assert other == Plan.parse(EXAMPLE)
    assert other.hash == Plan.parse(EXAMPLE).hash


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Other"},
        {"dataset": "visits2"},
        {"where": None},
        {"privacy": EXAMPLE["privacy"] | {"epsilon": 1.000000001}},
        {"privacy": EXAMPLE["privacy"] | {"neighbors": "substitute"}},
        {"statistics": list(reversed(EXAMPLE["statistics"]))},
    ],
)
def test_what_matters_changes_the_hash(changes: dict[str, Any]) -> None:
    assert Plan.parse(example(**changes)).hash != Plan.parse(EXAMPLE).hash


def test_the_way_a_number_is_written_does_not_change_the_hash() -> None:
    one = small(
        where=[{"column": "a", "at_least": 18}], privacy={"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    )
    same = copy.deepcopy(one)
    same["where"][0]["at_least"] = 18.0
    same["privacy"]["epsilon"] = "1.00"
    assert Plan.parse(one).hash == Plan.parse(same).hash


def test_all_problems_are_told_at_once_with_their_places() -> None:
    plan = example(titel="x", privacy=EXAMPLE["privacy"] | {"epsilon": -1, "neighbors": "add_remov"})
    plan["columns"]["age"]["type"] = "integr"
    plan["columns"]["sex"]["categories"] = ["F", "F"]
    plan["statistics"][1]["bin"] = plan["statistics"][1].pop("bins")
    plan["statistics"][2]["kind"] = "avg"
    plan["statistics"][3]["column"] = "incom"
    plan["statistics"][4]["probs"] = [0.5, 1]
    plan["statistics"][5]["id"] = "n"
    plan["where"][0]["at_leest"] = plan["where"][0].pop("at_least")
    found = refused(plan)
    assert {path: str(problem.remedy) for path, problem in found.items() if "Did you mean" in str(problem.remedy)} == {
        "titel": "Did you mean 'title'?",
        "privacy.neighbors": "Did you mean 'add_remove'?",
        "columns.age.type": "Did you mean 'integer'?",
        "statistics[1].bin": "Did you mean 'bins'?",
        "where[0].at_leest": "Did you mean 'at_least'?",
    }
    assert {"privacy.epsilon", "columns.sex.categories", "statistics[4].probs[1]", "statistics[5].id"} <= set(found)
    assert "statistics[2].kind" in found
    assert found["privacy.epsilon"].found == "-1"
    assert "above 0" in str(found["privacy.epsilon"].allowed)
    assert "mean" in str(found["statistics[2].kind"].allowed)


def test_a_misspelt_column_names_the_nearest() -> None:
    plan = example()
    plan["statistics"][3]["column"] = "incom"
    parsed = Plan.parse(plan)
    with pytest.raises(PlanError) as caught:
        parsed.with_schema(parsed.schema)
    (problem,) = caught.value.problems
    assert problem.path == "statistics[3].column"
    assert (problem.found, str(problem.remedy)) == ("'incom'", "Did you mean 'income'?")


@pytest.mark.parametrize(
    ("statistic", "path", "allowed"),
    [
        ({"kind": "histogram", "column": "age", "bins": 102}, "bins", "at most 101"),
        ({"kind": "histogram", "column": "age", "bins": 0}, "bins", "a whole number from 1"),
        ({"kind": "histogram", "column": "age", "bins": 5, "edges": [0, 100]}, "", "one of them"),
        ({"kind": "histogram", "column": "sex", "bins": 2}, "bins", "nothing"),
        ({"kind": "histogram", "column": "age", "edges": [0, 50]}, "edges", "edges from 0 to 100"),
        ({"kind": "histogram", "column": "age", "edges": [0, 60, 50, 100]}, "edges", "increasing"),
        ({"kind": "histogram", "column": "age", "edges": [0, 50.5, 100]}, "edges[1]", "on its lattice"),
        ({"kind": "mean", "column": "sex"}, "column", "type integer, number"),
        ({"kind": "mean", "column": "income", "by": ["income"]}, "by[0]", "type boolean, category, date, integer"),
        ({"kind": "mean", "column": "income", "by": ["sex", "sex"]}, "by", "each column once"),
        ({"kind": "mean"}, "column", "required"),
        ({"kind": "crosstab", "columns": ["sex"]}, "columns", "at least 2"),
        ({"kind": "crosstab", "columns": ["sex", "income"]}, "columns", "number columns with bins"),
        ({"kind": "crosstab", "columns": ["sex", "age"], "bins": {"day": 3}}, "bins.day", "among the table's columns"),
        ({"kind": "quantiles", "column": "age", "probs": [0]}, "probs[0]", "between 0 and 1"),
        ({"kind": "quantiles", "column": "age", "probs": [0.1234567]}, "probs[0]", "6 decimals"),
        ({"kind": "quantiles", "column": "age", "probs": [0.5, 0.5]}, "probs", "each once"),
        ({"kind": "quantiles", "column": "age"}, "probs", "required"),
        ({"kind": "median", "column": "age", "candidates": [1, 500]}, "candidates[1]", "between the bounds"),
        ({"kind": "median", "column": "age", "candidates": [2, 1]}, "candidates", "increasing"),
        ({"kind": "median", "column": "age", "candidates": [1, 2], "cells": 4}, "", "one of them"),
        ({"kind": "median", "column": "income", "cells": 2**20, "by": ["region", "day"]}, "by", "at most 8000000"),
        ({"kind": "count", "by": ["day", "age", "region", "sex", "other_day"]}, "by[4]", "a declared column"),
        ({"kind": "count", "weight": 1, "epsilon": 1}, "", "one of them"),
        ({"kind": "count", "weight": 0}, "weight", "from 0.000001"),
    ],
)
def test_an_unusable_statistic_is_refused(statistic: dict[str, Any], path: str, allowed: str) -> None:
    place = "statistics[1]" + (f".{path}" if path else "")
    plan = example(statistics=[{"id": "first", "kind": "count"}, {"id": "s", **statistic}])
    with pytest.raises(PlanError) as caught:
        price(Plan.parse(plan))
    found = {problem.path: problem for problem in caught.value.problems}
    assert place in found
    assert allowed in str(found[place].allowed)


@pytest.mark.parametrize(
    ("condition", "path"),
    [
        ({"column": "sex", "at_least": "F"}, "where[0].at_least"),
        ({"column": "sex", "equals": "X"}, "where[0].equals"),
        ({"column": "age", "equals": 0.5}, "where[0].equals"),
        ({"column": "age", "at_most": 101}, "where[0].at_most"),
        ({"column": "age", "in": [1, 2, "three"]}, "where[0].in"),
        ({"column": "age", "in": []}, "where[0].in"),
        ({"column": "age"}, "where[0]"),
        ({"column": "day", "at_least": "2025-13-01"}, "where[0].at_least"),
        ({"column": "day", "at_least": 20250101}, "where[0].at_least"),
        ({"equals": 3}, "where[0].column"),
    ],
)
def test_an_unusable_condition_is_refused(condition: dict[str, Any], path: str) -> None:
    assert path in refused(example(where=[condition]))


def test_two_statistics_with_one_id_are_refused() -> None:
    problem = refused(small(statistics=[{"id": "n", "kind": "count"}, {"id": "n", "kind": "count"}]))[
        "statistics[1].id"
    ]
    assert str(problem.allowed) == "an id that no other statistic has"


@pytest.mark.parametrize("identifier", ["", "N", "1n", "_n", "n-1", "n n", "é", "n" * 61, 5, None, True, ["n"], "n\n"])
def test_an_unusable_id_is_refused(identifier: Any) -> None:
    assert "statistics[0].id" in refused(small(statistics=[{"id": identifier, "kind": "count"}]))


@pytest.mark.parametrize("plan", [None, [], "plan", 5, [{}]])
def test_what_is_no_mapping_is_refused(plan: Any) -> None:
    with pytest.raises(PlanError):
        Plan.parse(plan)


@pytest.mark.parametrize(
    ("version", "ok"), [(1, True), (1.0, True), (2, False), ("1", False), (True, False), (0, False)]
)
def test_the_version_is_checked(version: Any, ok: bool) -> None:
    if ok:
        assert Plan.parse(small(dprelease=version))
    else:
        assert "dprelease" in refused(small(dprelease=version))


@pytest.mark.parametrize(
    "unit", ["rows", "", 5, [], {"column": "", "max_rows": 5}, {"column": "a"}, {"max_rows": 1}, None]
)
def test_an_unusable_unit_is_refused(unit: Any) -> None:
    """A unit without a column must not turn into rows that carry max_rows."""
    privacy = {"unit": unit, "neighbors": "add_remove", "epsilon": 1}
    assert any(path.startswith("privacy.unit") for path in refused(small(privacy=privacy)))


def test_a_registered_schema_joins_the_plan_and_only_used_columns_stay() -> None:
    declared = Plan.parse(EXAMPLE).schema
    bare = Plan.parse(example(columns=None))
    complete = bare.with_schema(declared)
    assert list(complete.schema.columns) == ["age", "income", "region", "sex"]
    assert complete.schema["age"] == declared["age"]


def test_the_plans_own_columns_replace_registered_ones() -> None:
    registered = Plan.parse(EXAMPLE).schema
    plan = Plan.parse(
        small(
            columns={"age": {"type": "integer", "lower": 18, "upper": 65}},
            statistics=[{"id": "a", "kind": "mean", "column": "age"}],
        )
    )
    assert plan.with_schema(registered).schema["age"].lattice.start == 18


def test_long_lists_and_texts_in_messages_are_cut() -> None:
    problem = refused(small(title=["x" * 500]))["title"]
    assert len(str(problem.found)) <= 80
    assert "\x1b" not in str(refused(small(title=["\x1b[31m"]))["title"])


def test_a_hundred_statistics_with_problems_are_all_told() -> None:
    found = refused(small(statistics=[{"id": f"s{index}", "kind": "nothing"} for index in range(100)]))
    assert len(found) == 100
