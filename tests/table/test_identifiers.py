"""When two identifiers are one unit: one rule, whatever the column's type and the engine."""

from __future__ import annotations

from math import inf
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.table import Engine
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.identifier import canonical, canonical_sql
from tests.tries import tries

ENGINE = Engine()
ONE_UNIT = ["7", "7.0", " 7", "07", "+7", "7.", "7e0", "0.7e1", "70E-1", "\t007.000\n", "7e+000"]
ONE_EACH = [
    "7",
    "-7",
    "7a",
    "A7",
    "a7",
    "7_0",
    "7,0",
    "0x7",
    "7 0",
    "７",
    "7e1000",
    "70",
    "0.7",
    "true",
    "\u00a07",
    "7-",
]
SAME = [
    ("1000", "1e3"),
    ("0", "-0"),
    ("0", ".0e12"),
    ("0.5", ".50"),
    ("-0.00012", "-1.2e-4"),
    ("12345678901234567890123", "012345678901234567890123.0"),
    ("1" + "0" * 300, "1e300"),
]


def units(values: list[Any], type_: pa.DataType | None = None, **unit: Any) -> int:
    """How many units an engine finds in rows with these identifiers."""
    table = ENGINE.hold(pa.table({"id": pa.array(values, type_, from_pandas=False)}))
    query = TallyQuery(units=True)
    asked = {"schema": Schema({}), "where": (), "unit": PrivacyUnit("id", 1, **unit)}
    (tally,) = ENGINE.answer(table, [query], **asked)
    return int(tally.values)


def test_a_number_is_one_unit_however_it_is_written() -> None:
    assert units(ONE_UNIT, pa.string()) == 1
    for one, other in SAME:
        assert units([one, other], pa.string()) == 1, (one, other)


def test_texts_that_are_no_numbers_or_other_numbers_are_apart() -> None:
    assert units(ONE_EACH, pa.string()) == len(ONE_EACH)
    assert units(["9007199254740993", "9007199254740992"], pa.string()) == 2, "not by way of a float"


def test_blanks_do_not_count_and_an_empty_text_is_nobody() -> None:
    assert units(["a", " a", "a\t", "", "  ", None], pa.string()) == 1


@pytest.mark.parametrize(("type_", "exact"), [(pa.float64(), 2**53), (pa.float32(), 2**24)])
def test_a_float_that_stands_for_several_numbers_is_nobody(type_: pa.DataType, exact: int) -> None:
    values = [0.0, -0.0, 1.0, float(exact - 1), float(exact), float(2 * exact), -float(exact), inf, -inf, None]
    assert units(values, type_) == 3


NUMBERS = st.from_regex(r"\A[ \t]?[-+]?[0-9]{0,6}[.]?[0-9]{0,6}([eE][-+]?[0-9]{1,4})?[ \n]?\Z")
TEXTS = NUMBERS | st.text(st.sampled_from("07.eE+- a\t\u00a0"), max_size=8)


@settings(max_examples=tries(40), deadline=None)
@given(st.lists(TEXTS, min_size=20, max_size=60))
def test_the_rule_is_the_same_in_sql_and_in_python(texts: list[str]) -> None:
    found = ENGINE.cursor().execute(f"SELECT {canonical_sql('x', DuckDB())} FROM (SELECT UNNEST(?) AS x)", [texts])
    assert [each for (each,) in found.fetchall()] == [canonical(text) for text in texts]


@pytest.mark.parametrize("type_", [pa.int64(), pa.string(), pa.float64()])
def test_codes_of_an_identifier_are_nobody(type_: pa.DataType) -> None:
    values = [0, -1, 5, 5, 6]
    stored = [str(value) for value in values] if type_ == pa.string() else values
    assert units(stored, type_, missing_codes=("0", "-1.0")) == 2
    assert units(stored, type_, missing_codes=("no number",)) == 4
