"""The shipped JSON Schema says what the parser does."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import dprelease.model
from dprelease.errors import PlanError, Problem
from dprelease.model.column import COLUMN_KEYS, Column, ColumnType
from dprelease.model.made import FUNCTIONS
from dprelease.model.plan import PLAN_KEYS
from dprelease.model.report import DAY, NUMBER, Report
from dprelease.model.statistic import COMMON_KEYS, KINDS
from dprelease.statistics import STATISTICS, Plan
from tests.model.plan_schema import plan_schema, written
from tests.model.plans import EXAMPLE, example, plans, small
from tests.tries import tries

SHIPPED = Path(dprelease.model.__file__).with_name("plan.schema.json")
SCHEMA = plan_schema(KINDS)
VALIDATOR = Draft202012Validator(SCHEMA)

PARSER_ONLY = re.compile(
    r"declared (value|column)|more than lower|multiple of the resolution|steps between the bounds|no other statistic"
    r"|each category once|another name|(^|at most )\d+ (decimals|digits)|with at most \d+ decimals|increasing"
    r"|one of them$|a column of type|number columns with bins|equals or in$|edges from|at most \d+(, |$)"
    r"|^a number above 0$|its declared values|between the bounds of|among the table's columns"
    r"|^a range of (days|numbers)$|smaller one first|which are few values|neither a category nor"
)
"""What is allowed according to problems that show only beside another value, or take arithmetic."""


def problems(plan: Any) -> tuple[Problem, ...]:
    try:
        Plan.parse(plan)
    except PlanError as error:
        return error.problems
    return ()


def is_for_the_parser_alone(problem: Problem) -> bool:
    found = str(problem.found)
    quoted = found[1:-1] if found[:1] in "'\"" else ""
    number_as_text = re.fullmatch(NUMBER, quoted) is not None
    day = re.fullmatch(DAY, quoted) is not None
    tiny = re.fullmatch(r"1e-\d{3}", found) is not None
    return number_as_text or day or tiny or PARSER_ONLY.search(str(problem.allowed)) is not None


def check_agreement(plan: Any) -> None:
    found = problems(plan)
    if VALIDATOR.is_valid(plan):
        assert [problem for problem in found if not is_for_the_parser_alone(problem)] == []
    else:
        assert found, "the parser accepts what the schema refuses"


def test_the_shipped_file_is_up_to_date() -> None:
    if os.environ.get("UPDATE_SCHEMA") == "1":
        SHIPPED.write_bytes(written(SCHEMA))
    assert SHIPPED.read_bytes() == written(SCHEMA), (
        "run: UPDATE_SCHEMA=1 pytest tests/model/test_json_schema.py, then look at the difference"
    )


def test_it_is_a_json_schema_of_every_kind_column_type_and_key() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == set(PLAN_KEYS)
    kinds = {shape["title"]: shape for shape in SCHEMA["properties"]["statistics"]["items"]["oneOf"]}
    assert set(kinds) == {statistic.kind for statistic in STATISTICS}
    for statistic in STATISTICS:
        assert set(kinds[statistic.kind]["properties"]) == {*COMMON_KEYS, *statistic.options()}
    types = SCHEMA["properties"]["columns"]["additionalProperties"]["oneOf"]
    assert [shape["properties"]["type"]["const"] for shape in types[:-1]] == [type_.value for type_ in ColumnType]
    made = {key for shape in types[-1]["properties"]["made"]["oneOf"] for key in shape["properties"]}
    assert made == set(FUNCTIONS)
    assert all(set(shape["properties"]) == set(COLUMN_KEYS) for shape in types)


def objects(shape: Any) -> Iterator[dict[str, Any]]:
    """Every part of a schema that describes a mapping."""
    if isinstance(shape, dict):
        kind = shape.get("type")
        if kind == "object" or (isinstance(kind, list) and "object" in kind):
            yield shape
        for part in shape.values():
            yield from objects(part)
    elif isinstance(shape, list):
        for part in shape:
            yield from objects(part)


def test_no_mapping_takes_unknown_keys() -> None:
    found = list(objects(SCHEMA))
    assert len(found) > 10
    for shape in found:
        assert shape["additionalProperties"] is False or "properties" not in shape


GOOD: dict[str, dict[str, Any]] = {
    "the example": EXAMPLE,
    "the shortest": small(),
    "without columns": example(columns=None),
    "numbers as text": small(privacy={"unit": "row", "neighbors": "substitute", "epsilon": "0.1", "delta": "1e-9"}),
    "empty keys": small(title=None, description=None, expected=None, columns=None, where=None),
    "an empty option": small(statistics=[{"id": "n", "kind": "count", "by": None, "weight": None, "epsilon": None}]),
    "numbers and truth values as categories": small(
        columns={"x": {"type": "category", "categories": [1, 2.5, True, "a", ""]}}
    ),
    "a day of resolution": small(
        columns={"d": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-02", "resolution": 1}}
    ),
    "keys that a type does not have, empty": small(
        columns={"b": {"type": "boolean", "lower": None, "categories": None, "other": False}}
    ),
    "readings": small(
        columns={
            "n": {
                "type": "number",
                "lower": 0,
                "upper": 9,
                "reading": {"thousands": ".", "negative": "after"},
            },
            "d": {
                "type": "date",
                "lower": "2025-01-01",
                "upper": "2025-01-02",
                "reading": {"dates": ["d MMM yy", "quarter"], "months": "de", "time": "any", "century": None},
            },
            "b": {"type": "boolean", "reading": {"yes": "J", "no": ["N", ""]}},
            "c": {"type": "category", "categories": ["a"], "reading": {"spellings": {"a": ["A"]}, "width": 2}},
            "e": {"type": "category", "categories": ["a"], "reading": {}},
        }
    ),
    "columns made of others": small(
        columns={
            "a": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
            "n": {"type": "integer", "lower": 0, "upper": 9},
            "c": {"type": "category", "categories": ["x", "y", "1"]},
            "m1": {"made": {"days_between": ["a", "b"]}},
            "m2": {"type": "integer", "lower": 0, "upper": 1, "made": {"age": {"born": "a", "on": "2026-06-30"}}},
            "m3": {"made": {"sum": {"of": {"n": 1, "m2": -2.5}, "plus": 1, "ignore_missing": True}}},
            "m4": {"made": {"sum": ["n", "m2"]}, "outside": "missing"},
            "m5": {"made": {"ratio": {"of": "m2", "to": "n", "times": 100}}, "resolution": 0.1},
            "m6": {"made": {"cut": {"of": "n", "at": [5], "labels": ["few", 2]}}},
            "m7": {"made": {"recode": {"of": "c", "to": {"z": ["x", 1]}, "else": "keep"}}},
            "m8": {"made": {"part": {"of": "a", "is": "iso_week"}}},
            "m9": {"made": {"holds": [{"column": "n", "at_least": 1}]}, "type": "boolean"},
            "m10": {"made": {"known": "c"}},
            "m11": {"made": {"prefix": {"of": "c", "length": 1}}},
        }
    ),
    "two tests": small(where=[{"column": "a", "at_least": 1, "at_most": 2, "equals": None}]),
}

BASES: dict[ColumnType, dict[str, Any]] = {
    ColumnType.INTEGER: {"lower": 0, "upper": 10},
    ColumnType.NUMBER: {"lower": 0, "upper": 10},
    ColumnType.CATEGORY: {"categories": ["a", "b"]},
    ColumnType.BOOLEAN: {},
    ColumnType.DATE: {"lower": "2025-01-01", "upper": "2025-12-31"},
    ColumnType.TEXT: {},
}
SAID: list[Any] = [
    *(None, False, True, 0, 1, 2.5, -1, "", "a", "clip", "missing", "discover", "2025-06-01", [], [-1], ["a"], {}),
    *({"below": "clip"}, {"below": "missing"}, {"from": 1}, {"width": 5}, {"one": ["a"]}, {"one": {"width": 5}}),
    {"method": "randomized_response", "epsilon": 1},
]
"""What somebody may write for a property, fitting or not, and what says nothing."""


@pytest.mark.parametrize("type_", ColumnType)
def test_the_schema_of_a_column_and_the_parser_accept_the_same_keys_on_every_type(type_: ColumnType) -> None:
    validator = Draft202012Validator(SCHEMA["properties"]["columns"]["additionalProperties"])
    for key in COLUMN_KEYS:
        for said in SAID:
            declared = {"type": type_.value, **BASES[type_], key: said}
            report = Report()
            Column.read("x", declared, "columns.x", report)
            found = [problem for problem in report.problems if not is_for_the_parser_alone(problem)]
            if validator.is_valid(declared):
                assert found == [], declared
            else:
                assert report.problems, f"the parser accepts what the schema refuses: {declared}"


BAD: dict[str, dict[str, Any]] = {
    **{
        f"made of {made}": small(columns={"x": {"made": made}})
        for made in (
            *({}, [], "a", {"days_between": ["a"]}, {"days_between": "a"}, {"known": 3}, {"logarithm": "a"}),
            *({"known": "a", "holds": []}, {"age": {"born": "a"}}, {"ratio": {"of": "a", "to": "b", "times": 0}}),
            *(
                {"sum": {"of": {}}},
                {"cut": {"of": "a", "at": [], "labels": ["a"]}},
                {"part": {"of": "a", "is": "hour"}},
            ),
            *({"recode": {"of": "a", "to": []}}, {"prefix": {"of": "a", "length": 0}}, {"least": ["a"]}),
        )
    },
    **{
        f"the reading {reading}": small(columns={"x": {**column, "reading": reading}})
        for column, readings in (
            (
                {"type": "number", "lower": 0, "upper": 9},
                [
                    *({"decimal": wrong} for wrong in (".,", ";", 3, [])),
                    *({"thousands": wrong} for wrong in ("_", 5)),
                    *({"affixes": wrong} for wrong in ([""], {"a": 1})),
                    {"negative": "red"},
                    {"exponent": 1},
                    ",",
                ],
            ),
            (
                {"type": "date", "lower": "2025-01-01", "upper": "2025-01-02"},
                [{}, {"dates": []}, {"dates": [{}]}, {"dates": ["d/m"]}, {"dates": ["iso"], "months": 3}]
                + [{"dates": ["iso"], key: 0} for key in ("of_period", "century", "time")],
            ),
            ({"type": "boolean"}, [{"yes": ["J"]}, {"yes": [1], "no": ["N"]}, {"yes": [], "no": ["N"]}]),
            ({"type": "category", "categories": ["a"]}, [{"spellings": []}, {"width": 0}, {"spellings": {"a": 3}}]),
            ({"type": "text"}, [{}]),
        )
        for reading in readings
    },
    "no version": {key: value for key, value in EXAMPLE.items() if key != "dprelease"},
    "another version": example(dprelease=2),
    "a true version": example(dprelease=True),
    "a version as text": example(dprelease="1"),
    "an unknown key": example(tittle="x"),
    "a title that is 0": example(title=0),
    "a title that is false": example(title=False),
    "a title that is a list": example(title=[]),
    "a long title": example(title="x" * 201),
    "a title with a NUL": example(title="a\0b"),
    "an empty dataset": example(dataset=""),
    "a unit in words": small(privacy={"unit": "person", "neighbors": "add_remove", "epsilon": 1}),
    "a unit without column": small(
        privacy={"unit": {"column": "", "max_rows": 5}, "neighbors": "add_remove", "epsilon": 1}
    ),
    "a unit without max_rows": small(privacy={"unit": {"column": "a"}, "neighbors": "add_remove", "epsilon": 1}),
    "max_rows 0": small(privacy={"unit": {"column": "a", "max_rows": 0}, "neighbors": "add_remove", "epsilon": 1}),
    "no relation": small(privacy={"unit": "row", "epsilon": 1}),
    "ε of 0": small(privacy={"unit": "row", "neighbors": "add_remove", "epsilon": 0}),
    "ε of a truth value": small(privacy={"unit": "row", "neighbors": "add_remove", "epsilon": True}),
    "ε with an underscore": small(privacy={"unit": "row", "neighbors": "add_remove", "epsilon": "1_0"}),
    "ε in other digits": small(privacy={"unit": "row", "neighbors": "add_remove", "epsilon": "١"}),
    "δ of 1": small(privacy={"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": 1}),
    "no statistics": example(statistics=[]),
    "statistics as a mapping": example(statistics={"n": "count"}),
    "an unknown kind": small(statistics=[{"id": "n", "kind": "counts"}]),
    "no kind": small(statistics=[{"id": "n"}]),
    "a capital id": small(statistics=[{"id": "N", "kind": "count"}]),
    "weight and epsilon": small(statistics=[{"id": "n", "kind": "count", "weight": 1, "epsilon": 1}]),
    "an option of another kind": small(statistics=[{"id": "n", "kind": "count", "bins": 3}]),
    "a missing option": small(statistics=[{"id": "n", "kind": "mean"}]),
    "an empty column": small(statistics=[{"id": "n", "kind": "mean", "column": ""}]),
    "an empty group": small(statistics=[{"id": "n", "kind": "count", "by": []}]),
    "a group of no name": small(statistics=[{"id": "n", "kind": "count", "by": [""]}]),
    "a group twice": small(statistics=[{"id": "n", "kind": "count", "by": ["a", "a"]}]),
    "half a bin": small(statistics=[{"id": "n", "kind": "histogram", "column": "a", "bins": 2.5}]),
    "no bins": small(statistics=[{"id": "n", "kind": "histogram", "column": "a", "bins": 0}]),
    "one edge": small(statistics=[{"id": "n", "kind": "histogram", "column": "a", "edges": [1]}]),
    "true edges": small(statistics=[{"id": "n", "kind": "histogram", "column": "a", "edges": [True, False]}]),
    "a probability of 1": small(statistics=[{"id": "n", "kind": "quantiles", "column": "a", "probs": [1]}]),
    "columns as a list": example(columns=["age"]),
    "an empty column name": small(columns={"": {"type": "boolean"}}),
    "a column without type": small(columns={"a": {"lower": 0, "upper": 1}}),
    "a column of an unknown type": small(columns={"a": {"type": "int", "lower": 0, "upper": 1}}),
    "a number without bounds": small(columns={"a": {"type": "number"}}),
    "half a bound of an integer": small(columns={"a": {"type": "integer", "lower": 0.5, "upper": 1}}),
    "a bound beyond": small(columns={"a": {"type": "number", "lower": 0, "upper": 1e300}}),
    "a resolution of 0": small(columns={"a": {"type": "number", "lower": 0, "upper": 1, "resolution": 0}}),
    "a date that is a number": small(columns={"a": {"type": "date", "lower": 20250101, "upper": "2025-12-31"}}),
    "a date without dashes": small(columns={"a": {"type": "date", "lower": "20250101", "upper": "2025-12-31"}}),
    "a date as a week": small(columns={"a": {"type": "date", "lower": "2025-W01-1", "upper": "2025-12-31"}}),
    "a true resolution": small(
        columns={"a": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31", "resolution": True}}
    ),
    "categories of a number": small(columns={"a": {"type": "number", "lower": 0, "upper": 1, "categories": ["a"]}}),
    "a category without categories": small(columns={"a": {"type": "category"}}),
    "an empty category list": small(columns={"a": {"type": "category", "categories": []}}),
    "a null category": small(columns={"a": {"type": "category", "categories": [None]}}),
    "other as a word": small(columns={"a": {"type": "category", "categories": ["a"], "other": "yes"}}),
    "an end on a truth value": small(columns={"a": {"type": "boolean", "outside": "clip"}}),
    "no codes of a text": small(columns={"a": {"type": "text", "missing_codes": []}}),
    "bounds of a truth value": small(columns={"a": {"type": "boolean", "lower": 0, "upper": 1}}),
    "a unit of measure that is 0": small(columns={"a": {"type": "boolean", "unit": 0}}),
    "a condition without test": small(where=[{"column": "a"}]),
    "a condition with an empty test": small(where=[{"column": "a", "equals": None}]),
    "a condition without column": small(where=[{"equals": 1}]),
    "a condition on a list": small(where=[{"column": "a", "equals": [1]}]),
    "a condition on nested lists": small(where=[{"column": "a", "in": [[1]]}]),
    "a condition on null": small(where=[{"column": "a", "in": [None]}]),
    "a condition on a huge number": small(where=[{"column": "a", "equals": 10**20}]),
    "no conditions": small(where=[]),
    "expected as a number": example(expected=50_000),
    "expected 0": example(expected={"rows": 0}),
    "expected without rows": example(expected={"units": 5}),
}


@pytest.mark.parametrize("plan", GOOD.values(), ids=GOOD.keys())
def test_both_accept(plan: dict[str, Any]) -> None:
    assert problems(plan) == ()
    VALIDATOR.validate(plan)


@pytest.mark.parametrize("plan", BAD.values(), ids=BAD.keys())
def test_both_refuse(plan: dict[str, Any]) -> None:
    assert problems(plan)
    assert not VALIDATOR.is_valid(plan)


@settings(max_examples=tries(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plans())
def test_generated_plans_are_valid(plan: dict[str, Any]) -> None:
    assert problems(plan) == ()
    VALIDATOR.validate(plan)
    VALIDATOR.validate(json.loads(json.dumps(Plan.parse(plan).to_mapping())))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every key and item of a plan."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        yield (*path, key)
        yield from places(item, (*path, key))


VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2.0, 2.5, 1e-12, 1e300, 10**20, 1e-300, 0.123456789012345678),
    *("", "x", "0.1", "-1", "007", "1e400", "nan", "row", "age", "region", "other", "add_remove", "2025-01-01"),
    *("2025-02-30", "a" * 300, "a\0", "mean", "category", "integer"),
    *([], [1], [0, 1], [[]], [None], ["age"], ["age", "age"], [0, 100], {}, {"a": 1}, {"column": "a", "max_rows": 2}),
)
RENAMED = ("bin", "column", "columns", "by", "weight", "epsilon", "lower", "other", "at_least", "id", "Age", "")


def change(plan: Any, place: tuple[Any, ...], how: str, value: Any, name: str) -> None:
    """Changes a plan in one place."""
    parent = plan
    for key in place[:-1]:
        parent = parent[key]
    key = place[-1]
    if how == "replace":
        parent[key] = value
    elif how == "remove":
        del parent[key]
    elif isinstance(parent, dict):
        parent[name] = parent.pop(key) if how == "rename" else value
    else:
        parent.append(parent[key] if how == "rename" else value)


@settings(max_examples=tries(500), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_parser_and_schema_agree_on_broken_plans(data: st.DataObject) -> None:
    plan = copy.deepcopy(data.draw(st.sampled_from([EXAMPLE, *GOOD.values()])))
    for _ in range(data.draw(st.integers(1, 3))):
        where = list(places(plan))
        if where:
            change(
                plan,
                data.draw(st.sampled_from(where)),
                data.draw(st.sampled_from(["remove", "rename", "replace", "add"])),
                copy.deepcopy(data.draw(st.sampled_from(VALUES))),
                data.draw(st.sampled_from(RENAMED)),
            )
    check_agreement(plan)


@pytest.mark.full
def test_every_single_replacement_in_the_example() -> None:
    """Exhaustive where the test above is random: each place of the example, each odd value."""
    for place in places(EXAMPLE):
        for value in VALUES:
            plan = copy.deepcopy(EXAMPLE)
            change(plan, place, "replace", value, "")
            check_agreement(plan)
