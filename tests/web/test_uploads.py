"""A large file arrives in pieces, from the right person and page, and a refused one leaves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from dprelease.model.actor import Actor, Role
from dprelease.workspace import Workspace, process, staging
from tests.web.conftest import ADDRESS

OWN = {"origin": ADDRESS, "sec-fetch-site": "same-origin"}
TABLE = b"name,age\nAna,31\n"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv(process.VARIABLE, str(tmp_path / "home"))
    process.current.cache_clear()
    Workspace.create(tmp_path / "home")
    yield process.current()
    process.current.cache_clear()


@pytest.fixture
def curator(empty: Workspace, server: TestClient) -> TestClient:
    server.cookies.clear()
    server.cookies.set(process.COOKIE, empty.people.sign_in(empty.people.sign_in_link()), domain="127.0.0.1")
    return server


def files(workspace: Workspace) -> list[Path]:
    assert workspace.home is not None
    return list((workspace.home / "private" / "uploads").iterdir())


def read(workspace: Workspace) -> list[staging.Upload]:
    for task in workspace.datasets.uploads.readings():
        task.ended.wait()
    return workspace.datasets.uploads.find()


def test_a_curator_sends_a_file(empty: Workspace, curator: TestClient) -> None:
    answer = curator.post("/upload?name=..%2Fmen%C3%BC.csv", content=TABLE * 200_000, headers=OWN)
    assert answer.status_code == 201
    (waiting,) = read(empty)
    assert answer.json() == {"id": waiting.id}
    assert (waiting.filename, waiting.columns) == ("menü.csv", ("name", "age"))


def test_rows_of_a_dataset_are_read_as_its_first_file_was(empty: Workspace, curator: TestClient) -> None:
    empty.add_population("people", unit="person", neighbors="add_remove", epsilon=1)
    first = empty.datasets.uploads.stage("first.csv", BytesIO(b"name;age\nAna;3,5\n"))
    empty.add_dataset("few", first, population="people")
    assert curator.post("/upload?name=t.csv&after=few", content=b"name;age\nBo;4,5\n", headers=OWN).is_success
    (waiting,) = read(empty)
    assert waiting.detected.reading == empty.datasets.layout("few")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {**OWN, "sec-fetch-site": "cross-site"},
        {"origin": "http://localhost:8501", "sec-fetch-site": "same-site"},
    ],
)
def test_another_page_cannot_send_with_somebodys_cookie(
    empty: Workspace, curator: TestClient, headers: dict[str, str]
) -> None:
    assert curator.post("/upload?name=t.csv", content=TABLE, headers=headers).status_code == 403
    assert files(empty) == []


def test_only_curators_may(empty: Workspace, curator: TestClient) -> None:
    reviewer = empty.people.sign_in(empty.people.sign_in_link(Actor("ben", frozenset({Role.REVIEWER}))))
    for token in ("", reviewer):
        curator.cookies.clear()
        curator.cookies.set(process.COOKIE, token, domain="127.0.0.1")
        assert curator.post("/upload?name=t.csv", content=TABLE, headers=OWN).status_code == 403
    assert files(empty) == []


def test_who_may_not_is_refused_before_anything_is_read(empty: Workspace, curator: TestClient) -> None:
    curator.cookies.clear()
    asked = []

    def body() -> Iterator[bytes]:
        asked.append(1)
        yield TABLE

    answer = curator.post("/upload?name=t.csv", content=body(), headers={**OWN, "content-length": "9"})
    assert answer.status_code == 403
    assert files(empty) == []


def test_a_file_that_is_too_large_is_refused_before_and_while_it_arrives(
    empty: Workspace, curator: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dprelease.web.uploads.MAX_BYTES", 10)
    assert "At most 16 GB" in curator.post("/upload?name=t.csv", content=TABLE, headers=OWN).json()["message"]
    monkeypatch.undo()
    monkeypatch.setattr(staging, "MAX_BYTES", 10)
    assert curator.post("/upload?name=t.csv", content=TABLE, headers=OWN).status_code == 422
    monkeypatch.undo()
    monkeypatch.setattr(staging, "ROOM", 2**60)
    assert "too little room" in curator.post("/upload?name=t.csv", content=TABLE, headers=OWN).json()["message"]
    spanish = curator.post("/upload?name=t.csv", content=TABLE, headers={**OWN, "accept-language": "es"})
    assert "no hay sitio suficiente" in spanish.json()["message"]
    unannounced = curator.post("/upload?name=t.csv", content=iter([TABLE]), headers=OWN)
    assert "Content-Length" in unannounced.json()["message"]
    assert files(empty) == []


def test_a_file_that_cannot_be_read_leaves_nothing_and_says_where(empty: Workspace, curator: TestClient) -> None:
    assert curator.post("/upload?name=t.csv", content=TABLE + b"1,2,SECRET\n", headers=OWN).status_code == 201
    assert read(empty) == []
    (failed,) = empty.datasets.uploads.readings()
    assert "line 3, column 3" in str(failed.error)
    assert "SECRET" not in str(failed.error)
    assert files(empty) == []
    empty.datasets.uploads.discard(failed.id)
    assert empty.datasets.uploads.readings() == []
