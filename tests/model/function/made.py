"""Models of each kind as models/ID.json has them, made by hand, and rows for them."""

from __future__ import annotations

import random
from math import log
from typing import Any

AGE = {"column": "age", "type": "integer", "lower": 18, "upper": 90, "resolution": 1}
BMI = {"column": "bmi", "type": "number", "lower": 15.5, "upper": 45.5, "resolution": 0.5}
SEX = {"column": "sex", "type": "category", "categories": ["F", "M", "=x <b>"]}
SMOKER = {"column": "smoker", "type": "boolean", "categories": ["false", "true"]}
DAY = {"column": "admitted", "type": "date", "lower": "2024-01-01", "upper": "2025-12-31", "resolution": 1}
BINNED_AGE = {**AGE, "edges": [18, 30, 45, 60, 90]}
BINNED_BMI = {**BMI, "edges": [15.5, 25, 30.5, 45.5]}
BINNED_DAY = {**DAY, "edges": ["2024-01-01", "2024-07-01", "2025-12-31"]}
COST = {"column": "cost", "type": "number", "lower": 0, "upper": 5000, "resolution": 1}
ILL = {"column": "ill", "type": "boolean", "categories": ["false", "true"]}
WARD = {"column": "ward", "type": "category", "categories": ["a", "b", "c"]}

SHORT = [{"column": "age", "coefficient": 0.0625}, {"column": "sex", "category": "M", "coefficient": -0.7}]
TERMS = [
    {"column": "age", "coefficient": 21.5},
    {"column": "bmi", "coefficient": -13.0625},
    {"column": "sex", "category": "M", "coefficient": 310.0},
    {"column": "sex", "category": "=x <b>", "coefficient": -95.5},
    {"column": "smoker", "category": "true", "coefficient": 777.25},
    {"column": "admitted", "coefficient": 0.5},
]
SEXES = [[log(share) for share in row] for row in ([0.6, 0.3, 0.1], [0.3, 0.6, 0.1], [0.2, 0.2, 0.6])]
LOGS = [[log(share) for share in row] for row in ([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1], [0.25] * 4)]

MODELS: dict[str, dict[str, Any]] = {
    "linear": {
        "model": 1,
        "kind": "linear",
        "inputs": [AGE, BMI, SEX, SMOKER, DAY],
        "outcome": COST,
        "function": {
            "link": "identity",
            "intercept": -8500.0,
            "terms": TERMS,
            "lower": 0,
            "upper": 5000,
            "shrinkage": 0.5,
            "covariance": [[0.0025 if row == column else 0.0 for column in range(7)] for row in range(7)],
        },
        "integers": [[1, 2, 3]],
    },
    "linear_by": {
        "model": 1,
        "kind": "linear",
        "inputs": [SEX, AGE, SMOKER],
        "outcome": COST,
        "function": {
            "link": "by",
            "column": "sex",
            "groups": [
                {
                    "category": name,
                    "function": {
                        "link": "identity",
                        "intercept": start,
                        "terms": [
                            {"column": "age", "coefficient": slope},
                            {"column": "smoker", "category": "true", "coefficient": 10 * slope},
                        ],
                        "lower": 0,
                        "upper": 5000,
                        "covariance": [
                            [0.25 * spread if row == column else 0.0 for column in range(3)] for row in range(3)
                        ],
                    },
                }
                for name, start, slope, spread in (
                    ("F", -500.0, 31.25, 1),
                    ("M", 80.5, 12.0, 2),
                    ("=x <b>", 9.0, -3.5, 4),
                )
            ],
        },
        "integers": [[1, 2, 3]],
    },
    "logistic": {
        "model": 1,
        "kind": "logistic",
        "inputs": [AGE, SEX],
        "outcome": ILL,
        "function": {
            "link": "logit",
            "positive": "true",
            "intercept": -3.25,
            "terms": SHORT,
        },
        "integers": [],
    },
    "scorecard": {
        "model": 1,
        "kind": "scorecard",
        "inputs": [BINNED_AGE, BINNED_BMI, SEX, BINNED_DAY],
        "outcome": ILL,
        "function": {
            "link": "logit",
            "positive": "true",
            "intercept": -0.75,
            "terms": [
                {"column": "age", "points": [-1.5, -0.25, 0.5, 1.25]},
                {"column": "bmi", "points": [-0.5, 0.125, 0.875]},
                {"column": "sex", "points": [0.1, -0.1, 0.0]},
                {"column": "admitted", "points": [0.3, -0.3]},
            ],
        },
        "integers": [],
    },
    "naive_bayes": {
        "model": 1,
        "kind": "naive_bayes",
        "inputs": [BINNED_AGE, SEX],
        "outcome": WARD,
        "function": {
            "link": "bayes",
            "classes": ["a", "b", "c"],
            "priors": [log(0.5), log(0.3), log(0.2)],
            "terms": [
                {"column": "age", "logs": LOGS},
                {"column": "sex", "logs": SEXES},
            ],
        },
        "integers": [],
    },
    "normal_bayes": {
        "model": 1,
        "kind": "naive_bayes",
        "inputs": [AGE, BMI],
        "outcome": ILL,
        "function": {
            "link": "bayes",
            "classes": ["false", "true"],
            "priors": [log(0.75), log(0.25)],
            "terms": [
                {"column": "age", "means": [40.5, 61.0], "deviations": [12.0, 9.5]},
                {"column": "bmi", "means": [25.25, 31.0], "deviations": [4.0, 5.5]},
            ],
        },
        "integers": [],
    },
    "clusters": {
        "model": 1,
        "kind": "clusters",
        "inputs": [AGE, BMI],
        "outcome": None,
        "function": {
            "link": "nearest",
            "fuzziness": 2,
            "centres": [[30.25, 22.5], [55.0, 31.0], [70.5, 24.0]],
            "widths": [72, 30],
        },
        "integers": [],
    },
    "fuzzy": {
        "model": 1,
        "kind": "clusters",
        "inputs": [AGE, BMI],
        "outcome": None,
        "function": {"link": "fuzzy", "fuzziness": 1.7, "centres": [[30.25, 22.5], [55.0, 31.0]], "widths": [72, 30]},
        "integers": [],
    },
    "components": {
        "model": 1,
        "kind": "components",
        "inputs": [AGE, BMI],
        "outcome": None,
        "function": {"link": "project", "means": [50.0, 27.0], "widths": [72, 30], "axes": [[0.8, 0.6], [-0.6, 0.8]]},
        "integers": [],
    },
}


def rows(many: int) -> dict[str, list[Any]]:
    """Values within, on and beyond the bounds, at edges and half a step beside them, and some that are none."""
    chance = random.Random(19)
    choices: dict[str, list[Any]] = {
        "age": [*range(10, 100), 29.5, 29.49, 44.5, None, "35", "x"],
        "bmi": [*(15 + place / 4 for place in range(130)), 24.75, 24.7, 30.25, "27.5", None],
        "sex": ["F", "M", "F", "M", "=x <b>", "Z", None],
        "smoker": ["true", "false", True, False, "true", "maybe"],
        "admitted": ["2024-01-01", "2024-06-30", "2024-07-01", "2025-12-31", "2030-01-01", "1999-05-05", "soon"],
    }
    return {name: [chance.choice(values) for _ in range(many)] for name, values in choices.items()}
