"""Pages tell how cells are read to whoever may see true values, and to nobody else."""

from __future__ import annotations

from typing import Any

import pandas
import pytest

from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, dialog, html, in_hand, press
from tests.pages.test_workbench import Played, true_values
from tests.pages.test_workbench import bench as bench

COLUMNS = {
    "pay": {"type": "number", "lower": 0, "upper": 200, "resolution": 1},
    "region": {"type": "category", "categories": ["North", "South"]},
}
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Pay",
    "dataset": "staff",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "statistics": [
        {"id": "mean", "kind": "mean", "column": "pay"},
        {"id": "regions", "kind": "histogram", "column": "region"},
    ],
}
MARK = say("reading_many")


@pytest.fixture
def staff(small: Workspace) -> Workspace:
    """Nearly all is above the bounds; one cell is written in another way."""
    pay = ["40000"] * 46 + ["50000"] * 3 + ["about 99"]
    frame = pandas.DataFrame({"pay": pay, "region": ["North", "South"] * 25})
    small.add_dataset("staff", frame, columns=COLUMNS, epsilon=4)
    return small


def test_beside_a_true_value_stands_how_far_it_is_true(staff: Workspace, visit: Opener, bench: Played) -> None:
    page = visit("workbench", state=in_hand(PLAN))
    assert bench.data["open"]["read"] == {"caveats": [], "bounded": False, "many": False}, "of invented rows"
    true_values(page)
    assert bench.data["open"]["read"] == {
        "caveats": [
            "98 % of the rows lie above 200 (pay)",
            "2 % of the cells of pay cannot be read",
            "without bounds: 40612",
        ],
        "bounded": True,
        "many": True,
    }


@pytest.mark.usefixtures("bench")
def test_the_list_stands_before_the_button_that_publishes(staff: Workspace, visit: Opener) -> None:
    page = dialog(true_values(visit("workbench", state=in_hand(PLAN))), "publish")
    shown = html(page)
    assert shown.count(MARK) == 1, "of two columns one is marked, in words"
    assert say("reading_other_shapes", cells="<bdi>1</bdi>") in shown
    assert [event.kind for event in staff.ledger.events()].count("reading_taken") == 0, "the look is told of already"


@pytest.mark.usefixtures("bench")
def test_without_a_look_it_is_counted_when_asked_for(staff: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand(PLAN)), "publish")
    assert MARK not in html(page)
    assert [event.kind for event in staff.ledger.events()].count("reading_taken") == 0
    page = press(page, say("reading_count"))
    assert MARK in html(page)
    assert staff.ledger.events()[-1].kind == "reading_taken"


def test_the_page_of_the_columns_counts_it_when_asked_for(staff: Workspace, visit: Opener) -> None:
    page = visit("data", query={"dataset": "staff"})
    assert MARK not in html(page)
    page = press(page, say("reading_count"))
    assert MARK in html(page)
    assert staff.ledger.events()[-1].body == {"dataset": "staff", "columns": ["pay", "region"]}


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize("policy", ["blind", "none"])
def test_a_blind_curator_is_not_even_offered_it(policy: str, staff: Workspace, visit: Opener) -> None:
    staff.plans.set_preview_policy(policy)
    for page in (
        dialog(visit("workbench", state=in_hand(PLAN)), "publish"),
        visit("data", query={"dataset": "staff"}),
    ):
        assert WORDS["reading_count"] not in [button.label for button in page.button]
        assert WORDS["reading_cells"] not in html(page)
    assert "reading_taken" not in [event.kind for event in staff.ledger.events()]
