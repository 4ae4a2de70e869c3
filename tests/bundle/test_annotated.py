"""No number without an interval is called normal, and no chart or page leaves it unmarked."""

from __future__ import annotations

import csv
import json
import re
from math import exp

import pyarrow.parquet
import pytest

from dprelease.bundle.annotated import Annotated
from dprelease.bundle.exports import sdmx_chunks, table_json, table_parquet
from dprelease.bundle.listing import parts
from dprelease.bundle.notices import PublisherNotices
from dprelease.bundle.outputs import release_files
from dprelease.bundle.reliability import GradeCounts, reliability
from dprelease.bundle.tables import Shape, csv_chunks, read_csv
from dprelease.charts.cells import TableText
from dprelease.charts.picture import specification
from dprelease.model.grade import grades
from dprelease.model.release import Axis, Cell, Estimates, Release
from dprelease.statements.display import rounded
from dprelease.statements.number import said
from dprelease.statements.question import StatisticLabel
from tests.bundle.releases import make_release, svg

COLUMNS = {"cost": {"type": "number", "lower": 0, "upper": 100}, "stay": {"type": "number", "lower": 0, "upper": 10}}
ASKED = {"id": "r", "kind": "ratio", "numerator": "cost", "denominator": "stay", "by": ["g"]}


def release() -> Release:
    axis = Axis(("g",), (("a",), ("b",), ("c",), ("d",), ("e",)))
    table = Estimates(
        axes=(axis,),
        value=[41.5, 820.0, None, 700.0, 5.0],
        lower95=[None, 800.0, None, 0.0, 0.0],
        upper95=[None, 840.0, None, None, 9.0],
    )
    return make_release([(ASKED, table)], columns=COLUMNS)


def test_a_number_without_an_interval_is_not_called_normal() -> None:
    made = release()
    notes = list(Annotated.of(made.certificate, "r", made.tables["r"]).notes())
    assert [note.status for note in notes] == ["U", "A", "O", "U", "N"]
    letters = grades(made.certificate, "r", made.tables["r"])
    header, *rows = b"".join(csv_chunks(made.tables["r"], letters)).decode().splitlines()
    assert (header.split(",")[-1], [row[-1] for row in rows]) == ("grade", ["U", "A", "O", "U", "N"])
    ends = ["no interval", "", "no value", "open interval", "wide interval"]
    assert [note.annotation.removeprefix("noise").lstrip("; ") for note in notes] == ends


def test_counts_beside_ranked_values_are_their_intervals() -> None:
    """The value is chosen by a count that has one."""
    extra = {"count": [50], "count_lower95": [40], "count_upper95": [60]}
    table = Estimates(axes=(Axis(("rank",), ((1,),)),), value=["north"], lower95=[None], upper95=[None], extra=extra)
    made = make_release([({"id": "t", "kind": "top", "column": "g", "k": 1}, table)], columns={})
    (note,) = Annotated.of(made.certificate, "t", table).notes()
    assert note.status == "A"
    assert "(" not in str(list(TableText.of(made, "t", 9).body()))


def test_page_and_chart_mark_it() -> None:
    made = release()
    question = StatisticLabel.of(made.certificate, "r")
    cells = [row[1] for row in TableText.of(made, "r", 9).body()]
    assert cells == ["–", "820", "no value", "–", "none – 9"]
    assert said(question, 41.5, None, None)[0] == "41.5", "of a table that is not published"
    text = str(specification(made, "r").body)
    assert "'label': '–'" in text
    assert "isValid(datum.lower)" in text


@pytest.mark.parametrize("kind", ["median", "mode"])
def test_a_choice_without_an_interval_is_marked(kind: str) -> None:
    table = Estimates(axes=(), value=[140_700], lower95=[None], upper95=[None])
    made = make_release([({"id": "m", "kind": kind, "column": "cost"}, table)], columns=COLUMNS)
    (note,) = Annotated.of(made.certificate, "m", table).notes()
    assert (note.status, "no interval" in note.annotation) == ("U", True)
    assert next(iter(TableText.of(made, "m", 9).body()))[0].startswith("(")


VISITS = {"id": "v", "kind": "count", "by": ["g"]}
ROWS: list[tuple[Cell, Cell, Cell]] = [
    (1000, 900, 1100),
    (300, 150, 450),
    (100, 10, 190),
    (20, -70, 110),
    (-80, -170, 10),
]
LETTERS = ["A", "C", "U", "N", "N"]


