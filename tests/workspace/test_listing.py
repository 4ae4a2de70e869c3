"""Releases and plans in parts: nothing is lost or comes twice while others are published."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from dprelease import cli
from dprelease.errors import InputError
from dprelease.store.plans import PlanState
from tests.web.test_paging import Publisher


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    made = Publisher(tmp_path / "home")
    for _ in range(4):
        made.publish()
    return made


def test_each_page_follows_the_one_before_whatever_is_published_meanwhile(publisher: Publisher) -> None:
    ws, seen = publisher.workspace, []
    known, before = publisher.ids[::-1], None
    while page := ws.releases.find(limit=3, before=before):
        seen += [release.id for release in page]
        before = seen[-1]
        publisher.publish()
    assert seen == known
    assert [release.id for release in ws.releases.find()] == ws.releases.ids() == publisher.ids[::-1]
    assert ws.releases.count() == len(publisher.ids)


def test_a_page_before_no_release_is_refused(publisher: Publisher) -> None:
    with pytest.raises(InputError, match="before"):
        publisher.workspace.releases.find(before="nothing-12345678")


def test_releases_are_found_by_plan_dataset_kind_and_population(publisher: Publisher) -> None:
    ws, ids = publisher.workspace, publisher.ids[::-1]
    first = ws.plans.find()[0]
    again = ws.publish(first.id, again=True).id
    assert [release.id for release in ws.releases.find(plan_id=first.id)] == [again, ids[-1]]
    for chosen, expected in (
        ({"dataset": "t"}, [again, *ids]),
        ({"dataset": "t", "kind": "count"}, [again, *ids]),
        ({"dataset": "t", "kind": "mean"}, []),
        ({"dataset": "other"}, []),
    ):
        assert [release.id for release in ws.releases.find(**chosen)] == expected, chosen
    (population,) = ws.populations.find()
    named = ws.releases.named(population.name)
    assert [(each.id, each.title) for each in named] == [
        (release.id, release.certificate.title) for release in ws.releases.find()
    ]
    assert ws.releases.named("nobody") == []


def test_plans_are_found_by_state_dataset_author_and_hash(publisher: Publisher) -> None:
    ws = publisher.workspace
    records = ws.plans.find()
    assert ws.plans.find(states=[PlanState.PUBLISHED]) == ws.plans.find(dataset="t", author="owner") == records
    assert ws.plans.find(latest=2) == records[-2:]
    assert ws.plans.find(plan_hash=records[1].plan_hash) == [records[1]]
    assert ws.plans.find(states=[PlanState.SUBMITTED, PlanState.APPROVED]) == ws.plans.find(author="maria") == []


def test_what_is_begun_and_what_has_no_files_is_unfinished(publisher: Publisher) -> None:
    ws = publisher.workspace
    shutil.rmtree(ws.releases.folder / publisher.ids[1])
    assert [each.id for each in ws.releases.unfinished()] == [publisher.ids[1]]
    assert [release.id for release in ws.releases.resume().finished] == [publisher.ids[1]]
    assert ws.releases.unfinished() == []


def test_files_are_looked_for_again_only_where_ledger_or_folder_changed(
    publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws, looked, listdir = publisher.workspace, [], os.listdir
    monkeypatch.setattr("dprelease.workspace.releases.SETTLED", -1)
    monkeypatch.setattr("os.listdir", lambda path=".": looked.append(path) or listdir(path))
    assert ws.releases.unfinished() == []
    looked.clear()
    assert ws.releases.unfinished() == []
    assert looked == []
    publisher.publish()
    assert ws.releases.unfinished() == []
    assert looked
    probe = tmp_path / "tick"  # the clock of the file system ticks in steps, which `SETTLED` is for
    probe.touch()
    while probe.stat().st_ctime_ns <= ws.releases.folder.stat().st_ctime_ns:
        probe.touch()
    for _ in range(2):
        shutil.rmtree(ws.releases.folder / publisher.ids[0], ignore_errors=True)
        assert [each.id for each in ws.releases.unfinished()] == [publisher.ids[0]]


def test_what_a_release_spent_is_worked_out_once(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    worked: list[str] = []
    monkeypatch.setattr("dprelease.workspace.ledger.excesses", lambda facts: worked.append(facts["id"]) or ())
    for _ in range(2):
        assert publisher.workspace.ledger.overspent() == ()
    assert worked == publisher.ids
    publisher.publish()
    assert publisher.workspace.ledger.overspent() == ()
    assert worked == publisher.ids


def test_the_terminal_lists_a_page_at_a_time(publisher: Publisher, capsys: pytest.CaptureFixture[str]) -> None:
    plans = [each.id for each in publisher.workspace.plans.find()]
    newest = [*reversed(publisher.ids)]

    def listed(what: str, key: str, *more: str) -> tuple[list[str], str]:
        capsys.readouterr()
        assert cli.main([what, "list", "--json", "--home", str(publisher.workspace.home), *more]) == 0
        written = capsys.readouterr()
        return [each[key] for each in json.loads(written.out)], written.err

    assert listed("release", "release") == (newest, "")
    found, said = listed("release", "release", "--limit", "3")
    assert found == newest[:3]
    assert f"--before {newest[2]}" in said
    assert listed("release", "release", "--limit", "3", "--before", newest[2]) == (newest[3:], "")
    assert listed("plan", "id") == (plans, "")
    found, said = listed("plan", "id", "--limit", "3")
    assert found == plans[-3:]
    assert f"--before {plans[-3]}" in said
    assert listed("plan", "id", "--before", plans[-3]) == (plans[:-3], "")
