"""A new plan is of the dataset that was asked for, and counts rows as that one's last plan did."""

from __future__ import annotations

from io import BytesIO

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.model.plan import Plan
from dprelease.ui.words import say
from dprelease.ui.workbench import desk
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import written
from dprelease.workspace import Workspace, sample
from tests.pages.conftest import COLUMNS, PLAN, TABLE, Opener, in_hand, words
from tests.pages.test_workbench import Played

NAMES = ("small", "second", "third")


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Played:
    played = Played()
    monkeypatch.setattr(desk, "bench", played)
    return played


@pytest.fixture
def three(small: Workspace) -> Workspace:
    """Of the first dataset a plan is published, of the second one waits; there are drafts of both."""
    for name in NAMES[1:]:
        upload = small.datasets.uploads.stage(f"{name}.csv", BytesIO(TABLE.replace(b"p1,", name.encode() + b",")))
        small.add_dataset(name, upload, population="few", unit_column="pid", columns=COLUMNS)
    for name in NAMES[:2]:
        unit = {**PLAN["privacy"]["unit"], "max_rows": 3, "max_groups": 2}
        body = {**PLAN, "title": name, "dataset": name, "privacy": {**PLAN["privacy"], "unit": unit}}
        plan_id = small.plans.submit(Plan.parse(body))
        if name == "small":
            small.plans.approve(plan_id)
            small.publish(plan_id)
        small.plans.drafts.save(written(Draft.from_plan(Plan.parse(body))), name=name)
    return small


def draft(page: AppTest) -> Draft:
    assert not page.exception
    found: Draft = page.session_state["draft"]
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_new_opens_that_dataset_in_a_fresh_tab_and_in_one_with_a_draft(
    name: str, three: Workspace, visit: Opener, bench: Played
) -> None:
    for state in ({}, in_hand()):
        page = visit("workbench", query={"new": name}, state=state)
        again = visit("workbench", query=dict(page.query_params))  # reloaded
        for each in (page, again, page.run()):
            found = draft(each)
            assert (found.dataset, found.saved, found.plan_id, found.statistics) == (name, None, "", [])
        known = name != "third"
        assert (found.max_rows, found.max_groups) == ((3, 2) if known else (None, None))
        assert found.expected_rows == (80 if known else None)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_button_of_a_card_says_which_dataset(name: str, three: Workspace, visit: Opener, bench: Played) -> None:
    page = visit("tables")
    next(each for each in page.button if each.key == f"card_release-{name}").click()
    page.run()
    assert draft(page).dataset == name
    assert not draft(page).statistics


@pytest.mark.full
def test_a_dataset_that_is_not_there_opens_no_other(three: Workspace, visit: Opener, bench: Played) -> None:
    assert "new" not in visit("workbench", query={"new": "nothing"}).query_params


def test_the_sample_opens_on_a_plan_of_its_own_with_true_values(
    copy_of: object, sign_in: object, visit: Opener, bench: Played
) -> None:
    workspace = copy_of("sample", sample.install)  # type: ignore[operator]
    sign_in()  # type: ignore[operator]
    page = visit("workbench", query={"new": sample.DATASET})
    assert draft(page).ids() == list(sample.FIRST)
    assert bench.data["mode"] == "true"
    (saved,) = workspace.plans.drafts.find()
    assert page.query_params["draft"] in (saved.id, [saved.id])


def test_what_no_plan_said_is_asked_in_the_page_and_answered_there(
    three: Workspace, visit: Opener, bench: Played
) -> None:
    page = visit("workbench", query={"new": "third"})
    assert say("bench_proposed_unpriced") in words(page)
    for label, answer in ((say("plan_needs_max_rows", unit="person"), 3), (say("bench_ask_expected"), 80)):
        next(each for each in page.number_input if each.label == label).set_value(answer)
        page.run()
    assert (draft(page).max_rows, draft(page).expected_rows) == (3, 80)
    assert not page.number_input, "each is asked once"
    assert say("bench_proposed_note") in words(page)
    assert "±" in "".join(each.proto.body for each in page.get("html") if "dp-ghost" in each.proto.body)
