"""A run at the desk: its strip of periods, and one button for the period that is due."""

from __future__ import annotations

import io

import pytest

from dprelease.model.plan import Plan
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, SignIn, html, labels, press, tick, words, write
from tests.workspace.test_runs import COLUMNS, HOUR, PERSON, births, plan


@pytest.fixture
def running(own_workspace: Workspace, sign_in: SignIn) -> Workspace:
    own_workspace.add_dataset("births", births(), unit_column="person", columns=COLUMNS, epsilon=3)
    own_workspace.runs.open(Plan.parse(plan(unit=PERSON, at_most=2)))
    sign_in()
    return own_workspace


def test_the_desk_publishes_the_period_that_is_due(running: Workspace, visit: Opener) -> None:
    page = visit("desk")
    assert WORDS["desk_runs"] in words(page)
    assert 'class="dp-period-next" title="2025-01: next"' in html(page)
    assert html(page).count("dp-period-ahead") == 5
    press(page, say("desk_run_publish", period="2025-01"))
    for job in running.releases.publishing():
        job.ended.wait()
    assert [each.period for each in running.runs.get("births").editions] == ["2025-01"]
    page = visit("desk")
    assert 'title="2025-01: published"' in html(page)
    assert say("desk_run_publish", period="2025-02") in labels(page, "button")


def test_an_edition_is_sealed_from_the_desk_until_its_hour(running: Workspace, visit: Opener) -> None:
    page = visit("desk")
    tick(page, WORDS["embargo_wanted"])
    write(page, WORDS["embargo_due"], HOUR)
    press(page, say("desk_run_publish", period="2025-01"))
    for job in running.releases.publishing():
        job.ended.wait()
    assert [each.due for each in running.embargoes.find()] == [HOUR]
    page = visit("desk")
    assert say("desk_run_sealed", period="2025-01") in words(page)
    assert 'title="2025-01: sealed until its hour"' in html(page)
    assert not any(each.startswith("Publish 2025") for each in labels(page, "button"))


def test_closed_periods_are_crossed_out(running: Workspace, visit: Opener) -> None:
    running.runs.publish("births", "2025-03")
    assert html(visit("desk")).count("closed, not published") == 2


def test_nothing_is_told_of_runs_where_there_is_none(small: Workspace, visit: Opener) -> None:
    assert WORDS["desk_runs"] not in words(visit("desk"))


def test_rows_that_lack_earlier_ones_are_asked_about_on_the_page(running: Workspace, visit: Opener) -> None:
    running.runs.publish("births", "2025-01")
    few = births().iloc[:1].assign(day="2025-06-01").to_csv(index=False).encode()
    running.datasets.uploads.stage("few.csv", io.BytesIO(few))
    page = press(visit("tables", query={"rows": "births"}), say("rows_save", dataset="births"))
    assert say("rows_compared", runs="births") in words(page)
    assert "of a unit none is left in a period up to 2025-01" in words(page)
    assert running.datasets.uploads.find()
    tick(page, WORDS["rows_removed"])
    press(page, say("rows_save", dataset="births"))
    assert running.datasets.uploads.find() == []
