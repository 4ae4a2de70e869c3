"""Finds the Chromium that the browser tests drive, and installs one where there is none.

Run as a script (`make test` does) it makes sure that one is there. Tests ask `find_chromium()` where it is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

FONTS = "fonts-liberation"
NAMES = ("chromium", "chromium-browser", "google-chrome")
"""What the browser is called where a system package installed it."""


def find_chromium() -> str | None:
    """The path of a Chromium that starts: the system's if there is one, else Playwright's own, else None."""
    for name in NAMES:
        if (path := shutil.which(name)) and _starts(path):
            return path
    return _playwright_chromium()


def install_chromium() -> str:
    """Installs Chromium unless one is found; returns its path. Raises RuntimeError where no way worked."""
    for command in ([], *_ways_to_install()):
        if command:
            print("Installing Chromium for the browser tests:", " ".join(command), flush=True)
            subprocess.run(command, check=False, stdin=subprocess.DEVNULL)
        if path := find_chromium():
            return path
    raise RuntimeError(
        "No Chromium was found and none could be installed. Install your system's chromium package, "
        "then run this again."
    )


def _ways_to_install() -> list[list[str]]:
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    playwright = [sys.executable, "-m", "playwright", "install"]
    ways = []
    if is_root and shutil.which("apt-get"):
        apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
        ways += [[*apt, "update"], [*apt, "install", "--yes", "--no-install-recommends", "chromium", FONTS]]
    if is_root:
        ways.append([*playwright, "--with-deps", "chromium"])
    ways.append([*playwright, "chromium"])
    return ways


def _playwright_chromium() -> str | None:
    from playwright.sync_api import sync_playwright  # slow to import, and not needed where the system has one

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _starts(path: str) -> bool:
    """Whether it runs at all: some systems ship a placeholder under this name."""
    try:
        answer = subprocess.run([path, "--version"], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0


if __name__ == "__main__":
    try:
        install_chromium()
    except RuntimeError as error:
        sys.exit(str(error))
