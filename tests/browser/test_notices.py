"""The browser's own check: it follows keys, and refuses notices that were altered, invented or withheld."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import dprelease
from tests.bundle.servers import hiding, serving_folder
from tests.trust.world import publish, solo
from tests.web.test_notices import LIE, TAMPERS, TEXT, Tamper, invented


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str, list[str]]:
    """Its second release is signed by a later key than its first, which has an erratum and is superseded."""
    root = tmp_path_factory.mktemp("notices")
    workspace = solo(root / "home", epsilon=3)
    first = publish(workspace, title="First")
    workspace.ledger.rotate_key()
    second = publish(workspace, title="Second")
    workspace.releases.add_erratum(first.id, f"The second column was {TEXT}.")
    workspace.releases.supersede(first.id, by=second.id, reason="More rows.")
    workspace.releases.write_site(root / "site")
    return root / "site", first.id, second.id, workspace.ledger.keys()


def checked(page: Page, address: str, key: str = "") -> None:
    page.goto(address)
    page.get_by_label("The publisher's key").fill(key)
    page.get_by_role("button", name="Check what this site serves").click()


def test_it_follows_keys_and_shows_what_was_said(browser: Browser, site: tuple[Path, str, str, list[str]]) -> None:
    folder, first, second, (old, new) = site
    page = browser.new_page()
    with serving_folder(folder) as base:
        checked(page, f"{base}/release/{first}/check.html", old)
        expect(page.get_by_text("Intact, and signed by the key that you gave.")).to_be_visible()
        expect(page.get_by_text(TEXT)).to_be_visible()
        expect(page.get_by_text(second).first).to_be_visible()
        for key in (old, new):  # the old one is still good: it handed over
            checked(page, f"{base}/release/{second}/check.html", key)
            expect(page.get_by_text("Intact, and signed by the key that you gave.")).to_be_visible()
            expect(page.get_by_text("Nothing was said of this release up to")).to_be_visible()
            expect(page.get_by_text("The key you gave handed over")).to_have_count(int(key == old))
        checked(page, f"{base}/release/{first}/check.html", new)  # it signed nothing of the first one
        expect(page.get_by_text("Do not use this copy: it is signed by another key")).to_be_visible()
    page.close()


@pytest.mark.parametrize("tamper", TAMPERS.values(), ids=TAMPERS)
def test_it_refuses_notices_that_are_not_as_signed(
    browser: Browser, site: tuple[Path, str, str, list[str]], tmp_path: Path, tamper: Tamper
) -> None:
    folder, first, _, (old, _) = site
    copy = Path(shutil.copytree(folder, tmp_path / "site"))
    tamper(copy / "releases", first)
    page = browser.new_page()
    with serving_folder(copy) as base:
        checked(page, f"{base}/release/{first}/check.html", old)
        words = "are not its publisher's" if tamper is invented else "withheld or altered"
        expect(page.get_by_text(re.compile(f"Do not use this copy: .*{words}"))).to_be_visible()
        expect(page.locator("#verdict").get_by_text(LIE)).to_have_count(0)
        with pytest.raises(dprelease.errors.IntegrityError, match=r"^notices: "):
            dprelease.verify(f"{base}/release/{first}/", key=old)
    page.close()


REFUSALS = (404, 403, 500, None)
"""What a server says instead of a file; None: a page in its place, with 200."""


@pytest.mark.one_in(10)
@pytest.mark.parametrize("status", REFUSALS)
@pytest.mark.parametrize(
    ("hidden", "words"),
    [
        ("/notices/", "withheld or altered here \\(2\\)"),
        ("/checkpoint.json", "whether notices about this release are withheld"),
    ],
    ids=["notices", "checkpoint"],
)
def test_a_server_that_hides_notices_or_their_list_is_told(
    browser: Browser, site: tuple[Path, str, str, list[str]], hidden: str, words: str, status: int | None
) -> None:
    folder, first, second, (old, _) = site
    unread = rf"({words})" if status else "cannot be read"
    page = browser.new_page()
    with hiding(folder, hidden, status) as base:
        checked(page, f"{base}/release/{first}/check.html", old)
        expect(page.get_by_text(re.compile(f"Do not use this copy: .*{unread}"))).to_be_visible()
        if hidden == "/notices/" and status:  # there are none about the second one, as the checkpoint says
            checked(page, f"{base}/release/{second}/check.html", old)
            expect(page.get_by_text("Nothing was said of this release up to")).to_be_visible()
    page.close()
