"""Without the folder of a room the rest of the product works, and says what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dprelease.registry import ROOMS

ROOT = Path(__file__).parents[2]
THERE = [name for name in ROOMS if (ROOT / "dprelease" / "extras" / name).is_dir()]
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.mo")
PUBLISHED = """
import sys
import pandas
import dprelease
from dprelease.cli import main
from dprelease.web.site import routes

assert routes()
workspace = dprelease.Workspace.in_memory()
rows = pandas.DataFrame({"sex": ["F", "M"] * 50})
columns = {"sex": {"type": "category", "categories": ["F", "M"]}}
workspace.add_dataset("visits", rows, columns=columns, epsilon=1)
plan = dprelease.Plan.parse({
    "dprelease": 1, "dataset": "visits", "title": "Visits",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "expected": {"rows": 100}, "statistics": [{"id": "n", "kind": "count", "by": ["sex"]}],
})
bundle = workspace.publish(plan).write(sys.argv[1])
assert dprelease.verify(bundle).checks
try:
    workspace.add_dataset("elsewhere", "postgresql://nobody@localhost:1/none/t", columns=columns, epsilon=1)
except dprelease.errors.InputError as error:
    print(error)
print(*sorted(name for name in dprelease.__all__), sep="\\n")
main(["--help"])
"""


@pytest.fixture
def without(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the product without one room."""
    shutil.copytree(ROOT / "dprelease", tmp_path / "dprelease", ignore=LEFT_OUT)
    shutil.rmtree(tmp_path / "dprelease" / "extras" / request.param)
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


SAID = {
    "warehouses": ("the part that reaches tables on servers is not installed", ""),
    "federation": ("", "combine"),
    "lab": ("", "simulate"),
    "remote": ("", "connect"),
}
"""By room: what is said instead, and a command that is not there."""


@pytest.mark.full
@pytest.mark.parametrize("without", THERE, indirect=True)
def test_the_rest_publishes_and_verifies(without: Path, request: pytest.FixtureRequest) -> None:
    room = request.node.callspec.params["without"]
    answer = run(without, "-c", PUBLISHED, "bundle")
    assert "COMMAND" in answer.stdout, answer.stdout + answer.stderr
    said, missing = SAID[room]
    assert said in answer.stdout
    assert not missing or f"\n{missing}\n" not in answer.stdout


@pytest.mark.full
@pytest.mark.parametrize("without", THERE, indirect=True)
def test_the_quick_tests_of_the_rest_pass(without: Path, request: pytest.FixtureRequest) -> None:
    room = request.node.callspec.params["without"]
    for name in ("tests", "pages", "docs", "data", "benchmarks", "adapters", ".streamlit"):
        shutil.copytree(ROOT / name, without / name, ignore=LEFT_OUT, symlinks=True)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, without / path.name)
    quick = ("-m", "quick and not full", "-q", "-p", "no:cacheprovider", f"--ignore=tests/extras/{room}")
    elsewhere = ("--ignore=tests/test_architecture.py", "--ignore=tests/mutants", "--ignore=tests/test_docs.py")
    of_room = [
        path for path in (without / "tests").rglob("test_*.py") if f"dprelease.extras.{room}" in path.read_text()
    ]
    compared = [f"--ignore={path.relative_to(without)}" for path in of_room]  # tests that hold all engines together
    answer = run(without, "-m", "pytest", *quick, *elsewhere, *compared, "tests")
    assert answer.returncode == 0, answer.stdout[-4000:]
