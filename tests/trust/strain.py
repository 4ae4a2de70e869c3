"""One of those who work with a workspace under strain, as a process of their own."""

from __future__ import annotations

import io
import os
import random
import resource
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import dprelease
from dprelease.errors import DPReleaseError
from dprelease.model.actor import OWNER
from tests.trust import world

EPSILON = 0.001


def curator(workspace: dprelease.Workspace, told: Callable[[str], None]) -> None:
    """Publishes, previews, brings a table and leaves it."""
    match random.choice(["publish", "publish", "preview", "upload"]):
        case "publish":
            told(workspace.publish(_plan(workspace), again=True).id)
        case "preview":
            workspace.preview(world.plan(EPSILON), draws=1)
        case _:
            upload = workspace.datasets.uploads.stage("t.csv", io.BytesIO(b"age,sex\n" + b"1,F\n" * 1000))
            workspace.datasets.uploads.discard(upload.id)


def reviewer(workspace: dprelease.Workspace, told: Callable[[str], None]) -> None:
    """Reads the ledger and checks it."""
    workspace.ledger.events("people", limit=20, newest_first=True)
    workspace.ledger.verify()
    workspace.populations.budget("people")


def on_a_full_disk(workspace: dprelease.Workspace, told: Callable[[str], None]) -> None:
    """A curator whose files cannot grow: every write beyond so many bytes fails, in the middle of it."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (random.choice([1000, 20_000, 200_000]), resource.RLIM_INFINITY))
    try:
        curator(workspace, told)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def locker(workspace: dprelease.Workspace, told: Callable[[str], None]) -> None:
    """Another program that holds the database for seconds."""
    assert workspace.home is not None
    with closing(sqlite3.connect(workspace.home / "ledger.db", timeout=30, isolation_level=None)) as raw:
        raw.execute("BEGIN IMMEDIATE")
        time.sleep(random.uniform(0.5, 3))
        raw.execute("ROLLBACK")
    time.sleep(2)


def _plan(workspace: dprelease.Workspace) -> str:
    known = [record.id for record in workspace.plans.find() if record.author == OWNER.name]
    if known and random.random() < 0.9:
        return random.choice(known)
    plan_id = workspace.plans.submit(world.plan(EPSILON, f"Plan {random.randint(0, 10**9)}"))
    workspace.plans.approve(plan_id)
    return plan_id


WHO = {each.__name__: each for each in (curator, reviewer, on_a_full_disk, locker)}


def main(home: str, who: str, log: str) -> None:
    """Until killed. What was acknowledged, and what nobody foresaw, is written down at once."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(line: str) -> None:
        os.write(file, f"{line}\n".encode())

    while True:
        try:
            WHO[who](dprelease.Workspace.open(Path(home)), lambda release: note(f"published {release}"))
        except (DPReleaseError, OSError, sqlite3.OperationalError) as error:
            note(f"refused {type(error).__name__}")
        except Exception as error:
            note(f"unforeseen {type(error).__name__}: {error!s}")
            raise


if __name__ == "__main__":
    main(*sys.argv[1:])
