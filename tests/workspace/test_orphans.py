"""What killed processes leave of tables and bundles is gone after the next start; what a running one makes is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import dprelease
from tests.trust import halting, world
from tests.trust.faults import Child, Run

SAMPLE = 5


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
    running, ended = f"{os.getppid()}-1f", "999999999-1f"
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
    (folder / "process").write_text("999999999-1f")
    (folder / "fresh.partial").touch()
    (folder / ".reading-fresh.xyz").mkdir()
    assert [each.id for each in dprelease.Workspace.open(home).datasets.uploads.find()] == [upload.id]
    assert sorted(path.name for path in folder.iterdir()) == ["facts.json", "process", "raw", "table.parquet"]


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
