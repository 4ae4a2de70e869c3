"""A researcher does what docs/using-rows.md tells, with a bundle alone."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "using-rows.md").read_text()
(NOTEBOOK,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
(PLAN,) = re.findall(r"^```yaml\n(dprelease: 1\n.*?)^```", PAGE, re.M | re.S)
COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 20, "upper": 69},
    "profession": {"type": "category", "categories": ["nurse", "doctor"]},
    "shift": {"type": "category", "categories": ["early", "late", "night"]},
    "pay": {"type": "number", "lower": 0, "upper": 100, "resolution": 1},
}
PEOPLE, SLOPE, MORE = 20_000, 0.8, 20


def clinic() -> pandas.DataFrame:
    """Doctors work at night, and get more; pay grows with age."""
    places, draws = np.arange(PEOPLE), np.random.default_rng(5)
    doctor = places % 4 == 0
    shift = np.where(doctor & (places % 8 == 0), "night", np.where(places % 3 == 0, "late", "early"))
    age = 20 + (places * 37) % 50
    pay = np.rint(10 + SLOPE * age + MORE * doctor + draws.normal(0, 3, PEOPLE)).clip(0, 100)
    return pandas.DataFrame({"age": age, "profession": np.where(doctor, "doctor", "nurse"), "shift": shift, "pay": pay})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With the bundle of a release."""
    made = tmp_path_factory.mktemp("notebook")
    workspace = dprelease.Workspace.create(made / "w")
    workspace.add_population("staff", unit="person", neighbors="add_remove", epsilon=100, delta="1e-6", currency="zcdp")
    workspace.add_dataset("clinic", clinic(), population="staff", columns=COLUMNS)
    plan_id = workspace.plans.submit(dprelease.Plan.parse_text(PLAN))
    workspace.plans.approve(plan_id)
    workspace.publish(plan_id).write(made / "b").rename(made / "bundle")
    return made


@pytest.mark.full
def test_a_researcher_s_notebook(folder: Path) -> None:
    """Measured intervals are 4 times as wide here, so that none is missed by noise more often than in 1e-9."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = subprocess.run(
        [sys.executable, "-c", NOTEBOOK], cwd=folder, check=True, env=environment, capture_output=True
    )
    assert b"covered" in told.stdout
    true, table, line = clinic(), pandas.read_csv(folder / "table.csv"), pandas.read_csv(folder / "line.csv")
    counts = true.groupby(["profession", "shift"]).size()
    assert len(table) == 6
    for row in table.itertuples():
        half = row.upper95 - row.value
        known = counts.get((row.profession, row.shift), 0)
        assert abs(row.value - known) <= 4 * half
        assert abs(row.rows - known) <= 4 * half + 0.01 * PEOPLE
    assert list(line.iloc[:, 0]) == ["(intercept)", "age", "profession: doctor"]
    expected = np.linalg.lstsq(
        np.column_stack([np.ones(PEOPLE), true["age"], true["profession"] == "doctor"]), true["pay"], rcond=None
    )[0]
    for place, row in enumerate(line.itertuples()):
        assert abs(row.value - expected[place]) <= 4 * (row.upper95 - row.lower95)
    assert line["rows"][1] == pytest.approx(SLOPE, rel=0.2)
    assert line["rows"][2] == pytest.approx(MORE, rel=0.2)
