"""The workbench's component in a real Chromium, under the dashboard's policy, on invented data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.ui.bench.component import number_signs, words
from tests.browser.bench.scenes import scene
from tests.browser.bench.serving import HERE, ROOT, copied, serving
from tests.browser.conftest import grave, settled
from tests.browser.servers import run_script
from tests.test_wheel import Installed, installed, wheel  # noqa: F401 (fixtures)

HELD = 3000
"""Milliseconds for which a pointer rests while it is down: longer than any pause after which ε is told."""
WATCH = "document.addEventListener('securitypolicyviolation', event => (window.refused ??= []).push(event.blockedURI))"
SLIDE = """async keys => {
  const root = document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot, found = [];
  const frame = () => new Promise(done => requestAnimationFrame(done));
  for (const key of keys) {
    root.querySelector('[role=slider]').dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    await frame();
    await frame();
    found.push([...root.querySelectorAll('.chart rect')].map(each => Number(each.getAttribute('height'))));
  }
  return found;
}"""
AT_ONCE = """keys => {
  const root = document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot;
  const slider = root.querySelector('[role=slider]');
  for (const key of keys) slider.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
}"""
"""Presses keys on the slider with no time between them, however busy the machine is."""
TOGETHER = """keys => {
  const root = document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot;
  const row = root.querySelector('.row[aria-current]');
  for (const key of keys) row.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
}"""
"""Presses keys before anything of them is sent."""
OVERTAKEN = """async text => {
  const { default: bench } = await import('/_stcore/bidi-components/dprelease.bench/bench.js');
  const host = document.body.appendChild(document.createElement('div'));
  const parentElement = host.attachShadow({ mode: 'open' });
  const sent = [], turn = () => {
    sent.push(new TextEncoder().encode(text));
    return bench({ parentElement, data: sent.at(-1), setTriggerValue() {} });
  };
  const first = turn(), slider = parentElement.querySelector('[role=slider]');
  parentElement.querySelector('.bench').style.visibility = 'visible'; // as its style sheet has it
  slider.focus();
  first(); // Streamlit tells the end of a turn that another overtakes, at times before it begins that one
  const second = turn(), stays = parentElement.activeElement === slider;
  host.remove();
  second();
  return { stays, left: parentElement.childElementCount, kept: sent.filter(each => each.some(Boolean)).length };
}"""
FORMS = ("", "selected=small&view=cells", "selected=cost", "selected=words", "selected=matrix", "statistics=300")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield from run_script(HERE / "server.py", ROOT, tmp_path_factory.mktemp("bench") / "log", {})


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


def shown(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector(".bench .chart > *")
    settled(page)
    return page


def told(page: Page, count: int) -> list[dict[str, Any]]:
    """What the page's script was told, once that are so many things and everything has come to rest."""
    page.wait_for_selector(f"#told[data-count='{count}']", state="attached")
    settled(page)
    found: list[dict[str, Any]] = json.loads(page.locator("#told").inner_text())
    assert len(found) == count, found
    return found


def slide(page: Page, *keys: str) -> list[list[float]]:
    """Keys on the slider, pressed without a pause; the heights of the chart's bars after each of them."""
    found: list[list[float]] = page.evaluate(SLIDE, list(keys))
    return found


@pytest.fixture(params=["checkout", pytest.param("wheel", marks=pytest.mark.full)])
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
    assert scripts == {path.name for path in (ROOT / "dprelease/ui/bench/assets").iterdir() if path.stem != "drop"}


