"""The sample: a table, a release, a second person, and a plan that waits for her."""

from __future__ import annotations

from pathlib import Path

import pytest

from dprelease.model.actor import OWNER, Role
from dprelease.workspace import PlanState, Workspace, sample
from tests.made import copied, made


@pytest.fixture
def populated(tmp_path: Path) -> Workspace:
    def make(folder: Path) -> None:
        workspace = Workspace.create(folder / "home")
        sample.install(workspace)
        sample.populate(workspace)

    return Workspace.open(copied(made(make, name="populated") / "home", tmp_path / "home"))


def test_one_plan_waits_for_the_second_person(populated: Workspace) -> None:
    sample.populate(populated)  # as each `make run` does
    rosa = populated.people.get(sample.REVIEWER)
    assert rosa.roles == {Role.REVIEWER}
    (record,) = populated.plans.find(states=(PlanState.SUBMITTED,), actor=rosa)
    assert record.mapping["title"] == sample.WAITING["title"]
    populated.plans.approve(record.id, actor=rosa)
    assert populated.publish(record.id).certificate.title == sample.WAITING["title"]


def test_it_is_untouched_until_there_is_a_draft_or_another_table(populated: Workspace) -> None:
    assert sample.is_untouched(populated, OWNER)
    populated.plans.drafts.save({"dataset": sample.DATASET})
    assert not sample.is_untouched(populated, OWNER)
