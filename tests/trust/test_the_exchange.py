"""Somebody puts another ledger.db under a process that runs: nothing is released that no ledger tells of."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import DPReleaseError, IntegrityError
from tests.trust import halting, world
from tests.trust.faults import FORK

PLANS, MOMENTS = 3, 20


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

    process: Any
    pipe: Connection
    home: Path
    plans: list[str]
    old: Path
    """A copy of ledger.db from before any of the plans was published."""

    def begin(self, plan: str, share: float | None = None) -> None:
        """`share`: of its steps, where it halts until it is told to go on."""
        self.pipe.send((plan, share))

    def answer(self) -> list[str]:
        said: list[str] = self.pipe.recv()
        return said

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
        self.process.join()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    home = tmp_path / "home"
    workspace = world.solo(home, epsilon=5)
    plans = [world.approved(workspace, world.plan(0.25, f"Ages {number}")) for number in range(PLANS)]
    workspace._state.database.close()
    old = tmp_path / "old.db"
    shutil.copyfile(home / "ledger.db", old)
    mine, its = FORK.Pipe()
    process = FORK.Process(target=halting.publish, args=(home, its))
    process.start()
    its.close()
    with mine:
        running = Server(process, mine, home, plans, old)
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
    if not any("ages-0" in name for name in charged):  # the log beside the file may still have it
        with pytest.raises(IntegrityError, match="older or another copy"):
            workspace.publish(server.plans[1])  # the public folder knows of the release that this ledger forgot
        workspace.ledger.accept("Last night's copy was put back.")
    assert workspace.publish(server.plans[1]).id.startswith("ages-1-"), "after that it works"


def test_what_is_spent_after_a_copy_over_the_file_stands_in_the_log_beside_it(server: Server) -> None:
    """Where the log was left, SQLite reads what it holds from there, and so does whoever opens it next."""
    released = [server.publish(server.plans[0])]
    copy_over(server.old, server.home / "ledger.db")
    released.append(server.publish(server.plans[1]))
    server.end()
    accounted = server.published()
    assert all(answer[0] == "refused" or answer[1] in accounted for answer in released)


@pytest.mark.one_in(21)
@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_ledger_exchanged_during_a_publication_leaves_no_release_unaccounted(
    server: Server, exchange: Callable[[Path, Path], None], moment: int
) -> None:
    """The process halts before a step while it is exchanged."""
    assert server.publish(server.plans[0])[0] == "released"
    server.begin(server.plans[1], moment / MOMENTS)
    assert server.answer()[0] == "halts"
    before = server.published()
    exchange(server.old, server.home / "ledger.db")
    server.pipe.send("go on")
    answers = [server.answer(), server.publish(server.plans[2])]
    server.end()
    released = {answer[1] for answer in answers if answer[0] == "released"}
    shown = {path.name for path in (server.home / "public").glob("ages-*")}
    accounted = before | server.published()
    with suppress(DPReleaseError):
        dprelease.Workspace.open(server.home).ledger.verify()
        accounted |= {release.id for release in dprelease.Workspace.open(server.home).releases.find()}
    assert sorted((released | shown) - accounted) == []


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
