"""The list of releases a page at a time: nothing is lost or comes twice while others are published."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from dprelease import Plan, Workspace
from dprelease.portal.shelf import Bundle, BundleIndex
from dprelease.portal.source import PublicFolder
from dprelease.web.alone import application
from tests.web.conftest import ADDRESS
from tests.workspace.test_publish import approved

COLUMNS = {"age": {"type": "integer", "lower": 0, "upper": 100}}


class Publisher:
    """A workspace on disk that publishes one small release after another."""

    def __init__(self, home: Path) -> None:
        self.workspace = Workspace.create(home)
        source = home.parent / "t.csv"
        source.write_text("age\n1\n2\n")
        self.workspace.add_dataset("t", source, columns=COLUMNS, epsilon=10)
        self.ids: list[str] = []

    def publish(self) -> str:
        """The id of another release."""
        plan = Plan.parse(
            {
                "dprelease": 1,
                "title": f"Release {len(self.ids)}",
                "dataset": "t",
                "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 0.1},
                "columns": COLUMNS,
                "statistics": [{"id": "n", "kind": "count"}],
            }
        )
        self.ids.append(self.workspace.publish(approved(self.workspace, plan)).id)
        return self.ids[-1]


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    made = Publisher(tmp_path / "home")
    for _ in range(3):
        made.publish()
    return made


@pytest.fixture(params=["settled", "just changed"])
def client(
    publisher: Publisher, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    """Of a portal that keeps its list while the folder stays as it is, and of one that has to look again."""
    monkeypatch.setattr("dprelease.portal.source.SETTLED", -1 if request.param == "settled" else 10**18)
    with TestClient(application(publisher.workspace.releases.folder), base_url=ADDRESS) as found:
        yield found


@pytest.mark.one_in(2)
def test_each_page_follows_the_one_before_whatever_is_published_meanwhile(
    publisher: Publisher, client: TestClient
) -> None:
    address, seen = "/api/releases?limit=1&population=t&q=release", []
    while address:
        answer = client.get(address)
        seen += [each["id"] for each in answer.json()["releases"]]
        following = answer.json()["next"]
        assert answer.headers.get("Link", "") == (f'<{following}>; rel="next"' if following else "")
        publisher.publish()
        address = following
    assert seen == publisher.ids[2::-1]
    assert [each["id"] for each in client.get("/api/releases").json()["releases"]] == publisher.ids[::-1]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("limit", "count"), [("2", 2), ("0", 1), ("", 3), ("-1", 3), ("two", 3), ("9" * 9, 3), ("99999", 3)]
)
def test_a_limit_is_read_or_left_out(client: TestClient, limit: str, count: int) -> None:
    assert len(client.get("/api/releases", params={"limit": limit}).json()["releases"]) == count


def test_a_page_after_no_release_is_missing(client: TestClient) -> None:
    assert client.get("/api/releases?after=nothing-12345678").status_code == 404


def test_what_came_or_went_is_seen_and_the_rest_is_not_opened_again(
    publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dprelease.portal.source.SETTLED", -1)
    source = PublicFolder(publisher.workspace.releases.folder)
    shelf = BundleIndex(source)
    first, listed = shelf.listing(), publisher.ids[::-1]
    assert [spine.id for spine in first.spines] == listed
    assert shelf.listing() is first
    newest = publisher.publish()
    second = shelf.listing()
    assert [spine.id for spine in second.spines] == [newest, *listed]
    assert all(one is other for one, other in zip(first.spines, second.spines[1:], strict=True))
    shutil.rmtree(source.folder(listed[0]))
    assert [bundle.id for bundle in shelf.bundles()] == [newest, *listed[1:]]


def test_a_bundle_that_is_still_being_copied_is_shown_once_it_is_whole(
    publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dprelease.portal.source.SETTLED", -1)
    public, copy = publisher.workspace.releases.folder, tmp_path / "copy"
    shutil.copytree(public, copy)
    late = copy / publisher.ids[0] / "SHA256SUMS"
    late.unlink()
    shelf = BundleIndex(PublicFolder(copy))
    assert [bundle.id for bundle in shelf.bundles()] == publisher.ids[:0:-1]
    shutil.copy(public / publisher.ids[0] / "SHA256SUMS", late)
    assert [bundle.id for bundle in shelf.bundles()] == publisher.ids[::-1]


def test_a_first_page_opens_no_other_bundle(
    publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening takes a millisecond: ten thousand took a quarter of a minute before the first answer."""
    for _ in range(3):
        publisher.publish()
    opened: list[str] = []
    whole = Bundle.open.__func__  # type: ignore[attr-defined]
    monkeypatch.setattr(
        Bundle, "open", classmethod(lambda cls, name, folder: opened.append(name) or whole(cls, name, folder))
    )
    monkeypatch.setattr("dprelease.portal.index.MAX_LISTED", 2)
    monkeypatch.setattr("dprelease.portal.feeds.MOST", 2)
    newest = publisher.ids[:-3:-1]
    for address, most in (("/public/", 2), ("/public/feed.json", 2), ("/api/releases?limit=2", 3)):
        opened.clear()
        with TestClient(application(publisher.workspace.releases.folder), base_url=ADDRESS) as client:
            answer = client.get(address)
        assert answer.status_code == 200
        assert all(name in answer.text for name in newest)
        assert set(opened) <= set(publisher.ids[: -most - 1 : -1])
        assert len(opened) <= most


def test_one_that_is_damaged_is_neither_shown_nor_counted(publisher: Publisher, client: TestClient) -> None:
    ids = publisher.ids
    (publisher.workspace.releases.folder / ids[1] / "release.json").write_bytes(
        (publisher.workspace.releases.folder / ids[0] / "release.json").read_bytes()
    )
    for _ in range(2):
        page = client.get("/public/").text
        assert "Search 2 releases" in page
        assert ids[1] not in page
        assert [each["id"] for each in client.get("/api/releases").json()["releases"]] == [ids[2], ids[0]]
