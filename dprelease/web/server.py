"""Starts the dashboard on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import webbrowser
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from dprelease.errors import InputError
from dprelease.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "127.0.0.1"
START_SECONDS = 60


def serve(home: Path, *, port: int, browser: bool) -> int:
    """Runs the server until it is stopped; prints a one-time sign-in link as soon as it answers.

    Where it runs already, only the link is printed. Returns the server's exit code. Raises InputError where the
    dashboard is not there.
    """
    app = ROOT / "app.py"
    if not app.is_file():
        raise InputError(
            "app.py",
            found="no dashboard beside the package",
            allowed="a checkout of the project",
            remedy="Clone the project and run it there.",
        )
    workspace, base = Workspace.open(home), f"http://{ADDRESS}:{port}"
    if _is_up(base):
        _greet(base, workspace, browser=browser)
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # else the server would outlive this process
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(app),
        f"--server.port={port}",
        f"--server.address={ADDRESS}",
    ]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "DPRELEASE_HOME": str(home.resolve())})  # noqa: S603
    try:
        if _answers(base, process):
            _greet(base, workspace, browser=browser)
        return process.wait()
    except KeyboardInterrupt:
        return 0
    finally:
        process.terminate()
        process.wait()


def _greet(base: str, workspace: Workspace, *, browser: bool) -> None:
    link = f"{base}/sign-in?token={workspace.sign_in_link()}"
    print(f"\n  Dashboard:  {base}\n  Sign in as the owner (works once, for an hour):\n\n  {link}\n", flush=True)
    if browser and _has_desktop():
        webbrowser.open(link)


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
