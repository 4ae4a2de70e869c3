"""A process that is killed, or whose disk is full, at one of its steps; and what is found of it afterwards.

A step is whatever the process is about to do to the disk, to the database or to noise: it is counted in a child
process, by wrapping what Python offers for that, so that production code knows nothing of it. Children are forked by a
server that has everything imported and has never started an engine.
"""

from __future__ import annotations

import builtins
import csv
import errno
import io
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from threading import BrokenBarrierError
from typing import Any

import dprelease
from dprelease.errors import DPReleaseError
from tests.trust import world

FORK = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(
    [
        "dprelease.charts.picture",
        "dprelease.bundle.page",
        "dprelease.bundle.write",
        "dprelease.workspace.workspace",
        "tests.trust.faults",
    ]
)
EPSILON = 0.5
EPSILON_NANO = 500_000_000
"""What the release that is interrupted costs."""
EVENTS = ["charge", "sealed", "published", "superseded"]
"""What the ledger tells of it, whatever happened on the way."""
ON_DISK = ("fsync", "link", "mkdir", "rename", "replace", "rmdir", "unlink")
"""Of the module os."""
FILLING = frozenset({"fsync", "link", "mkdir", "open", "write"})
"""What a full disk refuses."""
NOISE = "noise"
MOMENTS = ("COMMIT", "link", NOISE, "rename", "replace")
"""Steps after which something has happened for good."""
SLOWNESS = 0.1
PATIENCE = 300.0
"""Seconds after which a child that hangs is given up."""


class Fault(StrEnum):
    NONE = "none"
    KILL = "kill"
    """kill -9 instead of the step."""
    FULL = "full"
    """The disk is full from the step on."""
    SLOW = "slow"
    """Names take their time to appear, so that other processes come in between."""


