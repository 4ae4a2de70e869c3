"""Where peers live: an environment for each file of pins, made on first use and kept."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
ENVIRONMENTS = Path(tempfile.gettempdir()) / "dprelease-peers"


class UnavailableError(Exception):
    """Why a peer cannot be asked here."""


def interpreter(requirements: Path, environments: Path = ENVIRONMENTS, *, needs: str | None = None) -> Path:
    """The Python of an environment, made where it is not there yet or its pins have changed.

    `needs`: a command that must be on the PATH, without which the environment would be of no use.
    """
    if needs and not shutil.which(needs):
        raise UnavailableError(f"needs {needs}, which is not installed here")
    folder = environments / f"{requirements.stem}-{hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]}"
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.exists():
        steps = ["-m", "venv", "--clear", str(folder)], ["-m", "pip", "install", "-q", "-r", str(requirements)]
        for command, arguments in zip((sys.executable, str(python)), steps, strict=True):
            done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
            if done.returncode:
                raise UnavailableError(
                    "does not install: " + (done.stderr.strip().splitlines() or ["no reason given"])[-1]
                )
        ready.touch()
    return python


def pinned(environment: str) -> Path:
    """requirements-<environment>.txt; libraries that do not agree on what they need live apart."""
    return HERE / "peers" / ("requirements" + (f"-{environment}" if environment else "") + ".txt")


def pinned_version(requirements: Path, package: str) -> str:
    """The version of a package that a file of pins names."""
    pins = (line.partition("==") for line in requirements.read_text(encoding="utf-8").splitlines())
    return next(pin for name, _, pin in pins if name.partition("[")[0] == package)


def machine() -> str:
    """What was measured on, and when."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    processor = next(names, platform.machine())
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0
    found = f"{datetime.now(UTC).date()}: {processor}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return found + (f"; other work kept the machine busy (load {busy:.0f})" if busy > 2 * (os.cpu_count() or 1) else "")


def put(page: Path, section: str, text: str) -> None:
    """Puts a text between a section's markers in a page, or at its end."""
    begin, end = f"<!-- {section}: begin -->", f"<!-- {section}: end -->"
    found = page.read_text(encoding="utf-8")
    if begin not in found:
        found = f"{found.rstrip()}\n\n{begin}\n{end}\n"
    before, rest = found.split(begin)
    page.write_text(f"{before}{begin}\n{text.strip()}\n{end}{rest.split(end)[1]}", encoding="utf-8")
