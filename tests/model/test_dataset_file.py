"""The file of a dataset is read as its JSON Schema says, and written again as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import dprelease.model
from dprelease.errors import InputError
from dprelease.model.dataset_file import FORM_KEYS, LAYOUT_KEYS, DatasetFile
from tests.model.plan_schema import dataset_schema, written
from tests.model.test_form import WELL

pytestmark = pytest.mark.quick

SHIPPED = Path(dprelease.model.__file__).with_name("dataset.schema.json")
SCHEMA = dataset_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
LAYOUT = {"format": "text", "delimiter": ";", "header": 3, "skip": {"empty": True, "note": 1, "words": ["Total"]}}
READINGS = {
    "layout": LAYOUT,
    "columns": {f"{type_} {place}": {"reading": said} for place, (type_, said) in enumerate(WELL)},
}
DECLARED = {"columns": {"tag": {"type": "date", "lower": "2020-01-01", "upper": "2020-12-31"}}}


def shape_of(key: str) -> Any:
    """The shape of an optional key, which may be null."""
    shape = SCHEMA["properties"][key]
    return next(iter(shape.get("anyOf", [shape])))


def test_the_shipped_file_is_up_to_date() -> None:
    if os.environ.get("UPDATE_SCHEMA") == "1":
        SHIPPED.write_bytes(written(SCHEMA))
    assert SHIPPED.read_bytes() == written(SCHEMA), "run: UPDATE_SCHEMA=1 pytest tests/model/test_dataset_file.py"
    Draft202012Validator.check_schema(SCHEMA)
    assert set(shape_of("layout")["properties"]) == set(LAYOUT_KEYS)


@pytest.mark.parametrize("said", [READINGS, {"layout": LAYOUT}, {"columns": None}, {}], ids=repr)
def test_readings_are_read_and_written_again(said: dict[str, Any]) -> None:
    found = DatasetFile.parse(json.dumps(said).encode())
    assert VALIDATOR.is_valid(said)
    assert found.to_mapping() == {key: part for key, part in said.items() if part}
    assert found.readings == {name: column["reading"] for name, column in (said.get("columns") or {}).items()}
    assert {key for reading in found.readings.values() for key in reading} <= set(FORM_KEYS)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"layout": {"sign": ";"}}, "layout.sign"),
        ({"layout": [";"]}, "layout: found"),
        ({"columns": {"tag": {"reading": {"date": ["iso"]}}}}, "Did you mean 'dates'?"),
        ({"columns": {"tag": {"reading": {"dates": ["iso"]}, "unit": "a"}}}, "columns.tag.type"),
        ({"columns": ["tag"]}, "columns: found"),
        ({"column": {}}, "Did you mean 'columns'?"),
    ],
)
def test_what_is_no_part_of_it_is_refused(said: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as caught:
        DatasetFile.parse(json.dumps(said).encode())
    assert told in str(caught.value)
    assert not VALIDATOR.is_valid(said)


def test_a_declaration_and_a_plan_are_such_files_too() -> None:
    plan = {"dprelease": 1, "dataset": "a", "privacy": {}, "statistics": [], **DECLARED}
    assert DatasetFile.parse(json.dumps(plan).encode()).columns == DECLARED["columns"]
    assert DatasetFile.parse(json.dumps({"layout": LAYOUT, **DECLARED}).encode()).layout == LAYOUT
    assert VALIDATOR.is_valid({"layout": LAYOUT, **DECLARED})
    with pytest.raises(InputError, match="found no bounds"):
        DatasetFile.parse(b"columns: {tag: {type: date}}")


def test_a_question_is_answered_in_the_file_by_leaving_one() -> None:
    days = [{"dates": ["d/m/y"]}, {"dates": ["m/d/y"]}]
    open_ = {"layout": {"sheet": {"one_of": ["a", "b"]}, "header": {"one_of": []}}, "columns": {}}
    open_["columns"] = {"tag": {"reading": {"one_of": days}}, "nr": {"type": "text", "reading": {"one_of": []}}}
    found = DatasetFile.parse(json.dumps(open_).encode())
    asked = {each.path: each.answers for each in found.left_open(layout=(), columns=())}
    assert asked == {
        "layout.sheet": ("a", "b"),
        "layout.header": (),
        "columns.tag.reading": ("{dates: [d/m/y]}", "{dates: [m/d/y]}"),
    }, "a declared column is asked about where its table is"
    assert [each.path for each in found.left_open(layout=("sheet",), columns=("tag",))] == ["layout.header"]
    said = {"layout": {"sheet": {"one_of": ["b"]}}, "columns": {"tag": {"reading": {"one_of": days[:1]}}}}
    answer = DatasetFile.parse(json.dumps(said).encode())
    assert (answer.layout, answer.readings, answer.open) == ({"sheet": "b"}, {"tag": days[0]}, ())
    assert found.updated(answer).left_open(layout=("header",), columns=()) == []
