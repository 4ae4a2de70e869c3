"""Plans to test with: the example of docs/plan.md, and a generator of plans that must be accepted."""

from __future__ import annotations

import copy
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

EXAMPLE_YAML = """\
dprelease: 1
title: Hospital visits 2025
dataset: visits
privacy:
  unit: {column: person_id, max_rows: 5}   # or: unit: row. Must agree with the population; only max_rows is its own
  neighbors: add_remove                    # or: substitute. Must agree with the population
  epsilon: 1.0
  delta: 0
expected: {rows: 50000, units: 12000}      # public guesses, used only to price errors that depend on the data
columns:
  age:    {type: integer, lower: 0, upper: 100}
  income: {type: number, lower: 0, upper: 200000, resolution: 1}
  region: {type: category, categories: [north, south, east, west], other: true}
  sex:    {type: category, categories: [F, M]}
  day:    {type: date, lower: 2025-01-01, upper: 2025-12-31}
where:                                     # optional, row by row, declared columns only
  - {column: age, at_least: 18}
statistics:
  - {id: n, kind: count}
  - {id: ages, kind: histogram, column: age, bins: 20, weight: 2}
  - {id: mean_income, kind: mean, column: income}
  - {id: total_income, kind: sum, column: income, epsilon: 0.1}
  - {id: income_quartiles, kind: quantiles, column: income, probs: [0.25, 0.5, 0.75]}
  - {id: region_sex, kind: crosstab, columns: [region, sex]}
  - {id: income_by_region, kind: mean, column: income, by: [region]}
"""

EXAMPLE: dict[str, Any] = {
    "dprelease": 1,
    "title": "Hospital visits 2025",
    "dataset": "visits",
    "privacy": {
        "unit": {"column": "person_id", "max_rows": 5},
        "neighbors": "add_remove",
        "epsilon": 1.0,
        "delta": 0,
    },
    "expected": {"rows": 50000, "units": 12000},
    "columns": {
        "age": {"type": "integer", "lower": 0, "upper": 100},
        "income": {"type": "number", "lower": 0, "upper": 200000, "resolution": 1},
        "region": {"type": "category", "categories": ["north", "south", "east", "west"], "other": True},
        "sex": {"type": "category", "categories": ["F", "M"]},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
    },
    "where": [{"column": "age", "at_least": 18}],
    "statistics": [
        {"id": "n", "kind": "count"},
        {"id": "ages", "kind": "histogram", "column": "age", "bins": 20, "weight": 2},
        {"id": "mean_income", "kind": "mean", "column": "income"},
        {"id": "total_income", "kind": "sum", "column": "income", "epsilon": 0.1},
        {"id": "income_quartiles", "kind": "quantiles", "column": "income", "probs": [0.25, 0.5, 0.75]},
        {"id": "region_sex", "kind": "crosstab", "columns": ["region", "sex"]},
        {"id": "income_by_region", "kind": "mean", "column": "income", "by": ["region"]},
    ],
}


def example(**changes: Any) -> dict[str, Any]:
    """The example with top-level keys replaced; None leaves a key out."""
    plan = copy.deepcopy(EXAMPLE) | changes
    return {key: value for key, value in plan.items() if value is not None}


def small(**changes: Any) -> dict[str, Any]:
    """The shortest plan, with top-level keys replaced or joined."""
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    return {"dprelease": 1, "dataset": "d", "privacy": privacy, "statistics": [{"id": "n", "kind": "count"}]} | changes


words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
names = words.filter(bool)
identifiers = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)
days = st.dates(date(1900, 1, 1), date(2100, 1, 1))


@st.composite
def numeric_columns(draw: st.DrawFn, type_: str) -> dict[str, Any]:
    """Bounds on a lattice whose step is a whole number or, for numbers, a decimal such as 0.05."""
    exponent = 0 if type_ == "integer" else draw(st.integers(-4, 2))
    step = draw(st.sampled_from([1, 2, 5])) * Decimal(10) ** exponent
    start = draw(st.integers(-10_000, 10_000))
    steps = draw(st.integers(1, 5000))
    column = {"type": type_, "lower": float(start * step), "upper": float((start + steps) * step)}
    if step != 1 or type_ == "number" or draw(st.booleans()):
        column["resolution"] = float(step)
    return column


@st.composite
def columns(draw: st.DrawFn) -> dict[str, Any]:
    type_ = draw(st.sampled_from(["integer", "number", "category", "boolean", "date", "text"]))
    column: dict[str, Any] = {"type": type_}
    if type_ in ("integer", "number"):
        column = draw(numeric_columns(type_))
    elif type_ == "date":
        lower = draw(days)
        column |= {
            "lower": lower.isoformat(),
            "upper": (lower + timedelta(days=draw(st.integers(1, 4000)))).isoformat(),
        }
    elif type_ == "category":
        listed = draw(st.lists(words.filter(lambda word: word != "other"), min_size=1, max_size=6, unique=True))
        column |= {"categories": listed, "other": draw(st.booleans())}
    if type_ in ("integer", "number", "date") and draw(st.booleans()):
        column["outside"] = draw(st.sampled_from(["clip", "missing", {"below": "missing"}, {"above": "missing"}]))
    if type_ != "text" and draw(st.booleans()):
        column["missing_codes"] = draw(st.lists(codes(type_), max_size=4))
        if type_ == "category":  # none is a number in a range of codes, which is refused
            column["categories"] = [f"c{each}" for each in column["categories"]]
    for key in ("unit", "description"):
        if draw(st.booleans()):
            column[key] = draw(words)
    return column


