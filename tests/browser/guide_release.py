"""Scenes of the guide: the first steps in an empty workspace, and from a plan to a release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas
from playwright.sync_api import Page

from dprelease.accounting.deployments import MEDIAN
from dprelease.bundle.display import shown
from dprelease.model.plan import Plan
from dprelease.ui.words import say, say_label
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import written
from dprelease.words.language import language
from dprelease.workspace import Workspace, sample
from tests.browser.conftest import Server, press, settled
from tests.browser.guide_scene import Scene, unit

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
    yield Scene("start-home", page.locator("h1"), page.locator(".dp-numbers"))
    page.goto(f"{server.base}/data")
    settled(page)
    for label, text in (("name", "patients-2025"), ("unit", unit()), ("epsilon", "3")):
        page.locator(f'input[aria-label="{say(f"population_{label}")}"]').fill(text)
    page.locator(f'input[aria-label="{say("population_epsilon")}"]').blur()
    save = page.get_by_role("button", name=say("population_save"))
    yield Scene("start-population", page.get_by_text(say("population_add"), exact=True), save)


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
    page.goto(f"{server.base}/plan")
    page.get_by_text(say("price"), exact=True).wait_for(timeout=60_000)
    settled(page)
    yield Scene(
        "plan-cards",
        page.get_by_text(say("plan_epsilon_slider"), exact=True),
        page.get_by_label(say("share_weight_value"), exact=True).nth(3),
    )
    meaning = page.get_by_text(say("meaning", epsilon="1"), exact=True)
    yield Scene("plan-meaning", meaning, page.locator(".dp-note", has_text=shown(MEDIAN)).last)
    page.get_by_text(say("harm_begin"), exact=True).click()
    settled(page)
    yield Scene("plan-epsilon", page.get_by_text(say("plan_privacy"), exact=True), page.get_by_text(say("harm_note")))
    page.goto(f"{server.base}/preview")
    settled(page)
    press(page, say("preview_take"))
    page.get_by_role("button", name=say("preview_next")).wait_for(timeout=60_000)
    settled(page)
    yield Scene("preview-beside", page.locator(".dp-mark"), page.locator(".dp-figure").first)
    page.get_by_text(say("view_outcomes"), exact=True).click()
    settled(page)
    six = page.locator(".dp-figure").nth(1)
    yield Scene("preview-outcomes", page.get_by_text(say("preview_view"), exact=True), six)
    page.get_by_text(say("view_sources"), exact=True).click()
    settled(page)
    yield Scene("preview-sources", page.get_by_text(say("preview_view"), exact=True), page.locator(".dp-scroll").first)
    page.goto(f"{server.base}/publish")
    settled(page)
    title = str(plan()["title"])
    field = page.get_by_role("textbox", name=say_label("publish_confirm", title=title, epsilon="1"))
    field.fill(title)
    field.blur()
    button = page.get_by_role("button", name=say("publish_button", epsilon="1"))
    yield Scene("publish-summary", page.get_by_text(say("publish_summary"), exact=True), button)
    button.click()
    page.get_by_text(say("publish_done", title=title)).wait_for(timeout=60_000)
    settled(page)
    yield Scene("publish-release", page.locator("h1"), page.locator(".dp-figure").first)
