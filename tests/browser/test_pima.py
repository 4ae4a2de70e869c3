"""Pima goes the whole way as a workbook: its columns from a codebook, its plan by one click, published by its title."""

from __future__ import annotations

import re
from pathlib import Path
from secrets import token_hex

import pandas
import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError, expect

from dprelease.ui.words import say
from dprelease.words.language import speaking
from dprelease.workspace import Workspace
from tests.browser.conftest import enter, pick, press, settled, unfolded
from tests.browser.servers import Server
from tests.workspace.tables import pima

CODEBOOK = """name,type,lower,upper,categories
npreg,integer,0,20,
glu,integer,40,240,
age,integer,21,90,
type,category,,,No | Yes
"""


def fill(page: Page, label: str, text: str, role: str = "textbox") -> None:
    page.get_by_role(role, name=label, exact=True).fill(text)  # type: ignore[arg-type]
    page.keyboard.press("Tab")
    settled(page)


@pytest.mark.full
@pytest.mark.parametrize("language", ["es", pytest.param("en", marks=pytest.mark.full)])
def test_pima_in_a_browser(language: str, server: Server, browser: Browser, tmp_path: Path) -> None:
    frame = pima()
    frame.to_excel(tmp_path / "pima.xlsx", index=False)
    (tmp_path / "codebook.csv").write_text(CODEBOOK)
    again = token_hex(2)  # a second try finds what the first has left
    name, title = f"pima-{language}-{again}", f"Diabetes {language} {again}"
    context = browser.new_context(viewport={"width": 1280, "height": 1200}, locale=language)
    page = context.new_page()
    enter(page, f"{server.base}/sign-in?token={Workspace.open(server.home).people.sign_in_link()}")
    settled(page)
    with speaking(language):
        register(page, server, tmp_path / "pima.xlsx", name)
        page.get_by_text(say("tool_import"), exact=True).click()
        settled(page)
        page.locator("input[type=file]").set_input_files(tmp_path / "codebook.csv")
        press(page, say("import_apply", columns=say("columns", 4, count=4)))
        press(page, say("columns_save"))
        expect(page.get_by_text(say("columns_saved", count=4, dataset=name))).to_be_visible()

        page.goto(f"{server.base}/workbench")
        settled(page)
        page.get_by_role("button", name=re.compile(say("bench_add_all", 5, count="[0-9]+"))).click()
        settled(page)
        press(page, say("bench_more"))
        page.get_by_role("menuitem", name=say("bench_more_title"), exact=True).click()
        settled(page)
        fill(page, say("plan_name"), title)
        press(page, say("bench_done"))
        page.get_by_role("button", name=re.compile(f"^{say('bench_publish')}")).click()
        press(page, say("publish_button", epsilon=1))
        expect(page.get_by_text(say("publish_done", title=title))).to_be_visible()
    context.close()

    workspace = Workspace.open(server.home)
    release = workspace.releases.get(
        next(each.id for each in workspace.releases.find() if each.certificate.title == title)
    )
    table = release.estimates["count"]
    assert isinstance(table, pandas.DataFrame)
    assert abs(table.value[0] - len(frame)) < 200
    assert release.certificate.plan["privacy"]["unit"] == {"column": "id", "max_rows": 1}
    assert workspace.populations.budget(name).spent.epsilon == 1


def _is_there(wanted: Locator) -> bool:
    """Whether it is to be seen within half a minute."""
    try:
        wanted.first.wait_for(timeout=30_000)
    except TimeoutError:
        return False
    return True


def register(page: Page, server: Server, table: Path, name: str) -> None:
    """A population whose number is known, and the workbook about it."""
    page.goto(f"{server.base}/tables")
    settled(page)
    for _ in range(3):  # a form that is drawn again while it is filled in comes back empty
        field = page.get_by_role("textbox", name=say("population_name"), exact=True)
        if not field.is_visible():
            unfolded(page)
        field.fill(name)
        page.get_by_role("textbox", name=say("population_unit"), exact=True).fill("woman")
        relation = page.get_by_text(say("neighbors_substitute"), exact=True)
        if not relation.is_visible():
            page.locator("details", has_text=say("population_neighbors")).last.locator("summary").first.click()
        relation.click()
        page.get_by_role("textbox", name=say("population_epsilon"), exact=True).fill("2")
        press(page, say("population_save"))
        if _is_there(page.get_by_text(say("population_saved", name=name))):
            break
    page.locator("input[type=file]").set_input_files(table)
    expect(page.get_by_text(say("reading_title"))).to_be_visible()
    fill(page, say("dataset_name"), name)
    pick(page, say("dataset_population"), name)
    page.get_by_text(say("dataset_who_column"), exact=True).click()
    settled(page)
    pick(page, say("dataset_column", unit="woman"), "id")
    fill(page, say("dataset_max_rows", unit="woman"), "1", "spinbutton")
    press(page, say("dataset_save"))
    expect(page.get_by_role("heading", name=say("columns_title", dataset=name))).to_be_visible()
    settled(page)
