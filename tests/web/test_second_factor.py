"""Signing in with a password and a code, without any script: before the code, nothing is open."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pyotp
import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from dprelease.model.actor import Actor, Role
from dprelease.store import second_factor
from dprelease.web import identity, site
from dprelease.web.limits import RateLimit
from dprelease.web.words import WORDS
from dprelease.workspace import Workspace
from dprelease.workspace.process import COOKIE
from tests.codes import STEP, steady_codes

PASSWORD = "correct horse battery"
EVE = Actor("eve", frozenset(Role))


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries of one test do not count in another's."""
    monkeypatch.setattr(identity, "TRIES", RateLimit(10, 36_000))


@pytest.fixture
def secret(workspace: Workspace) -> Iterator[str]:
    """Of eve, who may do everything, and whose second factor was turned on some steps ago."""
    with steady_codes():
        yield _secret(workspace)
    workspace.people.reset("eve")


def _secret(workspace: Workspace) -> str:
    if "eve" not in [each.name for each in workspace.people.find()]:
        workspace.people.invite("eve", [role.value for role in Role])
    workspace.people.reset("eve")
    workspace.people.set_password(PASSWORD, actor=EVE)
    made, earlier = workspace.people.prepare_second_factor(actor=EVE).secret, datetime.now(UTC) - 5 * STEP
    code, key = pyotp.TOTP(made).at(earlier), workspace._state.codes_key
    with workspace._state.database.writing() as connection:
        assert second_factor.turn_on_within(connection, code, key, actor=EVE, now=earlier)
    return made


def by_password(client: TestClient) -> Response:
    return client.post("/sign-in", data={"name": "eve", "password": PASSWORD})


def by_code(client: TestClient, code: str) -> Response:
    return client.post("/sign-in", data={"code": code})


def test_a_code_follows_the_password(workspace: Workspace, client: TestClient, secret: str) -> None:
    answer = by_password(client)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    half = answer.cookies[COOKIE]
    asked = client.get("/sign-in")
    assert WORDS["code_title"] in asked.text
    assert 'autocomplete="one-time-code"' in asked.text
    assert "<script" not in asked.text
    done = by_code(client, pyotp.TOTP(secret).now())
    assert (done.status_code, done.headers["location"]) == (303, "/")
    assert done.cookies[COOKIE] != half
    assert workspace.people.session_actor(done.cookies[COOKIE]) == EVE
    assert workspace.people.session_actor(half) is None


def test_a_password_alone_opens_no_route(workspace: Workspace, client: TestClient, secret: str) -> None:
    """Every route answers as it does somebody without any cookie, and each operation is refused."""
    routes = [
        getattr(route, "path", "").replace("{population}", "x").replace("{form:str}", "report.pdf")
        for route in site.routes()
    ]
    paths = [path for path in routes if path and "{" not in path and not path.startswith("/sign-")]
    alone = {path: client.get(path) for path in paths}
    by_password(client)
    assert client.cookies.get(COOKIE)
    for path, answer in alone.items():
        assert client.get(path).status_code == answer.status_code, path
    for closed in ("/reports/-/events.csv", "/reports/visits"):
        assert client.get(closed).status_code == 403
    sent = {"origin": "http://127.0.0.1:8501"}
    assert client.post("/upload", content=b"a\n1\n", params={"name": "t.csv"}, headers=sent).status_code == 403
    bearer = {"authorization": f"Bearer {client.cookies[COOKIE]}"}
    assert client.get("/reports/visits", headers=bearer).status_code == 403
    by_code(client, pyotp.TOTP(secret).now())
    assert client.get("/reports/-/events.csv").status_code == 200


def test_a_wrong_code_asks_again_and_a_used_one_too(client: TestClient, secret: str) -> None:
    by_password(client)
    assert by_code(client, "12345").status_code == 403
    code = pyotp.TOTP(secret).now()
    assert by_code(client, code).status_code == 303
    client.cookies.clear()
    by_password(client)
    again = by_code(client, code)
    assert again.status_code == 403
    assert WORDS["code_refused"] in again.text
    assert code not in again.text


def test_a_code_without_a_password_opens_nothing(client: TestClient, secret: str) -> None:
    answer = by_code(client, pyotp.TOTP(secret).now())
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    assert WORDS["sign_in_refused"] in answer.text


def test_codes_from_elsewhere_are_refused(client: TestClient, secret: str) -> None:
    by_password(client)
    answer = client.post(
        "/sign-in", data={"code": pyotp.TOTP(secret).now()}, headers={"origin": "https://evil.example"}
    )
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


def test_one_can_begin_anew(client: TestClient, secret: str) -> None:
    by_password(client)
    assert WORDS["code_title"] not in client.get("/sign-in?anew").text


def test_codes_count_as_tries_of_an_address(client: TestClient, secret: str) -> None:
    by_password(client)
    assert [by_code(client, "x").status_code for _ in range(11)][-2:] == [429, 429]
