"""Pictures of every page for the documentation: `make images` writes docs/images/*.png from the sample workspace.

With a folder as argument it writes there instead, each page at 1280 and 390 pixels, light and dark, to be looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright

from dprelease.ui.words import say
from dprelease.workspace import Workspace, sample
from tests.browser.conftest import FLAGS, ROOT, Server, enter, press, serve, settled
from tests.browser.install_chromium import find_chromium

IMAGES = ROOT / "docs" / "images"
TALLEST = 1400


def visit(page: Page, server: Server) -> Iterator[str]:
    """Opens each page in turn, as the owner, with the sample plan in hand."""
    enter(page, server.link)
    for name in ("desk", "data"):
        page.goto(f"{server.base}/{'' if name == 'desk' else name}")
        yield name
    page.goto(f"{server.base}/workbench")
    settled(page)
    press(page, say("bench_more"))
    page.get_by_role("menuitem", name=say("bench_more_file"), exact=True).click()
    settled(page)
    with TemporaryDirectory() as folder:
        plan = next(path for path in sample.write_files(Path(folder)) if path.suffix == ".yaml")
        page.locator("input[type=file]").set_input_files(plan)
        settled(page)
    page.locator(".bench .chart svg").wait_for(timeout=60_000)
    yield "workbench"
    press(page, say("bench_publish"))
    yield "publish"
    page.keyboard.press("Escape")
    page.goto(f"{server.base}/review")
    yield "review"
    page.goto(f"{server.base}/releases")
    yield "releases"
    page.get_by_role("link", name=sample.PLAN["title"]).first.click()
    page.get_by_text("Whether or not any one person").first.wait_for(timeout=30_000)
    yield "release"
    page.goto(f"{server.base}/ledger")
    yield "ledger"


def take(browser: Browser, server: Server, folder: Path, width: int, theme: str, suffix: str) -> None:
    """One picture of each page."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    for name in visit(page, server):
        settled(page)
        page.wait_for_timeout(1200)
        height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        page.set_viewport_size({"width": width, "height": max(600, min(TALLEST, height + 60))})
        page.wait_for_timeout(800)
        page.screenshot(path=folder / f"{name}{suffix}.png")
        page.set_viewport_size({"width": width, "height": 900})
    context.close()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    looks = product((1280, 390), ("light", "dark")) if len(sys.argv) > 1 else [(1280, "light")]
    with TemporaryDirectory() as place, sync_playwright() as playwright:
        home = Path(place) / "home"
        sample.install(Workspace.create(home))
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        for width, theme in looks:
            suffix = f"-{width}-{theme}" if len(sys.argv) > 1 else ""
            for server in serve(home):
                take(browser, server, folder, width, theme, suffix)


if __name__ == "__main__":
    main()
