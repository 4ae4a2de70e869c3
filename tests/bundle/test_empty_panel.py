"""A panel in which nothing can be said is empty in a chart, and verifies; a mark in it does not."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pandas

import dprelease
from dprelease.charts.picture import picture
from dprelease.model.release import Estimates, FittedOutput, Release

COLUMNS: dict[str, Any] = {
    "x": {"type": "integer", "lower": 0, "upper": 50},
    "two": {"type": "integer", "lower": 0, "upper": 1},
    "c": {"type": "category", "categories": ["a", "b", "c"]},
}
TABLE = pandas.DataFrame({"x": [*range(50)] * 6, "two": [0, 1] * 150, "c": ["a", "b", "c"] * 100})


def published() -> Release:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("d", TABLE, columns=COLUMNS, epsilon=10**4)
    asked = {"id": "m", "kind": "naive_bayes", "outcome": "c", "on": ["x", "two"], "method": "normal"}
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 10**3}
    plan = workspace.plans.submit(
        dprelease.Plan.parse({"dprelease": 1, "dataset": "d", "privacy": privacy, "statistics": [asked]})
    )
    workspace.plans.approve(plan)
    return workspace.publish(plan)


def emptied(release: Release, table: str, kept: int) -> Release:
    """The same, where nothing is said but of the first cells."""
    model = release.outputs["m"]
    assert isinstance(model, FittedOutput)
    whole = model.parts[table]
    columns = [
        [*column[:kept], *[None] * (len(whole) - kept)] for column in (whole.value, whole.lower95, whole.upper95)
    ]
    value, lower, upper = columns
    part = Estimates(axes=whole.axes, value=value, lower95=lower, upper95=upper, extra=whole.extra)
    return replace(release, outputs={"m": replace(model, parts={**model.parts, table: part})})


def test_a_panel_without_values_is_empty() -> None:
    release = published()
    some = emptied(release, "means", 2)
    shown = [json.loads(picture(each, "m.means").specification)["datasets"] for each in (release, some)]
    whole, left = ([row["value"] for rows in each.values() for row in rows] for each in shown)
    assert left == [*whole[:2], *[None] * (len(whole) - 2)]
    assert picture(some, "m.means").svg().count(b"<path") < picture(release, "m.means").svg().count(b"<path")
