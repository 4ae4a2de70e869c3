"""Workbooks, files of SPSS and Stata, JSON Lines: what arrives, and what is refused before it does harm."""

from __future__ import annotations

import datetime as dt
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pandas
import pyarrow.parquet
import pyreadstat
import pytest

from dprelease.errors import UploadError
from dprelease.model.reading import Format
from dprelease.table import Engine, ingest_excel
from dprelease.table.detect import SAS, detect
from dprelease.table.ingest import ingest

SECRET = "SECRET_4711"
moment = dt.datetime.fromisoformat
CELLS = {"sex": [1.0, 2.0, 1.0, None], "born": [dt.date(1980, 12, 31), None, dt.date(2001, 1, 1), dt.date(1, 1, 1)]}
LABELS = {"sex": {1.0: "man", 2.0: "woman"}}


def read(source: Path, **changes: Any) -> list[dict[str, Any]]:
    reading = replace(detect(source, source.name).reading, **changes)
    target = source.parent / "private" / "rows.parquet"
    ingest(source, target, filename=source.name, reading=reading)
    assert [path.name for path in target.parent.iterdir()] == ["rows.parquet"]
    return pyarrow.parquet.read_table(target).to_pylist()


def refused(source: Path, match: str) -> None:
    with pytest.raises(UploadError, match=match) as caught:
        ingest(source, source.parent / "private" / "rows.parquet", filename=source.name)
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None
    assert list((source.parent / "private").iterdir()) == []


# Excel


@pytest.fixture
def book() -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "People"
    for row in (
        ["Survey of 2025"],
        [],
        ["name", "age", "born", "height", "member", "note"],
        ["Ana", 31, moment("1994-05-01"), 1.75, True, "31.12.2025"],
        ["Bo", 40.0, moment("1985-01-02 12:30"), None, False, "#N/A"],
        [],
        ["Cy"],
    ):
        sheet.append(row)
    other = book.create_sheet("Codes")
    other.append(["code"])
    other.append(["x"])
    return book


def saved(book: openpyxl.Workbook, folder: Path) -> Path:
    book.save(folder / "survey.xlsx")
    return folder / "survey.xlsx"


def test_a_sheet_of_a_workbook(book: openpyxl.Workbook, tmp_path: Path) -> None:
    source = saved(book, tmp_path).rename(tmp_path / "survey.csv")
    found = detect(source, "survey.csv")
    assert (found.reading.format, found.reading.sheet, found.asks) == (Format.EXCEL, "People", ())
    assert [(each.name, each.columns, each.is_table) for each in found.sheets] == [
        ("People", 6, True),
        ("Codes", 1, False),
    ]
    assert read(source, header=3) == [
        {"name": "Ana", "age": "31", "born": "1994-05-01", "height": "1.75", "member": "true", "note": "31.12.2025"},
        {"name": "Bo", "age": "40", "born": "1985-01-02 12:30:00", "height": None, "member": "false", "note": None},
        {"name": "Cy", "age": None, "born": None, "height": None, "member": None, "note": None},
    ]
    assert read(source, sheet="Codes", header=1) == [{"code": "x"}]
    assert read(source, sheet="Codes", header=0) == [{"column_1": "code"}, {"column_1": "x"}]


def test_a_cell_outside_the_named_columns_is_found_by_sheet_and_row(book: openpyxl.Workbook, tmp_path: Path) -> None:
    book["Codes"]["C7"] = SECRET
    source = saved(book, tmp_path)
    with pytest.raises(UploadError, match=r"row 7, column 3: a cell beyond the last column with a name.*'Codes'"):
        read(source, sheet="Codes", header=1)


def part(source: Path, name: str, content: str | bytes) -> Path:
    """The workbook with one of its parts exchanged."""
    changed = source.with_name("changed.xlsx")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            new.writestr(entry, content if entry == name else old.read(entry))
        if name not in old.namelist():
            new.writestr(name, content)
    return changed


SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<dimension ref="A1:XFD1048576"/><sheetData>{}</sheetData></worksheet>'
)
LAUGHS = "<!DOCTYPE w [{}]>" + SHEET
FIRST = "xl/worksheets/sheet1.xml"


@pytest.mark.full
def test_a_workbook_that_lies_about_its_size_is_read_for_what_it_holds(book: openpyxl.Workbook, tmp_path: Path) -> None:
    cell = '<c r="A{0}" t="inlineStr"><is><t>{1}</t></is></c>'
    rows = f'<row r="1">{cell.format(1, "a")}</row><row r="99999999999">{cell.format(99999999999, SECRET)}</row>'
    assert read(part(saved(book, tmp_path), FIRST, SHEET.format(rows))) == []


