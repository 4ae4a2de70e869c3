"""A file of SPSS with labels, in Spanish: brought, read by its labels, registered, its own codebook taken over."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.ui.words import say
from dprelease.words.language import COOKIE, speaking
from dprelease.workspace import Workspace
from tests.browser.conftest import enter, grave, pick, press, settled
from tests.browser.guide_data import survey
from tests.browser.servers import Server

pytestmark = pytest.mark.full


def test_a_file_of_spss_becomes_a_declared_dataset(server: Server, browser: Browser, tmp_path: Path) -> None:
    survey(tmp_path)
    workspace = Workspace.open(server.home)
    workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=3)
    context = browser.new_context(viewport={"width": 1280, "height": 1400}, locale="es-ES")
    context.add_cookies([{"name": COOKIE, "value": "es", "url": server.base}])
    page = context.new_page()
    enter(page, server.link)
    settled(page)
    with speaking("es"):
        bring(page, server, tmp_path / "survey.sav")
        answer(page)
        page.get_by_text(say("tool_import"), exact=True).click()
        settled(page)
        assert grave(page) == []
        press(page, say("import_apply", columns=say("columns", 3, count=3)))
        ages(page)
        press(page, say("columns_save"))
        expect(page.get_by_text(say("columns_saved", count=3, dataset="survey"))).to_be_visible()
    schema = workspace.datasets.get("survey").schema
    assert schema["sex"].categories == ("man", "woman")
    assert (schema["age"].lower, schema["age"].upper) == (0, 120)
    assert schema["health"].description.startswith("How is your health in general?")
    assert (workspace.datasets.get("survey").unit_column, workspace.datasets.terms("survey").max_rows) == ("id", 1)
    context.close()


def bring(page: Page, server: Server, file: Path) -> None:
    """Sends the file, and has it read by its labels; the page fits a phone meanwhile."""
    page.goto(f"{server.base}/tables")
    settled(page)
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text(say("reading_title"))).to_be_visible()
    settled(page)
    page.get_by_text(say("reading_title"), exact=True).click()
    page.get_by_text(say("reading_labels"), exact=True).click()
    press(page, say("read_again"))
    expect(page.get_by_text(say("read_again_done", filename=file.name))).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    settled(page)
    assert grave(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 1400})
    page.emulate_media(color_scheme="light")
    settled(page)


def answer(page: Page) -> None:
    """Answers the question that nothing is proposed for, with the keyboard; while it is open it is named."""
    press(page, say("dataset_save"))
    expect(page.get_by_text(say("answer_who"))).to_be_visible()
    page.get_by_text(say("dataset_who_column"), exact=True).click()
    settled(page)
    pick(page, say("dataset_column", unit="person"), "id")
    page.get_by_role("spinbutton", name=say("dataset_max_rows", unit="person")).fill("1")
    page.keyboard.press("Enter")
    settled(page)
    press(page, say("dataset_save"))
    expect(page.get_by_role("heading", name=say("columns_title", dataset="survey"))).to_be_visible()
    settled(page)


def ages(page: Page) -> None:
    """No file of SPSS says how far ages reach: a ready domain does."""
    page.get_by_text(say("tool_several"), exact=True).click()
    settled(page)
    pick(page, say("several_columns"), "age")
    page.keyboard.press("Escape")
    pick(page, say("several_domain"), say("domain_name", group=say("domain_group_people"), name="Edad"))
    press(page, say("several_apply", columns=say("columns", 1, count=1)))
