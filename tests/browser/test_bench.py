"""The workbench's component in a real Chromium, under the dashboard's policy, on invented data."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.bench.serving import ROOT, copied, serving
from tests.browser.conftest import READY, grave
from tests.test_wheel import Installed, installed, wheel  # noqa: F401 (fixtures)

WATCH = "document.addEventListener('securitypolicyviolation', event => (window.refused ??= []).push(event.blockedURI))"
PAUSE = 1_500


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with serving(sys.executable, ROOT) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


def shown(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector(READY, timeout=60_000)
    page.wait_for_selector(".bench .chart svg")
    page.wait_for_timeout(300)
    return page


def told(page: Page) -> list[dict[str, Any]]:
    """What the page's script was told, once everything has come to rest."""
    page.wait_for_timeout(PAUSE)
    page.wait_for_selector(READY)
    found: list[dict[str, Any]] = json.loads(page.locator("#told").inner_text())
    return found


@pytest.fixture(params=["checkout", "wheel"])
def somewhere(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page, of the checkout where nothing is installed, and of an environment that a wheel was installed in."""
    if request.param == "checkout":
        yield request.getfixturevalue("base")
        return
    place: Installed = request.getfixturevalue("installed")
    with serving(str(place.command.with_name("python")), copied(tmp_path_factory.mktemp("page"))) as address:
        yield address


def test_it_runs_under_the_policy_and_asks_nobody_else(page: Page, somewhere: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(WATCH)
    shown(page, somewhere)
    assert page.locator(".bench .chart rect.noisy").count() == 20
    refused = page.evaluate("window.refused ?? []")
    assert set(refused) <= {"wasm-eval"}, "a quicker way of Streamlit's to read its messages, which it does without"
    assert [each for each in asked if not each.startswith((somewhere, "data:"))] == []
    scripts = {each.rpartition("/")[2] for each in asked if "bidi-components" in each}
    assert scripts == {path.name for path in (ROOT / "dprelease/ui/bench/assets").iterdir()}


def test_a_pause_of_the_slider_is_told_once(page: Page, base: str) -> None:
    shown(page, f"{base}/?unsaid")
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    said = "ε 1.10. Whoever suspects 50 : 50 that a person is in the table can become at most 75 % sure."
    expect(slider).to_have_attribute("aria-valuetext", said)
    (look,) = told(page)
    assert look["look"] == {"epsilon": 1.1, "least": 1, "most": 1.15, "looks": 3, "view": "beside", "statistic": "age"}
    assert page.get_by_role("slider").get_attribute("aria-valuenow") == "1.1"


def test_nothing_serious_for_who_cannot_see_it(page: Page, base: str) -> None:
    shown(page, base)
    assert grave(page) == []
