"""A job names its edition: however often it runs, and whatever the rows are by then, it pays once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import InputError, InternalError
from dprelease.workspace import publish as publishing
from tests.cli.conftest import Terminal, empty, terminal
from tests.workspace.test_publish import COLUMNS, ROWS, approved, plan

__all__ = ["empty", "terminal"]
MORE = ROWS.assign(age=7)


@pytest.fixture
def ws(tmp_path: Path) -> dprelease.Workspace:
    made = dprelease.Workspace.create(tmp_path / "home")
    made.add_dataset("people", ROWS, columns=COLUMNS, epsilon=3)
    return made


def test_a_name_is_published_once_whatever_the_rows_are(ws: dprelease.Workspace) -> None:
    first = ws.publish(approved(ws, plan(0.5)), once="2026-11")
    for rows in (ROWS, MORE):
        ws.datasets.replace_rows("people", rows, same=True)
        again = ws.publish(approved(ws, plan(0.5)), once="2026-11")
        assert (again.id, dict(again.tables)) == (first.id, dict(first.tables))
    assert ws.populations.budget("people").charges == 1
    found = ws.releases.edition(plan(0.5), "2026-11")
    assert found is not None
    assert found.id == first.id
    assert ws.releases.edition(plan(0.5), "2026-12") is None


def test_another_name_is_another_release_also_of_the_same_rows(ws: dprelease.Workspace) -> None:
    plan_id = approved(ws, plan(0.5))
    november, december = (ws.publish(plan_id, once=name) for name in ("2026-11", "2026-12"))
    assert november.id != december.id
    assert ws.publish(plan_id, once="2026-11").id == november.id
    assert ws.publish(plan_id, once="2026-12", again=True).id == december.id
    assert ws.populations.budget("people").charges == 2


def test_another_plan_under_a_name_is_refused(ws: dprelease.Workspace) -> None:
    ws.publish(approved(ws, plan(0.5)), once="2026-11")
    with pytest.raises(InputError, match="another plan of people"):
        ws.publish(approved(ws, plan(0.25)), once="2026-11")
    ws.add_dataset("others", ROWS, population="people", columns=COLUMNS)
    assert ws.publish(approved(ws, plan(0.25, dataset="others")), once="2026-11")
    assert ws.populations.budget("people").charges == 2
    with pytest.raises(InputError, match="once"):
        ws.publish(approved(ws, plan(0.25)), once="November 2026")


def test_a_release_without_a_name_is_not_paid_for_again_by_accident(ws: dprelease.Workspace) -> None:
    plan_id = approved(ws, plan(0.5))
    ws.publish(plan_id)
    with pytest.raises(InputError, match="again"):
        ws.publish(plan_id, once="2026-11")
    assert ws.populations.budget("people").charges == 1
    ws.publish(plan_id, once="2026-11", again=True)
    assert ws.populations.budget("people").charges == 2


@pytest.mark.parametrize("step", ["draw", "stated", "outputs_hash"])
def test_a_crash_between_pays_once(ws: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise InternalError("a fault")

    with monkeypatch.context() as broken:
        broken.setattr(publishing, step, fails)
        with pytest.raises(InternalError):
            ws.publish(approved(ws, plan(0.5)), once="2026-11")
    if step != "draw":  # else the rows that were charged for are kept until they are drawn from
        ws.datasets.replace_rows("people", MORE)
    release = ws.publish(approved(ws, plan(0.5)), once="2026-11")
    assert ws.populations.budget("people").charges == 1
    assert ws.releases.edition(plan(0.5), "2026-11").id == release.id  # type: ignore[union-attr]
    assert ws.releases.unfinished() == []


def test_nothing_public_tells_the_name(ws: dprelease.Workspace, tmp_path: Path) -> None:
    ws.publish(approved(ws, plan(0.5)), once="secret-edition")
    public = [path for path in (tmp_path / "home" / "public").rglob("*") if path.is_file()]
    assert len(public) > 5
    assert not any(b"secret-edition" in path.read_bytes() for path in public)


def test_a_monthly_job_that_is_run_twice_pays_once(terminal: Terminal) -> None:
    job = ("publish", terminal.plan(), "--once", "2026-11")
    first = terminal.ask(*job)
    assert first["charged"]
    for rows in (3, 4):
        terminal.ask("dataset", "replace", "visits", terminal.table(rows), "--same-rows")
        again = terminal.ask(*job)
        assert (again["release"], again["charged"]) == (first["release"], False)
        assert "Edition 2026-11 of visits was charged before: nothing is charged now." in terminal.say(*job)
    assert [each["state"] for each in terminal.ask("plan", "list")] == ["published"]
    assert "another plan" in terminal.refused("publish", terminal.plan("other", title="Other"), "--once", "2026-11")
    assert terminal.workspace().populations.budget("visits").charges == 1
