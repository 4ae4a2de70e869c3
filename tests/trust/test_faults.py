"""Faults at every step: whatever happens to a publication, nothing acknowledged is lost and nothing is charged twice.

Each test adds a line to the table that stands at the end of a run: what was injected how often, and what was lost.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta, tzinfo
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import DPReleaseError
from dprelease.store import clock, layout, releases
from dprelease.store.database import Database
from dprelease.workspace import keys, state
from dprelease.workspace import ledger as audit
from dprelease.workspace import publish as publishing
from dprelease.workspace import releases as operations
from tests.trust import faults, world
from tests.trust.faults import FORK, MOMENTS, Child, Fault, Run, Scene, Seen

SAMPLE = 10
"""How many steps are tried in an ordinary run."""
SMALL_DISK = "2m"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


class Table:
    """Counts the faults of a test, and what was lost by them."""

    def __init__(self, fault: str, record: Callable[[str, object], None]) -> None:
        self.fault, self.injected = fault, 0
        self.losses: list[str] = []
        self._record = record

    def add(self, where: object, losses: Iterable[str]) -> None:
        self.injected += 1
        self.losses += [f"{where}: {loss}" for loss in losses]

    def close(self) -> None:
        self._record("fault", [self.fault, self.injected, len(self.losses)])
        assert not self.losses, "\n".join(self.losses)


def interrupted(scene: Scene, folder: Path, child: Callable[[Scene], Child], *, resume: bool) -> tuple[Run, list[str]]:
    """One fault in a copy of the scene: what the child told, and what is wrong after it and after the recovery."""
    copied = scene.copy(folder)
    run = child(copied).finish()
    losses = faults.left_behind(copied, run)
    losses += faults.recovered(copied, Seen.of(copied), resume=resume)
    shutil.rmtree(folder)
    return run, losses


def sampled(steps: list[str], wanted: Callable[[str], bool], size: int) -> list[int]:
    """So many of the steps: those that are wanted, with the ones after them, and others spread evenly."""
    important = [place for place, label in enumerate(steps, start=1) if wanted(label)]
    near = sorted({min(place + more, len(steps)) for place in important for more in (0, 1)})
    others = [place for place in range(1, len(steps) + 1) if place not in near]
    chosen = near[:: max(1, -(-len(near) * 4 // (3 * size)))]
    rest = size - len(chosen)
    return sorted([*chosen, *others[:: max(1, len(others) // rest)][:rest]])


def test_a_killed_publication_is_finished_with_one_charge_and_one_draw(
    scene: Scene, steps: list[str], quick: Path, record_property: Callable[[str, object], None]
) -> None:
    """Kill -9 at steps all over a publication; the work is taken up by `resume`, or by publishing again."""
    assert {"COMMIT", "fsync", "mkdir", "noise", "open", "rename", "replace", "write"} <= set(steps)
    table = Table("kill -9 at a step", record_property)
    for place in sampled(steps, MOMENTS.__contains__, SAMPLE):
        run, losses = interrupted(
            scene,
            quick / str(place),
            lambda copied, place=place: faults.publish(copied, Fault.KILL, place, drawn=False),  # type: ignore[misc]
            resume=place % 2 == 0,
        )
        assert run.killed
        table.add(f"step {place}, {steps[place - 1]}", losses)
    table.close()


@pytest.mark.parametrize("way", ["restored", "restored unseen", "put back"])
def test_an_older_copy_of_a_killed_publication_never_draws_under_its_charge(
    scene: Scene, steps: list[str], quick: Path, way: str
) -> None:
    """Two copies have one charge without a draw, and one drew and published: whatever the other shows is paid."""
    first = scene.copy(quick / "first")
    run = faults.publish(first, Fault.KILL, steps.index(faults.NOISE) + 1, drawn=False).finish()
    assert run.killed
    assert run.charge is not None
    assert run.seal is None
    first.open().ledger.backup(quick / "backup")
    (release,) = first.open().releases.resume().finished
    if way == "put back":
        home = first.home
        for each in home.glob("ledger.db*"):
            each.unlink()
        shutil.copyfile(quick / "backup" / "ledger.db", home / "ledger.db")
    else:
        home = quick / "again"
        dprelease.Workspace.restore(quick / "backup", home)
    seen = None if way == "restored unseen" else str(first.outside)
    workspace = dprelease.Workspace.open(home, checkpoint=seen)
    lost = workspace.ledger.lost_charges
    if seen is not None:
        lost = [*lost, *(workspace.ledger.accept("Last night's copy.").lost or [])]
    assert [workspace.ledger.events()[seq - 1].hash for seq in lost] == [run.charge]
    resumed = workspace.releases.resume()
    assert (resumed.finished, resumed.failed, workspace.releases.unfinished()) == ([], {}, [])
    drawn = workspace.publish(scene.plan_id, supersedes=scene.old)
    assert drawn.id != release.id
    assert workspace.publish(scene.plan_id).id == drawn.id, "once it is published it is not paid again"
    assert workspace.populations.budget("people").spent.epsilon_nano >= 3 * faults.EPSILON_NANO, (
        "three draws are public"
    )
    assert workspace.ledger.verify() == workspace.ledger.count()
    assert dprelease.verify(workspace.releases.bundle(drawn.id), key=scene.key, pictures=False)


@pytest.mark.full
def test_a_publication_is_killed_at_every_step(
    scene: Scene, steps: list[str], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Every step twice: once with charts, the work taken up by `resume`; once without, and then published again."""
    table = Table("kill -9 at every step", record_property)
    for resume in (True, False):
        for place in range(1, len(steps) + 1):
            run, losses = interrupted(
                scene,
                tmp_path / f"{place}-{resume}",
                lambda copied, place=place, drawn=resume: faults.publish(  # type: ignore[misc]
                    copied, Fault.KILL, place, drawn=drawn
                ),
                resume=resume,
            )
            assert run.killed
            table.add(f"step {place}, {steps[place - 1]}", losses)
    assert table.injected >= 500
    table.close()


