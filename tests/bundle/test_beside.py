"""What was spent in a period, and by populations that overlap, is on the page of a release."""

from __future__ import annotations

from pathlib import Path

import dprelease
from tests.workspace.test_publish import COLUMNS, ROWS, approved, plan


def test_a_page_tells_of_periods_and_of_populations_that_overlap(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path)
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, unit="person")
    asked = {"unit": "person", "neighbors": "add_remove", "epsilon": 1}
    workspace.add_population("b-patients", overlaps={"people": "same"}, **asked)
    workspace.add_dataset("patients", ROWS, population="b-patients", columns=COLUMNS)
    workspace.publish(approved(workspace, plan(0.25, dataset="patients")))
    workspace.populations.open_period("people", "<i>2027</i>", epsilon=1, reason="A new year.")
    release = workspace.publish(approved(workspace, plan(0.5)))
    page = (workspace.releases.bundle(release.id) / "index.html").read_text()
    assert "In the period" in page
    assert "<i>2027</i>" not in page
    assert "b-patients" in page
    assert "0.75" in page
    assert dprelease.verify(workspace.releases.bundle(release.id), key=workspace.public_key)
