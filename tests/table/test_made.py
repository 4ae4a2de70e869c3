"""Made columns in SQL: the same integers on every engine as in Python; and in a plan's tallies."""

from __future__ import annotations

import pytest

from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.engine import Engine
from dprelease.table.kit.made import made_differences, made_rows, made_schema
from tests.model.made.columns import FUNCTIONS, made_columns, rows


def test_duckdb_makes_the_kits_columns_as_python_does() -> None:
    assert list(made_differences(Engine().session(), DuckDB(), made_schema(), made_rows())) == []


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1, 6))])
def test_duckdb_makes_random_columns_as_python_does(seed: int) -> None:
    schema = made_columns(seed, 2 * len(FUNCTIONS))
    count = 100 if seed == 0 else 1000
    assert list(made_differences(Engine().session(), DuckDB(), schema, rows(schema, seed, count))) == []
