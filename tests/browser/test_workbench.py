"""The workbench in a real Chromium: the whole way by keyboard alone, looks in the ledger, and 300 statistics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.model.plan import Plan
from dprelease.ui.words import say
from dprelease.ui.workbench import draft
from dprelease.ui.workbench.saving import written
from dprelease.words.language import COOKIE as LANGUAGE
from dprelease.workspace import Workspace
from dprelease.workspace.process import COOKIE
from tests.browser.conftest import grave, settled
from tests.browser.servers import Server, held, serve

COLUMNS = {
    "income": {"type": "integer", "lower": 0, "upper": 200_000},
    "region": {"type": "category", "categories": ["n", "s"]},
    "sex": {"type": "category", "categories": ["F", "M"]},
}
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Incomes",
    "dataset": "people",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "statistics": [
        {"id": "n", "kind": "crosstab", "columns": ["region", "sex"]},
        {"id": "incomes", "kind": "histogram", "column": "income", "bins": 10},
    ],
}
HELD = {**PLAN, "title": "Held"}
BENCH = ".bench .chart svg, .bench .cells"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home: Path = tmp_path_factory.mktemp("workbench") / "home"
    workspace = Workspace.create(home)
    rows = range(3000)
    frame = pandas.DataFrame(
        {
            "income": [(row * 7919) % 90_000 for row in rows],
            "region": ["ns"[row % 3 == 0] for row in rows],
            "sex": ["FM"[row % 2] for row in rows],
        }
    )
    workspace.add_dataset("people", frame, columns=COLUMNS, epsilon=3, unit="person")
    wide = {f"c{number}": {"type": "boolean"} for number in range(300)}
    path = home.parent / "wide.csv"
    path.write_text(",".join(wide) + "\n" + ",".join(["true"] * 300) + "\n")
    workspace.add_dataset("wide", path, columns=wide, epsilon=10, unit="person")
    for plan in (PLAN, HELD):
        workspace.plans.drafts.save(written(draft.Draft.from_plan(Plan.parse(plan))), name=plan["title"])
    yield from serve(home)


def opened(browser: Browser, server: Server, name: str = "", language: str = "en", **more: Any) -> Page:
    """The workbench with a saved draft, or with none."""
    workspace = Workspace.open(server.home)
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-GB", **more)
    token = workspace.people.sign_in(workspace.people.sign_in_link())
    cookies = {COOKIE: token, LANGUAGE: language}
    context.add_cookies([{"name": each, "value": value, "url": server.base} for each, value in cookies.items()])
    page = context.new_page()
    found = {each.name: each.id for each in workspace.plans.drafts.find()}
    page.goto(f"{server.base}/workbench?draft={found[name]}" if name else f"{server.base}/workbench")
    page.wait_for_selector(BENCH)
    settled(page)
    return page


def looks(server: Server) -> list[str]:
    return [event.kind for event in Workspace.open(server.home).ledger.events() if event.kind.startswith("preview")]


def test_the_whole_way_by_keyboard_alone(server: Server, browser: Browser) -> None:
    page = opened(browser, server, "Incomes")
    before = looks(server)
    expect(page.get_by_text(say("bench_invented"))).to_be_visible()
    page.get_by_role("radio", name=say("bench_mode_true")).or_(
        page.get_by_role("button", name=say("bench_mode_true"))
    ).first.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.get_by_text(say("bench_secret"))).to_be_visible()
    settled(page)
    assert looks(server) == [*before, "preview_taken"], "it opened with a look-alike"
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".looks")).to_contain_text("3")
    assert looks(server) == [*before, "preview_taken", "preview_swept"]
    page.keyboard.press("j")
    page.keyboard.press("2")
    rows = page.locator(".bench .row").count()
    page.keyboard.press("d")
    expect(page.locator(".bench .row")).to_have_count(rows + 1)
    settled(page)
    expect(page.get_by_role("button", name=say("bench_undo"))).to_be_enabled()
    expect(page.get_by_role("slider")).to_be_focused()
    page.keyboard.press("z")
    expect(page.locator(".bench .row")).to_have_count(rows)
    settled(page)
    assert grave(page) == []
    page.reload()
    page.wait_for_selector(BENCH)
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuenow", re.compile(r"0[.]9"))
    settled(page)
    page.keyboard.press("Control+Enter")
    button = page.get_by_role("button", name=re.compile("^Publish and spend"))
    expect(button).to_be_visible()
    expect(page.get_by_role("dialog")).to_contain_text(say("publish_previews_plan"))  # one was copied, and looked at
    settled(page)
    assert grave(page) == []
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text(say("publish_done", title="Incomes"))).to_be_visible()
    assert "/release" in page.url
    page.context.close()
    (release,) = Workspace.open(server.home).releases.find()
    assert release.certificate.previews.changed == "measured"


@pytest.mark.full
def test_a_page_that_is_loaded_again_finds_it_going_on(server: Server, browser: Browser) -> None:
    page = opened(browser, server, "Held")
    page.keyboard.press("Control+Enter")
    with held(server):
        page.get_by_role("button", name=re.compile("^Publish and spend")).dblclick()
        expect(page.get_by_text(say("publish_going_on"))).to_be_visible()
        expect(page.locator("[aria-current=step]")).to_contain_text(say("state_now"))
        page.reload()
        expect(page.get_by_text(say("publish_going_on"))).to_be_visible()
    expect(page.get_by_text(say("publish_done", title="Held"))).to_be_visible()
    page.context.close()
    kinds = [event.kind for event in Workspace.open(server.home).ledger.events()]
    assert kinds.count("charge") <= 2, "one for each of the two plans of this file"


@pytest.mark.full
def test_three_hundred_statistics_stay_usable(server: Server, browser: Browser) -> None:
    workspace = Workspace.open(server.home)
    statistics = [{"kind": "histogram", "options": {"column": f"c{number}"}} for number in range(300)]
    workspace.plans.drafts.save({"dataset": "wide", "title": "Wide", "statistics": statistics}, name="Wide")
    page = opened(browser, server, "Wide")
    assert page.locator(".bench .row").count() == 300
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    page.locator(".bench .search").fill("c299")
    expect(page.locator(".bench .row")).to_have_count(1)
    page.context.close()
