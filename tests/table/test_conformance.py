"""Single values of every stored type have the codes that docs/reading.md says, on every engine that can be had here."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from math import nan
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from dprelease.extras.warehouses.postgresql import PostgreSQL
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine
from dprelease.table.address import read_address
from dprelease.table.answer import Session
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.kit import check as kit
from dprelease.table.kit.check import Conformance, check
from dprelease.table.kit.stored import StoredType, stored_types
from dprelease.table.warehouse import open_warehouse
from tests.table.servers import postgres_binary, postgres_server

SOME_THOUSAND = 50_000
"""Codes that each engine is asked for, at least."""


@contextmanager
def postgresql() -> Iterator[Session]:
    with postgres_server() as server, open_warehouse(*read_address(server.address("no.table"))).session() as session:
        yield session


def assert_conforms(found: Conformance) -> None:
    assert found.differences == ()
    assert found.codes > SOME_THOUSAND


def test_the_engine_in_the_process() -> None:
    assert_conforms(check(Engine().session(), DuckDB(), "duckdb"))


NEEDS_POSTGRESQL = pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")


def only(monkeypatch: pytest.MonkeyPatch, takes: Callable[[StoredType], bool]) -> None:
    """Leaves some stored types of the kit: all of them take 20 s."""
    monkeypatch.setattr(kit, "stored_types", lambda scheme: filter(takes, stored_types(scheme)))


@pytest.mark.full
@NEEDS_POSTGRESQL
def test_postgresql_in_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Types whose values are read in ways of its own: texts, floats, decimals, truths and moments."""
    some = ("text", "real", "numeric", "boolean", "timestamp")
    only(monkeypatch, lambda stored: stored.cast.lower().startswith(some))
    with postgresql() as session:
        found = check(session, PostgreSQL(), "postgresql")
    assert found.differences == ()
    assert found.codes > SOME_THOUSAND // 5


@pytest.mark.full
@NEEDS_POSTGRESQL
def test_postgresql() -> None:
    """By an account that may do nothing but connect."""
    with postgresql() as session:
        assert_conforms(check(session, PostgreSQL(), "postgresql"))


@pytest.mark.full
@pytest.mark.skipif(find_spec("pyspark") is None or shutil.which("java") is None, reason="Spark is not installed")
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_spark(tmp_path: Path) -> None:
    from dprelease.extras.warehouses import spark

    pyarrow.parquet.write_table(pa.table({"x": [1]}), tmp_path / "one.parquet")
    with open_warehouse(*read_address(f"spark://local{tmp_path}")).session() as session:
        assert_conforms(check(session, spark.Spark(), "spark"))
    spark.leave()


class _DatesByCast(DuckDB):
    def as_date(self, x: str, storage: str) -> str:
        return f"TRY_CAST({x} AS DATE)"


class _NumbersByCast(DuckDB):
    def as_double(self, x: str, storage: str) -> str:
        return f"TRY_CAST({x} AS DOUBLE)"


class _FloatsByCast(DuckDB):
    def float_text(self, x: str, *, single: bool) -> str:
        return f"CAST({x} AS VARCHAR)"


class _TruthsByTrim(DuckDB):
    def boolean_code(self, x: str, storage: str) -> str:
        text = f"LOWER(TRIM(CAST({x} AS VARCHAR)))"
        return (
            f"CASE WHEN {text} IN ('true', 't', 'yes', 'y', '1') THEN 1 WHEN {text} IN ('false', 'no', '0') THEN 0 END"
        )


class _NaNIsLarge(DuckDB):
    def is_nan(self, x: str) -> str:
        return "FALSE"


@pytest.mark.full
@pytest.mark.parametrize(
    ("reads", "value", "declared"),
    [
        (_DatesByCast, "infinity", "date 2024-02-01..2025-01-31"),
        (_DatesByCast, "10000-01-01", "date 2024-02-01..2025-01-31"),
        (_NumbersByCast, "1e-1_0", "number 0..1 by 0.1"),
        (_NumbersByCast, "+-1", "integer 0..10"),
        (_FloatsByCast, "1e+23", "category, discovered"),
        (_FloatsByCast, "1.0", "category, discovered"),
        (_TruthsByTrim, "true\u2003", "boolean"),
        (_NaNIsLarge, "nan", "number 0..1 by 0.1"),
    ],
)
def test_an_engine_that_reads_more_or_less_is_told(
    reads: type[DuckDB], value: str, declared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, lambda stored: value in {each.literal for each in stored.values})
    found = check(Engine().session(), reads(), "duckdb")
    assert (value, declared) in {(each.value, each.declared) for each in found.differences}


@pytest.mark.parametrize(("values", "lower", "upper"), [([nan, 1.0], -0.5, 0), ([nan, -5.0], -0.5, 0)])
@pytest.mark.parametrize("copies", [1, 100_000])
def test_nan_is_missing_whatever_the_other_rows_of_a_parquet_file_are(
    tmp_path: Path, values: list[float], lower: float, upper: float, copies: int
) -> None:
    """Its statistics leave NaN out, from which DuckDB concludes that no value equals NaN."""
    pyarrow.parquet.write_table(pa.table({"x": [*values, *values[1:] * copies]}), tmp_path / "one.parquet")
    schema = Schema.parse({"x": {"type": "number", "lower": lower, "upper": upper, "resolution": 0.25}})
    engine = Engine()
    for place in (tmp_path / "one.parquet", tmp_path):
        asked = [TallyQuery((each_value(schema["x"]),))]
        (tally,) = engine.answer(engine.parquet(place), asked, schema=schema, where=(), unit=PrivacyUnit())
        expected = [0, 0, copies + 1] if values[1] > 0 else [copies + 1, 0, 0]
        assert tally.values.tolist() == expected
