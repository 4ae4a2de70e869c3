"""The plan's page in a browser: goals, dragging ε by keyboard, refresh, two plans, and a codebook of 300 columns."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.ui.words import say
from dprelease.workspace import Workspace
from dprelease.workspace.process import COOKIE
from tests.browser.conftest import Server, grave, pick, press, serve, settled

WIDE = 300
COLUMNS = {
    f"c{number}": (
        {"type": "integer", "lower": 0, "upper": 100 + number},
        {"type": "category", "categories": ["a", "b", "c"]},
        {"type": "boolean"},
    )[number % 3]
    for number in range(WIDE)
}
ERROR = re.compile(r"± [\d\u202f.,]+ records")


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a table of 300 declared columns."""
    home = tmp_path_factory.mktemp("wide") / "home"
    workspace = Workspace.create(home)
    workspace.add_population("answers", unit="person", neighbors="add_remove", epsilon=10)
    path = home.parent / "wide.csv"
    path.write_text(",".join(COLUMNS) + "\n" + ",".join(["1"] * WIDE) + "\n")
    workspace.add_dataset("wide", path, population="answers", columns=COLUMNS)
    workspace.plans.drafts.save({"dataset": "wide", "title": "Earlier", "statistics": [{"kind": "count"}]})
    yield from serve(home)


def opened(browser: Browser, server: Server, **more: object) -> Page:
    workspace = Workspace.open(server.home)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, **more)  # type: ignore[arg-type]
    token = workspace.people.sign_in(workspace.people.sign_in_link())
    context.add_cookies([{"name": COOKIE, "value": token, "url": server.base}])
    page = context.new_page()
    page.goto(f"{server.base}/plan")
    expect(page.get_by_role("heading", name=say("plan_title"))).to_be_visible(timeout=60_000)
    settled(page)
    return page


def first_error(page: Page) -> str:
    found = ERROR.search(page.locator(".dp-note", has_text="with 95 %").first.inner_text())
    assert found
    return found[0]


def test_a_plan_is_made_by_goals_and_keys_and_a_refresh_loses_nothing(wide: Server, browser: Browser) -> None:
    page = opened(browser, wide)
    pick(page, say("goal"), say("goal_spread"))
    pick(page, say("goal_columns"), "c1")
    page.keyboard.press("Escape")
    page.get_by_role("button", name=say("statistic_add"), exact=True).press("Enter")
    settled(page)
    before = first_error(page)
    slider = page.get_by_role("slider").first
    page.get_by_role("button", name=say("codebook_add")).scroll_into_view_if_needed()
    expect(page.get_by_test_id("stSlider").first).to_be_in_viewport()
    slider.focus()
    for value in ("1.2", "1.4"):
        page.keyboard.press("ArrowRight")
        expect(page.get_by_label(say("plan_epsilon"), exact=True).first).to_have_value(value, timeout=15_000)
    expect(page.locator(".dp-note", has_text="with 95 %").first).not_to_contain_text(before)
    settled(page)
    after, chosen = first_error(page), slider.get_attribute("aria-valuetext")
    assert chosen == "1.4"
    assert re.search(r"draft=[0-9a-f]{12}", page.url)
    title = page.get_by_label(say("plan_name"), exact=True)
    title.fill("Half a ti")
    page.wait_for_timeout(1500)
    settled(page)
    page.reload()
    expect(page.locator(".dp-note", has_text="with 95 %").first).to_contain_text(after, timeout=60_000)
    assert page.get_by_role("slider").first.get_attribute("aria-valuetext") == chosen
    expect(title).to_have_value("Half a ti")
    # On to what would be published, and back by the browser's own button: the same draft.
    page.get_by_role("button", name=say("plan_publish"), exact=True).press("Enter")
    expect(page.get_by_role("heading", name=say("publish_summary"))).to_be_visible(timeout=60_000)
    expect(page.locator(".dp-facts").first).to_contain_text(f"ε = {chosen}")
    assert "draft=" in page.url
    page.go_back()
    expect(page.locator(".dp-note", has_text="with 95 %").first).to_contain_text(after, timeout=60_000)
    expect(title).to_have_value("Half a ti")
    page.context.close()


@pytest.mark.full
def test_a_codebook_of_300_columns_is_one_click_and_stays_usable(wide: Server, browser: Browser) -> None:
    page = opened(browser, wide)
    page.get_by_text(re.compile(r"Your( \d+)? drafts?")).first.click()
    press(page, say("draft_new"))
    expect(page.get_by_text(say("plan_statistics_none"))).to_be_visible(timeout=30_000)
    settled(page)
    press(page, say("codebook_add"))
    expect(page.get_by_text(say("cards_page", count=WIDE + 1))).to_be_visible(timeout=60_000)
    settled(page)
    before = first_error(page)
    page.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".dp-note", has_text="with 95 %").first).not_to_contain_text(before, timeout=10_000)
    settled(page)
    assert page.get_by_role("button", name=say("remove"), exact=True).count() == 20
    page.get_by_text(say("compare"), exact=True).click(timeout=60_000)
    page.get_by_text(say("compare_show"), exact=True).click(timeout=60_000)
    expect(page.get_by_role("table", name=say("compare_prices"))).to_be_visible(timeout=30_000)
    expect(page.get_by_role("table", name=say("compare_differences"))).to_be_visible()
    page.context.close()


@pytest.mark.full
@pytest.mark.parametrize(("width", "scheme", "language"), [(1280, "light", "es"), (390, "dark", "en")])
def test_the_page_is_accessible_and_fits(
    wide: Server, browser: Browser, width: int, scheme: str, language: str
) -> None:
    page = opened(browser, wide, color_scheme=scheme) if language == "en" else spanish(browser, wide, scheme)
    page.set_viewport_size({"width": width, "height": 900})
    settled(page)
    page.evaluate("document.querySelectorAll('.stExpander details:not([open]) > summary').forEach(it => it.click())")
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert grave(page) == []
    page.context.close()


def spanish(browser: Browser, server: Server, scheme: str) -> Page:
    workspace = Workspace.open(server.home)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme, locale="es")  # type: ignore[arg-type]
    token = workspace.people.sign_in(workspace.people.sign_in_link())
    context.add_cookies([{"name": COOKIE, "value": token, "url": server.base}])
    page = context.new_page()
    page.goto(f"{server.base}/plan")
    expect(page.get_by_role("heading", name="Planificar una publicación")).to_be_visible(timeout=60_000)
    settled(page)
    return page
