"""Declared columns: lattices, codes and values."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.errors import SchemaError
from dprelease.model.column import Column
from dprelease.model.lattice import MAX_STEPS
from dprelease.model.schema import Schema
from tests.model.plans import columns

pytestmark = pytest.mark.quick


def column(**declared: Any) -> Column:
    return Schema.parse({"x": declared})["x"]


def problem(**declared: Any) -> dict[str, str]:
    """Path to what is allowed."""
    with pytest.raises(SchemaError) as caught:
        Schema.parse({"x": declared})
    return {item.path: str(item.allowed) for item in caught.value.problems}


@pytest.mark.parametrize(
    ("declared", "start", "steps", "resolution"),
    [
        ({"type": "integer", "lower": 0, "upper": 100}, 0, 100, "1"),
        ({"type": "integer", "lower": -5, "upper": 5, "resolution": 5}, -1, 2, "5"),
        ({"type": "number", "lower": 0, "upper": 200_000}, 0, 20_000, "10"),
        ({"type": "number", "lower": 0, "upper": 1}, 0, 10_000, "0.0001"),
        ({"type": "number", "lower": 0, "upper": 100}, 0, 10_000, "0.01"),
        ({"type": "number", "lower": 0, "upper": 99}, 0, 99_000, "0.001"),
        ({"type": "number", "lower": 0.5, "upper": 100.5}, 50, 10_000, "0.01"),
        ({"type": "number", "lower": 12.345, "upper": 200_000}, 12_345, 199_987_655, "0.001"),
        ({"type": "number", "lower": -0.1, "upper": 0.2, "resolution": 0.1}, -1, 3, "0.1"),
        ({"type": "number", "lower": 1e15 - 1, "upper": 1e15}, 10**19 - 10**4, 10**4, "0.0001"),
        ({"type": "number", "lower": "0.1", "upper": Decimal("0.3"), "resolution": "0.1"}, 1, 2, "0.1"),
        ({"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"}, date(2025, 1, 1).toordinal(), 364, "1"),
        ({"type": "date", "lower": "0001-01-01", "upper": "9999-12-31"}, 1, 3_652_058, "1"),
        ({"type": "boolean"}, 0, 1, "1"),
        ({"type": "category", "categories": ["a", "b", "c"]}, 0, 2, "1"),
        ({"type": "category", "categories": ["a", "b", "c"], "other": True}, 0, 3, "1"),
    ],
)
def test_the_lattice(declared: dict[str, Any], start: int, steps: int, resolution: str) -> None:
    lattice = column(**declared).lattice
    assert (lattice.start, lattice.steps, lattice.resolution) == (start, steps, Decimal(resolution))


@pytest.mark.parametrize(
    ("declared", "path", "allowed"),
    [
        ({"lower": 0.05, "upper": 1, "resolution": 0.1}, "columns.x.lower", "a whole multiple of the resolution (0.1)"),
        ({"lower": 0, "upper": 1, "resolution": 0.3}, "columns.x.upper", "a whole multiple of the resolution (0.3)"),
        ({"lower": 1, "upper": 1}, "columns.x.upper", "more than lower (1)"),
        ({"lower": 2, "upper": 1}, "columns.x.upper", "more than lower (2)"),
        ({"lower": 0}, "columns.x", "both lower and upper"),
        ({}, "columns.x", "both lower and upper"),
        (
            {"lower": 0, "upper": 1, "resolution": 1e-15},
            "columns.x.resolution",
            f"at most {MAX_STEPS} steps between the bounds",
        ),
        (
            {"lower": 0, "upper": 1e15, "resolution": 1e-30},
            "columns.x.resolution",
            f"at most {MAX_STEPS} steps between the bounds",
        ),
        ({"lower": 0, "upper": 1, "categories": ["a"]}, "columns.x.categories", "only on category columns"),
        ({"lower": 0, "upper": 1, "other": True}, "columns.x.categories", "only on category columns"),
    ],
)
def test_an_unusable_lattice_is_refused(declared: dict[str, Any], path: str, allowed: str) -> None:
    assert problem(type="number", **declared)[path] == allowed


@pytest.mark.parametrize("resolution", [0.5, 1.5])
def test_integers_have_a_whole_resolution(resolution: float) -> None:
    assert "columns.x.resolution" in problem(type="integer", lower=0, upper=3, resolution=resolution)


@pytest.mark.parametrize("type_", ["category", "boolean", "text"])
def test_only_ordered_columns_have_bounds(type_: str) -> None:
    categories = {"categories": ["a"]} if type_ == "category" else {}
    assert "columns.x" in problem(type=type_, lower=0, upper=1, **categories)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [
        ("2025-02-30", "2025-12-31"),
        ("20250101", "2025-12-31"),
        ("2025-W01-1", "2025-12-31"),
        ("2025-1-1", "2025-12-31"),
        (20250101, "2025-12-31"),
        (datetime(2025, 1, 1, 12, tzinfo=UTC), "2025-12-31"),
        ("2025-12-31", "2025-12-31"),
        ("2025-12-31", "2025-01-01"),
        ("2025-01-01 ", "2025-12-31"),
        ("٢٠٢٥-٠١-٠١", "2025-12-31"),
    ],
)
def test_unusable_days_are_refused(lower: Any, upper: Any) -> None:
    assert problem(type="date", lower=lower, upper=upper)


def test_no_categories_are_refused_with_both_ways_out() -> None:
    with pytest.raises(SchemaError, match="List them, or have them discovered"):
        column(type="category")


def test_categories_may_be_numbers_and_truth_values() -> None:
    declared = column(type="category", categories=[1, 2, True, False, Decimal("2.5"), "a"])
    assert declared.labels == ("1", "2", "true", "false", "2.5", "a")
    assert [declared.code(value) for value in (1, "1", True, "true", Decimal("2.5"), "a", "b", None, 3)] == [
        *(0, 0, 2, 2, 4, 5),
        *(None, None, None),
    ]


@pytest.mark.parametrize(
    "categories", [["a", "a"], ["1", 1], [True, "true"], [], "a", [None], [["a"]], ["x" * 201], ["a\0"]]
)
def test_unusable_categories_are_refused(categories: Any) -> None:
    assert any(path.startswith("columns.x") for path in problem(type="category", categories=categories))


def test_a_cell_for_other_values() -> None:
    with_other = column(type="category", categories=["a"], other=True)
    assert (with_other.codes, with_other.labels, with_other.code("other")) == (2, ("a", "other"), 1)
    assert column(type="category", categories=["a"]).code("other") is None
    assert column(type="category", categories=["a", "other"]).labels == ("a", "other")
    assert "columns.x.other" in problem(type="category", categories=["a", "other"], other=True)


@settings(deadline=None)
@given(st.data())
def test_codes_and_values_go_round(data: st.DataObject) -> None:
    declared = data.draw(columns().filter(lambda item: item["type"] != "text"))
    parsed = column(**declared)
    code = data.draw(st.integers(0, parsed.codes - 1))
    assert parsed.code(parsed.value(code)) == code


@settings(deadline=None)
@given(st.data())
def test_a_value_off_the_lattice_or_beyond_the_bounds_has_no_code(data: st.DataObject) -> None:
    declared = data.draw(columns().filter(lambda item: item["type"] in ("integer", "number")))
    lattice = column(**declared).lattice
    code = data.draw(st.integers(0, lattice.steps - 1))
    between = (lattice.start + code + Decimal("0.5")) * lattice.resolution
    assert column(**declared).code(between) is None
    assert column(**declared).code((lattice.start - 1) * lattice.resolution) is None
    assert column(**declared).code((lattice.start + lattice.steps + 1) * lattice.resolution) is None


def test_dates_have_codes_by_the_day() -> None:
    declared = column(type="date", lower="2024-02-28", upper="2024-03-02")
    assert [declared.value(code) for code in range(declared.codes)] == [
        "2024-02-28",
        "2024-02-29",
        "2024-03-01",
        "2024-03-02",
    ]
    assert declared.code(date(2024, 2, 29)) == declared.code("2024-02-29") == 1
    assert declared.code(date(2024, 2, 27)) is None
    assert declared.code(date(2024, 3, 2) + timedelta(days=1)) is None


@settings(deadline=None)
@given(st.dictionaries(st.text("abc", min_size=1), columns(), min_size=1, max_size=3))
def test_a_schema_survives_writing_and_reading(declared: dict[str, Any]) -> None:
    schema = Schema.parse(declared)
    assert Schema.parse(schema.to_mapping()) == schema


@pytest.mark.parametrize("name", ["", "x" * 201, "a\0b"])
def test_an_unusable_name_is_refused(name: str) -> None:
    with pytest.raises(SchemaError):
        Schema.parse({name: {"type": "boolean"}})


def test_the_nearest_key_and_type_are_named() -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.parse({"x": {"type": "numbr", "lowr": 0}, "y": {"typ": "number"}})
    remedies = {item.path: str(item.remedy) for item in caught.value.problems}
    assert remedies["columns.x.type"] == "Did you mean 'number'?"
    assert remedies["columns.x.lowr"] == "Did you mean 'lower'?"
    assert remedies["columns.y.typ"] == "Did you mean 'type'?"


def test_paths_follow_where_the_columns_stand() -> None:
    with pytest.raises(SchemaError) as caught:
        Schema.parse({"x": {"type": "number", "lower": 1, "upper": 0}}, path="datasets.visits.columns")
    assert [item.path for item in caught.value.problems] == ["datasets.visits.columns.x.upper"]


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        ({"type": "boolean"}, "false", False),
        ({"type": "integer", "lower": 0, "upper": 3}, "2", 2),
        ({"type": "number", "lower": 0, "upper": 3, "resolution": "0.5"}, "0.5", Decimal("0.5")),
        ({"type": "category", "categories": ["true", "no"]}, True, "true"),
    ],
)
def test_what_missing_values_count_as_is_one_declaration_however_it_is_written(
    column: dict[str, Any], text: Any, value: Any
) -> None:
    """The columns page writes texts: a column that nobody changed is not declared anew by saving another one."""
    as_text, as_value = (Schema.parse({"x": {**column, "count_missing_as": each}}) for each in (text, value))
    assert as_text.to_mapping() == as_value.to_mapping()