def graded() -> Release:
    axis = Axis(("g",), tuple((name,) for name in "abcde"))
    value, lower, upper = (list(column) for column in zip(*ROWS, strict=True))
    table = Estimates(axes=(axis,), value=value, lower95=lower, upper95=upper)
    return make_release([(VISITS, table)], columns=COLUMNS)


def test_the_same_letter_stands_in_every_file() -> None:
    made = graded()
    shown = json.loads(table_json(made, "v", PublisherNotices()))["rows"]
    parquet = pyarrow.parquet.read_table(pyarrow.BufferReader(table_parquet(made, "v"))).to_pylist()
    files = release_files(made)
    stored = list(csv.DictReader(b"".join(parts(files["tables/v.csv"])).decode().splitlines()))
    sdmx = list(csv.DictReader(b"".join(sdmx_chunks(made, "v")).decode().splitlines()))
    assert [row["grade"] for row in shown] == LETTERS
    assert [row["grade"] for row in parquet] == LETTERS
    assert [row["grade"] for row in stored] == LETTERS
    assert [row["GRADE"] for row in sdmx] == LETTERS
    assert [row["OBS_STATUS"] for row in sdmx] == [row["status"] for row in shown] == ["A", "U", "U", "N", "N"]
    assert "status" not in stored[0]
    assert [row["rounded"] for row in shown] == [1000, 300, 100, 20, -80]


def test_what_is_not_told_apart_from_none_is_said_in_words() -> None:
    """On the page: no number of which there may be nothing stands alone, and none below 0."""
    reading = TableText.of(graded(), "v", 9)
    assert reading.heads()[-1] == "How reliable"
    body = [[text.replace("\u202f", " ") for text in row] for row in reading.body()]
    assert [row[1] for row in body] == ["1 000", "300 (c)", "(100)", "none – 110", "none – 90"]
    assert [row[2:4] for row in body[3:]] == [["", ""]] * 2, "one statement, and no second limit"
    words = ["", "use with caution", "unreliable", *["not told apart from none"] * 2]
    assert [row[-1] for row in body] == words


def test_where_all_is_reliable_nothing_is_said() -> None:
    table = Estimates(axes=(), value=[1000], lower95=[990], upper95=[1010])
    made = make_release([({"id": "v", "kind": "count"}, table)], columns=COLUMNS)
    assert TableText.of(made, "v", 9).heads() == ["Estimate", "Lower 95 %", "Upper 95 %"]
    assert list(reliability(made, "v", GradeCounts.of(made, "v"))) == []


def test_a_chart_draws_what_is_unreliable_otherwise_and_says_so() -> None:
    drawn = svg(graded(), "v").decode()
    assert "stroke-dasharray" in drawn, "hollow and dashed"
    for text in ("none – 90", "(100)", "300 (c)", "too noisy to quote", "(c): use with caution"):
        assert text in drawn


def test_many_intervals_miss_and_all_together_need_more() -> None:
    """100 counts with noise of scale 5 each: exactly, by P(noise > h) of all of them."""
    value: list[Cell] = [1000] * 100
    axes = (Axis(("g",), tuple((str(place),) for place in range(100))),)
    table = Estimates(axes=axes, value=value, lower95=[985] * 100, upper95=[1015] * 100)
    made = make_release([(VISITS, table)], columns=COLUMNS)
    (said,) = reliability(made, "v", GradeCounts.of(made, "v"))
    assert "of these 100, about 5 may" in said
    (half,) = map(int, re.findall(r"± (\d+)", said))
    q = exp(-1 / 5)
    hold = [(1 - 2 * q ** (h + 1) / (1 + q)) ** 100 for h in (half, half - 1)]
    assert hold[0] >= 0.95 > hold[1]


def test_a_key_that_is_called_grade_keeps_its_name() -> None:
    table = Estimates(axes=(Axis(("grade",), (("A",), ("F",))),), value=[90, 5], lower95=[88, 3], upper95=[92, 7])
    made = make_release([({"id": "v", "kind": "count", "by": ["grade"]}, table)], columns=COLUMNS)
    data = b"".join(parts(release_files(made)["tables/v.csv"]))
    assert data.splitlines()[0] == b"grade,value,lower95,upper95,grade_"
    assert read_csv(data, Shape.of(table)) == table
    assert json.loads(table_json(made, "v", PublisherNotices()))["rows"][1]["grade_"] == "C"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [((1283, 1243, 1323), 1280), ((0.51234, 0.49, 0.53), 0.51), ((7, 7, 7), 7), ((41.5, None, None), 41.5)],
)
def test_the_number_to_quote_has_the_digits_of_the_page(cells: tuple[Cell, Cell, Cell], expected: float) -> None:
    assert rounded(*cells) == expected