def codes(type_: str) -> st.SearchStrategy[Any]:
    """Codes of a generated column that are none of its values."""
    texts = words.map(lambda word: f"no {word}")
    if type_ == "date":
        return texts | st.sampled_from(["0000-00-00", "9999-12-31", {"from": "9000-01-01"}, {"to": "1800-01-01"}])
    return texts | st.sampled_from([-1_000_000, "-1000000.5", {"from": 10**9, "to": 10**9 + 9}, {"to": -(10**9)}])


def declared_values(column: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a generated column declares."""
    if column["type"] in ("integer", "number"):
        step = Decimal(str(column.get("resolution", 1)))
        lower, upper = Decimal(str(column["lower"])), Decimal(str(column["upper"]))
        return st.integers(0, int((upper - lower) / step)).map(lambda code: float(lower + code * step))
    if column["type"] == "date":
        return st.dates(date.fromisoformat(column["lower"]), date.fromisoformat(column["upper"])).map(date.isoformat)
    if column["type"] == "boolean":
        return st.booleans()
    return st.sampled_from([*column["categories"], *(["other"] if column["other"] else [])])


@st.composite
def conditions(draw: st.DrawFn, name: str, column: dict[str, Any]) -> dict[str, Any]:
    values = declared_values(column)
    if column["type"] in ("integer", "number", "date") and draw(st.booleans()):
        return {"column": name, draw(st.sampled_from(["at_least", "at_most"])): draw(values)}
    if draw(st.booleans()):
        return {"column": name, "equals": draw(values)}
    return {"column": name, "in": draw(st.lists(values, min_size=1, max_size=3))}


@st.composite
def statistics(draw: st.DrawFn, declared: dict[str, Any]) -> dict[str, Any]:
    """One statistic over declared columns, at times with a share of its own."""

    def of(*types: str) -> list[str]:
        return [name for name, column in declared.items() if column["type"] in types]

    numeric, ordered = of("integer", "number"), of("integer", "number", "date")
    listed = of("category", "boolean")
    kinds = ["count"]
    kinds += ["sum", "mean"] if numeric else []
    kinds += ["median", "quantiles"] if ordered else []
    kinds += ["histogram"] if ordered or listed else []
    kinds += ["crosstab"] if len(listed) >= 2 else []
    kind = draw(st.sampled_from(kinds))
    statistic: dict[str, Any] = {"kind": kind}
    if kind in ("sum", "mean"):
        statistic["column"] = draw(st.sampled_from(numeric))
    if kind in ("median", "quantiles"):
        statistic["column"] = draw(st.sampled_from(ordered))
        statistic["cells"] = draw(st.integers(2, 64))
    if kind == "quantiles":
        statistic["probs"] = draw(
            st.lists(st.sampled_from([0.1, 0.25, 0.5, 0.999999]), min_size=1, max_size=3, unique=True)
        )
    if kind == "histogram":
        statistic["column"] = draw(st.sampled_from(ordered + listed))
        column = declared[statistic["column"]]
        if column["type"] in ("integer", "number") and draw(st.booleans()):
            statistic["edges"] = [column["lower"], column["upper"]]
        elif column["type"] in ("integer", "number") and draw(st.booleans()):
            statistic["bins"] = 1
    if kind == "crosstab":
        statistic["columns"] = draw(st.permutations(listed))[:2]
    if kind in ("count", "sum", "mean", "median", "quantiles") and listed and draw(st.booleans()):
        statistic["by"] = [draw(st.sampled_from(listed))]
    share = draw(st.sampled_from(["none", "weight", "epsilon"]))
    if share == "weight":
        statistic["weight"] = draw(st.sampled_from([1, 2, 0.5, 1e-6, 1_000_000]))
    if share == "epsilon":
        statistic["epsilon"] = draw(st.sampled_from([0.1, 1e-9, 0.123456789, 3]))
    return statistic


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    """A plan file that the parser must accept."""
    declared = draw(st.dictionaries(names, columns(), min_size=1, max_size=4))
    usable = {name: column for name, column in declared.items() if column["type"] != "text"}
    chosen = draw(st.lists(statistics(usable), min_size=1, max_size=4))
    ids = draw(st.lists(identifiers, min_size=len(chosen), max_size=len(chosen), unique=True))
    unit = draw(st.one_of(st.just("row"), st.fixed_dictionaries({"column": names, "max_rows": st.integers(1, 10**6)})))
    plan: dict[str, Any] = {
        "dprelease": 1,
        "dataset": draw(names),
        "privacy": {
            "unit": unit,
            "neighbors": draw(st.sampled_from(["add_remove", "substitute"])),
            "epsilon": draw(st.sampled_from([1, 0.1, 1e-9, 0.123456789, 1_000_000])),
            "delta": draw(st.sampled_from([0, 1e-9, 0.001, 1e-18])),
        },
        "columns": declared,
        "statistics": [{"id": identifier, **statistic} for identifier, statistic in zip(ids, chosen, strict=True)],
    }
    if draw(st.booleans()):
        plan["title"] = draw(words)
    if draw(st.booleans()):
        plan["expected"] = {"rows": draw(st.integers(1, 10**12))}
    if usable and draw(st.booleans()):
        plan["where"] = [
            draw(conditions(name, usable[name])) for name in draw(st.lists(st.sampled_from(sorted(usable)), min_size=1))
        ][:5]
    return plan
