"""A real server and a real Chromium."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from dprelease.ui.words import say
from tests.browser import servers
from tests.browser.install_chromium import find_chromium
from tests.browser.servers import Server, serve

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
PATIENCE = 120_000
"""Milliseconds that a state is waited for."""
expect.set_options(timeout=PATIENCE)
GRAVE = ("serious", "critical")
REST = (Path(__file__).parent / "rest.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session", autouse=True)
def _servers_end() -> Iterator[None]:
    yield
    servers.end()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serve(tmp_path_factory.mktemp("served") / "home")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tells what stood on the pages that were open when a test failed."""
    report = yield
    browser = getattr(item, "funcargs", {}).get("browser")
    if report.failed and browser is not None:
        for page in [page for context in browser.contexts for page in context.pages]:
            report.sections.append((page.url.partition("?")[0], page.locator("body").inner_text()))
    return report


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Playwright holds the thread's event loop while it is there: not beyond a file, for others need it."""
    with chromium() as found:
        yield found


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """A browser that waits for a busy machine, and whose pages say when they rest."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=find_chromium(), args=[*FLAGS, *flags])
        new_context = found.new_context

        def patient(**options: Any) -> BrowserContext:
            context = new_context(**{"reduced_motion": "reduce", **options})
            context.set_default_timeout(PATIENCE)
            context.add_init_script(REST)
            return context

        found.new_context = patient  # type: ignore[method-assign]
        found.new_page = lambda **options: patient(**options).new_page()  # type: ignore[method-assign]
        yield found
        found.close()


def enter(page: Page, link: str) -> None:
    """Follows a sign-in link: looking at it signs nobody in, its button does."""
    page.goto(link)
    page.locator("form button").click()


CUT = """() => {
  const found = [], wide = document.documentElement.clientWidth + 1;
  const inside = (rect, box) => rect.left >= box.left - 1 && rect.right <= box.right + 1;
  for (const each of document.querySelectorAll('td, tbody th, dd, img.chart, figure img, .dp-figure img')) {
    if (each.closest('details:not([open])')) continue;
    if (wide < 480 && each.closest('.pivot')) continue;  // on phones scrolled beside its first column
    const range = document.createRange();
    range.selectNodeContents(each);
    const rects = each.tagName === 'IMG' ? [each.getBoundingClientRect()] : [...range.getClientRects()];
    for (const rect of rects.filter(rect => rect.width > 0)) {
      let whole = inside(rect, {left: 0, right: wide});
      for (let box = each.parentElement; whole && box; box = box.parentElement)
        if (getComputedStyle(box).overflowX !== 'visible') whole = inside(rect, box.getBoundingClientRect());
      if (!whole) { found.push(each.tagName + ' ' + each.textContent.slice(0, 40)); break; }
    }
  }
  return found;
}"""


def cut(page: Page) -> list[str]:
    """Cells and charts of which something is cut off, or to be seen only by scrolling sideways."""
    found: list[str] = page.evaluate(CUT)
    return found


def grave(page: Page) -> list[str]:
    """The serious and critical findings of axe-core: which, and where."""
    found = [each for each in Axe().run(page).response["violations"] if each["impact"] in GRAVE]
    return [f"{each['id']}: {node['target']} {node['html'][:200]}" for each in found for node in each["nodes"]]


def pick(page: Page, label: str, option: str, *, place: int = 0) -> None:
    """From a list, with the keyboard alone; `place`: which of several with this label."""
    settled(page)
    page.get_by_role("combobox", name=re.compile(re.escape(label))).nth(place).focus()
    page.keyboard.type(option)
    page.get_by_role("option", name=option).first.wait_for()
    page.keyboard.press("Enter")
    settled(page)
    if page.get_by_role("listbox").count():  # of several, which stays open and hides what is behind it
        page.keyboard.press("Escape")


def press(page: Page, label: str) -> None:
    """A button, once it stands still: it moves while the page is drawn, and a press that it moves under is lost."""
    settled(page)
    page.get_by_role("button", name=label, exact=True).click()
    settled(page)


def unfolded(page: Page) -> Locator:
    """The form of a new population, which is folded away once there is one."""
    form = page.locator("details", has_text=say("population_add")).first
    form.wait_for()
    if form.get_attribute("open") is None:
        form.locator("summary").first.click()
    return form


def settled(page: Page) -> None:
    """Waits until Streamlit has run and drawn what the last action asked for."""
    _disturbed(page)
    page.wait_for_selector("html[data-rests=app]", state="attached")


def still(page: Page) -> None:
    """Waits until nothing moves on a page, which need not be one of Streamlit's."""
    _disturbed(page)
    page.wait_for_selector("html[data-rests]", state="attached")


def _disturbed(page: Page) -> None:
    """Has the page say anew that it rests; a document that comes in its place does so anyway."""
    with suppress(PlaywrightError):
        page.evaluate("window.disturb?.()")
