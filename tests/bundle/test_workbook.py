"""Tables with a key across, and one workbook: the numbers of the signed tables, the same bytes each time."""

from __future__ import annotations

import csv
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pandas
import pytest

import dprelease
from dprelease.errors import IntegrityError
from tests.bundle.entries import key_of
from tests.bundle.test_labels import published, rows
from tests.model.test_texts import TEXTS, listed
from tests.verdict.forging import signed

STATISTICS: Any = [
    {"id": "n", "kind": "crosstab", "columns": ["region", "income"], "bins": {"income": 4}},
    {"id": "m", "kind": "quantiles", "column": "income", "by": ["region"], "probs": [0.25, 0.5], "interval": True},
    {"id": "all", "kind": "count"},
]
LABELS = {"north": {"es": "=Norte", "en": "The north"}, "south": {"es": "Sur"}, "east": {"es": "Este"}}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return published(tmp_path_factory.mktemp("wide"), TEXTS | listed(LABELS), STATISTICS)


def cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def sheet(bundle: Path, name: str) -> list[tuple[Any, ...]]:
    """The rows of a sheet from its headings on."""
    return list(openpyxl.load_workbook(bundle / "workbook.xlsx")[name].iter_rows(min_row=4, values_only=True))


def test_every_number_of_the_long_table_stands_in_the_wide_one(bundle: Path) -> None:
    long, (heads, *wide) = rows(bundle / "tables/n.csv"), cells(bundle / "wide/n.csv")
    assert heads[:5] == ["region", "0 – 24", "0 – 24 lower95", "0 – 24 upper95", "0 – 24 grade"]
    assert len(wide) == 3
    numbers = [(row["value"], row["lower95"], row["upper95"], row["grade"]) for row in long]
    assert [tuple(row[at : at + 4]) for row in wide for at in range(1, len(heads), 4)] == numbers


def test_a_period_that_the_bounds_cut_is_said_to_be_a_part(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.in_memory()
    days = {"type": "date", "lower": "2025-01-05", "upper": "2025-03-31"}
    columns = {"sex": {"type": "category", "categories": ["F", "M"]}, "day": days}
    frame = pandas.DataFrame({"sex": ["F", "M"], "day": ["2025-01-07", "2025-02-01"]})
    workspace.add_dataset("p", frame, epsilon=5, columns=columns)
    plan = {
        "dprelease": 1,
        "dataset": "p",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "statistics": [{"id": "x", "kind": "crosstab", "columns": ["sex", "day"], "levels": {"day": "month"}}],
    }
    bundle = workspace.publish(dprelease.Plan.parse(plan)).write(tmp_path)
    heads = cells(bundle / "wide/x.csv")[0]
    assert heads[1::4] == ["2025-01 (part)", "2025-02", "2025-03"]


def test_wide_tables_by_language_have_labels(bundle: Path) -> None:
    found = cells(bundle / "pivoted/n.es.csv")
    assert [row[0] for row in found] == ["Región", "'=Norte", "Sur", "Este"]
    assert not (bundle / "wide/all.csv").exists(), "a table without keys"


def test_the_sheets_have_the_numbers_of_the_files(bundle: Path) -> None:
    book = openpyxl.load_workbook(bundle / "workbook.xlsx")
    assert book.sheetnames == ["About this workbook", "n", "n wide", "m", "m wide", "all", "Codes"]
    for name in ("n", "m", "all"):
        heads, *found = sheet(bundle, name)
        places = [heads.index(each) for each in ("value", "lower95", "upper95", "grade")]
        stated = [
            [row[each] for each in ("value", "lower95", "upper95", "grade")]
            for row in rows(bundle / f"tables/{name}.csv")
        ]
        assert [[str(row[place]) for place in places] for row in found] == stated
    heads, *across = sheet(bundle, "n wide")
    assert [cell for row in across for cell in row[1::4]] == [
        int(row["value"]) for row in rows(bundle / "tables/n.csv")
    ]


def test_labels_stand_beside_codes_and_are_no_formulas(bundle: Path) -> None:
    book = openpyxl.load_workbook(bundle / "workbook.xlsx")
    assert [row[:2] for row in sheet(bundle, "m")[1::2]] == [("north", "=Norte"), ("south", "Sur"), ("east", "Este")]
    assert {cell.data_type for each in book for row in each.iter_rows() for cell in row} <= {"s", "n", "inlineStr"}
    assert ("north", "=Norte", "The north") in {row[1:4] for row in sheet(bundle, "Codes")}


def test_the_first_sheet_promises_and_names_the_signed_files(bundle: Path) -> None:
    book = openpyxl.load_workbook(bundle / "workbook.xlsx")
    told = {row[0]: row[1:] for row in book["About this workbook"].iter_rows(values_only=True)}
    assert "ε" in told["What is promised"][0]
    sums = dict(reversed(line.split("  ")) for line in (bundle / "SHA256SUMS").read_text().splitlines())
    assert told["m"][1] == sums["tables/m.csv"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["workbook.xlsx", "wide/n.csv", "pivoted/n.es.csv"])
def test_another_number_there_is_refused(bundle: Path, tmp_path: Path, name: str) -> None:
    files = {str(path.relative_to(bundle)): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}
    if name.endswith("xlsx"):
        book, made = openpyxl.load_workbook(BytesIO(files[name])), BytesIO()
        book["n"].cell(row=5, column=4, value=7)
        book.save(made)
        files[name] = made.getvalue()
    else:
        files[name] = files[name].replace(b",A", b",C", 1).replace(b",N", b",A", 1)
    assert dprelease.verify(bundle)
    with pytest.raises(IntegrityError, match=name):
        dprelease.verify(signed(files, tmp_path, key_of(9)))


@pytest.mark.full
def test_tables_for_programs_stay_out(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    columns = {name: {"type": "integer", "lower": 1, "upper": upper} for name, upper in (("a", 101), ("b", 100))}
    workspace.add_dataset("t", pandas.DataFrame({"a": [1], "b": [2]}), columns=columns, epsilon=5)
    plan = {
        "dprelease": 1,
        "title": "Large",
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "statistics": [{"id": "n", "kind": "crosstab", "columns": ["a", "b"]}],
    }
    release = workspace.publish(dprelease.Plan.parse(plan))
    folder = workspace.releases.folder / release.id
    assert not (folder / "wide").exists()
    book = openpyxl.load_workbook(folder / "workbook.xlsx")
    assert book.sheetnames == ["About this workbook"]
    assert ("n", "Too many rows for a workbook: in its CSV file only.") in {
        row[:2] for row in book.worksheets[0].iter_rows(values_only=True)
    }
