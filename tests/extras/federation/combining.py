"""Sites that publish by one plan, for the tests of combining."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas

import dprelease

COLUMNS: dict[str, Any] = {
    "ill": {"type": "boolean", "count_missing_as": False},
    "sex": {"type": "category", "categories": ["F", "M"], "count_missing_as": "F"},
    "age": {"type": "integer", "lower": 0, "upper": 99, "count_missing_as": 0},
    "pay": {"type": "number", "lower": 0, "upper": 100, "resolution": 0.5, "count_missing_as": 0},
}
STATISTICS: list[dict[str, Any]] = [
    {"id": "n", "kind": "count"},
    {"id": "sexes", "kind": "crosstab", "columns": ["sex", "ill"], "margins": True, "shares": ["row"]},
    {"id": "ages", "kind": "histogram", "column": "age", "bins": 10},
    {"id": "each", "kind": "histogram", "column": "age", "bins": 100},
    {"id": "pays", "kind": "sum", "column": "pay", "by": ["sex"]},
    {"id": "pay", "kind": "mean", "column": "pay", "by": ["sex"]},
    {"id": "part", "kind": "proportion", "where": [{"column": "ill", "equals": True}]},
    {"id": "tables", "kind": "workload", "columns": ["sex", "ill"]},
    {"id": "line", "kind": "linear", "outcome": "pay", "on": ["age"]},
]
WAYS = {"pure": {}, "zcdp": {"currency": "zcdp", "delta": 1e-6}}


def plan(**changed: Any) -> dict[str, Any]:
    return {
        "dprelease": 1,
        "dataset": "people",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 3},
        "columns": COLUMNS,
        "statistics": STATISTICS[:3],
        "charts": False,
        **changed,
    }


def people(rows: int, seed: int) -> pandas.DataFrame:
    rng = np.random.default_rng(seed)
    sex, ill, pay = rng.choice(["F", "M"], rows), rng.random(rows) < 0.3, rng.integers(0, 201, rows) / 2
    return pandas.DataFrame({"age": rng.integers(0, 100, rows), "sex": sex, "ill": ill, "pay": pay})


class Site:
    """A workspace of its own."""

    def __init__(self, seed: int = 1, rows: int = 500, unit: str = "person", **of: Any) -> None:
        self.frame, self.workspace = people(rows, seed).assign(id=np.arange(rows)), dprelease.Workspace.in_memory()
        population = {"unit": unit, "neighbors": "add_remove", "epsilon": 100, **of}
        for name in ("patients", "others"):
            self.workspace.add_population(name, **population)
        self.workspace.add_dataset("people", self.frame, population="patients", columns=COLUMNS)
        self.workspace.add_dataset("else", self.frame, population="others", columns=COLUMNS)

    def publish(self, folder: Path, asked: dict[str, Any]) -> Path:
        return self.workspace.publish(dprelease.Plan.parse(asked)).write(folder)


def tables(path: Path) -> dict[str, pandas.DataFrame]:
    return dict(dprelease.verify(path).release.estimates)
