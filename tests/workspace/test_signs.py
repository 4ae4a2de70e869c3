"""How often a slope would have its true sign: told to the curator of a preview, and of the workbench's draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

import dprelease

MANY = 12
COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "idle": {"type": "integer", "lower": 0, "upper": 100},
    "wage": {"type": "integer", "lower": 0, "upper": 1000},
    "rich": {"type": "boolean"},
}
AGES = np.tile(np.arange(100), 20)
TABLE = pandas.DataFrame({"age": AGES, "idle": AGES * 37 % 100, "wage": 900 - 5 * AGES, "rich": AGES % 50 < 20})
LINE = {"id": "line", "kind": "linear", "outcome": "wage", "on": ["age", "idle"]}
ODDS = {"id": "odds", "kind": "logistic", "outcome": "rich", "on": ["age"], "rounds": 0}


def made() -> dprelease.Workspace:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("d", TABLE, epsilon=100, columns=COLUMNS)
    return workspace


def plan(*statistics: dict[str, Any], epsilon: float) -> dprelease.Plan:
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon}
    return dprelease.Plan.parse(
        {"dprelease": 1, "dataset": "d", "privacy": privacy, "expected": {"rows": 2000}, "statistics": list(statistics)}
    )


def test_a_steep_slope_has_its_sign_in_every_draw() -> None:
    """At ε = 10 the slope of -5 is off by some hundredths; at ε = 0.01 nothing is said of it."""
    workspace = made()
    (sure,) = workspace.preview(plan(LINE, epsilon=10), draws=40).statistics
    assert sure.frame().set_index("term")["sign"]["age"] == 1
    (open_,) = workspace.preview(plan(LINE, epsilon=0.01), draws=40).statistics
    assert open_.signs() == [None, None, None]


def test_a_table_of_other_numbers_has_no_signs() -> None:
    counted = {"id": "n", "kind": "histogram", "column": "age", "bins": 5}
    (counts,) = made().preview(plan(counted, epsilon=1), draws=10).statistics
    assert "sign" not in counts.frame()


@pytest.mark.full
@pytest.mark.parametrize("asked", [LINE, ODDS], ids=lambda each: str(each["kind"]))
def test_the_workbench_draws_a_model_often_at_the_plans_epsilon(
    asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dprelease.workspace.look.SECONDS", 0.1)
    monkeypatch.setattr("dprelease.workspace.look.MODEL_SECONDS", 600.0)
    monkeypatch.setattr("dprelease.workspace.look.MODEL_DRAWS", MANY)
    workspace = made()
    look = workspace.plans.look(plan(asked, epsilon=1), invented=False)
    (name,) = look.names
    list(look.prepare(name))
    shown = look.open(name).to_json()
    assert shown["terms"] is True
    at = shown["ladder"]["epsilon"]
    place = min(range(len(at)), key=lambda each: abs(at[each] - 1))
    assert len(shown["ladder"]["draws"][place]) == MANY
