"""The whole server as an ASGI app, on the sample workspace."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import app
from dprelease.workspace import Workspace, process, sample
from tests.made import made

ADDRESS = "http://127.0.0.1:8501"


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(made(_sample), tmp_path_factory.mktemp("sample") / "home"))


def _sample(folder: Path) -> None:
    sample.install(Workspace.create(folder))


@pytest.fixture
def workspace(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv(process.VARIABLE, str(home))
    process.current.cache_clear()
    yield process.current()
    process.current.cache_clear()


@pytest.fixture(scope="session")
def server() -> Iterator[TestClient]:
    with TestClient(app.app, base_url=ADDRESS, follow_redirects=False, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def client(workspace: Workspace, server: TestClient) -> TestClient:
    """A browser without cookies."""
    server.cookies.clear()
    return server
