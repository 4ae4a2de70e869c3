"""The pictures of the README: `make images` writes docs/images/{workbench,release}.png from the sample workspace.

With a folder as argument it writes there instead every page at 1280 and 390 pixels, light and dark, to be looked at.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page

from dprelease.ui.words import say
from dprelease.workspace import Workspace, sample
from tests.browser.conftest import ROOT, chromium, enter, press, settled, still
from tests.browser.servers import Server, serve

IMAGE, PUBLIC = (ROOT / "docs" / "images" / f"{name}.png" for name in ("workbench", "release"))
PHONE = {"width": 390, "height": 844}
TALLEST = 1400
DRAGGED = 24
"""Steps that ε is moved to the left in the picture of the workbench, so that some bars are too noisy."""


def visit(page: Page, server: Server) -> Iterator[str]:
    """Opens each page in turn, as the owner, with the sample plan in hand."""
    enter(page, server.link)
    for name in ("desk", "tables"):
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
    page.locator(".bench .chart svg").wait_for()
    page.reload()  # past the message that the plan was read
    page.locator(".bench .chart svg").wait_for()
    page.get_by_text(say("bench_mode_true"), exact=True).click()
    page.locator(".bench .row").nth(1).click()
    settled(page)
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(DRAGGED):
        slider.press("ArrowLeft")
    settled(page)
    yield "workbench"
    page.get_by_role("button", name=re.compile(f"^{say('bench_publish')}")).click()
    page.get_by_role("dialog").wait_for()
    settled(page)
    yield "publish"
    page.keyboard.press("Escape")
    page.goto(f"{server.base}/review")
    yield "review"
    page.goto(f"{server.base}/releases")
    yield "releases"
    page.goto(f"{server.base}/budget")
    yield "ledger"


def shoot(page: Page, path: Path) -> None:
    """The whole page, but for what is far down."""
    settled(page)
    viewport = page.viewport_size
    assert viewport is not None
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": viewport["width"], "height": max(600, min(TALLEST, height + 60))})
    still(page)
    page.screenshot(path=path)
    page.set_viewport_size(viewport)


def take(browser: Browser, server: Server, folder: Path | None, width: int, theme: str) -> None:
    """One picture of each page; without a folder, of the workbench alone."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    for name in visit(page, server):
        if folder is not None:
            shoot(page, folder / f"{name}-{width}-{theme}.png")
        elif name == "workbench":
            settled(page)
            page.screenshot(path=IMAGE)
            break
    context.close()


def take_release(browser: Browser, home: Path) -> None:
    """The first screen of the sample's release, as a stranger's phone shows its bundle."""
    (page,) = (home / "public").glob("*/index.html")
    shown = browser.new_page(viewport=PHONE, device_scale_factor=2)  # type: ignore[arg-type]
    shown.goto(page.as_uri())
    shown.screenshot(path=PUBLIC)
    shown.close()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place, chromium() as browser:
        home = Path(place) / "home"
        sample.install(Workspace.create(home))
        if folder is None:
            take_release(browser, home)
        for width, theme in product((1280, 390), ("light", "dark")) if folder else [(1280, "light")]:
            for server in serve(home):
                take(browser, server, folder, width, theme)


if __name__ == "__main__":
    main()
