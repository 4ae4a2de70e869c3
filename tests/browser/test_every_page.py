"""Every page in every look: no serious finding of axe-core, everything opened, nothing wider than the screen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from playwright.sync_api import Browser, Page

from dprelease.model.actor import Actor
from dprelease.model.plan import Plan
from dprelease.ui.screens import SCREENS
from dprelease.ui.words import say
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import written
from dprelease.words.language import COOKIE, speaking
from dprelease.workspace import Workspace, guide, process, sample
from tests.browser.conftest import Server, cut, grave, press, serve, settled

KEYS = ["" if screen.key == "home" else screen.key for screen in SCREENS]
"""Addresses of pages that Streamlit draws."""
GUIDE = [f"guide/{path.stem}" for path in sorted((guide.DOCS / "guide").glob("*.md"))]
ON_THE_WAY = ["upload", "sign-out", f"reports/{sample.POPULATION}"]
FEW = ["", "datasets", "plan", "release", "upload", "guide/start"]
"""Those that no other test of every day looks at."""
OPEN = "document.querySelectorAll('details:not([open]) > summary').forEach(each => each.click())"
NARROW = (390, "dark", "en")
LOOKS = [pytest.param(*look, marks=pytest.mark.full) for look in product((1280, 390), ("light", "dark"), ("en", "es"))]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The sample workspace, with a plan in the making."""
    home = tmp_path_factory.mktemp("served") / "home"
    workspace = Workspace.create(home)
    sample.install(workspace)
    workspace.plans.drafts.save(written(Draft.from_plan(Plan.parse(sample.PLAN))), name="Again")
    yield from serve(home)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Three people, a plan and a request that wait."""
    home = tmp_path_factory.mktemp("team") / "home"
    workspace = Workspace.create(home)
    sample.install(workspace)
    workspace.populations.open_period(sample.POPULATION, "2026", epsilon=2, reason="New rows.")
    workspace.add_population("staff", unit="employee", neighbors="add_remove", epsilon=1)
    for name, role in (("ann", "curator"), ("ben", "reviewer"), ("dan", "administrator")):
        workspace.people.sign_in(workspace.people.invite(name, [role]))
    workspace.people.require_two_people()
    ann = workspace.people.get("ann")
    workspace.plans.submit(Plan.parse({**sample.PLAN, "title": "Visits again"}), actor=ann)
    workspace.plans.drafts.save(written(Draft.from_plan(Plan.parse(sample.PLAN))), name="Again", actor=ann)
    workspace.populations.raise_cap(sample.POPULATION, epsilon=4, reason="A second bulletin.", actor=ann)
    workspace.populations.raise_cap("staff", epsilon=2, reason="A second bulletin.", actor=ann)
    yield from serve(home)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("empty") / "home"
    Workspace.create(home)
    yield from serve(home)


def opened(browser: Browser, server: Server, look: tuple[int, str, str], person: Actor | None) -> Page:
    """A tab, signed in unless nobody is named."""
    width, scheme, code = look
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    context.add_cookies([{"name": COOKIE, "value": code, "url": server.base}])
    if person is not None:
        workspace = Workspace.open(server.home)
        token = workspace.people.sign_in(workspace.people.sign_in_link(person))
        context.add_cookies([{"name": process.COOKIE, "value": token, "url": server.base}])
    return context.new_page()


def fine(page: Page, server: Server, address: str, look: tuple[int, str, str]) -> None:
    """Opens a page and all that is folded on it, and looks at it."""
    drawn = address.partition("?")[0] in KEYS
    page.goto(f"{server.base}/{address}")
    if drawn:
        page.locator("h1").wait_for(timeout=60_000)
        settled(page)
        page.evaluate(OPEN)
        settled(page)
        assert page.evaluate("document.documentElement.lang") == look[2]
        assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 0)"), address
    assert grave(page) == [], address
    assert page.evaluate("document.documentElement.scrollWidth") <= look[0], address
    if look[0] == NARROW[0]:
        assert cut(page) == [], address


def release(server: Server) -> str:
    return Workspace.open(server.home).releases.find()[0].id


def test_pages_that_are_made_every_day(served: Server, browser: Browser) -> None:
    page = opened(browser, served, NARROW, Workspace.open(served.home).people.get("owner"))
    for address in FEW:
        fine(page, served, address + (f"?id={release(served)}" if address == "release" else ""), NARROW)
    for address in ("public/", f"public/release/{release(served)}/", f"r/{release(served)}/"):
        fine(page, served, address, NARROW)
    page.context.close()


def test_what_a_reviewer_works_with_every_day(team: Server, browser: Browser) -> None:
    page = opened(browser, team, NARROW, Workspace.open(team.home).people.get("ben"))
    for address in ("ledger", "review"):
        fine(page, team, address, NARROW)
    page.context.close()


@pytest.mark.parametrize(("width", "scheme", "code"), LOOKS)
def test_every_page_of_the_owner(served: Server, browser: Browser, width: int, scheme: str, code: str) -> None:
    look = (width, scheme, code)
    page = opened(browser, served, look, Workspace.open(served.home).people.get("owner"))
    for address in (*KEYS, f"release?id={release(served)}", *ON_THE_WAY):
        fine(page, served, address, look)
    for address in GUIDE:
        fine(page, served, f"{address}?lang={code}", look)
    fine(page, served, "preview", look)
    with speaking(code):
        press(page, say("preview_take"))
        for view in ("beside", "outcomes", "sources"):
            page.get_by_text(say(f"view_{view}"), exact=True).click(timeout=60_000)
            settled(page)
            assert grave(page) == [], view
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
    page.context.close()


@pytest.mark.parametrize(("width", "scheme", "code"), LOOKS)
def test_every_page_of_a_visitor(served: Server, browser: Browser, width: int, scheme: str, code: str) -> None:
    look = (width, scheme, code)
    page = opened(browser, served, look, None)
    public = "public/es" if code == "es" else "public"
    found = release(served)
    pages = [f"{public}/", f"{public}/release/{found}/", f"{public}/release/{found}/check.html", f"r/{found}/"]
    for address in (*KEYS, f"release?id={found}", "sign-in", *pages):
        fine(page, served, address, look)
    page.context.close()


@pytest.mark.parametrize(("width", "scheme", "code"), LOOKS)
def test_what_people_of_a_team_see(team: Server, browser: Browser, width: int, scheme: str, code: str) -> None:
    look = (width, scheme, code)
    for name, addresses in (
        ("ann", ("", "datasets", "publish", "review")),
        ("ben", ("", "review", "ledger", "plan")),
        ("dan", ("", "people", "account")),
    ):
        page = opened(browser, team, look, Workspace.open(team.home).people.get(name))
        for address in addresses:
            fine(page, team, address, look)
        page.context.close()


@pytest.mark.parametrize(("width", "scheme", "code"), LOOKS)
def test_every_page_where_nothing_is_yet(empty: Server, browser: Browser, width: int, scheme: str, code: str) -> None:
    look = (width, scheme, code)
    page = opened(browser, empty, look, Workspace.open(empty.home).people.get("owner"))
    for address in KEYS:
        fine(page, empty, address, look)
    page.context.close()
