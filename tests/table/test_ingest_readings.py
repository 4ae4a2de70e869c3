"""How text is written is detected, can be declared, and holds for every row alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from dprelease.errors import UploadError
from dprelease.model.reading import Format, Reading
from dprelease.table.detect import detect
from dprelease.table.ingest import IngestProgress, ingest

TEXT = Reading(format=Format.TEXT)


def read(folder: Path, content: bytes, reading: Reading | None = None) -> list[dict[str, Any]]:
    (folder / "incoming").write_bytes(content)
    ingest(folder / "incoming", folder / "rows.parquet", filename="t.csv", reading=reading)
    return pyarrow.parquet.read_table(folder / "rows.parquet").to_pylist()


def detected(folder: Path, content: bytes) -> Reading:
    (folder / "incoming").write_bytes(content)
    return detect(folder / "incoming", "t.csv").reading


def test_a_file_as_a_spreadsheet_of_half_of_europe_writes_it(tmp_path: Path) -> None:
    content = "Größe;geboren;Betrag\n1,75;31.12.1980;€ 5\n1.234,5;1.2.1999;\n-3;;x\n".encode("windows-1252")
    assert detected(tmp_path, content) == replace(TEXT, delimiter=";", encoding="windows-1252")
    assert read(tmp_path, content) == [
        {"Größe": "1,75", "geboren": "31.12.1980", "Betrag": "€ 5"},
        {"Größe": "1.234,5", "geboren": "1.2.1999", "Betrag": None},
        {"Größe": "-3", "geboren": None, "Betrag": "x"},
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n1.5,2\n", {}),
        ("á,b\n1,2\n".encode("utf-16"), {"encoding": "utf-16"}),
        ("á,b\n1,2\n".encode("utf-8-sig"), {}),
        (b"a,b\n\x81\x8d,2\n", {"encoding": "iso-8859-1"}),
        (b"a\tb\n1,5\t2\n", {"delimiter": "\t"}),
        (b'a,b\n"1,5",2\n', {}),
        (b"31,Ana\n32,Bo\n", {"header": 0}),
        (b"Report of 2025\n\na,b\n1,2\n3,4\n", {"header": 3}),
        (b"a,b\n01/02/2024,x\n", {}),
        (b"a,b\n2024-12-31,x\n", {}),
    ],
)
def test_what_is_detected(tmp_path: Path, content: bytes, expected: dict[str, Any]) -> None:
    assert detected(tmp_path, content) == replace(TEXT, **expected)


def test_a_file_without_names_shows_no_cell_as_one(tmp_path: Path) -> None:
    with pytest.raises(UploadError, match="no row that surely holds the names") as asked:
        read(tmp_path, b"31,Ana\n32,Bo\n")
    assert "Ana" not in str(asked.value)
    assert read(tmp_path, b"31,Ana\n32,Bo\n", replace(TEXT, header=0)) == [
        {"column_1": "31", "column_2": "Ana"},
        {"column_1": "32", "column_2": "Bo"},
    ]


def test_what_is_declared_holds_against_what_is_detected(tmp_path: Path) -> None:
    content = b"2019;2020\n1,5;01/02/2024\n"
    with pytest.raises(UploadError, match="no row that surely holds the names"):
        read(tmp_path, content)
    assert read(tmp_path, content, replace(TEXT, delimiter=";")) == [{"2019": "1,5", "2020": "01/02/2024"}]


def test_bytes_that_are_not_as_declared_are_found_by_line_and_column(tmp_path: Path) -> None:
    content = b"name,age\nAna,31\nSECRET,\xff\n"
    assert read(tmp_path, content)[1] == {"name": "SECRET", "age": "ÿ"}
    for encoding in ("utf-8", "shift_jis"):
        with pytest.raises(UploadError, match="line 3, column 2") as caught:
            read(tmp_path, content, replace(TEXT, encoding=encoding))
        assert "SECRET" not in str(caught.value)


def test_a_table_of_300_columns(tmp_path: Path) -> None:
    names = [f"question_{n}" for n in range(300)]
    rows = "".join(",".join(str(row * column) for column in range(300)) + "\n" for row in range(100))
    table = read(tmp_path, (",".join(names) + "\n" + rows).encode())
    assert list(table[0]) == names
    assert table[2]["question_299"] == "598"


def test_a_reading_is_kept_as_text_and_read_again() -> None:
    reading = replace(TEXT, delimiter=";", header=3, names=("a", "b"))
    assert Reading.parse(reading.to_mapping()) == reading
    assert Reading(format=Format.PARQUET).to_mapping() == {"format": "parquet"}
    wrong: list[dict[str, Any]] = [
        {"format": "pickle"},
        {"format": "text", "delimiter": "x"},
        {"format": "text", "encoding": "rot13"},
        {"format": "text", "header": -1},
        {"format": "text", "haeder": 1},
        {},
    ]
    for mapping in wrong:
        with pytest.raises(UploadError):
            Reading.parse(mapping)


def test_a_reading_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "incoming").write_bytes("a,b\n1,é\n".encode("windows-1252"))
    progress = IngestProgress()
    progress.stop()
    with pytest.raises(UploadError, match="given up"):
        ingest(tmp_path / "incoming", tmp_path / "private" / "t.parquet", filename="t.csv", progress=progress)
    assert list((tmp_path / "private").iterdir()) == []
