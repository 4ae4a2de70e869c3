"""A plan says beforehand what its release has to show; one that fails publishes that it failed, and what it cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.bundle.signing import SigningKey
from dprelease.errors import IntegrityError, PlanError
from dprelease.model.encoding import pretty
from tests.verdict.forging import entered, signed
from tests.workspace.test_publish import COLUMNS, approved, plan

ROWS = pandas.DataFrame({"age": [30] * 100_000, "sex": ["F", "F", "F", "F", "M"] * 20_000})
EASY: list[dict[str, Any]] = [
    {"statistic": "n", "error": 1000},
    {"statistic": "by_sex", "relative_error": 0.05},
    {"statistic": "by_sex", "ranking": 1},
]
HARD: dict[str, Any] = {"statistic": "by_sex", "relative_error": 0.0001}


def asking(*accept: dict[str, Any]) -> dprelease.Plan:
    return plan(0.5, accept=list(accept))


@pytest.fixture
def ws(tmp_path: Path) -> dprelease.Workspace:
    made = dprelease.Workspace.create(tmp_path / "home")
    made.add_dataset("people", ROWS, columns=COLUMNS, epsilon=5)
    return made


def test_a_release_that_shows_what_was_asked_is_published_whole(ws: dprelease.Workspace, tmp_path: Path) -> None:
    release = ws.publish(approved(ws, asking(*EASY)))
    assert [(each.statistic, each.held) for each in release.certificate.criteria] == [
        (line["statistic"], True) for line in EASY
    ]
    assert sorted(release.tables) == ["by_sex", "n"]
    assert dprelease.verify(release.write(tmp_path / "out"), key=ws.public_key).release.tables == release.tables


def test_one_that_does_not_publishes_that_and_its_cost_and_nothing_else(
    ws: dprelease.Workspace, tmp_path: Path
) -> None:
    release = ws.publish(approved(ws, asking(EASY[0], HARD)))
    assert release.is_withheld
    assert [line.held for line in release.certificate.criteria] == [True, False]
    assert (dict(release.tables), ws.populations.budget("people").spent.epsilon) == ({}, 0.5)
    folder = release.write(tmp_path / "out")
    assert list(folder.glob("tables/*")) == list(folder.glob("charts/*")) == []
    assert "failed what was asked of it" in (folder / "index.html").read_text()
    assert dprelease.verify(folder, key=ws.public_key).release.is_withheld
    again = ws.publish(approved(ws, asking(EASY[0], HARD)))
    assert again.id == release.id, "asking again draws nothing again"
    with ws._state.database.reading() as connection:
        (sealed,) = connection.execute("SELECT sealed FROM releases").fetchone()
    assert json.loads(sealed) == {}, "nothing of what was drawn is kept"


def test_what_is_known_to_fail_is_refused_before_it_costs_anything(ws: dprelease.Workspace) -> None:
    with pytest.raises(PlanError, match=r"accept\[0\]\.error"):
        ws.plans.submit(asking({"statistic": "n", "error": 0.5}))
    assert ws.populations.budget("people").charges == 0


def test_a_certificate_cannot_claim_a_criterion_that_its_tables_do_not_meet(
    ws: dprelease.Workspace, tmp_path: Path
) -> None:
    folder = ws.publish(approved(ws, asking(EASY[1]))).write(tmp_path / "out")
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    certificate = json.loads(contents["release.json"])
    certificate["plan"]["accept"] = [HARD]
    certificate["plan_hash"] = dprelease.Plan.parse(certificate["plan"]).hash
    certificate["criteria"] = [{**HARD, "held": True}]
    key = SigningKey.in_memory()
    forged = {**contents, "release.json": pretty(certificate)}
    with pytest.raises(IntegrityError, match="criteria"):
        dprelease.verify(signed(forged, tmp_path / "forged", key, entered(forged, key)))
