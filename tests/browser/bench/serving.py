"""Runs the page of the component with a Python of one's choice, wherever its dprelease comes from."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.http import free_port
from tests.heard import heard

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
ADDRESS = r"URL: (http://127\.0\.0\.1:\d+)"


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
    command = [python, "-m", "streamlit", "run", str(script), "--server.port", str(port)]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={"PYTHONPATH": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield re.findall(ADDRESS, heard(process, ADDRESS))[0]
    finally:
        process.terminate()
        process.wait()
