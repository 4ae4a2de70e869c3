"""Detection proposes, a person accepts, and who reads a release is told: in the ledger, the certificate, the review."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.errors import IntegrityError
from dprelease.model.policy import PlanCheck
from dprelease.store import ledger
from dprelease.store.event import EventKind
from dprelease.workspace.checks import Severity

COMMA: dict[str, Any] = {"decimal": ",", "thousands": ["."], "affixes": ["€"]}
PAY: dict[str, Any] = {"type": "number", "lower": 0, "upper": 100_000}
COLUMNS: dict[str, Any] = {"pay": PAY, "works": {"type": "boolean"}}
WORDS = {"yes": ["ja", "j"], "no": ["nein", "n"]}
SENTENCE = "How cells are read was proposed from the file and accepted by its curator"
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "staff",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "expected": {"rows": 1000},
    "statistics": [{"id": "mean", "kind": "mean", "column": "pay"}],
}


@pytest.fixture
def workspace() -> dprelease.Workspace:
    return dprelease.Workspace.in_memory()


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    (tmp_path / "staff.csv").write_text("pay;works\n48.411,71 €;J\n12 €;N\n", "utf-8")
    return tmp_path / "staff.csv"


def accepting(workspace: dprelease.Workspace, rows: Path, columns: dict[str, Any] = COLUMNS) -> None:
    workspace.add_dataset("staff", rows, columns=columns, epsilon=9, written={"accept": True})


def declared(workspace: dprelease.Workspace) -> list[dict[str, Any]]:
    """What the events that declare columns say beside hashes."""
    kinds = [EventKind.DATASET_REGISTERED, EventKind.SCHEMA_DECLARED]
    events = ledger.events(workspace._state.database, kinds=kinds)
    return [{key: value for key, value in event.body.items() if key.startswith("readings")} for event in events]


def found(workspace: dprelease.Workspace) -> dict[str, Severity]:
    """What a review finds of it, by columns."""
    plan_id = workspace.plans.submit(dprelease.Plan.parse(PLAN))
    checks = [each for each in workspace.plans.review(plan_id).findings if each.check is PlanCheck.READING_PROPOSED]
    return {each.about["columns"]: each.severity for each in checks}


def test_what_cells_proposed_is_stated_of_the_columns_that_a_release_uses(
    workspace: dprelease.Workspace, rows: Path
) -> None:
    accepting(workspace, rows)
    assert declared(workspace) == [{"readings_proposed": ["pay", "works"], "readings_accepted": ["pay", "works"]}]
    assert found(workspace) == {"pay": Severity.NOTICE}
    release = workspace.publish(dprelease.Plan.parse(PLAN))
    assert release.certificate.previews.readings_proposed == ("pay",)
    assert f"{SENTENCE} (pay)." in caveats(release.certificate)
    workspace.ledger.verify()


def test_what_a_person_declares_is_nobody_s_proposal(workspace: dprelease.Workspace, rows: Path) -> None:
    accepting(workspace, rows, {"pay": {**PAY, "reading": COMMA}, "works": {"type": "boolean"}})
    assert declared(workspace) == [{"readings_proposed": ["works"], "readings_accepted": ["works"]}]
    assert found(workspace) == {}
    release = workspace.publish(dprelease.Plan.parse(PLAN))
    assert SENTENCE not in " ".join(caveats(release.certificate))


def test_a_proposal_stands_until_somebody_declares_otherwise(workspace: dprelease.Workspace, rows: Path) -> None:
    accepting(workspace, rows)
    wider = {"pay": {**PAY, "upper": 200_000, "reading": COMMA}, "works": {"type": "boolean", "reading": WORDS}}
    workspace.datasets.describe("staff", wider)
    own = {**wider, "pay": {**wider["pay"], "reading": {**COMMA, "negative": ["brackets"]}}}
    workspace.datasets.describe("staff", own)
    workspace.datasets.describe("staff", wider, proposed=["pay"])
    assert declared(workspace)[1:] == [
        {"readings_proposed": ["pay", "works"]},
        {"readings_proposed": ["works"]},
        {"readings_proposed": ["pay", "works"], "readings_accepted": ["pay"]},
    ]


def test_one_that_was_accepted_after_true_values_were_seen_is_serious(
    workspace: dprelease.Workspace, rows: Path
) -> None:
    accepting(workspace, rows, {"pay": {**PAY, "reading": {"decimal": ","}}})
    workspace.preview(dprelease.Plan.parse(PLAN), draws=2)
    assert found(workspace) == {}
    workspace.datasets.describe("staff", {"pay": {**PAY, "reading": COMMA}}, proposed=["pay"])
    assert found(workspace) == {"pay": Severity.SERIOUS}


def test_a_next_edition_is_read_by_the_same_proposal(workspace: dprelease.Workspace, rows: Path) -> None:
    accepting(workspace, rows)
    more: dict[str, Any] = {"population": "staff", "columns": COLUMNS, "after": "staff"}
    workspace.add_dataset("later", rows, **more)
    assert declared(workspace)[1]["readings_proposed"] == ["pay", "works"]


def test_a_certificate_cannot_say_it_of_a_column_without_a_reading(rows: Path, tmp_path: Path) -> None:
    from dprelease.verdict.recompute import _check_proposed

    workspace = dprelease.Workspace.in_memory()
    accepting(workspace, rows)
    release = workspace.publish(dprelease.Plan.parse(PLAN))
    previews = release.certificate.previews
    _check_proposed(previews, release.certificate.columns)
    with pytest.raises(IntegrityError):
        _check_proposed(previews, dprelease.Plan.parse({**PLAN, "columns": {"pay": PAY}}).schema)
