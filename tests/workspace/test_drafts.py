"""Plans in the making: kept through a restart, their author's alone, and never overwritten unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Actor, Role
from dprelease.store.drafts import StaleDraftError
from dprelease.workspace import Workspace

ANN, BEN = (Actor(name, frozenset({Role.CURATOR})) for name in ("ann", "ben"))
REVIEWER = Actor("eve", frozenset({Role.REVIEWER}))
BODY = {"dataset": "visits", "statistics": [{"kind": "count", "ε": 0.1}]}


def test_a_draft_is_there_after_a_restart(tmp_path: Path) -> None:
    saved = Workspace.create(tmp_path).plans.drafts.save(BODY, name=" First \n try ")
    again = Workspace.open(tmp_path).plans.drafts.get(saved.id)
    assert (again.body, again.name, again.revision) == (BODY, "First try", 1)


def test_drafts_are_their_authors_alone() -> None:
    workspace = Workspace.in_memory()
    saved = workspace.plans.drafts.save(BODY, actor=ANN)
    assert workspace.plans.drafts.find(actor=BEN) == []
    for operation in (
        workspace.plans.drafts.get,
        workspace.plans.drafts.duplicate,
        workspace.plans.drafts.rename,
        workspace.plans.drafts.delete,
    ):
        more = ("x",) if operation not in (workspace.plans.drafts.get, workspace.plans.drafts.delete) else ()
        with pytest.raises(InputError, match="a draft of one's own"):
            operation(saved.id, *more, actor=BEN)
    with pytest.raises(InputError, match="a draft of one's own"):
        workspace.plans.drafts.save({}, draft_id=saved.id, revision=1, actor=BEN)
    assert workspace.plans.drafts.get(saved.id, actor=ANN).body == BODY
    with pytest.raises(AccessError):
        workspace.plans.drafts.find(actor=REVIEWER)


def test_what_another_tab_saved_meanwhile_is_not_overwritten() -> None:
    workspace = Workspace.in_memory()
    first = workspace.plans.drafts.save(BODY)
    theirs = workspace.plans.drafts.save({"theirs": 1}, draft_id=first.id, revision=first.revision)
    with pytest.raises(StaleDraftError, match="changed elsewhere"):
        workspace.plans.drafts.save({"mine": 1}, draft_id=first.id, revision=first.revision)
    assert workspace.plans.drafts.get(first.id) == theirs
    assert (theirs.body, theirs.revision) == ({"theirs": 1}, 2)


def test_drafts_are_listed_renamed_copied_and_deleted_by_kind() -> None:
    workspace = Workspace.in_memory()
    first = workspace.plans.drafts.save(BODY, name="one")
    workspace.plans.drafts.save({}, name="columns", kind="columns")
    copy = workspace.plans.drafts.duplicate(first.id, "two")
    workspace.plans.drafts.rename(first.id, "uno")
    assert [(each.name, each.body) for each in workspace.plans.drafts.find()] == [("uno", BODY), ("two", BODY)]
    assert [each.name for each in workspace.plans.drafts.find("columns")] == ["columns"]
    workspace.plans.drafts.delete(copy.id)
    assert [each.id for each in workspace.plans.drafts.find()] == [first.id]
    with pytest.raises(InputError, match="deleted"):
        workspace.plans.drafts.get(copy.id)


def test_a_draft_is_no_event_of_the_ledger() -> None:
    workspace = Workspace.in_memory()
    before = len(workspace.ledger.events())
    workspace.plans.drafts.delete(workspace.plans.drafts.save(BODY).id)
    assert len(workspace.ledger.events()) == before
