"""Pictures of the guide: `make images` writes docs/guide/images, `python -m tests.browser.guide_pictures` these alone.

With a folder as argument it writes whole pages there instead, at 1280 and 390 pixels, light and dark, to be looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Browser, Page

from dprelease.words.language import COOKIE, speaking
from dprelease.workspace import process
from tests.browser import guide_data, guide_release, guide_review
from tests.browser.conftest import ROOT, chromium, still
from tests.browser.guide_scene import Scene
from tests.browser.servers import Server, serve

IMAGES = ROOT / "docs" / "guide" / "images"
TALLEST = 6000
MARGIN = 10
COLOURS = 128
"""Enough for letters and lines, and a third of the bytes."""
NARROW = 900
"""Pixels: a page of the guide is about 700 wide, and letters should stay legible."""
NEUTRAL = """document.querySelectorAll('dd').forEach(each => {
    if (each.textContent.endsWith('/private/tables')) each.textContent = '/srv/dprelease/private/tables'
})"""
"""A server's folder in the place of this script's."""
Story = tuple[Callable[[Path], str], Callable[[Page, Server], Iterator[Scene]]]
"""Prepares a workspace and returns the session of who looks at it; then shows one state after the other."""
STORIES: tuple[Story, ...] = (
    (guide_release.nothing, guide_release.first_steps),
    (guide_data.prepare, guide_data.scenes),
    (guide_release.prepare, guide_release.scenes),
    (guide_review.prepare, guide_review.scenes),
)


def shoot(page: Page, scene: Scene, path: Path, whole: bool) -> None:
    """A picture of what is between two elements, or of the whole page."""
    still(page)
    width = page.viewport_size["width"] if page.viewport_size else 1280
    height = page.evaluate("(document.querySelector('[data-testid=stMain]') || document.body).scrollHeight")
    page.set_viewport_size({"width": width, "height": max(600, min(TALLEST, height + 60))})
    still(page)
    page.evaluate(NEUTRAL)
    first, last = (each.first.bounding_box() for each in (scene.first, scene.last))
    if whole or first is None or last is None:
        page.screenshot(path=path)
    else:
        main = page.locator("[data-testid=stMainBlockContainer], main").first.bounding_box()
        assert main is not None
        top, bottom = first["y"] - MARGIN, last["y"] + last["height"] + MARGIN
        page.screenshot(path=path, clip={"x": main["x"], "y": top, "width": main["width"], "height": bottom - top})
        Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)
    page.set_viewport_size({"width": width, "height": 900})


def take(browser: Browser, folder: Path, width: int, theme: str, code: str, *, whole: bool) -> None:
    """All scenes in one look."""
    suffix = f"-{width}-{theme}-{code}" if whole else "" if code == "en" else f"-{code}"
    for prepare, scenes in STORIES:
        with TemporaryDirectory() as place, speaking(code):
            session = prepare(Path(place) / "home")
            for server in serve(Path(place) / "home"):
                context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)  # type: ignore[arg-type]
                for name, value in ((COOKIE, code), (process.COOKIE, session)):
                    context.add_cookies([{"name": name, "value": value, "url": server.base}])
                page = context.new_page()
                for scene in scenes(page, server):
                    shoot(page, scene, folder / f"{scene.name}{suffix}.png", whole)
                context.close()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    whole = len(sys.argv) > 1
    looks = [(1280, "light", "en"), (390, "dark", "es"), (1280, "dark", "es"), (390, "light", "en")]
    with chromium() as browser:
        for width, theme, code in looks if whole else [(NARROW, "light", "en"), (NARROW, "light", "es")]:
            take(browser, folder, width, theme, code, whole=whole)


if __name__ == "__main__":
    main()
