"""No number without an interval is called normal, and no chart or page leaves it unmarked."""

from __future__ import annotations

import pytest

from dprelease.bundle.annotated import Annotated
from dprelease.bundle.cells import TableText, said
from dprelease.bundle.charts import chart
from dprelease.bundle.question import Question
from dprelease.bundle.tables import csv_chunks
from dprelease.model.release import Axis, Estimates, Release
from tests.bundle.releases import make_release

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
    assert [note.status for note in notes] == ["U", "A", "O", "U", "U"]
    header, *rows = b"".join(csv_chunks(made.tables["r"])).decode().splitlines()
    assert (header.split(",")[-1], [row[-1] for row in rows]) == ("status", ["U", "A", "O", "U", "U"])
    ends = ["no interval", "", "no value", "open interval", "wide interval"]
    assert [note.annotation.removeprefix("noise").lstrip("; ") for note in notes] == ends


def test_counts_beside_ranked_values_are_their_intervals() -> None:
    """The value is chosen by a count that has one."""
    extra = {"count": [50], "count_lower95": [40], "count_upper95": [60]}
    table = Estimates(axes=(Axis(("rank",), ((1,),)),), value=["north"], lower95=[None], upper95=[None], extra=extra)
    made = make_release([({"id": "t", "kind": "top", "column": "g", "k": 1}, table)], columns={})
    (note,) = Annotated.of(made.certificate, "t", table).notes()
    assert note.status == "A"
    assert "(u)" not in str(list(TableText(table, Question.of(made.certificate, "t"), 9).body()))


def test_page_and_chart_mark_it() -> None:
    made = release()
    question = Question.of(made.certificate, "r")
    cells = [row[1] for row in TableText(made.tables["r"], question, 9).body()]
    assert ["(u)" in cell for cell in cells] == [True, False, False, True, False]
    assert said(question, 41.5, None, None, counted=True)[0] == "41.5"
    picture = chart(made, "r")
    text = str(picture.to_dict() if hasattr(picture, "to_dict") else picture)
    assert "41.5 (u)" in text
    assert "isValid(datum.lower)" in text


@pytest.mark.parametrize("kind", ["median", "mode"])
def test_a_choice_without_an_interval_is_marked(kind: str) -> None:
    table = Estimates(axes=(), value=[140_700], lower95=[None], upper95=[None])
    made = make_release([({"id": "m", "kind": kind, "column": "cost"}, table)], columns=COLUMNS)
    (note,) = Annotated.of(made.certificate, "m", table).notes()
    assert (note.status, "no interval" in note.annotation) == ("U", True)
    assert "(u)" in next(iter(TableText(table, Question.of(made.certificate, "m"), 9).body()))[0]
