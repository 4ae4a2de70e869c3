"""A release at its address for whoever is signed in: the public page, with a strip that nobody else gets."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urljoin

import pytest
from starlette.testclient import TestClient

from dprelease.bundle import guarantee
from dprelease.model.actor import OWNER, Actor, Role
from dprelease.workspace import Workspace, process

OTHERS = [Actor(f"own-{role.value}", frozenset({role})) for role in (Role.REVIEWER, Role.ADMINISTRATOR)]
REFERENCE = re.compile(r' (?:href|src|srcset)="([^"]+)"')
FORMS = ("do=correct", "do=replace")
STRIP = "Only those who are signed in see this strip."


def entered(workspace: Workspace, client: TestClient, actor: Actor = OWNER) -> None:
    client.cookies.set(process.COOKIE, workspace.people.sign_in(workspace.people.sign_in_link(actor)))


def released(workspace: Workspace) -> str:
    (release,) = workspace.releases.find()
    return release.id


def strip(page: str) -> str:
    found = re.search(r"<aside.*?</aside>", page, re.DOTALL)
    assert found is not None
    return unescape(re.sub(r"</?bdi>", "", found[0]))


def test_whoever_is_signed_in_is_told_the_guarantee_and_who_approved_it(
    workspace: Workspace, client: TestClient
) -> None:
    release_id = released(workspace)
    entered(workspace, client)
    answer = client.get(f"/own/release/{release_id}/")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["x-robots-tag"] == "noindex"
    assert '<meta name="robots" content="noindex">' in answer.text
    assert 'rel="canonical"' not in answer.text
    told, certificate = strip(answer.text), workspace.releases.get(release_id).certificate
    assert STRIP in told
    assert guarantee.in_text(certificate) in told
    assert "Decided by owner alone on " in told
    assert f"/budget?event={certificate.ledger.seq}" in told
    for form in FORMS:
        assert f"/releases?release={release_id}&{form}" in told
    assert "do=beside" not in told, "it has no synthetic rows"


@pytest.mark.full
def test_it_is_the_public_page_and_all_that_it_refers_to_is_there(workspace: Workspace, client: TestClient) -> None:
    release_id = released(workspace)
    client.cookies.set("dprelease_language", "en")
    for spoken in ("", "es/"):
        public = client.get(f"/public/{spoken}release/{release_id}/").text
        entered(workspace, client)
        client.get("/language/es" if spoken else "/language/en")
        own = client.get(f"/own/release/{release_id}/")
        assert client.get(f"/public/{spoken}release/{release_id}/").text == public, "the same for everybody"
        assert STRIP not in public
        mains = [re.search(r"<main.*</main>", each, re.DOTALL)[0] for each in (own.text, public)]  # type: ignore[index]
        assert len({REFERENCE.sub("", each) for each in mains}) == 1
        for reference in {each.partition("#")[0] for each in REFERENCE.findall(unescape(own.text))} - {""}:
            if not reference.startswith(("http", "data:", "mailto:")):
                address = urljoin(f"/own/release/{release_id}/", reference)
                assert client.get(address).status_code < 400, reference
        client.cookies.clear()


@pytest.mark.parametrize("actor", OTHERS, ids=lambda actor: actor.name)
def test_nobody_is_offered_what_they_may_not_do(workspace: Workspace, client: TestClient, actor: Actor) -> None:
    release_id = released(workspace)
    entered(workspace, client, actor)
    told = strip(client.get(f"/own/release/{release_id}/").text)
    assert guarantee.in_text(workspace.releases.get(release_id).certificate) in told
    for form in FORMS:
        assert form not in told
    is_reviewer = Role.REVIEWER in actor.roles
    assert ("/budget?event=" in told) == ("Decided by" in told) == is_reviewer


def test_whoever_is_not_signed_in_is_sent_to_the_public_page(workspace: Workspace, client: TestClient) -> None:
    for each in (released(workspace), "never-was"):
        answer = client.get(f"/own/release/{each}/")
        assert (answer.status_code, answer.headers["location"]) == (302, f"/public/release/{each}/")
        assert answer.headers["cache-control"] == "private, no-store"
    spoken = client.get("/own/release/never-was/check.html", headers={"accept-language": "es"})
    assert spoken.headers["location"] == "/public/es/release/never-was/check.html"
    client.cookies.set(process.COOKIE, "made-up")
    assert client.get("/own/release/never-was/").status_code == 302


def test_files_beside_it_are_public_and_what_never_was_is_not_there(workspace: Workspace, client: TestClient) -> None:
    release_id = released(workspace)
    entered(workspace, client)
    assert client.get("/own/release/never-was/").status_code == 404
    answer = client.get(f"/own/release/{release_id}/check.html")
    assert (answer.status_code, answer.headers["location"]) == (302, f"/public/release/{release_id}/check.html")


def test_the_address_of_before_leads_on(client: TestClient) -> None:
    for query, to in (("?id=a-1", "/own/release/a-1/"), ("?id=//evil.example", "/releases"), ("", "/releases")):
        answer = client.get(f"/release{query}")
        assert (answer.status_code, answer.headers["location"]) == (308, to)
