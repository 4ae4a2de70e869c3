"""BudgetFood in Chromium, in Spanish: from a semicolon CSV and a record design to a labelled, graded page."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dprelease.ui.words import say
from dprelease.words.language import speaking
from dprelease.workspace import Workspace
from tests.browser.conftest import cut, enter, grave, press, settled, unfolded
from tests.browser.servers import Server
from tests.codebook.files import workbook
from tests.pages.test_budget_survey import DESIGN, PLAN, survey

TYPED = {"population_unit": "hogar", "population_epsilon": "20"}
"""All that is typed: what a record is about, and the cap. The rest is proposed, chosen or read from files."""
PICTURES = Path(__file__).resolve().parents[2] / "build" / "pictures"
"""Where the pages are drawn, to be looked at."""


@pytest.mark.full
def test_budget_food_in_spanish(server: Server, browser: Browser, tmp_path: Path) -> None:
    assert len(TYPED) <= 3
    survey().to_csv(tmp_path / "epf.csv", sep=";", decimal=",", index=False, encoding="cp1252")
    (tmp_path / "diseno.xlsx").write_bytes(workbook(DESIGN))
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    page = browser.new_context(viewport={"width": 1280, "height": 1200}, locale="es").new_page()
    with speaking("es"):
        enter(page, f"{server.base}/sign-in?token={Workspace.open(server.home).people.sign_in_link()}")
        settled(page)
        declared(page, server, tmp_path)
        published(page, server, tmp_path)
    release = Workspace.open(server.home).releases.find()[0].id
    PICTURES.mkdir(parents=True, exist_ok=True)
    for width, scheme in product((1280, 390), ("light", "dark")):
        reader = browser.new_context(viewport={"width": width, "height": 900}, locale="es", color_scheme=scheme)  # type: ignore[arg-type]
        public = reader.new_page()
        public.goto(f"{server.base}/public/es/release/{release}/")
        expect(public.locator("body")).to_contain_text("Gasto total (pesetas al año)")
        expect(public.locator("th", has_text="Más de 500 000").first).to_be_attached()
        public.screenshot(path=PICTURES / f"budget-{width}-{scheme}.png", full_page=True)
        assert cut(public) == []
        assert grave(public) == []
        reader.close()


def declared(page: Page, server: Server, folder: Path) -> None:
    page.goto(f"{server.base}/tables")
    settled(page)
    page.locator("input[type=file]").set_input_files(folder / "epf.csv")
    expect(page.get_by_text(say("reading_title"))).to_be_visible()
    settled(page)
    if page.get_by_role("textbox", name=say("population_unit"), exact=True).count() == 0:
        unfolded(page)
    for field, typed in TYPED.items():
        page.get_by_role("textbox", name=say(field), exact=True).fill(typed)
    press(page, say("population_save"))
    page.get_by_text(say("dataset_who_row", unit="hogar")).click()
    press(page, say("dataset_save"))
    expect(page.get_by_role("heading", name=say("columns_title", dataset="epf"))).to_be_visible()
    page.get_by_text(say("tool_import"), exact=True).click()
    settled(page)
    page.locator("input[type=file]").set_input_files(folder / "diseno.xlsx")
    press(page, say("import_apply", columns=say("columns", 6, count=6)))
    press(page, say("columns_save"))
    expect(page.get_by_text(say("columns_saved", count=6, dataset="epf"))).to_be_visible()


def published(page: Page, server: Server, folder: Path) -> None:
    page.goto(f"{server.base}/workbench")
    settled(page)
    for entry, file in (("file", "plan.json"), ("title", "diseno.xlsx")):
        press(page, say("bench_more"))
        page.get_by_role("menuitem", name=say(f"bench_more_{entry}"), exact=True).click()
        settled(page)
        page.locator("input[type=file]").last.set_input_files(folder / file)
        settled(page)
        if entry == "title":
            told = say("plan_labelled", columns=say("columns", 6, count=6), languages="es, en")
            expect(page.get_by_text(told)).to_be_visible()
            press(page, say("bench_done"))
    page.get_by_role("button", name=re.compile(f"^{say('bench_publish')}")).click()
    press(page, say("publish_button", epsilon=10))
    expect(page.get_by_text(say("publish_done", title=PLAN["title"]))).to_be_visible()
