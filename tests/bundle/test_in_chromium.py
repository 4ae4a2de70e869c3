"""The pages in a real browser: readable at every width, in light and dark, for everyone; and hostile text inert."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from dprelease.portal.site import write_site
from tests.browser.conftest import REST
from tests.browser.install_chromium import find_chromium
from tests.bundle import kinds
from tests.bundle.kinds import PLAN


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def site(written: Path, hostile_written: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    write_site([written], out)
    return out


def opened(browser: Browser, path: Path, width: int, scheme: str) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "dark"),
        pytest.param(1280, "light", marks=pytest.mark.full),
        pytest.param(390, "light", marks=pytest.mark.full),
        pytest.param(1280, "dark", marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("name", ["release", "hostile", "every kind", "catalogue"])
def test_a_page_is_accessible_and_fits(
    browser: Browser,
    site: Path,
    written: Path,
    hostile_written: Path,
    name: str,
    width: int,
    scheme: str,
) -> None:
    folder = {"release": written, "hostile": hostile_written, "every kind": kinds.bundle(PLAN), "catalogue": site}[name]
    page = opened(browser, folder / "index.html", width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    least = 720 if width > 640 else 200  # phones have charts of their own
    assert page.evaluate(f"[...document.images].every(image => image.complete && image.naturalWidth >= {least})")
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    page.close()


def test_hostile_text_runs_nothing_and_asks_for_nothing(browser: Browser, hostile_written: Path) -> None:
    page = browser.new_page()
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("dialog", lambda dialog: heard.append(dialog.message))
    page.on("request", lambda request: heard.append(request.url))
    page.add_init_script(REST)
    page.goto((hostile_written / "index.html").as_uri())
    page.wait_for_selector("html[data-rests]", state="attached")
    assert [text for text in heard if not text.startswith(("file:", "data:image/svg+xml"))] == []
    assert len([text for text in heard if text.startswith("file:")]) == 1
    assert page.evaluate("[...document.scripts].map(each => each.type)") == ["application/ld+json"]
    assert "<script>alert('title')</script>" in page.locator("h1").inner_text()
    for chart in (hostile_written / "charts").iterdir():
        page.goto(chart.as_uri())
        assert page.evaluate("document.querySelectorAll('script, foreignObject, image, a').length") == 0
    assert not [text for text in heard if text.startswith("http")]
    page.close()


@pytest.mark.full
def test_charts_and_tables_are_printed_whole(browser: Browser, written: Path) -> None:
    page = opened(browser, written / "index.html", 1280, "light")
    page.emulate_media(media="print")
    cut = "[...document.querySelectorAll('.scroll')].filter(box => box.scrollHeight > box.clientHeight + 1).length"
    assert page.evaluate(cut) == 0
    page.close()
