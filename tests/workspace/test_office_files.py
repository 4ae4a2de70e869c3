"""Files as offices write them, with known truth: every value is read right, asked for, or named as not understood."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import dprelease
from dprelease.errors import InputError
from dprelease.model.column import Column, ColumnType
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.reading_report import CellState
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine, Table
from dprelease.table.address import read_address
from dprelease.table.cell_state import state_counts, state_queries
from dprelease.table.ingest import ingest
from dprelease.table.warehouse import Warehouse, open_warehouse
from tests.table import offices
from tests.table.offices import ASK, ROWS, OfficeFile
from tests.table.servers import PostgresServer, SparkCluster, postgres_binary, postgres_server, spark_cluster

SEED = 20
FILES = offices.files(SEED)
ID = {"type": "integer", "lower": 1, "upper": ROWS}
ENGINE = Engine()


@dataclass(frozen=True)
class Brought:
    """A file that was registered, and what had to be said of it first."""

    schema: Schema
    stored: pa.Table = field(repr=False)
    asked: bool


def bring(file: OfficeFile, folder: Path, *, first: dict[str, Any] | None = None) -> Brought:
    """Registers a file, and answers what is asked as its office would: nothing that is not asked.

    A reading that cells settle is accepted as it is proposed.
    """
    path, workspace, asked = file.write(folder), dprelease.Workspace.in_memory(), False
    columns: dict[str, Any] = {"id": ID, file.column: {**file.cells.declared, **(first or {})}}
    layout: dict[str, Any] = {}
    for _ in range(4):
        try:
            workspace.add_dataset("made", path, columns=columns, epsilon=1, reading=layout, written={"accept": True})
        except InputError as error:
            asked = True
            if all(problem.path.startswith("columns.") for problem in error.problems):
                columns[file.column] |= file.cells.contract
            else:
                layout = dict(file.layout)
        else:
            break
    found = workspace.datasets.get("made")
    reading = workspace.datasets.layout("made")
    ingest(path, folder / "made.parquet", filename=file.name, reading=reading)
    return Brought(found.schema, pyarrow.parquet.read_table(folder / "made.parquet"), asked)


def read(engine: Engine | Warehouse, table: Table, schema: Schema, name: str) -> tuple[list[str | None], int]:
    """What each cell is read as, by the tallies that statistics are made of; and how many are not understood."""
    key, column = (each_value(schema["id"]),), schema[name]
    queries = [TallyQuery(key, Measure((name,))), TallyQuery(key, Measure((), (name,))), *state_queries([name], schema)]
    sums, counts, *states = engine.answer(table, queries, schema=schema, where=(), unit=PrivacyUnit())
    found = state_counts(states)[name]
    assert sum(found.values()) == ROWS
    pairs = zip(sums.values.tolist(), counts.values.tolist(), strict=True)  # type: ignore[union-attr]
    values = [value_of(column, code) if count else None for code, count in pairs]
    return values, found[CellState.UNREADABLE] + found[CellState.UNDECLARED]


def value_of(column: Column, code: int) -> str:
    value = column.value(code)
    return f"{value:.2f}" if column.type is ColumnType.NUMBER else str(value)


def faults(file: OfficeFile, brought: Brought, values: list[str | None], unreadable: int) -> dict[str, int]:
    """Cells without their value, with another or with one too many; and what was not asked or not counted."""
    spoilt = set(file.cells.unreadable)
    pairs = [pair for row, pair in enumerate(zip(values, file.cells.truth, strict=True)) if row not in spoilt]
    told = {
        "lost": sum(found is None and truth is not None for found, truth in pairs),
        "changed": sum(found is not None and truth is not None and found != truth for found, truth in pairs),
        "invented": sum(found is not None and truth is None for found, truth in pairs),
        "assumed": int(file.cells.must == ASK and not brought.asked) + sum(values[row] is not None for row in spoilt),
        "uncounted": len(spoilt) - unreadable,
    }
    return {fault: count for fault, count in told.items() if count > 0}


def assert_right(file: OfficeFile, brought: Brought, engine: Engine | Warehouse, table: Table) -> None:
    assert faults(file, brought, *read(engine, table, brought.schema, file.column)) == {}


each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


@pytest.mark.one_in(12)
@each_file
def test_every_value_is_right_or_was_asked_for_or_is_counted_as_not_understood(
    file: OfficeFile, tmp_path: Path
) -> None:
    brought = bring(file, tmp_path)
    assert_right(file, brought, ENGINE, ENGINE.hold(brought.stored))


@pytest.mark.one_in(30)
@each_file
def test_what_its_office_declares_is_read_whole(file: OfficeFile, tmp_path: Path) -> None:
    """Nothing is asked of the column, and as many cells are not understood as mean nothing."""
    brought = bring(file, tmp_path, first=dict(file.cells.contract))
    values, unreadable = read(ENGINE, ENGINE.hold(brought.stored), brought.schema, file.column)
    assert unreadable == len(file.cells.unreadable)
    expected = [None if row in file.cells.unreadable else truth for row, truth in enumerate(file.cells.truth)]
    assert values == expected


def test_nothing_is_lost_in_what_a_file_says_by_itself() -> None:
    """The files are of each country and kind, and each demand is made by some of them."""
    names = [file.name.removesuffix(".csv").removesuffix(".xlsx") for file in FILES]
    assert {name.rsplit("-", 1)[1] for name in names} == {*offices.KINDS, *offices.BOOKS}
    assert {name[3:].rsplit("-", 1)[0] for name in names} == {country.code for country in offices.COUNTRIES}
    assert {file.cells.must for file in FILES} == {offices.READ, offices.ASK, offices.UNREADABLE}


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


@pytest.mark.full
@pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
@each_file
def test_postgresql_reads_them_so(postgresql: PostgresServer, file: OfficeFile, tmp_path: Path) -> None:
    brought = bring(file, tmp_path)
    types = {name: "text" if pa.types.is_string(kind) else "bigint" for name, kind in _types(brought.stored)}
    postgresql.load("health.office", types, list(zip(*brought.stored.to_pydict().values(), strict=True)))
    warehouse = open_warehouse(*read_address(postgresql.address("health.office")))
    assert_right(file, brought, warehouse, warehouse.table())


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    from dprelease.extras.warehouses.spark import leave

    with spark_cluster(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster
        leave()


@pytest.mark.full
@pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark is not installed: make spark")
@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@each_file
def test_spark_reads_them_so(spark: SparkCluster, file: OfficeFile, tmp_path: Path) -> None:
    brought = bring(file, tmp_path)
    (tmp_path / "table").mkdir()
    pyarrow.parquet.write_table(brought.stored, tmp_path / "table" / "one.parquet")
    warehouse = open_warehouse(*read_address(spark.address(tmp_path / "table")))
    assert_right(file, brought, warehouse, warehouse.table())


def _types(table: pa.Table) -> list[tuple[str, pa.DataType]]:
    return [(field.name, field.type) for field in table.schema]
