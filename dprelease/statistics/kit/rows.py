"""The table that statistics are checked on: columns of every type, rows at their corners, and rows that are awkward."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from math import inf, nan
from typing import Any

import pyarrow as pa

from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema

Row = dict[str, Any]

SCHEMA = Schema.parse(
    {
        "k": {"type": "integer", "lower": 0, "upper": 3, "levels": {"pairs": {"width": 2}}},
        "x": {"type": "number", "lower": -2, "upper": 1.5, "resolution": 0.5},
        "far": {"type": "integer", "lower": 5, "upper": 8},
        "low": {"type": "number", "lower": -3, "upper": -1, "resolution": 0.25},
        "g": {
            "type": "category",
            "categories": ["a", "b"],
            "other": True,
            "levels": {"apart": {"rest": ["b", "other"], "first": ["a"]}},
        },
        "h": {"type": "category", "categories": ["u", "v"]},
        "flag": {"type": "boolean"},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-04"},
        "answer": {"type": "category", "categories": ["yes", "no", "none"], "count_missing_as": "none"},
        "told": {
            "type": "category",
            "categories": ["yes", "no", "none"],
            "count_missing_as": "none",
            "randomized": {"method": "response", "epsilon": 0.05},
        },
        "wide": {"type": "integer", "lower": -1000, "upper": 1000, "count_missing_as": 0},
        "unknown": {"type": "category", "categories": "discover"},
        "only": {"type": "category", "categories": ["a"]},
        "coded": {
            "type": "integer",
            "lower": 0,
            "upper": 5,
            "missing_codes": [2, {"from": 90, "to": 99}],
            "outside": "missing",
        },
        "unseen": {"type": "category", "categories": "discover", "missing_codes": ["b None"]},
        "span": {"made": {"difference": ["far", "k"]}, "lower": 3, "outside": "missing"},
        "band": {"made": {"cut": {"of": "x", "at": [0], "labels": ["below", "above"]}}},
        "both": {"made": {"holds": [{"column": "flag", "equals": True}, {"column": "k", "at_least": 1}]}},
    }
)
"""Declarations of the columns. The last ones are made of others."""
STORED = {
    "k": pa.float64(),
    "x": pa.float64(),
    "far": pa.int64(),
    "low": pa.float64(),
    "g": pa.string(),
    "h": pa.string(),
    "flag": pa.bool_(),
    "day": pa.date32(),
    "answer": pa.string(),
    "told": pa.string(),
    "wide": pa.float64(),
    "unknown": pa.string(),
    "only": pa.string(),
    "coded": pa.float64(),
    "unseen": pa.string(),
}
"""Stored types of the columns."""

WHERE = (Condition("k", (("in", (0, 3)),)), Condition("day", (("at_most", "2025-01-03"),)))
"""A filter that some of the rows pass."""
UNITS = {"rows": PrivacyUnit()} | {f"people, {most} rows": PrivacyUnit("person", most) for most in (1, 2, 3)}
UNITS["people, 3 rows, 2 groups"] = PrivacyUnit("person", 3, 2)
"""The privacy units that are tried, by name."""

CODED = {
    ("a", "u"): 0.0,
    ("b", "v"): 5.0,
    ("a", "v"): 1.0,
    ("elsewhere", "u"): 4.0,
    ("b", "u"): 3.0,
    ("other", "u"): -9.0,
}
"""The value of `coded`: anything else is a code for no answer; what lies below the bounds has no value either."""


def row(k: Any, x: Any, far: Any, low: Any, g: Any, h: Any, flag: Any, day: int | None) -> Row:
    return {
        "k": k,
        "x": x,
        "far": far,
        "low": low,
        "g": g,
        "h": h,
        "flag": flag,
        "day": None if day is None else date.fromordinal(date(2025, 1, 1).toordinal() + day),
        "answer": {"u": "yes", "v": "no"}.get(h),
        "told": {"u": "no", "v": "yes"}.get(h),
        "wide": None if x is None else 300 * x,
        "unknown": None if g is None else f"{g} {h}",
        "only": None if x is None else "a",
        "coded": CODED.get((g, h), 2.0),
        "unseen": None if g is None else f"{g} {h}",
    }


EXTREMES = (
    row(0, -2.0, 5, -3.0, "a", "u", True, 0),
    row(3, 1.5, 8, -1.0, "a", "u", True, 2),
    row(0, -2.0, 8, -3.0, "b", "v", False, 0),
    row(3, 1.5, 5, -3.0, "b", "v", False, 2),
    row(0, 0.0, 8, -1.0, "elsewhere", "v", True, 2),
    row(3, -0.5, 8, -3.0, "elsewhere", "u", False, 0),
    row(3, -2.0, 8, -3.0, "b", "v", True, 0),
)
"""At the bounds, in different cells, and passing the filter."""
ABSENT = (
    row(0, None, None, None, "a", "u", None, 0),
    row(3, nan, None, None, "b", "v", None, 2),
    row(0, 1.5, 8, -1.0, None, None, True, 0),
)
"""Without numbers, in different cells, and without categories; they pass the filter."""
UNANSWERED = row(0, 0.0, 8, -3.0, None, None, None, 0)
"""Without an answer to what others are told apart by; it passes the filter."""
AWKWARD = (
    row(None, nan, None, None, None, None, None, None),
    row(nan, inf, 2**62, -inf, "", "w", None, 0),
    row(-9, -1e308, -(2**63), 5e-324, "other", "u", False, -400),
    row(1, 0.25, 6, -2.0, "a", "v", True, 1),
    row(2, 0.2499999, 7, -1.9, "b", None, True, 3),
    row(99, 1e308, 99, 1e308, None, "v", False, 400),
    row(0, None, 8, -3.0, "a", "u", None, 0),
    row(0, -2.0, 5, -3.0, "a", "v", True, 0),
    row(0, 1.0, 7, -2.0, "b", "u", True, 1),
    row(3, 1.5, 8, -1.0, "other", "u", False, 2),
)
"""Null, NaN, infinite, out of bounds, undeclared, and some that do not pass the filter."""
PALETTE = EXTREMES + AWKWARD


def stored_table(rows: Sequence[Row]) -> pa.Table:
    """Return rows as a table of stated types, so that null and NaN stay what they are."""
    types = STORED | {"trial": pa.int64(), "person": pa.int64()}
    return pa.table(
        {name: pa.array([item[name] for item in rows], type=type_, from_pandas=False) for name, type_ in types.items()}
    )
