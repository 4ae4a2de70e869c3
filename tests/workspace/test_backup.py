"""A copy of a workspace in use is whole, whatever happens meanwhile."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import dprelease
from dprelease.errors import InputError
from dprelease.store import connection
from dprelease.workspace import backup
from tests.workspace.test_publish import COLUMNS, ROWS, approved, plan

OTHERS = pd.concat([ROWS, ROWS], ignore_index=True)


@pytest.fixture
def workspace(tmp_path: Path) -> dprelease.Workspace:
    made = dprelease.Workspace.create(tmp_path / "home")
    made.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, unit="person")
    made.publish(approved(made, plan(0.1, "First")))
    return made


class Meanwhile:
    """Replaces the rows of a dataset right after the ledger was copied, the first so many times."""

    def __init__(self, workspace: dprelease.Workspace, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.workspace, self.times, self.copies = workspace, times, 0
        monkeypatch.setattr(backup, "copy", self)

    def __call__(self, source: Path, target: Path) -> None:
        connection.copy(source, target)
        self.copies += 1
        if self.copies <= self.times:
            self.workspace.datasets.replace_rows("people", OTHERS, same=True)


def tables(folder: Path) -> set[str]:
    return {path.name for path in (folder / "private" / "tables").iterdir()}


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("times", [1, backup.TRIES - 1])
def test_rows_replaced_meanwhile_are_in_the_copy(
    workspace: dprelease.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    meanwhile = Meanwhile(workspace, times, monkeypatch)
    workspace.ledger.backup(tmp_path / "copy")
    assert meanwhile.copies == times + 1
    assert tables(tmp_path / "copy") == tables(tmp_path / "home")
    assert left(tmp_path / "copy") == {"ledger.db", "private", "public"}
    restored = dprelease.Workspace.restore(tmp_path / "copy", tmp_path / "again")
    assert restored.ledger.verify() == workspace.ledger.verify() + 1
    assert restored.publish(approved(restored, plan(0.1, "Next"))).id


def test_rows_replaced_again_and_again_are_an_error_and_leave_nothing(
    workspace: dprelease.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Meanwhile(workspace, backup.TRIES, monkeypatch)
    with pytest.raises(InputError, match="people"):
        workspace.ledger.backup(tmp_path / "copy")
    assert left(tmp_path) == {"home"}


def test_a_table_that_is_lost_is_named(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    workspace.ledger.backup(tmp_path / "copy")
    for home in ("copy", "home"):
        for path in (tmp_path / home / "private" / "tables").iterdir():
            path.unlink()
    with pytest.raises(InputError, match="people"):
        workspace.ledger.backup(tmp_path / "second")
    with pytest.raises(InputError, match="people"):
        dprelease.Workspace.restore(tmp_path / "copy", tmp_path / "again")
    workspace.datasets.delete_table("people")
    workspace.ledger.backup(tmp_path / "second")
    assert tables(tmp_path / "second") == set()
    assert left(tmp_path) == {"home", "copy", "second"}


def test_tables_of_no_dataset_are_left_out(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    before = tables(tmp_path / "home")
    (tmp_path / "home" / "private" / "tables" / "0123456789abcdef.parquet").write_bytes(b"not registered yet")
    workspace.ledger.backup(tmp_path / "copy")
    assert tables(tmp_path / "copy") == before


def test_the_policy_is_in_the_copy(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    (tmp_path / "home" / "policy.yaml").write_text("dprelease: 1\nrelease: {epsilon: 0.5}\n")
    workspace.ledger.backup(tmp_path / "copy")
    restored = dprelease.Workspace.restore(tmp_path / "copy", tmp_path / "again")
    assert restored.plans.policy() == workspace.plans.policy()
    assert restored.plans.policy().epsilon_nano == 500_000_000


def test_a_bundle_that_appears_meanwhile_is_in_no_way(
    workspace: dprelease.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish(*_: object, **__: object) -> None:
        workspace.publish(approved(workspace, plan(0.1, "Next")))

    meanwhile = Meanwhile(workspace, 1, monkeypatch)
    monkeypatch.setattr(workspace.datasets, "replace_rows", publish)
    workspace.ledger.backup(tmp_path / "copy")
    assert meanwhile.copies == 1
    restored = dprelease.Workspace.restore(tmp_path / "copy", tmp_path / "again")
    assert len(restored.releases.find()) == len(workspace.releases.find()) - 1


@pytest.mark.parametrize("inside", ["home", "home/copy", "home/private/tables/copy", "link/copy"])
def test_a_copy_is_not_made_inside_what_it_is_of(workspace: dprelease.Workspace, tmp_path: Path, inside: str) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "home")
    with pytest.raises(InputError, match="inside"):
        workspace.ledger.backup(tmp_path / inside)
    workspace.ledger.backup(tmp_path / "copy")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(tmp_path / "copy")
    with pytest.raises(InputError, match="inside"):
        dprelease.Workspace.restore(tmp_path / "copy", tmp_path / inside.replace("home", "copy", 1))
    assert left(tmp_path / "copy") == {"ledger.db", "private", "public"}


def test_a_folder_that_cannot_be_made_is_an_input_error(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for target in (tmp_path / "file", tmp_path / "file" / "copy", tmp_path / "file" / "deep" / "copy"):
        with pytest.raises(InputError, match="folder"):
            workspace.ledger.backup(target)
    assert (tmp_path / "file").read_text() == "mine"


def test_the_present_folder_may_be_the_target(
    workspace: dprelease.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    workspace.ledger.backup(".")
    assert left(tmp_path / "here") == {"ledger.db", "private", "public"}
    with pytest.raises(InputError, match="not empty"):
        workspace.ledger.backup("/")


def test_a_workspace_in_memory_has_no_copy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="in memory"):
        dprelease.Workspace.in_memory().ledger.backup(tmp_path / "copy")
