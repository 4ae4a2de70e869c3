"""What killed processes leave of tables and bundles is gone after the next start; what a running one makes is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import dprelease
from tests.trust import halting, world
from tests.trust.faults import Child, Run

SAMPLE = 5
ENDED = "999999999-1f"
"""The mark of a process that has ended."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    workspace = world.solo(tmp_path / "home")
    world.publish(workspace, 0.25)
    return tmp_path / "home"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "1\n2\n3\n4\n" * 1000)
    return path


def left(home: Path) -> list[str]:
    """Every file and folder of the private part that no dataset stands for, and every hidden one of the public part."""
    workspace = dprelease.Workspace.open(home)
    named = {path for dataset in workspace.datasets.find() if (path := _location(workspace, dataset.name))}
    private = [path for part in ("tables", "uploads", "spill") for path in (home / "private" / part).iterdir()]
    waiting = {upload.id for upload in workspace.datasets.uploads.find()}
    own = f"{os.getpid()}-"
    found = [path.name for path in private if path.name not in named | waiting and not path.name.startswith(own)]
    return found + [path.name for path in (home / "public").rglob(".*")]


def _location(workspace: dprelease.Workspace, dataset: str) -> str:
    from dprelease.store import datasets

    return datasets.get(workspace._state.database, dataset)[1]


def registered(home: Path, table: Path, at: int = 0) -> Run:
    """What a process of its own did, which is killed before a step of registering tables."""
    return Child.start(halting.register, home, table, f"table-{at}", at).finish()


