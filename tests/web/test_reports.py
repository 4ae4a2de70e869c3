"""Audit reports are for those who are signed in, as a page and as a file."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dprelease.web.reports import ROUTES
from dprelease.workspace import Workspace, process


@pytest.fixture
def workspace(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    home = tmp_path_factory.mktemp("reports")
    Workspace.create(home)
    monkeypatch.setenv(process.VARIABLE, str(home))
    process.current.cache_clear()
    made = process.current()
    made.add_population("people-2025.v2", unit="person", neighbors="add_remove", epsilon=1)
    return made


def test_a_report_takes_a_session(workspace: Workspace) -> None:
    client = TestClient(Starlette(routes=ROUTES))
    address = "/reports/people-2025.v2"
    assert client.get(address).status_code == 403
    client.cookies.set(process.COOKIE, workspace.people.sign_in(workspace.people.sign_in_link()))
    page, file = client.get(f"{address}?since=2026-01-01"), client.get(f"{address}/report.pdf")
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert "people-2025.v2" in page.text
    assert file.content.startswith(b"%PDF-")
    assert file.headers["content-disposition"] == 'attachment; filename="people-2025.v2.pdf"'
    assert client.get("/reports/nobody").status_code == 404
    assert client.get(f"{address}?since=soon").status_code == 404


def test_events_are_a_file_for_those_who_may_read_the_ledger(workspace: Workspace) -> None:
    client = TestClient(Starlette(routes=ROUTES))
    address = "/reports/-/events.csv"
    assert client.get(address).status_code == 403
    client.cookies.set(process.COOKIE, workspace.people.sign_in(workspace.people.sign_in_link()))
    file = client.get(f"{address}?kind=population_created&text=v2&since=2026-01-01")
    assert (file.status_code, file.headers["cache-control"]) == (200, "no-store")
    assert file.headers["content-disposition"] == 'attachment; filename="ledger.csv"'
    assert [line.split(",")[4] for line in file.text.splitlines()] == ["kind", "population_created"]
    for query in ("kind=nothing", "since=soon", "until=2026-13-01"):
        assert client.get(f"{address}?{query}").status_code == 404
