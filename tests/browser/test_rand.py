"""RAND goes the whole way in a browser: uploaded, declared, planned, previewed, published, read, verified."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pandas
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import dprelease
from dprelease.ui.data.sheet import FIELDS
from dprelease.ui.words import say
from dprelease.words.language import speaking
from tests.browser.conftest import enter, pick, press, settled, unfolded
from tests.browser.servers import Server, serve
from tests.workspace.tables import rand

HEADER, ROW = 36, 35
"""Pixels of the columns' editor: it is drawn on a canvas, so rows are found by place, cells by arrow keys."""


def field(page: Page, label: str) -> Locator:
    """The field with a label."""
    return page.locator(f'input[aria-label="{label}"]')


DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def declare(page: Page, row: int, **cells: str) -> None:
    """Fills a row of the columns' editor: ticks it, then types the cells of these fields, wherever they stand."""
    for name, text in {"use": "", **cells}.items():
        place = FIELDS.index(name)
        read_aloud = page.locator(f'table[role=grid] [aria-rowindex="{row + 2}"] td[aria-colindex="{place + 1}"]')
        _type(page, row, place, text)
        expect(read_aloud).to_have_text(text or "true")


def _type(page: Page, row: int, place: int, text: str) -> None:
    box = page.get_by_test_id("data-grid-canvas").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 40, box["y"] + HEADER + ROW * (row + 0.5))
    chosen = page.locator("table[role=grid] [aria-selected=true]")
    for column in range(place + 1):
        if column:
            page.keyboard.press("ArrowRight")
        expect(chosen.last).to_have_attribute("aria-colindex", str(column + 1))
    page.keyboard.press("Enter")
    if text:
        editor = page.locator("#portal textarea, #portal input").first
        editor.wait_for()
        page.keyboard.type(text)
        expect(editor).to_have_value(text)
        page.evaluate(DRAWN)  # a cell takes what its editor held when it was last drawn; nobody presses Enter sooner
        page.keyboard.press("Enter")
    settled(page)


def register(page: Page, server: Server, table: Path) -> None:
    page.goto(f"{server.base}/tables")
    settled(page)
    unfolded(page)
    field(page, say("population_name")).fill("rand")
    field(page, say("population_unit")).fill("person-year")
    field(page, say("population_epsilon")).fill("3")
    press(page, say("population_save"))
    page.locator("input[type=file]").set_input_files(table)
    expect(page.get_by_text(say("reading_title"))).to_be_visible()
    settled(page)
    field(page, say("dataset_name")).fill("rand")
    page.keyboard.press("Tab")
    settled(page)
    pick(page, say("dataset_population"), "rand")
    page.get_by_text(say("dataset_who_row", unit="person-year")).click()
    settled(page)
    press(page, say("dataset_save"))
    expect(page.get_by_role("heading", name=say("columns_title", dataset="rand"))).to_be_visible()
    settled(page)


def plan(page: Page, server: Server) -> None:
    page.goto(f"{server.base}/workbench")
    settled(page)
    press(page, say("bench_add_all", 3, count="3"))
    more(page, "title")
    field(page, say("plan_name")).fill("Visits to the doctor")
    page.keyboard.press("Enter")
    settled(page)
    press(page, say("bench_done"))
    more(page, "rows")
    field(page, say("plan_expected")).fill("20000")
    page.keyboard.press("Enter")
    settled(page)
    press(page, say("bench_done"))


def more(page: Page, entry: str) -> None:
    """Opens a dialog of the menu."""
    press(page, say("bench_more"))
    page.get_by_role("menuitem", name=say(f"bench_more_{entry}"), exact=True).click()
    settled(page)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    yield from serve(tmp_path / "home")


@pytest.mark.full
@pytest.mark.parametrize(
    ("language", "promise"),
    [
        ("en", "Whether or not any one person-year"),
        pytest.param("es", "Se hubieran usado o no los registros de una unidad (person-year)", marks=pytest.mark.full),
    ],
)
def test_rand_in_a_browser(language: str, promise: str, server: Server, browser: Browser, tmp_path: Path) -> None:
    with speaking(language):
        frame = rand()
        frame.to_csv(tmp_path / "rand.csv", index=False)
        curator = browser.new_context(viewport={"width": 1280, "height": 1200}, locale=language)
        page = curator.new_page()
        enter(page, server.link)
        settled(page)
        register(page, server, tmp_path / "rand.csv")

        page.get_by_text(say("columns_as_sheet"), exact=True).click()
        settled(page)
        names = list(frame)
        declare(page, names.index("mdvis"), type="integer", lower="0", upper="40")
        declare(page, names.index("disea"), type="number", lower="0", upper="60", resolution="0.1")
        count = say("columns_settled", done=2, total=len(names))
        expect(page.get_by_text(count)).to_be_visible()
        press(page, say("columns_save"))
        saved = say("columns_saved", count=2, dataset="rand")
        expect(page.get_by_text(saved)).to_be_visible()

        plan(page, server)
        page.get_by_text(say("bench_mode_true"), exact=True).click()
        expect(page.get_by_text(say("bench_secret"))).to_be_visible()
        expect(page.get_by_text("20 190").or_(page.get_by_text("20\u202f190")).first).to_be_visible()
        settled(page)
        assert page.get_by_test_id("stElementToolbarButton").count() == 0
        assert page.locator(".vega-actions, details[title='Click to view actions']").count() == 0

        page.get_by_role("button", name=re.compile(f"^{say('bench_publish')}")).click()
        title = "Visits to the doctor"
        page.get_by_role("button", name=say("publish_button", epsilon="1")).dblclick()
        expect(page.get_by_text(say("publish_done", title=title))).to_be_visible()

        visitor = browser.new_context(viewport={"width": 1280, "height": 1200}, locale=language).new_page()
        visitor.goto(server.base)
        visitor.get_by_role("link", name="Visits to the doctor").first.click()
        expect(visitor.get_by_text(promise)).to_be_visible()
        with visitor.expect_download() as waiting:
            visitor.locator("a[href$='.csv']").first.evaluate("link => link.click()")
        table = pandas.read_csv(waiting.value.path())
        assert abs(table.value[0] - len(frame)) < 100
        with visitor.expect_download() as waiting:
            visitor.locator("a[href$='.zip']").first.evaluate("link => link.click()")
        waiting.value.save_as(tmp_path / "bundle.zip")
        verdict = dprelease.verify(tmp_path / "bundle.zip")
        assert verdict.release.certificate.title == "Visits to the doctor"
        assert verdict.release.certificate.plan["columns"]["mdvis"]["upper"] == 40

        ledger = dprelease.Workspace.open(server.home)
        assert [event.kind for event in ledger.ledger.events("rand")].count("charge") == 1
        assert ledger.populations.budget("rand").spent.epsilon == 1

        for path in ("tables", "workbench", "budget"):
            visitor.goto(f"{server.base}/{path}")
            settled(visitor)
            assert "rand.csv" not in visitor.content()
            expect(visitor.get_by_text(say("publish_what"))).to_have_count(0)
            expect(visitor.get_by_test_id("data-grid-canvas")).to_have_count(0)