def test_a_workbook_that_would_fill_the_memory_is_refused(
    book: openpyxl.Workbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = saved(book, tmp_path)
    entities = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    cell = '<row r="1"><c r="A1" t="inlineStr"><is><t>&a11;</t></is></c></row>'
    refused(part(source, FIRST, LAUGHS.format(entities, cell)), "cannot be read")
    monkeypatch.setattr(ingest_excel, "MAX_UNPACKED", 10_000)
    refused(part(source, "xl/media/zeros", "0" * 10_000), "too large when unpacked")
    monkeypatch.undo()
    monkeypatch.setattr(ingest_excel, "MAX_SHARED", 20_000)
    refused(part(source, "xl/sharedStrings.xml", "0" * 20_001), "too large when unpacked")


def test_a_sheet_of_empty_cells_is_refused_after_some(
    book: openpyxl.Workbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million rows of one empty cell in column XFD are 17 thousand million cells, in 5 MB: 50 minutes of work."""
    source = saved(book, tmp_path)
    last = "".join(f'<row r="{number}"><c r="XFD{number}"/></row>' for number in range(2, 500))
    first = '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    changed = part(source, FIRST, f'<worksheet xmlns="{space}"><sheetData>{first}{last}</sheetData></worksheet>')
    monkeypatch.setattr(ingest_excel, "MAX_EMPTY", 100_000)
    refused(changed, "empty cells up to row 8")


def test_cells_may_be_far_more_often_empty_than_not(
    book: openpyxl.Workbook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_excel, "MAX_EMPTY", 0)
    sparse = openpyxl.Workbook()
    sheet = sparse.worksheets[0]
    sheet.append([f"c{number}" for number in range(20)])
    for number in range(20):
        sheet.append([None] * number + [number])
    assert len(read(saved(sparse, tmp_path))) == 20


@pytest.mark.full
@pytest.mark.parametrize("number", ["", ' r="1"'])
def test_a_sheet_with_more_rows_than_one_can_have_is_refused(
    book: openpyxl.Workbook, tmp_path: Path, number: str
) -> None:
    """Whatever the rows' numbers say: those that repeat one would be read without an end."""
    many = part(saved(book, tmp_path), FIRST, SHEET.format(f"<row{number}></row>" * (2**20 + 1)))
    refused(many, "more rows than one can have")
    wide = part(saved(book, tmp_path), FIRST, SHEET.format(f"<x:row{number}/>" * (2**20 + 1)).encode("utf-16"))
    refused(wide, "more rows than one can have")


@pytest.mark.parametrize("content", [f"<{SECRET}", "", SHEET.format("<row><c t='s'><v>99</v></c></row>")])
def test_a_broken_workbook_is_refused(book: openpyxl.Workbook, tmp_path: Path, content: str) -> None:
    refused(part(saved(book, tmp_path), FIRST, content), "cannot be read")


# SPSS and Stata


@pytest.mark.parametrize("ending", ["sav", "zsav", "por", "dta"])
def test_a_file_of_spss_or_stata_as_values_and_as_labels(tmp_path: Path, ending: str) -> None:
    frame = pandas.DataFrame({"sex": CELLS["sex"], "name": ["Ana", "Bö", "", "D"]})
    source = tmp_path / f"survey.{ending}"
    if ending == "dta":
        pyreadstat.write_dta(frame, source, variable_value_labels={"sex": {1: "man", 2: "woman"}})
    elif ending == "por":
        frame["name"] = ["Ana", "Bo", "", "D"]
        pyreadstat.write_por(frame, source)
    else:
        pyreadstat.write_sav(frame, source, compress=ending == "zsav", variable_value_labels=LABELS)
    labelled = detect(source.rename(tmp_path / "survey.csv"), "survey.csv").labelled
    assert labelled == (() if ending == "por" else ("sex",))
    rows = read(tmp_path / "survey.csv")
    assert [next(iter(row.values())) for row in rows] == [1.0, 2.0, 1.0, None]
    assert list(rows[2].values())[1] is None
    if ending != "por":  # pyreadstat writes no labels there
        rows = read(tmp_path / "survey.csv", labels=True)
        assert [next(iter(row.values())) for row in rows] == ["man", "woman", "man", None]


def test_what_spss_declares_is_kept(tmp_path: Path) -> None:
    """Days are days, declared missing values are empty, values without a label are themselves."""
    frame = pandas.DataFrame(
        {"sex": [1.0, 9.0, 3.0, 2.5], "born": CELLS["born"], "at": [moment("2025-01-01 08:00")] * 4}
    )
    pyreadstat.write_sav(
        frame,
        tmp_path / "t.sav",
        variable_value_labels=LABELS,
        missing_ranges={"sex": [9.0]},
    )
    rows = read(tmp_path / "t.sav", labels=True)
    assert [row["sex"] for row in rows] == ["man", None, "3", "2.5"]
    assert [row["born"] for row in rows][:3] == CELLS["born"][:3]
    assert rows[0]["at"] == moment("2025-01-01 08:00")


def test_stata_keeps_days_and_moments(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"born": pandas.to_datetime(["1980-12-31", None]), "n": [1, 2]})
    frame.to_stata(tmp_path / "t.dta", write_index=False, convert_dates={"born": "td"})
    assert read(tmp_path / "t.dta") == [{"born": dt.date(1980, 12, 31), "n": 1.0}, {"born": None, "n": 2.0}]


def test_more_rows_than_are_held_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dprelease.table import ingest_json, ingest_labelled

    for module in (ingest_json, ingest_labelled, ingest_excel):
        monkeypatch.setattr(module, "BATCH", 4)
    frame = pandas.DataFrame({"a": [float(n) for n in range(11)], "b": ["x"] * 11})
    pyreadstat.write_sav(frame, tmp_path / "t.sav")
    frame.astype(str).to_excel(tmp_path / "t.xlsx", index=False)
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    for name in ("t.sav", "t.xlsx", "t.jsonl"):
        rows = read(tmp_path / name)
        assert sorted(float(row["a"]) for row in rows) == [float(n) for n in range(11)]


@pytest.mark.parametrize(
    "head",
    [b"$FL2@(#) ", b"$FL3", b"<stata_dta><header>", b"r\x02\x01\x00", b"ASCII SPSS PORT FILE", bytes(12) + SAS],
)
def test_a_broken_file_of_spss_or_stata_is_refused(tmp_path: Path, head: bytes) -> None:
    (tmp_path / "t").write_bytes(head + SECRET.encode() * 20)
    refused(tmp_path / "t", "SPSS, Stata or SAS that cannot be read")


def test_an_spss_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"a": [float(n) for n in range(5000)], "b": [SECRET] * 5000})
    pyreadstat.write_sav(frame, tmp_path / "whole.sav")
    (tmp_path / "t.sav").write_bytes((tmp_path / "whole.sav").read_bytes()[:-3000])
    refused(tmp_path / "t.sav", "cannot be read")