@pytest.mark.full
def test_a_publication_is_killed_at_any_moment(
    scene: Scene, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Also in the middle of a step: SQLite's own writes, DuckDB's, the drawing of charts."""
    table = Table("kill -9 at any moment", record_property)
    random.seed(7)
    for number in range(120):
        copied = scene.copy(tmp_path / str(number))
        run = faults.publish(copied, drawn=number % 4 == 0).finish(after=random.uniform(0, 0.25))
        losses = faults.left_behind(copied, run)
        losses += faults.recovered(copied, Seen.of(copied), resume=number % 2 == 0)
        if run.killed:
            table.add(f"kill {number}", losses)
    assert table.injected >= 60
    table.close()


@pytest.mark.full
def test_what_takes_up_a_killed_publication_may_be_killed_too(
    scene: Scene, steps: list[str], quick: Path, record_property: Callable[[str, object], None]
) -> None:
    table = Table("kill -9 three times in a row", record_property)
    random.seed(8)
    for number in range(40):
        copied = scene.copy(quick / str(number))
        draws: set[bytes] = set()
        for place in (random.randint(1, len(steps)) for _ in range(3)):
            run = faults.publish(copied, Fault.KILL, place, drawn=False).finish()
            losses = faults.left_behind(copied, run)
            draw = Seen.of(copied).draw
            draws |= {draw} if draw is not None else set()
            table.add(f"{number}, step {place}", losses)
        assert len(draws) <= 1
        table.losses += faults.recovered(copied, Seen.of(copied), resume=number % 2 == 0)
    table.close()


def full_at(scene: Scene, tmp_path: Path, every: int, record_property: Callable[[str, object], None]) -> None:
    copied = scene.copy(tmp_path / "steps")
    count = len(faults.publish(copied, Fault.FULL, 10**6, drawn=False).finish().steps)
    table = Table("disk full from a step on", record_property)
    for place in range(1, count + 1, every):
        run, losses = interrupted(
            scene,
            tmp_path / str(place),
            lambda copied, place=place: faults.publish(copied, Fault.FULL, place, drawn=False),  # type: ignore[misc]
            resume=False,
        )
        if run.release is None:
            losses.append("the next try failed as well")
        table.add(f"step {place}", losses)
    table.close()


def test_a_disk_that_is_full_loses_nothing(
    scene: Scene, quick: Path, record_property: Callable[[str, object], None]
) -> None:
    """Files cannot be written any more, from one of the steps on; then there is room again, and the same call works."""
    full_at(scene, quick, 14, record_property)


@pytest.mark.full
def test_a_disk_that_is_full_at_every_step_loses_nothing(
    scene: Scene, quick: Path, record_property: Callable[[str, object], None]
) -> None:
    full_at(scene, quick, 1, record_property)


@contextmanager
def mounted(folder: Path, *arguments: str) -> Iterator[None]:
    """A mount that only root can make; the test is skipped where it cannot be made."""
    done = subprocess.run(["mount", *arguments, str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.full
def test_a_small_disk_that_fills_up_loses_nothing(
    scene: Scene, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """A real file system of two megabytes, with more or less room on it: SQLite meets its end as well."""
    table = Table("small disk full", record_property)
    for room in (0, 48, 112, 144):
        disk = tmp_path / str(room)
        disk.mkdir()
        with mounted(disk, "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "none"):
            copied = scene.copy(disk)
            available = shutil.disk_usage(disk).free
            copied.filler.write_bytes(b"\1" * (available - room * 1024))
            run = faults.publish(copied, drawn=False).finish()
            losses = faults.left_behind(copied, run)
            losses += faults.recovered(copied, Seen.of(copied), resume=False)
            if run.release is None:
                losses.append("the next try failed as well")
            if run.refusal is not None:
                table.add(f"{room} KB: {run.refusal}", losses)
    assert table.injected >= 2
    table.close()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nothing below a folder can be written; for root, who may write whatever its mode, by a mount."""
    if os.geteuid() == 0:
        with mounted(folder, "--bind", str(folder)):
            subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
            yield
    else:
        modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
        for path, mode in modes.items():
            path.chmod(mode & ~0o222)
        try:
            yield
        finally:
            for path, mode in modes.items():
                path.chmod(mode)


@pytest.mark.parametrize("folder", ["home", "home/public", "home/private/keys", "home/public/notices"])
def test_a_folder_that_cannot_be_written_loses_nothing(
    scene: Scene, tmp_path: Path, folder: str, record_property: Callable[[str, object], None]
) -> None:
    table = Table(f"read-only: {folder}", record_property)
    copied = scene.copy(tmp_path)
    (tmp_path / folder).mkdir(exist_ok=True)
    with read_only(tmp_path / folder):
        run = faults.publish(copied, drawn=False).finish()
    losses = faults.left_behind(copied, run)
    if folder in ("home", "home/public") and run.refusal is None:
        losses.append("no error was raised")
    losses += faults.recovered(copied, Seen.of(copied), resume=False)
    table.add(run.refusal, losses)
    table.close()


class Backwards(datetime):
    """A clock that goes back by a day with each look."""

    looks = 0

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Backwards:
        cls.looks += 1
        return cls(2026, 6, 1, 12, tzinfo=tz) - timedelta(days=cls.looks)


def test_a_clock_that_goes_backwards_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    """Only the numbers of events order them; times and days are what the machine believed."""
    for module in (audit, clock, keys, operations, publishing, state):
        monkeypatch.setattr(module, "datetime", Backwards)
    table = Table("clock goes backwards", record_property)
    workspace = world.solo(tmp_path / "home")
    key = workspace.public_key
    first = world.publish(workspace, 0.25, "First")
    second = world.publish(workspace, 0.25, "Second")
    workspace.releases.add_erratum(first.id, "A word was wrong.")
    for _ in range(2):
        workspace.ledger.rotate_key()
    third = world.publish(workspace, 0.25, "Third")
    losses = []
    try:
        for release in (first, second, third):
            dprelease.verify(workspace.releases.bundle(release.id), key=key)
        assert workspace.ledger.verify() == workspace.ledger.count()
    except DPReleaseError as error:
        losses.append(str(error))
    events = workspace.ledger.events()
    if [event.seq for event in events] != list(range(1, len(events) + 1)):
        losses.append("events are out of order")
    if workspace.populations.budget("people").spent.epsilon_nano != 750_000_000:
        losses.append("a charge is lost")
    assert events[-1].at < events[0].at
    table.injected = Backwards.looks
    table.losses += losses
    table.close()


@pytest.mark.parametrize("attempts", [1, pytest.param(3, marks=pytest.mark.full)])
def test_processes_that_open_a_new_workspace_at_once_all_succeed(
    attempts: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Eight of them; the full run tries it thrice more."""
    table = Table("first openings at the same moment", record_property)
    for attempt in range(attempts):
        home, together = tmp_path / str(attempt), FORK.Barrier(8)
        opened = [faults.open_folder(home, Fault.SLOW, together=together) for _ in range(8)]
        runs = [child.finish() for child in opened]
        losses = [run.refusal for run in runs if run.refusal is not None]
        workspace = dprelease.Workspace.open(home)
        if {run.release for run in runs} != {workspace.public_key}:
            losses.append("they do not have the same key")
        if [event.kind for event in workspace.ledger.events()] != [
            "workspace_created"
        ] or workspace.ledger.verify() != 1:
            losses.append("the ledger was begun more than once")
        table.add(attempt, losses)
    table.close()


def rotate(home: Path, together: Barrier, pipe: Connection) -> None:
    steps = faults.Steps(Fault.SLOW, 0)
    steps.count()
    workspace = dprelease.Workspace.open(home)
    together.wait()
    pipe.send(("release", workspace.ledger.rotate_key()))


def test_keys_that_are_made_at_the_same_moment_follow_one_another(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Several processes make a new key at once; whatever is signed later is signed by the last of one chain."""
    table = Table("new keys at the same moment", record_property)
    home = tmp_path / "home"
    workspace = world.solo(home)
    first, together = workspace.public_key, FORK.Barrier(4)
    made = {child.finish().release for child in [Child.start(rotate, home, together) for _ in range(4)]}
    losses = [] if made < set(workspace.ledger.keys()) else ["a key is lost"]
    try:
        release = world.publish(workspace, 0.25)
        dprelease.verify(workspace.releases.bundle(release.id), key=first)
    except DPReleaseError as error:
        losses.append(str(error))
    table.add("four processes", losses)
    table.close()


def test_a_key_that_is_made_during_a_publication_does_not_spoil_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    table = Table("new key during a publication", record_property)
    for moment in ("seal", "publish"):
        workspace = world.solo(tmp_path / moment)
        first, step = workspace.public_key, getattr(releases, moment)

        def between(*arguments: Any, step: Any = step, workspace: Any = workspace, **named: Any) -> Any:
            dprelease.Workspace.open(workspace.home).ledger.rotate_key()
            return step(*arguments, **named)

        losses = []
        with monkeypatch.context() as interrupted:
            interrupted.setattr(releases, moment, between)
            release = world.publish(workspace, 0.25)
        try:
            dprelease.verify(workspace.releases.bundle(release.id), key=first)
        except DPReleaseError as error:
            losses.append(str(error))
        table.add(f"before {moment}", losses)
    table.close()


def opened_after_a_kill(home: Path, at: int) -> tuple[bool, list[str]]:
    """Whether the opening was killed, and what is wrong afterwards."""
    run = faults.open_folder(home, Fault.KILL, at).finish()
    try:
        workspace = dprelease.Workspace.create(home, exist_ok=True)
        key = workspace.public_key
        losses = [] if workspace.ledger.verify() == 1 else ["events are lost"]
        if dprelease.Workspace.open(home).public_key != key:
            losses.append("the key is another one each time")
    except DPReleaseError as error:
        losses = [str(error)]
    return run.killed, losses


def killed_openings(tmp_path: Path, name: str, every: int, record: Callable[[str, object], None]) -> None:
    (tmp_path / "steps").mkdir()
    steps = faults.open_folder(tmp_path / "steps").finish().steps
    table = Table(name, record)
    for place in range(1, len(steps) + 1, every):
        home = tmp_path / str(place)
        home.mkdir()
        killed, losses = opened_after_a_kill(home, place)
        assert killed
        table.add(f"step {place}, {steps[place - 1]}", losses)
    table.close()


def test_a_killed_opening_is_opened_again(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    killed_openings(tmp_path, "kill -9 in a first opening", 32, record_property)


@pytest.mark.full
def test_an_opening_is_killed_at_every_step(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    killed_openings(tmp_path, "kill -9 at every step of a first opening", 1, record_property)


def test_a_layout_that_fails_anywhere_leaves_an_empty_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    """Each statement of the layout fails in turn; then the same file opens, complete."""
    table = Table("failed layout", record_property)
    whole = list(layout.statements("layout.sql"))
    path = tmp_path / "ledger.db"
    for place in range(len(whole)):
        failing = [*whole[:place], "INSERT INTO nowhere VALUES (1)"]
        with monkeypatch.context() as broken:
            broken.setattr(layout, "statements", lambda _, failing=failing: failing)
            with pytest.raises(DPReleaseError):
                Database.open(path)
        table.add(f"statement {place}", ["something is left"] if any("CREATE" in line for line in dumped(path)) else [])
    workspace = dprelease.Workspace.create(tmp_path, exist_ok=True)
    assert workspace.ledger.verify() == workspace.ledger.count() == 1
    table.close()


def dumped(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as raw:
        return list(raw.iterdump())
