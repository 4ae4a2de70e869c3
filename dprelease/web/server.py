"""Starts the dashboard on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar
from urllib.error import URLError
from urllib.request import urlopen

from dprelease.errors import DPReleaseError
from dprelease.model.actor import OWNER, Actor
from dprelease.web.limits import api_per_minute
from dprelease.web.provider import FILE as PROVIDER
from dprelease.web.provider import configured
from dprelease.web.run import proxies
from dprelease.words import phrase
from dprelease.workspace import Workspace
from dprelease.workspace.installed import APP, DASHBOARD, SETTINGS
from dprelease.workspace.outside import VARIABLE as CHECKPOINT
from dprelease.workspace.process import VARIABLE as HOME
from dprelease.workspace.uploads import IMPORT

T = TypeVar("T")

ADDRESS = "127.0.0.1"
START_SECONDS = 60
FRUGAL = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "1048576",
    "DPRELEASE_SORT_MB": "32",
}
"""Each thread would keep memory of its own that others cannot use, and a page is a thread; rows are sorted in parts."""


def serve(workspace: Workspace, actor: Actor | None, *, port: int, browser: bool, hosts: Sequence[str] = ()) -> int:
    """Run the server until it is stopped; print a one-time sign-in link as soon as it answers.

    Before, the ledger is checked beside a checkpoint that is kept outside, and interrupted releases are finished; what
    goes wrong there is printed. Where the server runs already, only the link is printed. `actor`: who does that and
    signs in, by default the owner. `hosts`: names that browsers call the server by, beside those of this machine.
    Returns the server's exit code. Raises InputError where a setting of the server is wrong.
    """
    base, person = f"http://{ADDRESS}:{port}", actor or OWNER
    if _is_up(base):
        _greet(base, workspace, person, browser=browser)
        return 0
    configured()
    proxies()
    api_per_minute()
    _prepare(workspace, person)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # else the server would outlive this process
    command = [
        sys.executable,
        "-m",
        "dprelease.web.run",
        "run",
        str(APP),
        f"--server.port={port}",
        f"--server.address={ADDRESS}",
        *_allowed(hosts),
    ]
    process = subprocess.Popen(command, cwd=DASHBOARD, env=environment(workspace))  # noqa: S603
    try:
        if _answers(base, process):
            _greet(base, workspace, person, browser=browser)
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        process.terminate()
        process.wait()


def _allowed(hosts: Sequence[str]) -> list[str]:
    """Return the settings by which the server answers to more names than those it answers to anyway."""
    own = tomllib.loads(SETTINGS.read_text("utf-8"))["server"]["allowedHosts"] if hosts else ()
    return [f"--server.allowedHosts={name.lower()}" for name in (*own, *hosts)]


def _prepare(workspace: Workspace, person: Actor) -> None:
    """Nothing here keeps the dashboard from being served: the workspace itself refuses what must not be done."""
    if os.environ.get(CHECKPOINT):
        _attempt(lambda: workspace.ledger.verify(actor=person))
    resumed = _attempt(lambda: workspace.releases.resume(paced=True, actor=person))
    if resumed is not None:
        for release in resumed.finished:
            print(phrase("cli.published_now", release=release.id), flush=True)
        for release_id, why in resumed.failed.items():
            print(phrase("cli.stays_interrupted", release=release_id, why=why), file=sys.stderr, flush=True)


def _attempt(act: Callable[[], T]) -> T | None:
    try:
        return act()
    except (DPReleaseError, OSError) as error:
        print(f"dprelease: {error}", file=sys.stderr, flush=True)
        return None


def environment(workspace: Workspace) -> dict[str, str]:
    """Return the environment of the server, which runs in another folder than this process."""
    files = {name: os.environ[name] for name in (CHECKPOINT, PROVIDER) if os.environ.get(name)}
    found = {name: str(Path(path).resolve()) for name, path in files.items() if "://" not in path}
    if folders := os.environ.get(IMPORT):
        found[IMPORT] = os.pathsep.join(str(Path(path).resolve()) for path in folders.split(os.pathsep) if path)
    return {**FRUGAL, **os.environ, **found, HOME: str(workspace.home)}


def _greet(base: str, workspace: Workspace, person: Actor, *, browser: bool) -> None:
    link = f"{base}/sign-in?token={workspace.people.sign_in_link(person)}"
    name = phrase("cli.the_owner") if person == OWNER else person.name
    lines = [phrase("cli.dashboard_at", address=base), phrase("cli.sign_in_as", name=name), "", link, ""]
    lines += _reviewer(base, workspace) if person == OWNER else []
    lines += [phrase("cli.public_at"), "", f"{base}/public/"]
    print("", *(f"  {line}" if line else "" for line in lines), "", sep="\n", flush=True)
    if browser and _has_desktop():
        webbrowser.open(link)


def _reviewer(base: str, workspace: Workspace) -> list[object]:
    """Return the sign-in link of the sample's second person, where the workspace has her."""
    from dprelease.workspace import sample

    if sample.REVIEWER not in {each.name for each in workspace.people.find(actor=OWNER) if not each.disabled}:
        return []
    token = workspace.people.sign_in_link(workspace.people.get(sample.REVIEWER))
    said = phrase("cli.sign_in_as_reviewer", name=sample.REVIEWER)
    return [said, "", f"{base}/sign-in?token={token}", ""]


def _answers(base: str, process: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if _is_up(base):
            return True
        time.sleep(0.1)
    return False


def _is_up(base: str) -> bool:
    try:
        with urlopen(f"{base}/_stcore/health", timeout=1):  # noqa: S310 (a fixed address of this machine)
            return True
    except (URLError, OSError):
        return False


def _has_desktop() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
