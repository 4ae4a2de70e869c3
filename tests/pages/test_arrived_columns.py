"""That answers arrived changed stays with a column while its line is edited, and is told where it is priced."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.codebook.propose import compatible
from dprelease.model.schema import Schema
from dprelease.ui.data.row import Row
from dprelease.words.language import speaking

DECLARED: dict[str, Any] = {
    "type": "category",
    "categories": ["yes", "no", "none"],
    "count_missing_as": "none",
    "randomized": {"method": "response", "epsilon": 0.5},
}


@pytest.mark.parametrize("language", ["en", "es"])
def test_another_description_leaves_it_as_it_is(language: str) -> None:
    with speaking(language):
        row = Row.of("p", DECLARED).changed({"description": "of the vote"})
        stored = Row.stored("p", {"type": row.type, "randomized": row.randomized})
        assert stored.randomized == row.randomized == ("0.5" if language == "en" else "0,5")
        assert row.brief().count("0.5" if language == "en" else "0,5") == 1
        assert Schema.parse({"p": row.mapping()})["p"].randomized == Schema.parse({"p": DECLARED})["p"].randomized
        emptied = Row.of("p", DECLARED).changed({"randomized": ""})
    assert "randomized" not in emptied.mapping()


@pytest.mark.parametrize(
    "cells", [{"randomized": "a half"}, {"randomized": "-1"}, {"count_missing_as": ""}, {"other": True}]
)
def test_what_it_cannot_be_is_told(cells: dict[str, Any]) -> None:
    problems = Row.of("p", DECLARED).changed(cells).problems()
    assert any("randomized" in problem.path for problem in problems)


def test_a_column_of_another_type_loses_it() -> None:
    assert "randomized" not in compatible(DECLARED, {"type": "integer", "lower": 0, "upper": 3})
    assert "randomized" in compatible(DECLARED, {"description": "of the vote"})
