"""A copy of a workspace on a medium that can only be read: everything about the ledger can be asked of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import dprelease
from dprelease.errors import InputError
from tests.trust import world
from tests.trust.test_faults import read_only


@pytest.fixture
def medium(tmp_path: Path) -> Iterator[Path]:
    """A closed workspace with a release, where nothing can be written."""
    workspace = world.solo(tmp_path / "home")
    world.publish(workspace, 0.25)
    workspace._state.database.close()
    with read_only(tmp_path / "home"):
        if os.access(tmp_path / "home", os.W_OK):
            pytest.skip("nothing can be made read-only here")
        yield tmp_path / "home"


def ask(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dprelease", *words, "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.full
def test_the_ledger_and_the_releases_can_be_read_and_verified(medium: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in medium.rglob("*")}
    for words in (
        ["ledger", "verify"],
        ["ledger", "list"],
        ["ledger", "export", str(tmp_path / "events.jsonl")],
        ["release", "list"],
        ["population", "list"],
        ["dataset", "list"],
        ["plan", "list"],
    ):
        answer = ask(medium, *words)
        assert (answer.returncode, answer.stderr) == (0, ""), words
    assert "events" in ask(medium, "ledger", "verify").stdout
    events = (tmp_path / "events.jsonl").read_text().splitlines()
    workspace = dprelease.Workspace.open(medium)
    assert len(events) == workspace.ledger.count() == workspace.ledger.verify()
    assert json.loads(events[0])["public"]["seq"] == 1
    (release,) = workspace.releases.find()
    assert dprelease.verify(medium / "public" / release.id, key=workspace.public_key)
    assert {path: path.stat().st_mtime_ns for path in medium.rglob("*")} == before


def test_what_would_write_is_refused_in_words(medium: Path) -> None:
    workspace = dprelease.Workspace.open(medium)
    for act in (
        lambda: workspace.plans.set_preview_policy("blind"),
        lambda: workspace.plans.submit(world.plan(0.25, "More")),
        lambda: workspace.ledger.checkpoint(),
    ):
        with pytest.raises(InputError, match="nothing can be written"):
            act()


def test_a_log_beside_the_ledger_is_not_left_out(tmp_path: Path) -> None:
    workspace = world.solo(tmp_path / "home")
    with read_only(tmp_path / "home"):
        if os.access(tmp_path / "home", os.W_OK):
            pytest.skip("nothing can be made read-only here")
        with pytest.raises(InputError, match=r"ledger\.db-wal"):
            dprelease.Workspace.open(tmp_path / "home")
    assert workspace.ledger.count() > 0
