"""Spark says what DuckDB says, to the last digit: on a standalone cluster with two workers, and in local processes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from dprelease.errors import DPReleaseError, InputError
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.statistics import Plan
from dprelease.statistics.grouping import each_value
from dprelease.table import Engine, Table
from dprelease.table.address import read_address
from dprelease.table.warehouse import Warehouse, open_warehouse
from dprelease.workspace import Workspace
from tests.statistics.neighbours import FILTERS, UNITS
from tests.table import awkward
from tests.table.servers import SparkCluster, spark_cluster

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark is not installed: make spark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
ENGINE = Engine()
ROW = PrivacyUnit()
SMALL = Schema.parse({"k": {"type": "integer", "lower": 0, "upper": 7}})
ASKED = [TallyQuery((each_value(SMALL["k"]),))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each table is a folder of two files."""
    place = tmp_path_factory.mktemp("spark")
    for name, table in (("people", awkward.people()), ("stored", awkward.stored_types())):
        write(place / name, table)
    return place


@pytest.fixture(scope="module")
def cluster(folder: Path) -> Iterator[SparkCluster]:
    with spark_cluster(folder) as started:
        yield started
        from dprelease.table import spark

        spark._leave()


def write(place: Path, table: pa.Table) -> None:
    half = len(table) // 2
    (place / "deeper=1").mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(table.slice(0, half), place / "one.parquet")
    pyarrow.parquet.write_table(table.slice(half), place / "deeper=1" / "two.parquet")


def at(address: str) -> tuple[Warehouse, Table]:
    warehouse = open_warehouse(*read_address(address))
    return warehouse, warehouse.table()


@pytest.mark.parametrize(
    ("unit", "where"),
    [("rows", "all"), ("people, 1 rows", "all"), ("people, 3 rows", "filtered"), ("people, 3 rows, 2 groups", "all")],
)
def test_every_statistic_has_the_same_tallies(cluster: SparkCluster, folder: Path, unit: str, where: str) -> None:
    warehouse, table = at(cluster.address(folder / "people"))
    options: dict[str, Any] = {"schema": awkward.EVERY_KIND, "where": FILTERS[where], "unit": UNITS[unit]}
    expected = ENGINE.answer(ENGINE.hold(awkward.people()), awkward.ASKED, **options)
    assert awkward.same(expected, warehouse.answer(table, awkward.ASKED, **options))


@pytest.mark.parametrize("kind", [*awkward.DECLARED, "discover"])
def test_every_stored_type_has_the_same_codes(cluster: SparkCluster, folder: Path, kind: str) -> None:
    warehouse, table = at(cluster.address(folder / "stored"))
    held = ENGINE.hold(awkward.stored_types())
    schema, asked = awkward.discovered() if kind == "discover" else awkward.declared_as(kind)
    options: dict[str, Any] = {"schema": schema, "where": (), "unit": PrivacyUnit("person", 3)}
    for one, other in zip(
        ENGINE.answer(held, asked, **options), warehouse.answer(table, asked, **options), strict=True
    ):
        assert awkward.same([one], [other]), one.query


@pytest.mark.parametrize("column", sorted(set(awkward.TYPES) - {"floats"}))
def test_identifiers_of_every_type_keep_the_same_rows(cluster: SparkCluster, folder: Path, column: str) -> None:
    """Not of 5e-324, which Java 17 writes as 4.9E-324: fractions are no identifiers to rely on."""
    warehouse, table = at(cluster.address(folder / "stored"))
    declared = {"type": "integer", "lower": 0, "upper": 3}
    schema = Schema.parse({"person": {"type": "integer", "lower": 0, "upper": 16}, "small": declared})
    asked = [TallyQuery((each_value(item),)) for item in schema]
    options: dict[str, Any] = {"schema": schema, "where": (), "unit": PrivacyUnit(column, 1)}
    expected = ENGINE.answer(ENGINE.hold(awkward.stored_types()), asked, **options)
    assert awkward.same(expected, warehouse.answer(table, asked, **options))


def test_sums_beyond_64_bits_are_exact(cluster: SparkCluster, folder: Path) -> None:
    top = 2**31 - 2
    schema = Schema.parse({"k": {"type": "integer", "lower": 0, "upper": top}})
    write(folder / "large", pa.table({"k": [top] * 6}))
    warehouse, table = at(cluster.address(folder / "large"))
    (square,) = warehouse.answer(table, [TallyQuery((), Measure(("k", "k")))], schema=schema, where=(), unit=ROW)
    assert int(square.values) == 6 * top * top > 2**63


def test_a_release_of_a_table_on_a_cluster(cluster: SparkCluster, folder: Path, tmp_path: Path) -> None:
    write(folder / "visits", pa.table({"person": [number // 2 for number in range(1000)], "k": [3] * 1000}))
    workspace = Workspace.open(tmp_path / "home")
    address = cluster.address(folder / "visits")
    columns = {"k": {"type": "integer", "lower": 0, "upper": 7}}
    workspace.add_dataset("visits", address, unit_column="person", columns=columns, epsilon=10_000)
    unit = {"column": "person", "max_rows": 1}
    plan = {
        "dprelease": 1,
        "dataset": "visits",
        "privacy": {"unit": unit, "neighbors": "add_remove", "epsilon": 100},
        "statistics": [{"id": "n", "kind": "count"}, {"id": "k", "kind": "mean", "column": "k"}],
    }
    plan_id = workspace.submit(Plan.parse(plan))
    workspace.approve(plan_id)
    write(folder / "visits", pa.table({"person": [1, 2], "other": [3, 3]}))
    with pytest.raises(InputError, match=r"columns\.k"):
        workspace.publish(plan_id)
    assert workspace.budget("visits").charges == 0
    write(folder / "visits", pa.table({"person": [number // 2 for number in range(1000)], "k": [3] * 1000}))
    assert abs(workspace.publish(plan_id).estimates["n"]["value"][0] - 500) < 3
    assert not list((folder / "scratch").rglob("rdd_*")), "no rows are kept on the cluster"


def test_what_goes_wrong_is_said_without_a_value(cluster: SparkCluster, folder: Path) -> None:
    write(folder / "gone", pa.table({"k": [1, 2, 3]}))
    warehouse, table = at(cluster.address(folder / "gone"))
    (folder / "gone" / "one.parquet").write_bytes(b"PAR1SECRET_4711PAR1")
    with pytest.raises(DPReleaseError) as caught:
        warehouse.answer(table, ASKED, schema=SMALL, where=(), unit=ROW)
    shutil.rmtree(folder / "gone")
    with pytest.raises(InputError, match="no such table") as gone:
        warehouse.answer(table, ASKED, schema=SMALL, where=(), unit=ROW)
    for said in (caught, gone):
        assert "SECRET" not in str(said.value)
        assert str(folder) not in str(said.value)


def test_in_this_machines_own_processes(cluster: SparkCluster, folder: Path) -> None:
    """After the cluster: a process talks to one master at a time. A cluster that stopped is said to be out of reach."""
    address = cluster.address(folder / "people")
    cluster.stop()
    with pytest.raises(InputError, match="cannot be reached"):
        at(address)
    warehouse, table = at(f"spark://local{folder / 'people'}")
    options: dict[str, Any] = {"schema": awkward.EVERY_KIND, "where": (), "unit": UNITS["people, 2 rows"]}
    asked = awkward.ASKED[::6]
    expected = ENGINE.answer(ENGINE.hold(awkward.people()), asked, **options)
    assert awkward.same(expected, warehouse.answer(table, asked, **options))
