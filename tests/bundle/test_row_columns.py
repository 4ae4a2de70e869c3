"""Files beside synthetic rows agree on what a column holds: its type, lattice, labels, levels, and no answers."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas
import pytest
from pyarrow import parquet

import dprelease
from tests.bundle.releases import snapshot

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 98, "resolution": 2, "missing_codes": [-9, -8]},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-20", "description": "=when they came"},
    "sex": {
        "type": "category",
        "categories": ["2", "1", "unknown"],
        "missing_codes": [9, 8],
        "count_missing_as": "unknown",
        "levels": {"known": {"yes": ["1", "2"], "no": ["unknown"]}},
    },
    "why": {"type": "category", "categories": ["=ill", "-9", "-8"]},
    "urgent": {"type": "boolean", "count_missing_as": False},
    "pay": {"type": "number", "lower": 0, "upper": 4, "resolution": 0.5, "missing_codes": []},
}
TEXTS = {
    "languages": ["en"],
    "columns": {"sex": {"label": {"en": "Sex"}, "codelist": "sexes"}, "why": {"codelist": "reasons"}},
    "codelists": {
        "sexes": {"codes": {"1": {"en": "men"}, "2": {"en": "women"}}},
        "reasons": {"codes": {"-9": {"en": "refused"}, "-8": {"en": "not asked"}}},
    },
}
ROWS = 90


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """At ε = 500 all kinds of rows are among 90: none is missed oftener than in 1e-9."""
    table = pandas.DataFrame(
        {
            "age": [4, 50, -9, -8, 98, 7] * 40,
            "day": ["2025-01-02", "2025-01-20"] * 120,
            "sex": ["1", "2", "9", "8", "unknown", ""] * 40,
            "why": ["-9", "-8", "=ill"] * 80,
            "urgent": [True, False, None] * 80,
            "pay": [0, 1.5, 4] * 80,
        }
    )
    made = tmp_path_factory.mktemp("columns")
    workspace = dprelease.Workspace.create(made / "w")
    workspace.add_population("all", unit="row", neighbors="add_remove", epsilon=1000)
    workspace.add_dataset("t", table, population="all", columns=COLUMNS)
    bins = {"age": 7, "day": 4, "pay": 3}
    asked = {"id": "rows", "kind": "synthetic", "columns": list(COLUMNS), "bins": bins, "order": 1, "rows": ROWS}
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 500},
        "texts": TEXTS,
        "statistics": [asked],
        "charts": False,
    }
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    workspace.plans.approve(plan_id)
    return workspace.publish(plan_id).write(made / "b")


@pytest.fixture(scope="module")
def files(folder: Path) -> dict[str, bytes]:
    return snapshot(folder)


def fields(files: dict[str, bytes]) -> dict[str, Any]:
    resources = json.loads(files["datapackage.json"])["resources"]
    (told,) = [each for each in resources if each["path"] == "rows/rows.synthetic.csv"]
    assert told["schema"]["missingValues"] == [""]
    return {each["name"]: each for each in told["schema"]["fields"]}


@pytest.mark.full
def test_columns_keep_types_lattices_labels_and_levels(folder: Path, files: dict[str, bytes]) -> None:
    told = fields(files)
    assert [each["type"] for each in told.values()] == ["integer", "date", "string", "string", "boolean", "number"]
    assert told["age"]["constraints"] == {"required": True, "minimum": 0, "maximum": 98}
    assert told["age"]["resolution"] == 2
    assert told["day"]["constraints"]["maximum"] == "2025-01-20"
    assert told["sex"]["title"] == "Sex"
    assert told["sex"]["categories"] == [
        {"value": "2", "label": "women"},
        {"value": "1", "label": "men"},
        {"value": "unknown", "label": "unknown"},
    ]
    assert told["sex"]["levels"] == COLUMNS["sex"]["levels"]
    rows = dprelease.load_rows(folder, "rows", labels="en")
    assert (rows["age"] % 2 == 0).all()
    assert (rows["pay"] * 2 % 1 == 0).all()
    assert rows["day"].between("2025-01-01", "2025-01-20").all()
    assert list(rows["sex"].cat.categories) == ["women", "men", "unknown"]
    assert dprelease.verify(folder)


def test_a_reader_of_the_descriptor_gets_the_rows_of_the_loader(folder: Path, files: dict[str, bytes]) -> None:
    """Read as Table Schema says, by another program: `-9` and such, which stand for no answer, occur in no row."""
    told, rows = fields(files), dprelease.load_rows(folder, "rows")
    plain = pandas.read_csv(BytesIO(files["rows/rows.synthetic.csv"]), dtype=str, keep_default_na=False)
    assert (plain != "").to_numpy().all()  # each is `required`
    for name, field in told.items():
        column = plain[name]
        if "categories" in field:
            assert set(column) == {each["value"] for each in field["categories"]}
        if field["type"] == "boolean":
            assert list(column == "true") == list(rows[name])
        elif field["type"] in ("integer", "number"):
            assert list(map(float, column)) == list(rows[name])
            least, most = (field["constraints"][end] for end in ("minimum", "maximum"))
            assert pandas.to_numeric(column).between(least, most).all()
    assert set(plain["sex"]) == {"1", "2", "unknown"}
    assert set(plain["why"]) == {"'=ill", "'-9", "'-8"}  # as in all CSV files, for spreadsheets


def test_all_files_say_alike_what_became_of_no_answers(folder: Path, files: dict[str, bytes]) -> None:
    told = fields(files)
    packed = parquet.read_table(BytesIO(files["rows/rows.synthetic.parquet"]))
    dictionary = json.loads(files["rows/rows.synthetic.dictionary.json"])
    loaded = dprelease.load_rows(folder, "rows").attrs["columns"]
    assert dictionary["dictionary"] == 2
    for mine, listed, own in zip(dictionary["columns"], packed.schema, loaded, strict=True):
        said = mine["no_answer"]
        assert said == told[mine["name"]]["noAnswer"] == json.loads(listed.metadata[b"dprelease.no_answer"])
        assert said == own["no_answer"]
        assert said["about"] in told[mine["name"]]["description"]
    known = {each["name"]: each["no_answer"] for each in dictionary["columns"]}
    assert known["age"]["rows"] == "left_out"
    assert known["age"]["codes"] == [-9, -8]
    assert known["age"]["about"].endswith("-9, -8. They occur in no row.")
    assert known["sex"]["as"] == "unknown"
    assert known["sex"]["codes"] == ["9", "8"]
    assert known["urgent"]["as"] is False
    assert "false, which may be an answer" in known["urgent"]["about"]
    assert known["pay"]["codes"] == []  # declared to have none
    assert "codes" not in known["why"]  # nobody said
    missing = dprelease.load_rows(folder, "rows", missing=True)
    assert [name for name in COLUMNS if missing[name].isna().any()] == ["sex", "urgent"]
    assert list(missing["why"].cat.categories) == ["=ill", "-9", "-8"]  # codes that are declared as categories stay


@pytest.mark.parametrize("count", [0, 3])
def test_any_number_of_rows_is_described_alike(folder: Path, files: dict[str, bytes], count: int) -> None:
    other = dprelease.rows_from(folder, "rows", rows=count).files
    mine, published = (json.loads(each["rows/rows.synthetic.dictionary.json"]) for each in (other, files))
    assert mine == {**published, "rows": count}
    one, two = (parquet.read_schema(BytesIO(each["rows/rows.synthetic.parquet"])) for each in (other, files))
    assert one.equals(two, check_metadata=True)
