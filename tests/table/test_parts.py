"""A table that is too large to be sorted at once is read in parts, and says the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import DiscoveryQuery, Measure, Query, TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine, Tally, engine
from dprelease.table.answer import Table

SCHEMA = Schema.parse(
    {
        "sex": {"type": "category", "categories": ["F", "M"]},
        "income": {"type": "integer", "lower": 0, "upper": 2**30},
        "town": {"type": "category", "categories": "discover"},
    }
)


UNIT = PrivacyUnit(column="person", max_rows=3)


@pytest.fixture
def people() -> pa.Table:
    draw = np.random.default_rng(11)
    return pa.table(
        {
            "person": draw.integers(0, 300, 2000),
            "sex": ["FM"[number] for number in draw.integers(0, 2, 2000)],
            "income": draw.integers(0, 2**30, 2000),
            "town": [f"town {number}" for number in draw.integers(0, 9, 2000)],
        }
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("identifiers", ["number", "text", "missing"])
def test_parts_of_the_units_come_to_the_whole(
    monkeypatch: pytest.MonkeyPatch, people: pa.Table, identifiers: str
) -> None:
    change: dict[str, Callable[[int], Any]] = {
        "number": int,
        "text": lambda number: f"p{number}",
        "missing": lambda number: None if number % 7 == 0 else number,
    }
    changed = people.set_column(0, "person", [[change[identifiers](each.as_py()) for each in people["person"]]])
    own = Engine()
    check(monkeypatch, own, own.hold(changed), UNIT)


@pytest.mark.full
def test_parts_of_a_file_come_to_the_whole(monkeypatch: pytest.MonkeyPatch, people: pa.Table, tmp_path: Path) -> None:
    parquet.write_table(people, tmp_path / "t.parquet", row_group_size=100)
    own = Engine()
    check(monkeypatch, own, own.parquet(tmp_path / "t.parquet"), PrivacyUnit())
    parquet.write_table(people.append_column("file_row_number", people["town"]), tmp_path / "u.parquet")
    check(monkeypatch, own, own.parquet(tmp_path / "u.parquet"), PrivacyUnit())


def check(monkeypatch: pytest.MonkeyPatch, own: Engine, table: Table, unit: PrivacyUnit) -> None:
    """However much is read at a time, the answers are the same."""
    keys = (each_value(SCHEMA["sex"]),)
    squares = Measure(factors=("income", "income"), present=("income",))
    asked: list[Query] = [TallyQuery(keys), TallyQuery(keys, squares), TallyQuery(keys, units=True)]
    asked.append(DiscoveryQuery(columns=("town",)))
    found = []
    for size in (2**40, 2**14, 2**10):
        monkeypatch.setattr(engine, "AT_A_TIME", size)
        answers = own.answer(table, asked, schema=SCHEMA, where=(), unit=unit)
        found.append([each.values.tolist() if isinstance(each, Tally) else dict(each.values) for each in answers])
    assert found[0] == found[1] == found[2]
    assert found[0][1][0] > 2**64, "larger than one word"
