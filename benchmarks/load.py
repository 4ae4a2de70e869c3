"""How long pages take while 100 people read releases, 5 curators work, and a table of 5,000,000 rows is registered.

    .venv/bin/python -m benchmarks.load [--seconds 30] [--readers 100] [--curators 5] [--rows 5000000]

Starts the whole server on the sample workspace, on loopback. A reader asks for a release's page, a table or the list of
releases over a connection that stays open, and thinks for two seconds. A curator speaks the dashboard's own protocol,
opens one page after the other, and thinks for two seconds. The registration is a thread of the server, as an upload's
is, and is begun half-way. Prints how long half and 95 % of the pages took, before it and during it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.http import HOST, ROOT, Load, free_port, wait_for

THINKING_SECONDS = 2.0
PAGES = ("", "datasets", "columns", "plan", "preview", "review", "releases", "ledger")
BEGIN, ENDED = "register-now", "registered"
"""Files beside the workspace by which the two processes tell each other."""


@dataclass
class Taken:
    """When each page was asked for, and how many milliseconds it took."""

    times: list[tuple[float, float]] = field(default_factory=list)

    def between(self, first: float, last: float) -> Load:
        return Load([taken for begun, taken in self.times if first <= begun < last], max(last - first, 1e-9))


async def _reader(port: int, paths: Sequence[str], until: float, taken: Taken, seed: int) -> None:
    draw = random.Random(seed)
    await asyncio.sleep(draw.random() * THINKING_SECONDS)
    reader, writer = await asyncio.open_connection(HOST, port)
    while time.perf_counter() < until:
        begun = time.perf_counter()
        writer.write(f"GET {draw.choice(paths)} HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head[:60]
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(length)
        taken.times.append((begun, (time.perf_counter() - begun) * 1000))
        await asyncio.sleep(THINKING_SECONDS * (0.5 + draw.random()))
    writer.close()


async def _read(port: int, paths: Sequence[str], until: float, taken: Taken, readers: int) -> None:
    async with asyncio.TaskGroup() as group:
        for seed in range(readers):
            group.create_task(_reader(port, paths, until, taken, seed))


def _curate(port: int, session: str, until: float, taken: Taken, first: int) -> None:
    from tests.trust.socket import opened

    with opened(f"http://{HOST}:{port}", session) as tab:
        place = first
        while time.perf_counter() < until:
            begun = time.perf_counter()
            tab.ask(PAGES[place % len(PAGES)])
            taken.times.append((begun, (time.perf_counter() - begun) * 1000))
            place += 1
            time.sleep(THINKING_SECONDS)


def serve(port: int, source: Path) -> None:
    """What `dprelease serve` runs, in this process, with a curator who registers a table when told to."""
    import uvicorn

    from app import app
    from dprelease.workspace.process import current

    def curator() -> None:
        folder = source.parent
        while not (folder / BEGIN).exists():
            time.sleep(0.05)
        current().add_dataset("large", source, epsilon=1)
        (folder / ENDED).touch()

    threading.Thread(target=curator, daemon=True).start()
    uvicorn.run(app, host=HOST, port=port, log_level="warning", access_log=False)


def measured(*, seconds: float, readers: int, curators: int, rows: int) -> dict[str, tuple[Load, Load]]:
    """Pages of readers and of curators, before the registration and during it."""
    import duckdb

    from dprelease.workspace import Workspace, sample

    with TemporaryDirectory() as place:
        folder, port = Path(place), free_port()
        workspace = Workspace.create(folder / "home")
        sample.install(workspace)
        (release,) = workspace.releases.find()
        sessions = [workspace.people.sign_in(workspace.people.sign_in_link()) for _ in range(curators)]
        source = folder / "large.csv"
        columns = "i AS id, hash(i) % 100 AS age, 'region' || i % 20 AS region, (hash(i, 1) % 1000000) / 7 AS income"
        duckdb.sql(f"COPY (SELECT {columns} FROM range({rows}) AS t(i)) TO '{source}'")
        base = f"/api/releases/{release.id}"
        paths = (f"/r/{release.id}/", f"{base}/tables/ages.csv", f"{base}/tables/ages.json", "/api/releases")
        command = [sys.executable, "-m", "benchmarks.load", "--serve", str(port), "--source", str(source)]
        environment = {**os.environ, "DPRELEASE_HOME": str(folder / "home")}
        server = wait_for(subprocess.Popen(command, cwd=ROOT, env=environment), port)
        try:
            read, curated = Taken(), Taken()
            begun = time.perf_counter()
            until = begun + 2 * seconds
            threads = [
                threading.Thread(target=_curate, args=(port, session, until, curated, number))
                for number, session in enumerate(sessions)
            ]
            threads.append(
                threading.Thread(target=lambda: asyncio.run(_read(port, paths, until, read, readers)), daemon=True)
            )
            for thread in threads:
                thread.start()
            time.sleep(seconds)
            (folder / BEGIN).touch()
            half = time.perf_counter()
            while time.perf_counter() < until and not (folder / ENDED).exists():
                time.sleep(0.1)
            over = time.perf_counter()
            for thread in threads:
                thread.join()
            if not read.times or not curated.times:
                raise SystemExit("nobody was answered")
        finally:
            server.terminate()
            server.wait()
        warm = begun + min(5, seconds / 2)  # the first run of each page imports it
        return {
            name: (taken.between(warm, half), taken.between(half, over))
            for name, taken in (("readers", read), ("curators", curated))
        }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=30, help="before the registration, and at most during it")
    options.add_argument("--readers", type=int, default=100)
    options.add_argument("--curators", type=int, default=5)
    options.add_argument("--rows", type=int, default=5_000_000, help="of the table that is registered meanwhile")
    options.add_argument("--serve", type=int, metavar="PORT", help=argparse.SUPPRESS)
    options.add_argument("--source", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.serve:
        serve(chosen.serve, chosen.source)
        return
    found = measured(seconds=chosen.seconds, readers=chosen.readers, curators=chosen.curators, rows=chosen.rows)
    for who, loads in found.items():
        for when, load in zip(("before", f"while {chosen.rows:,} rows are registered"), loads, strict=True):
            if load.milliseconds:
                parts = " ".join(f"{share:.0%} {load.within(share):.0f} ms" for share in (0.5, 0.95))
                print(f"{who}, {when} ({load.seconds:.0f} s): {len(load.milliseconds)} pages  {parts}", flush=True)


if __name__ == "__main__":
    main()
