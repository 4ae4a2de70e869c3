"""Releases and plans in parts: nothing is lost or comes twice while others are published."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

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
