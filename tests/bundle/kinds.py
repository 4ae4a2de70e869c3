"""Releases with every kind of statistic, made by the whole program from a small invented table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas

from dprelease.model.plan import Plan
from dprelease.model.release import Release
from dprelease.workspace import Workspace
from tests.made import made

ROWS = 600
REGIONS = ("north", "south", "east")
COLUMNS: dict[str, dict[str, Any]] = {
    "age": {"type": "integer", "lower": 0, "upper": 99, "unit": "years"},
    "income": {"type": "number", "lower": 0, "upper": 1000, "resolution": 1, "unit": "EUR"},
    "weight": {"type": "number", "lower": 0, "upper": 4, "resolution": 0.5},
    "region": {"type": "category", "categories": list(REGIONS), "count_missing_as": "north"},
    "sex": {"type": "category", "categories": ["F", "M"], "count_missing_as": "F"},
    "member": {"type": "boolean"},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
    "wide": {"type": "integer", "lower": -100_000, "upper": 100_000},
    "doctor": {"type": "category", "categories": "discover"},
    "code": {"type": "category", "categories": "discover"},
}
OLD = [{"column": "age", "at_least": 65}, {"column": "sex", "equals": "F"}]
SENIOR = [{"column": "age", "at_least": 65}]
QUESTIONS = [{"label": f"in the {name}", "where": [{"column": "region", "equals": name}]} for name in REGIONS]
STATISTICS: list[dict[str, Any]] = [
    {"id": "n", "kind": "count"},
    {"id": "n_income", "kind": "count", "column": "income", "by": ["region"], "survey_weights": "weight"},
    {"id": "n_region", "kind": "count", "by": ["region"]},
    {"id": "answers_income", "kind": "answered", "columns": ["income"], "by": ["region"]},
    {"id": "people", "kind": "units", "by": ["region"]},
    {"id": "income_sum", "kind": "sum", "column": "income"},
    {"id": "income_mean", "kind": "mean", "column": "income", "by": ["sex"], "method": "centred"},
    {"id": "income_per_year", "kind": "ratio", "numerator": "income", "denominator": "age", "by": ["region"]},
    {"id": "old", "kind": "proportion", "where": OLD, "by": ["region"]},
    {"id": "members", "kind": "rate", "where": [{"column": "member", "equals": True}], "column": "age", "per": 100},
    {"id": "income_variance", "kind": "variance", "column": "income"},
    {"id": "income_std", "kind": "std", "column": "income", "by": ["sex"]},
    {"id": "doctors", "kind": "histogram", "column": "doctor"},
    {"id": "codes", "kind": "histogram", "column": "code"},
    {"id": "doctor_age_sex", "kind": "crosstab", "columns": ["doctor", "age", "sex"], "bins": {"age": 2}},
    {"id": "region_sex", "kind": "crosstab", "columns": ["region", "sex"]},
    {"id": "region_sex_weighted", "kind": "crosstab", "columns": ["region", "sex"], "survey_weights": "weight"},
    {"id": "ages_weighted", "kind": "histogram", "column": "age", "bins": 4, "survey_weights": "weight"},
    {"id": "old_weighted", "kind": "proportion", "where": SENIOR, "by": ["region"], "survey_weights": "weight"},
    {"id": "family", "kind": "workload", "columns": ["region", "sex", "age"], "bins": {"age": 4}},
    {
        "id": "rows_of_nobody",
        "kind": "synthetic",
        "columns": ["region", "sex", "age"],
        "bins": {"age": 4},
        "order": 2,
        "rows": 50,
    },
    {
        "id": "income_sampled",
        "kind": "mean",
        "column": "income",
        "by": ["region"],
        "survey_weights": "weight",
        "sampling": True,
    },
    {"id": "age_cdf", "kind": "cdf", "column": "age", "bins": 10},
    {"id": "age_quantiles", "kind": "quantiles", "column": "age", "probs": [0.25, 0.5, 0.75]},
    {"id": "age_median", "kind": "median", "column": "age", "by": ["region"]},
    {"id": "age_five", "kind": "five_numbers", "column": "age"},
    {"id": "day_five", "kind": "five_numbers", "column": "day", "by": ["region"]},
    {"id": "usual_region", "kind": "mode", "column": "region"},
    {"id": "usual_region_by_sex", "kind": "mode", "column": "region", "by": ["sex"]},
    {"id": "top_ages", "kind": "top", "column": "age", "k": 3},
    {"id": "top_regions", "kind": "top", "column": "region", "k": 2, "method": "noisy_top_k"},
    {"id": "top_doctors", "kind": "top", "column": "doctor", "k": 3},
    {"id": "who_is_member", "kind": "naive_bayes", "outcome": "region", "on": ["age", "sex"], "bins": {"age": 4}},
    {"id": "card", "kind": "scorecard", "outcome": "member", "on": ["age", "region"], "together": "all"},
    {"id": "line", "kind": "linear", "outcome": "income", "on": ["age", "region"]},
    {"id": "odds", "kind": "logistic", "outcome": "member", "on": ["age", "region"], "rounds": 0},
    {"id": "large", "kind": "threshold", "questions": QUESTIONS, "threshold": 150, "numeric": True},
    {"id": "covariances", "kind": "covariance", "columns": ["age", "income"]},
    {"id": "correlations", "kind": "correlation", "columns": ["age", "income"]},
    {"id": "range", "kind": "bounds", "column": "wide"},
    {"id": "groups", "kind": "clusters", "on": ["age", "income"], "k": 3},
    {"id": "directions", "kind": "components", "on": ["age", "income"], "k": 2},
]
"""Every kind but `survey`, which needs the other relation."""
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Every kind",
    "dataset": "small",
    "privacy": {
        "unit": {"column": "pid", "max_rows": 2, "max_groups": 1},
        "neighbors": "add_remove",
        "epsilon": 200,
        "delta": 1e-6,
    },
    "expected": {"rows": ROWS},
    "postprocess": ["consistent", "nonnegative", "integer"],
    "statistics": STATISTICS,
}
IN_RHO: dict[str, Any] = {
    "dprelease": 1,
    "title": "In rho",
    "dataset": "answers",
    "privacy": {"unit": "row", "neighbors": "substitute", "epsilon": 4, "delta": 1e-6},
    "expected": {"rows": ROWS},
    "statistics": [
        {"id": "answers", "kind": "survey", "column": "region"},
        {"id": "n_region", "kind": "count", "by": ["region"]},
        {"id": "region_sex", "kind": "crosstab", "columns": ["region", "sex"]},
        {"id": "usual_region", "kind": "mode", "column": "region"},
    ],
}


ABOUT = {
    "publisher": "Office of <Health> Statistics",
    "contact": "statistics@health.example",
    "licence": "CC-BY-4.0",
    "topics": ["health", "hospitals & care"],
    "region": "Elbonia",
    "use": "Planning of wards.",
    "sector": "Healthcare",
}
WITHHELD: dict[str, Any] = {
    **IN_RHO,
    "title": "Withheld",
    "statistics": [{"id": "n_region", "kind": "count", "by": ["region"]}],
    "accept": [{"statistic": "n_region", "relative_error": 0.0001}],
}
"""A plan whose release fails what it asks of it."""


def table() -> pandas.DataFrame:
    """600 rows of 300 people; twelve doctors have 50 rows each, and no two rows share a code."""
    rows = range(ROWS)
    return pandas.DataFrame(
        {
            "pid": [row // 2 for row in rows],
            "age": [(row * 37) % 97 for row in rows],
            "income": [(row * 37) % 97 * 8 + row % 50 for row in rows],
            "weight": [1.5] * ROWS,
            "region": [REGIONS[(row % 6) // 3 if row % 6 < 5 else 2] for row in rows],
            "sex": ["FM"[row % 2] for row in rows],
            "member": [row % 3 == 0 for row in rows],
            "day": pandas.to_datetime("2025-01-01") + pandas.to_timedelta([row % 365 for row in rows], "D"),
            "wide": [row % 90 for row in rows],
            "doctor": [f"Dr {'ABCDEFGHIJKL'[row // 2 % 12]}" for row in rows],
            "code": [f"code {row}" for row in rows],
        }
    )


def install(workspace: Workspace) -> None:
    """Both populations with their dataset."""
    workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=1000, delta="1e-4", size=300)
    workspace.add_dataset("small", table(), population="few", unit_column="pid", columns=COLUMNS)
    workspace.add_population(
        "asked", unit="respondent", neighbors="substitute", epsilon=8, delta="1e-5", currency="zcdp", size=ROWS
    )
    own = {name: column for name, column in COLUMNS.items() if column.get("categories") != "discover"}
    workspace.add_dataset("answers", table().drop(columns=["pid"]), population="asked", columns=own)


def publish(workspace: Workspace, plan: dict[str, Any]) -> Release:
    plan_id = workspace.plans.submit(Plan.parse(plan))
    workspace.plans.approve(plan_id)
    return workspace.publish(plan_id)


def home() -> Path:
    """Return the folder of a workspace that has published every kind, with what its plan says about it, and in ρ."""
    return made(_home)


def bundles() -> dict[str, Path]:
    """Return the bundles of that workspace by their titles. They are shared: nobody writes there."""
    found = (home() / "public").glob("*/release.json")
    return {json.loads(path.read_text())["title"]: path.parent for path in found}


def bundle(plan: dict[str, Any]) -> Path:
    return bundles()[plan["title"]]


def _home(folder: Path) -> None:
    workspace = Workspace.create(folder)
    install(workspace)
    for plan in ({**PLAN, "about": ABOUT}, IN_RHO, WITHHELD):
        publish(workspace, plan)
