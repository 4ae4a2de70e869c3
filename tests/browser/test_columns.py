"""300 columns in a browser: declared from a codebook, changed at once, undone, found again after a refresh, saved."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.ui.words import say
from dprelease.workspace import Workspace
from tests.browser.conftest import enter, grave, press, settled
from tests.browser.servers import Server

QUESTIONS = [f"q{place:03}" for place in range(1, 298)]
NAMES = ["pid", "age", "sex", *QUESTIONS]
CODEBOOK = "name,type,lower,upper,categories,domain\nage,,,,,age\nsex,,,,1 = female | 2 = male,\n" + "".join(
    f"{name},integer,0,4,,\n" for name in QUESTIONS[:200]
)


def choose_tool(page: Page, name: str) -> None:
    page.get_by_text(say(f"tool_{name}"), exact=True).click()
    settled(page)


def as_sheet(page: Page) -> None:
    page.get_by_text(say("columns_as_sheet"), exact=True).first.click()
    settled(page)


def declared(page: Page, used: int) -> None:
    expect(page.get_by_text(say("columns_settled", done=used, total=300))).to_be_visible()


@pytest.mark.full
def test_300_columns_are_declared(server: Server, browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "codebook.csv").write_text(CODEBOOK)
    workspace = Workspace.open(server.home)
    workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=3)
    workspace.add_dataset("survey", pandas.DataFrame({name: ["1"] for name in NAMES}), population="people")
    page = browser.new_context(viewport={"width": 1280, "height": 1400}).new_page()
    enter(page, server.link)
    page.goto(f"{server.base}/tables?dataset=survey")
    settled(page)
    declared(page, 0)
    as_sheet(page)

    choose_tool(page, "import")
    page.locator("input[type=file]").set_input_files(tmp_path / "codebook.csv")
    press(page, say("import_apply", columns=say("columns", 202, count=202)))
    declared(page, 202)
    assert grave(page) == []

    choose_tool(page, "several")
    page.locator(f'input[aria-label="{say("columns_search")}"]').fill("q29")
    page.keyboard.press("Enter")
    settled(page)
    press(page, say("several_sight", columns=say("columns", 8, count=8)))
    page.get_by_role("textbox", name=say("column_categories")).fill("north\nsouth, far")
    page.get_by_role("combobox", name=say("column_type")).click()
    page.get_by_role("option", name="category", exact=True).click()
    settled(page)
    press(page, say("several_apply", columns=say("columns", 8, count=8)))
    declared(page, 210)
    press(page, say("undo"))
    declared(page, 202)
    press(page, say("redo"))
    declared(page, 210)

    page.reload()
    settled(page)
    declared(page, 210)
    assert not workspace.datasets.get("survey").schema.columns
    press(page, say("columns_save"))
    expect(page.get_by_text(say("columns_saved", count=210, dataset="survey"))).to_be_visible()
    schema = workspace.datasets.get("survey").schema
    assert schema["q290"].categories == ("north", "south, far")
    assert (schema["age"].upper, schema["q001"].upper, "q250" in schema) == (120, 4, False)

    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    choose_tool(page, "bounds")
    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
