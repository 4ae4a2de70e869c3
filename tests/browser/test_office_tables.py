"""Five public tables as offices in four countries write them, through the pages: the figures are those of the rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import dprelease
from dprelease.model.yaml_text import dump
from dprelease.ui.words import say
from dprelease.words.language import COOKIE, speaking
from tests.browser.conftest import enter, press, settled
from tests.browser.servers import Server, serve
from tests.table.offices import COUNTRIES, HARD, Country

EPSILON = 100_000
"""So that noise changes no digit that is compared."""
COUNTRY = {country.code: country for country in COUNTRIES}
FLAG = "flag"


@dataclass(frozen=True)
class Column:
    """Which column of a table it is, and how its office writes it: a number in a form, or whether it is above zero."""

    of: str
    form: str = "{}"
    upper: int = 100
    places: int = 1


@dataclass(frozen=True)
class Office:
    """A table of statsmodels in the habits of a country."""

    table: str
    country: Country
    columns: dict[str, Column]
    title: str = ""

    def values(self) -> dict[str, list[Decimal]]:
        """What it says of each row, as far as it is written; of a flag 1 or 0."""
        from statsmodels import datasets

        frame = getattr(datasets, self.table).load_pandas().data
        rounded = {
            name: [Decimal(f"{value:.{column.places}f}") for value in frame[column.of].astype(float)]
            for name, column in self.columns.items()
        }
        return {
            name: [Decimal(value > 0) for value in values] if self.columns[name].form == FLAG else values
            for name, values in rounded.items()
        }

    def cell(self, column: Column, value: Decimal) -> str:
        if column.form == FLAG:
            return self.country.yes[1] if value else self.country.no[1]
        return column.form.format(self.country.number(value, column.places))

    def file(self) -> bytes:
        target = io.StringIO()
        writer = csv.writer(target, delimiter=self.country.delimiter, lineterminator="\r\n")
        if self.title:
            writer.writerow([self.title, *([""] * (len(self.columns) - 1))])
        writer.writerow(list(self.columns))
        for row in zip(*self.values().values(), strict=True):
            writer.writerow([self.cell(*pair) for pair in zip(self.columns.values(), row, strict=True)])
        return target.getvalue().encode(self.country.encoding)

    def codebook(self) -> str:
        """What its office says of the columns, and nothing of how they are written."""
        lines = ["name,type,lower,upper,resolution"]
        for name, column in self.columns.items():
            ends = ",," if column.form == FLAG else f"0,{column.upper},{Decimal(1).scaleb(-column.places)}"
            lines.append(f"{name},{'boolean' if column.form == FLAG else 'number'},{ends}")
        return "\n".join(lines)


EURO = f"{{}}{HARD}€"
OFFICES = {
    "German": Office(
        "fair",
        COUNTRY["de"],
        {"Alter": Column("age"), "Ehejahre": Column("yrs_married"), "Kinder": Column("children", FLAG)},
        "Umfrage über die Ehe, 1974",
    ),
    "Spanish": Office(
        "statecrime",
        COUNTRY["es"],
        {"años": Column("violent", upper=2000), "pobreza": Column("poverty", "{} %"), "urbana": Column("urban", "{}%")},
        "Delitos por estado",
    ),
    "French": Office(
        "engel", COUNTRY["fr"], {"revenu": Column("income", EURO, 10_000, 2), "repas": Column("foodexp", EURO, 5000, 2)}
    ),
    "English": Office(
        "grunfeld",
        COUNTRY["en"],
        {"invested": Column("invest", "${}", 2000, 2), "value": Column("value", "${}", 10_000, 2)},
        "Investment of firms",
    ),
    "Swiss": Office(
        "randhie",
        COUNTRY["de-CH"],
        {"Besuche": Column("mdvis", places=0), "Leiden": Column("disea", "{} %"), "Plan": Column("idp", FLAG)},
    ),
}


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serve(tmp_path_factory.mktemp("offices") / "home")


@pytest.mark.full
@pytest.mark.parametrize("name", OFFICES)
def test_its_figures_are_those_of_the_rows(name: str, server: Server, browser: Browser, tmp_path: Path) -> None:
    office = OFFICES[name]
    table, codebook = tmp_path / "office.csv", tmp_path / "codebook.csv"
    table.write_bytes(office.file())
    codebook.write_text(office.codebook(), "utf-8")
    workspace = dprelease.Workspace.open(server.home)
    workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=EPSILON)
    language = "es" if name == "Spanish" else "en"
    context = browser.new_context(viewport={"width": 1280, "height": 1400}, locale=language)
    context.add_cookies([{"name": COOKIE, "value": language, "url": server.base}])
    page = context.new_page()
    enter(page, server.link)
    settled(page)
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": EPSILON}
    plan = {"dprelease": 1, "dataset": "office", "privacy": privacy, "statistics": list(statistics(office))}
    (tmp_path / "plan.yaml").write_text(dump(plan), "utf-8")
    with speaking(language):
        declare(page, server, table, codebook, len(office.columns))
        publish(page, server, tmp_path / "plan.yaml")
    context.close()
    (release,) = workspace.releases.find()
    for column, values in office.values().items():
        figures, how = release.tables[f"of_{list(office.columns).index(column)}"].value, office.columns[column]
        if how.form == FLAG:
            assert [round(figure) for figure in figures] == [values.count(Decimal(0)), values.count(Decimal(1))]
        else:
            assert figures[0] == pytest.approx(float(sum(values) / len(values)), abs=10.0**-how.places / 2)
    read = sorted(column.name for column in release.certificate.columns if column.reading is not None)
    assert release.certificate.previews.readings_proposed == tuple(read)


def declare(page: Page, server: Server, table: Path, codebook: Path, count: int) -> None:
    """The file is brought and registered, and its columns are declared as the codebook and their cells say."""
    page.goto(f"{server.base}/tables")
    settled(page)
    page.locator("input[type=file]").first.set_input_files(table)
    expect(page.get_by_text(say("reading_title"))).to_be_visible()
    settled(page)
    page.get_by_text(say("dataset_who_row", unit="person"), exact=True).click()
    press(page, say("dataset_save"))
    expect(page.get_by_role("heading", name=say("columns_title", dataset="office"))).to_be_visible()
    settled(page)
    page.get_by_text(say("tool_import"), exact=True).click()
    settled(page)
    page.locator("input[type=file]").first.set_input_files(codebook)
    settled(page)
    press(page, say("import_apply", columns=say("columns", count, count=count)))
    press(page, say("columns_save"))
    expect(page.get_by_text(say("columns_saved", count=count, dataset="office"))).to_be_visible()


def publish(page: Page, server: Server, plan: Path) -> None:
    """The plan is brought as a file, and published by its button."""
    page.goto(f"{server.base}/workbench")
    settled(page)
    press(page, say("bench_more"))
    page.get_by_role("menuitem", name=say("bench_more_file"), exact=True).click()
    settled(page)
    page.locator("input[type=file]").last.set_input_files(plan)
    settled(page)
    page.locator(".st-key-bench-onwards button").click()
    page.get_by_role("dialog").locator(".st-key-publish-now button").click()
    page.wait_for_url("**/releases?release=*")
    settled(page)


def statistics(office: Office) -> Iterator[dict[str, Any]]:
    for place, (name, column) in enumerate(office.columns.items()):
        yield {"id": f"of_{place}", "kind": "histogram" if column.form == FLAG else "mean", "column": name}