def test_a_pause_of_the_slider_is_told_once(page: Page, base: str) -> None:
    shown(page, f"{base}/?unsaid")
    slider = page.get_by_role("slider")
    page.evaluate(AT_ONCE, ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"])
    said = "ε 1.10. Whoever suspects 50 : 50 that a person is in the table can become at most 76 % sure."
    expect(slider).to_have_attribute("aria-valuetext", said)
    told(page, 1)
    page.locator(".bench .row").nth(1).click()  # whatever was still to be told would be told before that
    look, opened = told(page, 2)
    assert opened == {"open": "region"}
    assert look["look"] == {"epsilon": 1.1, "least": 1, "most": 1.15, "looks": 3, "view": "beside", "statistic": "age"}
    assert page.get_by_role("slider").get_attribute("aria-valuenow") == "1.1"


@pytest.mark.full
def test_a_drag_goes_on_after_it_was_held_still(page: Page, base: str) -> None:
    """What is told remakes the page, and a pointer that is down would point at nothing then."""
    shown(page, f"{base}/?unsaid")
    slider = page.get_by_role("slider")
    box = slider.bounding_box()
    assert box is not None
    across, middle = box["x"], box["y"] + box["height"] / 2

    def at() -> float:
        return float(slider.get_attribute("aria-valuenow") or 0)

    page.mouse.move(across + 300, middle)
    page.mouse.down()
    page.mouse.move(across + 200, middle, steps=10)
    held = at()
    page.wait_for_timeout(HELD)
    told(page, 0)
    page.mouse.move(across + 100, middle, steps=10)
    assert at() < held
    page.mouse.up()
    (look,) = told(page, 1)
    assert look["look"]["epsilon"] == at()
    assert look["look"]["most"] > held


def test_nothing_serious_for_who_cannot_see_it(page: Page, base: str) -> None:
    shown(page, base)
    assert grave(page) == []


def test_the_whole_of_it_works_by_keys(page: Page, base: str) -> None:
    """From the list: statistic, ε, draw, views, undo, edit, duplicate, remove, order."""
    shown(page, base)
    page.locator(".bench .row[aria-current]").focus()
    done = []
    for place, key in enumerate(("j", "3", "n", "e", "d", "Delete", "Alt+ArrowDown")):
        page.keyboard.press(key)
        done = told(page, place + 1)
    moved = {"move": ["region", 2]}
    expected = [{"open": "region"}, {"view": "cells"}, {"draw": 1}, {"edit": "region"}, {"duplicate": "region"}]
    assert done == [*expected, {"remove": "region"}, moved]
    assert page.locator(".bench .tile").count() == 10
    page.keyboard.press("z")
    assert told(page, 8)[-1] == {"undo": True}
    page.keyboard.press("ArrowRight")
    assert told(page, 9)[-1]["look"]["statistic"] == "region"


def test_what_is_done_together_is_told_once_each_and_in_order(page: Page, base: str) -> None:
    shown(page, base)
    page.evaluate(TOGETHER, ["j", "2", "d", "d"])
    assert told(page, 4) == [{"open": "region"}, {"view": "hundred"}, {"duplicate": "region"}, {"duplicate": "region"}]


@pytest.mark.full
def test_focus_stays_where_it_is_while_data_come_and_goes(page: Page, base: str) -> None:
    shown(page, base)
    focus = "document.querySelector('[data-testid=stBidiComponentIsolated]').shadowRoot.activeElement"
    page.get_by_role("tab", name="Beside true").focus()
    page.keyboard.press("ArrowRight")
    told(page, 1)
    assert page.evaluate(f"{focus}.dataset.focus") == "hundred"
    assert page.get_by_role("tab", name="100 possible releases").get_attribute("aria-selected") == "true"
    assert page.locator(".bench .chart canvas").count() == 1
    page.locator(".bench .row").nth(2).focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(f"{focus}.dataset.id") == "unplanned"
    page.keyboard.press("Enter")
    told(page, 2)
    assert page.evaluate(f"{focus}.dataset.id") == "unplanned"


def test_a_turn_that_is_overtaken_takes_neither_focus_nor_page(page: Page, base: str) -> None:
    """Only with its element does the component end, and then it leaves no value behind."""
    shown(page, base)
    data = {**scene("age"), "words": words(), "number": number_signs(), "turn": 0}
    assert page.evaluate(OVERTAKEN, json.dumps(data)) == {"stays": True, "left": 0, "kept": 0}


def test_the_chart_follows_the_slider_and_no_number_jumps(page: Page, base: str) -> None:
    """Before anything is asked of the server: less privacy loss moves every bar further from what is true."""
    shown(page, f"{base}/?unsaid")
    calm, near, wild = slide(page, "End", "PageDown", "Home")
    far = [abs(one - other) for one, other in zip(calm, near, strict=True)]
    further = [abs(one - other) for one, other in zip(calm, wild, strict=True)]
    assert max(far) < 2
    assert sum(further) > 10 * sum(far)
    assert "1 of 20 numbers" in page.locator(".card .chip").first.inner_text() or page.locator(".too-noisy").count() > 1


def test_what_is_beyond_the_budget_is_said(page: Page, base: str) -> None:
    shown(page, base)
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(page.locator(".bench .budget")).to_contain_text("over by 1.15")
    assert page.locator(".bench[data-over]").count() == 1
    told(page, 1)
    expect(page.locator(".bench .sure")).to_have_text("Only 2.85 of ε is left for Patients 2025.")


@pytest.mark.full
def test_three_hundred_statistics_are_found_by_their_titles(page: Page, base: str) -> None:
    shown(page, f"{base}/?statistics=300")
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight") < 1_200
    page.get_by_label("Find a statistic").fill("question 29")
    expect(page.locator(".bench .row")).to_have_count(6)
    page.keyboard.press("j")
    expect(page.get_by_label("Find a statistic")).to_have_value("question 29j")  # letters are letters in a field


EVERY_DAY = (390, "dark")
LOOKS = [
    pytest.param(*look, marks=[] if look == EVERY_DAY else pytest.mark.full)
    for look in product((1280, 390), ("light", "dark"))
]


@pytest.mark.full
@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_everybody_can_use_every_form_of_it(browser: Browser, base: str, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    for asked in FORMS:
        page.goto(f"{base}/?{asked}")
        page.locator(".bench .chart > *").first.wait_for()
        settled(page)
        assert grave(page) == [], asked
        wide = page.evaluate(
            "[document.documentElement, document.querySelector('[data-testid=stMain]')].map(e => e.scrollWidth)"
        )
        assert max(wide) <= width, asked
    assert page.locator(".bench .unseen table tr").count() == 21, "the chart in words"
    context.close()
