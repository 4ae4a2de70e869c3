"""A new table with a codebook, from the open dashboard to settled columns: how many clicks and keys that takes."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from dprelease.ui.words import say
from dprelease.words.language import COOKIE, speaking
from dprelease.workspace import Workspace
from tests.browser.conftest import Server, enter, grave, settled

MOST, SECONDS = 14, 120
"""Interactions up to settled columns, of 25 up to the verified release; and how long a script takes."""
TABLE = (
    "Encuesta de 2024;;;;;\nedad;sexo;region;coste;nota;dni\n"
    + "".join(f"{row % 90};{'FM'[row % 2]};n;{row},5;x;{row}\n" for row in range(400))
).encode("windows-1252")
CODEBOOK = "name,type,lower,upper,categories\nsexo,category,,,F|M\nregion,category,,,n|s\ncoste,number,0,500,\n"


class Hand:
    """What somebody does, counted: a press, a field filled in, a file dropped."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def press(self, label: str | re.Pattern[str], role: str = "button") -> None:
        settled(self.page)
        self.click(self.page.get_by_role(role, name=label).first)  # type: ignore[arg-type]

    def click(self, what: Locator) -> None:
        what.click()
        self.count += 1
        settled(self.page)

    def write(self, label: str, text: str) -> None:
        self.page.get_by_role("textbox", name=label, exact=True).fill(text)
        self.count += 1

    def drop(self, file: Path) -> None:
        self.page.locator("input[type=file]").first.set_input_files(file)
        self.count += 1


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_new_table_with_a_codebook_is_settled_in_few_interactions(
    language: str, server: Server, browser: Browser, tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    name = f"Encuesta {language}"
    table, codebook = tmp_path / f"{name}.csv", tmp_path / "codebook.csv"
    table.write_bytes(TABLE)
    codebook.write_text(CODEBOOK)
    workspace = Workspace.open(server.home)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale=language)
    context.add_cookies([{"name": COOKIE, "value": language, "url": server.base}])
    page = context.new_page()
    enter(page, f"{server.base}/sign-in?token={workspace.people.sign_in_link()}")
    settled(page)
    begun = time.monotonic()
    hand = Hand(page)
    with speaking(language):
        hand.click(page.get_by_role("link", name=say("data_nav"), exact=True).first)
        hand.drop(table)
        if not workspace.populations.find():
            expect(page.get_by_text(say("population_first"))).to_be_visible(timeout=30_000)
            hand.write(say("population_unit"), "person")
            hand.write(say("population_epsilon"), "1,5")
            hand.press(say("population_save"))
        hand.click(page.get_by_text(say("dataset_who_row", unit="person"), exact=True))
        hand.press(say("dataset_save"))
        hand.click(page.get_by_text(say("tool_import"), exact=True))
        hand.drop(codebook)
        hand.press(say("import_apply", columns=say("columns", 3, count=3)))
        hand.press(say("columns_accept", 3, count=3))
        hand.press(say("columns_save"))
        saved = say("columns_saved", count=4, dataset=f"encuesta-{language}")
        expect(page.get_by_text(saved)).to_be_visible(timeout=30_000)
        assert say("columns_settled", done=6, total=6) in page.inner_text("body")
    took = time.monotonic() - begun
    record_property("interactions", hand.count)
    print(f"{hand.count} interactions, {took:.0f} s")  # `-s` shows it
    assert hand.count <= MOST
    assert took < SECONDS
    assert grave(page) == []
    schema = workspace.datasets.get(f"encuesta-{language}").schema
    assert set(schema.columns) == {"edad", "sexo", "region", "coste"}
    assert (schema["edad"].upper, schema["sexo"].categories) == (120, ("F", "M"))
    context.close()
