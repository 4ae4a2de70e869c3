"""What reviewers look at, in a browser: readable at every width, in light and dark, for everyone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.ui.words import say
from dprelease.workspace import Workspace, sample
from dprelease.workspace.process import COOKIE
from tests.browser.conftest import Server, serve, settled

ANN, BEN = (Actor(name, frozenset({role})) for name, role in (("ann", Role.CURATOR), ("ben", Role.REVIEWER)))


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The sample workspace, where two people decide, with a period, a plan that waits and a request."""
    home = tmp_path_factory.mktemp("team") / "home"
    workspace = Workspace.open(home)
    sample.install(workspace)
    workspace.open_period(sample.POPULATION, "2026", epsilon=2, reason="New rows.")
    workspace.add_population("staff", unit="employee", neighbors="add_remove", epsilon=1)
    workspace.require_two_people()
    workspace.submit(Plan.parse({**sample.PLAN, "title": "Visits again"}), actor=ANN)
    workspace.raise_cap("staff", epsilon=2, reason="A second bulletin.", actor=ANN)
    yield from serve(home)


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "dark"),
        pytest.param(1280, "light", marks=pytest.mark.full),
        pytest.param(390, "light", marks=pytest.mark.full),
        pytest.param(1280, "dark", marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize(("name", "last"), [("ledger", "ledger_events"), ("review", "review_again")])
def test_a_page_is_accessible_and_fits(
    team: Server, browser: Browser, name: str, last: str, width: int, scheme: str
) -> None:
    workspace = Workspace.open(team.home)
    token = workspace.sign_in(workspace.sign_in_link(BEN))
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    context.add_cookies([{"name": COOKIE, "value": token, "url": team.base}])
    page = context.new_page()
    page.goto(f"{team.base}/{name}")
    expect(page.get_by_role("heading", name=say(last))).to_be_visible(timeout=60_000)
    settled(page)
    for summary in page.locator(".stExpander summary").all():
        summary.click()
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)")
    results = Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    context.close()
