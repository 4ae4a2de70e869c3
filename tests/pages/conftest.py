"""Pages as Streamlit runs them, on a real workspace: the sample one, shared, or a small one of a test's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from dprelease.model.actor import OWNER, Actor
from dprelease.model.plan import Plan
from dprelease.ui.data import bring, reading_form
from dprelease.ui.kit import session
from dprelease.ui.words import say
from dprelease.ui.workbench import dialogs, draft
from dprelease.workspace import Workspace, look, process, sample
from tests.made import copied, made

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 300
"""Seconds that a busy machine may take for a page, a reading or a publication."""
SHELL = ROOT / "dprelease" / "ui" / "shell.py"

Opener = Callable[..., AppTest]
SignIn = Callable[..., str]
CopyOf = Callable[[str, Callable[[Workspace], object]], Workspace]

TABLE = b"pid,age,region\n" + b"".join(f"p{row % 40},{row % 90},{'ns'[row % 2]}\n".encode() for row in range(200))
COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "region": {"type": "category", "categories": ["n", "s"]},
}
STATISTICS = [
    {"id": "n", "kind": "count"},
    {"id": "ages", "kind": "histogram", "column": "age", "bins": 10},
    {"id": "mean_age", "kind": "mean", "column": "age", "by": ["region"]},
]
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Small",
    "dataset": "small",
    "privacy": {"unit": {"column": "pid", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 1},
    "expected": {"rows": 80},
    "charts": False,
    "statistics": STATISTICS,
}
"""Without charts: no page draws them, and each takes a release a tenth of a second."""


def opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The workspace in a folder, as the pages of this process will find it."""
    monkeypatch.setenv(process.VARIABLE, str(home))
    process.current.cache_clear()
    return process.current()


@pytest.fixture(scope="session", autouse=True)
def _components_are_sought_once() -> Iterator[None]:
    """Each tab of a test would read what every installed package says of itself, in search of components of pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session", autouse=True)
def _ladders_are_drawn_in_a_moment() -> Iterator[None]:
    """A table whose noise cannot be scaled would be drawn for nearly a second each time that it is looked at.

    How it is drawn is tested in tests/workspace/test_bench.py, with as many draws as anybody gets.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(look, "DRAWS", look.FEWEST_DRAWS)
        yield


@pytest.fixture(scope="session", autouse=True)
def _files_are_read_before_a_page_goes_on() -> Iterator[None]:
    """On a busy machine a page would show how far the reading of a small file is, not what was read."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (bring, reading_form):
            patch.setattr(module, "QUICK", PATIENCE)
        yield


@pytest.fixture(autouse=True)
def _dialogs_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a browser a dialog runs alone until it is closed; here the page runs, and would close it each time."""
    monkeypatch.setattr(dialogs, "taken", lambda: st.session_state.get(session.DIALOG))


def _made(name: str, make: Callable[[Workspace], object]) -> Path:
    """The workspace of this name, made once and shared."""
    return made(lambda folder: make(Workspace.create(folder / "home")), name=name, of=make) / "home"


@pytest.fixture(scope="session")
def sample_home() -> Path:
    return _made("sample", sample.install)


@pytest.fixture
def sample_workspace(sample_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Shared by all tests: look, and change nothing that another test could notice."""
    yield opened(sample_home, monkeypatch)
    process.current.cache_clear()


@pytest.fixture
def copy_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CopyOf]:
    """Opens a copy, of this test alone, of a workspace that is made once a session."""

    def opened_copy(name: str, make: Callable[[Workspace], object]) -> Workspace:
        return opened(copied(_made(name, make), tmp_path / "workspace"), monkeypatch)

    yield opened_copy
    process.current.cache_clear()


@pytest.fixture
def own_workspace(copy_of: CopyOf) -> Workspace:
    """Empty, of this test alone."""
    return copy_of("empty", lambda workspace: None)


@pytest.fixture
def sign_in(monkeypatch: pytest.MonkeyPatch) -> SignIn:
    """From then on, this browser sends the cookie of a session: the owner's, or that of somebody invited.

    Returns the session's token.
    """

    def with_cookie(actor: Actor | None = None) -> str:
        workspace = process.current()
        token = workspace.people.sign_in(
            workspace.people.sign_in_link(actor) if actor else workspace.people.sign_in_link()
        )
        monkeypatch.setattr(session, "cookies", lambda: {process.COOKIE: token})
        return token

    return with_cookie


@pytest.fixture
def small(copy_of: CopyOf, sign_in: SignIn) -> Workspace:
    """A workspace with one described dataset; the owner is signed in."""
    workspace = copy_of("small", describe)
    sign_in()
    return workspace


def describe(workspace: Workspace) -> None:
    """One population, and one dataset of it."""
    workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=3)
    upload = workspace.datasets.uploads.stage("small.csv", BytesIO(TABLE))
    workspace.add_dataset("small", upload, population="few", unit_column="pid", columns=COLUMNS)


@pytest.fixture
def visit() -> Opener:
    """Opens a page; `state` is what the tab remembers, `query` what stands in the address."""

    def open_page(key: str, *, state: dict[str, Any] | None = None, query: dict[str, str] | None = None) -> AppTest:
        page = AppTest.from_file(str(SHELL), default_timeout=PATIENCE)
        for name, value in (state or {}).items():
            page.session_state[name] = value
        for name, value in (query or {}).items():
            page.query_params[name] = value
        if key != "desk":
            page.switch_page(str(ROOT / "pages" / f"{key}.py"))
        return page.run()

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


def in_hand(plan: dict[str, Any] | None = None) -> dict[str, Any]:
    """A tab that has a plan in hand."""
    return {session.DRAFT: draft.Draft.from_plan(Plan.parse(plan or PLAN))}


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click()
    return page.run()


def tick(page: AppTest, label: str) -> AppTest:
    next(box for box in page.checkbox if box.label == label).check()
    return page.run()


def write(page: AppTest, label: str, text: str) -> AppTest:
    """Fills in a field, of one line or of several."""
    next(field for field in (*page.text_input, *page.text_area) if field.label == label).input(text)
    return page


def choose(page: AppTest, label: str, value: Any) -> AppTest:
    next(box for box in page.selectbox if box.label == label).select(value)
    return page.run()


def arrived(page: AppTest, label: str) -> AppTest:
    """Presses what begins to publish, and stays on the page until that is over."""
    press(page, label)
    jobs = process.current().releases.publishing(actor=OWNER)
    if any(job.runs for job in jobs):
        assert all(job.ended.wait(PATIENCE) for job in jobs)
        page.run()
    return page


def dialog(page: AppTest, name: str) -> AppTest:
    """Opens a dialog of the workbench, or another one."""
    page.session_state[session.DIALOG] = name
    return page.run()


def published(page: AppTest, epsilon: int = 1) -> AppTest:
    """Publishes the plan on the workbench."""
    dialog(page, "publish")
    return arrived(page, say("publish_button", epsilon=epsilon))
