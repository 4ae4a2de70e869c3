"""Nothing that depends on a row crosses before a charge: the whole traffic is that of any other table, and of none."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas
import pytest
from starlette.testclient import TestClient

from dprelease.workspace import Workspace, jobs, process
from dprelease.workspace import publish as publishing
from tests.extras.remote import office
from tests.extras.remote.office import BASE, approve, plan
from tests.extras.remote.test_routes import by, publish, submit

MADE = {
    rb"plan-[0-9a-f]{12}": b"plan-............",
    rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z": b"a moment",
    rb"[a-z0-9-]+-[0-9a-f]{8}": b"a release",
}
"""Ids and times, of which each conversation has its own, of one length each."""


@contextmanager
def at(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(process.VARIABLE, str(workspace.home))
    process.current.cache_clear()
    yield
    process.current.cache_clear()


def traffic(ours: Any, workspace: Workspace, *, hidden: bool) -> list[bytes]:
    """All that an analyst receives of everything there is to ask, up to the charge. `hidden`: no table can be read."""
    client = TestClient(ours, base_url="https://127.0.0.1:8501", follow_redirects=False)
    secret, found, tables = office.token(workspace), [], workspace.home / "private" / "tables"
    if hidden:
        shutil.move(tables, workspace.home / "elsewhere")

    def ask(verb: str, path: str, key: str = "", **sent: Any) -> Any:
        answer = client.request(verb, f"{BASE}{path}", headers=by(secret, key), **sent)
        heads = b"\n".join(b": ".join(each) for each in sorted(answer.headers.raw))
        whole = b"%d\n%s\n\n%s" % (answer.status_code, heads, answer.content)
        for pattern, written in MADE.items():
            whole = re.sub(pattern, written, whole)
        found.append(whole)
        return answer

    for path in ("/me", "/schema", "/datasets", "/datasets/people", "/datasets/others", "/populations/people/budget"):
        ask("GET", path)
    asked = [plan(0.5), plan(40), plan(0.25, dataset="others"), plan(0.5) | {"statistics": []}]
    asked += [plan(0.5, statistics=[{"id": "s", "kind": "sum", "column": "age", "by": ["sex"]}])]
    for place, each in enumerate(asked):
        ask("POST", "/prices", json=each)
        ask("POST", "/plans", f"submit-{place:03}", json=each)
    plan_id = ask("POST", "/plans", "submit-000", json=plan(0.5)).json()["plan"]
    said = workspace.plans.remark(plan_id, text="Why?", actor=workspace.people.get("jonas"))
    ask("GET", f"/plans/{plan_id}/remarks")
    ask("POST", f"/plans/{plan_id}/remarks/{said.id}/answers", "answer-01", json={"text": "For the board."})
    for path in ("/plans", f"/plans/{plan_id}", f"/plans/{plan_id}/publication", "/events"):
        ask("GET", path)
    ask("POST", f"/plans/{plan_id}/publication", "publish-1", json={})
    if hidden:
        shutil.move(workspace.home / "elsewhere", tables)
    approve(workspace, plan_id)
    ask("GET", f"/plans/{plan_id}")
    if hidden:
        shutil.move(tables, workspace.home / "elsewhere")
    ask("POST", f"/plans/{plan_id}/publication", "publish-2", json={})
    ask("GET", f"/plans/{plan_id}/publication")
    while client.get(f"{BASE}/plans/{plan_id}/publication", headers=by(secret)).json()["state"] == "running":
        time.sleep(0.05)
    return found


def other_people(rows: int) -> pandas.DataFrame:
    return pandas.DataFrame({"age": [(7 * place * place) % 100 for place in range(rows)], "sex": ["M"] * rows})


def test_the_traffic_is_that_of_any_other_table(
    ours: Any, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 60 rows, of 9000 others, and with a table that nobody can read: byte by byte, heads and sizes with it."""
    conversations = []
    for name, rows, hidden in (("first", 60, False), ("second", 9000, False), ("third", 60, True)):
        if rows > 60:
            monkeypatch.setattr(office.world, "people", other_people)
        made = office.made(tmp_path / name, rows=rows)
        with at(made, monkeypatch):
            conversations.append(traffic(ours, made, hidden=hidden))
    first, *others = conversations
    assert any(b"needs_key" not in each and b"running" in each for each in first)
    for other in others:
        for mine, theirs in zip(first, other, strict=True):
            assert mine == theirs


class Clock:
    """A clock that goes on by what was slept and by what work took."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize(("took", "ends"), [(0.01, 60), (3, 60), (59.9, 60), (61, 120), (119, 120), (500, 960)])
def test_the_moment_says_nothing_within_the_hold(took: float, ends: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(jobs, "time", clock)
    with jobs.on_the_tick(jobs.remote_hold()):
        clock.sleep(took)
    assert clock.now == pytest.approx(ends)


def full_disk(*_: object) -> None:
    raise OSError("no space left")


def test_a_publication_at_a_distance_is_held_also_where_it_is_resumed(
    ours: Any, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever finishes it: the server that was asked, or one that was started after a crash."""
    client = TestClient(ours, base_url="https://127.0.0.1:8501")
    secret = office.token(workspace)
    plan_id = submit(client, secret)
    approve(workspace, plan_id)
    with monkeypatch.context() as broken:
        broken.setattr(publishing, "draw", full_disk)
        failed = publish(client, secret, plan_id)
    assert failed == {"plan": plan_id, "state": "failed", "code": "failed_here", "charged": True}
    held: list[float] = []
    real = jobs.on_the_tick
    monkeypatch.setattr(publishing, "on_the_tick", lambda first=jobs.FIRST_TICK: (held.append(first), real(0.01))[1])
    monkeypatch.setenv("DPRELEASE_REMOTE_HOLD", "77")
    workspace.releases.resume(paced=True, actor=workspace.people.get("maria"))
    assert held == [77]
    assert len(office.charges(workspace)) == 1
