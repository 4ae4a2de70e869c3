"""Servers of the dashboard, each a fork of one process in which all of it is loaded.

The command that people use loads for some seconds before it answers; test_first_release.py waits for that.
`python -m tests.browser.servers` is the process that is forked. It reads orders from its input, one a line: a script
to serve, or a server to stop; and answers each with a line.
"""

from __future__ import annotations

import fcntl
import gc
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

from dprelease.web.server import ADDRESS, FRUGAL, HOME, environment
from dprelease.workspace import Workspace
from dprelease.workspace.installed import APP, DASHBOARD
from tests.heard import heard
from tests.mechanisms.seeded import seeded_noise

ROOT = Path(__file__).resolve().parents[2]
HOLD = "hold"
LINK = r"http://\S+/sign-in\?token=\S+"


@dataclass(frozen=True)
class Server:
    """A dashboard that is served."""

    home: Path
    base: str
    link: str
    """Signs the owner in, once."""


def serve(home: Path) -> Iterator[Server]:
    """Serves a workspace, which is made where there is none, until the generator is closed."""
    workspace = Workspace.create(home, exist_ok=True)
    for base in run_script(APP, DASHBOARD, home.parent / f"{home.name}.log", environment(workspace)):
        yield Server(home, base, f"{base}/sign-in?token={workspace.people.sign_in_link()}")


@contextmanager
def held(server: Server) -> Iterator[None]:
    """Publications of a server wait before they draw, however long that takes."""
    with (server.home.parent / HOLD).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run_script(script: Path, folder: Path, log: Path, surroundings: Mapping[str, str]) -> Iterator[str]:
    """Serves a script of Streamlit's in a folder, at the address that is told."""
    order = {"script": str(script), "folder": str(folder), "log": str(log), "environment": dict(surroundings)}
    answer = _asked(order)
    assert answer["port"], log.read_text()
    try:
        yield f"http://{ADDRESS}:{answer['port']}"
    finally:
        _asked({"stop": answer["process"]})


def serve_by_command(home: Path, port: int) -> Iterator[Server]:
    """Starts the command that people use, and reads the sign-in link that it prints."""
    command = [sys.executable, "-m", "dprelease", "serve", "--home", str(home), "--port", str(port), "--no-browser"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        yield Server(home, f"http://127.0.0.1:{port}", re.findall(LINK, heard(process, LINK))[0])
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


@cache
def _loaded() -> subprocess.Popen[str]:
    """The process that is forked, one for each process of tests; it ends with it."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.browser.servers"],
        cwd=ROOT,
        env={**os.environ, **FRUGAL},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def end() -> None:
    """Ends the process that is forked, where there is one."""
    if _loaded.cache_info().currsize:
        _loaded().communicate()
        _loaded.cache_clear()


def _asked(order: dict[str, Any]) -> dict[str, Any]:
    process = _loaded()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(order) + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def _load() -> None:
    """Loads what `warm_up` does in each server."""
    for name in ("streamlit.web.cli", "streamlit.web.bootstrap", "dprelease.web.run", "dprelease.web.site"):
        import_module(name)
    for name in ("altair", "pandas", "vl_convert", "dprelease.charts.render"):
        import_module(name)
    ui = import_module("dprelease.ui")
    for module in walk_packages(ui.__path__, "dprelease.ui."):
        if not module.name.endswith(".shell"):  # a script, which shows a page
            import_module(module.name)
    gc.collect()
    gc.freeze()


def _forked(order: dict[str, Any]) -> dict[str, Any]:
    """Forks a server, and waits until it listens; its port is 0 where it ended before."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        try:
            os.close(reading)
            _become(order, writing)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as told:
        return {"process": process, "port": int(told.read() or 0)}


def _become(order: dict[str, Any], told: int) -> None:
    from streamlit import config
    from streamlit.web import bootstrap

    from dprelease.charts import process
    from dprelease.ui import warm
    from dprelease.web import run
    from dprelease.workspace import publish

    def listens(**_: object) -> None:
        os.write(told, str(config.get_option("server.port")).encode())
        os.close(told)

    os.setsid()
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.environ.update(order["environment"])
    os.chdir(order["folder"])
    warm.warm_up = lambda: None  # it is
    draw, hold = publish.draw, Path(order["folder"], os.environ.get(HOME, "")).parent / HOLD

    def waiting(*given: Any) -> Any:
        if hold.exists():
            with hold.open() as file:
                fcntl.flock(file, fcntl.LOCK_SH)
        return draw(*given)

    publish.draw = waiting
    process.draw_beside = lambda: None  # another process would load for seconds
    bootstrap._print_url = listens
    sys.argv = ["streamlit", "run", order["script"], "--server.port=0", f"--server.address={ADDRESS}"]
    run.main()


def _stopped(process: int) -> dict[str, Any]:
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGTERM)
    os.waitpid(process, 0)
    return {}


def main() -> None:
    """Noise is from a seed in what is forked, as in the tests that ask it."""
    _load()
    with seeded_noise():
        _serve()


def _serve() -> None:
    running: set[int] = set()
    while line := sys.stdin.readline():
        order = json.loads(line)
        if "stop" in order:
            running.discard(order["stop"])
            answer = _stopped(order["stop"])
        else:
            answer = _forked(order)
            running.add(answer["process"])
        print(json.dumps(answer), flush=True)
    for process in running:
        _stopped(process)


if __name__ == "__main__":
    main()
