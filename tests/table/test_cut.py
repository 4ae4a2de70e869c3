"""NumPy, where identifiers are close to one another, keeps the rows that DuckDB keeps by sorting them."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine, Tally, engine
from dprelease.table.answer import TableError
from dprelease.table.cut import UnitRange

SCHEMA = Schema.parse(
    {
        "sex": {"type": "category", "categories": ["F", "M"]},
        "age": {"type": "integer", "lower": 0, "upper": 100},
        "income": {"type": "integer", "lower": 0, "upper": 2**30},
        "debt": {"type": "integer", "lower": 0, "upper": 2**30},
    }
)
NOTHING = [TallyQuery()]
SMALL = [TallyQuery((each_value(SCHEMA["sex"]),)), TallyQuery((each_value(SCHEMA["sex"]),), units=True)]
PACKED = [*SMALL, TallyQuery((each_value(SCHEMA["age"]),))]
LARGE = [*PACKED, TallyQuery((), Measure(("income",))), TallyQuery((), Measure(("debt",), ("income",)))]
"""The codes of a row: none, in far less than a word, in a word, in more than one."""


def people(rows: int, first: int, units: int, seed: int) -> pa.Table:
    """Some of everything is missing, most incomes are alike, and a unit has very many rows."""
    draw = np.random.default_rng(seed)

    def some(values: Any) -> pa.Array:
        return pa.array(values, mask=draw.random(rows) < 0.1)

    person = np.where(draw.random(rows) < 0.2, 0, draw.integers(0, units, rows))
    return pa.table(
        {
            "person": some(first + person),
            "sex": some(np.array(["F", "M", "?"])[draw.integers(0, 3, rows)]),
            "age": some(draw.integers(-5, 110, rows)),
            "income": some(draw.choice([0, 7, 2**30], rows)),
            "debt": some(draw.integers(0, 2**30, rows)),
        }
    )


@pytest.mark.one_in(10)
@pytest.mark.parametrize("asked", [NOTHING, SMALL, PACKED, LARGE])
@pytest.mark.parametrize("bits", [None, 1, 3, 15], ids=lambda bits: f"{bits or 'all'} bits of a place")
def test_the_same_rows_are_kept(monkeypatch: pytest.MonkeyPatch, asked: list[TallyQuery], bits: int | None) -> None:
    """However few bits of a row's place its key has: rows that share a key are told apart by all of it."""
    if bits is not None:
        monkeypatch.setattr(UnitRange, "shift", bits)
    own = Engine()
    for seed, (rows, first, units) in enumerate([(4000, -40, 300), (900, 2**40, 2), (3000, 5, 2500), (1, 0, 1)]):
        table = own.hold(people(rows, first, units, seed))
        for most in (1, 3):
            found = []
            for ranked in (True, False):
                with monkeypatch.context() as patch:
                    patch.setattr(engine, "DIFFERENT", 0 if ranked else inf)
                    unit = PrivacyUnit("person", most)
                    answers = own.answer(table, asked, schema=SCHEMA, where=(), unit=unit)
                    found.append([each.values.tolist() for each in answers if isinstance(each, Tally)])
            assert found[0] == found[1]


@pytest.mark.parametrize("identifiers", [[], [None], [1], [0, 2**62], [-(2**63), 2**63 - 1]])
def test_any_identifiers_will_do(monkeypatch: pytest.MonkeyPatch, identifiers: list[int | None]) -> None:
    monkeypatch.setattr(engine, "DIFFERENT", 0)
    own = Engine()
    ages = pa.array([30] * len(identifiers), pa.int64())
    table = own.hold(pa.table({"person": pa.array(identifiers, pa.int64()), "age": ages}))
    schema = Schema.parse({"age": {"type": "integer", "lower": 0, "upper": 100}})
    (rows,) = own.answer(table, [TallyQuery()], schema=schema, where=(), unit=PrivacyUnit("person", 1))
    assert rows.values == sum(identifier is not None for identifier in identifiers)


def test_a_file_that_is_damaged_further_down_is_told_without_a_value(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(engine, "DIFFERENT", 0)
    path = tmp_path / "t.parquet"
    parquet.write_table(people(500_000, 0, 5000, 1).select(["person", "age"]), path, row_group_size=10_000)
    own = Engine(tmp_path)
    table = own.parquet(path)
    data = bytearray(path.read_bytes())
    for place in range(len(data) * 9 // 10, len(data) * 95 // 100, 7):
        data[place] ^= 0xFF
    path.write_bytes(data)
    schema = Schema.parse({"age": {"type": "integer", "lower": 0, "upper": 100}})
    with pytest.raises(TableError, match="missing or damaged"):
        own.answer(table, [TallyQuery((), Measure(("age",)))], schema=schema, where=(), unit=PrivacyUnit("person", 1))
