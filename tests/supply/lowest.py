"""Tries the oldest libraries that are allowed, `make lowest`: README's Python block and the core's quick tests.

They are resolved with all extras but Spark, and installed into build/lowest beside what the tests take.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
PLACE = Path("build", "lowest")
TESTED = ("csvw", "frictionless", "hypothesis", "jsonschema", "pytest", "pytest-xdist", "setuptools")
BROWSER = "--ignore=tests/bundle/test_in_chromium.py"
CORE = ("accounting", "bundle", "mechanisms", "model", "reader", "statements", "statistics", "table", "verdict")
BLOCK = "from tests.supply.lowest import readme; readme()"


def readme() -> None:
    """Run the Python block of README.md on the sample, in a folder of its own, and verify what it wrote."""
    import os

    import pandas

    import dprelease
    from dprelease.cli import main

    (block,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        assert main(["demo", "--out", "."]) == 0
        pandas.read_csv("visits.csv").to_parquet("visits.parquet")
        names: dict[str, object] = {}
        exec(block, names)
        release, workspace = names["release"], names["ws"]
        assert isinstance(release, dprelease.Release)
        assert isinstance(workspace, dprelease.Workspace)
        print(dprelease.verify(f"out/{release.id}", key=workspace.public_key).words)
        os.chdir(ROOT)


def main() -> int:
    """Resolve, install, and run both."""
    uv, python = str(Path(sys.executable).with_name("uv")), PLACE / "env" / "bin" / "python"
    PLACE.mkdir(parents=True, exist_ok=True)
    resolved, wheels = str(PLACE / "requirements.txt"), ("--only-binary", ":all:")
    lowest = ("--resolution", "lowest-direct", "--python-version", "3.11", "--override", "requirements-left-out.txt")
    commands = [
        [
            uv,
            "pip",
            "compile",
            "-q",
            "--no-config",
            *lowest,
            *wheels,
            "--extra",
            "all",
            "pyproject.toml",
            "-o",
            resolved,
        ],
        [uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(PLACE / "env")],
        [uv, "pip", "install", "--quiet", "--python", str(python), *wheels, "--requirement", resolved, *TESTED],
        [str(python), "-c", BLOCK],
        [
            str(python),
            "-m",
            "pytest",
            "-q",
            "-n",
            "2",
            "-m",
            "quick and not full",
            BROWSER,
            *(f"tests/{room}" for room in CORE),
        ],
    ]
    for command in commands:
        if code := subprocess.run(command, cwd=ROOT, check=False).returncode:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
