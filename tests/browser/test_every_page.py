"""Every page in every look: no serious finding of axe-core, nothing wider than the screen, nothing asked elsewhere."""

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
from dprelease.words.language import COOKIE
from dprelease.workspace import Workspace, guide, process, sample
from tests.browser.conftest import Server, cut, grave, serve, settled

KEYS = ["" if screen.key == "desk" else screen.key for screen in SCREENS]
"""Addresses of pages that Streamlit draws."""
GUIDE = [f"guide/{path.stem}" for path in sorted((guide.DOCS / "guide").glob("*.md"))]
ON_THE_WAY = ["upload", "sign-out", f"reports/{sample.POPULATION}"]
FEW = ["release", "upload", "guide/start"]
"""Those that are no place, and that no other test of every day looks at."""
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
    context.on("request", lambda request: elsewhere(request.url, server))
    context.on("console", lambda message: refused(message.text))
    return context.new_page()


STRAY: list[str] = []
"""What pages asked of other hosts, and what the policy refused them."""


def elsewhere(url: str, server: Server) -> None:
    own = (server.base, server.base.replace("http", "ws", 1), "data:", "blob:")
    STRAY.extend([] if url.startswith(own) else [url])


def refused(message: str) -> None:
    STRAY.extend([message] if "Content Security Policy" in message else [])


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
    assert STRAY == [], address
    if look[0] == NARROW[0]:
        assert cut(page) == [], address


def test_a_foreign_address_and_a_refused_script_would_be_noticed(served: Server, browser: Browser) -> None:
    page = opened(browser, served, NARROW, None)
    page.goto(f"{served.base}/releases")
    settled(page)
    page.evaluate("fetch('https://fonts.example/icon.svg').catch(() => 0)")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), {src: 'blob:x'}))")
    page.wait_for_timeout(300)
    page.context.close()
    assert len(STRAY) >= 2, "a fetch and a script"
    STRAY.clear()


def test_every_place_every_day(served: Server, browser: Browser) -> None:
    for look in ((1280, "light", "es"), NARROW):
        page = opened(browser, served, look, Workspace.open(served.home).people.get("owner"))
        for place in (screen for screen in SCREENS if screen.icon):
            fine(page, served, "" if place.key == "desk" else place.key, look)
        page.context.close()


def test_the_menu_opens_by_keyboard_alone(served: Server, browser: Browser) -> None:
    look = (390, "dark", "en")
    page = opened(browser, served, look, Workspace.open(served.home).people.get("owner"))
    page.goto(served.base)
    settled(page)
    page.locator(".st-key-menu button").focus()
    page.keyboard.press("Enter")
    leave = page.get_by_role("link", name=say("sign_out"))
    leave.wait_for()
    assert grave(page) == []
    page.get_by_role("link", name=say("account_nav")).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/account")
    settled(page)
    assert page.locator("h1").inner_text() == say("account_title")
    page.context.close()


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
        ("ann", ("", "data", "workbench", "review")),
        ("ben", ("", "review", "ledger", "workbench")),
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
