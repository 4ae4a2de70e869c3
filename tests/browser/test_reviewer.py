"""A reviewer's morning: what changed, a plan sent back with a remark, approved when it comes again, and the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.words import texts
from dprelease.workspace import Workspace, sample
from dprelease.workspace.process import COOKIE
from tests.browser.conftest import grave, settled
from tests.browser.servers import Server, serve

ENGLISH, SPANISH = texts("ui", "en"), texts("ui", "es")

ANN, BEN = (Actor(name, frozenset({role})) for name, role in (("ann", Role.CURATOR), ("ben", Role.REVIEWER)))


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The sample workspace, where two people decide."""
    home = tmp_path_factory.mktemp("team") / "home"
    workspace = Workspace.create(home)
    sample.install(workspace)
    workspace.people.require_two_people()
    yield from serve(home)


@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-GB", ENGLISH), pytest.param("es-ES", SPANISH, marks=pytest.mark.full)],
)
def test_a_plan_is_returned_and_approved_and_the_report_says_so(
    team: Server, browser: Browser, locale: str, words: Mapping[str, str]
) -> None:
    workspace = Workspace.open(team.home)
    title = f"Visits for {locale}"
    plan = {**sample.PLAN, "title": title}
    submitted = workspace.plans.submit(Plan.parse(plan), actor=ANN)
    context = browser.new_context(locale=locale, viewport={"width": 1280, "height": 800})
    cookie = {"name": COOKIE, "value": workspace.people.sign_in(workspace.people.sign_in_link(BEN)), "url": team.base}
    context.add_cookies([cookie])  # type: ignore[list-item]
    page = context.new_page()

    page.goto(f"{team.base}/review")
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    settled(page)
    changes = page.locator(".st-key-card-review-changes")
    expect(changes).to_contain_text(title)
    for part in (page.get_by_role("button", name=words["review_approve"]), page.locator(".dp-diff").first):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 800, "the first change and the bar that decides are in sight"

    statistic = str(sample.PLAN["statistics"][0]["id"])
    view(page, words, "whole")
    page.locator(f".st-key-remark-on-{submitted}-{statistic} button").click()
    say(page, words["remark_save"], "Too fine.")
    page.keyboard.press("b")
    say(page, words["review_return_save"], "One statistic is too fine.")
    result = words["review_returned"].format(title=title, author="ann")
    expect(page.locator(".dp-decided")).to_contain_text(result)
    said = [(each.on, each.said.text) for each in workspace.plans.remarks(submitted, actor=ANN)]
    assert said == [(statistic, "Too fine."), ("", "One statistic is too fine.")]

    again = workspace.plans.submit(Plan.parse({**plan, "description": "Coarser."}), actor=ANN)
    page.reload()
    settled(page)
    expect(page.locator(".dp-diff-head").first).to_contain_text(words["review_since_returned"])
    assert page.locator(".dp-diff").count() == 1, "a second look shows what changed since, and nothing else"
    expect(page.locator(".dp-remark").first).to_contain_text("Too fine.")
    page.get_by_role("button", name=words["remark_settle"]).first.click()
    settled(page)
    assert sum(each.is_open for each in workspace.plans.remarks(again, actor=BEN)) == 1
    assert grave(page) == []
    page.keyboard.press("a")
    page.get_by_role("dialog").get_by_role("button", name=words["review_approve_save"]).click()
    expect(page.locator(".dp-decided")).to_contain_text(words["review_approved"].format(title=title))

    page.goto(f"{team.base}/budget")
    settled(page)
    page.get_by_text(words["ledger_view_report"], exact=True).first.click()
    link = page.get_by_role("link", name=words["report_open"])
    page.goto(f"{team.base}{link.get_attribute('href')}")
    assert page.evaluate("document.documentElement.lang") == locale[:2]
    expect(page.get_by_text(title).first).to_be_visible()
    file = context.request.get(f"{team.base}/reports/{sample.POPULATION}/report.pdf")
    assert file.ok
    assert file.body().startswith(b"%PDF")
    context.close()


def view(page: Page, words: Mapping[str, str], key: str) -> None:
    page.get_by_role("radio", name=words[f"review_view_{key}"]).click()
    settled(page)


def say(page: Page, button: str, text: str) -> None:
    """Writes into the dialog that is open, and presses its button."""
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill(text)
    dialog.get_by_role("button", name=button).click()
    expect(dialog).not_to_be_visible()
    settled(page)
