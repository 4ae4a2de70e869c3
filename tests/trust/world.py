"""A small table, what is declared of it, and a plan for it: what the tests of this folder publish."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas

import dprelease
from dprelease.model.release import Release

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "sex": {"type": "category", "categories": ["F", "M"]},
}
STATISTICS: list[dict[str, Any]] = [
    {"id": "by_sex", "kind": "count", "by": ["sex"]},
    {"id": "middle", "kind": "median", "column": "age"},
]


def people(rows: int = 60) -> pandas.DataFrame:
    return pandas.DataFrame({"age": [20 + place % 50 for place in range(rows)], "sex": ["F", "M", "M"] * (rows // 3)})


def plan(epsilon: float = 0.5, title: str = "Ages", **changes: Any) -> dprelease.Plan:
    mapping = {
        "dprelease": 1,
        "title": title,
        "dataset": "people",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon},
        "expected": {"rows": 60},
        "columns": COLUMNS,
        "statistics": STATISTICS,
    }
    return dprelease.Plan.parse(mapping | changes)


def solo(home: Path | None = None, *, epsilon: float = 1, checkpoint: Path | None = None) -> dprelease.Workspace:
    """A workspace of one person with the dataset people, of a population of the same name; in memory without a home."""
    if home is None:
        workspace = dprelease.Workspace.in_memory()
    else:
        workspace = dprelease.Workspace.create(home, checkpoint=None if checkpoint is None else str(checkpoint))
    workspace.add_dataset("people", people(), columns=COLUMNS, epsilon=epsilon, unit="person")
    return workspace


def approved(workspace: dprelease.Workspace, wanted: dprelease.Plan) -> str:
    plan_id = workspace.plans.submit(wanted)
    workspace.plans.approve(plan_id)
    return plan_id


def publish(workspace: dprelease.Workspace, epsilon: float = 0.5, title: str = "Ages", **changes: Any) -> Release:
    return workspace.publish(approved(workspace, plan(epsilon, title, **changes)))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path there."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
