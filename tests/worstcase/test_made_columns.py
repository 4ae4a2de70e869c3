"""Values of made columns are worked out from a certificate's JSON as the model has them, by other code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dprelease.model.encoding import canonical
from dprelease.worstcase.made_columns import check_made
from tests.model.made.columns import FUNCTIONS, made_columns
from tests.tries import tries

pytestmark = pytest.mark.quick


def columns(seed: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(canonical(made_columns(seed, 2 * len(FUNCTIONS)).to_mapping()))
    return found


@pytest.mark.parametrize("seed", range(tries(8)))
def test_both_have_the_same_bounds_and_categories(seed: int) -> None:
    check_made(columns(seed))


def test_a_wider_bound_or_another_category_is_told() -> None:
    stated = columns(0)
    tried = set()
    for name, column in stated.items():
        if not column.get("made"):
            continue
        wrong = dict(column)
        if column["type"] == "category":
            wrong["categories"] = [*column["categories"], "more"]
        elif column["type"] in ("integer", "number"):
            wrong["upper"] = column["upper"] + 1000 * column["resolution"]
        else:
            continue
        if column.get("lower") == 0 and column["upper"] == 30:
            continue  # declared narrower than what follows
        tried.update(column["made"])
        with pytest.raises(ValueError, match=f"values of '{name}' that do not follow"):
            check_made({**stated, name: wrong})
    assert len(tried) > 10
