"""Spark says what DuckDB says, to the last digit: on a standalone cluster with two workers, and in local processes."""

from __future__ import annotations

import shutil
import signal
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
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
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.kit.rows import UNITS
from dprelease.table import Engine, Table, fold, query
from dprelease.table.address import read_address
from dprelease.table.identifier import canonical
from dprelease.table.query import tally_sql
from dprelease.table.rows import RowSource
from dprelease.table.tally import key_sets
from dprelease.table.warehouse import Warehouse, open_warehouse
from dprelease.workspace import Workspace
from tests.statistics.kinds.variants import FILTERS
from tests.table import awkward, calendar_rows
from tests.table.servers import SparkCluster, spark_cluster
from tests.table.test_identifiers import ONE_EACH, ONE_UNIT, SAME

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark is not installed: make spark"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
if find_spec("pyspark") is not None:
    from pyspark import SparkContext

    from dprelease.extras.warehouses import spark, spark_application
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
        spark.leave()


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
    again = warehouse.answer(table, awkward.SCORED, **options, after=awkward.ASKED)
    assert awkward.same(expected[-len(awkward.SCORED) :], again)
    expected = ENGINE.answer(ENGINE.hold(awkward.people()), awkward.MODEL, **options)
    assert awkward.same(expected, warehouse.answer(table, awkward.MODEL, **options))
    if options["unit"].column is not None:
        asked = [*awkward.ASKED, *awkward.PARTED]
        parted = ENGINE.answer(ENGINE.hold(awkward.people()), asked, **options)
        assert awkward.same(parted, warehouse.answer(table, asked, **options))


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("kind", [*awkward.DECLARED, "discover"])
def test_every_stored_type_has_the_same_codes(cluster: SparkCluster, folder: Path, kind: str, coded: bool) -> None:
    warehouse, table = at(cluster.address(folder / "stored"))
    held = ENGINE.hold(awkward.stored_types())
    schema, asked = awkward.discovered(coded=coded) if kind == "discover" else awkward.declared_as(kind, coded=coded)
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


def test_identifiers_are_compared_by_the_one_rule(cluster: SparkCluster, folder: Path) -> None:
    texts = [*ONE_UNIT, *ONE_EACH, *(text for pair in SAME for text in pair), "", " ", "0", "-1.0", "nobody"]
    write(folder / "texts", pa.table({"id": texts}))
    warehouse, table = at(cluster.address(folder / "texts"))
    for codes in ((), ("0", "-1", "nobody")):
        unit = PrivacyUnit("id", 1, missing_codes=codes)
        (counted,) = warehouse.answer(table, [TallyQuery(units=True)], schema=Schema({}), where=(), unit=unit)
        assert counted.values == len({canonical(text) for text in texts} - {None, *codes})


def test_sums_beyond_64_bits_are_exact(cluster: SparkCluster, folder: Path) -> None:
    top = 2**31 - 2
    schema = Schema.parse({"k": {"type": "integer", "lower": 0, "upper": top}})
    write(folder / "large", pa.table({"k": [top] * 6}))
    warehouse, table = at(cluster.address(folder / "large"))
    (square,) = warehouse.answer(table, [TallyQuery((), Measure(("k", "k")))], schema=schema, where=(), unit=ROW)
    assert int(square.values) == 6 * top * top > 2**63


