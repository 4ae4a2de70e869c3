"""The page of budgets and the ledger in Chromium: 300 events in little more than a screen, in both languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from dprelease.model.actor import OWNER
from dprelease.model.plan import Plan
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import ledger
from dprelease.store.event import EventKind
from dprelease.workspace import Workspace, sample
from tests.browser.conftest import cut, grave, settled
from tests.browser.seats import Look, Seats
from tests.browser.servers import Server, serve

EVENTS = 300
HEIGHTS = {1280: 1200, 390: 2000}
DRAWN = """() => [...document.querySelectorAll('.dp-burn-spent')].map(each => {
  const clip = getComputedStyle(each).clipPath, box = each.getBoundingClientRect();
  return clip.startsWith('polygon') && box.height > 60 && box.width > 200;
})"""
HIGH = "document.querySelector('[data-testid=stMain]').scrollHeight"


def fill_ledger(home: Path) -> Workspace:
    """A ledger of two groups of people with many charges, looks and remarks."""
    workspace = Workspace.create(home)
    sample.install(workspace)
    workspace.populations.raise_cap(sample.POPULATION, epsilon=4, reason="A second bulletin for the winter.")
    workspace.add_population("staff", unit="employee", neighbors="add_remove", epsilon=2)
    plan = Plan.parse(sample.PLAN)
    workspace.plans.look(plan)
    for place in range(30):
        workspace.plans.swept(plan, statistic="ages", least=0.2 + place / 100, most=0.9, looks=5)
    database = workspace._state.database
    comments = ("Why by ward, and not by group of wards?", "Agreed with the head of the department.")
    while (count := workspace.ledger.count()) < EVENTS:
        if count % 3 == 0:
            ledger.charge(database, "staff", PrivacyLoss(epsilon_nano=10_000_000), actor=OWNER)
        body = {"title": "Stays of 2025", "comment": comments[count % 2]}
        ledger.append(database, EventKind.PLAN_REMARKED, actor=OWNER, population=sample.POPULATION, body=body)
    return workspace


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("long") / "home"
    fill_ledger(home)
    yield from serve(home)


@pytest.mark.full
@pytest.mark.parametrize(
    ("width", "scheme", "code"), [pytest.param(1280, "light", "en", marks=pytest.mark.full), (390, "dark", "es")]
)
def test_a_ledger_of_300_events_is_a_short_page(
    served: Server, browser: Browser, width: int, scheme: str, code: str
) -> None:
    page, strays = Seats(browser).tab(served, Look(width, scheme, code), "owner")
    page.goto(f"{served.base}/budget")
    page.locator(".dp-events li").first.wait_for()
    settled(page)
    assert page.evaluate(HIGH) <= HEIGHTS[width]
    assert page.evaluate(DRAWN) == [True, True], "the steps fill a part of their room, and only a part"
    assert grave(page) == []
    assert cut(page) == []
    assert strays == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
