"""Promise 22 over time: mixed traffic with kills, full disks and locks; nothing is lost, and memory stays flat.

Lasts as long as `DPRELEASE_SOAK_SECONDS` says, two minutes where it says nothing.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

import dprelease
from dprelease.errors import DPReleaseError
from dprelease.model.actor import OWNER
from tests.browser.conftest import Server, serve
from tests.trust import world
from tests.trust.strain import EPSILON, WHO

ROOT = Path(__file__).resolve().parents[2]
SECONDS = float(os.environ.get("DPRELEASE_SOAK_SECONDS", "120"))
WORKERS = ["curator", "curator", "reviewer", "on_a_full_disk", "locker"]


def memory(pid: int) -> int:
    """Megabytes of a process and what it started."""
    found = subprocess.run(["ps", "-o", "rss=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return sum(map(int, found.stdout.split())) // 1024


@pytest.mark.full
class TestAStrainedServerLosesNothing:
    """Curators, reviewers and the public at once on a real server, while processes are killed, disks are full and the
    database is locked. Afterwards ledger and bundles verify, every acknowledged release is public, and the rest too."""

    def test_a_soak(self, tmp_path: Path) -> None:
        home, log = tmp_path / "home", tmp_path / "strain.log"
        world.solo(home, epsilon=1000)
        running = serve(home)
        server = next(running)
        trouble: list[str] = []
        over = threading.Event()
        readers = [threading.Thread(target=read, args=(server, over, trouble)) for _ in range(2)]
        sizes = []
        try:
            for reader in readers:
                reader.start()
            pid = int(subprocess.check_output(["pgrep", "-f", f"serve --home {home} "]).split()[0])
            workers = {place: start(home, who, log) for place, who in enumerate(WORKERS)}
            end, killed = time.monotonic() + SECONDS, 0
            while time.monotonic() < end:
                time.sleep(random.uniform(1, 4))
                sizes.append(memory(pid))
                place = random.choice(list(workers))
                workers[place].send_signal(signal.SIGKILL)
                workers[place].wait()
                killed += 1
                workers[place] = start(home, WORKERS[place], log)
            for worker in workers.values():
                worker.kill()
                worker.wait()
        finally:
            over.set()
            for reader in readers:
                reader.join()
            running.close()
        told = log.read_text().splitlines()
        acknowledged = {line.split()[1] for line in told if line.startswith("published")}
        assert [line for line in told if line.startswith("unforeseen")] == []
        assert trouble == []
        self.check(home, acknowledged)
        early, late = sorted(sizes[: len(sizes) // 2]), sorted(sizes[len(sizes) // 2 :])
        print(f"{len(acknowledged)} releases, {killed} kills, {early[len(early) // 2]} then {late[len(late) // 2]} MB")
        assert late[len(late) // 2] < early[len(early) // 2] * 1.25 + 30, "memory is flat"

    @staticmethod
    def check(home: Path, acknowledged: set[str]) -> None:
        workspace = dprelease.Workspace.open(home)
        assert not workspace.releases.resume().failed
        assert workspace.releases.unfinished() == []
        workspace.ledger.verify()
        public = {release.id for release in workspace.releases.find()}
        assert acknowledged <= public
        assert public == {path.name for path in (home / "public").iterdir() if (path / "release.json").exists()}
        for release_id in public:
            dprelease.verify(workspace.releases.bundle(release_id), key=workspace.public_key)
        events = workspace.ledger.events(actor=OWNER)
        charges = [event for event in events if event.kind == "charge"]
        assert len(charges) == len(public)
        assert workspace.populations.budget("people").spent.epsilon_nano == len(charges) * round(EPSILON * 10**9)
        waiting = {upload.id for upload in workspace.datasets.uploads.find()}
        left = {path.name for path in (home / "private" / "uploads").iterdir()}
        assert left == waiting, "what was killed half-way is gone; what was read waits"


class TestABrokenTableIsAClearError:
    """A stored table that is damaged, cut, empty or gone: an error for the curator without a place or a cell, nothing
    public changes, and with the table back the same plan is published for one charge. (A PostgreSQL server that stops:
    `tests/extras/warehouses/test_warehouses.py`; an engine that is killed is a process that is: `test_faults.py`.)"""

    @pytest.mark.parametrize("how", ["zeros in the middle", "cut", "empty", "gone", "text"])
    def test_it_is_told_and_mended(self, how: str, tmp_path: Path) -> None:
        workspace = world.solo(tmp_path / "home")
        plan_id = world.approved(workspace, world.plan())
        (table,) = (tmp_path / "home" / "private" / "tables").iterdir()
        whole = table.read_bytes()
        broken = {
            "zeros in the middle": whole[:4] + bytes(len(whole) - 12) + whole[-8:],
            "cut": whole[: len(whole) // 2],
            "empty": b"",
            "text": b"age,sex\n1,F\n",
        }
        table.unlink() if how == "gone" else table.write_bytes(broken[how])
        before = world.contents(tmp_path / "home" / "public")
        with pytest.raises(DPReleaseError) as told:
            dprelease.Workspace.open(tmp_path / "home").publish(plan_id)
        assert str(tmp_path) not in str(told.value)
        assert world.contents(tmp_path / "home" / "public") == before
        table.write_bytes(whole)
        release = dprelease.Workspace.open(tmp_path / "home").publish(plan_id)
        assert [event.kind for event in workspace.ledger.events()].count("charge") == 1
        dprelease.verify(workspace.releases.bundle(release.id), key=workspace.public_key)


def start(home: Path, who: str, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.trust.strain", str(home), who, str(log)]
    assert who in WHO
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def read(server: Server, over: threading.Event, trouble: list[Any]) -> None:
    """The public: what is listed is there, whole."""
    while not over.wait(0.05):
        try:
            listed = urlopen(f"{server.base}/api/releases", timeout=30).read().decode()
            for release in random.sample(found := re.findall(r'"id": "([^"]+)"', listed), min(2, len(found))):
                for address in (f"/api/releases/{release}", f"/r/{release}/"):
                    with urlopen(server.base + address, timeout=30) as answer:
                        if answer.status != 200 or not answer.read():
                            trouble.append(address)
        except (URLError, TimeoutError) as error:
            trouble.append(f"{type(error).__name__}: {error}")
