"""Editions that are sealed until an hour, and the lines of the calendar that name their periods."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import InputError
from dprelease.model import instant
from dprelease.portal.calendar_pages import title_of
from dprelease.words.language import speaking
from tests.workspace.test_runs import COLUMNS, HOUR, PERSON, births, plan


@pytest.fixture
def workspace(tmp_path: Path) -> dprelease.Workspace:
    made = dprelease.Workspace.create(tmp_path / "home")
    made.add_dataset("births", births(), unit_column="person", columns=COLUMNS, epsilon=3)
    asked = {**plan(unit=PERSON, at_most=2, last="2025-02"), "title": "Births", "about": {"series": "births"}}
    made.runs.open(dprelease.Plan.parse(asked))
    return made


def lines(workspace: dprelease.Workspace) -> list[tuple[str, str, str]]:
    assert workspace.home is not None
    told = json.loads((workspace.home / "public" / "calendar.json").read_text())["statement"]["entries"]
    return [(each["edition"], each["when"], each["state"]) for each in told]


def opened(workspace: dprelease.Workspace, hour: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    with monkeypatch.context() as patched:
        patched.setattr(instant, "present", lambda: instant.moment_of(hour))
        return workspace.embargoes.open_due()


def test_the_calendar_names_the_period_and_foresees_the_next_until_the_last(
    workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = workspace.runs.publish("births", "2025-01", due=HOUR)
    assert lines(workspace) == [("2025-01", HOUR, "confirmed")]
    assert opened(workspace, HOUR, monkeypatch) == [first.id]
    assert lines(workspace) == [("2025-01", HOUR, "out"), ("2025-02", "2090-02", "provisional")]
    later = HOUR.replace("-01-15", "-02-15")
    second = workspace.runs.publish("births", "2025-02", due=later)
    assert lines(workspace)[1:] == [("2025-02", later, "confirmed")]
    assert opened(workspace, later, monkeypatch) == [second.id]
    assert [state for _, _, state in lines(workspace)] == ["out", "out"], "no period is left"
    titles = [title_of(each) for each in workspace.calendar.find()]
    assert titles == ["Births · January 2025", "Births · February 2025"]
    with speaking("es"):
        assert title_of(workspace.calendar.find()[0]) == "Births · enero de 2025"


def test_in_the_background_it_waits_for_its_hour_too(workspace: dprelease.Workspace) -> None:
    job = workspace.runs.start("births", "2025-01", due=HOUR)
    job.ended.wait()
    (sealed,) = workspace.embargoes.find()
    assert (job.error, job.release_id, sealed.due) == (None, sealed.id, HOUR)
    assert not workspace.releases.find()


def test_a_job_that_asks_again_is_given_what_waits(workspace: dprelease.Workspace) -> None:
    sealed: Any = workspace.runs.publish("births", due=HOUR)
    for asked in ({}, {"due": HOUR}):
        again: Any = workspace.runs.publish("births", **asked)
        assert (again.id, again.due) == (sealed.id, HOUR)


@pytest.mark.parametrize("due", ["2020-01-01T09:00+01:00", "tomorrow"])
def test_an_hour_that_cannot_be_meant_begins_nothing(workspace: dprelease.Workspace, due: str) -> None:
    before = workspace.ledger.verify()
    for begin in (workspace.runs.publish, workspace.runs.start):
        with pytest.raises(InputError, match="due"):
            begin("births", "2025-01", due=due)
    assert workspace.ledger.verify() == before