# JSON Lines


def lines(folder: Path, *rows: str) -> Path:
    (folder / "t.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    return folder / "t.jsonl"


def test_json_lines_keep_what_is_written(tmp_path: Path) -> None:
    source = lines(
        tmp_path,
        '{"id": 12345678901234567890, "x": 0.10, "ok": true}',
        "",
        '{"x": null, "id": "007", "späte": "31.12.2025"}',
    )
    assert read(source) == [
        {"id": "12345678901234567890", "x": "0.10", "ok": "true", "späte": None},
        {"id": "007", "x": None, "ok": None, "späte": "31.12.2025"},
    ]


BAD = {
    "cut short": ('{"a": "' + SECRET, "line 2: no JSON at character"),
    "a list": (f'["{SECRET}"]', "line 2: no object"),
    "nested": ('{"a": {"b": "' + SECRET + '"}}', "line 2: a list or an object as the value of key 1"),
    "twice": ('{"a": 1, "a": "' + SECRET + '"}', "line 2: a key that stands there twice"),
    "deep": ('{"a": ' + "[" * 100_000, "line 2: no JSON"),
}


@pytest.mark.parametrize(("line", "complaint"), BAD.values(), ids=BAD.keys())
def test_a_bad_line_is_refused_by_its_number(tmp_path: Path, line: str, complaint: str) -> None:
    source = lines(tmp_path, '{"a": 1}', line)
    refused(source, complaint)
    with pytest.raises(UploadError, match=complaint):
        Engine().hold_file(source, filename="t.jsonl")


def test_every_format_is_held_in_memory_too(book: openpyxl.Workbook, tmp_path: Path) -> None:
    engine = Engine()
    del book["Codes"]
    for source in (lines(tmp_path, '{"a": 1}'), part(saved(book, tmp_path), FIRST, SHEET.format(""))):
        if source.suffix == ".jsonl":
            assert engine.hold_file(source, filename="t").columns == ("a",)
        else:
            with pytest.raises(UploadError):
                engine.hold_file(source, filename="t")
