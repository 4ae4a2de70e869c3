"""What a file says of its own columns is kept with its table, and is its first codebook."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

import dprelease
from dprelease.codebook import CodebookError, Note
from tests.cli.conftest import Terminal, empty, terminal
from tests.table.sas import Column, catalogue, table

__all__ = ["empty", "terminal"]

PEOPLE = [
    Column("age", [30.0, None, "A"], "BEST12", "Age in years"),
    Column("sex", [1.0, 2.0, 9.0], "SEXF2."),
    Column("visit", [0.0, 21915.0, None], "DDMMYY10."),
    Column("seen", [86_400.0, 0.0, None], "DATETIME20."),
    Column("town", ["N", "S", ""], "$TOWNF", text=True),
]
FORMATS: Mapping[str, Mapping[float | str, str]] = {
    "SEXF": {1.0: "man", 2.0: "woman"},
    "$TOWNF": {"N": "North", "S": "South"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.sas7bdat").write_bytes(table(PEOPLE))
    (tmp_path / "formats.sas7bcat").write_bytes(catalogue(FORMATS))
    return tmp_path


def test_a_file_of_sas_is_read_by_its_types(terminal: Terminal, folder: Path) -> None:
    terminal.ask("dataset", "add", "--overlap", "none", "people", folder / "people.sas7bdat", "--epsilon", 1)
    (path,) = (each for each in (terminal.home / "private" / "tables").iterdir() if "sex" in _columns(each))
    rows = parquet.read_table(path).to_pydict()
    assert rows["age"] == [30.0, None, None]
    assert [each and each.isoformat() for each in rows["visit"]] == ["1960-01-01", "2020-01-01", None]
    assert [each and each.isoformat() for each in rows["seen"]] == ["1960-01-02T00:00:00", "1960-01-01T00:00:00", None]
    assert rows["town"] == ["N", "S", None]


def _columns(path: Path) -> list[str]:
    return parquet.read_schema(path).names if path.suffix == ".parquet" else []


def test_the_labels_of_sas_come_from_the_file_and_from_its_catalogue(terminal: Terminal, folder: Path) -> None:
    words = terminal.say("dataset", "add", "--overlap", "none", "people", folder / "people.sas7bdat", "--epsilon", 1)
    assert "dataset describe people --own" in words
    found = terminal.ask("dataset", "describe", "people", "--own", "--dry-run")["changed"]
    assert found["age"] == {"type": "number", "description": "Age in years"}
    assert found["visit"] == {"type": "date"}
    assert "town" not in found
    given = ("--codebook", folder / "formats.sas7bcat")
    found = terminal.ask("dataset", "describe", "people", *given, "--only", "sex", "town")["changed"]
    assert (found["sex"]["type"], found["sex"]["categories"]) == ("category", ["1", "2"])
    assert found["town"]["description"] == "N = North; S = South"
    words = terminal.refused("dataset", "describe", "visits", *given, error="CodebookError")
    assert ".sas7bdat" in words


def described(said: Mapping[str, Mapping[str, str]]) -> pyarrow.Table:
    kinds = {"age": pyarrow.int32(), "sex": pyarrow.int8(), "day": pyarrow.date32(), "town": pyarrow.string()}
    fields = [pyarrow.field(name, kind, metadata=said.get(name)) for name, kind in kinds.items()]
    return pyarrow.table([pyarrow.array([], kind) for kind in kinds.values()], schema=pyarrow.schema(fields))


def book(folder: Path, said: Mapping[str, Mapping[str, str]]) -> dprelease.codebook.Codebook | None:
    """What a Parquet file with metadata of fields is a codebook of."""
    parquet.write_table(described(said), folder / "t.parquet")
    workspace = dprelease.Workspace.create(folder / "home")
    workspace.add_dataset("people", folder / "t.parquet", epsilon=1)
    return workspace.datasets.codebook("people")


def test_the_metadata_of_the_fields_of_parquet_are_a_codebook(tmp_path: Path) -> None:
    found = book(
        tmp_path,
        {
            "age": {
                "label": "Age",
                "units": "years",
                "valid_min": "0",
                "valid_max": "120",
                "missing_values": "[-1, 9]",
            },
            "sex": {"value_labels": json.dumps({"1": "man", "2": "woman"}), "mean": "1.5"},
            "town": {"levels": '["North", "South"]', "comment": "Where they live"},
        },
    )
    assert found is not None
    said = {entry.name: entry.declared for entry in found.decided().entries}
    assert said["age"] == {
        "type": "integer",
        "lower": "0",
        "upper": "120",
        "unit": "years",
        "missing_codes": ["-1", "9"],
        "description": "Age",
    }
    assert said["sex"]["categories"] == ["1", "2"]
    assert said["town"] == {"type": "category", "categories": ["North", "South"], "description": "Where they live"}
    assert said["day"] == {"type": "date"}
    assert found.notes[Note.STATISTICS] == ("mean",)


def test_a_bound_in_metadata_that_may_be_two_numbers_is_asked_about(tmp_path: Path) -> None:
    found = book(tmp_path, {"age": {"max": "1.200"}})
    assert found is not None
    with pytest.raises(CodebookError, match=r"numbers: found '1.200'"):
        found.decided()


def test_a_parquet_file_without_metadata_of_fields_is_no_codebook(tmp_path: Path) -> None:
    assert book(tmp_path, {}) is None
