"""Stored types and file names that once misled the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pytest

import dprelease
from dprelease.errors import InputError, UploadError
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine
from dprelease.table.answer import check_columns
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.ingest import ingest


@pytest.mark.parametrize("name", ["visits[1].csv", "v*.csv", "what?.csv", "it's.csv", 'a"b.csv', "ünï.csv"])
def test_a_file_name_means_one_file(tmp_path: Path, name: str) -> None:
    for other in ("visits1.csv", "visits.csv", "whatx.csv"):
        (tmp_path / other).write_text("x\n1\n2\n3\n")
    (tmp_path / name).write_text("x\n7\n")
    ingest(tmp_path / name, tmp_path / "out.parquet", filename=name)
    assert pandas.read_parquet(tmp_path / "out.parquet").x.tolist() == ["7"]


def test_a_folder_name_is_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "x=1" / "k=v"
    folder.mkdir(parents=True)
    (folder / "t.csv").write_text("x\n0\n0\n")
    ingest(folder / "t.csv", folder / "t.parquet", filename="t.csv")
    engine = Engine(folder)
    table = engine.parquet(folder / "t.parquet")
    assert table.columns == ("x",)
    assert engine.cursor().execute(f"SELECT x FROM {table.source}").fetchall() == [("0",), ("0",)]


def strange() -> pyarrow.Table:
    """A timestamp at the edge of its range: DuckDB aborts when it writes it as text."""
    edge = pyarrow.array([-(2**63) + 2], pyarrow.int64()).cast(pyarrow.timestamp("us"))
    return pyarrow.table({"when": edge, "list": [[1]], "c": ["a"]})


@pytest.mark.parametrize("column", ["when", "list"])
def test_what_has_no_text_cannot_be_a_category_or_identifier(column: str) -> None:
    workspace = dprelease.Workspace.in_memory()
    category = {"type": "category", "categories": ["a"]}
    with pytest.raises(InputError, match=column):
        workspace.add_dataset("t", strange(), columns={column: category}, epsilon=1)
    with pytest.raises(InputError, match=column):
        workspace.add_dataset("t", strange(), unit_column=column, epsilon=1)
    workspace.add_dataset("t", strange(), epsilon=1)
    with pytest.raises(InputError, match=column):
        workspace.datasets.describe("t", {column: category})
    with pytest.raises(InputError, match=column):
        workspace.plans.submit(
            dprelease.Plan.parse(
                {
                    "dprelease": 1,
                    "dataset": "t",
                    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
                    "columns": {column: category},
                    "statistics": [{"id": "h", "kind": "histogram", "column": column}],
                }
            )
        )


def test_such_a_timestamp_can_be_a_date() -> None:
    workspace = dprelease.Workspace.in_memory()
    days = {"type": "date", "lower": "2025-01-01", "upper": "2025-01-10"}
    workspace.add_dataset("t", strange(), columns={"when": days}, epsilon=1)
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "statistics": [{"id": "h", "kind": "histogram", "column": "when"}],
    }
    preview = workspace.preview(dprelease.Plan.parse(plan), draws=2)
    assert preview["h"].true.value == [1, *([0] * 9)]


@pytest.mark.parametrize(
    "frame",
    [
        pandas.DataFrame({"x": [10**30]}),
        pandas.DataFrame({"x": pandas.Series(["\ud800 SECRET"], dtype=object)}),
        pandas.DataFrame({"x": ["SECRET", 1]}),
        pandas.DataFrame({"x": [object()]}),
    ],
)
def test_a_frame_that_cannot_be_stored_is_refused_without_its_values(frame: pandas.DataFrame) -> None:
    with pytest.raises(UploadError) as caught:
        dprelease.Workspace.in_memory().add_dataset("t", frame, epsilon=1)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("text", ["a,b\r1,2\r", f"{'x' * 140_000},b\n1,2\n", "a\0,b\n1,2\n"])
def test_a_header_that_cannot_be_read_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.csv").write_text(text, newline="")
    with pytest.raises(UploadError):
        ingest(tmp_path / "t.csv", tmp_path / "t.parquet", filename="t.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ({"type": "integer", "lower": 0, "upper": 5}, [0, 0, 0, 0, 0, 1]),
        ({"type": "boolean"}, [0, 1]),
        ({"type": "category", "categories": ["true"], "other": True, "missing_codes": [{"from": 4}]}, [1, 1]),
    ],
)
def test_json_is_read_as_text_so_that_no_value_is_an_error(
    tmp_path: Path, declared: dict[str, Any], expected: list[int]
) -> None:
    """An error that one row's value makes would tell of that row."""
    written = "COPY (SELECT UNNEST(['5', '\"abc\"', 'true'])::JSON AS j) TO '{}' (FORMAT parquet)"
    duckdb.execute(written.format(tmp_path / "t.parquet"))
    ingest(tmp_path / "t.parquet", tmp_path / "kept.parquet", filename="t.parquet")
    engine, schema = Engine(tmp_path), Schema.parse({"j": declared})
    table = engine.parquet(tmp_path / "kept.parquet")
    check_columns(table, schema, PrivacyUnit())
    asked = [TallyQuery((each_value(schema["j"]),))]
    (tally,) = engine.answer(table, asked, schema=schema, where=(), unit=PrivacyUnit())
    assert tally.values.tolist() == expected


def test_only_types_that_are_known_are_read() -> None:
    """A type that a later DuckDB brings may have values without a text or a number: reading one would be an error."""
    named = {str(row[0]) for row in duckdb.execute("SELECT DISTINCT logical_type FROM duckdb_types()").fetchall()}
    texts = {name for name in named if DuckDB().has_text(name)}
    assert {"BIGNUM", "TUPLE", "TYPE", "VARIANT", "TIMESTAMP", "TIME", "BLOB"} <= named - texts
    assert {"VARCHAR", "ENUM", "UUID", "DATE", "HUGEINT", "UHUGEINT", "UBIGINT", "DECIMAL", "BOOLEAN"} <= texts
    assert {name for name in named if DuckDB().has_numbers(name)} == texts - {"UUID", "DATE"}
