"""Signing in and out."""

from __future__ import annotations

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from dprelease.model.actor import OWNER, Actor
from dprelease.model.cookie import CLOSED_COOKIE
from dprelease.web import identity
from dprelease.web.limits import RateLimit
from dprelease.web.words import WORDS
from dprelease.workspace import Workspace
from dprelease.workspace.process import COOKIE


def follow(client: TestClient, token: str) -> Response:
    """Presses the button of the page that a link leads to."""
    return client.post("/sign-in", data={"token": token})


def test_a_link_signs_in_once(workspace: Workspace, client: TestClient) -> None:
    token = workspace.people.sign_in_link()
    answer = follow(client, token)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert workspace.people.session_actor(answer.cookies[COOKIE]) == OWNER
    client.cookies.clear()
    for again in (client.get("/sign-in", params={"token": token}), follow(client, token)):
        assert again.status_code == 403
        assert COOKIE not in again.cookies
        assert WORDS["bad_link_title"] in again.text


def test_looking_at_a_link_uses_nothing_up(workspace: Workspace, client: TestClient) -> None:
    """Programs that read mail look at every link, some of them several times."""
    token = workspace.people.sign_in_link()
    for method in ("GET", "HEAD", "GET"):
        looked = client.request(method, "/sign-in", params={"token": token})
        assert (looked.status_code, "set-cookie" in looked.headers) == (200, False)
    assert WORDS["link_title"].format(name="owner") in looked.text
    assert f'<input type="hidden" name="token" value="{token}">' in looked.text
    assert workspace.people.session_actor(follow(client, token).cookies[COOKIE]) == OWNER


def test_no_other_site_signs_anybody_in_by_a_link(workspace: Workspace, client: TestClient) -> None:
    token = workspace.people.sign_in_link()
    for elsewhere in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        answer = client.post("/sign-in", data={"token": token}, headers=elsewhere)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)
    assert workspace.people.link_person(token) == "owner"


def test_the_cookie_is_closed_to_scripts_and_other_sites(workspace: Workspace, client: TestClient) -> None:
    answer = follow(client, workspace.people.sign_in_link())
    flags = {part.strip().lower() for part in answer.headers["set-cookie"].split(";")}
    assert {"httponly", "samesite=lax", "path=/"} <= flags
    assert "secure" not in flags
    token = workspace.people.sign_in_link()
    secure = client.post("https://127.0.0.1:8501/sign-in", data={"token": token}).headers["set-cookie"]
    assert {"secure", "httponly", "samesite=lax", "path=/"} <= {part.strip().lower() for part in secure.split(";")}
    assert secure.startswith("__Host-")
    assert "domain" not in secure.lower()


def test_behind_https_only_the_closed_cookie_counts(workspace: Workspace, client: TestClient) -> None:
    """Another host of the same site, or somebody on the way, can set a cookie of the plain name."""
    token = workspace.people.sign_in(workspace.people.sign_in_link())
    base = "https://127.0.0.1:8501"
    assert client.get(f"{base}/reports/-/events.csv", headers={"cookie": f"{COOKIE}={token}"}).status_code == 403
    assert client.get(f"{base}/reports/-/events.csv", headers={"cookie": f"{CLOSED_COOKIE}={token}"}).status_code == 200
    assert client.get("/reports/-/events.csv", headers={"cookie": f"{CLOSED_COOKIE}={token}"}).status_code == 403


@pytest.mark.parametrize("query", ["?token=", "?token=x", "?token=%00", "?token=<script>alert(1)</script>"])
def test_a_bad_link_is_refused_and_not_repeated(query: str, client: TestClient) -> None:
    answer = client.get(f"/sign-in{query}")
    assert answer.status_code == 403
    assert "script" not in answer.text
    assert "set-cookie" not in answer.headers


def test_signing_out_asks_first_and_then_ends_the_session(workspace: Workspace, client: TestClient) -> None:
    token = follow(client, workspace.people.sign_in_link()).cookies[COOKIE]
    asked = client.get("/sign-out")
    assert asked.status_code == 200
    assert '<form method="post">' in asked.text
    assert workspace.people.session_actor(token) == OWNER, "a mere visit must not sign out"
    answer = client.post("/sign-out")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert workspace.people.session_actor(token) is None
    assert COOKIE not in client.cookies


def test_signing_out_without_a_session_is_no_error(client: TestClient) -> None:
    assert client.post("/sign-out").status_code == 303


def test_a_token_is_not_kept_by_browsers_or_passed_on(workspace: Workspace, client: TestClient) -> None:
    answer = client.get("/sign-in", params={"token": workspace.people.sign_in_link()})
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries of one test do not count in another's."""
    monkeypatch.setattr(identity, "TRIES", RateLimit(10, 36_000))


PASSWORD = "correct horse battery"


@pytest.fixture
def ana(workspace: Workspace) -> Actor:
    """Somebody with a password."""
    if "ana" not in [each.name for each in workspace.people.find()]:
        workspace.people.invite("ana", ["curator"])
    person = workspace.people.get("ana")
    known = next(each for each in workspace.people.find() if each.name == "ana")
    workspace.people.set_password(PASSWORD, old=PASSWORD if known.has_password else None, actor=person)
    return person


def test_a_password_signs_in(workspace: Workspace, client: TestClient, ana: Actor) -> None:
    page = client.get("/sign-in")
    assert page.status_code == 200
    assert 'autocomplete="current-password"' in page.text
    answer = client.post("/sign-in", data={"name": "ana", "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert workspace.people.session_actor(answer.cookies[COOKIE]) == ana


def test_every_refusal_reads_the_same(workspace: Workspace, client: TestClient, ana: Actor) -> None:
    wrong = [{"name": "ana", "password": "wrong"}, {"name": "nobody", "password": PASSWORD}, {}, {"name": "ana"}]
    answers = {client.post("/sign-in", data=fields).text for fields in wrong}
    assert len(answers) == 1
    assert WORDS["sign_in_refused"] in answers.pop()


def test_a_form_from_elsewhere_is_refused(client: TestClient, ana: Actor) -> None:
    fields = {"name": "ana", "password": PASSWORD}
    answer = client.post("/sign-in", data=fields, headers={"origin": "https://evil.example"})
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


def test_after_too_many_tries_an_address_has_to_wait(client: TestClient) -> None:
    codes = [client.post("/sign-in", data={"name": "x", "password": "y"}).status_code for _ in range(12)]
    assert codes == [403] * 10 + [429] * 2
    assert client.get("/sign-in").status_code == 200, "looking is not trying"


def test_where_a_wrong_password_comes_from_waits_and_nobody_else(client: TestClient, ana: Actor) -> None:
    """Of IPv6, the /64: one machine has all of its addresses."""
    guesses = [
        TestClient(client.app, base_url=str(client.base_url), client=(f"2001:db8::{number}", 5000))
        for number in range(6)
    ]
    fields = {"name": "ana", "password": "wrong"}
    assert {each.post("/sign-in", data=fields).status_code for each in guesses} == {403}
    right = {"name": "ana", "password": PASSWORD}
    near, far = (
        TestClient(client.app, base_url=str(client.base_url), client=(host, 5000))
        for host in ("2001:db8::ff", "2001:db8:0:1::1")
    )
    codes = [each.post("/sign-in", data=right, follow_redirects=False).status_code for each in (near, far)]
    assert codes == [403, 303]
