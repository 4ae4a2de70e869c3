"""Estimates as CSV: exact, harmless, and back."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprelease.bundle.tables import Shape, csv_chunks, neutral, read_csv, restored
from dprelease.errors import IntegrityError, InternalError
from dprelease.model.grade import Grade
from dprelease.model.release import Axis, Cell, Estimates
from tests.bundle.releases import HOSTILE, binned, listed, table

NUMBERS = st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(["'", "''=1", "'a", *HOSTILE])


def csv_bytes(estimates: Estimates) -> bytes:
    return b"".join(csv_chunks(estimates, [Grade.RELIABLE] * len(estimates)))


def around(estimates: Estimates) -> Estimates:
    return read_csv(csv_bytes(estimates), Shape.of(estimates))


@st.composite
def tables(draw: st.DrawFn) -> Estimates:
    axes = []
    for number in range(draw(st.integers(0, 3))):
        width = draw(st.sampled_from([1, 1, 2]))
        kind = draw(st.sampled_from([TEXTS, NUMBERS]))
        cells = draw(st.lists(st.tuples(*[kind] * width), min_size=1, max_size=4))
        axes.append(Axis(tuple(f"{draw(TEXTS)}{number}{index}" for index in range(width)), tuple(cells)))
    rows = int(np.prod([len(axis.cells) for axis in axes]))
    kind = draw(st.sampled_from([TEXTS, NUMBERS])) | st.none()
    columns = [draw(st.lists(cells, min_size=rows, max_size=rows)) for cells in (kind, NUMBERS, NUMBERS | st.none())]
    return Estimates(axes=tuple(axes), value=columns[0], lower95=columns[1], upper95=columns[2])


def typed(estimates: Estimates) -> list[list[tuple[type, Cell]]]:
    return [[(type(cell), cell) for cell in row] for row in estimates.rows()]


@given(tables())
def test_a_table_comes_back_as_it_went(estimates: Estimates) -> None:
    again = around(estimates)
    assert again == estimates
    assert typed(again) == typed(estimates)
    assert csv_bytes(again) == csv_bytes(estimates)


@given(st.text())
def test_neutralising_is_undone_exactly(text: str) -> None:
    assert restored(neutral(text)) == text


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "'=", "''-", "\n", "＝"])
def test_a_text_cell_is_never_a_formula(first: str) -> None:
    estimates = table([listed(f"{first}name", f"{first}1+1", "north")], [-3, 4], 1)
    text = csv_bytes(estimates).decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0][0] == f"'{first}name"
    assert rows[1] == [f"'{first}1+1", "-3", "-4", "-2", "A"]
    assert rows[2][0] == "north"
    assert around(estimates) == estimates


def test_the_file_is_as_documented() -> None:
    estimates = Estimates(
        axes=(listed("place", 'a "b", c', "æ"), binned("age", 0, 10, 2)),
        value=[1, -2, 0.1, 1e300],
        lower95=[None, -2.5, 5e-324, 3],
        upper95=[2, 2**80, 1.0, None],
    )
    assert csv_bytes(estimates).decode() == (
        "place,age_from,age_to,value,lower95,upper95,grade\n"
        '"a ""b"", c",0,4,1,,2,A\n'
        '"a ""b"", c",5,10,-2,-2.5,1208925819614629174706176,A\n'
        "æ,0,4,0.1,5e-324,1.0,A\n"
        "æ,5,10,1e+300,3,,A\n"
    )


def test_arrays_are_written_as_plain_numbers() -> None:
    numbers = np.array([1.5, 2.0])
    estimates = Estimates(axes=(listed("a", 1, 2),), value=numbers, lower95=np.array([1, 2]), upper95=numbers)  # type: ignore[arg-type]
    assert csv_bytes(estimates) == b"a,value,lower95,upper95,grade\n1,1.5,1,1.5,A\n2,2.0,2,2.0,A\n"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_is_not_published(number: float) -> None:
    with pytest.raises(InternalError):
        csv_bytes(table((), [number], None))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"age,value,lower95,upper95,grade\n1,2,3,4,U\n",
        b"region,value,lower95,grade\nnorth,2,3\n",
        b"region,value,lower95,upper95,grade\nnorth,2,3,4,U\n",
        b"region,value,lower95,upper95,grade\nnorth,2,3,4,U\nsouth,2,3\n",
        b"region,value,lower95,upper95,grade\nnorth,2,3,4,U\nsouth,2,3,nan,U\n",
        b"region,value,lower95,upper95,grade\nnorth,2,3,4,U\nsouth,2,3,1e999,U\n",
        b"region,value,lower95,upper95,grade\nnorth,2,3,4,U\nsouth,2,3,1_0,U\n",
        b"region,value,lower95,upper95,grade\nnorth,2,3,4,U\nsouth,2,3,0x10,U\n",
        b'region,value,lower95,upper95,grade\nnorth,2,3,4,U\n"south,2,3,4,U\n',
        b'region,value,lower95,upper95,grade\nnorth,2,3,4,U\n"south"x,2,3,4,U\n',
        b"region,value,lower95,upper95,grade\nnorth,2,3,4,U\nsouth,2,3," + b"9" * 5000 + b",U\n",
    ],
)
def test_what_is_not_the_described_table_is_refused(data: bytes) -> None:
    with pytest.raises(IntegrityError):
        read_csv(data, Shape((((("region",), 2)),), ("string", "number", "number", "number")))


@pytest.mark.parametrize("header", ["status", "note", "Grade", ""])
def test_a_last_column_that_is_no_grade_is_refused(header: str) -> None:
    shape = Shape((((("region",), 2)),), ("string", "number", "number", "number"))
    file = "region,value,lower95,upper95,{}\nnorth,9,8,10,A\nsouth,9,,,U\n"
    assert read_csv(file.format("grade").encode(), shape).value == [9, 9]
    with pytest.raises(IntegrityError):
        read_csv(file.format(header).encode(), shape)
    with pytest.raises(IntegrityError):
        read_csv(b"region,value,lower95,upper95\nnorth,9,8,10\nsouth,9,,\n", shape)


def test_a_table_that_nobody_published_has_no_grades() -> None:
    assert b"".join(csv_chunks(table((), [3], 1))) == b"value,lower95,upper95\n3,2,4\n"


def test_rows_out_of_order_are_refused() -> None:
    estimates = table([listed("a", "x", "y"), listed("b", "u", "v")], [1, 2, 3, 4], 1)
    lines = csv_bytes(estimates).splitlines(keepends=True)
    lines[2], lines[3] = lines[3], lines[2]
    with pytest.raises(IntegrityError, match="order"):
        read_csv(b"".join(lines), Shape.of(estimates))


@pytest.mark.full
def test_a_million_rows_are_read_as_they_were_written() -> None:
    cells = 1000
    values: list[Cell] = [index * 0.37 for index in range(cells * cells)]
    estimates = table([listed("a", *map(str, range(cells))), binned("b", 0, 5000, cells)], values, 2.5)
    data = csv_bytes(estimates)
    assert read_csv(data, Shape.of(estimates)) == estimates
