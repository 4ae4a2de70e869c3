"""From a preview to a release in a browser: by keyboard, with the title typed, and loaded again in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
from playwright.sync_api import Browser, expect

from dprelease.model.plan import Plan
from dprelease.ui.words import say
from dprelease.ui.workbench import draft
from dprelease.ui.workbench.saving import written
from dprelease.workspace import Workspace
from tests.browser.conftest import Server, enter, grave, serve, settled

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
        # 400,002 cells take seconds: time to load the page again in the middle.
        {"id": "cells", "kind": "crosstab", "columns": ["income", "region"]},
    ],
}
LOOKED_AT = {**PLAN, "title": "Cells", "statistics": PLAN["statistics"][:1]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home: Path = tmp_path_factory.mktemp("publication") / "home"
    workspace = Workspace.create(home)
    rows = range(3000)
    frame = pandas.DataFrame(
        {
            "income": [(row * 7919) % 90_000 for row in rows],
            "region": ["ns"[row % 3 == 0] for row in rows],
            "sex": ["FM"[row % 2] for row in rows],
        }
    )
    workspace.add_dataset("people", frame, columns=COLUMNS, epsilon=2, unit="person")
    for plan in (PLAN, LOOKED_AT):  # the one saved last is that which a new tab goes on with
        workspace.plans.drafts.save(written(draft.Draft.from_plan(Plan.parse(plan))), name=plan["title"])
    yield from serve(home)


def test_from_a_preview_to_a_release(server: Server, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 1000}, locale="en-GB")
    page = context.new_page()
    enter(page, server.link)
    settled(page)
    page.goto(f"{server.base}/preview")
    settled(page)
    page.get_by_role("button", name=say("preview_take")).press("Enter")
    page.get_by_text(say("view_outcomes"), exact=True).wait_for(timeout=60_000)
    expect(page.get_by_text(say("preview_watermark")).first).to_be_visible()
    page.get_by_text(say("view_outcomes"), exact=True).click()
    expect(page.get_by_text(say("survival_title")).first).to_be_visible(timeout=60_000)
    settled(page)
    page.mouse.wheel(0, 3000)
    page.wait_for_timeout(300)
    expect(page.get_by_text(say("preview_watermark")).first).to_be_in_viewport()
    for forbidden in ("stElementToolbarButton", "stDownloadButton", "stDataFrame", "stVegaLiteChart"):
        assert page.get_by_test_id(forbidden).count() == 0
    assert grave(page) == []

    drafts = Workspace.open(server.home).plans.drafts.find()
    page.goto(f"{server.base}/publish?draft={next(each.id for each in drafts if each.name == 'Incomes')}")
    settled(page)
    assert grave(page) == []
    field = page.get_by_role("textbox", name=say("publish_confirm", title="Incomes", epsilon=1))
    field.fill("incomes")
    field.press("Enter")
    expect(page.get_by_text(say("publish_mismatch", title="Incomes"))).to_be_visible(timeout=30_000)
    field.fill("Incomes")
    field.press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_text(say("publish_going_on"))).to_be_visible(timeout=30_000)
    expect(page.locator("[aria-current=step]")).to_contain_text(say("state_now"))
    page.reload()
    expect(page.get_by_text(say("publish_going_on"))).to_be_visible(timeout=30_000)
    expect(page.get_by_text(say("publish_done", title="Incomes"))).to_be_visible(timeout=60_000)
    assert "/release" in page.url
    page.go_back()
    expect(page.get_by_text(say("publish_already", epsilon=1))).to_be_visible(timeout=60_000)
    settled(page)
    expect(page.get_by_role("textbox")).to_have_count(0)
    page.keyboard.press("Enter")
    page.go_forward()
    expect(page.get_by_role("heading", name="Incomes")).to_be_visible(timeout=60_000)
    page.reload()
    expect(page.get_by_role("heading", name="Incomes")).to_be_visible(timeout=60_000)
    context.close()

    workspace = Workspace.open(server.home)
    kinds = [event.kind for event in workspace.ledger.events()]
    assert (kinds.count("charge"), kinds.count("preview_taken")) == (1, 1)
    assert workspace.releases.find()[0].certificate.previews.taken is True
