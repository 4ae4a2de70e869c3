"""Differences between two plans are named where a reader would look for them."""

from __future__ import annotations

import pytest

from dprelease.model.difference import Change, changes

pytestmark = pytest.mark.quick

BEFORE = {
    "title": "Visits",
    "privacy": {"unit": "row", "epsilon": 1},
    "columns": {"age": {"type": "integer", "lower": 0, "upper": 100}},
    "statistics": [{"id": "n", "kind": "count"}, {"id": "ages", "kind": "histogram", "column": "age", "bins": 10}],
}


def test_equal_plans_have_no_changes() -> None:
    assert changes(BEFORE, {**BEFORE}) == ()


def test_each_change_has_its_own_path() -> None:
    after = {
        "title": "Visits",
        "privacy": {"unit": "row", "epsilon": 2},
        "columns": {"age": {"type": "integer", "lower": 0, "upper": 120}, "sex": {"type": "boolean"}},
        "where": [{"column": "age", "at_least": 18}],
        "statistics": [{"id": "ages", "kind": "histogram", "column": "age", "bins": 20}, {"id": "m", "kind": "count"}],
    }
    assert changes(BEFORE, after) == (
        Change("privacy.epsilon", 1, 2),
        Change("columns.age.upper", 100, 120),
        Change("columns.sex", None, {"type": "boolean"}),
        Change("statistics.n", {"id": "n", "kind": "count"}, None),
        Change("statistics.ages.bins", 10, 20),
        Change("statistics.m", None, {"id": "m", "kind": "count"}),
        Change("where", None, [{"column": "age", "at_least": 18}]),
    )


def test_the_order_of_statistics_is_no_change() -> None:
    assert changes(BEFORE, {**BEFORE, "statistics": BEFORE["statistics"][::-1]}) == ()


def test_against_nothing_each_statistic_is_new() -> None:
    assert changes({}, {"statistics": [{"id": "n", "kind": "count"}]}) == (
        Change("statistics.n", None, {"id": "n", "kind": "count"}),
    )
