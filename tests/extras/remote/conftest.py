"""The server's addresses for programs, over a workspace of a team."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dprelease.extras.remote import routes
from dprelease.web import site
from dprelease.web.limits import RateLimit
from dprelease.workspace import Workspace, process
from tests.extras.remote import office
from tests.made import made


def _office(folder: Path) -> None:
    office.made(folder)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    home = Path(shutil.copytree(made(_office), tmp_path / "home"))
    monkeypatch.setenv(process.VARIABLE, str(home))
    monkeypatch.setenv("DPRELEASE_REMOTE_HOLD", "1")
    monkeypatch.setattr(routes, "LIMITS", routes.TokenLimits(*(RateLimit(10_000, 60) for _ in range(4))))
    monkeypatch.setattr(routes, "WRONG", RateLimit(10_000, 60))
    process.current.cache_clear()
    yield process.current()
    process.current.cache_clear()


@pytest.fixture
def ours() -> Any:
    return Starlette(routes=site.routes(), middleware=site.middleware())


@pytest.fixture
def client(workspace: Workspace, ours: Any) -> TestClient:
    return TestClient(ours, base_url="https://127.0.0.1:8501", follow_redirects=False)
