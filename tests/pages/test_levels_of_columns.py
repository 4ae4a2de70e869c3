"""Levels stay with a column while its line is edited, as a form and as text."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.model.schema import Schema
from dprelease.ui.data.row import Row

DECLARED: list[dict[str, Any]] = [
    {"type": "category", "categories": ["04", "11", "a,b"], "levels": {"r": {"N": ["04", "a,b"], "S": ["11"]}}},
    {"type": "integer", "lower": 0, "upper": 100, "levels": {"five": {"width": 5}, "broad": {"edges": [0, 50]}}},
]


@pytest.mark.parametrize("declared", DECLARED)
def test_another_description_leaves_the_levels_as_they_are(declared: dict[str, Any]) -> None:
    row = Row.of("p", declared).changed({"description": "of the visit"})
    assert Row.stored("p", {"type": row.type, "levels": row.levels}).levels == row.levels
    assert Schema.parse({"p": row.mapping()})["p"].levels == Schema.parse({"p": declared})["p"].levels
    assert row.brief().count("levels") == 1


def test_what_is_no_mapping_is_told_with_what_is_allowed() -> None:
    row = Row.of("p", DECLARED[0]).changed({"levels": "North"})
    assert any(problem.path.endswith("levels") for problem in row.problems())
