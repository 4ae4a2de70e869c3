"""In a browser: a second factor is set up from its picture, asked for at the next sign-in, and before what counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pyotp
import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.model.actor import OWNER
from dprelease.words import texts
from dprelease.workspace import Workspace
from tests.browser.conftest import cut, enter, grave, press, settled
from tests.browser.servers import Server, serve

ENGLISH, SPANISH = texts("ui", "en"), texts("ui", "es")

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("factor") / "home"
    workspace = Workspace.create(home)
    workspace.people.invite("rex", ["reviewer"])
    workspace.people.require_two_people()
    yield from serve(home)


@pytest.mark.full
@pytest.mark.parametrize(
    ("locale", "words", "said", "width"),
    [("en-GB", ENGLISH, texts("web", "en"), 1280), ("es-ES", SPANISH, texts("web", "es"), 390)],
)
def test_a_reviewer_sets_it_up_and_signs_in(
    team: Server, browser: Browser, locale: str, words: Mapping[str, str], said: Mapping[str, str], width: int
) -> None:
    workspace = Workspace.open(team.home)
    workspace.people.require_second_factor(["reviewer"], actor=OWNER)
    context = browser.new_context(locale=locale, viewport={"width": width, "height": 900})
    page = context.new_page()
    enter(page, f"{team.base}/sign-in?token={workspace.people.reset('rex', actor=OWNER)}")
    settled(page)
    expect(page.get_by_text(words["set_up_lead"])).to_be_visible()
    page.get_by_label(words["password_new"], exact=True).fill(PASSWORD)
    page.get_by_label(words["password_again"], exact=True).fill(PASSWORD)
    press(page, words["password_save"])
    press(page, words["second_set_up"])
    picture = page.get_by_role("img", name=words["second_picture"])
    assert picture.evaluate("each => each.complete && each.naturalWidth > 100")
    assert grave(page) == []
    assert cut(page) == []
    secret = secret_on(page)
    fill(page, words, pyotp.TOTP(secret).now())
    press(page, words["second_turn_on"])
    expect(page.get_by_text(words["second_codes"])).to_be_visible()
    assert grave(page) == []
    codes = re.findall(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b", page.locator("[data-testid=stCode]").inner_text())
    assert len(codes) == 10
    press(page, words["second_kept"])
    expect(page.get_by_text(words["set_up_lead"])).not_to_be_visible()

    context.clear_cookies()
    page.goto(f"{team.base}/sign-in")
    page.get_by_label(said["name"]).fill("rex")
    page.get_by_label(said["password"]).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=said["code_title"])).to_be_visible()
    assert grave(page) == []
    page.get_by_label(said["code"]).fill("000")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text(said["code_refused"])
    assert grave(page) == []
    page.get_by_label(said["code"]).fill(codes[0])
    page.keyboard.press("Enter")
    settled(page)
    page.goto(f"{team.base}/settings")
    settled(page)
    expect(page.get_by_text(words["second_on"].partition(". ")[2].format(count=9))).to_be_visible()
    assert grave(page) == []
    context.close()


def secret_on(page: Page) -> str:
    """As it stands there in groups of four."""
    found = re.search(r"(?:\b[A-Z2-7]{4}\s){7}[A-Z2-7]{4}\b", page.locator("[data-testid=stCode]").first.inner_text())
    assert found is not None
    return re.sub(r"\s", "", found[0])


def fill(page: Page, words: Mapping[str, str], code: str) -> None:
    page.get_by_label(words["confirm_password"]).fill(PASSWORD)
    page.get_by_label(words["second_code"], exact=True).fill(code)
