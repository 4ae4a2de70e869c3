"""Cells of a table in each format and with labels: every reader finds the rows that pandas selects in the file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path

import openpyxl
import pandas
import pytest
from pyarrow import parquet
from starlette.testclient import TestClient

from dprelease import Plan, Workspace
from dprelease.portal.shelf import Bundle
from dprelease.web.alone import application
from tests.web.conftest import ADDRESS
from tests.web.test_cells import COLUMNS, REGIONS, file_of
from tests.workspace.test_publish import approved

LABELS = {
    "north": {"en": "The north", "es": "Norte"},
    "south": {"en": "The south", "es": "=SUR()"},
    "east, far": {"en": "Far east"},
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The cross table of the cells' tests with labels in two languages; the last codes have none."""
    home = tmp_path_factory.mktemp("formats") / "home"
    workspace, source = Workspace.create(home), home.parent / "t.csv"
    source.write_text("region,limit,age\nnorth,F,1\nsouth,M,2\n")
    workspace.add_dataset("t", source, columns=COLUMNS, epsilon=10)
    plan = {
        "dprelease": 1,
        "title": "Regions",
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "columns": COLUMNS,
        "texts": {
            "languages": ["en", "es"],
            "columns": {"region": {"codelist": "regions"}},
            "codelists": {"regions": {"codes": LABELS}},
        },
        "statistics": [
            {"id": "t", "kind": "crosstab", "columns": ["region", "limit"]},
            {"id": "age", "kind": "mean", "column": "age", "by": ["limit"]},
        ],
    }
    release_id = workspace.publish(approved(workspace, Plan.parse(plan))).id
    return Bundle.open(release_id, workspace.releases.bundle(release_id))


@pytest.fixture(scope="module")
def own(bundle: Bundle) -> Iterator[TestClient]:
    with TestClient(application(bundle.folder.parent), base_url=ADDRESS) as found:
        yield found


@pytest.fixture(scope="module")
def address(bundle: Bundle) -> str:
    return f"/api/releases/{bundle.id}/tables/t"


ASKED = "region=north&region=%3Dcmd%22&limit=3&after=1"
"""Of the four rows all but the first."""


def expected(own: TestClient, address: str, asked: str = ASKED) -> list[list[object]]:
    found = own.get(f"{address}?{asked}").json()
    return [list(row.values()) for row in found["rows"]]


def test_a_workbook_has_the_same_cells_and_runs_none(own: TestClient, address: str, bundle: Bundle) -> None:
    answer = own.get(f"{address}?{ASKED}&format=xlsx")
    assert answer.headers["content-disposition"] == f'attachment; filename="{bundle.id}-t.xlsx"'
    book = openpyxl.load_workbook(BytesIO(answer.content))
    head, *rows = [[cell.value for cell in row] for row in book["cells"].iter_rows()]
    assert head == file_of(bundle).columns.tolist()
    assert rows == expected(own, address)
    assert '=cmd"' in {row[0] for row in rows}
    assert {cell.data_type for row in book["cells"].iter_rows() for cell in row} <= {"s", "n"}
    about = {row[0].value: row[1].value for row in book["about"].iter_rows()}
    assert about["release"] == bundle.id
    assert "one release, this one" in about["guarantee"]
    again = own.get(f"{address}?{ASKED}&format=xlsx")
    assert again.headers["etag"] == answer.headers["etag"]


def test_parquet_has_the_same_cells_with_their_types(own: TestClient, address: str, bundle: Bundle) -> None:
    table = parquet.read_table(BytesIO(own.get(f"{address}?{ASKED}&format=parquet").content))
    assert [list(row.values()) for row in table.to_pylist()] == expected(own, address)
    types = dict(zip(table.schema.names, map(str, table.schema.types), strict=True))
    assert (types["region"], types["value"]) == ("string", "int64")
    assert table.schema.metadata[b"dprelease.release"].decode() == bundle.id
    mean = f"/api/releases/{bundle.id}/tables/age?limit=1&format=parquet"
    assert str(parquet.read_table(BytesIO(own.get(mean).content)).schema.field("value").type) == "double"


def test_sdmx_has_the_lines_of_the_signed_file(own: TestClient, address: str, bundle: Bundle) -> None:
    lines = list(csv.reader(StringIO((Path(bundle.folder) / "sdmx" / "t.csv").read_text(), newline="")))
    answer = own.get(f"{address}?{ASKED}&format=sdmx-csv")
    assert answer.headers["content-type"].startswith("application/vnd.sdmx.data+csv")
    head, *rows = list(csv.reader(StringIO(answer.text, newline="")))
    assert head == lines[0]
    wanted = [[str(cell) for cell in row[:2]] for row in expected(own, address)]
    keys = [[cell.removeprefix("'") for cell in row[3:5]] for row in rows]
    assert keys == wanted
    assert all(row in lines for row in rows)
    whole = own.get(f"{address}?format=sdmx-csv").content
    assert whole == (Path(bundle.folder) / "sdmx" / "t.csv").read_bytes()


@pytest.mark.parametrize("form", ["json", "csv", "xlsx", "parquet"])
def test_labels_stand_beside_their_codes_in_every_format(form: str, own: TestClient, address: str) -> None:
    """Without a label in the language that of the first one that has it, else the code; a formula is none."""
    answer = own.get(f"{address}?limit=100&lang=es&columns=region,value&format={form}")
    match form:
        case "json":
            rows = answer.json()["rows"]
            assert answer.json()["columns"] == ["region", "region_label", "value"]
        case "csv":
            rows = pandas.read_csv(StringIO(answer.text), keep_default_na=False).to_dict("records")
        case "xlsx":
            rows = pandas.read_excel(BytesIO(answer.content), keep_default_na=False).to_dict("records")
        case _:
            rows = parquet.read_table(BytesIO(answer.content)).to_pylist()
    assert list(rows[0]) == ["region", "region_label", "value"]
    labels = {str(row["region"]).removeprefix("'"): str(row["region_label"]).removeprefix("'") for row in rows}
    said = {"north": "Norte", "south": "=SUR()", "east, far": "Far east"}
    assert labels == {region: said.get(region, region) for region in REGIONS}
    if form == "csv":
        assert "'=SUR()" in answer.text


@pytest.mark.parametrize(
    ("asked", "parameter", "allowed"),
    [
        ("lang=fr", "lang", ["en", "es"]),
        ("format=sdmx-csv&columns=value", "format", ["json", "csv", "xlsx", "parquet"]),
        ("format=sdmx-csv&lang=es", "format", ["json", "csv", "xlsx", "parquet"]),
        ("format=ods", "format", ["json", "csv", "xlsx", "parquet", "sdmx-csv"]),
    ],
)
def test_what_a_format_does_not_have_is_refused(
    asked: str, parameter: str, allowed: list[str], own: TestClient, address: str
) -> None:
    answer = own.get(f"{address}?{asked}")
    assert answer.status_code == 400
    assert (answer.json()["parameter"], answer.json()["allowed"]) == (parameter, allowed)


def test_a_table_without_labels_has_no_language(own: TestClient, bundle: Bundle) -> None:
    answer = own.get(f"/api/releases/{bundle.id}/tables/age?lang=es")
    assert answer.status_code == 400
    assert answer.json()["allowed"] == []
    assert answer.json()["parameter"] == "lang"
