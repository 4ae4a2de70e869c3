"""Somebody puts another ledger.db under a process that runs: nothing is released that no ledger tells of."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

import dprelease
from dprelease.errors import DPReleaseError, IntegrityError
from tests.trust import world

PLANS = 3
SERVER = """
import sys
import dprelease
from dprelease.errors import DPReleaseError

workspace = dprelease.Workspace.open(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    try:
        print("released", workspace.publish(line.strip()).id, flush=True)
    except DPReleaseError as error:
        print("refused", type(error).__name__, error, flush=True)
"""


def remove_and_copy(old: Path, ledger: Path) -> None:
    ledger.unlink()
    shutil.copyfile(old, ledger)


def copy_over(old: Path, ledger: Path) -> None:
    """Into the same inode."""
    shutil.copyfile(old, ledger)


def rename(old: Path, ledger: Path) -> None:
    shutil.copyfile(old, ledger.with_name("new.db"))
    ledger.with_name("new.db").rename(ledger)


def with_the_log(old: Path, ledger: Path) -> None:
    """As the guides say: the log and its index go too."""
    remove_and_copy(old, ledger)
    for ending in ("-wal", "-shm"):
        ledger.with_name(ledger.name + ending).unlink(missing_ok=True)


def only_the_log(old: Path, ledger: Path) -> None:
    """Copied over, and the log removed, so that nothing of what was spent is left on the disk."""
    copy_over(old, ledger)
    for ending in ("-wal", "-shm"):
        ledger.with_name(ledger.name + ending).unlink(missing_ok=True)


EXCHANGES = [remove_and_copy, copy_over, rename, with_the_log, only_the_log]


@dataclass(frozen=True)
class Server:
    """A process of its own that has the workspace open and publishes what it is told to."""

    process: subprocess.Popen[str]
    home: Path
    plans: list[str]
    old: Path
    """A copy of ledger.db from before any of the plans was published."""

    def begin(self, plan: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{plan}\n")
        self.process.stdin.flush()

    def answer(self) -> list[str]:
        assert self.process.stdout is not None
        return self.process.stdout.readline().split(maxsplit=2)

    def publish(self, plan: str) -> list[str]:
        self.begin(plan)
        return self.answer()

    def published(self) -> set[str]:
        """The releases that the ledger on the disk tells of, as somebody sees it who opens it now."""
        with closing(sqlite3.connect(self.home / "ledger.db")) as raw, suppress(sqlite3.Error):
            rows = raw.execute("SELECT body ->> 'release' FROM ledger WHERE kind = 'published'").fetchall()
            return {name for (name,) in rows}
        return set()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()  # waits, and closes the pipes


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    home = tmp_path / "home"
    workspace = world.solo(home, epsilon=5)
    plans = [world.approved(workspace, world.plan(0.25, f"Ages {number}")) for number in range(PLANS)]
    workspace._state.database.close()
    old = tmp_path / "old.db"
    shutil.copyfile(home / "ledger.db", old)
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    running = Server(process, home, plans, old)
    assert running.answer() == ["ready"]
    yield running
    running.end()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("exchange", [exchange for exchange in EXCHANGES if exchange is not copy_over])
def test_a_ledger_exchanged_between_releases_spends_nothing(
    server: Server, exchange: Callable[[Path, Path], None]
) -> None:
    assert server.publish(server.plans[0])[0] == "released"
    exchange(server.old, server.home / "ledger.db")
    refused = server.publish(server.plans[1])
    assert refused[:2] == ["refused", "IntegrityError"]
    assert "Stop every dprelease process" in refused[2]
    server.end()
    assert {path.name for path in (server.home / "public").iterdir() if "ages-1" in path.name} == set()
    workspace = dprelease.Workspace.open(server.home)
    charged = {release.id for release in workspace.releases.find()} | {
        each.id for each in workspace.releases.unfinished()
    }
    assert not any("ages-1" in name for name in charged)
    assert workspace.publish(server.plans[1]).id.startswith("ages-1-"), "after a new start it works"


def test_what_is_spent_after_a_copy_over_the_file_stands_in_the_log_beside_it(server: Server) -> None:
    """Where the log was left, SQLite reads what it holds from there, and so does whoever opens it next."""
    released = [server.publish(server.plans[0])]
    copy_over(server.old, server.home / "ledger.db")
    released.append(server.publish(server.plans[1]))
    server.end()
    accounted = server.published()
    assert all(answer[0] == "refused" or answer[1] in accounted for answer in released)


def exchanged_meanwhile(server: Server, exchange: Callable[[Path, Path], None], after: float) -> list[str]:
    """What was released and stands in no ledger, where it is exchanged so many seconds after a publication began."""
    assert server.publish(server.plans[0])[0] == "released"
    server.begin(server.plans[1])
    time.sleep(after)
    server.process.send_signal(signal.SIGSTOP)
    before = server.published()
    exchange(server.old, server.home / "ledger.db")
    server.process.send_signal(signal.SIGCONT)
    answers = [server.answer(), server.publish(server.plans[2])]
    server.end()
    released = {answer[1] for answer in answers if answer[0] == "released"}
    shown = {path.name for path in (server.home / "public").glob("ages-*")}
    accounted = before | server.published()
    with suppress(DPReleaseError):
        dprelease.Workspace.open(server.home).ledger.verify()
        accounted |= {release.id for release in dprelease.Workspace.open(server.home).releases.find()}
    return sorted((released | shown) - accounted)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_a_ledger_exchanged_during_a_publication_leaves_no_release_unaccounted(
    server: Server, exchange: Callable[[Path, Path], None]
) -> None:
    assert exchanged_meanwhile(server, exchange, random.Random(exchange.__name__).uniform(0, 0.5)) == []


@pytest.mark.full
@pytest.mark.parametrize("moment", range(20))
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_a_ledger_exchanged_at_any_moment_leaves_no_release_unaccounted(
    server: Server, exchange: Callable[[Path, Path], None], moment: int
) -> None:
    assert exchanged_meanwhile(server, exchange, moment * 0.05) == []


def test_a_file_copied_over_is_noticed_though_the_inode_is_the_same(tmp_path: Path) -> None:
    workspace = world.solo(tmp_path / "home", epsilon=5)
    plans = [world.approved(workspace, world.plan(0.25, f"Ages {number}")) for number in range(2)]
    workspace._state.database.close()
    old = (tmp_path / "home" / "ledger.db").read_bytes()
    world.publish(workspace, 0.25)
    workspace._state.database.close()  # what was spent is in the file now, and no log is left beside it
    (tmp_path / "home" / "ledger.db").write_bytes(old)
    with pytest.raises(IntegrityError, match="replaced"):
        workspace.publish(plans[0])
