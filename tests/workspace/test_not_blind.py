"""What keeps a reviewer from being shown less than there is."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import dprelease
from dprelease.errors import InsufficientBudgetError, PlanError
from dprelease.model.policy import PlanCheck
from tests.workspace.test_publish import approved
from tests.workspace.test_review import PLAN, Prepare, prepare
from tests.workspace.test_team import JONAS, MARIA, team

__all__ = ["prepare", "team"]
COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "income": {"type": "number", "lower": 0, "upper": 200000, "resolution": 1},
    "region": {"type": "category", "categories": ["n", "s"], "description": "of the ward"},
}
STATISTICS: list[dict[str, Any]] = [
    {"id": "n", "kind": "count"},
    {"id": "ages", "kind": "histogram", "column": "age", "bins": 10},
    {"id": "both", "kind": "crosstab", "columns": ["region", "age"], "bins": {"age": 5}},
    {"id": "incomes", "kind": "mean", "column": "income", "by": ["region"]},
]


def plan(**changes: Any) -> dict[str, Any]:
    return deepcopy({**PLAN, "columns": COLUMNS, "statistics": STATISTICS, **changes})


def repeated(ws: dprelease.Workspace, mapping: dict[str, Any]) -> set[str]:
    """The statistics that are said to have been published before."""
    found = ws.plans.review(ws.plans.submit(dprelease.Plan.parse(mapping))).findings
    return {each.about["statistic"] for each in found if each.check is PlanCheck.PUBLISHED_BEFORE}


def test_nothing_that_measures_nothing_hides_that_it_was_published_before(prepare: Prepare) -> None:
    ws = prepare(columns=COLUMNS)
    ws.publish(approved(ws, dprelease.Plan.parse(plan())))
    everything = {each["id"] for each in STATISTICS}
    described = plan()
    described["columns"]["region"]["description"] = "of the ward."
    described["columns"]["income"]["unit"] = "EUR"
    more = plan(title="More")
    more["columns"]["years"] = {"type": "integer", "lower": 0, "upper": 9}
    ordered = plan()
    ordered["columns"]["region"]["categories"] = ["s", "n"]
    ordered["statistics"][2]["columns"] = ["age", "region"]
    named = plan(description="Another.")
    named["statistics"] = [{**each, "id": f"a_{each['id']}", "weight": 2} for each in STATISTICS]
    for changed in (plan(title="Other"), described, more, ordered):
        assert repeated(ws, changed) == everything
    assert repeated(ws, named) == {f"a_{name}" for name in everything}
    added = plan(statistics=[*STATISTICS, {"id": "new", "kind": "median", "column": "age"}])
    assert repeated(ws, added) == everything


def test_another_measurement_is_not_said_to_have_been_published(prepare: Prepare) -> None:
    ws = prepare(columns=COLUMNS)
    ws.publish(approved(ws, dprelease.Plan.parse(plan())))
    bounds = plan()
    bounds["columns"]["income"]["upper"] = 100000
    assert repeated(ws, bounds) == {"n", "ages", "both"}
    assert repeated(ws, plan(where=[{"column": "age", "at_least": 18}])) == set()
    bins = plan()
    bins["statistics"][1]["bins"] = 20
    assert repeated(ws, bins) == {"n", "both", "incomes"}


def test_nothing_beyond_the_cap_is_approved(prepare: Prepare) -> None:
    ws = prepare(columns=COLUMNS)
    dear = ws.plans.submit(dprelease.Plan.parse(plan(privacy={**PLAN["privacy"], "epsilon": 9})))
    assert [each.check for each in ws.plans.review(dear).blocking] == [PlanCheck.BUDGET]
    with pytest.raises(InsufficientBudgetError, match="has ε = 3"):
        ws.plans.approve(dear)
    assert ws.plans.decisions(dear) == []


def test_a_returned_plan_comes_back_changed_or_not_at_all(team: dprelease.Workspace) -> None:
    from tests.workspace.test_publish import plan as ordinary

    planned = ordinary(0.3)
    plan_id = team.plans.submit(planned, actor=MARIA)
    statistic = planned.statistics[0].id
    team.plans.return_plan(plan_id, comment="See there.", remarks={statistic: "Too fine."}, actor=JONAS)
    with pytest.raises(PlanError, match=rf"unchanged.*: See there\.; {statistic}: Too fine\."):
        team.plans.submit(planned, actor=MARIA)
    assert team.plans.find(actor=MARIA)[0].state == "returned"
    assert team.plans.submit(ordinary(0.2), actor=MARIA) != plan_id
