"""Small tables with every awkward thing in them, and the queries they are asked."""

from __future__ import annotations

from datetime import date, timedelta
from math import inf, nan
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from dprelease.model.condition import Condition
from dprelease.model.schema import Schema
from dprelease.model.tally import Addend, Measure, ScoreKey, TallyQuery
from dprelease.statistics.algebra.grouping import each_value, equal_bins, given_edges
from dprelease.statistics.algebra.unanswered import with_missing

SCHEMA = Schema.parse(
    {
        "x": {"type": "number", "lower": -2, "upper": 3, "resolution": 0.5},
        "k": {"type": "integer", "lower": 0, "upper": 7},
        "g": {"type": "category", "categories": ["a", "b", "c"], "other": True},
        "h": {"type": "category", "categories": [1, 2]},
        "b": {"type": "boolean"},
        "d": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-10"},
    }
)
STORED = {
    "id": pa.int64(),
    "x": pa.float64(),
    "k": pa.int32(),
    "g": pa.string(),
    "h": pa.float64(),
    "b": pa.string(),
    "d": pa.date32(),
}

G, H, K, X, D, B = (SCHEMA[name] for name in ("g", "h", "k", "x", "d", "b"))
SCORES = [
    ScoreKey(-13, (Addend("x", 7), Addend("k", -5), Addend("g", of_code=(0, 9, -9, 4))), 2, 8),
    ScoreKey(2**60, (Addend("k", -(2**57)), Addend("b", of_code=(-(2**59), 2**59))), 56, 3),
    ScoreKey(-3, (Addend("h", 3), Addend("x", 1)), 0, 2),
    ScoreKey(5, (), 1, 1),
]
"""Of few columns and of many cells, near the largest sums, without a bit, and of no column."""
QUERIES = [
    TallyQuery(),
    TallyQuery((), Measure((), ("x",))),
    TallyQuery((), Measure(("x",))),
    TallyQuery((), Measure(("x", "k"))),
    TallyQuery((), Measure(("k", "k"), ("x", "g"))),
    TallyQuery((each_value(G),)),
    TallyQuery((each_value(G),), Measure(("x",))),
    TallyQuery((each_value(G),), Measure((), ("x", "k"))),
    TallyQuery((each_value(H), each_value(B))),
    TallyQuery((each_value(B), each_value(G), each_value(H)), Measure(("k",))),
    TallyQuery((equal_bins(K, 3),)),
    TallyQuery((equal_bins(X, 4),)),
    TallyQuery((equal_bins(D, 4), each_value(H))),
    TallyQuery((given_edges(K, [0, 2, 3, 7]),)),
    TallyQuery((given_edges(X, [0, 10]),)),
    TallyQuery((each_value(K),)),
    TallyQuery((with_missing(each_value(H)), each_value(B))),
    TallyQuery((with_missing(each_value(G)), with_missing(equal_bins(D, 4))), Measure(("x",))),
    TallyQuery((with_missing(given_edges(X, [0, 2, 10])),), Measure((), ("k",))),
    *(TallyQuery(score=score) for score in SCORES),
    TallyQuery((), Measure(("x",), ("d",)), score=SCORES[0]),
    TallyQuery((), Measure((), (), (Condition("g", (("equals", "b"),)),)), score=SCORES[0]),
    TallyQuery((each_value(B), equal_bins(D, 4)), Measure(("k", "k")), score=SCORES[1]),
]

CONDITIONS = [
    Condition("x", (("at_least", -1), ("at_most", 2))),
    Condition("k", (("in", (1, 2, 3, 7)),)),
    Condition("g", (("equals", "other"),)),
    Condition("b", (("equals", True),)),
    Condition("d", (("at_most", "2025-01-05"),)),
]

identifiers = st.none() | st.integers(-3, 3) | st.sampled_from([2**63 - 1, -(2**63), 2**31, 2**40 + 1])
rows = st.fixed_dictionaries(
    {
        "id": identifiers,
        "x": st.none() | st.sampled_from([nan, inf, -inf, -2.0, 3.0, 0.25, -0.0, 5e-324, 1e308]) | st.floats(-3, 4),
        "k": st.none() | st.integers(-2, 9),
        "g": st.none() | st.sampled_from(["a", "b", "c", "z", "", "other"]),
        "h": st.none() | st.sampled_from([1.0, 2.0, 3.0, 1.5, nan]),
        "b": st.none() | st.sampled_from(["yes", "No", "1", "?"]),
        "d": st.none() | st.integers(-3, 12).map(lambda days: date(2025, 1, 1) + timedelta(days=days)),
    }
)
tables = st.lists(rows, max_size=25)
filters = st.lists(st.sampled_from(CONDITIONS), max_size=2, unique=True).map(tuple)


def arrow(table: list[dict[str, Any]], **types: pa.DataType) -> pa.Table:
    """Rows as a table of stated types, so that null and NaN stay what they are."""
    stored = STORED | types
    return pa.table(
        {name: pa.array([row[name] for row in table], type=type_, from_pandas=False) for name, type_ in stored.items()}
    )
