"""The benchmarks run, and measure what they say; how fast this machine is is no test's business."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import duckdb
import pytest

from benchmarks import runs, wide
from benchmarks.measure import Figure, Run, measure
from benchmarks.workload import NON_PRIVATE, table
from dprelease.workspace import Workspace

SUMS_OF_1000 = (97805, 51586, 100133826.0, 20)


def test_a_release_of_the_workload_is_timed_up_to_its_seal(tmp_path: Path) -> None:
    path, home = table(tmp_path, 2000), tmp_path / "home"
    home.mkdir()
    given = Namespace(unit="person", path=path, home=home, histograms=0, cells=0)
    assert runs.register(given)["seconds"] > 0
    found = runs.release(given)
    assert 0 < found["drawn"] < found["seconds"]
    assert found["peak_mb"] > 10
    (release,) = Workspace.open(home).releases.find()
    rows = duckdb.sql(NON_PRIVATE["person"].format(path=path)).fetchall()
    (exact,) = (count for *keys, count, _ in rows if keys == [None] * 4)
    assert abs(release.estimates["n"]["value"][0] - exact) < 700, "noise of scale 40"


def test_the_workload_is_the_same_for_the_same_size(tmp_path: Path) -> None:
    sums = "SELECT sum(person_id), sum(age), sum(income), count(DISTINCT region) FROM '{}'"
    (found,) = duckdb.sql(sums.format(table(tmp_path, 1000))).fetchall()
    assert found == SUMS_OF_1000


def test_a_wide_file_is_registered_while_the_processor_is_timed(tmp_path: Path) -> None:
    assert wide.seconds(tmp_path, wide.written(tmp_path, 30, 5)) > 0
    assert len(Workspace.open(tmp_path / "home").datasets.columns("wide")) == 30


def test_what_fails_is_told_and_not_run_again() -> None:
    quick = Run("quick", ("python3", "-c", 'print(\'{"seconds": 1, "processor": 1, "peak_mb": 1}\')'))
    found = measure([quick, Run("broken", ("python3", "-c", "raise SystemExit('no such thing')"))], 2)
    assert len(found["quick"].found) == 2
    assert found["broken"].problem == "no such thing"


def test_a_busy_machine_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = Figure([json.loads('{"seconds": 9, "processor": 0.1, "peak_mb": 1}')])
    monkeypatch.setattr("os.getloadavg", lambda: (999.0, 0.0, 0.0))
    assert figure.within(10) == "met"
    assert "busy" in figure.within(5)
    assert figure.within(0.0001) == "missed"
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    assert figure.within(5) == "missed"
