"""Made columns in SQL: the same integers on every engine as in Python; and in a plan's tallies."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from dprelease.extras.warehouses.postgresql import PostgreSQL
from dprelease.table.address import read_address
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.engine import Engine
from dprelease.table.kit.made_columns import made_differences, made_rows, made_schema
from dprelease.table.warehouse import open_warehouse
from tests.model.made.columns import FUNCTIONS, made_columns, rows
from tests.table.test_conformance import NEEDS_POSTGRESQL, postgresql


def test_duckdb_makes_the_kits_columns_as_python_does() -> None:
    assert list(made_differences(Engine().session(), DuckDB(), made_schema(), made_rows())) == []


@pytest.mark.full
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1, 6))])
def test_duckdb_makes_random_columns_as_python_does(seed: int) -> None:
    schema = made_columns(seed, 2 * len(FUNCTIONS))
    count = 100 if seed == 0 else 1000
    assert list(made_differences(Engine().session(), DuckDB(), schema, rows(schema, seed, count))) == []


@pytest.mark.full
@NEEDS_POSTGRESQL
def test_postgresql_makes_columns_as_python_does() -> None:
    with postgresql() as session:
        assert list(made_differences(session, PostgreSQL(), made_schema(), made_rows())) == []
        for seed in range(6):
            schema = made_columns(seed, 2 * len(FUNCTIONS))
            assert list(made_differences(session, PostgreSQL(), schema, rows(schema, seed, 1000))) == []


@pytest.mark.full
@pytest.mark.skipif(find_spec("pyspark") is None or shutil.which("java") is None, reason="Spark is not installed")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_spark_makes_columns_as_python_does(tmp_path: Path) -> None:
    from dprelease.extras.warehouses import spark

    pyarrow.parquet.write_table(pa.table({"x": [1]}), tmp_path / "one.parquet")
    with open_warehouse(*read_address(f"spark://local{tmp_path}")).session() as session:
        assert list(made_differences(session, spark.Spark(), made_schema(), made_rows())) == []
        for seed in range(2):
            schema = made_columns(seed, 2 * len(FUNCTIONS))
            assert list(made_differences(session, spark.Spark(), schema, rows(schema, seed, 300))) == []
    spark.leave()
