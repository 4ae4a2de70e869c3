"""Which units are held out follows from their identifiers alone, and is the same on every engine and in Python."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dprelease.errors import InternalError
from dprelease.model.condition import Condition
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.tally import TallyQuery, UnitPart
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine
from dprelease.table.held_out import number_of
from dprelease.table.identifier import canonical
from tests.table import awkward, reference
from tests.table.rows import QUERIES, SCHEMA, arrow, filters, tables
from tests.table.test_identifiers import ONE_UNIT
from tests.tries import tries

ENGINE = Engine()
ALL = 2**60


def parted(limit: int, *, below: bool) -> list[TallyQuery]:
    return [replace(query, part=UnitPart(limit, below)) for query in QUERIES]


@settings(
    max_examples=tries(20), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(tables, filters, st.integers(1, 3), st.sampled_from([0, ALL // 5, ALL // 2, ALL]))
def test_parts_are_those_of_the_reference(
    table: list[dict[str, Any]], where: tuple[Condition, ...], most: int, limit: int
) -> None:
    unit = PrivacyUnit("id", most)
    held = [row for row in table if row["id"] is not None and number_of(str(row["id"])) < limit]
    others = [row for row in table if row not in held]
    asked = [*parted(limit, below=True), *parted(limit, below=False), *QUERIES]
    found = ENGINE.answer(ENGINE.hold(arrow(table)), asked, schema=SCHEMA, where=where, unit=unit)
    wanted = [
        values
        for rows in (held, others, table)
        for values in reference.tallies(rows, QUERIES, schema=SCHEMA, where=where, unit=unit)
    ]
    assert all(np.array_equal(tally.values, values) for tally, values in zip(found, wanted, strict=True))


def test_a_number_is_what_is_published() -> None:
    """Other numbers would hold out other units."""
    assert [number_of(text) for text in ("7", "a", "\u65e5")] == NUMBERS


NUMBERS = [667477846309316732, 973376891983969258, 283474334236493885]


def test_however_an_identifier_is_written_it_is_in_one_part() -> None:
    texts = [text for text in ONE_UNIT if canonical(text)]
    assert len({canonical(text) for text in texts}) == 1
    number = number_of(str(canonical(texts[0])))
    rows = pa.table({"id": pa.array(texts), "k": pa.array([1] * len(texts), pa.int64())})
    unit = PrivacyUnit("id", 1000)
    for limit, count in ((number, 0), (number + 1, len(texts))):
        asked = [TallyQuery((each_value(SCHEMA["k"]),), part=UnitPart(limit, below=True))]
        (tally,) = ENGINE.answer(ENGINE.hold(rows), asked, schema=SCHEMA, where=(), unit=unit)
        assert tally.values.sum() == count


@pytest.mark.parametrize(
    "type_", [pa.int16(), pa.int64(), pa.float64(), pa.float32(), pa.string(), pa.decimal128(30, 2)]
)
def test_whole_numbers_of_every_type_are_in_one_part(type_: pa.DataType) -> None:
    numbers = list(range(-20, 200))
    rows = pa.table({"id": pa.array(numbers).cast(type_), "k": pa.array([1] * len(numbers), pa.int64())})
    asked = [TallyQuery((each_value(SCHEMA["k"]),), part=UnitPart(ALL // 5, below=True))]
    (tally,) = ENGINE.answer(ENGINE.hold(rows), asked, schema=SCHEMA, where=(), unit=PrivacyUnit("id", 1))
    assert tally.values.sum() == sum(number_of(str(number)) < ALL // 5 for number in numbers)


def test_about_as_many_units_are_held_out_as_is_asked() -> None:
    """Of 20,000 consecutive numbers: a fixed count, six standard deviations around it would be 340."""
    assert abs(sum(number_of(str(number)) < ALL // 5 for number in range(20_000)) - 4000) < 340


def test_rows_without_identifiers_are_in_no_part() -> None:
    asked = [TallyQuery(part=UnitPart(1, below=True))]
    table = ENGINE.hold(awkward.people())
    with pytest.raises(InternalError, match="no part"):
        ENGINE.answer(table, asked, schema=awkward.EVERY_KIND, where=(), unit=PrivacyUnit())
