"""Filters that leave few of what is declared are found by the plan alone, also beside another plan's filter."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import dprelease
from dprelease.model.policy import PlanCheck
from dprelease.workspace import narrow
from dprelease.workspace.checks import PlanFinding, Severity
from tests.workspace.test_review import PLAN, Prepare, approved, plan, prepare

__all__ = ["prepare"]

ONE_PERSON = [{"column": "age", "equals": 97}, {"column": "income", "equals": 40_000}]
SMALL = {
    "age": {"type": "integer", "lower": 0, "upper": 4},
    "region": {"type": "category", "categories": ["a", "b", "c"]},
    "flag": {"type": "boolean"},
}
FILTERS: list[list[dict[str, Any]]] = [
    [],
    [{"column": "age", "equals": 2}],
    [{"column": "age", "at_least": 1, "at_most": 3}, {"column": "region", "in": ["a", "c"]}],
    [{"column": "age", "at_least": 3}, {"column": "age", "at_most": 1}],
    [{"column": "age", "in": [0, 4]}, {"column": "age", "at_most": 3}, {"column": "flag", "equals": True}],
    [{"column": "flag", "in": [True, False]}],
]


def small(where: list[dict[str, Any]]) -> dprelease.Plan:
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    asked = {"dataset": "t", "columns": SMALL, "statistics": [{"id": "n", "kind": "count"}], "privacy": privacy}
    return dprelease.Plan.parse({"dprelease": 1, **asked, **({"where": where} if where else {})})


def passes(row: dict[str, Any], where: list[dict[str, Any]]) -> bool:
    """By hand, with none of the product's code."""
    tests = {
        "equals": lambda cell, value: cell == value,
        "in": lambda cell, value: cell in value,
        "at_least": lambda cell, value: cell >= value,
        "at_most": lambda cell, value: cell <= value,
    }
    return all(
        tests[key](row[each["column"]], value) for each in where for key, value in each.items() if key != "column"
    )


ROWS = [dict(zip(SMALL, cells, strict=True)) for cells in product(range(5), ("a", "b", "c"), (False, True))]


@pytest.mark.parametrize("where", FILTERS, ids=str)
def test_what_a_filter_leaves_is_counted_over_all_that_is_declared(where: list[dict[str, Any]]) -> None:
    left = sum(passes(row, where) for row in ROWS)
    assert narrow.share(small(where)) == Fraction(left, len(ROWS))


def test_two_filters_of_one_column_apart_differ_by_what_only_one_passes() -> None:
    for first, second in product(FILTERS, repeat=2):
        found = narrow.near(small(first), "another", small(second))
        apart = sum(passes(row, first) != passes(row, second) for row in ROWS)
        if found is not None:
            assert found.share == Fraction(apart, len(ROWS)), (first, second)
        elif len({each["column"] for each in (*first, *second)}) < 2:
            assert apart == 0, (first, second)


def told(ws: dprelease.Workspace, planned: dprelease.Plan) -> list[PlanFinding]:
    findings = ws.plans.review(ws.plans.submit(planned)).findings
    return [finding for finding in findings if finding.check is PlanCheck.NARROW_FILTER]


def test_a_filter_on_one_person_is_serious_and_a_harmless_one_is_not(prepare: Prepare) -> None:
    ws = prepare()
    (found,) = told(ws, plan(title="Costs of the very old", where=ONE_PERSON, expected={"rows": 22_479}))
    assert (found.severity, found.detail, found.about["rows"]) == (Severity.SERIOUS, "", "22479")
    assert float(found.about["left"]) == pytest.approx(22_479 / float(found.about["odds"]), rel=0.05)
    assert told(ws, plan(title="Adults", where=[{"column": "age", "at_least": 18}])) == []
    unstated = {key: value for key, value in PLAN.items() if key != "expected"}
    (unknown,) = told(ws, dprelease.Plan.parse({**unstated, "where": ONE_PERSON}))
    assert unknown.detail == "unknown"


def test_the_difference_of_two_plans_is_named_with_the_other(prepare: Prepare) -> None:
    ws = prepare()
    ws.publish(approved(ws, plan(title="Everybody")))
    all_but = plan(title="All but the richest", where=[{"column": "income", "at_most": 199_900}])
    (found,) = told(ws, all_but)
    assert (found.severity, found.detail) == (Severity.SERIOUS, "near")
    assert (found.about["title"], found.about["column"]) == ("Everybody", "income")
    other = [{"id": "m", "kind": "mean", "column": "age"}]
    assert told(ws, plan(title="Another question", where=all_but.to_mapping()["where"], statistics=other)) == []


@pytest.mark.parametrize(("policy", "found"), [("", 0), ("fewest_rows: 100000", 1), ("fewest_rows: 0", 0)])
def test_the_policy_says_how_few_rows_are_few(prepare: Prepare, policy: str, found: int) -> None:
    half = plan(where=[{"column": "age", "at_least": 50}])
    assert len(told(prepare(policy=policy), half)) == found


def test_errors_are_also_told_for_the_rows_that_the_filter_would_leave(prepare: Prepare) -> None:
    """Of 22,479 expected rows: as if a mean were of them all, and as if the filter had yet to leave a few."""
    ws = prepare()
    mean = [{"id": "m", "kind": "mean", "column": "age"}, {"id": "n", "kind": "count"}]
    half = [{"column": "age", "at_least": 50}]
    reviewed = ws.plans.review(ws.plans.submit(plan(where=half, statistics=mean, expected={"rows": 22_479})))
    found = reviewed.filtered
    assert found is not None
    assert (found.rows, found.left) == (22_479, round(22_479 * narrow.share(reviewed.plan)))
    assert found.errors.keys() == {"m"}, "the error of a count does not depend on the rows"
    few = ws.price(plan(where=half, statistics=mean, expected={"rows": found.left}))
    assert found.errors["m"] == few["m"].error95
    assert found.errors["m"] > (reviewed.price["m"].error95 or 0)
    for asked in ({"statistics": mean}, {"statistics": mean[1:], "where": half}):
        assert ws.plans.review(ws.plans.submit(plan(**asked, expected={"rows": 9}))).filtered is None
    nobody = [{"column": "age", "at_least": 50}, {"column": "age", "at_most": 20}]
    reviewed = ws.plans.review(ws.plans.submit(plan(where=nobody, statistics=mean, expected={"rows": 9})))
    assert reviewed.filtered is not None
    assert reviewed.filtered.left == 1
