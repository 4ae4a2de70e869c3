"""Runs the page of the component with a Python of one's choice, wherever its dprelease comes from."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from benchmarks.http import free_port

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SECONDS = 90


def copied(folder: Path) -> Path:
    """The page and what it imports, without the checkout around it."""
    place = folder / HERE.relative_to(ROOT)
    shutil.copytree(HERE, place, ignore=shutil.ignore_patterns("__pycache__"))
    for package in (folder / "tests", folder / "tests" / "browser"):
        (package / "__init__.py").touch()
    (folder / ".streamlit").mkdir()
    shutil.copyfile(ROOT / ".streamlit" / "config.toml", folder / ".streamlit" / "config.toml")
    return folder


@contextmanager
def serving(python: str, folder: Path) -> Iterator[str]:
    """The address of the page, served from a folder that holds it."""
    port = free_port()
    script = folder / HERE.relative_to(ROOT) / "server.py"
    log = folder / "log.txt" if folder != ROOT else None
    command = [python, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    with open(log or "/dev/null", "w") as output:
        process = subprocess.Popen(command, cwd=folder, env={"PYTHONPATH": str(folder)}, stdout=output, stderr=output)
    try:
        deadline = time.monotonic() + SECONDS
        base = f"http://127.0.0.1:{port}"
        while not answers(f"{base}/_stcore/health"):
            assert process.poll() is None, log and log.read_text()
            assert time.monotonic() < deadline, log and log.read_text()
            time.sleep(0.2)
        yield base
    finally:
        process.terminate()
        process.wait(timeout=30)


def answers(address: str) -> bool:
    try:
        with urlopen(address) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
