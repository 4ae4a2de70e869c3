"""Which rows of a unit are kept: by its own rows alone, and without favour for any value."""

from __future__ import annotations

from typing import Any

import numpy
import pandas
import pytest

from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.table import Engine

SCHEMA = Schema.parse({"x": {"type": "integer", "lower": 0, "upper": 100}})
SUM = TallyQuery((), Measure(("x",)))
ROWS = TallyQuery()


def answer(ids: Any, values: Any, max_rows: int) -> tuple[int, int]:
    engine = Engine()
    table = engine.hold(pandas.DataFrame({"id": ids, "x": values}))
    tallies = engine.answer(table, [SUM, ROWS], schema=SCHEMA, where=(), unit=PrivacyUnit("id", max_rows))
    return int(tallies[0].values), int(tallies[1].values)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("units", [500, 2000, 20_000])
@pytest.mark.parametrize("first", [0, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("as_text", [False, True])
def test_kept_rows_look_like_all_rows(units: int, first: int, as_text: bool) -> None:
    """Half of each unit's rows are 0, half 100; of six rows two are kept. The share of 100 is near a half.

    The choice is fixed, so this cannot fail by chance; the tolerance is five standard deviations of a fair choice
    (variance of the kept share of one unit: 1/4 · 1/2 · 4/5 = 1/10).
    """
    ids: Any = numpy.repeat(numpy.arange(first, first + units), 6)
    ids = [f"person {number}" for number in ids] if as_text else ids
    total, rows = answer(ids, [0, 100] * (3 * units), max_rows=2)
    assert rows == 2 * units
    assert abs(total / rows / 100 - 0.5) < 5 * (0.1 / units) ** 0.5


def test_every_code_has_the_same_chance() -> None:
    """Each of 2,000 units has the values 0..100 once and keeps 5: each value is kept about 99 times."""
    engine, units = Engine(), 2000
    frame = pandas.DataFrame({"id": numpy.repeat(numpy.arange(units), 101), "x": list(range(101)) * units})
    from dprelease.model.tally import Key

    query = TallyQuery((Key("x", 101, 101),))
    (tally,) = engine.answer(engine.hold(frame), [query], schema=SCHEMA, where=(), unit=PrivacyUnit("id", 5))
    expected = units * 5 / 101
    assert tally.values.sum() == units * 5
    assert abs(tally.values - expected).max() < 6 * expected**0.5


def test_the_type_of_the_identifier_column_changes_nothing() -> None:
    ids = numpy.repeat(numpy.arange(1000), 6)
    values = [(7 * place * place + 3) % 101 for place in range(len(ids))]
    whole = answer(ids, values, 2)
    for other in (ids.astype("float64"), ids.astype("uint64"), ids.astype("int16"), [str(number) for number in ids]):
        assert answer(other, values, 2) == whole


@pytest.mark.parametrize("stranger", [2**63, 0.5, None, "a"])
def test_a_unit_of_another_type_changes_only_itself(stranger: Any) -> None:
    ids = [number for number in range(1000) for _ in range(6)]
    values = [(7 * place * place + 3) % 101 for place in range(len(ids))]
    total, rows = answer(ids, values, 2)
    text = isinstance(stranger, str)
    joined = pandas.Series([*map(str, ids), stranger] if text else [*ids, stranger])
    more_total, more_rows = answer(joined, [*values, 50], 2)
    assert (more_total - total, more_rows - rows) == ((0, 0) if stranger is None else (50, 1))
