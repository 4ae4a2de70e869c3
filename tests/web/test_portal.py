"""The public portal: in the dashboard's server, and as a process of its own that has nothing but the public folder."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from urllib.parse import urljoin
from xml.etree import ElementTree

import pandas
import pytest
from starlette.testclient import TestClient

from dprelease import cli
from dprelease.portal.index import index
from dprelease.portal.pages import Portal
from dprelease.portal.shelf import BundleIndex, Listing
from dprelease.portal.source import PublicFolder
from dprelease.store.database import Database
from dprelease.web.alone import application
from dprelease.web.public import of_this_process
from dprelease.workspace import Workspace
from dprelease.workspace.process import COOKIE
from tests.bundle.test_page import Page
from tests.web.conftest import ADDRESS
from tests.workspace.test_criteria import EASY, HARD, ROWS, asking
from tests.workspace.test_publish import COLUMNS, approved

ATOM = "{http://www.w3.org/2005/Atom}"


MOST_PAGES = 12


@pytest.fixture
def base(workspace: Workspace) -> str:
    """The address of a release's pages."""
    return f"/public/release/{workspace.releases.ids()[0]}"


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A public folder whose workspace is gone: one release with an erratum, one that failed what was asked of it."""
    home = tmp_path_factory.mktemp("alone") / "home"
    ws = Workspace.create(home)
    ws.add_dataset("people", ROWS, columns=COLUMNS, epsilon=5)
    good = ws.publish(approved(ws, asking(*EASY)))
    ws.publish(approved(ws, asking(EASY[0], HARD)))
    ws.releases.add_erratum(good.id, "The second row is <b>late</b>.")
    ws.ledger.checkpoint()
    folder = home.parent / "copy"
    shutil.copytree(home / "public", folder)
    shutil.rmtree(home)
    return folder


@pytest.fixture(scope="module")
def alone(public: Path) -> Iterator[TestClient]:
    with TestClient(application(public), base_url=ADDRESS, follow_redirects=False) as client:
        yield client


def page(client: TestClient, address: str, **query: str) -> Page:
    answer = client.get(address, params=query)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert len(answer.content) < 100_000
    return Page(answer.text)


def test_it_needs_no_sign_in_and_no_ledger(client: TestClient, base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(self: Database) -> None:
        raise AssertionError("the portal reads public files only")

    monkeypatch.setattr(Database, "reading", closed)
    monkeypatch.setattr(Database, "writing", closed)
    for address in ("/public/", f"{base}/", f"{base}/check.html", "/api/releases", "/api/checkpoint"):
        assert client.get(address).status_code == 200


def test_the_index_is_searched_and_says_what_was_spent(client: TestClient, workspace: Workspace) -> None:
    assert "patients-2025: ε 1 of 3 spent in 1 release, checked" in page(client, "/public/").text
    account = page(client, "/public/population/patients-2025/").text
    assert "person Neighbouring tables add or remove one Spent ε = 1, δ = 0 Cap ε = 3, δ = 0 Releases 1" in account
    found = page(client, "/public/", q="hospital", population="patients-2025")
    assert "Releases found: 1" in found.text
    for query in ({"topic": "none"}, {"publisher": "none"}, {"until": "2000-01-01"}):
        assert "No release fits." in page(client, "/public/", **query).text
    assert "Nothing has all words of zebra." in page(client, "/public/", q="zebra").text
    near = page(client, "/public/", q="hopsital")
    assert "Nearest: hospital." in near.text
    assert "index.html?q=hospital" in near.values("href")
    assert "Only the first 200 letters were searched for." in page(client, "/public/", q="visits " * 40).text
    (listed,) = client.get("/api/releases", params={"q": "hospital"}).json()["releases"]
    assert client.get("/api/releases", params={"q": "zebra"}).json()["releases"] == []
    assert listed["id"] in workspace.releases.ids()
    for nowhere in ("population/nobody/", "topic/none/"):
        assert client.get(f"/public/{nowhere}").status_code == 404


def test_there_is_one_site_for_the_public(client: TestClient, workspace: Workspace) -> None:
    """Who is not signed in is sent there from `/`; its pages are the same for everybody."""
    answer = client.get("/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (302, "/public/")
    assert answer.headers["cache-control"] == "no-store"
    spanish = client.get("/", headers={"accept-language": "es"}, follow_redirects=True)
    assert spanish.url.path == "/public/es/"
    spoiled = {"cookie": f"{COOKIE}=made-up"}
    assert client.get("/", headers=spoiled, follow_redirects=False).status_code == 302
    token = workspace.people.sign_in(workspace.people.sign_in_link())
    own = {"cookie": f"{COOKIE}={token}"}
    assert client.get("/", headers=own, follow_redirects=False).status_code == 200
    assert client.get("/public/", headers=own).content == client.get("/public/").content
    assert "/sign-in" in page(client, "/public/").values("href")
    workspace.people.sign_out(token)
    assert client.get("/", headers=own, follow_redirects=False).status_code == 302


def test_every_public_page_leads_to_sign_in(client: TestClient) -> None:
    """All that the first page leads to, in both languages, but the lab and the signed bundles."""
    found, waiting = set[str](), ["/public/"]
    while waiting and len(found) < MOST_PAGES:
        address = waiting.pop()
        answer = client.get(address)
        if address in found or not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        found.add(address)
        links = Page(answer.text).values("href")
        assert "/sign-in" in links, address
        near = (urljoin(str(answer.url.path), link).partition("#")[0] for link in links)
        waiting += [each for each in near if re.match(r"/public/(?!(es/)?(lab|releases)/)", each)]
    assert len(found) >= 8


def test_an_empty_site_says_how_to_begin(tmp_path: Path) -> None:
    (tmp_path / "public").mkdir()
    with TestClient(application(tmp_path / "public"), base_url=ADDRESS) as alone:
        told = page(alone, "/public/")
        assert "Nothing has been released yet." in told.text
        assert "sign in" not in told.text.lower(), "nobody can, where there is no dashboard"
    window = Portal(BundleIndex(PublicFolder(tmp_path / "public")), served=True, entrance="/sign-in")
    assert "To publish: sign in, bring a table" in index(window)


def test_many_releases_come_a_page_at_a_time(
    client: TestClient, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dprelease.portal.index.MAX_LISTED", 1)
    (spine,) = of_this_process().shelf.listing().spines
    monkeypatch.setattr(BundleIndex, "listing", lambda self: Listing([spine] * 3))
    second = page(client, "/public/", population="patients-2025", page="2")
    assert "Releases found: 3" in second.text
    assert [each for each in second.values("href") if "?" in each] == [
        "index.html?population=patients-2025",
        "index.html?population=patients-2025&page=3",
    ]
    assert "Older" not in page(client, "/public/", page="3").text
    assert "Newer" not in page(client, "/public/", page="x").text


def test_feeds_lead_to_the_releases(client: TestClient, workspace: Workspace) -> None:
    feed = ElementTree.fromstring(client.get("/public/feed.atom").content)
    (entry,) = feed.findall(f"{ATOM}entry")
    for name in ("id", "title", "updated", "link"):
        assert entry.find(f"{ATOM}{name}") is not None
    assert feed.findtext(f"{ATOM}updated") == entry.findtext(f"{ATOM}updated")
    assert re.search(r"Of \d+ numbers \d+ are reliable \(A\)", entry.findtext(f"{ATOM}summary") or "")
    other = client.get("/public/feed.json").json()
    assert other["version"] == "https://jsonfeed.org/version/1.1"
    (item,) = other["items"]
    assert item["id"] == entry.findtext(f"{ATOM}id")
    assert "ε = 1, δ = 0 per person" in " ".join(item["content_text"].split())
    assert item["url"] == entry.find(f"{ATOM}link").get("href")  # type: ignore[union-attr]
    assert client.get(item["url"].removeprefix(ADDRESS)).status_code == 200


def test_a_release_is_read_without_a_script(client: TestClient, base: str) -> None:
    found = page(client, f"{base}/")
    order = [
        "No number here depends much on any one person.",
        "How many records are there?",
        "The guarantee, exactly",
        "ε = 1, δ = 0 per person",
        "One table has a person that the other lacks (add/remove, unbounded).",
        "Discrete Laplace noise",
        "What is not protected",
        "Errata and versions",
        "[Data set]. http://127.0.0.1:8501/public/release/hospital-visits-2025-",
        "@misc{",
        "pandas",
        'pandas.read_csv("http://127.0.0.1:8501/public/releases/hospital-visits-2025-',
    ]
    place = 0
    for words in order:
        place = found.text.index(words, place)
    assert {tag for tag, _ in found.tags} >= {"main", "h1", "nav", "table"}
    assert all(found.values("alt"))
    assert len(found.values("alt")) >= 2, "lead and ages; quartiles where noise lets them be quoted"


def test_it_is_spanish_to_its_charts(client: TestClient, base: str) -> None:
    found = page(client, base.replace("/public/", "/public/es/") + "/")
    assert "Se hubieran usado o no los registros de un" in found.text
    assert "¿Cuántos registros hay?" in found.text
    chart = next(address for address in found.values("src") if address == "chart-ages.svg")
    drawn = client.get(f"{base.replace('/public/', '/public/es/')}/{chart}")
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert "Registros por" in drawn.text
    narrow = client.get(f"{base}/{next(name for name in found.values('srcset') if 'ages' in name)}").text
    assert "<svg" in narrow
    assert "Records by" not in narrow.partition(">")[2], "the name stands above it"
    assert client.get("/public/", headers={"accept-language": "es"}).headers["location"] == "/public/es/"


def test_two_cells_are_compared_and_intervals_are_had_at_each_level(
    client: TestClient, base: str, workspace: Workspace
) -> None:
    address = f"{base}/compare-region_by_sex.html"
    one = page(client, address, first="0", second="3", level="99").text
    assert "The difference is" in one
    assert "with a 99 % interval from" in one
    assert re.search(
        r"\d of 9 differences are more than noise. All intervals together hold with 95 %",
        page(client, address, way="next").text,
    )
    estimates = workspace.releases.get(base.rpartition("/")[2]).estimates["region_by_sex"]
    width = 0.0
    for level in (90, 95, 99, "all"):  # of ten cells, at 99.5 % each
        answer = client.get(f"{base}/intervals-region_by_sex-{level}.csv")
        table = pandas.read_csv(BytesIO(answer.content))
        assert table["value"].tolist() == estimates["value"].tolist()
        assert (table["upper"] - table["lower"]).min() > width
        width = (table["upper"] - table["lower"]).max()
        if level == 95:
            assert table["lower"].tolist() == estimates["lower95"].tolist()
            assert table["confidence"].tolist() == [0.95] * len(table)
    assert table["confidence"].tolist() == [0.95] * len(table), "of all of them together"
    assert client.get(f"{base}/intervals-region_by_sex-80.csv").status_code == 404


def test_copies_are_confirmed_and_what_is_not_there_is_said(client: TestClient, base: str) -> None:
    first = client.get(f"{base}/")
    assert client.get(f"{base}/", headers={"if-none-match": first.headers["etag"]}).status_code == 304
    for address in ("nothing.html", "compare-none.html", "chart-none.svg", "intervals-none-95.csv", "../../ledger.db"):
        assert client.get(f"{base}/{address}").status_code == 404
    for path in ("release/none/", "releases/none/index.html", "es/release/none/check.html"):
        answer = client.get(f"/public/{path}")
        assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")


class TestAlone:
    """As `dprelease portal` runs it."""

    def test_it_serves_pages_files_and_interface(self, alone: TestClient) -> None:
        assert alone.get("/").headers["location"] == "/public/"
        assert "people: ε 1 of 5 spent in 2 releases" in page(alone, "/public/").text
        listed = alone.get("/api/releases").json()["releases"]
        assert sorted(each["withheld"] for each in listed) == [False, True]
        for each in listed:
            for address in (each["certificate"], each["page"], each["bundle"], *each["tables"].values()):
                assert alone.get(address).status_code == 200
        checkpoint = alone.get("/api/checkpoint").json()["checkpoint"]
        assert checkpoint["size"] > max(
            alone.get(f"/r/{each['id']}/ledger.json").json()["checkpoint"]["size"] for each in listed
        ), "the last one that was given out"
        assert alone.get("/sign-in").status_code == 404

    def test_it_needs_a_folder(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert cli.main(["portal", "--public", str(tmp_path / "none")]) == 3
        assert "a folder with published bundles" in capsys.readouterr().err

    def test_an_erratum_is_said_with_the_release(self, alone: TestClient) -> None:
        (good,) = [each for each in alone.get("/api/releases").json()["releases"] if not each["withheld"]]
        for address in ("/public/", f"/public/release/{good['id']}/"):
            assert "The second row is <b>late</b>." in page(alone, address).text
        assert "late" in alone.get("/public/feed.json").text

    @pytest.mark.parametrize(
        ("language", "mark", "words", "found"),
        [
            ("", "Withheld", "No table is published: the release failed what its plan had asked of it", "n Each value"),
            ("es/", "Retenida", "No se publica ninguna tabla: la publicación no cumplió", "n Cada valor"),
        ],
    )
    def test_one_that_is_withheld_says_so_everywhere(
        self, language: str, mark: str, words: str, found: str, alone: TestClient
    ) -> None:
        (withheld,) = [each for each in alone.get("/api/releases").json()["releases"] if each["withheld"]]
        assert words in page(alone, f"/public/{language}").text
        text = page(alone, f"/public/{language}release/{withheld['id']}/index.html").text
        assert f"{mark}: {words}" in text
        assert found in text
        assert withheld["tables"] == {}
        assert alone.get(f"/api/releases/{withheld['id']}/tables/n.csv").status_code == 404

    def test_a_changed_file_is_not_shown(self, alone: TestClient, public: Path, tmp_path: Path) -> None:
        folder = Path(shutil.copytree(public, tmp_path / "copy"))
        (path,) = folder.glob("*/tables/n.csv")
        path.write_bytes(path.read_bytes() + b"1")  # a draw may have no digit that could be looked for
        with TestClient(application(folder), base_url=ADDRESS) as client:
            id = path.parts[-3]
            assert client.get(f"/public/release/{id}/").status_code == 500
            assert client.get(f"/public/releases/{id}/tables/n.csv").status_code == 500
            assert json.loads(client.get(f"/api/releases/{id}/tables/n.csv").text)["error"] == "damaged"


def test_the_lab_answers_any_address_without_a_script(client: TestClient) -> None:
    page = client.get("/public/lab/repeat.html?n=25&defence=private&eps=0.7")
    assert page.status_code == 200
    assert "With ε = 0.7 nobody can win more than 66.9 %" in page.text
    assert client.get("/public/lab/repeat.csv?n=25").text.splitlines()[1].startswith("uniform-2,,0.5,0.998")
    for query in ("eps=nan", "defence=%00", "e=cells", "world=" + "x" * 3000, "unknown=1"):
        for attack in ("difference", "cells", "scores"):
            page = client.get(f"/public/lab/{attack}.html?{query}")
            assert page.status_code == 200
            said = "the usual values stand in its place" in page.text.partition("application/json")[0]
            assert said == (query != f"e={attack}")
    for missing in ("nothing.html", "difference.pdf", "trade.csv", "../portal.js.html"):
        assert client.get(f"/public/lab/{missing}").status_code == 404
    assert client.get("/public/lab/").text == client.get("/public/lab/index.html").text
    release = client.get("/public/").text.partition('href="release/')[2].partition("/")[0]
    assert "lets an attacker do" in client.get(f"/public/release/{release}/attacker.html").text


def test_every_text_of_some_length_is_compressed_once(client: TestClient, base: str, workspace: Workspace) -> None:
    """Other answers do not vary; a part by its bytes is of the plain text; a compressed one has its own ETag."""
    for path in (f"{base}/", "/public/", "/public/feed.json", f"{base.replace('release', 'releases')}/release.json"):
        plain = client.get(path, headers={"accept-encoding": "identity"})
        assert (plain.headers["vary"], "content-encoding" in plain.headers) == ("Accept-Encoding", False), path
        answer = client.get(path, headers={"accept-encoding": "gzip"})
        assert answer.headers["content-encoding"] == "gzip"
        assert int(answer.headers["content-length"]) < 0.6 * len(plain.content)
        assert answer.content == plain.content
        tag = answer.headers["etag"]
        assert tag != plain.headers["etag"]
        again = client.get(path, headers={"accept-encoding": "gzip", "if-none-match": tag})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        part = client.get(path, headers={"accept-encoding": "gzip", "range": "bytes=0-9"})
        assert (part.status_code, part.content) == (206, plain.content[:10])
    book = client.get(f"{base.replace('release', 'releases')}/workbook.xlsx", headers={"accept-encoding": "gzip"})
    assert not {"vary", "content-encoding"} & set(book.headers)
