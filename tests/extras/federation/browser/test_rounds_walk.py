"""Two sites, two servers, two browsers: rounds by the page alone, their files carried by download and upload."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, Page, expect

import dprelease
from dprelease.extras.federation.folder import BUNDLE
from dprelease.ui.words import say
from tests.browser.conftest import cut, enter, grave, press, settled
from tests.browser.servers import Server, serve
from tests.extras.federation.pages.test_rounds import NAME, SITES, begun, carried
from tests.extras.federation.test_federations import charges, plan, workspace

pytestmark = pytest.mark.full
PICTURES = Path(__file__).resolve().parents[2] / "build" / "pictures"
TITLE = "Hospitals"
WIDE = 1280
HIGH = "document.querySelector('[data-testid=stMain]').scrollHeight"


@dataclass(frozen=True)
class Desk:
    """One site: its workspace, and the page that its curator looks at."""

    site: str
    home: Path
    page: Page

    @property
    def workspace(self) -> dprelease.Workspace:
        return dprelease.Workspace.open(self.home)

    @property
    def folder(self) -> Path:
        return self.workspace.federations.round_folder(NAME)

    def press(self, key: str) -> None:
        press(self.page, say(key))

    def offers(self, key: str) -> bool:
        return self.page.get_by_role("button", name=say(key), exact=True).count() > 0

    def shows(self, *texts: str) -> None:
        """One of them, and then the whole page: a slow server may begin to draw late."""
        expect(self.page.get_by_text(re.compile("|".join(map(re.escape, texts)))).first).to_be_visible()
        settled(self.page)

    def step(self, key: str) -> None:
        """A step of the round, until the page tells what it came to."""
        self.press(key)
        others = ", ".join(site for site in SITES if site != self.site)
        self.shows(say("rounds_done_waits", sites=others), say("rounds_done_all"), say("rounds_done_published"))

    def unfold(self, key: str) -> None:
        self.page.get_by_text(say(key), exact=True).click()
        settled(self.page)

    def agree(self, key: str) -> None:
        """Ticks a box that is not ticked yet."""
        if not self.page.get_by_role("checkbox", name=say(key)).is_checked():
            self.page.get_by_text(say(key), exact=True).click()
            settled(self.page)

    def down(self, folder: Path) -> Path:
        """The round's files, as one zip that a browser has."""
        with self.page.expect_download() as waiting:
            self.page.get_by_role("button", name=say("rounds_download"), exact=True).click()
        assert waiting.value.suggested_filename == f"{NAME}.zip"
        target = folder / f"{self.site}.zip"
        waiting.value.save_as(target)
        return target

    def up(self, file: Path) -> None:
        """Hands a file in, where the round is here already."""
        chooser = self.page.locator("input[type=file]").first
        with self.page.expect_file_chooser() as asked:
            chooser.evaluate("field => field.click()")
        asked.value.set_files(file)
        expect(self.page.get_by_text(file.name, exact=True).first).to_be_visible()
        settled(self.page)
        self.press("rounds_take")

    def look(self, name: str) -> None:
        """Nothing is cut, wider than the screen or grave on the page as it stands; a picture of it for people."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        for width, scheme in product((WIDE, 390), ("light", "dark")):
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            settled(self.page)
            self.page.set_viewport_size({"width": width, "height": self.page.evaluate(HIGH)})
            settled(self.page)
            self.page.screenshot(path=PICTURES / f"rounds-{name}-{width}-{scheme}.png")
            assert cut(self.page) == []
            assert grave(self.page) == []
            assert self.page.evaluate("document.documentElement.scrollWidth") <= width
        self.page.set_viewport_size({"width": WIDE, "height": 900})


@contextmanager
def served(home: Path) -> Iterator[Server]:
    yield from serve(home)


@pytest.fixture
def homes(tmp_path: Path) -> list[Path]:
    """Two workspaces that approved the same plan, each of its own rows."""
    found = [tmp_path / site for site in SITES]
    for number, home in enumerate(found):
        workspace(home, number).plans.submit(plan(charts=False))
    return found


@pytest.fixture
def desks(homes: list[Path], browser: Browser) -> Iterator[list[Desk]]:
    with ExitStack() as stack:
        found = []
        for site, home in zip(SITES, homes, strict=True):
            server = stack.enter_context(served(home))
            context = browser.new_context(viewport={"width": WIDE, "height": 900}, accept_downloads=True)
            stack.callback(context.close)
            found.append(Desk(site, home, context.new_page()))
            enter(found[-1].page, server.link)
            settled(found[-1].page)
            found[-1].page.goto(f"{server.base}/rounds")
            found[-1].shows(say("rounds_lead"))
            settled(found[-1].page)
        yield found


def carry(desks: list[Desk], folder: Path) -> None:
    """Each takes what the other has."""
    one, other = desks
    for source, target in ((one, other), (other, one)):
        target.up(source.down(folder))
        target.shows(say("rounds_taken", files=""), say("rounds_nothing_new"))
        expect(target.page.get_by_text(f"{source.site}.zip")).to_have_count(0)  # what was taken waits no more


def begin(desks: list[Desk], folder: Path) -> None:
    """The first site makes the list, the other one brings it in, and both sign it."""
    one, other = desks
    keys = "\n".join(f"{each.site} = {each.page.locator('pre').first.inner_text().strip()}" for each in desks)
    one.page.get_by_label(say("rounds_name")).first.fill(NAME)
    one.page.get_by_label(say("rounds_title_of")).fill(TITLE)
    one.page.get_by_label(say("rounds_members")).fill(keys)
    one.press("rounds_create_button")
    one.shows(say("rounds_created"))
    one.shows(say("rounds_compare"))
    one.step("rounds_join")
    one.shows(say("rounds_wait_join", sites=other.site))
    one.look("begun")
    other.unfold("rounds_join_other")
    other.page.get_by_label(say("rounds_name")).last.fill(NAME)
    other.page.locator("input[type=file]").last.set_input_files(one.down(folder))
    other.press("rounds_bring")
    other.shows(say("rounds_created"))
    other.step("rounds_join")
    one.up(other.down(folder))
    one.shows(say("rounds_taken", files="2.roster.json"))


def go_on(desk: Desk) -> None:
    """Agrees to the charge until it is made, and goes as far as the files allow."""
    if desk.offers("rounds_contribute"):
        desk.agree("rounds_agree")
        desk.step("rounds_contribute")
    elif desk.offers("rounds_go_on"):
        desk.step("rounds_go_on")


def test_two_sites_publish_one_release_by_their_pages(desks: list[Desk], tmp_path: Path) -> None:
    one, other = desks
    begin(desks, tmp_path)
    assert one.page.get_by_role("button", name=say("rounds_contribute")).is_disabled(), "nobody agreed to the charge"
    assert [charges(each.workspace) for each in desks] == [[], []]
    for turn in range(6):
        go_on(one)
        if turn == 2:
            one.shows(say("rounds_charged"))
            one.shows(say("rounds_waits", sites=other.site))
            one.look("contributing")
        go_on(other)
        carry(desks, tmp_path)
        if all(each.offers("rounds_publish") for each in desks):
            break
    assert [each.workspace.releases.find() for each in desks] == [[], []]
    for _ in range(3):
        for each in desks:
            if each.offers("rounds_publish"):
                each.step("rounds_publish")
        carry(desks, tmp_path)
    for each in desks:
        each.shows(say("rounds_published"))
        assert not each.offers("rounds_publish")
        assert len(charges(each.workspace)) == 1
    other.look("published")
    (first,), (second,) = (each.workspace.releases.find() for each in desks)
    assert first.id == second.id
    assert (one.folder / BUNDLE).read_bytes() == (other.folder / BUNDLE).read_bytes()
    bundles = [each.workspace.releases.bundle(first.id) for each in desks]
    written = [{path.relative_to(b): path.read_bytes() for path in b.rglob("*") if path.is_file()} for b in bundles]
    assert written[0]
    assert written[0] == written[1]
    other.page.get_by_role("link", name=say("rounds_open_release")).click()
    other.page.wait_for_url(f"**/own/release/{first.id}/")


def test_an_altered_file_is_refused_on_the_page_and_a_void_round_is_over(
    homes: list[Path], desks: list[Desk], tmp_path: Path
) -> None:
    begun(homes)
    for _ in ("offer", "key"):
        for each in desks:
            each.workspace.federations.contribute(each.folder, plan(charts=False))
        carried(homes)
    one, other = desks
    for each in desks:
        each.page.reload()
        each.shows(say("rounds_charged"))
    kept = one.folder / "2.key.json"
    signed = kept.read_bytes()
    with ZipFile(other.down(tmp_path)) as files:
        assert files.read(kept.name) == signed
    altered = tmp_path / kept.name
    digit = json.loads(signed)["signature"][0].encode()
    altered.write_bytes(signed.replace(b'"signature":"' + digit, b'"signature":"' + (b"1" if digit == b"0" else b"0")))
    assert altered.read_bytes() != signed
    one.up(altered)
    expect(one.page.locator(".dp-box", has_text=kept.name)).to_be_visible()
    one.look("refused")
    assert kept.read_bytes() == signed
    other.unfold("rounds_end")
    other.agree("rounds_end_agree")
    other.press("rounds_end_button")
    other.shows(say("rounds_ended"))
    one.page.reload()
    one.shows(say("rounds_charged"))
    one.up(other.down(tmp_path))
    for each in desks:
        each.shows(say("rounds_void", site=other.site))
        assert not each.offers("rounds_go_on")
        assert [len(charges(each.workspace)), len(each.workspace.releases.find())] == [1, 0]
    one.look("void")
