"""Where previews show no true values, what is asked and told while a file is brought in depends on no row of it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import dprelease
from dprelease import cli
from dprelease.errors import ASKED, UploadError

HEAD = "id;born;income\n"
ROWS = ["1;13.02.2020;1,5", "2;05.06.2020;2,5", "3;05.07.2020;0,5", "4;06.07.2020;0,5"]
SAID: dict[str, Any] = {"encoding": "windows-1252", "delimiter": ";", "header": 1, "units": False}
OTHER = {
    "month first": "5;12/31/2020;3.5",
    "another encoding": "5;Kärnten;1,5",
    "another delimiter": "5;a,b;1,5",
    "a total": "Total;;5,0",
    "a note": "Source: own count;;",
    "no cell": ";;",
    "names": "id;born;income",
    "units": "(n);(day);(€)",
}
"""Rows with which something else would be detected of all, or something more be told."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blind") / "home"
    made = dprelease.Workspace.create(folder)
    made.add_population("people", unit="person", neighbors="add_remove", epsilon=9)
    made.plans.set_preview_policy("blind")
    return folder


@pytest.fixture
def workspace(home: Path) -> dprelease.Workspace:
    return dprelease.Workspace.open(home)


def pair(kind: str, place: int) -> tuple[bytes, bytes]:
    """Two files of one kind that differ in one row, which stands at a place."""
    other = [*ROWS[:place], OTHER[kind], *ROWS[place:]]
    return _written(ROWS), _written(other)


def _written(rows: list[str]) -> bytes:
    return (HEAD + "".join(f"{row}\n" for row in rows)).encode("windows-1252")


def book(rows: list[str]) -> bytes:
    """A workbook with the rows on its second sheet."""
    made = openpyxl.Workbook()
    made.active.append(["Read me"])  # type: ignore[union-attr]
    sheet = made.create_sheet("Data")
    for row in [HEAD.strip(), *rows]:
        sheet.append(row.split(";"))
    target = io.BytesIO()
    made.save(target)
    return target.getvalue()


def told(workspace: dprelease.Workspace, content: bytes, said: dict[str, Any], name: str) -> list[Any]:
    """What a curator is told of a file while it is brought in, on pages and in Python, without what is drawn."""
    uploads = workspace.datasets.uploads
    upload = uploads.stage(name, io.BytesIO(content))
    heard: list[Any] = [upload.detected.asks, upload.detected, upload.columns]
    with pytest.raises(UploadError) as caught:
        workspace.add_dataset("people", upload, population="people")
    heard += [str(caught.value), caught.value.code, caught.value.questions]
    detected = uploads.redetected(upload.id, said)
    heard += [detected, uploads.beginning(upload.id, detected.reading)]
    uploads.read_again(upload.id, detected.settled(name)).ended.wait()
    (upload,) = uploads.find()
    heard += [upload.columns, upload.detected, upload.mended, upload.left_out]
    dataset = workspace.add_dataset(upload.id, upload, population="people")
    datasets = workspace.datasets
    heard += [dataset.schema, datasets.layout(dataset.name), datasets.columns(dataset.name)]
    return [*heard, datasets.unlike(dataset.name, io.BytesIO(content))]


@pytest.mark.parametrize("kind", OTHER)
def test_two_text_files_that_differ_in_one_row_are_asked_and_told_alike(
    workspace: dprelease.Workspace, kind: str
) -> None:
    heard = [told(workspace, each, SAID, "rows.csv") for each in pair(kind, 0 if kind in ("names", "units") else 4)]
    assert heard[0] == heard[1]
    assert heard[0][0] == ("encoding", "delimiter", "header", "units")
    assert heard[0][4] == ASKED


def test_two_workbooks_that_differ_in_one_row_are_asked_and_told_alike(workspace: dprelease.Workspace) -> None:
    said = {"sheet": "Data", "header": 1, "units": False}
    heard = [told(workspace, book(rows), said, "book.xlsx") for rows in (ROWS, [*ROWS, OTHER["month first"]])]
    assert heard[0] == heard[1]
    assert heard[0][0] == ("sheet", "header", "units")


def test_the_terminal_proposes_nothing_of_a_file_where_previews_show_no_true_values(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, heard = tmp_path / "rows.csv", []
    for content in pair("month first", 4):
        path.write_bytes(content)
        more = ["--home", str(home)]
        assert cli.main(["dataset", "detect", str(path), *more]) == 0
        assert cli.main(["dataset", "detect", str(path), *more, "--json"]) == 0
        assert cli.main(["dataset", "add", "a", str(path), "--population", "people", *more, "--json"]) == 2
        heard.append(tuple(capsys.readouterr()))
    assert heard[0] == heard[1]
    asked = [each["path"] for each in json.loads(heard[0][0].splitlines()[-1])["said"]]
    assert asked == ["encoding", "delimiter", "header", "units"]
    assert not set(asked) & {line.partition(":")[0] for line in heard[0][0].splitlines()}


def test_the_terminal_asks_of_declared_columns_alike_how_they_are_written(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, schema, heard = tmp_path / "rows.csv", tmp_path / "schema.yaml", []
    schema.write_text(
        "columns: {born: {type: date, lower: 2020-01-01, upper: 2020-12-31},"
        " income: {type: number, lower: 0, upper: 9}}"
    )
    layout = ["--encoding", "windows-1252", "--delimiter", ";", "--header", "1", "--no-units"]
    for content in pair("month first", 4):
        path.write_bytes(content)
        more = ["--home", str(home), "--schema", str(schema), *layout]
        assert cli.main(["dataset", "detect", str(path), *more]) == 0
        assert cli.main(["dataset", "detect", str(path), *more, "--json"]) == 0
        heard.append(capsys.readouterr().out)
    assert heard[0] == heard[1]
    found = json.loads(heard[0][heard[0].index("{\n") :])
    assert [each["path"] for each in found["asks"]] == ["columns.born.reading", "columns.income.reading"]
    assert [list(column["reading"]) for column in found["columns"].values()] == [["one_of"], ["one_of"]]
