"""A new table with a codebook, from the open dashboard to a verified release: how many clicks and keys that takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from dprelease import verify
from dprelease.ui.words import say
from dprelease.words.language import COOKIE, speaking
from dprelease.workspace import Workspace
from tests.browser.conftest import enter, grave, settled
from tests.browser.servers import Server, serve

COLUMNS, MOST = 14, 25
"""Interactions up to settled columns, and up to the verified release."""
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

    def key(self, what: Locator, key: str) -> None:
        what.press(key)
        self.count += 1
        settled(self.page)

    def write(self, label: str, text: str) -> None:
        self.page.get_by_role("textbox", name=label, exact=True).fill(text)
        self.count += 1

    def drop(self, file: Path) -> None:
        self.page.locator("input[type=file]").first.set_input_files(file)
        self.count += 1


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for each walk: whoever brings a first table has no population yet."""
    yield from serve(tmp_path_factory.mktemp("walked") / "home")


@pytest.mark.full
@pytest.mark.parametrize(
    ("language", "is_first"), [("en", True), pytest.param("es", True, marks=pytest.mark.full), ("es", False)]
)
def test_a_new_table_with_a_codebook_is_released_in_few_interactions(
    language: str,
    is_first: bool,
    server: Server,
    browser: Browser,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    name = f"Encuesta {language}"
    table, codebook = tmp_path / f"{name}.csv", tmp_path / "codebook.csv"
    table.write_bytes(TABLE)
    codebook.write_text(CODEBOOK)
    workspace = Workspace.open(server.home)
    if not is_first:
        workspace.add_population("vecinos", unit="person", neighbors="add_remove", epsilon=1.5)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale=language)
    context.add_cookies([{"name": COOKIE, "value": language, "url": server.base}])
    page = context.new_page()
    enter(page, server.link)
    settled(page)
    hand = Hand(page)
    with speaking(language):
        _settle(hand, table, codebook, is_first=is_first)
        to_columns = hand.count
        assert grave(page) == []
        _publish(hand)
    settled(page)
    assert grave(page) == []
    (release,) = workspace.releases.find()
    assert release.id in page.url
    assert verify(workspace.releases.bundle(release.id), key=workspace.public_key).signer_known
    assert (release.certificate.title, len(release.certificate.statistics)) == ("2024", 6)
    figures = f"{to_columns} interactions to columns, {hand.count} to the release"
    record_property("figures", figures)
    print(figures)  # `-s` shows it
    assert to_columns <= COLUMNS
    assert hand.count <= MOST
    schema = workspace.datasets.get(f"encuesta-{language}").schema
    assert set(schema.columns) == {"edad", "sexo", "region", "coste"}
    assert schema["edad"].upper == 120
    assert schema["sexo"].categories == ("F", "M")
    context.close()


def _settle(hand: Hand, table: Path, codebook: Path, *, is_first: bool) -> None:
    """The table is brought, read, registered and its columns declared."""
    page = hand.page
    if not is_first:
        hand.click(page.get_by_role("link", name=say("tables_nav"), exact=True).first)
    hand.drop(table)  # where nothing is yet, the desk itself takes it
    if is_first:
        expect(page.get_by_text(say("population_first"))).to_be_visible()
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
    saved = say("columns_saved", count=4, dataset=table.stem.lower().replace(" ", "-"))
    expect(page.get_by_text(saved)).to_be_visible()
    assert say("columns_settled", done=6, total=6) in page.inner_text("body")


def _publish(hand: Hand) -> None:
    """What is proposed is taken, named, looked at, given less ε, and published."""
    page = hand.page
    hand.click(page.get_by_role("link", name=say("go_plan")))
    hand.click(page.locator(".st-key-ghost-all button"))
    page.locator(".bench .row").first.wait_for()
    hand.press(say("bench_more"))
    hand.press(say("bench_more_title"), "menuitem")
    hand.write(say("plan_name"), "2024")
    hand.key(page.get_by_role("textbox", name=say("plan_name"), exact=True), "Enter")
    hand.key(page.get_by_role("dialog"), "Escape")
    hand.click(page.get_by_text(say("bench_mode_true"), exact=True))
    expect(page.get_by_text(say("bench_secret"))).to_be_visible()
    hand.key(page.get_by_role("slider"), "ArrowLeft")
    page.locator(".st-key-bench-onwards button:enabled").wait_for()
    hand.click(page.locator(".st-key-bench-onwards button"))
    hand.click(page.get_by_role("dialog").locator(".st-key-publish-now button"))
    page.wait_for_url("**/releases?release=*")
