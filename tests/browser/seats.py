"""Where those sit who look at pages: their tabs, and what these ask of other hosts."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page

from dprelease.words.language import COOKIE
from dprelease.workspace import Workspace, process
from tests.browser.servers import Server


class Look(NamedTuple):
    """How a page is looked at."""

    width: int
    scheme: str
    code: str

    @property
    def height(self) -> int:
        return 800 if self.width > 1000 else 844


class Strays(list[str]):
    """What a page asked of other hosts, and what the policy refused it."""


class Seats:
    """Browsers in which somebody is signed in, unless nobody is named, and reads one language.

    Each is kept for every tab of his: the first one takes a second for Streamlit's scripts, the others find them there.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._taken: dict[tuple[str, str | None, str], tuple[BrowserContext, Strays]] = {}

    def tab(self, server: Server, look: Look, who: str | None) -> tuple[Page, Strays]:
        """A new tab, with what it will ask of other hosts."""
        key = (server.base, who, look.code)
        if key not in self._taken:
            self._taken[key] = self._seated(*key, server.home)
        context, strays = self._taken[key]
        strays.clear()
        page = context.new_page()
        page.set_viewport_size({"width": look.width, "height": look.height})
        page.emulate_media(color_scheme=look.scheme)  # type: ignore[arg-type]
        return page, strays

    def _seated(self, base: str, who: str | None, code: str, home: Path) -> tuple[BrowserContext, Strays]:
        strays = Strays()
        context = self._browser.new_context()
        context.add_cookies([{"name": COOKIE, "value": code, "url": base}])
        if who is not None:
            workspace = Workspace.open(home)
            token = workspace.people.sign_in(workspace.people.sign_in_link(workspace.people.get(who)))
            context.add_cookies([{"name": process.COOKIE, "value": token, "url": base}])
        own = (base, base.replace("http", "ws", 1), "data:", "blob:")
        context.on("request", lambda asked: None if asked.url.startswith(own) else strays.append(asked.url))
        context.on("console", lambda said: strays.append(said.text) if "Content Security Policy" in said.text else None)
        return context, strays
