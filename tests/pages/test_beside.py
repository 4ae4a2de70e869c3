"""A measured table beside the synthetic rows that were made of it, on the page of a release."""

from __future__ import annotations

from math import isclose
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.bundle.synthetic import shares
from dprelease.model.release import Release, SyntheticRows
from dprelease.ui.releases.rows_comparison import drawn
from dprelease.ui.words import say
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, SignIn, choose, html, labels, words

COLUMNS = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "region": {"type": "category", "categories": ["N", "S"], "count_missing_as": "S"},
    "smoker": {"type": "boolean", "count_missing_as": False},
}


def published(workspace: Workspace, rows: int, **options: Any) -> Release:
    draws = np.random.default_rng(rows)
    frame = pandas.DataFrame(
        {
            "age": draws.integers(0, 101, rows),
            "region": draws.choice(["N", "S"], rows),
            "smoker": draws.random(rows) < 0.3,
        }
    )
    terms: dict[str, Any] = {"epsilon": 5, "delta": 1e-6, "currency": "zcdp", "unit": "person"}
    workspace.add_dataset("people", frame, columns=COLUMNS, **terms)
    own = {"id": "made", "kind": "synthetic", "columns": ["age", "region", "smoker"], "bins": {"age": 5}, "order": 2}
    plan = {
        "dprelease": 1,
        "dataset": "people",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": 1e-6},
        "charts": False,
        "statistics": [own | options],
    }
    return workspace.publish(dprelease.Plan.parse(plan))


@pytest.mark.full
def test_shares_are_those_of_the_rows_in_the_cells_that_were_measured(own_workspace: Workspace) -> None:
    release = published(own_workspace, 900)
    output = release.outputs["made"]
    assert isinstance(output, SyntheticRows)
    rows = pandas.DataFrame(dict(output.columns))
    found = shares(output, output.parts["age_region"])
    for each in found:
        low, high, region = each.keys
        inside = rows[(rows["age"] >= low) & (rows["age"] <= high) & (rows["region"] == region)]
        assert isclose(each.rows, len(inside) / len(rows))
        assert each.lower is not None
        assert each.upper is not None
        assert each.lower <= each.measured <= each.upper
    assert isclose(sum(each.rows for each in found), 1)
    assert isclose(sum(each.measured for each in found), 1)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (0, {}),
        (1, {}),
        (200, {"bins": {"age": 1}}),
        (200, {"columns": ["age"], "order": 1}),
        (200, {"method": "mwem", "rounds": 1}),
        (200, {"method": "dual_query", "rounds": 2}),
    ],
    ids=["no_rows", "one_row", "one_bin", "one_column", "tables_not_measured", "columns_alone"],
)
def test_few_rows_and_tables_without_intervals_are_shown(own_workspace: Workspace, rows: int, options: Any) -> None:
    output = published(own_workspace, rows, **options).outputs["made"]
    assert isinstance(output, SyntheticRows)
    for name, table in output.parts.items():
        if name != "report":
            found = shares(output, table)
            assert len(found) in (0, len(table))
            if found:
                assert isclose(sum(each.rows for each in found), 1)
                drawn(found, "Measured").alone("a picture")


@pytest.mark.full
def test_a_reader_chooses_any_table(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    release = published(own_workspace, 900)
    sign_in()
    page = visit("releases", query={"release": release.id})
    assert labels(page, "expander").count(say("beside_title")) == 1
    assert say("beside_note") not in words(page), "nothing is counted before somebody looks"
    page = visit("releases", query={"release": release.id}, state={"beside-open-made": True})
    assert say("beside_note") in words(page)
    assert "20–39" in words(page)
    before = html(page)
    choose(page, say("beside_which"), "region_smoker")
    assert html(page) != before
    assert html(page).count("data:image/svg+xml") == 1
