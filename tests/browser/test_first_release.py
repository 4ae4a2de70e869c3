"""From the opened dashboard to a verified release of the sample: three clicks, no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from benchmarks.http import free_port
from dprelease import verify
from dprelease.ui.words import say
from dprelease.workspace import Workspace
from tests.browser.conftest import enter, grave, settled
from tests.browser.servers import Server, serve_by_command


@pytest.fixture
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("first") / "home"
    Workspace.create(home)
    yield from serve_by_command(home, free_port())


CLICKS = "window.clicks = 0; addEventListener('pointerdown', () => window.clicks += 1, true)"


def test_the_sample_is_released_in_three_clicks(empty: Server, browser: Browser) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB").new_page()
    enter(page, empty.link)
    settled(page)
    page.evaluate(CLICKS)
    assert grave(page) == []
    page.get_by_role("button", name=say("desk_first_open")).click()
    page.wait_for_url("**/workbench**")
    page.locator(".st-key-bench-onwards button:enabled").wait_for()
    settled(page)
    page.locator(".st-key-bench-onwards button").click()
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    settled(page)
    dialog.get_by_role("button", name=say("publish_button", epsilon="1")).click()
    page.wait_for_url("**/releases?release=*")
    settled(page)
    assert page.evaluate("window.clicks") == 3
    workspace = Workspace.open(empty.home)
    (release,) = workspace.releases.find()
    assert release.id in page.url
    assert len(release.certificate.statistics) == 5
    assert verify(workspace.releases.bundle(release.id), key=workspace.public_key)
    page.context.close()
