"""A plan that is brought into the workbench and taken out again is the same, whatever it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

import dprelease
from dprelease.model.plan import PLAN_KEYS
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import read, written

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": -20, "upper": 100},
    "region": {"type": "category", "categories": ["north", "south"]},
}
WHOLE: dict[str, Any] = {
    "dprelease": 1,
    "title": "Ages",
    "description": "Of 2025.",
    "about": {"publisher": "Office", "reference": {"column": "day"}},
    "dataset": "people",
    "run": {"column": "day", "every": "month", "first": "2025-01", "last": "2025-12", "at_most": 1},
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": 0},
    "expected": {"rows": 300},
    "weights": "equalise",
    "postprocess": ["nonnegative"],
    "charts": False,
    "columns": COLUMNS,
    "missing_codes": [-9],
    "where": [{"column": "region", "equals": "north"}],
    "statistics": [{"id": "n", "kind": "histogram", "column": "region"}, {"id": "m", "kind": "mean", "column": "age"}],
    "accept": [{"statistic": "m", "error": 5}],
    "lead": "m",
    "public": {
        "people": {
            "keys": {"region": "r"},
            "value": "n",
            "source": "Register",
            "licence": "CC0-1.0",
            "content": "r,n\nnorth,9\n",
        },
        "standard": {"keys": ["region"], "value": "w", "source": "World", "content": "region,w\nnorth,1\nsouth,2\n"},
    },
    "derived": [
        {"id": "rate", "of": "n", "per": "people", "times": 1000},
        {"id": "std", "of": "n", "per": "people", "standardise": {"over": "region", "weights": "standard"}},
        {"id": "index", "of": "n", "over": "region", "base": "north"},
    ],
    "texts": {
        "languages": ["es", "en"],
        "title": {"es": "Edades"},
        "columns": {"region": {"label": {"es": "Región"}, "codelist": "regions"}},
        "statistics": {"n": {"title": {"es": "Personas"}}, "m": {"title": {"es": "Edad media"}}},
        "codelists": {"regions": {"codes": {"north": {"es": "Norte"}, "south": {"es": "Sur"}}}},
    },
}


@pytest.fixture(scope="module")
def workspace() -> dprelease.Workspace:
    import pandas

    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", pandas.DataFrame({"age": [1], "region": ["north"]}), columns=COLUMNS, epsilon=3)
    return made


def again(workspace: dprelease.Workspace, draft: Draft) -> dict[str, Any]:
    """What the workbench makes of a draft that was saved."""
    (population,) = workspace.populations.find()
    kept = read(json.loads(json.dumps(written(draft))))
    return kept.mapping(workspace.datasets.get("people"), population)


def test_nothing_of_a_plan_is_lost(workspace: dprelease.Workspace) -> None:
    plan = dprelease.Plan.parse(WHOLE)
    assert set(WHOLE) == set(PLAN_KEYS), "a key more is one that the draft must keep"
    found = again(workspace, Draft.from_plan(plan))
    assert dprelease.Plan.parse(found) == plan
    assert set(found) == set(WHOLE)


def test_that_there_are_no_codes_is_kept_too(workspace: dprelease.Workspace) -> None:
    plan = dprelease.Plan.parse(WHOLE | {"missing_codes": []})
    assert again(workspace, Draft.from_plan(plan))["missing_codes"] == []


def test_texts_of_a_statistic_go_with_it(workspace: dprelease.Workspace) -> None:
    draft = Draft.from_plan(dprelease.Plan.parse(WHOLE))
    draft.remove(draft.statistics[1])
    found = again(workspace, draft)
    assert list(found["texts"]["statistics"]) == ["n"]
    assert dprelease.Plan.parse(found).texts.columns["region"].codelist == "regions"


def test_a_rate_follows_its_statistic(workspace: dprelease.Workspace) -> None:
    draft = Draft.from_plan(dprelease.Plan.parse(WHOLE))
    draft.statistics[0].id = "another"
    assert {each["of"] for each in again(workspace, draft)["derived"]} == {"another"}
    draft.remove(draft.statistics[0])
    assert not {"derived", "public"} & again(workspace, draft).keys()
