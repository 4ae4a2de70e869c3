"""Another language, chosen with the keyboard: remembered, declared to screen readers, usable on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from dprelease.words import texts
from dprelease.workspace import Workspace, sample
from tests.browser.conftest import enter, grave, settled
from tests.browser.servers import Server, serve

ENGLISH, SPANISH = texts("ui", "en"), texts("ui", "es")

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home: Path = tmp_path_factory.mktemp("served") / "home"
    sample.install(Workspace.create(home))
    yield from serve(home)


def test_a_language_is_chosen_by_keyboard_and_kept(server: Server, browser: Browser) -> None:
    context = browser.new_context(locale="es-MX", viewport={"width": 390, "height": 844})
    page = context.new_page()
    enter(page, server.link)
    settled(page)
    assert page.locator("h1").inner_text() == SPANISH["desk_title"]
    page.goto(f"{server.base}/budget")
    settled(page)
    assert page.evaluate("document.documentElement.lang") == "es"
    page.locator(".st-key-menu button").focus()
    page.keyboard.press("Enter")
    page.locator(".dp-menu a[lang=en]").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("html[lang=en]", state="attached")
    settled(page)
    assert page.url == f"{server.base}/budget"
    assert page.locator("h1").inner_text() == ENGLISH["budget_title"]
    page.reload()
    settled(page)
    assert page.locator("h1").inner_text() == ENGLISH["budget_title"], "the browser asks for Spanish; it was chosen"
    context.close()


def test_pages_in_spanish_can_be_read_out(server: Server, browser: Browser) -> None:
    context = browser.new_context(locale="es-ES", viewport={"width": 1280, "height": 900})
    page = context.new_page()
    workspace = Workspace.open(server.home)
    enter(page, f"{server.base}/sign-in?token={workspace.people.sign_in_link()}")
    settled(page)
    (release,) = workspace.releases.find()
    for address in ("", "releases", f"releases?release={release.id}", f"own/release/{release.id}/", "budget", "review"):
        page.goto(f"{server.base}/{address}")
        settled(page)
        assert page.evaluate("document.documentElement.lang") == "es"
        assert grave(page) == [], address
    context.close()
