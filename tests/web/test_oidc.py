"""Signing in at an identity provider: a real one in a process of its own, and one that lies."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest
from starlette.testclient import TestClient

from dprelease.errors import InputError
from dprelease.model.actor import Actor, Role
from dprelease.store import sessions
from dprelease.web import identity, oidc, provider, site
from dprelease.web.limits import RateLimit
from dprelease.web.provider import Provider
from dprelease.web.words import WORDS
from dprelease.workspace import Workspace
from dprelease.workspace.process import COOKIE
from tests.web.providers import Liar, lying, real

ROLES = {"reviewers": ["reviewer"], "staff": ["curator"]}
PEOPLE: list[dict[str, Any]] = [
    {"sub": "7", "preferred_username": "Bea Weber", "groups": ["reviewers", "staff", "canteen"]},
    {"sub": "8", "preferred_username": "carl", "groups": ["canteen"]},
    {"sub": "9", "preferred_username": "owner", "groups": ["staff"]},
]


class Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (identity, oidc):
        monkeypatch.setattr(module, "TRIES", RateLimit(1000, 60))
    yield
    provider.configured.cache_clear()


@pytest.fixture(scope="module")
def process() -> Iterator[str]:
    with real(*PEOPLE) as address:
        yield address


def configure(issuer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "oidc.yaml"
    path.write_text(json.dumps({"issuer": issuer, "client_id": "dprelease", "client_secret": "s", "roles": ROLES}))
    path.chmod(0o600)
    monkeypatch.setenv(provider.FILE, str(path))
    provider.configured.cache_clear()


def consent(address: str, subject: str) -> str:
    """What a person does at the provider; the address it sends the browser back to."""
    request = Request(address, urlencode({"sub": subject}).encode())
    try:
        build_opener(Stay).open(request, timeout=300)
    except OSError as redirect:
        return str(redirect.headers["location"])  # type: ignore[attr-defined]
    raise AssertionError("the provider did not send the browser back")


class TestARealProvider:
    @pytest.fixture(autouse=True)
    def _configured(self, process: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        configure(process, monkeypatch, tmp_path)

    def test_signs_in_who_has_a_role_by_a_group(self, workspace: Workspace, client: TestClient) -> None:
        assert WORDS["sign_in_provider"] in client.get("/sign-in").text
        away = client.get("/sign-in/provider")
        assert away.status_code == 303
        assert {"httponly", "samesite=lax", "path=/sign-in/provider"} <= {
            part.strip().lower() for part in away.headers["set-cookie"].split(";")
        }
        asked = parse_qs(urlsplit(away.headers["location"]).query)
        assert asked["code_challenge_method"] == ["S256"]
        back = consent(away.headers["location"], "7")
        answer = client.get(back)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        bea = Actor("bea-weber", frozenset({Role.REVIEWER, Role.CURATOR}))
        assert workspace.people.session_actor(answer.cookies[COOKIE]) == bea
        assert [each.way for each in workspace.people.sessions(bea.name)][:1] == ["provider"]

        stolen = client.get(back)
        assert stolen.status_code == 403, "a code and a state work once"
        workspace.people.revoke_session(workspace.people.sessions(bea.name)[0].id, of=bea.name)
        assert workspace.people.session_actor(answer.cookies[COOKIE]) is None, (
            "a session of ours, which ends when we say so"
        )

    def test_another_browser_cannot_finish_what_this_one_began(self, client: TestClient) -> None:
        back = consent(client.get("/sign-in/provider").headers["location"], "7")
        client.cookies.clear()
        answer = client.get(back)
        assert (answer.status_code, COOKIE in answer.cookies) == (403, False)

    @pytest.mark.parametrize(("subject", "title"), [("8", "no_role_title"), ("9", "provider_failed_title")])
    def test_without_a_role_or_with_the_owners_name_nobody_enters(
        self, subject: str, title: str, workspace: Workspace, client: TestClient
    ) -> None:
        before, events = workspace.people.find(), workspace.ledger.count()
        answer = client.get(consent(client.get("/sign-in/provider").headers["location"], subject))
        assert (answer.status_code, COOKIE in answer.cookies) == (403, False)
        assert WORDS[title] in answer.text
        assert workspace.people.find() == before
        assert workspace.ledger.count() == events, "what strangers try is no event"
        assert "provider" in [each.way for each in workspace.people.sign_in_failures()]


@pytest.fixture
def liar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Liar]:
    with lying() as found:
        configure(found.issuer, monkeypatch, tmp_path)
        yield found


def visit(liar: Liar, client: TestClient) -> Any:
    """A whole sign-in, whose code the liar takes for anybody's."""
    away = parse_qs(urlsplit(client.get("/sign-in/provider").headers["location"]).query)
    liar.nonce = away["nonce"][0]
    return client.get("/sign-in/provider/back", params={"code": "c", "state": away["state"][0]})


