"""How fast the public interface answers 20 clients, while nobody works and while a curator takes preview after preview.

    .venv/bin/python -m benchmarks.http [--seconds 5] [--clients 20]

Starts the whole server (the dashboard included) on the sample workspace, in a process of its own on a free port, and
asks from this one over connections that stay open. Every answer is compared with the file of the bundle. The curator
is a thread of the server, as the dashboard's are, which previews the sample plan again and again without a pause.
Prints one line for each address: answers in a second, and after how many milliseconds half, 95 % and 99 % of them came.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
HOST = "127.0.0.1"
START_SECONDS = 240
_asked = count()


@dataclass(frozen=True)
class Load:
    """What came of asking one address."""

    milliseconds: Sequence[float]
    seconds: float

    @property
    def rate(self) -> float:
        """Answers in a second."""
        return len(self.milliseconds) / self.seconds

    def within(self, share: float) -> float:
        """Milliseconds after which this share of the answers had come."""
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def _client(port: int, path: str, expected: bytes | None, until: float, into: list[float]) -> None:
    reader, writer = await asyncio.open_connection(HOST, port)
    request = f"GET {path} HTTP/1.1\r\nHost: {HOST}:{port}\r\n\r\n".encode()
    while time.perf_counter() < until:
        begun = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        body = await reader.readexactly(length)
        into.append((time.perf_counter() - begun) * 1000)
        assert head.startswith(b"HTTP/1.1 200 "), head[:40]
        assert expected is None or body == expected, f"{path}: other bytes than those of the bundle"
    writer.close()


async def _ask(port: int, path: str, expected: bytes | None, clients: int, seconds: float) -> Load:
    times: list[float] = []
    begun = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(clients):
            group.create_task(_client(port, path, expected, begun + seconds, times))
    return Load(times, time.perf_counter() - begun)


def load(port: int, path: str, expected: bytes | None = None, *, clients: int = 20, seconds: float = 5) -> Load:
    """Asks one address again and again from so many clients at once."""
    return asyncio.run(_ask(port, path, expected, clients, seconds))


def free_port() -> int:
    """A port that nobody has, and that nobody is given by the system until it is taken, nor by another process here."""
    while True:
        port = 10_000 + (100 * os.getpid() + next(_asked) % 100) % 20_000
        with suppress(OSError), socket.socket() as free:
            free.bind((HOST, port))
            return port


def start(home: Path, port: int) -> subprocess.Popen[bytes]:
    """The server with a curator's thread that waits for the file `<home>/curator-works`."""
    command = [sys.executable, "-m", "benchmarks.http", "--serve", str(port)]
    return wait_for(subprocess.Popen(command, cwd=ROOT, env={**os.environ, "DPRELEASE_HOME": str(home)}), port)


def wait_for(process: subprocess.Popen[bytes], port: int) -> subprocess.Popen[bytes]:
    """The process, once it answers."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"http://{HOST}:{port}/api/releases", timeout=5):
                return process
        except (URLError, OSError):
            time.sleep(0.1)
    process.kill()
    raise SystemExit("the server did not start")


def serve(port: int) -> None:
    """What `dprelease serve` runs, in this process, with a curator."""
    import uvicorn

    from app import app
    from dprelease.statistics import Plan
    from dprelease.workspace import sample
    from dprelease.workspace.process import current

    def curator() -> None:
        works, plan = (current().home or Path()) / "curator-works", Plan.parse(sample.PLAN)
        while True:
            if works.exists():
                current().preview(plan)
            else:
                time.sleep(0.05)

    threading.Thread(target=curator, daemon=True).start()
    uvicorn.run(app, host=HOST, port=port, log_level="warning", access_log=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--serve", type=int, metavar="PORT", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    from dprelease.workspace import Workspace, sample

    with TemporaryDirectory() as folder:
        home, port = Path(folder) / "home", free_port()
        workspace = Workspace.create(home)
        sample.install(workspace)
        (release,) = workspace.releases.find()
        bundle = workspace.releases.bundle(release.id)
        base = f"/api/releases/{release.id}"
        addresses = {
            f"{base}/tables/ages.csv": (bundle / "tables/ages.csv").read_bytes(),
            f"{base}/tables/ages.json": None,
            f"{base}/bundle.zip": None,
            "/api/releases": None,
            f"/public/release/{release.id}/": None,
        }
        server = start(home, port)
        try:
            for works in (False, True):
                if works:
                    (home / "curator-works").touch()
                print("a curator previews without a pause" if works else "nobody works", flush=True)
                for path, expected in addresses.items():
                    load(port, path, expected, clients=options.clients, seconds=0.5)
                    found = load(port, path, expected, clients=options.clients, seconds=options.seconds)
                    parts = " ".join(f"{share:.0%} {found.within(share):.1f} ms" for share in (0.5, 0.95, 0.99))
                    print(f"  {path.replace(release.id, '{id}'):42} {found.rate:6.0f}/s  {parts}", flush=True)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
