"""Pages as Streamlit runs them, on a real workspace: the sample one, shared, or a small one of a test's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.ui import session
from dprelease.workspace import Workspace, process, sample

ROOT = Path(__file__).resolve().parents[2]
SHELL = ROOT / "dprelease" / "ui" / "shell.py"

Opener = Callable[..., AppTest]


def opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The workspace in a folder, as the pages of this process will find it."""
    monkeypatch.setenv(process.VARIABLE, str(home))
    process.current.cache_clear()
    return process.current()


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home: Path = tmp_path_factory.mktemp("sample")
    sample.install(Workspace.open(home))
    return home


@pytest.fixture
def sample_workspace(sample_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Shared by all tests: look, and change nothing that another test could notice."""
    yield opened(sample_home, monkeypatch)
    process.current.cache_clear()


@pytest.fixture
def own_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Empty, of this test alone."""
    yield opened(tmp_path / "workspace", monkeypatch)
    process.current.cache_clear()


@pytest.fixture
def sign_in(monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """From then on, this browser sends the cookie of a session of the owner. Returns the session's token."""

    def with_cookie() -> str:
        workspace = process.current()
        token = workspace.sign_in(workspace.sign_in_link())
        monkeypatch.setattr(session, "cookies", lambda: {process.COOKIE: token})
        return token

    return with_cookie


@pytest.fixture
def visit() -> Opener:
    """Opens a page; `state` is what the tab remembers, `query` what stands in the address."""

    def open_page(key: str, *, state: dict[str, Any] | None = None, query: dict[str, str] | None = None) -> AppTest:
        page = AppTest.from_file(str(SHELL), default_timeout=60)
        for name, value in (state or {}).items():
            page.session_state[name] = value
        page.run()
        for name, value in (query or {}).items():
            page.query_params[name] = value
        if key != "home":
            page.switch_page(str(ROOT / "pages" / f"{key}.py")).run()
        return page

    return open_page


def go(page: AppTest, key: str) -> AppTest:
    """Another page in the same tab."""
    return page.switch_page(str(ROOT / "pages" / f"{key}.py")).run()


def words(page: AppTest) -> str:
    """Everything that a page says, as text."""
    assert not page.exception
    parts = [html(page)]
    parts += [element.value for kind in ("title", "markdown", "code") for element in page.get(kind)]
    text = re.sub(r"<[^>]+>", " ", re.sub(r"</?(?:bdi|span)[^>]*>", "", "\n".join(parts)))
    return re.sub(r"\s+", " ", unescape(text))


def html(page: AppTest) -> str:
    """The HTML that a page put in place itself, without the stylesheet."""
    return "\n".join(body for element in page.get("html") if not (body := element.proto.body).startswith("<style"))


def labels(page: AppTest, kind: str) -> list[str]:
    return [element.label for element in page.get(kind)]
