"""Scenes of the guide: the first steps in an empty workspace, and from a plan to a release."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pandas
from playwright.sync_api import Page

from dprelease.model.plan import Plan
from dprelease.ui.words import say
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import written
from dprelease.words.language import language
from dprelease.workspace import Workspace, sample
from tests.browser.conftest import press, settled, unfolded
from tests.browser.guide_scene import Scene, unit
from tests.browser.servers import Server

TITLES = {"es": "Visitas al hospital 2025"}
ABOUT = {"es": "Datos inventados que acompañan a dprelease."}


def nothing(home: Path) -> str:
    """A workspace as it begins."""
    workspace = Workspace.create(home)
    return workspace.people.sign_in(workspace.people.sign_in_link())


def first_steps(page: Page, server: Server) -> Iterator[Scene]:
    """What a new curator sees."""
    page.goto(server.base)
    settled(page)
    yield Scene("start-home", page.locator("h1"), page.locator(".st-key-card-first"))
    page.goto(f"{server.base}/tables")
    settled(page)
    form = unfolded(page)
    for label, text in (("name", "patients-2025"), ("unit", unit()), ("epsilon", "3")):
        page.locator(f'input[aria-label="{say(f"population_{label}")}"]').fill(text)
    page.locator(f'input[aria-label="{say("population_epsilon")}"]').blur()
    save = page.get_by_role("button", name=say("population_save"))
    yield Scene("start-population", form, save)


def plan() -> dict[str, object]:
    """The plan of the sample, as somebody who speaks the language would call it."""
    title = TITLES.get(language(), str(sample.PLAN["title"]))
    return {**sample.PLAN, "title": title, "description": ABOUT.get(language(), sample.PLAN["description"])}


def install(workspace: Workspace) -> None:
    """The sample's table, about persons or personas."""
    population = sample.POPULATION
    workspace.add_population(population, unit=unit(), neighbors="add_remove", epsilon=3, size=sample.PATIENTS)
    frame = pandas.DataFrame(list(sample.rows()))
    workspace.add_dataset(
        sample.DATASET, frame, population=population, unit_column="person_id", max_rows=5, columns=sample.COLUMNS
    )


def prepare(home: Path) -> str:
    """A plan in hand; returns the owner's session."""
    workspace = Workspace.create(home)
    install(workspace)
    draft = Draft.from_plan(Plan.parse(plan()))
    workspace.plans.drafts.save(written(draft), name=draft.title)
    return workspace.people.sign_in(workspace.people.sign_in_link())


def scenes(page: Page, server: Server) -> Iterator[Scene]:
    """Each state, one after the other."""
    page.goto(f"{server.base}/workbench")
    page.locator(".bench .chart svg").wait_for()
    page.locator(".bench .row").nth(1).click()
    settled(page)
    head, foot = page.locator(".dp-bench-title"), page.locator(".bench .foot")
    yield Scene("plan-cards", head, foot)
    card = page.locator(".bench section.box", has=page.get_by_role("tabpanel"))
    yield Scene("preview-beside", card, card)
    page.get_by_role("tab").nth(1).click()
    settled(page)
    yield Scene("preview-outcomes", card, card)
    _open(page, "meaning")
    page.get_by_text(say("harm_begin"), exact=True).click()
    settled(page)
    yield Scene("plan-epsilon", page.get_by_role("dialog"), page.get_by_text(say("harm_note")))
    page.get_by_text(say("harm_begin"), exact=True).click()
    page.get_by_text(say("meaning", epsilon="1"), exact=True).click()
    settled(page)
    yield Scene("plan-meaning", page.get_by_role("dialog"), page.get_by_role("dialog"))
    page.keyboard.press("Escape")
    settled(page)
    _open(page, "sources")
    yield Scene("preview-sources", page.get_by_role("dialog"), page.locator(".dp-scroll").first)
    page.keyboard.press("Escape")
    settled(page)
    page.get_by_role("button", name=re.compile(f"^{say('bench_publish')}")).click()
    page.get_by_role("dialog").wait_for()
    settled(page)
    title = str(plan()["title"])
    button = page.get_by_role("button", name=say("publish_button", epsilon="1"))
    yield Scene("publish-summary", page.get_by_role("dialog"), button)
    button.click()
    page.get_by_text(say("publish_done", title=title)).wait_for()
    settled(page)
    yield Scene("publish-release", page.locator("h1"), page.locator(".dp-figure").first)


def _open(page: Page, entry: str) -> None:
    press(page, say("bench_more"))
    page.get_by_role("menuitem", name=say(f"bench_more_{entry}"), exact=True).click()
    settled(page)
