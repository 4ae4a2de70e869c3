"""A round of five sites and a million cells over HTTP on this machine: seconds of the clock and of processors, by step.

Rows are not read and noise is not drawn: both are the same in any release. Server and sites share one process.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import uvicorn
from starlette.applications import Starlette

from benchmarks.http import free_port
from dprelease.bundle.signing import SigningKey
from dprelease.extras.federation.carrier import Carrier
from dprelease.extras.federation.check import check
from dprelease.extras.federation.folder import RoundFolder
from dprelease.extras.federation.noise import NoiseShare, RoundPlan
from dprelease.extras.federation.own_round import OwnRound
from dprelease.extras.federation.roster import Federation, Site
from dprelease.extras.federation.round_files import ROUNDS
from dprelease.mechanisms import DiscreteGaussian
from dprelease.mechanisms.mechanism import clamped
from dprelease.web import site
from dprelease.workspace import Workspace, process

SITES, CELLS = 5, 10**6


class Bench:
    """Five sites with folders of their own, and a server that is no site."""

    def __init__(self, root: Path, address: str) -> None:
        self.keys = [SigningKey.in_memory() for _ in range(SITES)]
        named = tuple(Site(f"Site {number}", key.fingerprint) for number, key in enumerate(self.keys))
        self.federation = Federation(name="Five", sites=named)
        part = NoiseShare(cells=CELLS, l2_squared=1, rho_nano=5_000_000)
        self.plan = RoundPlan(plan=sha256(b"plan").hexdigest(), parts=(part,))
        self.folders = [RoundFolder(root / f"mirror {number}") for number in range(SITES)]
        self.own = [
            OwnRound(key, root / "private" / key.fingerprint[-8:], self.federation, self.plan) for key in self.keys
        ]
        self.carriers = [Carrier(address, key) for key in self.keys]
        self.values = [np.arange(CELLS, dtype=np.int64) * (number + 1) for number in range(SITES)]
        self.spent: dict[str, tuple[float, float]] = {}

    def timed(self, name: str, act: Callable[[int], object]) -> None:
        """Every site does it, one after the other."""
        clock, used = time.perf_counter(), time.process_time()
        for number in range(SITES):
            act(number)
        spent = (time.perf_counter() - clock, time.process_time() - used)
        before = self.spent.get(name, (0.0, 0.0))
        self.spent[name] = (before[0] + spent[0], before[1] + spent[1])

    def step(self, name: str, act: Callable[[int, RoundFolder], object]) -> None:
        """Fetches what is new, does the step, and sends it."""
        self.timed("fetch", lambda number: self.carriers[number].fetch(self.folders[number]))
        self.timed(name, lambda number: act(number, self.folders[number]))
        self.timed("send", lambda number: self.carriers[number].send(self.folders[number]))

    def run(self) -> None:
        ours, own = self.federation, self.own
        self.step("messages", lambda number, folder: folder.put(ours, ours.signed(self.keys[number])))
        self.step("messages", lambda number, folder: folder.put_plan(self.plan, 1))
        self.step("messages", lambda n, folder: folder.put(ours, own[n].offer(folder.messages("roster"))))
        charges = [sha256(str(number).encode()).hexdigest() for number in range(SITES)]
        self.step("messages", lambda n, folder: folder.put(ours, own[n].give_key(folder.messages("offer"), charges[n])))
        self.step("messages", lambda n, folder: folder.put(ours, own[n].agree(folder.messages("key"))))
        self.step("mask", self._mask)
        self.step("add up", self._add_up)

    def _mask(self, number: int, folder: RoundFolder) -> None:
        sent = self.own[number].contribute(self.values[number], folder.messages("key"), folder.messages("keys"))
        folder.put_contribution(self.federation, sent)

    def _add_up(self, number: int, folder: RoundFolder) -> None:
        signed, total = self.own[number].cosign(folder.messages("key"), folder.contributions(self.federation))
        folder.put_total(total)
        folder.put(self.federation, signed)


def main() -> None:
    DiscreteGaussian.release = lambda self, integers: clamped(integers)  # type: ignore[method-assign]
    with TemporaryDirectory() as place:
        root, port = Path(place), free_port()
        Workspace.create(root / "office")
        os.environ[process.VARIABLE] = str(root / "office")
        application = Starlette(routes=site.routes(), middleware=site.middleware())
        server = uvicorn.Server(uvicorn.Config(application, port=port, log_level="error", ws="none", lifespan="off"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        bench = Bench(root, f"http://127.0.0.1:{port}/federation/five")
        RoundFolder(root / "office" / "private" / ROUNDS / "five").propose(bench.federation)
        try:
            bench.run()
            bench.carriers[0].fetch(bench.folders[0])
        finally:
            server.should_exit = True
            thread.join()
        found = check(bench.folders[0])
        assert found.recomputed
        assert np.array_equal(found.total, sum(bench.values))
    print(f"{SITES} sites, {CELLS:,} cells, load {os.getloadavg()[0]:.0f}: seconds (of processors)")
    for name, (clock, used) in bench.spent.items():
        print(f"{name:10} {clock:6.2f} ({used:.2f})")
    print(f"{'all':10} {sum(clock for clock, _ in bench.spent.values()):6.2f}", end=" ")
    print(f"({sum(used for _, used in bench.spent.values()):.2f})")


if __name__ == "__main__":
    main()
