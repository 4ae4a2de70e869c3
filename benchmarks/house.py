"""1,000 releases with 200 readers, and 30 workbench sessions on 10^6 rows: what answers take, and what sessions hold.

    .venv/bin/python -m benchmarks.house [--releases 1000] [--readers 200] [--seconds 20] [--sessions 30] [--write]

Starts the whole server twice, on loopback. First on a workspace of so many releases: readers ask for pages of the
portal or for the API over connections that stay open, and think for two seconds; beside it five of them alone.
Then on a table of 10^6 rows with a saved draft of seven statistics: sessions that open the workbench and stay, each
with a look-alike, as long as nobody asks for true values (tallies of the same size: no session holds rows); and after
them sessions that open it and go, one after the other. Memory is what the system says of the server (resident).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import load, workload
from benchmarks.environments import machine, put
from benchmarks.http import HOST, ROOT, Load, free_port, wait_for
from benchmarks.load import Taken

REPORT = ROOT / "docs" / "performance.md"
SECTION = "benchmarks.house"
FEW = 5
"""Readers of a server that is idle otherwise."""
EVERY = 50
"""Sessions that come and go between two looks at the memory."""


@contextmanager
def served(home: Path) -> Iterator[tuple[int, int]]:
    """The port and the process of a server of a workspace, as `dprelease serve` starts one."""
    from dprelease.web.server import FRUGAL

    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "app:app", "--host", HOST, "--port", str(port), "--no-access-log"]
    environment = {**FRUGAL, **os.environ, "DPRELEASE_HOME": str(home)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(process, port)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def megabytes(process: int) -> float:
    """The resident memory of a process, in 10^6 bytes."""
    told = Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) for line in told.splitlines() if line.startswith("VmRSS")) * 1024 / 1e6


def read(port: int, paths: Sequence[str], readers: int, seconds: float) -> Load:
    """Pages that so many readers were given."""
    taken = Taken()
    begun = time.perf_counter()
    asyncio.run(load._read(port, paths, begun + seconds, taken, readers))
    return Load([each for _, each in taken.times], time.perf_counter() - begun)


def readers(folder: Path, releases: int, crowd: int, seconds: float) -> Iterator[str]:
    """Lines of a table: portal and API, one reader and a crowd."""
    from benchmarks.crowd import Crowd

    full = Crowd(folder / "releases", releases, 4)
    ids = full.workspace.releases.ids()[:: max(1, releases // 50)]
    asked = {
        "portal: lists, searches, pages of releases": ["/public/", "/public/?q=release+7"]
        + [f"/r/{each}/" for each in ids],
        "API: lists, tables": ["/api/releases", "/api/releases?limit=10"]
        + [f"/api/releases/{each}/tables/n.json" for each in ids],
    }
    yield f"| {releases:,} releases | {FEW} readers: median | 99 % | {crowd}: median | 99 % | answers a second |"
    yield "|---|---:|---:|---:|---:|---:|"
    with served(full.workspace.home or folder) as (port, _):
        for name, paths in asked.items():
            read(port, paths, 10, seconds / 4)  # what is made at the first visit is made
            alone, many = read(port, paths, FEW, seconds), read(port, paths, crowd, seconds)
            parts = (f"{each.within(share):.0f} ms" for each in (alone, many) for share in (0.5, 0.99))
            yield f"| {name} | {' | '.join(parts)} | {many.rate:.0f} |"
    yield ""


def sessions(folder: Path, rows: int, together: int, opens: int) -> Iterator[str]:
    """Lines: what sessions hold that stay, and what is left of those that went."""
    from dprelease import Plan, Workspace
    from dprelease.ui.workbench.draft import Draft
    from dprelease.ui.workbench.saving import written
    from tests.trust.socket import opened

    workspace = Workspace.create(folder / "bench")
    asked = workload.plan("row")
    workspace.add_dataset(asked["dataset"], workload.table(folder, rows), epsilon=4, columns=asked["columns"])
    plan = Plan.parse({key: part for key, part in asked.items() if key != "columns"} | {"expected": {"rows": rows}})
    workspace.plans.drafts.save(written(Draft.from_plan(plan)))
    cookie = workspace.people.sign_in(workspace.people.sign_in_link())
    with served(workspace.home or folder) as (port, process):
        base = f"http://{HOST}:{port}"

        def visit(stack: ExitStack) -> float:
            begun = time.perf_counter()
            tab = stack.enter_context(opened(base, cookie))
            tab.ask("workbench")
            return (time.perf_counter() - begun) * 1000

        for _ in range(3):
            with ExitStack() as first:
                visit(first)
        before, taken = megabytes(process), []
        with ExitStack() as stack:
            taken = [visit(stack) for _ in range(together)]
            held = megabytes(process)
        yield (
            f"{together} sessions with the workbench on {rows:,} rows and seven statistics at the same time: "
            f"{(held - before) / together:.1f} MB a session ({before:.0f} MB before, {held:.0f} MB with them); each "
            f"opened in {Load(taken, 1).within(0.5):.0f} ms (median), {Load(taken, 1).within(0.99):.0f} ms (99 %)."
        )
        found = []
        for number in range(opens + 1):
            if number % EVERY == 0:
                time.sleep(2)  # until the server has put away those that went
                found.append(f"{megabytes(process):.0f}")
            with ExitStack() as one:
                visit(one)
        yield f"Then {opens} that came and went: {', '.join(found)} MB, after every {EVERY} of them."


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--releases", type=int, default=1000)
    options.add_argument("--readers", type=int, default=200)
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--sessions", type=int, default=30)
    options.add_argument("--opens", type=int, default=200)
    options.add_argument("--write", action="store_true", help="put the report into docs/performance.md")
    chosen = options.parse_args()
    with TemporaryDirectory() as place:
        folder = Path(place)
        lines = [*readers(folder, chosen.releases, chosen.readers, chosen.seconds)]
        print("\n".join(lines), flush=True)
        lines += sessions(folder, chosen.rows, chosen.sessions, chosen.opens)
    text = "\n".join([*lines, "", f"Measured on {machine()}; the clients share it with the server."])
    print(text, flush=True)
    if chosen.write:
        put(REPORT, SECTION, text)


if __name__ == "__main__":
    main()
