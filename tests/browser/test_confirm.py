"""In a browser: a decision asks for the password again, in a dialog; a link signs in by its button; a reset is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.model.actor import OWNER
from dprelease.words import texts
from dprelease.workspace import Workspace
from tests.browser.conftest import cut, enter, grave, settled
from tests.browser.servers import Server, serve

ENGLISH, SPANISH = texts("ui", "en"), texts("ui", "es")

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("confirmed") / "home"
    workspace = Workspace.create(home)
    rex = workspace.people.session_actor(workspace.people.sign_in(workspace.people.invite("rex", ["reviewer"])))
    workspace.people.set_password(PASSWORD, actor=rex)
    workspace.people.require_two_people()
    workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=1, actor=OWNER)
    yield from serve(home)


@pytest.mark.full
@pytest.mark.parametrize(
    ("locale", "words", "width"),
    [pytest.param("en-GB", ENGLISH, 1280, marks=pytest.mark.full), ("es-ES", SPANISH, 390)],
)
def test_an_approval_asks_for_the_password_again(
    team: Server, browser: Browser, locale: str, words: Mapping[str, str], width: int
) -> None:
    """In Spanish on a telephone; the full run adds English on a desk."""
    workspace = Workspace.open(team.home)
    if not [each for each in workspace.populations.requests(actor=OWNER) if each.state == "open"]:
        workspace.populations.raise_cap("people", epsilon=2, reason="more", actor=OWNER)
    context = browser.new_context(locale=locale, viewport={"width": width, "height": 900})
    page = context.new_page()
    enter(page, f"{team.base}/sign-in?token={workspace.people.reset('rex', actor=OWNER)}")
    settled(page)
    expect(page.get_by_text(words["news_title"])).to_be_visible()
    workspace.people.set_password(PASSWORD, actor=workspace.people.get("rex"))
    forget(workspace)

    page.goto(f"{team.base}/review")
    settled(page)
    approve(page, words)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(words["confirm_text"])
    assert grave(page) == []
    assert cut(page) == []
    confirm(page, words, "not the password")
    expect(dialog).to_contain_text(words["confirm_wrong"])
    bar = dialog.locator(".dp-box").evaluate("box => parseFloat(getComputedStyle(box).borderLeftWidth)")
    assert bar > 0, "what a dialog answers stands in its box"
    confirm(page, words, PASSWORD)
    expect(page.get_by_text(words["confirmed"])).to_be_visible()
    expect(dialog).not_to_be_visible()
    assert [each.state for each in workspace.populations.requests(actor=OWNER)][-1] == "open"
    approve(page, words)
    expect(page.get_by_text(words["review_nothing"])).to_be_visible()
    assert [each.state for each in workspace.populations.requests(actor=OWNER)][-1] == "approved"
    told = [each for each in workspace.ledger.events(actor=OWNER) if each.kind == "request_approved"][-1]
    assert told.body["access"] == {"way": "link", "issued": "reset", "by": "owner"}
    context.close()


def approve(page: Page, words: Mapping[str, str]) -> None:
    page.locator("[class*=st-key-approve-] button").click()
    page.get_by_role("dialog").get_by_role("button", name=words["review_approve_save"]).click()
    settled(page)


def confirm(page: Page, words: Mapping[str, str], password: str) -> None:
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(words["confirm_password"]).fill(password)
    dialog.get_by_role("button", name=words["confirm_save"]).click()
    settled(page)


def forget(workspace: Workspace) -> None:
    """As if every sign-in were longer ago than it counts."""
    with workspace._state.database.writing() as connection:
        connection.execute("UPDATE sessions SET shown = '2026-01-01T00:00:00.000000Z'")
