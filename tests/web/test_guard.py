"""What stands before every request."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

import pytest
import streamlit
import uvicorn
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

import app
from dprelease.web import api, operation
from dprelease.web.guard import hostname
from dprelease.web.limits import RateLimit
from dprelease.web.words import WORDS
from dprelease.workspace import Workspace

ADDRESSES = ["/", "/plan", "/_stcore/health", "/api/releases", "/api/nothing", "/sign-in", "/sign-out", "/r/nothing/"]


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_response_has_the_security_headers(address: str, client: TestClient) -> None:
    headers = client.get(address).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    policy = headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-eval" not in policy
    assert "http:" not in policy
    assert "https:" not in policy
    assert "*" not in policy


def test_our_own_pages_run_no_script(workspace: Workspace, client: TestClient) -> None:
    (release,) = workspace.releases.find()
    for address in ("/sign-in", "/sign-out", f"/r/{release.id}/", "/api/releases"):
        policy = client.get(address).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src" not in policy


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8501", "localhost.", ""])
@pytest.mark.parametrize("address", ["/", "/api/releases", "/sign-in", "/_stcore/health"])
def test_a_foreign_name_is_refused(host: str, address: str, client: TestClient) -> None:
    answer = client.get(address, headers={"host": host})
    assert (answer.status_code, answer.text) == (400, WORDS["wrong_host"])
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["localhost", "localhost:8501", "127.0.0.1:9", "[::1]:8501", "[::1]", "LOCALHOST"])
def test_its_own_names_are_answered(host: str, client: TestClient) -> None:
    assert client.get("/api/releases", headers={"host": host}).status_code == 200


def test_a_foreign_name_gets_no_websocket(client: TestClient) -> None:
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/_stcore/stream", headers={"host": "evil.example"}),
    ):
        pass


def test_robots_are_told_what_is_public(client: TestClient) -> None:
    text = client.get("/robots.txt").text
    assert "Disallow: /\n" in text
    listed = text.rpartition("Sitemap: ")[2].strip()
    assert client.get(listed).headers["content-type"] == "application/xml"


def test_whom_to_tell_of_a_weakness(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/.well-known/security.txt").status_code == 404
    monkeypatch.setenv("DPRELEASE_SECURITY_CONTACT", "mailto:security@example.org")
    told = client.get(client.get("/security.txt").headers["location"])
    assert told.headers["content-type"].startswith("text/plain")
    lines = dict(line.split(": ", 1) for line in told.text.splitlines())
    assert lines["Contact"] == "mailto:security@example.org"
    assert datetime.now(UTC) < datetime.fromisoformat(lines["Expires"]) < datetime.now(UTC) + timedelta(days=366)
    monkeypatch.setenv("DPRELEASE_SECURITY_CONTACT", "mailto:x\nContact: evil")
    assert client.get("/.well-known/security.txt").status_code == 404


@pytest.mark.parametrize(
    ("host", "name"), [("a:1", "a"), ("a", "a"), ("[::1]:1", "::1"), ("[::1]", "::1"), ("", ""), ("A:b", "a:b")]
)
def test_a_host_header_is_read(host: str, name: str) -> None:
    assert hostname(host) == name


def test_who_asks_the_interface_too_often_has_to_wait(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operation, "ASKED", RateLimit(3, 36_000))
    answers = [client.get("/api/releases") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429] * 2
    assert answers[-1].headers["retry-after"] == "60"
    assert answers[-1].json()["message"] == WORDS["too_often_text"]


def test_who_has_the_lab_compute_too_often_has_to_wait(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """One bucket for the interface and whatever the portal computes; what only lies there is still shown."""
    monkeypatch.setattr(operation, "ASKED", RateLimit(6, 36_000))
    asked = ("repeat.html?n=25", "repeat.svg", "repeat.csv", "repeat.py", "mechanisms.html?eps=2", "trade.svg")
    assert [client.get(f"/public/lab/{each}").status_code for each in asked] == [200] * 6
    for address in ("/public/lab/repeat.html", "/public/es/lab/mechanisms.csv", "/api/releases"):
        answer = client.get(address)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")
        assert answer.json()["error"] == "too_often_text"
    assert client.get("/public/").status_code == 200
    assert client.get("/public/lab.js").status_code == 200


def test_no_address_and_no_text_of_an_exception_is_logged(client: TestClient) -> None:
    """A sign-in link is one. Streamlit gives uvicorn's log of addresses a handler, and uvicorn configures it anew."""
    uvicorn.Config(app=app.app)
    for name in ("uvicorn.access", "streamlit.error_util", "streamlit.runtime.websocket_session_manager"):
        assert not logging.getLogger(name).filter(logging.makeLogRecord({"msg": "GET /sign-in?token=secret"}))
    assert streamlit.get_option("logger.enableRich") is False


def test_an_unforeseen_error_tells_nothing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("cell value 987654")

    monkeypatch.setattr(api, "summary", broken)
    answer = client.get("/api/releases")
    assert answer.status_code == 500
    assert "987654" not in answer.text
    assert "987654" not in caplog.text
    assert "ValueError" in caplog.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.json()["message"] == WORDS["failed"]