@dataclass
class Steps:
    """Counts the steps of this process, and lets its fault happen at one of them."""

    fault: Fault
    at: int
    labels: list[str] = field(default_factory=list)
    mended: bool = False

    def __call__(self, label: str) -> None:
        if self.fault is Fault.FULL and label not in FILLING:
            return
        self.labels.append(label)
        if self.fault is Fault.KILL and len(self.labels) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault is Fault.SLOW and label in ("link", "rename", "replace"):
            time.sleep(SLOWNESS)
        if self.fault is Fault.FULL and len(self.labels) >= self.at and not self.mended:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def count(self) -> None:
        """Wraps everything that is a step, in this process and for good."""
        from dprelease.mechanisms import MECHANISMS

        for name in ON_DISK:
            self._wrap(os, name, name)
        for mechanism in MECHANISMS:
            self._wrap(mechanism, "release", NOISE)
        self._wrap_opening()
        connect = sqlite3.connect

        def traced(*arguments: Any, **named: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*arguments, **named)
            connection.set_trace_callback(lambda statement: self(" ".join(statement.split())[:60]))
            return connection

        sqlite3.connect = traced  # type: ignore[assignment]

    def _wrap(self, owner: Any, name: str, label: str) -> None:
        inner = getattr(owner, name)

        def wrapped(*arguments: Any, **named: Any) -> Any:
            self(label)
            return inner(*arguments, **named)

        setattr(owner, name, wrapped)

    def _wrap_opening(self) -> None:
        low, high = os.open, builtins.open

        def open_low(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
            if flags & (os.O_CREAT | os.O_RDWR | os.O_WRONLY):
                self("open")
            return low(path, flags, *arguments, **named)

        def open_high(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
            if not set(mode) & set("wax+"):
                return high(file, mode, *arguments, **named)
            if not isinstance(file, int):  # else `os.open` was counted
                self("open")
            return Torn(high(file, mode, *arguments, **named), self)

        os.open = open_low
        builtins.open = io.open = open_high


class Torn:
    """A file that is written in two halves, with a step between them."""

    def __init__(self, file: Any, steps: Steps) -> None:
        self._file, self._steps = file, steps

    def write(self, data: Any) -> int:
        half = len(data) // 2
        self._file.write(data[:half])
        self._file.flush()
        self._steps("write")
        self._file.write(data[half:])
        return len(data)

    def __enter__(self) -> Torn:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@dataclass(frozen=True)
class Blank:
    """An empty chart."""

    question: str = ""
    notes: tuple[str, ...] = ()
    narrow: Blank | None = None
    specification: bytes = b'{"usermeta":{"notes":[]}}'
    figure: bytes = b'<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8" viewBox="0 0 8 8"></svg>'

    def svg(self) -> bytes:
        return self.figure


@dataclass(frozen=True)
class Scene:
    """A workspace on disk with one release, and a plan that is approved and will supersede it."""

    home: Path
    outside: Path
    """The checkpoint kept outside."""
    plan_id: str
    old: str
    """The release that is superseded."""
    key: str
    events: int
    """How many there are."""

    @classmethod
    def make(cls, folder: Path) -> Scene:
        home, outside = folder / "home", folder / "outside.json"
        workspace = world.solo(home, epsilon=5)
        outside.write_text(json.dumps(workspace.ledger.checkpoint().to_mapping()))
        workspace = dprelease.Workspace.open(home, checkpoint=str(outside))
        old = world.publish(workspace, EPSILON, "Ages")
        plan_id = world.approved(workspace, world.plan(EPSILON, "Ages, corrected"))
        return cls(home, outside, plan_id, old.id, workspace.public_key, workspace.ledger.count())

    def copy(self, folder: Path) -> Scene:
        copied = replace(self, home=folder / "home", outside=folder / "outside.json")
        shutil.copytree(self.home, copied.home)
        shutil.copyfile(self.outside, copied.outside)
        return copied

    @property
    def filler(self) -> Path:
        """A file that takes up the room on a small disk, until the first try has failed."""
        return self.home.parent / "filler"

    def open(self) -> dprelease.Workspace:
        return dprelease.Workspace.open(self.home, checkpoint=str(self.outside))


@dataclass
class Run:
    """What a child did before it ended."""

    killed: bool = False
    steps: list[str] = field(default_factory=list)
    """Only of a child that was not killed."""
    charge: str | None = None
    """The hash of the charge that it was told is on disk."""
    seal: bytes | None = None
    """The draw that it was told is sealed."""
    release: str | None = None
    """What was returned in the end: the id of the release; of an opening, the key."""
    refusal: str | None = None
    """The error of the first try."""


@dataclass(frozen=True)
class Child:
    """A process that runs a task and tells by a pipe how far it is."""

    process: Any
    pipe: Connection

    @classmethod
    def start(cls, task: Callable[..., None], *arguments: Any) -> Child:
        """The task gets the pipe as its last argument, and sends what to set in a `Run`."""
        mine, its = FORK.Pipe(duplex=False)
        process = FORK.Process(target=task, args=(*arguments, its))
        process.start()
        its.close()
        return cls(process, mine)

    def finish(self, after: float = PATIENCE) -> Run:
        """What it told until it ended; it is killed after so many seconds."""
        killer = threading.Timer(after, self.process.kill)
        killer.start()
        run = Run()
        with self.pipe, suppress(EOFError):
            while True:
                setattr(run, *self.pipe.recv())
        self.process.join()
        killer.cancel()
        run.killed = self.process.exitcode == -signal.SIGKILL
        assert run.killed or self.process.exitcode == 0, f"the child ended with {self.process.exitcode}"
        return run


def publish(scene: Scene, fault: Fault = Fault.NONE, at: int = 0, *, drawn: bool = True) -> Child:
    """Publishes the scene's plan in a child, whose fault is at a step.

    `drawn`: whether charts are drawn: it takes a new process a second, and comes before the first file is written.
    """
    return Child.start(_publish, scene, fault, at, drawn)


def _publish(scene: Scene, fault: Fault, at: int, drawn: bool, pipe: Connection) -> None:
    from dprelease.charts import picture as charts
    from dprelease.store import releases

    steps = Steps(fault, at)
    begin, seal = releases.begin, releases.seal

    def begun(*arguments: Any, **named: Any) -> Any:
        publication = begin(*arguments, **named)
        pipe.send(("charge", publication.charge.hash))
        return publication

    def sealed(database: Any, release_id: str, payload: bytes, **named: Any) -> Any:
        publication = seal(database, release_id, payload, **named)
        pipe.send(("seal", payload))
        return publication

    releases.begin, releases.seal = begun, sealed
    if not drawn:
        charts.picture = lambda release, statistic, **_: Blank()  # type: ignore[assignment,return-value]
    steps.count()
    workspace = None
    for _ in range(2):
        try:
            workspace = workspace or scene.open()
            release = workspace.publish(scene.plan_id, supersedes=scene.old)
        except (DPReleaseError, OSError, sqlite3.Error) as error:
            pipe.send(("refusal", f"{type(error).__name__}: {error}"))
            steps.mended = True
            scene.filler.unlink(missing_ok=True)
        else:
            steps("returned")
            pipe.send(("release", release.id))
            break
    pipe.send(("steps", steps.labels))


def open_folder(home: Path, fault: Fault = Fault.NONE, at: int = 0, *, together: Barrier | None = None) -> Child:
    """Opens or makes a workspace in a folder, at the same moment as others do, and then its key."""
    return Child.start(_open, home, fault, at, together)


def _open(home: Path, fault: Fault, at: int, others: Barrier | None, pipe: Connection) -> None:
    together = others or FORK.Barrier(1)  # one that its parent made for it alone would be gone by now
    steps = Steps(fault, at)
    steps.count()
    with suppress(BrokenBarrierError):  # one was refused before this one went on
        together.wait()
    for _ in range(2):
        try:
            workspace = dprelease.Workspace.create(home, exist_ok=True)
            with suppress(BrokenBarrierError):  # the database lets in one at a time; keys are made all at once
                together.wait()
            found = workspace.public_key
        except (DPReleaseError, OSError, sqlite3.Error) as error:
            together.abort()
            pipe.send(("refusal", f"{type(error).__name__}: {error}"))
            steps.mended = True
        else:
            pipe.send(("release", found))
            break
    pipe.send(("steps", steps.labels))


@dataclass(frozen=True)
class Seen:
    """What stands in the database, read by another program."""

    charges: tuple[str, ...]
    """Their hashes."""
    spent: int
    draw: bytes | None
    """The one that is sealed."""
    announced: int
    """How many `published` events there are."""

    @classmethod
    def of(cls, scene: Scene) -> Seen:
        with closing(sqlite3.connect(scene.home / "ledger.db")) as raw:
            (charges,) = raw.execute(
                "SELECT json_group_array(hash) FROM ledger WHERE kind = 'charge' AND body ->> 'plan' = ?",
                [scene.plan_id],
            ).fetchone()
            (spent,) = raw.execute(
                "SELECT spent_epsilon_nano FROM ledger WHERE population = 'people' ORDER BY seq DESC LIMIT 1"
            ).fetchone()
            draw = raw.execute("SELECT sealed FROM releases WHERE plan_id = ?", [scene.plan_id]).fetchone()
            (announced,) = raw.execute(
                "SELECT count(*) FROM ledger JOIN releases ON body ->> 'release' = releases.id"
                " WHERE kind = 'published' AND plan_id = ?",
                [scene.plan_id],
            ).fetchone()
        return cls(tuple(json.loads(charges)), spent, draw[0] if draw else None, announced)


def left_behind(scene: Scene, run: Run) -> list[str]:
    """What is wrong right after the child ended."""
    seen = Seen.of(scene)
    found = half_written(scene)
    if run.charge is not None and run.charge not in seen.charges:
        found.append("an acknowledged charge is lost")
    if run.seal is not None and run.seal != seen.draw:
        found.append("an acknowledged seal is lost")
    if len(seen.charges) > 1:
        found.append("it was charged twice")
    if seen.spent != EPSILON_NANO * (1 + len(seen.charges)):
        found.append("what is spent is not the sum of the charges")
    if seen.draw is not None and not seen.charges:
        found.append("a draw was sealed that nobody was charged for")
    if bundles(scene) - {scene.old} and not seen.announced:
        found.append("files are public that are not in the ledger")
    return found


def half_written(scene: Scene) -> list[str]:
    """What the public can see and is not whole."""
    found = []
    for name in bundles(scene):
        try:
            dprelease.verify(scene.home / "public" / name, key=scene.key, pictures=False)  # some are drawn blank here
        except DPReleaseError as error:
            found.append(f"public and not whole: {name}: {error}")
    public = scene.home / "public"
    for path in (*public.glob("*.json"), *(public / "notices").rglob("*.json")):
        if not any(part.startswith(".") for part in path.relative_to(scene.home).parts):
            try:
                json.loads(path.read_text())
            except ValueError:
                found.append(f"public and not whole: {path.name}")
    try:
        json.loads(scene.outside.read_text())
    except ValueError:
        found.append("the checkpoint kept outside is not whole")
    return found


def bundles(scene: Scene) -> set[str]:
    """The releases that the public can see. (Names with a dot are not served, and a listing hides them.)"""
    folders = {path.name for path in (scene.home / "public").iterdir() if path.is_dir()}
    return folders - {"notices"} - hidden(scene)


def hidden(scene: Scene) -> set[str]:
    return {path.name for path in (scene.home / "public").iterdir() if path.name.startswith(".")}


def recovered(scene: Scene, before: Seen, *, resume: bool) -> list[str]:
    """What is wrong after the work was taken up again, by `resume` or by publishing as if nothing had happened."""
    workspace = scene.open()
    found = []
    if resume:
        try:
            workspace.releases.resume()
        except DPReleaseError as error:
            found.append(f"resume: {error}")
        if before.charges:
            found += [f"resumed: {each}" for each in _finished(scene, workspace, before)]
    try:
        workspace.publish(scene.plan_id, supersedes=scene.old)
    except DPReleaseError as error:
        return [*found, f"publish: {error}"]
    return found + _finished(scene, workspace, before)


def _finished(scene: Scene, workspace: dprelease.Workspace, before: Seen) -> list[str]:
    """What is wrong with a release that is said to be finished."""
    seen, found = Seen.of(scene), half_written(scene)
    if len(seen.charges) != 1 or not set(before.charges) <= set(seen.charges):
        found.append(f"{len(seen.charges)} charges")
    if workspace.populations.budget("people").spent.epsilon_nano != 2 * EPSILON_NANO:
        found.append(f"{workspace.populations.budget('people').spent} is spent")
    told = [event.kind for event in workspace.ledger.events("people") if event.seq > scene.events]
    if told != EVENTS:
        found.append(f"the ledger tells of {', '.join(told)}")
    if before.draw is not None and seen.draw != before.draw:
        found.append("another draw than the sealed one")
    names = bundles(scene) - {scene.old}
    if len(names) != 1:
        return [*found, f"{len(names)} new bundles"]
    if shown(scene.home / "public" / names.pop()) != sealed(seen.draw):
        found.append("what is published is not what was sealed")
    if (
        len(workspace.releases.notices(scene.old)) != 1
        or not (scene.home / "public/notices" / f"{scene.old}.json").is_file()
    ):
        found.append("the superseded release has no notice")
    if json.loads(scene.outside.read_text())["checkpoint"]["size"] < scene.events + len(EVENTS) - 1:
        found.append("the checkpoint kept outside does not cover the release")
    try:
        workspace.ledger.verify()
    except DPReleaseError as error:
        found.append(f"ledger: {error}")
    if workspace.releases.unfinished():
        found.append("something is unfinished")
    return found


def sealed(draw: bytes | None) -> list[int]:
    """The integers that the mechanisms gave."""
    return [] if draw is None else _flat([*json.loads(draw).values()])


def _flat(value: Any) -> list[int]:
    return [value] if isinstance(value, int) else [part for each in value for part in _flat(each)]


def shown(bundle: Path) -> list[int]:
    """The integers that the bundle of the small plan shows: each is the number that a mechanism gave."""
    values = []
    for statistic in world.STATISTICS:
        with (bundle / "tables" / f"{statistic['id']}.csv").open(newline="") as file:
            values += [int(row["value"]) for row in csv.DictReader(file)]
    return values
