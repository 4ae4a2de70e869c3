"""A release before its hour, over HTTP: to the public it is not there, and a few see it with its mark."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from dprelease.model import instant
from dprelease.model.actor import OWNER
from dprelease.workspace import Workspace, process
from tests.trust import world
from tests.trust.world import approved, plan, publish

DUE = "2090-01-15T09:00:00+01:00"
STRANGE = "secret-0123456789"
OWN = {"about": {"series": "ages", "publisher": "Office", "topics": ["health"]}}
PATHS = [
    "/public/release/{}/",
    "/public/release/{}/index.html",
    "/es/public/release/{}/",
    "/public/es/release/{}/",
    "/public/release/{}/check.html",
    "/public/release/{}/part-2.html",
    "/public/release/{}/compare-by_sex.html",
    "/public/release/{}/intervals-by_sex-95.csv",
    "/public/release/{}/chart-by_sex.svg",
    "/public/release/{}/narrow-by_sex.svg",
    "/public/release/{}/lead-wide.svg",
    "/public/release/{}/picture/by_sex-wide.png",
    "/public/release/{}/picture/by_sex.svg",
    "/public/releases/{}.zip",
    "/public/releases/{}/release.json",
    "/public/releases/{}/tables/by_sex.csv",
    "/public/releases/notices/{}.json",
    "/public/v/{}/by_sex/sex=F",
    "/v/{}/by_sex/sex=F",
    "/embed/{}/by_sex",
    "/embed/{}/by_sex/sex=F",
    "/r/{}",
    "/r/{}/",
    "/r/{}/release.json",
    "/r/{}/tables/by_sex.csv",
    "/r/notices/{}.json",
    "/r/..%2fembargoed%2f{}/release.json",
    "/public/releases/../../embargoed/{}/release.json",
    "/embargoed/{}/release.json",
    "/own/release/{}/",
    "/api/releases/{}",
    "/api/releases/{}/notices",
    "/api/releases/{}/tables/by_sex.csv",
    "/api/releases/{}/tables/by_sex.json",
    "/api/releases/{}/tables/by_sex.parquet",
    "/api/releases/{}/tables/by_sex/cells",
    "/api/releases/{}/bundle.zip",
    "/api/releases?after={}",
    "/public/release/{}/attacks.html",
    "/public/try?id={}",
]
"""Every public address with the id of a release in it."""
LISTS = [
    "/public/",
    "/public/es/",
    "/public/feed.atom",
    "/public/feed.json",
    "/public/sitemap.xml",
    "/api/releases",
    "/public/series/ages/",
    "/public/series/ages/latest",
    "/public/series/ages/latest/tables/by_sex.csv",
    "/series/ages/latest",
    "/public/topic/health/",
    "/public/?q=secret",
    "/robots.txt",
    "/public/population/people/",
    "/r/checkpoint.json",
    "/public/checkpoint.json",
    "/public/calendar.json",
    "/public/calendar/",
    "/public/calendar/calendar.ics",
    "/api/population",
    "/api/checkpoint",
]


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Workspace, str]]:
    home = tmp_path / "home"
    workspace = world.solo(home, epsilon=4)
    publish(workspace, 0.25, "Out", **OWN)
    release_id = workspace.publish(approved(workspace, plan(0.5, "Secret", **OWN)), due=DUE).id
    monkeypatch.setenv(process.VARIABLE, str(home))
    process.current.cache_clear()
    yield workspace, release_id
    process.current.cache_clear()


def test_a_crawler_finds_nothing_of_it_that_it_would_not_of_a_random_id(
    sealed: tuple[Workspace, str], server: TestClient
) -> None:
    release_id = sealed[1]
    server.cookies.clear()
    for path in PATHS:
        for method in ("GET", "HEAD"):
            answers = [server.request(method, path.format(each)) for each in (release_id, STRANGE)]
            told = [
                (
                    answer.status_code,
                    {name: text.replace(each, "ID") for name, text in answer.headers.items() if name != "date"},
                    answer.content.replace(each.encode(), b"ID"),
                )
                for answer, each in zip(answers, (release_id, STRANGE), strict=True)
            ]
            assert told[0] == told[1], path
    searched = [server.get("/public/", params={"q": each}).text.replace(each, "ID") for each in (release_id, STRANGE)]
    assert searched[0] == searched[1]
    for path in LISTS:
        answer = server.get(path)
        assert answer.status_code < 500, path
        assert release_id.encode() not in answer.content, path
        assert release_id not in str(answer.headers), path


def test_the_public_is_told_that_something_comes_and_what_it_costs(
    sealed: tuple[Workspace, str], server: TestClient
) -> None:
    server.cookies.clear()
    assert "15 Jan 2090, 09:00 (UTC+1)" in server.get("/public/calendar/").text
    assert "15 ene 2090, 09:00 (UTC+1)" in server.get("/public/es/calendar/").text
    for path in ("/public/", "/public/population/people/"):
        assert "ε 0.5, δ 0 of it is held for 1 release to come." in server.get(path).text, path
    ics = server.get("/public/calendar/calendar.ics")
    assert ics.headers["content-type"].startswith("text/calendar")
    assert "DTSTART:20900115T080000Z\r\n" in ics.text
    assert '<category term="calendar" />' in server.get("/public/feed.atom").text
    told = json.loads(server.get("/public/calendar.json").content)["statement"]
    assert [line["title"] for line in told["entries"]] == [{"en": "Secret"}]


def test_after_its_hour_the_page_says_who_saw_it_and_when_it_came(
    sealed: tuple[Workspace, str], server: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, release_id = sealed
    server.cookies.clear()
    assert server.get(f"/public/release/{release_id}/").status_code == 404
    monkeypatch.setattr(instant, "present", lambda: datetime(2090, 1, 15, 8, 12, 5, tzinfo=UTC))
    assert workspace.embargoes.open_due() == [release_id]
    page = server.get(f"/public/release/{release_id}/").text
    history = page[page.index('id="history"') :]
    assert "public at 15 Jan 2090, 09:00 (UTC+1): 12 minutes late." in history
    assert "15 Jan 2090" in page[: page.index("</main>")].split('class="sub"')[1][:200]
    assert server.get("/series/ages/latest").headers["location"].endswith(f"release/{release_id}/")
    assert "12 minutes late" in server.get("/public/calendar/").text


def test_whoever_may_see_it_is_shown_page_and_pictures_with_a_mark(
    sealed: tuple[Workspace, str], server: TestClient
) -> None:
    workspace, release_id = sealed
    session = workspace.people.sign_in(workspace.people.sign_in_link(OWNER))
    address = f"/own/release/{release_id}/"
    server.cookies.clear()
    assert server.get(address).headers["location"] == f"/public/release/{release_id}/"
    assert server.get(f"/public/release/{release_id}/").status_code == 404
    server.cookies.set(process.COOKIE, session)
    page = server.get(address)
    assert page.status_code == 200
    assert page.headers["cache-control"] == "private, no-store"
    assert "Only those who are signed in see this strip." in page.text
    assert "Decided by owner alone" in page.text
    assert "do=correct" not in page.text, "there is nothing to correct yet"
    assert f"Embargoed until {DUE}" in page.text
    (picture, *_) = re.findall(r'data:image/svg\+xml;base64,([^"]+)"', page.text)
    from base64 import b64decode

    assert f"Embargoed until {DUE}".encode() in b64decode(picture)
    assert "EMBARGOED-by_sex.csv" in server.get(f"{address}tables/by_sex.csv").headers["content-disposition"]
    missing = [server.get(each) for each in (f"/own/release/{STRANGE}/", f"{address}none.csv", f"{address}..%2f..%2fx")]
    assert [each.status_code for each in missing] == [404] * 3
    assert [each.actor for each in workspace.ledger.events() if each.kind == "seen_before"] == ["owner"]
    server.cookies.clear()
