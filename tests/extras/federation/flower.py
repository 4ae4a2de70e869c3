"""Real processes of Flower in a network of their own: `python -m tests.extras.federation.flower sites|cells FOLDER`.

`unshare --net` gives this process a network that has nothing but its loopback. Prints what was measured as JSON.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import numpy as np

from dprelease.bundle.signing import SigningKey
from dprelease.extras.federation.check import check
from dprelease.extras.federation.folder import BUNDLE, TOTAL, RoundFolder
from dprelease.extras.federation.noise import NoiseShare, RoundPlan
from dprelease.extras.federation.own_round import OwnRound
from dprelease.extras.federation.roster import Federation, Site
from tests.extras.federation.published import sites
from tests.extras.federation.test_federations import NAMES, plan

ADAPTER = Path(__file__).parents[2] / "adapters" / "flower"
BIN = ADAPTER / ".venv" / "bin"
LINK = "127.0.0.1:8000"
CELLS, SITES = 10**6, 5
PATIENCE = 600.0


@contextmanager
def network(root: Path, folders: Sequence[Path]) -> Iterator[Callable[[Path, str], None]]:
    """A link and a node for each folder; what it gives carries a folder's files to all of them and back."""
    home = root / "flower"
    home.mkdir(parents=True)
    (home / "config.toml").write_text(
        f'[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "{LINK}"\ninsecure = true\n'
    )
    around = {
        **os.environ,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "FLWR_HOME": str(home),
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
    }
    started = []

    def start(name: str, *command: str) -> subprocess.Popen[bytes]:
        with (home / f"{name}.log").open("wb") as log:
            made = subprocess.Popen(command, env=around, stdout=log, stderr=log, cwd=home, start_new_session=True)
        started.append(made)
        return made

    def carry(folder: Path, until: str) -> None:
        asked = f'folder="{folder}" sites={len(folders)} until="{until}" minutes={PATIENCE / 60}'
        subprocess.run(
            ("flwr", "run", str(ADAPTER), "here", "--run-config", asked), env=around, cwd=home, check=True, timeout=120
        )

    try:
        start("link", "flower-superlink", "--insecure", "--disable-runtime-dependency-installation")
        until(listens)
        for number, folder in enumerate(folders):
            node = ("--superlink", LINK, "--port", str(9094 + number), "--node-config", f'folder="{folder}"')
            start(f"node-{number}", "flower-supernode", "--insecure", *node)
        yield carry
    finally:
        for each in started:
            os.killpg(each.pid, 15)
        for each in started:
            each.wait(timeout=60)


def until(done: Callable[[], bool]) -> float:
    """Does it again until it is done; returns the seconds that this took."""
    began = time.monotonic()
    while not done():
        assert time.monotonic() - began < PATIENCE
        time.sleep(0.2)
    return time.monotonic() - began


def listens() -> bool:
    host, port = LINK.split(":")
    with socket.socket() as tried:
        return tried.connect_ex((host, int(port))) == 0


def of_sites(root: Path) -> dict[str, object]:
    """Three workspaces, each with a folder of its own, from the roster to the release of each."""
    made = sites(root)
    middle, own = root / "middle", [root / f"folder {name}" for name in NAMES]
    for folder in (middle, *own):
        folder.mkdir()
    named = tuple(Site(name, each.public_key) for name, each in zip(NAMES, made, strict=True))
    RoundFolder(middle).propose(Federation(name="Hospitals", sites=named))
    with network(root, own) as carry:
        carry(middle, BUNDLE)
        until(lambda: all((folder / "federation.json").exists() for folder in own))
        for each, folder in zip(made, own, strict=True):
            each.federations.join(folder)
        until(lambda: all(len(list(folder.glob("*.roster.json"))) == len(own) for folder in own))

        def contributed() -> bool:
            told = [each.federations.contribute(folder, plan()) for each, folder in zip(made, own, strict=True)]
            return not any(each.waiting for each in told)

        def published() -> bool:
            told = [each.federations.publish(folder, plan()) for each, folder in zip(made, own, strict=True)]
            return all(each.release is not None for each in told)

        took = until(contributed) + until(published)
        until(lambda: (middle / BUNDLE).exists())
    sums = {(folder / TOTAL).read_bytes() for folder in own}
    bundles = {(folder / BUNDLE).read_bytes() for folder in (middle, *own)}
    found = [check(RoundFolder(folder)) for folder in own]
    return {
        "seconds": took,
        "sums": len(sums),
        "bundles": len(bundles),
        "recomputed": all(each.recomputed for each in found),
    }


def of_cells(root: Path) -> dict[str, object]:
    """Five sites of a million cells each, without tables: what is carried, and how long it takes."""
    keys = [SigningKey.in_memory() for _ in range(SITES)]
    named = tuple(Site(f"Site {number}", key.fingerprint) for number, key in enumerate(keys))
    ours = Federation(name="Five", sites=named)
    agreed = RoundPlan(
        plan=sha256(b"plan").hexdigest(), parts=(NoiseShare(cells=CELLS, l2_squared=1, rho_nano=5_000_000),)
    )
    middle, paths = RoundFolder(root / "middle"), [root / f"folder {number}" for number in range(SITES)]
    middle.propose(ours)
    middle.put_plan(agreed, 1)
    folders = [RoundFolder(path) for path in paths]
    own = [OwnRound(key, root / "private" / str(place), ours, agreed) for place, key in enumerate(keys)]
    charges = [sha256(str(number).encode()).hexdigest() for number in range(SITES)]
    values = [np.arange(CELLS, dtype=np.int64) * (number + 1) for number in range(SITES)]
    for path in paths:
        path.mkdir()
    seconds: dict[str, object] = {}
    with network(root, paths) as carry:
        carry(middle.path, "5.sum.json")

        def step(kind: str, act: Callable[[int, RoundFolder], object]) -> None:
            for number, folder in enumerate(folders):
                act(number, folder)
            seconds[kind] = until(lambda: all(len(list(path.glob(f"*.{kind}.json"))) == SITES for path in paths))

        until(lambda: all((path / "plan.json").exists() for path in paths))
        step("roster", lambda n, folder: folder.put(ours, ours.signed(keys[n])))
        step("offer", lambda n, folder: folder.put(ours, own[n].offer(folder.messages("roster"))))
        step("key", lambda n, folder: folder.put(ours, own[n].give_key(folder.messages("offer"), charges[n])))
        step("keys", lambda n, folder: folder.put(ours, own[n].agree(folder.messages("key"))))

        def mask(number: int, folder: RoundFolder) -> None:
            sent = own[number].contribute(values[number], folder.messages("key"), folder.messages("keys"))
            folder.put_contribution(ours, sent)

        def add_up(number: int, folder: RoundFolder) -> None:
            signed, total = own[number].cosign(folder.messages("key"), folder.contributions(ours))
            folder.put_total(total)
            folder.put(ours, signed)

        step("masked", mask)
        step("sum", add_up)
    found = check(folders[-1])
    off = np.abs(found.total - sum(values)).max()
    return {"seconds": seconds, "off": int(off), "recomputed": found.recomputed}


def main() -> None:
    subprocess.run(("ip", "link", "set", "lo", "up"), check=True)
    act = {"sites": of_sites, "cells": of_cells}[sys.argv[1]]
    print(json.dumps(act(Path(sys.argv[2]))))


if __name__ == "__main__":
    main()
