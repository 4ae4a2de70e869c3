"""Every address, for the owner and for a visitor, with all that is folded open: also those that a visitor is refused.

What is done on a page is looked at state by state in test_every_state.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from playwright.sync_api import Browser, Page

from dprelease.ui.screens import SCREENS
from dprelease.ui.words import say
from dprelease.workspace import Workspace, guide
from tests.browser.conftest import cut, grave, settled
from tests.browser.seats import Look, Seats
from tests.browser.servers import Server, serve
from tests.browser.states import unfold, wrong
from tests.browser.worlds import WORLDS
from tests.made import copied, made_workspace

KEYS = ["" if screen.key == "desk" else screen.key for screen in SCREENS]
"""Addresses of pages that Streamlit draws."""
GUIDE = [f"guide/{path.stem}" for path in sorted((guide.DOCS / "guide").glob("*.md"))]
NARROW = Look(390, "dark", "en")
LOOKS = [
    pytest.param(Look(*each), marks=pytest.mark.full) for each in product((1280, 390), ("light", "dark"), ("en", "es"))
]


REFUSED = """new Promise(done => {
  const script = Object.assign(document.createElement('script'), {src: 'blob:x', onerror: done});
  document.body.append(script);
})"""
"""Adds a script, and waits until it is refused."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = made_workspace("world-full", WORLDS["full"])
    yield from serve(copied(home, tmp_path_factory.mktemp("served") / "home"))


def release(server: Server) -> str:
    return Workspace.open(server.home).releases.find()[0].id


def fine(page: Page, server: Server, address: str, look: Look) -> None:
    """Opens a page and all that is folded on it, and looks at it."""
    page.goto(f"{server.base}/{address}")
    if "/public/" in page.url or address.startswith("own/"):
        for folded in page.locator("details").all():  # of some only one is open at a time
            folded.evaluate("each => { each.open = true; }")
            assert cut(page) == [], address
    elif address.partition("?")[0] in KEYS:
        page.locator("h1, h2").first.wait_for()
        settled(page)
        unfold(page)
        settled(page)
        assert page.evaluate("document.documentElement.lang") == look.code
    assert wrong(page, look, fits=False) == [], address


def test_a_foreign_address_and_a_refused_script_would_be_noticed(server: Server, browser: Browser) -> None:
    page, strays = Seats(browser).tab(server, NARROW, None)
    page.goto(f"{server.base}/releases")
    settled(page)
    page.evaluate("fetch('https://fonts.example/icon.svg').catch(() => 0)")
    page.evaluate(REFUSED)
    page.context.close()
    assert len(strays) >= 2, "a fetch and a script"


@pytest.mark.full
def test_the_menu_opens_by_keyboard_alone(server: Server, browser: Browser) -> None:
    """On the desk where nothing is yet, none of whose buttons may take the Enter that is meant for the menu's."""
    page, _ = Seats(browser).tab(server, NARROW, "owner")
    page.goto(server.base)
    settled(page)
    page.locator(".st-key-menu button").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name=say("sign_out")).wait_for()
    assert grave(page) == []
    page.get_by_role("link", name=say("settings_nav")).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/settings")
    settled(page)
    assert page.locator("h1").inner_text() == say("settings_title")
    page.context.close()


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_page_of_the_owner(served: Server, browser: Browser, look: Look) -> None:
    page, strays = Seats(browser).tab(served, look, "owner")
    found = release(served)
    for address in (*KEYS, f"releases?release={found}", f"own/release/{found}/"):
        fine(page, served, address, look)
    for address in GUIDE:
        fine(page, served, f"{address}?lang={look.code}", look)
    page.context.close()
    assert strays == []


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_page_of_a_visitor(served: Server, browser: Browser, look: Look) -> None:
    page, strays = Seats(browser).tab(served, look, None)
    public = "public/es" if look.code == "es" else "public"
    found = release(served)
    pages = [f"{public}/", f"{public}/release/{found}/", f"{public}/release/{found}/check.html", f"r/{found}/"]
    for address in (*KEYS, f"releases?release={found}", "sign-in", *pages):
        fine(page, served, address, look)
    page.context.close()
    assert strays == []
