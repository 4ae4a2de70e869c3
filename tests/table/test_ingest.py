"""Files that people bring: read whole, or refused with the line and never a cell."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from dprelease.errors import UploadError
from dprelease.table import Engine
from dprelease.table.ingest import ingest

SECRET = "SECRET_4711"


def read(path: Path) -> list[dict[str, object]]:
    return pyarrow.parquet.read_table(path).to_pylist()


def ingested(folder: Path, content: bytes, *, filename: str = "people.csv") -> list[dict[str, object]]:
    source, target = folder / "incoming", folder / "private" / "rows.parquet"
    source.write_bytes(content)
    ingest(source, target, filename=filename)
    assert sorted(path.name for path in target.parent.iterdir()) == ["rows.parquet"]
    return read(target)


EXPECTED = [{"name": "Ana", "age": "31"}, {"name": "Bo", "age": None}]


@pytest.mark.parametrize(
    "content",
    [
        b"name,age\nAna,31\nBo,\n",
        b"name,age\r\nAna,31\r\nBo,\r\n",
        b"\xef\xbb\xbfname,age\nAna,31\nBo,\n",
        b"\xef\xbb\xbfname;age\r\nAna;31\r\nBo;\r\n",
        b"name\tage\nAna\t31\nBo\t\n",
        b"name|age\nAna|31\nBo|\n",
        b'"name","age"\n"Ana","31"\n"Bo",""\n',
        b"name,age\nAna,31\nBo,",
        b" name , age \nAna,31\nBo,\n",
    ],
)
def test_every_dialect_of_csv(tmp_path: Path, content: bytes) -> None:
    assert ingested(tmp_path, content) == EXPECTED


def test_cells_stay_text(tmp_path: Path) -> None:
    """What a column holds is declared, not read off its first rows."""
    (row,) = ingested(tmp_path, b"a,b,c,d\n007,1e3,2025-01-01,true\n")
    assert row == {"a": "007", "b": "1e3", "c": "2025-01-01", "d": "true"}


def test_quotes_newlines_and_the_other_delimiters_inside_cells(tmp_path: Path) -> None:
    content = b'a,b\n"x, y","say ""hi"""\n"two\nlines",tab\there;\n'
    assert ingested(tmp_path, content) == [{"a": "x, y", "b": 'say "hi"'}, {"a": "two\nlines", "b": "tab\there;"}]


def test_unnamed_columns_get_a_name(tmp_path: Path) -> None:
    assert ingested(tmp_path, b",age\n0,31\n") == [{"column_1": "0", "age": "31"}]
    assert ingested(tmp_path, b"age,name,,\n1,2,3,4\n") == [{"age": "1", "name": "2", "column_3": "3", "column_4": "4"}]


def test_columns_that_are_called_alike_are_told_apart_by_a_number(tmp_path: Path) -> None:
    assert list(ingested(tmp_path, b"Age,age,age_2\n1,2,3\n")[0]) == ["Age", "age_3", "age_2"]
    decomposed = 'León,Leo\u0301n,"net\nincome"\n1,2,3\n'
    assert list(ingested(tmp_path, decomposed.replace("\nincome", "\u00a0 income").encode())[0]) == [
        "León",
        "Leo\u0301n_2",
        "net income",
    ]


def test_names_with_quotes_are_only_names(tmp_path: Path) -> None:
    content = 'it\'s,"a ""b""",\'); DROP TABLE x; --,é\n1,2,3,4\n'.encode()
    assert list(ingested(tmp_path, content)[0]) == ["it's", 'a "b"', "'); DROP TABLE x; --", "é"]


def test_one_column_and_a_header_alone(tmp_path: Path) -> None:
    assert ingested(tmp_path, b"age\n31\n32\n") == [{"age": "31"}, {"age": "32"}]
    assert ingested(tmp_path, b"age,name\n") == []


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    table = pa.table({"age": pa.array([1, None], pa.int16()), "x": [0.5, 1.5]})
    pyarrow.parquet.write_table(table, tmp_path / "incoming.parquet")
    ingest(tmp_path / "incoming.parquet", tmp_path / "rows.parquet", filename="x.csv")
    assert read(tmp_path / "rows.parquet") == [{"age": 1, "x": 0.5}, {"age": None, "x": 1.5}]


