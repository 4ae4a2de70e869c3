"""What a file's cells say, however they come in: docs/reading.md, "What a cell says"."""

from __future__ import annotations

import re
from pathlib import Path

import pandas
import pyarrow as pa
import pytest

from dprelease.model.column import Column
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.reading import Format, Reading
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine, Table
from dprelease.table.ingest_excel import as_text
from dprelease.table.kit.reader import code_of, text_of

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
ENGINE = Engine()
DAY = Schema.parse({"x": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-09"}})
NUMBER = Schema.parse({"x": {"type": "number", "lower": -10, "upper": 10, "resolution": 0.5}})
TRUTH = Schema.parse({"x": {"type": "boolean"}})


def code(table: Table, schema: Schema) -> int | None:
    """The code of a table's one row."""
    asked = [TallyQuery((each_value(schema["x"]),))]
    (tally,) = ENGINE.answer(table, asked, schema=schema, where=(), unit=PrivacyUnit())
    return next((place for place, count in enumerate(tally.values.tolist()) if count), None)


def examples(heading: str) -> list[tuple[str, bool]]:
    """The texts that the document shows in a table, and whether it says that they are read."""
    text = (ROOT / "docs/reading.md").read_text("utf-8").partition(f"### {heading}")[2].partition("\n### ")[0]
    found = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("| `")]
    return [(each, "missing" not in says) for shown, says in found for each in re.findall(r"`([^`]+)`", shown)]


@pytest.mark.parametrize(("heading", "schema"), [("Days", DAY), ("Numbers", NUMBER), ("Booleans", TRUTH)])
def test_the_examples_of_the_document_are_read_as_it_says(heading: str, schema: Schema) -> None:
    shown = examples(heading)
    assert {read for _, read in shown} == {True, False}
    for text, read in shown:
        column: Column = schema["x"]
        found = code(ENGINE.hold(pa.table({"x": [text]})), schema)
        assert (found is not None) == read, text
        assert found == code_of(column, text)


@pytest.mark.parametrize("text", ["2025-01-05T23:59:59Z", "2025-01-05T23:30:00-05:00", "2025/1/5 1:30"])
def test_a_data_frame_and_a_file_of_text_say_the_same(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"x,k\n{text},1\n")
    (tmp_path / "t.jsonl").write_text(f'{{"x": "{text}", "k": 1}}\n')
    files = [ENGINE.hold_file(tmp_path / name, filename=name) for name in ("t.csv", "t.jsonl")]
    for table in (*files, ENGINE.hold(pandas.DataFrame({"x": [text]}))):
        assert code(table, DAY) == 4


def test_numbers_of_a_cell_are_written_as_those_of_other_files_are() -> None:
    """Without an exponent, so that 0.00001 is the same category from Excel and from a column of floats."""
    cells = [1e-05, 0.0001, 0.1, -2.25, 3.0, 2.0**53, 9.21e18, 123456789.25]
    expected = ["0.00001", "0.0001", "0.1", "-2.25", "3", "9007199254740992", "9210000000000000000", "123456789.25"]
    assert [as_text(cell) for cell in cells] == expected
    assert [text_of(cell) for cell in cells] == expected


@pytest.mark.parametrize(
    ("written", "day"),
    [("05.01.2025 1:30", 4), ("05/01/2025T23:30:00,5-05:00", 4), ("05-01-2025 24:00Z", 4), ("05.01.2025 25:00", None)],
)
def test_days_of_a_form_may_have_any_time_of_the_grammar(tmp_path: Path, written: str, day: int) -> None:
    (tmp_path / "t.csv").write_text(f"day;k\n{written};1\n")
    reading = Reading(format=Format.TEXT, delimiter=";")
    engine = Engine()
    table = engine.hold_file(tmp_path / "t.csv", filename="t.csv", reading=reading)
    form = {"dates": ["d.m.y", "d/m/y", "d-m-y"]}
    schema = Schema.parse({"day": {"type": "date", "lower": "2025-01-01", "upper": "2025-01-09", "reading": form}})
    (tally,) = engine.answer(
        table, [TallyQuery((each_value(schema["day"]),))], schema=schema, where=(), unit=PrivacyUnit()
    )
    assert [place for place, count in enumerate(tally.values.tolist()) if count] == ([] if day is None else [day])
