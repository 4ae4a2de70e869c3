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
    saved = Workspace.create(tmp_path).save_draft(BODY, name=" First \n try ")
    again = Workspace.open(tmp_path).draft(saved.id)
    assert (again.body, again.name, again.revision) == (BODY, "First try", 1)


def test_drafts_are_their_authors_alone() -> None:
    workspace = Workspace.in_memory()
    saved = workspace.save_draft(BODY, actor=ANN)
    assert workspace.drafts(actor=BEN) == []
    for operation in (workspace.draft, workspace.duplicate_draft, workspace.rename_draft, workspace.delete_draft):
        more = ("x",) if operation not in (workspace.draft, workspace.delete_draft) else ()
        with pytest.raises(InputError, match="a draft of one's own"):
            operation(saved.id, *more, actor=BEN)
    with pytest.raises(InputError, match="a draft of one's own"):
        workspace.save_draft({}, draft_id=saved.id, revision=1, actor=BEN)
    assert workspace.draft(saved.id, actor=ANN).body == BODY
    with pytest.raises(AccessError):
        workspace.drafts(actor=REVIEWER)


def test_what_another_tab_saved_meanwhile_is_not_overwritten() -> None:
    workspace = Workspace.in_memory()
    first = workspace.save_draft(BODY)
    theirs = workspace.save_draft({"theirs": 1}, draft_id=first.id, revision=first.revision)
    with pytest.raises(StaleDraftError, match="changed elsewhere"):
        workspace.save_draft({"mine": 1}, draft_id=first.id, revision=first.revision)
    assert workspace.draft(first.id) == theirs
    assert (theirs.body, theirs.revision) == ({"theirs": 1}, 2)


def test_drafts_are_listed_renamed_copied_and_deleted_by_kind() -> None:
    workspace = Workspace.in_memory()
    first = workspace.save_draft(BODY, name="one")
    workspace.save_draft({}, name="columns", kind="columns")
    copy = workspace.duplicate_draft(first.id, "two")
    workspace.rename_draft(first.id, "uno")
    assert [(each.name, each.body) for each in workspace.drafts()] == [("uno", BODY), ("two", BODY)]
    assert [each.name for each in workspace.drafts("columns")] == ["columns"]
    workspace.delete_draft(copy.id)
    assert [each.id for each in workspace.drafts()] == [first.id]
    with pytest.raises(InputError, match="deleted"):
        workspace.draft(copy.id)


def test_a_draft_is_no_event_of_the_ledger() -> None:
    workspace = Workspace.in_memory()
    before = len(workspace.ledger.events())
    workspace.delete_draft(workspace.save_draft(BODY).id)
    assert len(workspace.ledger.events()) == before
