"""Scenes of the guide: bringing and describing data."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from io import BytesIO
from pathlib import Path

import pandas
import pyreadstat
from playwright.sync_api import Locator, Page

from dprelease.model.domain import WIDE, of_group
from dprelease.model.reading import Format, Reading
from dprelease.statements.display import exact
from dprelease.ui.words import say, say_label
from dprelease.workspace import Workspace
from tests.browser.conftest import pick, press, settled
from tests.browser.guide_scene import Scene, unit
from tests.browser.servers import Server

CSV = "patient;visited;ward;cost\n" + "".join(
    f"P{number % 40:03};{1 + number % 28:02}.{1 + number % 12:02}.2025;{'ABC'[number % 3]};{number % 900},50\n"
    for number in range(300)
)


def survey(folder: Path) -> bytes:
    """A file of SPSS with labels."""
    rows = range(60)
    frame = pandas.DataFrame(
        {
            "id": [float(row) for row in rows],
            "sex": [1.0 + row % 2 for row in rows],
            "age": [18.0 + row for row in rows],
            "health": [1.0 + row % 5 for row in rows],
        }
    )
    pyreadstat.write_sav(
        frame,
        folder / "survey.sav",
        column_labels=["Number of the answer", "Sex", "Age in years", "How is your health in general?"],
        variable_value_labels={
            "sex": {1.0: "man", 2.0: "woman"},
            "health": {1.0: "very good", 2.0: "good", 3.0: "fair", 4.0: "bad", 5.0: "very bad"},
        },
    )
    return (folder / "survey.sav").read_bytes()


def prepare(home: Path) -> str:
    """A population, a dataset of a labelled file, and a CSV file that waits; returns the owner's session."""
    workspace = Workspace.create(home)
    workspace.add_population("patients-2025", unit=unit(), neighbors="add_remove", epsilon=3, size=12_000)
    upload = workspace.datasets.uploads.stage(
        "survey.sav", BytesIO(survey(home.parent)), reading=Reading(format=Format.SPSS)
    )
    workspace.add_dataset("survey", upload, population="patients-2025", unit_column="id", max_rows=1)
    workspace.datasets.uploads.stage("visits.csv", BytesIO(CSV.encode("windows-1252")))
    return workspace.people.sign_in(workspace.people.sign_in_link())


def scenes(page: Page, server: Server) -> Iterator[Scene]:
    """Each state, one after the other."""
    page.goto(f"{server.base}/tables")
    settled(page)
    title = page.get_by_text(say("reading_title"), exact=True)
    title.click()
    settled(page)
    yield Scene("bring-reading", page.get_by_text(say("waiting_file"), exact=True), again(page))
    page.get_by_text(say_label("dataset_who_column", unit=unit()).replace("\\", "")).click()
    settled(page)
    pick(page, say("dataset_column", unit=unit()), "patient")
    page.get_by_role("spinbutton", name=say("dataset_max_rows", unit=unit())).fill("5")
    page.keyboard.press("Enter")
    settled(page)
    about, save = (
        page.get_by_text(say("dataset_about"), exact=True),
        page.get_by_role("button", name=say("dataset_save")),
    )
    yield Scene("bring-unit", about, save)
    page.get_by_text(say("kept_title"), exact=True).click()
    settled(page)
    pick(page, say("kept_which"), "survey")
    yield Scene(
        "bring-kept",
        page.get_by_text(say("kept_title"), exact=True),
        page.get_by_text(say("delete_button"), exact=True),
    )
    title.wait_for()
    page.goto(f"{server.base}/tables?dataset=survey")
    settled(page)
    page.get_by_text(say("tool_import"), exact=True).click()
    settled(page)
    tools = page.get_by_text(say("tool_import"), exact=True)
    yield Scene("describe-codebook", tools, page.get_by_role("button", name=take_over(3)))
    press(page, take_over(3))
    page.get_by_text(say("tool_import"), exact=True).click()
    settled(page)
    page.get_by_text(say("columns_as_sheet"), exact=True).first.click()
    settled(page)
    yield Scene("describe-table", tools, page.get_by_text(say("columns_pasting")))
    page.get_by_text(say("tool_several"), exact=True).click()
    settled(page)
    pick(page, say("several_columns"), "age")
    page.keyboard.press("Escape")
    yield Scene("describe-several", tools, page.get_by_role("button", name=apply(1)))
    page.get_by_text(say("tool_bounds"), exact=True).click()
    settled(page)
    pick(page, say("bounds_of", column="age"), str(next(of_group(WIDE)).label))
    page.get_by_role("textbox", name=say("bounds_epsilon")).fill("0.1")
    page.keyboard.press("Enter")
    settled(page)
    yield Scene(
        "describe-bounds", tools, page.get_by_role("button", name=say("bounds_button", epsilon=exact(Decimal("0.1"))))
    )


def again(page: Page) -> Locator:
    return page.get_by_role("button", name=say("read_again"))


def take_over(count: int) -> str:
    return say("import_apply", columns=say("columns", count, count=count))


def apply(count: int) -> str:
    return say("several_apply", columns=say("columns", count, count=count))
