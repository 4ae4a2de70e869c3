"""How many rows lie outside the bounds, asked as a proportion over bounds a step wider."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dprelease.codebook.ask import SurveyItem, asked_by, bounds, inside, plan_parts, values
from dprelease.model.schema import Schema
from dprelease.statistics import Plan
from dprelease.workspace import Workspace

pytestmark = pytest.mark.quick

AGE = {"type": "integer", "lower": 0, "upper": 100, "missing_codes": [-99], "outside": "missing"}


def column(declared: dict[str, Any]) -> Any:
    return Schema.parse({"x": declared})["x"]


def share(rows: list[Any], declared: dict[str, Any]) -> float:
    """The share that is published at an ε so large that the noise is nearly none."""
    ws = Workspace.in_memory()
    ws.add_population("p", unit="person", neighbors="add_remove", epsilon=1000)
    ws.add_dataset("t", pandas.DataFrame({"x": rows}), population="p")
    plan = {
        "dprelease": 1,
        "title": "t",
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 500},
        **plan_parts([inside(column(declared))]),
    }
    return float(ws.publish(Plan.parse(plan)).tables["inside"].value[0])  # type: ignore[arg-type]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([-99, -98, -1, 0, 1, 50, 100, 101, 999, None]), min_size=4, max_size=20))
def test_rows_within_the_bounds_are_told_from_those_beyond(rows: list[int | None]) -> None:
    """By a count of one's own: neither empty rows nor codes for no answer are in either number."""
    answered = [row for row in rows if row not in (None, -99)]
    if answered:
        within = sum(0 <= row <= 100 for row in answered if row is not None)
        assert share(rows, AGE) == pytest.approx(within / len(answered))


def test_days_and_fractions_have_a_step_of_their_own() -> None:
    days = {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"}
    assert inside(column(days)).declared["lower"] == "2024-12-31"
    assert share(["2025-01-01", "2025-12-31", "2026-01-01", "9999-12-31"], days) == pytest.approx(0.5)
    tenths = {"type": "number", "lower": 0, "upper": 1, "resolution": 0.1}
    assert share([0.0, 1.0, 1.04, 1.06], tenths) == pytest.approx(0.75), "what rounds to a bound is within it"


def test_a_plan_asks_several_questions_and_knows_them_again() -> None:
    questions = [bounds("a", {"type": "integer", "lower": -8, "upper": 8}), values("b"), inside(column(AGE))]
    found = plan_parts(questions)["statistics"]
    assert [each["id"] for each in found] == ["bounds_1", "values_2", "inside_3"]
    assert [asked_by(each) for each in found] == [SurveyItem.BOUNDS, SurveyItem.VALUES, SurveyItem.INSIDE]
    assert asked_by({"id": "bounds", "kind": "mean"}) is None
    assert asked_by({"id": "people", "kind": "count"}) is None