BAD = {
    "too many cells": (f"name,age\nAna,31\nBo,32,{SECRET}\n".encode(), "line 3, column 3: a row of length 3, not 2"),
    "too few cells": (f"name,age\nAna,31\n{SECRET}\n".encode(), "line 3, column 2: a row of length 1, not 2"),
    "too few cells below a cell of two lines": (f'name,age\n"A\n{SECRET}",1\n{SECRET}\n'.encode(), "line 4, column 2"),
    "too few cells below a title": (f"{SECRET}\n\na,b\n1,2\n1,2\n{SECRET}\n".encode(), "line 6, column 2"),
    "an open quote": (f'name,age\nAna,31\nBo,"{SECRET}\n'.encode(), "line 3, column 2: quotes that do not fit"),
    "text behind a quote": (f'name,age\nAna,31\n"Bo"{SECRET},32\n'.encode(), "line 3, column 1: quotes"),
    "UTF-16 that is cut short": (
        f"name,age\nAna,31\n{SECRET}".encode("utf-16")[:-1],
        "line 3, column 1: bytes that are not utf-16",
    ),
    "an empty file": (b"", "an empty file"),
    "only spaces": (b" \n\n", "an empty file"),
    "a zip file": (b"PK\x03\x04" + SECRET.encode(), "compressed"),
    "a gzip": (b"\x1f\x8b" + SECRET.encode(), "compressed"),
    "binary": (b"\x00\x01" + SECRET.encode(), "binary"),
    "half a Parquet file": (b"PAR1" + SECRET.encode(), "cut short"),
    "a broken Parquet file": (b"PAR1" + SECRET.encode() + b"PAR1", "cannot be read"),
    "a line of 5 MB": (b"name,age\n" + SECRET.encode() * 500_000 + b",1\n", "line 2: more than 4000000 bytes"),
    "too many columns": (",".join(f"c{n}" for n in range(10_001)).encode() + b"\n", "at most 10000"),
}


def test_a_line_is_too_long_whatever_other_libraries_allow(tmp_path: Path) -> None:
    content, complaint = BAD["a line of 5 MB"]
    (tmp_path / "incoming").write_bytes(content)
    csv.field_size_limit(2**31 - 1)
    with pytest.raises(UploadError, match=complaint):
        ingest(tmp_path / "incoming", tmp_path / "rows.parquet", filename="people.csv")


@pytest.mark.parametrize(("content", "complaint"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_refused_without_its_cells_and_leaves_nothing(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    source, target = tmp_path / "incoming", tmp_path / "private" / "rows.parquet"
    source.write_bytes(content)
    with pytest.raises(UploadError, match=complaint) as caught:
        ingest(source, target, filename="people.csv")
    assert "people.csv" in str(caught.value)
    assert list(target.parent.iterdir()) == []
    held = Engine()
    with pytest.raises(UploadError, match=complaint) as caught_in_memory:
        held.hold_file(source, filename="people.csv")
    for error in (caught.value, caught_in_memory.value):
        assert "SECRET" not in str(error)
        assert str(tmp_path) not in str(error)
        assert error.__cause__ is None
        assert error.__suppress_context__ or error.__context__ is None


def test_a_bad_row_far_down_is_found_by_its_line(tmp_path: Path) -> None:
    source = tmp_path / "incoming"
    source.write_bytes(b"name,age\n" + b"Ana,31\n" * 200_000 + f"Bo,32,{SECRET}\n".encode())
    with pytest.raises(UploadError, match="line 200002") as caught:
        ingest(source, tmp_path / "rows.parquet", filename="people.csv")
    assert "SECRET" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["incoming"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UploadError, match=r"people\.csv") as caught:
        ingest(tmp_path / "SECRET_nowhere", tmp_path / "rows.parquet", filename="people.csv")
    assert "SECRET" not in str(caught.value)


def test_an_earlier_table_survives_a_bad_upload(tmp_path: Path) -> None:
    target = tmp_path / "rows.parquet"
    (tmp_path / "good").write_bytes(b"age\n1\n")
    ingest(tmp_path / "good", target, filename="good.csv")
    (tmp_path / "bad").write_bytes(b"age\n1,2\n")
    with pytest.raises(UploadError):
        ingest(tmp_path / "bad", target, filename="bad.csv")
    assert read(target) == [{"age": "1"}]


def test_a_table_that_cannot_be_put_in_place_leaves_no_half_file(tmp_path: Path) -> None:
    target = tmp_path / "private" / "rows.parquet"
    (target / "in the way").mkdir(parents=True)
    (tmp_path / "incoming").write_bytes(f"age\n{SECRET}\n".encode())
    with pytest.raises(UploadError):
        ingest(tmp_path / "incoming", target, filename="people.csv")
    assert [path.name for path in target.parent.iterdir()] == ["rows.parquet"]
