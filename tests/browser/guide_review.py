"""Scenes of the guide: a reviewer's desk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from dprelease.model.plan import Plan
from dprelease.ui.words import say
from dprelease.words.language import language
from dprelease.workspace import Workspace, sample
from tests.browser.conftest import press, settled
from tests.browser.guide_release import install, plan
from tests.browser.guide_scene import Scene
from tests.browser.servers import Server

LATER = {
    "en": ("Hospital visits, second half of 2025", "The mean comes from a few long stays. Could it be a median?"),
    "es": ("Visitas al hospital, segundo semestre de 2025", "La media depende de pocas estancias. ¿Y una mediana?"),
}
PEOPLE = (("ana", "curator"), ("ben", "reviewer"), ("clara", "reviewer"))


def later() -> dict[str, Any]:
    """What is asked for after a first release: other rows, one more statistic, and a bound that gives to think."""
    stays = {"id": "stays_by_ward", "kind": "mean", "column": "stay", "by": ["ward"]}
    statistics = [*sample.PLAN["statistics"][1:4], stays]
    return {
        **plan(),
        "title": LATER[language()][0],
        "expected": {"rows": 13000, "units": 8000},
        "columns": {"cost": {**sample.COLUMNS["cost"], "upper": 18743}},
        "where": [{"column": "day", "at_least": "2025-07-01"}],
        "statistics": statistics,
    }


def prepare(home: Path) -> str:
    """A plan that waits in a team; returns the session of a reviewer."""
    workspace = Workspace.create(home)
    install(workspace)
    workspace.publish(approved(workspace))
    for name, role in PEOPLE:
        workspace.people.sign_in(workspace.people.invite(name, [role]))
    workspace.people.require_two_people()
    workspace.plans.submit(Plan.parse(later()), actor=workspace.people.get("ana"))
    return workspace.people.sign_in(workspace.people.sign_in_link(workspace.people.get("ben")))


def approved(workspace: Workspace) -> str:
    submitted = workspace.plans.submit(Plan.parse(plan()))
    workspace.plans.approve(submitted)
    return submitted


def scenes(page: Page, server: Server) -> Iterator[Scene]:
    """What waits, what is decided, and the report."""
    page.goto(f"{server.base}/review")
    page.get_by_role("heading", name=LATER[language()][0]).wait_for()
    settled(page)
    title = page.locator(".dp-review-title")
    yield Scene("approve-plan", title, page.locator(".st-key-card-review-changes"))
    yield Scene("approve-checks", page.locator(".st-key-card-review-checks"), page.locator(".dp-asking"))
    view(page, "talk")
    press(page, say("remark_write"))
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill(LATER[language()][1])
    dialog.get_by_role("button", name=say("remark_save")).click()
    dialog.wait_for(state="hidden")
    settled(page)
    page.get_by_text(say("delegate"), exact=True).click()
    settled(page)
    yield Scene("approve-decide", title, page.get_by_role("button", name=say("delegate_save"), exact=True))
    page.goto(f"{server.base}/budget")
    settled(page)
    report = page.get_by_text(say("report"), exact=True)
    report.click()
    settled(page)
    yield Scene("approve-report", report, page.get_by_role("link", name=say("report_file")))


def view(page: Page, key: str) -> None:
    """Another view of the plan that is open."""
    page.get_by_role("radio", name=say(f"review_view_{key}", count="").strip()).click()
    settled(page)
