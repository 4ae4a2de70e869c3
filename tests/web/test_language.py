"""Choosing a language, and having it remembered."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from dprelease.words import texts
from dprelease.words.language import COOKIE
from dprelease.workspace import Workspace

ENGLISH, SPANISH = texts("web", "en"), texts("web", "es")


def test_a_choice_is_remembered_for_a_year(client: TestClient) -> None:
    answer = client.get("/language/es?to=/release&id=2025-01-01-a")
    assert (answer.status_code, answer.headers["location"]) == (303, "/release?id=2025-01-01-a")
    flags = answer.headers["set-cookie"].lower()
    assert "max-age=31536000" in flags
    assert "httponly" in flags
    assert "samesite=lax" in flags
    assert SPANISH["missing_title"] in client.get("/r/nothing/").text
    client.get("/language/en?to=/")
    assert ENGLISH["missing_title"] in client.get("/r/nothing/", headers={"accept-language": "es"}).text


@pytest.mark.parametrize(
    "to",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/%09/evil.example",
        "evil",
        "",
        "/a b",
        "javascript:1",
    ],
)
def test_a_choice_leads_to_own_pages_only(to: str, client: TestClient) -> None:
    answer = client.get("/language/es", params={"to": to})
    assert answer.headers["location"] == "/"


def test_a_language_that_is_not_spoken_is_no_page(client: TestClient) -> None:
    answer = client.get("/language/xx?to=/")
    assert answer.status_code == 404
    assert COOKIE not in answer.cookies


def test_documents_say_their_language(client: TestClient) -> None:
    spanish = {"accept-language": "es-ES,es;q=0.9"}
    for address in ("/releases", "/plan", "/sign-out", "/r/nothing/"):
        assert '<html lang="en">' in client.get(address).text, address
        assert '<html lang="es">' in client.get(address, headers=spanish).text, address


def test_a_document_in_one_language_is_not_taken_for_the_other(client: TestClient) -> None:
    """A browser that holds the English dashboard and asks whether it changed is given the Spanish one."""
    english = client.get("/releases")
    kept = {"if-none-match": english.headers.get("etag", "*"), "accept-language": "es"}
    kept["if-modified-since"] = english.headers.get("last-modified", "")
    answer = client.get("/releases", headers=kept)
    assert answer.status_code == 200
    assert '<html lang="es">' in answer.text
    assert "etag" not in answer.headers
    assert "Accept-Language" in answer.headers["vary"]


def test_published_files_are_the_same_in_every_language(workspace: Workspace, client: TestClient) -> None:
    (release,) = workspace.releases.find()
    name = next(iter(release.tables))
    for address in (f"/r/{release.id}/", f"/api/releases/{release.id}", f"/r/{release.id}/charts/{name}.svg"):
        first = client.get(address)
        assert first.status_code == 200
        assert first.content == client.get(address, headers={"accept-language": "es"}).content


def test_a_chart_is_drawn_in_another_language(workspace: Workspace, client: TestClient) -> None:
    (release,) = workspace.releases.find()
    name = next(name for name, table in release.tables.items() if len(table) > 1)
    base = f"/public/es/release/{release.id}"
    answer = client.get(f"{base}/chart-{name}.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "Intervalos: del 95 %, solo del ruido" in answer.text
    for address in (
        f"{base.replace('es', 'xx', 1)}/chart-{name}.svg",
        f"{base}/chart-none.svg",
        "/public/es/release/a/",
    ):
        assert client.get(address).status_code == 404
