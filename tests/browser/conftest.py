"""A real server and a real Chromium."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from dprelease.ui.words import say
from dprelease.workspace import Workspace
from tests.browser.install_chromium import find_chromium

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
START_SECONDS = 90
PATIENCE = 120_000
"""Milliseconds."""
expect.set_options(timeout=60_000)  # five browsers begin at once on two processors
GRAVE = ("serious", "critical")


@dataclass(frozen=True)
class Server:
    """A running `dprelease serve`."""

    home: Path
    base: str
    link: str


def serve(home: Path) -> Iterator[Server]:
    """Starts the command that people use, and reads the sign-in link that it prints."""
    Workspace.create(home, exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "dprelease", "serve", "--home", str(home), "--port", str(port), "--no-browser"]
    log = home.parent / f"{home.name}.log"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output, start_new_session=True)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not (link := re.search(r"http://\S+/sign-in\?token=\S+", log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield Server(home, f"http://127.0.0.1:{port}", link[0])
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=20)


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
            report.sections.append((page.url.partition("?")[0], page.locator("body").inner_text(timeout=5_000)))
    return report


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Playwright holds the thread's event loop while it is there: not beyond a file, for others need it."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        chromium.new_context = _patient(chromium.new_context)  # type: ignore[method-assign]
        yield chromium
        chromium.close()


def _patient(new_context: Callable[..., BrowserContext]) -> Callable[..., BrowserContext]:
    """A first page of a server may take its time, while all others of a run begin, too."""

    def made(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(PATIENCE)
        return context

    return made


def enter(page: Page, link: str) -> None:
    """Follows a sign-in link: looking at it signs nobody in, its button does."""
    page.goto(link)
    page.locator("form button").click()


CUT = """() => {
  const found = [], wide = document.documentElement.clientWidth + 1;
  const inside = (rect, box) => rect.left >= box.left - 1 && rect.right <= box.right + 1;
  for (const each of document.querySelectorAll('td, tbody th, dd, img.chart, figure img, .dp-figure img')) {
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
    """From a list, with the keyboard alone; `place`: which of several with this label.

    A list that opens while the page is drawn closes again: then once more.
    """
    box = page.get_by_role("combobox", name=re.compile(re.escape(label))).nth(place)
    box.focus()
    page.keyboard.type(option)
    wanted = page.get_by_role("option", name=option).first
    for _ in range(3):
        page.wait_for_timeout(400)
        if not wanted.is_visible():
            settled(page)
            box.fill("")
            box.fill(option)
    wanted.wait_for()
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
    """Waits until Streamlit has drawn what the last action asked for."""
    page.wait_for_timeout(250)
    page.wait_for_selector(READY, timeout=PATIENCE)