def test_killed_registrations_leave_no_orphan_after_the_next_start(home: Path, table: Path) -> None:
    steps = len(registered(home, table).steps)
    for number in range(SAMPLE):
        assert registered(home, table, 1 + number * steps // SAMPLE).killed
    assert left(home) == []
    assert dprelease.Workspace.open(home).ledger.verify() > 0


@pytest.mark.full
def test_registrations_killed_at_every_step_leave_no_orphan(home: Path, table: Path) -> None:
    steps = registered(home, table).steps
    assert {"COMMIT", "mkdir", "open", "rename", "write"} <= set(steps)
    for place, step in enumerate(steps, start=1):
        assert registered(home, table, place).killed
        assert left(home) == [], f"step {place}, {step}"
    assert dprelease.Workspace.open(home).ledger.verify() > 0


def test_what_a_running_process_makes_is_left_to_it(home: Path) -> None:
    """Other processes start while it has a table, an upload and a bundle half made."""
    running, ended = f"{os.getppid()}-1f", ENDED
    private, public = home / "private", home / "public"
    kept, gone = [], []
    for mark, paths in ((running, kept), (ended, gone)):
        stem = mark[:4] + "abcd"
        paths += [private / "tables" / f"{stem}.{mark}.claim", private / "tables" / f"{stem}.parquet"]
        paths += [private / "tables" / f"{stem}.partial", public / f".ages-1.{mark}.xyz.unfinished"]
        paths += [public / f".checkpoint.json.{mark}.xyz.unfinished"]
        for path in paths:
            path.touch()
        folders = [
            private / "tables" / f".reading-{stem}.xyz",
            private / "uploads" / f"{stem}1",
            private / "spill" / mark,
        ]
        for folder in folders:
            folder.mkdir()
        (folders[1] / "process").write_text(mark)
        paths += folders
    dprelease.Workspace.open(home)
    assert [path for path in kept if not path.exists()] == []
    assert [path for path in gone if path.exists()] == []


def test_what_was_half_read_anew_is_removed_and_the_upload_stays(home: Path, table: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    with table.open("rb") as file:
        upload = workspace.datasets.uploads.stage("people.csv", file)
    folder = home / "private" / "uploads" / upload.id
    (folder / "process").write_text(ENDED)
    (folder / "fresh.partial").touch()
    (folder / ".reading-fresh.xyz").mkdir()
    assert [each.id for each in dprelease.Workspace.open(home).datasets.uploads.find()] == [upload.id]
    assert sorted(path.name for path in folder.iterdir()) == ["facts.json", "process", "raw", "table.parquet"]


def test_what_a_killed_registration_had_taken_the_table_of_is_no_upload_any_more(home: Path, table: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    with table.open("rb") as file:
        upload = workspace.datasets.uploads.stage("people.csv", file)
    folder = home / "private" / "uploads" / upload.id
    (folder / "process").write_text(ENDED)
    (folder / "table.parquet").rename(home / "private" / "tables" / "taken.parquet")
    assert dprelease.Workspace.open(home).datasets.uploads.find() == []
    assert not folder.exists()
    assert list((home / "private" / "tables").glob("taken*")) == []


def test_an_unfinished_bundle_is_for_nobody_else_to_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    rename = Path.rename

    def watched(self: Path, target: Path) -> Path:
        if ".unfinished" in self.name:
            seen.append((self.stat().st_mode & 0o777, target.name))
        return rename(self, target)

    modes = []
    mkdir = Path.mkdir

    def within(self: Path, *arguments: object, **named: object) -> None:
        modes.extend(parent.stat().st_mode & 0o777 for parent in self.parents if ".unfinished" in parent.name)
        mkdir(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "rename", watched)
    monkeypatch.setattr(Path, "mkdir", within)
    world.publish(dprelease.Workspace.open(home), 0.25, "Ages again")
    assert set(modes) == {0o700}, "while it is written"
    assert [mode for mode, _ in seen] == [0o755], "when it is whole"


def half_a_copy(folder: Path, name: str = "2026-11-20", mark: str = ENDED) -> Path:
    """What a backup or restore of a process leaves that is killed while it copies."""
    copy = folder / f".{name}.{mark}.whole.unfinished"
    (copy / "private" / "keys").mkdir(parents=True)
    (copy / "private" / "keys" / "signing.pem").touch()
    return copy


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(".*"))


def test_what_killed_backups_left_is_gone_after_the_next_of_another_name(home: Path) -> None:
    backups = home.parent / "backups"
    backups.mkdir()
    steps = len(Child.start(halting.back_up, home, backups / "2026-11-20", 0).finish().steps)
    for day, at in ((21, steps // 2), (22, steps - 5)):
        assert Child.start(halting.back_up, home, backups / f"2026-11-{day}", at).finish().killed
    assert list(backups.rglob("*.parquet")), "rows are in what was left"
    dprelease.Workspace.open(home).ledger.backup(backups / "2026-11-23")
    assert [path.name for path in sorted(backups.iterdir())] == ["2026-11-20", "2026-11-23"]


def test_a_restore_and_a_start_remove_what_killed_copies_left(home: Path, tmp_path: Path) -> None:
    workspace = dprelease.Workspace.open(home)
    backups, again = tmp_path / "backups", tmp_path / "again"
    workspace.ledger.backup(backups / "2026-11-21")
    half_a_copy(backups)
    again.mkdir()
    half_a_copy(again, "home")
    dprelease.Workspace.restore(backups / "2026-11-21", again / "home")
    assert hidden(backups) == hidden(again) == []
    half_a_copy(again, "home")
    dprelease.Workspace.open(again / "home")
    assert hidden(again) == []


def test_only_copies_of_ended_processes_are_removed(home: Path, tmp_path: Path) -> None:
    backups = tmp_path / "backups"
    backups.mkdir()
    half_a_copy(backups, mark=f"{os.getppid()}-1f")
    half_a_copy(backups, mark="mine")
    (backups / ".notes.unfinished").touch()
    elsewhere = half_a_copy(tmp_path / "elsewhere")
    (backups / elsewhere.name).symlink_to(elsewhere)
    before = hidden(backups)
    dprelease.Workspace.open(home).ledger.backup(backups / "2026-11-21")
    assert hidden(backups) == before
    assert (elsewhere / "private" / "keys" / "signing.pem").exists()