def test_a_release_of_a_table_on_a_cluster(cluster: SparkCluster, folder: Path, tmp_path: Path) -> None:
    write(folder / "visits", pa.table({"person": [number // 2 for number in range(1000)], "k": [3] * 1000}))
    workspace = Workspace.create(tmp_path / "home")
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
    plan_id = workspace.plans.submit(Plan.parse(plan))
    workspace.plans.approve(plan_id)
    write(folder / "visits", pa.table({"person": [1, 2], "other": [3, 3]}))
    with pytest.raises(InputError, match=r"columns\.k"):
        workspace.publish(plan_id)
    assert workspace.populations.budget("visits").charges == 0
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


LOGS = {"Delta": "_delta_log/0.json", "Iceberg": "metadata/v1.metadata.json", "Hudi": ".hoodie/hoodie.properties"}


@pytest.mark.parametrize("kind", LOGS)
@pytest.mark.parametrize("asked", ["lake", "lake/table", "lake/table/day=1"])
def test_files_of_a_table_of_another_format_are_refused(
    cluster: SparkCluster, folder: Path, kind: str, asked: str
) -> None:
    """Rows that were deleted from it would count again."""
    place = folder / kind / "lake" / "table"
    (place / LOGS[kind]).parent.mkdir(parents=True, exist_ok=True)
    (place / "day=1").mkdir(exist_ok=True)
    (place / LOGS[kind]).write_text("{}")
    pyarrow.parquet.write_table(pa.table({"k": [1, 2]}), place / "day=1" / "one.parquet")
    with pytest.raises(InputError, match=rf"files of a {kind} table.*\?table=catalog"):
        at(cluster.address(folder / kind / asked))


def test_other_files_of_a_folder_are_left_alone(cluster: SparkCluster, folder: Path) -> None:
    write(folder / "mixed", pa.table({"k": [1, 2, 3]}))
    (folder / "mixed" / "readme.txt").write_text("no Parquet at all")
    (folder / "mixed" / "t.csv").write_text("k\n1\n")
    warehouse, table = at(cluster.address(folder / "mixed"))
    assert warehouse.answer(table, ASKED, schema=SMALL, where=(), unit=ROW)[0].values.sum() == 3


def test_what_is_wrong_with_a_file_is_told_by_its_name_and_column(cluster: SparkCluster, folder: Path) -> None:
    for number, type_ in enumerate((pa.int32(), pa.int64())):
        (folder / "types").mkdir(exist_ok=True)
        pyarrow.parquet.write_table(pa.table({"k": pa.array([1], type_)}), folder / "types" / f"{number}.parquet")
    warehouse, table = at(cluster.address(folder / "types"))
    with pytest.raises(InputError, match=r"'[01]\.parquet', whose column 'k' is INT\d\d, not"):
        warehouse.answer(table, ASKED, schema=SMALL, where=(), unit=ROW)
    write(folder / "times", pa.table({"k": [1, 2], "t": pa.array([1, 2], pa.timestamp("ns"))}))
    with pytest.raises(InputError, match=r"TIMESTAMP\(NANOS.*Write times in microseconds"):
        at(cluster.address(folder / "times"))


def test_another_master_may_be_asked_when_the_first_is_idle_from_any_thread(
    cluster: SparkCluster, folder: Path
) -> None:
    at(cluster.address(folder / "people"))
    with ThreadPoolExecutor(1) as pool:
        _, table = pool.submit(at, f"spark://local{folder / 'people'}").result()
    assert "person" in table.columns


def test_what_it_writes_is_private_encrypted_and_deleted(folder: Path, tmp_path: Path) -> None:
    """20,000 identifiers are shuffled; while the application lives, nobody else could read a file of theirs."""
    spark.leave()
    names = [f"PATIENT-{number:06}" for number in range(20_000)]
    write(folder / "names", pa.table({"person": names * 2, "k": [1, 2] * 20_000}))
    warehouse = open_warehouse(*read_address(f"spark://local{folder / 'names'}"), tmp_path / "spill")
    unit = PrivacyUnit("person", 2)
    warehouse.answer(warehouse.table(), ASKED, schema=SMALL, where=(), unit=unit)
    written = [path for path in (tmp_path / "spill").rglob("*") if path.is_file()]
    assert [path for path in written if path.name.startswith("shuffle_")]
    assert not [path for path in (tmp_path / "spill").rglob("*") if path.stat().st_mode & 0o077]
    for path in written:
        assert b"PATIENT-" not in path.read_bytes()
    (one,) = (tmp_path / "spill").iterdir()
    assert stat.S_IMODE(one.stat().st_mode) == 0o700
    spark.leave()
    assert list((tmp_path / "spill").iterdir()) == []


def test_a_question_that_takes_too_long_is_given_up(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a cluster that goes away, which is waited for without end. The next question finds the engine free."""
    write(folder / "few", pa.table({"k": [1, 2]}))
    warehouse, table = at(f"spark://local{folder / 'few'}")
    monkeypatch.setattr(spark_application, "LIMIT_SECONDS", 2)
    with pytest.raises(InputError, match="did not answer within 2 seconds"), warehouse.session() as session:
        session.rows("SELECT SUM(id % 7) FROM range(100000000000000)")
    monkeypatch.undo()
    assert spark_application._own.uses == 0
    assert warehouse.answer(table, ASKED, schema=SMALL, where=(), unit=ROW)[0].values.sum() == 2


def test_java_that_does_not_answer_at_all_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process is stopped, so that it cannot even be told to give up."""
    write(folder / "few", pa.table({"k": [1, 2]}))
    warehouse, table = at(f"spark://local{folder / 'few'}")
    monkeypatch.setattr(spark_application, "LIMIT_SECONDS", 2)
    monkeypatch.setattr(spark_application, "VAIN_SECONDS", 1)
    process = SparkContext._gateway.proc
    process.send_signal(signal.SIGSTOP)
    with pytest.raises(InputError, match="did not answer within 2 seconds"):
        warehouse.answer(table, ASKED, schema=SMALL, where=(), unit=ROW)
    assert process.wait(spark_application.ENDING_SECONDS) == -signal.SIGKILL
    monkeypatch.undo()
    assert spark_application._own.uses == 0
    assert warehouse.answer(table, ASKED, schema=SMALL, where=(), unit=ROW)[0].values.sum() == 2


@pytest.mark.parametrize("unit", ["rows", "people, 2 rows"])
def test_a_plan_reads_the_table_once(folder: Path, unit: str) -> None:
    warehouse, table = at(f"spark://local{folder / 'people'}")
    sets = key_sets([query for query in awkward.ASKED if isinstance(query, TallyQuery)][:8])
    assert len({each.keys for each in sets}) > 2
    rows = RowSource(table.source, table.storage, awkward.EVERY_KIND, (), UNITS[unit])
    columns = [name for each in sets for name in each.columns]
    with warehouse.session() as session:
        assert isinstance(session, spark.SparkQueries)
        asked = session.spark.sql(tally_sql(sets, rows, table.dialect, columns))
        asked.collect()
        done = str(asked._jdf.queryExecution().executedPlan().toString())
    final, _, first = done.partition("== Initial Plan ==")
    assert "== Final Plan ==" in final
    assert first
    assert final.count("FileScan") == 1


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


@pytest.mark.parametrize(
    ("way", "unit"), [("folded", ROW), ("looked up", ROW), ("looked up", PrivacyUnit("id", 1000)), ("compared", ROW)]
)
def test_levels_of_the_calendar_are_counted_as_pandas_counts_them(
    tmp_path: Path, way: str, unit: PrivacyUnit, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = calendar_rows.rows()
    write(tmp_path / "days", table)
    if way != "folded":
        monkeypatch.setattr(fold, "MAX_LABELLED_CODES", 0)
    if way == "compared":
        monkeypatch.setattr(query, "MAX_LOOKED_UP", 0)
    warehouse, stored = at(f"spark://local{tmp_path / 'days'}")
    for level in ("week", "weekday"):
        asked = calendar_rows.queries(level)[: 4 if unit.column else 3]
        answered = warehouse.answer(stored, asked, schema=calendar_rows.SCHEMA, where=(), unit=unit)
        for tally, right in zip(answered, calendar_rows.expected(table, level), strict=False):
            assert tally.values.tolist() == right.tolist()
