"""Files as they arrive in an office that are no plain table: each is read right, or refused in words that say why."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet
import pytest

from dprelease.errors import UploadError
from dprelease.model.reading import Format, Reading
from dprelease.model.row_rules import RowRules
from dprelease.table.ingest import ShortRowError, ingest

pytestmark = pytest.mark.quick

ROWS = [["name", "age"], ["Anna", "31"], ["Ben", "32"], ["Cleo", "33"], ["Dora", "34"]]
COLUMNS = {"name": ["Anna", "Ben", "Cleo", "Dora"], "age": ["31", "32", "33", "34"]}
CSV = "".join(f"{name},{age}\n" for name, age in ROWS)


def book(rows: list[list[Any]], merged: str = "") -> bytes:
    made, content = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        made.active.append(row)  # type: ignore[union-attr]
    if merged:
        made.active.merge_cells(merged)  # type: ignore[union-attr]
    made.save(content)
    return content.getvalue()


def packed() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("t.csv", CSV)
    return content.getvalue()


READ: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "a mark of its encoding": ("t.csv", CSV.encode("utf-8-sig"), COLUMNS),
    "UTF-16": ("t.csv", CSV.encode("utf-16"), COLUMNS),
    "a line that names the sign": ("t.csv", f"sep=;\n{CSV.replace(',', ';')}".encode(), COLUMNS),
    "text called a workbook": ("t.xlsx", CSV.encode(), COLUMNS),
    "a workbook called text": ("t.csv", book(ROWS), COLUMNS),
    "a merged title": ("t.xlsx", book([["People of 2025", None], *ROWS], "A1:B1"), COLUMNS),
    "a line break in a cell": (
        "t.csv",
        CSV.replace("Ben", '"Ben\nJunior"').encode(),
        {**COLUMNS, "name": ["Anna", "Ben\nJunior", "Cleo", "Dora"]},
    ),
    "names twice": (
        "t.csv",
        CSV.replace("name,age", "age,age").encode(),
        {"age": COLUMNS["name"], "age_2": COLUMNS["age"]},
    ),
    "a sign at the end of each row": ("t.csv", CSV.replace("\n", ",\n").encode(), {**COLUMNS, "column_3": [None] * 4}),
}
REFUSED = {
    "nothing": ("t.csv", b"\n \n", "an empty file"),
    "no mark of UTF-16": ("t.csv", CSV.encode("utf-16-le"), "binary content"),
    "lines of an old Mac": ("t.csv", CSV.replace("\n", "\r").encode(), "lines that end in LF or CRLF"),
    "two kinds of lines": ("t.csv", CSV.replace("\n", "\r\n", 2).encode(), "others that end in CRLF"),
    "a NUL": ("t.csv", CSV.replace("Ben", "B\0n").encode(), "binary content"),
    "a picture": ("t.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "binary content"),
    "an old workbook": ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), r"save it as \.xlsx"),
    "a web page called a workbook": ("t.xls", b"<html><table><tr><td>name</td></tr></table></html>", "a web page"),
    "a page of sign-in": ("t.csv", b"\xef\xbb\xbf<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", "a web page"),
    "XML": ("t.csv", b"<?xml version='1.0'?>\n<rows><row a='1'/></rows>\n", "XML"),
    "PDF": ("t.csv", b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n", "PDF"),
    "a list of JSON": ("t.json", json.dumps([{"a": 1}, {"a": 2}]).encode(), "JSON Lines"),
    "a document of JSON": ("t.json", json.dumps({"rows": [{"a": 1}]}, indent=1).encode(), "JSON Lines"),
    "an object in an object": ("t.jsonl", b'{"a": {"b": 1}}\n', "line 1"),
    "an archive": ("t.zip", packed(), "Unpack it"),
    "packed text": ("t.csv.gz", gzip.compress(CSV.encode()), "Unpack it"),
    "half a Parquet file": ("t.parquet", b"PAR1" + bytes(50), "cut short"),
    "an empty sheet": ("t.xlsx", book([]), "no cells in row 1"),
    "a short row": ("t.csv", CSV.replace("Cleo,33", "Cleo").encode(), "--skip-rule note:1"),
    "a long row": ("t.csv", CSV.replace("Cleo,33", "Cleo,33,9").encode(), "line 4, column 3"),
    "an open quote": ("t.csv", CSV.replace("Ben", '"Ben').encode(), "line 3, column 1"),
    "an endless name": ("t.csv", f"{'x' * 300},age\n1,2\n3,4\n5,6\n".encode(), "at most 200 characters"),
}


@pytest.mark.parametrize(("filename", "content", "columns"), READ.values(), ids=READ)
def test_it_is_read_right(tmp_path: Path, filename: str, content: bytes, columns: dict[str, Any]) -> None:
    (tmp_path / filename).write_bytes(content)
    ingest(tmp_path / filename, tmp_path / "t.out", filename=filename)
    assert pyarrow.parquet.read_table(tmp_path / "t.out").to_pydict() == columns


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("last", [True, False], ids=["ended", "open"])
def test_a_row_is_left_out_whatever_ends_its_line(tmp_path: Path, end: str, last: bool) -> None:
    """As Windows writes it, too: what stands in the place of a row that is left out ends as the other lines do."""
    noted = f"Visits of 2024\n{CSV}\nSource: the office".replace("Ben", "Note\nBen") + "\n" * last
    (tmp_path / "t.csv").write_bytes(noted.replace("\n", end).encode())
    reading = Reading(format=Format.TEXT, header=2, skip=RowRules(note=1))
    ingest(tmp_path / "t.csv", tmp_path / "t.out", filename="t.csv", reading=reading)
    assert pyarrow.parquet.read_table(tmp_path / "t.out").to_pydict() == COLUMNS


@pytest.mark.parametrize(("filename", "content", "said"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_in_words(tmp_path: Path, filename: str, content: bytes, said: str) -> None:
    (tmp_path / filename).write_bytes(content)
    with pytest.raises(UploadError, match=said):
        ingest(tmp_path / filename, tmp_path / "t.out", filename=filename)
    assert not (tmp_path / "t.out").exists()


@pytest.mark.parametrize(("cells", "is_note"), [(1, True), (3, True), (4, False)])
def test_a_row_that_lost_its_last_cell_is_a_fault_and_no_note(tmp_path: Path, cells: int, is_note: bool) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b,c,d,e\n" + 4 * "1,2,3,4,5\n" + ",".join("1234"[:cells]) + "\n")
    with pytest.raises(UploadError) as caught:
        ingest(path, tmp_path / "table.parquet", filename=path.name)
    assert isinstance(caught.value, ShortRowError) == is_note
