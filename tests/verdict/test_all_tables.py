"""All numbers of a release in one table: what it says, and that a file which says anything else is refused."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest
from pyarrow import parquet

import dprelease
from dprelease.errors import IntegrityError
from dprelease.verdict.all_tables import check_all
from tests.bundle.entries import key_of
from tests.verdict.forging import signed, written

PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "t",
    "charts": False,
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 3},
    "about": {
        "edition": "second",
        "reference_period": "2025-01-01/2025-03-31",
        "reference": {"column": "day"},
    },
    "columns": {
        "table": {"type": "category", "categories": ["=A1", "01"]},
        "grade": {"type": "category", "categories": ["x", "y"]},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-03-31", "outside": "missing"},
        "paid": {"type": "number", "lower": 0, "upper": 10, "resolution": 0.5, "unit": "EUR"},
    },
    "public": {
        "people": {"keys": {"grade": "grade"}, "value": "n", "source": "Register", "content": "grade,n\nx,100\ny,200\n"}
    },
    "statistics": [
        {"id": "both", "kind": "crosstab", "columns": ["table", "grade"], "margins": True},
        {"id": "months", "kind": "count", "by": ["day"], "levels": {"day": "month"}},
        {"id": "grades", "kind": "count", "by": ["grade"]},
        {"id": "euros", "kind": "mean", "column": "paid"},
        {"id": "most", "kind": "mode", "column": "table"},
    ],
    "derived": [{"id": "rate", "of": "grades", "per": "people", "times": 1000}],
}


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    workspace = dprelease.Workspace.in_memory()
    days = pandas.date_range("2025-01-01", "2025-03-31").strftime("%Y-%m-%d").tolist()
    columns = {"table": ["=A1", "01"] * 45, "grade": ["x", "y", "y"] * 30, "day": days, "paid": [2.5, 3] * 45}
    workspace.add_dataset("t", pandas.DataFrame(columns), unit_column=None, epsilon=5)
    return written(workspace, PLAN, tmp_path_factory.mktemp("all"))


@pytest.fixture(scope="module")
def numbers(contents: dict[str, bytes]) -> pandas.DataFrame:
    return pandas.read_csv(io.BytesIO(contents["all.csv"]), dtype=str, keep_default_na=False)


def test_it_has_a_row_for_each_number_under_names_that_no_key_takes(
    contents: dict[str, bytes], numbers: pandas.DataFrame
) -> None:
    keys = ["table_", "grade_", "day"]
    after = ["measure", "unit", "value", "lower", "upper", "grade", "noise", "answer", "answer_lower", "answer_upper"]
    assert [*numbers.columns] == ["release", "edition", "table", "period", *keys, *after]
    assert numbers.groupby("table", sort=False).size().to_dict() == {
        "both": 9,
        "months": 3,
        "grades": 2,
        "euros": 1,
        "most": 1,
        "rate": 2,
    }
    assert {*numbers["edition"]} == {"second"}
    for name in ("both", "months", "grades"):
        table = pandas.read_csv(io.BytesIO(contents[f"tables/{name}.csv"]), dtype=str)
        own = numbers[numbers["table"] == name]
        assert [*own["value"]] == [*table["value"]]
        assert [*own["lower"]] == [*table["lower95"]]
        assert [*own["grade"]] == [*table[table.columns[-1]]]


def test_codes_totals_periods_units_and_words_are_as_in_the_tables(numbers: pandas.DataFrame) -> None:
    both, months, rate = (numbers[numbers["table"] == name] for name in ("both", "months", "rate"))
    assert [*both["table_"]] == ["'=A1"] * 3 + ["01"] * 3 + ["_T"] * 3
    assert [*months["period"]] == [*months["day"]] == ["2025-01", "2025-02", "2025-03"]
    assert {*both["period"]} == {"2025-01-01/2025-03-31"}
    (euros,) = numbers[numbers["table"] == "euros"].to_dict("records")
    assert (euros["measure"], euros["unit"]) == ("mean(paid)", "EUR")
    assert float(euros["noise"]) > 0
    (most,) = numbers[numbers["table"] == "most"].to_dict("records")
    assert (most["value"], most["answer"] in ("'=A1", "01")) == ("", True)
    assert [*rate["noise"]] == ["", ""]
    assert {*rate["measure"]} == {"derived(grades)"}


def test_parquet_has_the_same_in_types(contents: dict[str, bytes], numbers: pandas.DataFrame) -> None:
    table = parquet.read_table(io.BytesIO(contents["all.parquet"]))
    assert table.column_names == [*numbers.columns]
    assert table["value"].type == pyarrow.float64()
    assert table["table_"].to_pylist()[0] == "=A1"
    told = [None if not each else float(each) for each in numbers["value"]]
    assert table["value"].to_pylist() == told


def test_verify_counts_them(contents: dict[str, bytes], tmp_path: Path) -> None:
    verdict = dprelease.verify(signed(contents, tmp_path, key_of(9)), pictures=False)
    assert [check.values for check in verdict.checks if check.code == "check.all_numbers"] == [{"count": 18}]


def lines(change: Callable[[list[str]], list[str]]) -> Callable[[bytes], bytes]:
    return lambda data: "".join(f"{line}\n" for line in change(data.decode().splitlines())).encode()


FORGED: dict[str, Callable[[bytes], bytes]] = {
    "a number": lines(lambda rows: [*rows[:-1], rows[-1].replace("derived(grades),,", "derived(grades),,1", 1)]),
    "a row less": lines(lambda rows: rows[:-1]),
    "a row more": lines(lambda rows: [*rows, rows[-1]]),
    "another order": lines(lambda rows: [rows[0], rows[2], rows[1], *rows[3:]]),
    "another heading": lines(lambda rows: [rows[0].replace("lower", "low"), *rows[1:]]),
    "another period": lambda data: data.replace(b"2025-02,", b"2025-03,", 1),
    "another edition": lambda data: data.replace(b"second", b"first", 1),
    "another measure": lambda data: data.replace(b"mean(paid)", b"sum(paid)"),
    "another unit": lambda data: data.replace(b"EUR", b"USD"),
}


@pytest.mark.parametrize("which", FORGED)
def test_a_csv_that_says_something_else_is_refused_by_the_second_program(
    which: str, contents: dict[str, bytes]
) -> None:
    certificate = json.loads(contents["release.json"])
    forged = FORGED[which](contents["all.csv"])
    assert forged != contents["all.csv"]
    with pytest.raises(IntegrityError, match=r"all\.csv"):
        check_all(certificate, {**contents, "all.csv": forged})


@pytest.mark.parametrize("column", ["value", "grade", "noise", "answer", "table_"])
def test_a_parquet_file_that_says_something_else_is_refused(column: str, contents: dict[str, bytes]) -> None:
    certificate = json.loads(contents["release.json"])
    table = parquet.read_table(io.BytesIO(contents["all.parquet"]))
    place = table.column_names.index(column)
    cells = table[column].to_pylist()
    at = next(index for index, cell in enumerate(cells) if cell is not None)
    cells[at] = cells[at] + 1 if column == "value" else "9"
    buffer = io.BytesIO()
    parquet.write_table(table.set_column(place, column, pyarrow.array(cells, table[column].type)), buffer)
    with pytest.raises(IntegrityError, match=r"all\.parquet"):
        check_all(certificate, {**contents, "all.parquet": buffer.getvalue()})