NOW = int(time.time())
LIES: dict[str, dict[str, Any]] = {
    "no signature": {"how": "none"},
    "another key": {"how": "other key"},
    "the public key as a secret": {"how": "public key as secret"},
    "another issuer": {"claims": {"iss": "https://id.example"}},
    "for another program": {"claims": {"aud": "other"}},
    "for several and none named": {"claims": {"aud": ["dprelease", "other"]}},
    "another visit's nonce": {"claims": {"nonce": "x"}},
    "no nonce": {"claims": {"nonce": None}},
    "expired": {"claims": {"exp": NOW - 3600}},
    "no end": {"claims": {"exp": None}},
    "from tomorrow": {"claims": {"iat": NOW + 86_400}},
    "no subject": {"claims": {"sub": None}},
    "another name for itself": {"discovered": {"issuer": "https://id.example"}},
    "keys in the open": {"discovered": {"jwks_uri": "http://id.example/keys"}},
    "a name that is none": {"claims": {"preferred_username": "<%%%>"}},
}


def test_an_honest_token_lets_in(liar: Liar, workspace: Workspace, client: TestClient) -> None:
    answer = visit(liar, client)
    assert workspace.people.session_actor(answer.cookies[COOKIE]) == Actor("bea.weber", frozenset({Role.REVIEWER}))
    assert liar.asked[0]["code_verifier"], "PKCE"
    assert "client_secret" not in liar.asked[0]
    session = answer.cookies[COOKIE]
    liar.claims = {"groups": []}
    client.cookies.clear()
    assert visit(liar, client).status_code == 403
    assert workspace.people.session_actor(session) == Actor("bea.weber"), "out of the group, out of the role, at once"


def test_it_is_asked_anew_and_says_when_somebody_signed_in(
    liar: Liar, workspace: Workspace, client: TestClient
) -> None:
    liar.claims = {"preferred_username": "anew"}
    session = visit(liar, client).cookies[COOKIE]
    away = parse_qs(urlsplit(client.get("/sign-in/provider?again=1").headers["location"]).query)
    assert (away["prompt"], away["max_age"]) == (["login"], ["0"])
    for claims, status in (({}, 403), ({"auth_time": NOW - 3600}, 403), ({"auth_time": int(time.time())}, 303)):
        away = parse_qs(urlsplit(client.get("/sign-in/provider?again=1").headers["location"]).query)
        liar.nonce, liar.claims = away["nonce"][0], {"preferred_username": "anew", **claims}
        answer = client.get("/sign-in/provider/back", params={"code": "c", "state": away["state"][0]})
        assert answer.status_code == status
    assert answer.cookies[COOKIE] == session, "the session goes on"


def test_a_sign_in_there_of_hours_ago_approves_nothing_here(
    liar: Liar, workspace: Workspace, client: TestClient
) -> None:
    database = workspace._state.database
    told = ((None, False), (NOW - 3600, False), ("soon", False), (1e300, False), (int(time.time()), True))
    for number, (at, fresh) in enumerate(told):
        client.cookies.clear()
        liar.claims = {"preferred_username": f"late-{number}", "sub": f"late-{number}"}
        liar.claims |= {} if at is None else {"auth_time": at}
        actor = workspace.people.session_actor(visit(liar, client).cookies[COOKIE])
        assert actor is not None
        assert actor.session is not None
        assert sessions.has_shown(database, actor.session.key) is fresh, at


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_lets_nobody_in(lie: str, liar: Liar, workspace: Workspace, client: TestClient) -> None:
    for name, value in LIES[lie].items():
        setattr(liar, name, value)
    before = workspace.people.find()
    answer = client.get("/sign-in/provider") if lie == "another name for itself" else visit(liar, client)
    assert (answer.status_code, COOKIE in answer.cookies) == (403, False)
    assert "script" not in answer.text
    assert workspace.people.find() == before


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"issuer": "http://id.example"}, "https://"),
        ({"roles": {"staff": ["king"]}}, "curator"),
        ({"roles": {}, "client_secret": "Zq7Xw", "unknown": 1}, "unknown"),
        ({"client_id": None, "client_secret": "Zq7Xw"}, "client_id"),
    ],
)
def test_wrong_settings_are_told_and_no_secret_with_them(settings: dict[str, Any], words: str) -> None:
    good = {"issuer": "https://id.example", "client_id": "x", "roles": ROLES}
    with pytest.raises(InputError) as refused:
        Provider.parse({name: value for name, value in (good | settings).items() if value is not None})
    assert words in str(refused.value)
    assert "Zq7Xw" not in str(refused.value)


def test_a_file_that_others_can_read_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    configure("https://id.example", monkeypatch, tmp_path)
    assert "client_secret" not in repr(provider.configured())
    (tmp_path / "oidc.yaml").chmod(0o644)
    provider.configured.cache_clear()
    with pytest.raises(InputError, match="chmod 600"):
        provider.configured()
    with pytest.raises(InputError, match="chmod 600"):
        site.routes()  # the server does not start
