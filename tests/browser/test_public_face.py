"""The public page of a release, as a stranger meets it on a phone and on a desk: in every state, in both languages."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser import faces

SAMPLE = ("two keys", "one number", faces.QUIET, faces.REPLACED)
"""States that every run looks at; the others are looked at by the full one."""
EVERY = (*faces.STATES, faces.QUIET, faces.REPLACED, "many")
FIRST_NUMBER = """() => {
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!/\\d/.test(node.data) || node.parentElement.closest('h1, .sub, .flag, nav, .how, .t')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const place = range.getBoundingClientRect();
    if (place.height) return place.top;
  }
  return Infinity;
}"""
LEAD = "() => document.querySelector('[data-lead-chart] img')?.getBoundingClientRect().bottom ?? 0"
CUT = """() => [...document.querySelectorAll('h1, h2, h3, a, td, th, dd, .lead')].filter(each =>
  each.offsetParent && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX == 'hidden'
).map(each => each.textContent)"""
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> tuple[Path, dict[str, str]]:
    names = EVERY if any("full" in item.keywords for item in request.session.items) else SAMPLE
    home = tmp_path_factory.mktemp("faces") / "home"
    return home / "site", faces.made(home, names)


def opened(browser: Browser, path: Path, size: dict[str, int], scheme: str) -> Page:
    page = browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(path.as_uri())
    page.evaluate("[...document.images].forEach(image => { image.loading = 'eager' })")
    page.wait_for_function("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    return page


LOOKS = list(product(("", "es"), ((PHONE, "dark"), (WIDE, "light"))))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "state", [*SAMPLE, *(pytest.param(name, marks=pytest.mark.full) for name in EVERY if name not in SAMPLE)]
)
def test_the_first_screen_has_a_number_and_nothing_is_cut(
    state: str, browser: Browser, site: tuple[Path, dict[str, str]]
) -> None:
    """First number by 300 pixels (400 below a flag), the lead's picture by 600, the folded page within 6,000."""
    folder, ids = site
    flagged = state == faces.REPLACED
    for language, (size, scheme) in LOOKS:
        page = opened(browser, folder / language / "release" / ids[state] / "index.html", size, scheme)
        look = f"{state} {language} {size['width']}"
        if state != "rows":  # its finding has no number: the first stands beside the picture
            assert page.evaluate(FIRST_NUMBER) <= (400 if flagged else 300), look
        assert page.evaluate(LEAD) <= (640 if flagged and size is WIDE else 600), look
        assert size is WIDE or page.locator("main").bounding_box()["height"] <= 6000, look  # type: ignore[index]
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"], look
        assert page.evaluate(CUT) == [], look
        found = Axe().run(page)
        assert found.violations_count == 0, f"{look}: {found.generate_report()}"
        page.close()


def test_spanish_pages_have_spanish_titles(site: tuple[Path, dict[str, str]]) -> None:
    folder, ids = site
    page = (folder / "es" / "release" / ids["one number"] / "index.html").read_text()
    assert "<h1><bdi>Sobre one number</bdi></h1>" in page


def test_a_release_of_which_little_can_be_quoted_says_so_and_shows_no_lead(site: tuple[Path, dict[str, str]]) -> None:
    folder, ids = site
    page = (folder / "release" / ids[faces.QUIET] / "index.html").read_text()
    certificate = json.loads((folder / "releases" / ids[faces.QUIET] / "release.json").read_text())
    has_lead = certificate["statements"]["lead"] is not None  # noise alone leads to one in at most 1 of 20 releases
    assert ("data-lead-chart" in page) == has_lead
    assert ("numbers can be quoted" in page) != has_lead


def test_the_part_of_a_page_about_results_is_the_same_in_bundle_and_site(site: tuple[Path, dict[str, str]]) -> None:
    """But for addresses, and for what only a server or a site can do with a table."""
    folder, ids = site
    for path in (f"release/{ids['two keys']}/index.html", f"releases/{ids['two keys']}/index.html"):
        page = (folder / path).read_text()
        assert page.count('<table class="m">') == 1
        assert page.count("<h3 id=") == 1 + page.count('<h3 id="mechanisms">')
