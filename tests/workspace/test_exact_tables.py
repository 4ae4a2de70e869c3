"""What a plan's tables would give away if they were exact: beside counts by hand."""

from __future__ import annotations

import pandas
import pytest

import dprelease
from dprelease.workspace.exact_tables import GivenAway

COLUMNS = {
    "ward": {"type": "category", "categories": ["a", "b"]},
    "sex": {"type": "category", "categories": ["f", "m"]},
    "age": {"type": "integer", "lower": 0, "upper": 9},
}


def told(rows: list[tuple[str, str]], statistics: list[dict[str, object]]) -> dict[tuple[str, str], GivenAway]:
    """By table and rule."""
    workspace = dprelease.Workspace.in_memory()
    table = pandas.DataFrame([{"ward": ward, "sex": sex, "age": 3} for ward, sex in rows], columns=list(COLUMNS))
    workspace.add_dataset("d", table, columns=COLUMNS, epsilon=9)
    plan = dprelease.Plan.parse(
        {
            "dprelease": 1,
            "dataset": "d",
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
            "statistics": statistics,
        }
    )
    look = workspace.plans.look(plan)
    return {(each.table, each.rule): each for each in look.exact_tables()}


CROSS = {"id": "cross", "kind": "crosstab", "columns": ["ward", "sex"]}


@pytest.mark.parametrize("margins", [False, True])
def test_a_small_cell_that_is_alone_in_a_line_is_found(margins: bool) -> None:
    """Counts 2, 20 and 30, 40: the first is hidden, and is what is missing from the total of its line."""
    rows = [("a", "f")] * 2 + [("a", "m")] * 20 + [("b", "f")] * 30 + [("b", "m")] * 40
    found = told(rows, [{**CROSS, "margins": margins}])
    first = found["cross", "suppressed-5"]
    assert (first.hidden, first.found, first.near) == (1, 1, 1)
    # With one more hidden in its row and its column, and so all four: any of 1 to 4 is possible.
    other = found["cross", "complementary-5"]
    assert (other.hidden, other.found, other.near) == (1, 0, 0)
    assert "20" not in repr(found)


def test_cells_that_the_totals_leave_between_two_ends() -> None:
    """Counts 1, 2 and 1, 3, all hidden: the column of 2 can only be 1 and 1, and so all is told."""
    rows = [("a", "f")] + [("a", "m")] * 2 + [("b", "f")] + [("b", "m")] * 3
    first = told(rows, [CROSS])["cross", "suppressed-5"]
    assert (first.hidden, first.found, first.near) == (4, 4, 4)


def test_only_tables_of_counts_are_attacked() -> None:
    statistics = [
        {"id": "n", "kind": "count"},
        {"id": "by", "kind": "count", "by": ["ward"]},
        {"id": "ages", "kind": "sum", "column": "age", "by": ["ward"]},
        {"id": "mid", "kind": "median", "column": "age"},
        {"id": "share", "kind": "proportion", "by": ["ward"], "where": [{"column": "age", "at_least": 2}]},
        {"id": "bars", "kind": "histogram", "column": "age", "bins": 1},
    ]
    found = told([("a", "f")] * 3 + [("b", "m")] * 30, statistics)
    assert {table for table, _ in found} == {"by", "bars"}
    assert found["by", "suppressed-5"].found == 1
    assert found["bars", "suppressed-5"].hidden == 0


def test_of_no_rows_nothing_is_hidden() -> None:
    assert {each.hidden for each in told([], [CROSS]).values()} == {0}
