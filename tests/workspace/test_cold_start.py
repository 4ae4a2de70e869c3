"""What a process of its own loads: `dprelease publish` before its seal, `dprelease verify`, and a list of commands."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dprelease.statistics import Plan
from dprelease.workspace import Workspace
from tests.bundle import kinds
from tests.verdict.forging import COUNT, FRAME

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "pandas",
    "altair",
    "vl_convert",
    "streamlit",
    "sklearn",
    "scipy",
    "dp_accounting",
    "pyarrow",
    "psycopg",
    "pyspark",
)
OTHERS = ("dprelease.statistics.kinds.covariance", "dprelease.charts.process", "http.client")
"""Kinds that the plan does not ask for, what comes after the seal, and what a web address would need."""
SCRIPT = """
import json, sys
from dprelease.workspace import publish
from dprelease.cli import main

announce = publish.announce

def sealed(*arguments):
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
    return announce(*arguments)

publish.announce = sealed
sys.exit(main(["publish", *sys.argv[1:]]))
"""


def test_nothing_heavy_is_loaded_up_to_the_seal(tmp_path: Path) -> None:
    """Charts, pages and data frames are for what follows, and would double the time of a small release."""
    table = tmp_path / "table.csv"
    table.write_text("age\n" + "30\n" * 50)
    workspace = Workspace.create(tmp_path / "home")
    workspace.add_dataset("t", table, epsilon=10)
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "columns": {"age": {"type": "integer", "lower": 0, "upper": 100}},
        "statistics": [{"id": "mean", "kind": "mean", "column": "age"}],
    }
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan))
    workspace.plans.approve(workspace.plans.submit(Plan.parse(plan)))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(file), "--home", str(tmp_path / "home")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    loaded = json.loads(done.stderr.splitlines()[0])
    assert "duckdb" in loaded
    assert [name for name in (*HEAVY, *OTHERS) if name in loaded] == []


@pytest.mark.full
@pytest.mark.parametrize(
    "call", ["dprelease.verify(path, pictures=False)", "dprelease.cli.main(['verify', '--no-pictures', path])"]
)
def test_a_bundle_is_verified_without_facade_database_and_engine(tmp_path: Path, call: str) -> None:
    """And without what draws, where pictures are left out."""
    workspace = Workspace.in_memory()
    workspace.add_dataset("t", FRAME, unit_column="id", epsilon=5)
    plan_id = workspace.plans.submit(Plan.parse(COUNT))
    workspace.plans.approve(plan_id)
    script = f"import json, sys, dprelease, dprelease.cli\npath = sys.argv[1]\n{call}\n"
    script += "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script, str(workspace.publish(plan_id).write(tmp_path))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    loaded = json.loads(done.stderr.splitlines()[-1])
    assert "dprelease.verdict.verify" in loaded
    closed = (
        *HEAVY,
        *OTHERS,
        "opendp",
        "duckdb",
        "sqlite3",
        "sqlite_utils",
        "dprelease.workspace",
        "dprelease.store.database",
    )
    assert [name for name in closed if name in loaded] == []


@pytest.mark.full
def test_every_kind_is_verified_without_data_frames() -> None:
    """Rows that are nobody's are written as Parquet again, for which Arrow imports pandas if it may."""
    script = (
        "import json, sys, dprelease.cli\nassert dprelease.cli.main(['verify', '--no-pictures', sys.argv[1]]) == 0\n"
    )
    script += "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script, str(kinds.bundle(kinds.PLAN))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    loaded = json.loads(done.stderr.splitlines()[-1])
    assert "pyarrow.parquet" in loaded
    assert [name for name in HEAVY if name in loaded and name != "pyarrow"] == []


@pytest.mark.parametrize("words", [["--help"], ["verify", "--help"], ["ledger", "list", "--help"]])
def test_commands_are_listed_without_what_they_do(words: list[str]) -> None:
    script = "import json, sys, dprelease.cli\ntry:\n    dprelease.cli.main(sys.argv[1:])\n"
    script += "finally:\n    print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script, *words], cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    loaded = json.loads(done.stderr.splitlines()[-1])
    assert done.stdout.startswith("usage: ")
    closed = (*HEAVY, "numpy", "duckdb", "opendp", "sqlite3", "sqlite_utils", "yaml", "jinja2", "msgspec", "babel")
    rooms = ("dprelease.workspace", "dprelease.verdict", "dprelease.statistics", "dprelease.model.plan")
    assert [name for name in (*closed, *rooms) if name in loaded] == []
