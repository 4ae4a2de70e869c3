"""A reviewer's morning: what changed, a plan sent back with a remark, approved when it comes again, and the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Browser, expect

from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.words import texts
from dprelease.workspace import Workspace, sample
from dprelease.workspace.process import COOKIE
from tests.browser.conftest import Server, pick, press, serve, settled

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
    context = browser.new_context(locale=locale, viewport={"width": 1280, "height": 900})
    cookie = {"name": COOKIE, "value": workspace.people.sign_in(workspace.people.sign_in_link(BEN)), "url": team.base}
    context.add_cookies([cookie])  # type: ignore[list-item]
    page = context.new_page()

    page.goto(f"{team.base}/review")
    expect(page.get_by_role("heading", name=title)).to_be_visible(timeout=60_000)
    settled(page)
    changes = page.get_by_role("table", name=words["changes_caption"].format(title=title))
    expect(changes).to_contain_text(title)

    page.get_by_text(words["remarks"], exact=True).first.click()
    settled(page)
    statistic = str(sample.PLAN["statistics"][0]["id"])
    pick(page, words["remarks_which"], statistic)
    page.get_by_role("textbox", name=statistic).fill("Too fine.")
    page.get_by_role("textbox", name=words["review_comment"]).first.fill("One statistic is too fine.")
    press(page, words["review_return"])
    expect(page.get_by_text(words["review_returned"].format(title=title, author="ann"))).to_be_visible()
    (decision,) = workspace.plans.decisions(submitted, actor=BEN)
    assert decision.remarks == {statistic: "Too fine."}

    workspace.plans.submit(Plan.parse({**plan, "description": "Coarser."}), actor=ANN)
    page.reload()
    press(page, words["review_approve"])
    expect(page.get_by_text(words["review_approved"].format(title=title))).to_be_visible()

    page.goto(f"{team.base}/ledger")
    settled(page)
    page.get_by_text(words["report"], exact=True).first.click()
    link = page.get_by_role("link", name=words["report_open"])
    page.goto(f"{team.base}{link.get_attribute('href')}")
    assert page.evaluate("document.documentElement.lang") == locale[:2]
    expect(page.get_by_text(title).first).to_be_visible()
    file = context.request.get(f"{team.base}/reports/{sample.POPULATION}/report.pdf")
    assert file.ok
    assert file.body().startswith(b"%PDF")
    context.close()
