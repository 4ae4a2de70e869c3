"""Five institutions, each with a workspace and a process of its own, and an office that adds up what they published."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from shutil import make_archive
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.cli import main

SITES = 5
COLUMNS: dict[str, Any] = {
    "ill": {"type": "boolean", "count_missing_as": False},
    "age": {"type": "integer", "lower": 0, "upper": 99, "count_missing_as": 0},
}
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "visits",
    "privacy": {"unit": {"column": "who", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 2},
    "columns": COLUMNS,
    "statistics": [
        {"id": "ages", "kind": "histogram", "column": "age", "bins": 10},
        {"id": "ill", "kind": "crosstab", "columns": ["age", "ill"], "bins": {"age": 5}, "margins": True},
        {"id": "age", "kind": "mean", "column": "age"},
    ],
    "charts": False,
}
PUBLISHING = """
import json, sys
import dprelease
home, table, plan = sys.argv[1:]
workspace = dprelease.Workspace.create(home)
workspace.add_population("patients", unit="person", neighbors="add_remove", epsilon=2)
plan = dprelease.Plan.load(plan)
workspace.add_dataset("visits", table, population="patients", unit_column="who", columns=plan.to_mapping()["columns"])
print(workspace.releases.bundle(workspace.publish(plan).id))
"""


def rows(site: int) -> pandas.DataFrame:
    rng, count = np.random.default_rng(site), 300 * (site + 1)
    who = np.arange(count) // 2
    return pandas.DataFrame({"who": who, "age": rng.integers(0, 100, count), "ill": rng.random(count) < 0.2})


def ledgers(homes: list[Path]) -> list[list[tuple[str, int]]]:
    """The kinds of the events of each ledger, which verifies."""
    found = []
    for home in homes:
        workspace = dprelease.Workspace.open(home)
        workspace.ledger.verify()
        found.append([(event.kind, event.seq) for event in workspace.ledger.events()])
    return found


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return [tmp_path_factory.mktemp("site") / "home" for _ in range(SITES)]


@pytest.fixture(scope="module")
def bundles(homes: list[Path]) -> list[Path]:
    started = []
    for site, home in enumerate(homes):
        table, plan = home.parent / "visits.csv", home.parent / "plan.json"
        rows(site).to_csv(table, index=False)
        plan.write_text(json.dumps(PLAN))
        command = [sys.executable, "-c", PUBLISHING, str(home), str(table), str(plan)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
    return [Path(each.communicate()[0].strip().splitlines()[-1]) for each in started]


@pytest.mark.full
def test_what_five_published_is_one_release(homes: list[Path], bundles: list[Path], tmp_path: Path) -> None:
    before = ledgers(homes)
    assert [sum(kind == "charge" for kind, _ in events) for events in before] == [1] * SITES
    packed = make_archive(str(tmp_path / "last"), "zip", bundles[-1])
    paths, out = [*map(str, bundles[:-1]), packed], tmp_path / "region"
    assert main(["combine", *paths, "--out", str(out)]) == 0
    assert main(["combine", *paths[::-1], "--check", str(out)]) == 0
    facts = json.loads((out / "combined.json").read_text())
    assert [each["loss"]["epsilon_nano"] for each in facts["persons"]] == [n * 2 * 10**9 for n in range(1, SITES + 1)]
    for name in ("ages", "ill"):
        each = [pandas.read_csv(path / "tables" / f"{name}.csv")["value"] for path in bundles]
        assert pandas.read_csv(out / "tables" / f"{name}.csv")["value"].tolist() == sum(each).tolist()  # type: ignore[union-attr]
    assert ledgers(homes) == before


@pytest.mark.full
def test_the_numbers_are_of_all_rows(bundles: list[Path]) -> None:
    """Each is within five half-widths: one of them is beyond, of sums of five Laplace noises, in under 10^-8."""
    found, whole = dprelease.combine(*bundles).estimates, pandas.concat([rows(site) for site in range(SITES)])
    for name, true in (
        ("ages", np.histogram(whole["age"], np.arange(0, 101, 10))[0].tolist()),
        ("age", [whole["age"].mean()]),
    ):
        for value, lower, upper, number in zip(
            found[name]["value"], found[name]["lower95"], found[name]["upper95"], true, strict=True
        ):
            assert lower - 4 * (value - lower) <= number <= upper + 4 * (upper - value), name
