"""A property of a column is declared once: refused where it cannot be, asked for on the page, told in the guide."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dprelease.errors import SchemaError
from dprelease.model import column_fields as of
from dprelease.model.column import COLUMN_KEYS, COLUMN_OPTIONS, Column, ColumnType
from dprelease.model.level import Level
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.ui.data.row import Row
from dprelease.ui.data.sheet import FIELDS, SHEET
from dprelease.ui.words import say
from dprelease.words.language import speaking

pytestmark = pytest.mark.quick

GUIDES = {"en": "docs/guide/describe-columns.md", "es": "docs/guide/es/describe-columns.md"}
WHOLE: dict[ColumnType, dict[str, Any]] = {
    ColumnType.INTEGER: {"lower": 0, "upper": 9},
    ColumnType.NUMBER: {"lower": 0, "upper": 9},
    ColumnType.CATEGORY: {"categories": ["a", "b"]},
    ColumnType.BOOLEAN: {},
    ColumnType.DATE: {"lower": "2025-01-01", "upper": "2025-12-31"},
    ColumnType.TEXT: {},
}
SAID: dict[str, Any] = {
    "lower": 0,
    "upper": 9,
    "resolution": 2,
    "categories": ["a"],
    "other": True,
    "discover": "discover",
    "missing_codes": [-9],
    "reading": {"dates": ["d.m.y"]},
    "made": {"known": "y"},
    "outside": "missing",
    "levels": {"five": {"width": 5}},
    "count_missing_as": 0,
    "randomized": {"method": "response", "epsilon": 1},
}
ELSEWHERE = [
    (name, type_) for name, option in COLUMN_OPTIONS.items() for type_ in ColumnType if type_ not in option.types
]


@pytest.mark.parametrize(("name", "type_"), ELSEWHERE)
def test_a_property_that_a_type_does_not_have_is_refused(name: str, type_: ColumnType) -> None:
    key = COLUMN_OPTIONS[name].key or name
    Schema.parse({"x": {"type": type_.value, **WHOLE[type_]}})
    with pytest.raises(SchemaError) as error:
        Schema.parse({"x": {"type": type_.value, **WHOLE[type_], key: SAID[name]}})
    assert all(problem.path.startswith("columns.x") and problem.allowed for problem in error.value.problems)


def test_a_new_property_is_refused_with_what_was_found_what_is_allowed_and_the_remedy() -> None:
    report = Report()
    option = of.ColumnOption(reader=of.text(), default="", types=of.NUMERIC, widget=of.Widget.LINE)
    option.refuse(ColumnType.DATE, "note", "columns.x.note", report)
    (problem,) = report.problems
    assert (problem.path, str(problem.found)) == ("columns.x.note", "'note' on a date column")
    assert str(problem.allowed) == "a column of type integer, number"
    assert str(problem.remedy) == "Delete 'note', or declare another type."


def test_levels_that_a_program_gives_to_another_type_are_refused() -> None:
    with pytest.raises(SchemaError, match="levels on a boolean column"):
        Column(name="x", type=ColumnType.BOOLEAN, levels=(Level(name="five", width=5),))


def test_what_is_declared_is_what_a_plan_a_line_and_the_sheet_have() -> None:
    assert set(COLUMN_KEYS) == {"type", *COLUMN_OPTIONS} - {"discover"}
    assert {item.name for item in fields(Row)} == {
        "name",
        "use",
        "type",
        "left",
        "source",
        "doubts",
        *COLUMN_OPTIONS,
    }
    assert {item.name: item.default for item in fields(Row) if item.name in COLUMN_OPTIONS} == {
        name: False if option.widget is of.Widget.CHECK else "" for name, option in COLUMN_OPTIONS.items()
    }
    assert set(FIELDS) == {"name", "check", "use", "type", *SHEET}


@pytest.mark.parametrize("language", GUIDES)
def test_the_guide_says_what_to_write_in_each_cell_of_the_sheet(language: str) -> None:
    guide = (Path(__file__).resolve().parents[2] / GUIDES[language]).read_text(encoding="utf-8")
    with speaking(language):
        wanted = {name: f"**{say(f'column_{name}')}**" for name in ("type", *SHEET)}
    rows = "\n".join(line.partition("|")[2].partition("|")[0] for line in guide.splitlines() if line.startswith("| **"))
    assert [name for name, label in wanted.items() if label not in rows] == []
