"""Codes for no answer and values outside the bounds: the same rows are without a value however they are stored."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

import pyarrow as pa
import pytest

from tests.table.test_coding import codes

AGE = {"type": "integer", "lower": 0, "upper": 120}
NUMBER = {"type": "number", "lower": 0, "upper": 2, "resolution": 0.1}


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([-99, 30, 900, 999, 1000, None], pa.int16()),
        ([-99, 30, 900, 999, 1000, None], pa.int64()),
        ([-99.0, 30.0, 900.0, 999.0, 1000.0, nan], pa.float64()),
        ([-99.0, 30.0, 900.0, 999.0, 1000.0, None], pa.float32()),
        (["-99", "30", "900", "999", "1000", "SECRET"], pa.string()),
        ([" -99.0 ", "30", "9e2", "+999", "1000", ""], pa.string()),
        ([Decimal("-99.00"), Decimal(30), Decimal(900), Decimal("999.00"), Decimal(1000), None], pa.decimal128(8, 2)),
    ],
)
def test_numbers_are_compared_by_value_however_they_are_stored(values: list[Any], type_: pa.DataType) -> None:
    found = codes(values, type_, **AGE, missing_codes=["-99", {"from": 900, "to": 999}])
    assert found == [None, 30, None, None, 120, None]


def test_a_code_comes_before_clipping_and_before_what_missing_values_count_as() -> None:
    assert codes([-99, 5, 200, None], **AGE, missing_codes=[-99]) == [None, 5, 120, None]
    assert codes([-99, 5, 200, None], **AGE, missing_codes=[-99], count_missing_as=7) == [7, 5, 120, 7]
    declared = AGE | {"missing_codes": [99], "outside": "missing", "count_missing_as": 7}
    assert codes([99, 98, -1, 121, 120], **declared) == [7, 98, 7, 7, 120]


def test_ranges_may_be_open_and_hold_infinity() -> None:
    declared = AGE | {"missing_codes": [{"to": -1}, {"from": 100}]}
    assert codes([-inf, -1.0, -0.5, 0.0, 99.0, 99.6, 100.0, inf], **declared) == [None, None, 0, 0, 99, 100, None, None]


@pytest.mark.parametrize("type_", [pa.float64(), pa.float32()])
def test_a_decimal_code_is_met_in_short_floats_too(type_: pa.DataType) -> None:
    assert codes([-9.9, 0.5, -9.8], type_, **NUMBER, missing_codes=[-9.9]) == [None, 5, 0]
    assert codes([-9.9, 0.5, -9.0], type_, **NUMBER, missing_codes=[{"from": -9.9, "to": -9.9}]) == [None, 5, 0]


@pytest.mark.parametrize("type_", [pa.int64(), pa.float64(), pa.string(), pa.decimal128(20, 0)])
def test_a_long_code_is_no_other_whole_number(type_: pa.DataType) -> None:
    """The nearest number of 32 bits to nine nines is 10^9, which is an amount like another."""
    declared = {"type": "number", "lower": 0, "upper": 2 * 10**9, "resolution": 10**9}
    values = pa.array([999_999_999, 10**9]).cast(type_).to_pylist()
    for codes_ in ([999_999_999], [{"from": 999_999_000, "to": 999_999_999}]):
        assert codes(values, type_, **declared, missing_codes=codes_) == [None, 1]
    assert codes([999_999_999.0, 1e9], pa.float32(), **declared, missing_codes=[999_999_999]) == [None, None]


def test_the_awkward_numbers_are_no_codes_and_no_errors() -> None:
    values = [5e-324, -0.0, 1e308, -1e308, nan, inf]
    assert codes(values, **NUMBER, missing_codes=[-99, 0]) == [0, None, 20, 0, None, 20]
    assert codes(values, **NUMBER, missing_codes=[-99], outside="missing") == [0, 0, None, None, None, None]


def test_words_are_codes_of_numbers_that_are_stored_as_text() -> None:
    values = ["3", "refused", " inf ", "Refused"]
    assert codes(values, pa.string(), **AGE, missing_codes=["refused", "inf"]) == [3, None, None, None]


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        (["1", "2", "9", " 9 ", "x"], pa.string()),
        ([1, 2, 9, 9, 4], pa.int64()),
        ([1.0, 2.0, 9.0, 9.0, 4.5], pa.float64()),
        ([Decimal("1.0"), Decimal("2.0"), Decimal("9.0"), Decimal("9.0"), Decimal("4.5")], pa.decimal128(5, 1)),
    ],
)
def test_a_code_is_no_other_category(values: list[Any], type_: pa.DataType) -> None:
    declared = {"type": "category", "categories": [1, 2], "other": True}
    assert codes(values, type_, **declared) == [0, 1, 2, 2, 2]
    assert codes(values, type_, **declared, missing_codes=[9]) == [0, 1, None, None, 2]
    assert codes(values, type_, **declared, missing_codes=[{"from": 8}]) == [0, 1, None, None, 2]
    assert codes(values, type_, **declared, missing_codes=["9"], count_missing_as="other") == [0, 1, 2, 2, 2]


def test_an_empty_text_may_be_a_code() -> None:
    declared = {"type": "category", "categories": ["a"], "other": True, "missing_codes": ["", "NA"]}
    assert codes(["a", "", "  ", "NA", "na"], pa.string(), **declared) == [0, None, None, None, 1]


def test_booleans_have_codes_by_their_text() -> None:
    assert codes(["yes", "9", "no", "0"], pa.string(), type="boolean", missing_codes=["0"]) == [1, None, 0, None]
    assert codes([1, 0, 9], pa.int64(), type="boolean", missing_codes=[{"from": 1}]) == [None, 0, None]


DAYS = {"type": "date", "lower": "2025-01-01", "upper": "2025-01-05"}


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([date(2025, 1, 3), date(9999, 12, 31), date(1900, 1, 1), date(2024, 12, 31)], pa.date32()),
        (["2025-01-03", "9999-12-31", "1900-01-01", "2024-12-31"], pa.string()),
        ([datetime(2025, 1, 3, 9), datetime(9999, 12, 31), datetime(1900, 1, 1), datetime(2024, 12, 31)], None),  # noqa: DTZ001
    ],
)
def test_days_are_codes_and_may_lie_outside(values: list[Any], type_: pa.DataType | None) -> None:
    type_ = type_ or pa.timestamp("us")
    assert codes(values, type_, **DAYS) == [2, 4, 0, 0]
    assert codes(values, type_, **DAYS, missing_codes=["9999-12-31", {"to": "1900-01-01"}]) == [2, None, None, 0]
    assert codes(values, type_, **DAYS, outside="missing") == [2, None, None, None]
    assert codes(values, type_, **DAYS, outside={"above": "missing"}) == [2, None, 0, 0]


def test_what_rounds_to_a_bound_is_not_outside() -> None:
    declared = NUMBER | {"outside": "missing"}
    assert codes([-0.06, -0.04, 2.04, 2.06], **declared) == [None, 0, 20, None]
    whole = {"type": "integer", "lower": 1, "upper": 3, "outside": "missing"}
    assert codes([0, 1, 3, 4], pa.int64(), **whole) == [None, 0, 2, None]
    assert codes([0.4, 0.5, 3.5, 3.6], **whole) == [None, 0, 2, None]
