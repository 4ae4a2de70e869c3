"""Synthetic rows that cannot be: found, allowed and remedy are told before anything is charged, whoever asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease import cli
from dprelease.errors import PlanError

LISTED = {"type": "category", "categories": [f"{place}" for place in range(2000)]}
COLUMNS: dict[str, Any] = {
    "pay": {"type": "number", "lower": 0, "upper": 50, "resolution": 0.5},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "one": LISTED,
    "two": LISTED,
}
REFUSED: dict[str, tuple[dict[str, Any], str, str]] = {
    "a domain beyond memory": ({"columns": ["one", "two"]}, "columns: found ", "fewer"),
    "a number without bins": ({"columns": ["pay", "sex"]}, "columns: found ", "bins"),
    "more rows than is sensible": ({"columns": ["sex"], "rows": 1_000_001}, "rows: found 1000001", "1000000"),
    "fewer rows than none": ({"columns": ["sex"], "rows": -1}, "rows: found -1", "0"),
    "more columns than tables": ({"columns": ["sex", "age"], "order": 4}, "order: found 4", "3"),
    "a method of no such name": ({"columns": ["sex", "age"], "method": "aim"}, "method: found 'aim'", "residual_tree"),
    "tables of nobody": ({"columns": ["sex"], "source": "none"}, "source: found 'none'", "workload"),
    "a method that has no source": (
        {"columns": ["sex", "age"], "method": "mwem", "source": "none"},
        "source: found 'none'",
        "residual_tree",
    ),
}


def plan_of(asked: dict[str, Any]) -> dict[str, Any]:
    return {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "statistics": [{"id": "rows", "kind": "synthetic", **asked}],
    }


@pytest.fixture(scope="module")
def workspace() -> dprelease.Workspace:
    """In which nothing is ever charged."""
    found = dprelease.Workspace.in_memory()
    found.add_dataset("t", pandas.DataFrame({name: ["1"] for name in COLUMNS}), columns=COLUMNS, epsilon=10)
    return found


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_and_the_terminal_tell_what_is_wrong(
    name: str, workspace: dprelease.Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked, found, remedy = REFUSED[name]
    with pytest.raises(PlanError) as told:
        workspace.publish(dprelease.Plan.parse(plan_of(asked)))
    assert f"statistics[0].{found}" in str(told.value)
    assert remedy in str(told.value)
    assert "charge" not in [event.kind for event in workspace.ledger.events()]
    (tmp_path / "plan.json").write_text(json.dumps({**plan_of(asked), "columns": COLUMNS}))
    assert cli.main(["price", str(tmp_path / "plan.json")]) == 3
    said = capsys.readouterr().err
    assert f"statistics[0].{found}" in said
    assert remedy in said
