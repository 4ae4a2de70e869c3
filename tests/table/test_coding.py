"""How stored values become codes: every awkward value, in every type a column may be stored as."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.errors import DPReleaseError
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine
from dprelease.table.duckdb_dialect import DuckDB
from tests.table.reference import code_of
from tests.tries import tries

MINUS_NAN = float(np.frombuffer(np.uint64(0xFFF8000000000000).tobytes(), dtype=np.float64)[0])
ENGINE = Engine()


def counts(values: Any, type_: pa.DataType | None = None, **declared: Any) -> list[int]:
    """How many rows have each code."""
    schema = Schema.parse({"x": declared})
    table = ENGINE.hold(pa.table({"x": pa.array(values, type=type_, from_pandas=False)}))
    query = TallyQuery((each_value(schema["x"]),))
    (tally,) = ENGINE.answer(table, [query], schema=schema, where=(), unit=PrivacyUnit())
    return tally.values.tolist()


def codes(values: list[Any], type_: pa.DataType | None = None, **declared: Any) -> list[int | None]:
    """The code of each value, each coded in a table of its own row but all in one query."""
    schema = Schema.parse({"x": declared, "row": {"type": "integer", "lower": 0, "upper": max(1, len(values) - 1)}})
    columns = {"x": pa.array(values, type=type_, from_pandas=False), "row": list(range(len(values)))}
    query = TallyQuery((each_value(schema["row"]), each_value(schema["x"])))
    table = ENGINE.hold(pa.table(columns))
    (tally,) = ENGINE.answer(table, [query], schema=schema, where=(), unit=PrivacyUnit())
    found = tally.values[: len(values)]
    assert found.sum(axis=1).max() <= 1
    return [int(row.argmax()) if row.any() else None for row in found]


FLOATS = [None, nan, MINUS_NAN, inf, -inf, 5e-324, -5e-324, -0.0, 0.0, 1e308, -1e308]
FLOATS += [0.04, 0.06, 0.16, 0.94, 0.96, 1.0, 1.01]


@pytest.mark.parametrize("type_", [pa.float64(), pa.float32()])
def test_numbers_are_clipped_and_go_to_the_nearest_step(type_: pa.DataType) -> None:
    found = codes(FLOATS, type_, type="number", lower=0, upper=1, resolution=0.1)
    assert found[:11] == [None, None, None, 10, 0, 0, 0, 0, 0, 10, 0]
    assert found[11:] == [0, 1, 2, 9, 10, 10, 10]


@pytest.mark.parametrize("lower", [-1, 0, 5e-4, 1])
def test_the_smallest_numbers_beside_a_bound_do_not_fail(lower: float) -> None:
    """On some engines a comparison with a subnormal number raises an underflow, which would tell that it is there."""
    values = [5e-324, -5e-324, float(np.nextafter(lower, 2)), float(np.nextafter(lower, -2)), 2.2e-308]
    assert len(codes(values, type="number", lower=lower, upper=2, resolution=5e-4)) == 5


@settings(max_examples=tries(60), deadline=None)
@given(
    st.lists(
        st.floats(width=64) | st.integers(-30, 30).map(lambda n: n * 0.05) | st.sampled_from(FLOATS),
        min_size=2,
        max_size=60,
    ),
    st.sampled_from([(0, 1, "0.1"), (-2, 3, "0.25"), (-300, 700, "7"), (10, 20, "1"), ("-0.3", "0.3", "0.1")]),
)
def test_numbers_agree_with_the_reference(values: list[float | None], lattice: tuple[Any, Any, str]) -> None:
    lower, upper, resolution = lattice
    if resolution == "7":
        lower, upper = -301, 700
    declared = {"type": "number", "lower": lower, "upper": upper, "resolution": resolution}
    column = Schema.parse({"x": declared})["x"]
    assert codes(values, pa.float64(), **declared) == [code_of(column, value) for value in values]


def test_a_value_on_the_lattice_has_its_own_code_however_it_is_computed() -> None:
    """0.1 + 0.2 is not 0.3 in binary, but it is nearest to the same step."""
    values = [0.1 + 0.2, 0.3, 1.1 + 2.2, 3.3, 1 - 0.9]
    assert codes(values, type="number", lower=0, upper=4, resolution=0.1) == [3, 3, 33, 33, 1]


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([1, 2, None, 9, -9], pa.int8()),
        ([1, 2, None, 9, -9], pa.int64()),
        ([1, 2, None, 2**63, 0], pa.uint64()),
        ([1.0, 2.0, None, 9.0, -9.0], pa.float64()),
        (["1", "2", None, "9", "-9"], pa.string()),
        (["1.0", "2e0", "", "inf", "-inf"], pa.string()),
        (["1", "2", "nan", "9", "-9"], pa.string()),
        (["1", "2", "SECRET", "9", "-9"], pa.string()),
        ([Decimal("1.00"), Decimal("2.00"), None, Decimal("9.00"), Decimal("-9.00")], pa.decimal128(10, 2)),
    ],
)
def test_integers_may_be_stored_as_anything(values: list[Any], type_: pa.DataType) -> None:
    assert codes(values, type_, type="integer", lower=0, upper=5) == [1, 2, None, 5, 0]


def test_fractions_in_an_integer_column_go_to_the_nearest() -> None:
    assert codes([0.4, 0.5, 1.5, 2.4999], type="integer", lower=0, upper=5) == [0, 1, 2, 2]


CATEGORIES = ["a", "b", "c"]


def test_undeclared_categories_are_dropped_or_counted_as_other() -> None:
    values = ["a", "b", "z", None, "A", " a", "", "other"]
    assert codes(values, type="category", categories=CATEGORIES) == [0, 1, *[None] * 6]
    assert codes(values, type="category", categories=CATEGORIES, other=True) == [0, 1, 3, None, 3, 3, 3, 3]


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([1, 2, 7, None], pa.int64()),
        ([1, 2, 7, None], pa.int8()),
        ([1.0, 2.0, 7.0, None], pa.float64()),
        ([1.0, 2.0, 7.5, nan], pa.float64()),
        ([1.0, 2.0, inf, MINUS_NAN], pa.float64()),
        ([1.0, 2.0, 1e300, nan], pa.float32()),
        (["1", "2", "7", None], pa.string()),
        (["1", "2", "7", None], pa.large_string()),
    ],
)
def test_categories_may_be_stored_as_numbers(values: list[Any], type_: pa.DataType) -> None:
    """NaN is a missing value, not some other category."""
    assert codes(values, type_, type="category", categories=[1, 2]) == [0, 1, None, None]
    assert codes(values, type_, type="category", categories=[1, 2], other=True) == [0, 1, 2, None]


def test_categories_from_a_dictionary_and_from_booleans() -> None:
    assert counts(pa.array(["b", "a", None, "z"]).dictionary_encode(), type="category", categories=["a", "b"]) == [1, 1]
    assert codes([True, False, None], pa.bool_(), type="category", categories=[True, False]) == [0, 1, None]


def test_categories_with_quotes_and_markup_are_only_text() -> None:
    nasty = ["'; DROP TABLE x; --", '"', "é", "a\nb", "", "%", "\\", "NULL", "x" * 200]
    assert codes([*nasty, None], type="category", categories=nasty) == [*range(len(nasty)), None]


@pytest.mark.full
def test_a_hundred_thousand_categories() -> None:
    names = [f"c{number}" for number in range(100_000)]
    assert counts([names[0], names[99_999], "x"], type="category", categories=names)[99_999] == 1


TRUE = ["true", "True", "TRUE", "t", "T", "yes", "Yes", "y", "Y", "1", " true "]
FALSE = ["false", "False", "FALSE", "f", "F", "no", "No", "n", "N", "0", " no "]


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        (TRUE, pa.string(), [1] * 11),
        (FALSE, pa.string(), [0] * 11),
        (["on", "2", "", "ja", None, "nan"], pa.string(), [None] * 6),
        ([True, False, None], pa.bool_(), [1, 0, None]),
        ([1, 0, 2, -1, None], pa.int64(), [1, 0, None, None, None]),
        ([1.0, 0.0, 0.5, nan, -0.0], pa.float64(), [1, 0, None, None, 0]),
    ],
)
def test_booleans_in_every_spelling(values: list[Any], type_: pa.DataType, expected: list[Any]) -> None:
    assert codes(values, type_, type="boolean") == expected


DAYS = {"type": "date", "lower": "2025-01-01", "upper": "2025-01-05"}


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([date(2025, 1, 1), date(2025, 1, 3), date(1800, 1, 1), date(9999, 1, 1), None], pa.date32()),
        ([date(2025, 1, 1), date(2025, 1, 3), date(1800, 1, 1), date(9999, 1, 1), None], pa.date64()),
        (["2025-01-01", "2025-01-03", "1800-01-01", "9999-01-01", None], pa.string()),
        (["2025-01-01", "2025-01-03 23:59:59", "1800-01-01", "9999-01-01", "31.12.2025"], pa.string()),
        (
            [datetime(2025, 1, 1), datetime(2025, 1, 3, 23, 59, 59), datetime(1800, 1, 1), datetime(9999, 1, 1), None],  # noqa: DTZ001
            pa.timestamp("us"),
        ),
    ],
)
def test_days_as_dates_text_or_timestamps(values: list[Any], type_: pa.DataType) -> None:
    assert codes(values, type_, **DAYS) == [0, 2, 0, 4, None]


@pytest.mark.full
def test_a_time_with_a_zone_is_a_day_in_utc_on_every_machine() -> None:
    program = (
        "from datetime import UTC, datetime\n"
        "from tests.table.test_coding import DAYS, codes, pa\n"
        "print(codes([datetime(2025, 1, 3, 2, tzinfo=UTC)] * 2, pa.timestamp('us', tz='UTC'), **DAYS))\n"
    )
    for zone in ("UTC", "America/New_York", "Asia/Tokyo"):
        environment = {**os.environ, "TZ": zone}
        answer = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert answer.stdout.strip() == "[2, 2]", zone


@pytest.mark.parametrize("declared", [DAYS, {"type": "integer", "lower": 0, "upper": 5}, {"type": "boolean"}])
@pytest.mark.parametrize(
    "values", [pa.array([[1], [2]]), pa.array([{"a": 1}, {"a": 2}]), pa.array([b"1", b"SECRET"]), pa.array([1, 20_000])]
)
def test_a_column_stored_as_something_else_gives_nulls_or_a_silent_error(
    declared: dict[str, Any], values: pa.Array
) -> None:
    said = ""
    try:
        counts(values, **declared)
    except DPReleaseError as error:
        said = str(error)
    assert "SECRET" not in said
    assert "20" not in said


@settings(max_examples=tries(500))
@given(st.data(), st.integers(2, 2**31 - 1))
def test_a_cell_is_found_without_a_division_and_is_the_same(data: st.DataObject, codes: int) -> None:
    """By the SQL itself, which means the same in Python, for codes at the edges of cells and any others."""
    span = data.draw(st.integers(max(1, codes - 1), codes))
    cells = data.draw(st.integers(1, min(span, 2**20)))
    expression = DuckDB().scaled("code", codes, cells, span)
    edges = st.integers(0, cells).map(lambda cell: -(-cell * span // cells))
    for code in data.draw(st.lists(st.integers(0, codes - 1) | edges | edges.map(lambda edge: edge - 1), min_size=1)):
        if 0 <= code < codes:
            assert eval(expression) == code * cells // span
    product = expression.removeprefix("(").partition(" >>")[0]
    assert ">>" not in expression or eval(product, {"code": codes - 1}) < 2**63, "it fits DuckDB's type"


def test_most_columns_need_no_division() -> None:
    for codes, cells, span in [(200_001, 65_536, 200_001), (101, 20, 100), (365, 12, 365), (10**6 + 1, 1000, 10**6)]:
        assert ">>" in DuckDB().scaled("code", codes, cells, span)
