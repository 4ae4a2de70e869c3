"""Pages tell how cells are read to whoever may see true values, and to nobody else."""

from __future__ import annotations

import re
from typing import Any

import pandas
import pytest
from streamlit.testing.v1 import AppTest

from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, dialog, html, in_hand, press, words
from tests.pages.test_workbench import Played, true_values
from tests.pages.test_workbench import bench as bench
from tests.workspace import alike

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
            "without bounds: 40\u202f612",
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
    page = visit("tables", query={"dataset": "staff"})
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
        visit("tables", query={"dataset": "staff"}),
    ):
        assert WORDS["reading_count"] not in [button.label for button in page.button]
        assert WORDS["reading_cells"] not in html(page)
    assert "reading_taken" not in [event.kind for event in staff.ledger.events()]


def frame(seed: int) -> pandas.DataFrame:
    return pandas.DataFrame(alike.rows(seed), columns=list(alike.COLUMNS), dtype="string")


def blind_pages(visit: Opener) -> str:
    """All that the pages of a blind curator say of a table, from its columns to the dialog that publishes."""
    pages = (
        visit("tables", query={"dataset": "staff"}),
        dialog(visit("workbench", state=in_hand(PLAN)), "publish"),
    )
    shown = "\n".join(f"{words(page)}\n{html(page)}\n{fields(page)}" for page in pages)
    return re.sub(r"[0-9a-f]{12,}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}:[0-9]{2}(:[0-9]{2})?", "#", shown)


def fields(page: AppTest) -> str:
    """What stands in fields, and what may be chosen."""
    typed = [(field.label, field.value) for field in (*page.text_input, *page.text_area, *page.checkbox)]
    return str([*typed, *((box.label, box.value, box.options) for box in page.selectbox)])


@pytest.fixture(scope="module")
def first() -> list[str]:
    """What pages say of the first table; filled by whichever test asks first."""
    return []


@pytest.mark.usefixtures("bench")
@pytest.mark.one_in(51)
@pytest.mark.parametrize("seed", range(1, 51))
def test_pages_of_a_blind_curator_are_those_of_any_table_that_reads_alike(
    small: Workspace, visit: Opener, first: list[str], seed: int
) -> None:
    """They differ in cells without a value, outside the bounds and ambiguous ones."""
    small.plans.set_preview_policy("blind")
    small.add_dataset("staff", frame(0), columns=alike.COLUMNS, written=alike.WRITTEN, epsilon=4)
    if not first:
        first.append(blind_pages(visit))
    small.datasets.replace_rows("staff", frame(seed))
    assert blind_pages(visit) == first[0]
