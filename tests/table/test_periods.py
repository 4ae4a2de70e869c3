"""A unit's rows of a period are kept where it has rows in at most k periods so far: the same on every engine."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from dprelease.model.recurring import window
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics import Plan
from dprelease.table import Engine
from dprelease.table.address import read_address
from dprelease.table.answer import Table
from dprelease.table.warehouse import open_warehouse
from tests.model.test_recurring import plan
from tests.table.servers import postgres_binary, postgres_server

PERIODS = 4
SPELLINGS: dict[str | None, str | None] = {
    **dict.fromkeys(("7", "07", " 7", "7.0"), "7"),
    "A7": "A7",
    "a7": "a7",
    "8 ": "8",
    "8": "8",
    "": None,
    "  ": None,
    None: None,
}
"""Identifiers as they are written, and the unit that each is."""
Row = tuple[str | None, date | None, bool]


def rows_of(seed: int, count: int) -> list[Row]:
    draw = random.Random(seed)
    days = [
        None,
        *(date(2026, month, day) for month in range(1, PERIODS + 1) for day in (1, 15, 28)),
        date(2025, 12, 31),
    ]
    return [(draw.choice(list(SPELLINGS)), draw.choice(days), draw.random() < 0.7) for _ in range(count)]


def edition(period: int, at_most: int, **asked: Any) -> Plan:
    unit = {"column": "person", "max_rows": 2}
    last = f"2026-{PERIODS:02}"
    complete = Plan.parse({**plan(unit=unit, last=last, at_most=at_most), **asked}).with_schema(Schema({}))
    return complete.edition(f"2026-{period:02}")


def counted(rows: Sequence[Row], period: int, at_most: int, *, where: bool) -> int:
    """Return how many rows are kept, by a reading of its own: periods first, then conditions, then two rows a unit."""
    kept = 0
    for unit in sorted({name for name in SPELLINGS.values() if name is not None}):
        own = [(day, x) for name, day, x in rows if SPELLINGS[name] == unit and day and day.year == 2026]
        periods = {day.month for day, _ in own if day.month <= period}
        here = [x for day, x in own if day.month == period and (x or not where)]
        kept += min(2, len(here)) if len(periods) <= at_most else 0
    return kept


def table_of(histories: Sequence[Sequence[Row]]) -> pa.Table:
    person, day, x = zip(*histories[0], strict=True)
    return pa.table({"person": pa.array(person, pa.string()), "day": pa.array(day, pa.date32()), "x": pa.array(x)})


def asked(engine: Any, table: Table, of: Plan) -> int:
    seen = replace(table, window=window(of))
    (tally,) = engine.answer(seen, [TallyQuery()], schema=of.schema, where=of.where, unit=of.unit)
    return int(np.asarray(tally.values))


WHERE = {"where": [{"column": "x", "equals": True}]}


def check(engine: Any, table: Table, rows: Sequence[Row], at_most: Sequence[int] = (1, 2, 3)) -> None:
    for k in at_most:
        for period in range(1, PERIODS + 1):
            assert asked(engine, table, edition(period, k)) == counted(rows, period, k, where=False)
        for period in (2, PERIODS):
            assert asked(engine, table, edition(period, k, **WHERE)) == counted(rows, period, k, where=True)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(3))
def test_duckdb_keeps_the_rows_of_units_with_few_enough_periods(seed: int) -> None:
    rows = rows_of(seed, 60 if seed % 2 else 12)
    engine = Engine()
    check(engine, engine.hold(table_of([rows])), rows)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 300))
def test_duckdb_does_so_on_two_hundred_histories(seed: int) -> None:
    rows = rows_of(seed, 10 + seed % 50)
    engine = Engine()
    check(engine, engine.hold(table_of([rows])), rows, (1 + seed % 3,))


def test_whole_numbers_as_identifiers_and_days_with_times_are_the_same() -> None:
    """Such rows are ranked by NumPy, and no zone is applied."""
    draw = np.random.default_rng(1)
    person, month = draw.integers(1, 300, 3000), draw.integers(1, PERIODS + 1, 3000)
    days = [datetime.fromisoformat(f"2026-{each:02}-28T23:59") for each in month]
    engine = Engine()
    held = engine.hold(pa.table({"person": person, "day": pa.array(days), "x": np.ones(3000, dtype=bool)}))
    for period in range(1, PERIODS + 1):
        kept = 0
        for unit in np.unique(person):
            own = month[person == unit]
            kept += min(2, int((own == period).sum())) if len({*own[own <= period]}) <= 2 else 0
        assert asked(engine, held, edition(period, 2)) == kept


def test_rows_in_parts_are_cut_by_all_of_a_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(5, 80)
    monkeypatch.setattr("dprelease.table.engine.AT_A_TIME", 1024)
    engine = Engine()
    check(engine, engine.hold(table_of([rows])), rows, (2,))


@pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
def test_postgresql_keeps_the_same_rows() -> None:
    with postgres_server() as server:
        for seed in range(2):
            name, rows = f"histories{seed}", rows_of(seed, 40)
            server.load(f"health.{name}", {"person": "text", "day": "date", "x": "boolean"}, rows)
            warehouse = open_warehouse(*read_address(server.address(f"health.{name}")))
            check(warehouse, warehouse.table(), rows, (1 + seed % 3,))


@pytest.mark.full
@pytest.mark.skipif(find_spec("pyspark") is None or shutil.which("java") is None, reason="Spark is not installed")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_spark_keeps_the_same_rows(tmp_path: Path) -> None:
    from dprelease.extras.warehouses import spark

    rows = rows_of(3, 40)
    pyarrow.parquet.write_table(table_of([rows]), tmp_path / "one.parquet")
    warehouse = open_warehouse(*read_address(f"spark://local{tmp_path}"))
    check(warehouse, warehouse.table(), rows, (2,))
    spark.leave()
