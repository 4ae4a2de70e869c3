"""Every state of every page, and how to come there: what looks at each takes them from here.

`python -m tests.browser.states FOLDER [BEGINNING]` writes pictures of those whose name begins so, in every look, to be
looked at, and prints what is wrong with them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, expect

from dprelease.ui.words import say
from dprelease.words.language import speaking
from dprelease.workspace import Workspace, sample
from tests.browser.conftest import chromium, cut, grave, settled, still
from tests.browser.seats import Look, Seats
from tests.browser.servers import Server, serve
from tests.browser.worlds import WORLDS

OPEN = "document.querySelectorAll('details:not([open]) > summary').forEach(each => each.click())"
HIGH = "(document.querySelector('[data-testid=stMain]') ?? document.scrollingElement).scrollHeight"
TALLEST = 3000
Step = Callable[[Page], None]


@dataclass(frozen=True)
class State:
    """One state of a page."""

    name: str
    world: str
    """Which workspace, of worlds.py."""
    who: str | None
    """Who looks; nobody signs in where nobody is named."""
    address: str
    then: Sequence[Step] = ()
    """What is done there, one thing after the other."""
    fits: bool = False
    """Whether all of it is in sight at 1280 × 800."""

    def go(self, page: Page, server: Server) -> None:
        """Comes there, from a new tab."""
        drafts = _drafts(server, self.who) if "{" in self.address and self.who else {}
        page.goto(f"{server.base}/{self.address.format(release=_release(server), **drafts)}")
        if page.locator("[data-testid=stApp]").count():
            page.locator("h1, h2").first.wait_for()
        still(page)
        for step in self.then:
            step(page)
            still(page)


def _release(server: Server) -> str:
    found = Workspace.open(server.home).releases.find()
    return found[0].id if found else ""


def _drafts(server: Server, who: str) -> dict[str, str]:
    """The drafts of who looks, by name."""
    workspace = Workspace.open(server.home)
    return {each.name: each.id for each in workspace.plans.drafts.find(actor=workspace.people.get(who))}


def unfold(page: Page) -> None:
    page.evaluate(OPEN)


def drawn(page: Page) -> None:
    page.wait_for_selector(".bench .chart > *")


def true(page: Page) -> None:
    drawn(page)
    page.get_by_text(say("bench_mode_true"), exact=True).click()
    page.get_by_text(say("bench_secret")).wait_for()


def invented(page: Page) -> None:
    drawn(page)
    page.get_by_text(say("bench_mode_invented"), exact=True).click()
    page.get_by_text(say("bench_invented")).wait_for()


def row(place: int) -> Step:
    """Opens one statistic of the list."""

    def click(page: Page) -> None:
        drawn(page)
        chosen = page.locator(".bench .row").nth(place)
        chosen.click()
        settled(page)
        expect(chosen).to_have_attribute("aria-current", "true")
        drawn(page)

    return click


def view(place: int) -> Step:
    def click(page: Page) -> None:
        chosen = page.locator(".bench .views button").nth(place)
        chosen.click()
        settled(page)
        expect(chosen).to_have_attribute("aria-selected", "true")
        drawn(page)

    return click


def more(entry: str) -> Step:
    """Opens a dialog of the workbench's menu."""

    def click(page: Page) -> None:
        drawn(page)
        page.locator(".st-key-bench-more button").click()
        page.get_by_role("menuitem", name=say(f"bench_more_{entry}"), exact=True).click()
        page.get_by_role("dialog").wait_for()

    return click


def pressed(selector: str, place: int = 0) -> Step:
    return lambda page: page.locator(selector).nth(place).click()


def chosen(key: str) -> Step:
    """Another view of the plan under review."""
    return lambda page: page.get_by_role("radio", name=say(f"review_view_{key}", count="").strip()).click()


def onwards(page: Page) -> None:
    drawn(page)
    page.locator(".st-key-bench-onwards button").click()
    page.get_by_role("dialog").wait_for()


def attacked(page: Page) -> None:
    """Unfolds all, and has the plan attacked."""
    unfold(page)
    page.get_by_text(say("attack_show"), exact=True).click()
    page.locator("[class*=st-key-attack-] img").first.wait_for(state="attached")


def declared(page: Page) -> None:
    """Says of the ordinary person of an attacked plan how old it is."""
    attacked(page)
    field = page.get_by_role("combobox", name=say("attack_own_values", unit="person"))
    field.click()
    page.keyboard.type("age")
    page.get_by_role("option", name="age", exact=True).click()
    page.keyboard.press("Escape")
    age = page.get_by_role("spinbutton", name="age", exact=True)
    age.fill("90")
    age.press("Enter")
    page.get_by_text("age: 90").wait_for()


def tool(name: str) -> Step:
    return lambda page: page.get_by_text(say(f"tool_{name}"), exact=True).click()


def making(page: Page) -> None:
    """Asks for a column of whether another has a value."""
    for label, option in (("made_purpose", say("made_purpose_known")), ("made_of", "")):
        page.get_by_role("combobox", name=re.compile(f"{say(label)}$")).click()
        page.get_by_role("option", name=option).first.click()
    page.get_by_text(say("made_example_note")).wait_for()


def pasted(text: str) -> Step:
    """Pastes a list of columns."""

    def write(page: Page) -> None:
        field = page.get_by_role("textbox", name=say("paste_list"), exact=True)
        field.fill(text)
        field.press("Control+Enter")
        page.get_by_role("button", name=say("import_apply", columns="").strip()).wait_for()

    return write


ADD = (drawn, pressed(".bench .add"))
KINDS = "workbench?draft={Kinds}"
DIALOGS = ("title", "rows", "goals", "compare", "file", "drafts", "own", "delete")
STATES = (
    State("desk-first", "empty", "owner", "", fits=True),
    State("desk-full", "team", "ann", "", fits=True),
    State("desk-reviewer", "team", "ben", ""),
    State("desk-menu", "team", "ann", "", (pressed(".st-key-menu button"),)),
    State("data-empty", "empty", "owner", "tables", (unfold,)),
    State("data-tables", "full", "owner", "tables", (unfold,)),
    State("data-reading", "upload", "owner", "tables"),
    State("data-asked", "asked", "owner", "tables", (lambda page: page.get_by_text("Data 2024").wait_for(),)),
    State("data-settling", "upload", "owner", "tables?dataset=survey"),
    State("data-editing", "full", "owner", "tables?dataset=visits", (pressed("[class*=st-key-settle-] button", 7),)),
    State("data-making", "full", "owner", "tables?dataset=visits", (pressed(".st-key-columns-make button"), making)),
    *(
        State(f"data-{name}", "upload", "owner", "tables?dataset=survey", (tool(name),))
        for name in ("import", "paste", "several", "bounds")
    ),
    *(
        State(f"data-paste-{name}", "upload", "owner", "tables?dataset=survey", (tool("paste"), pasted(text)))
        for name, text in (
            ("asked", "sex;number;0;200.000\nage;number;0;120"),
            ("unclear", "sex;number;0;1.00.000\nage;number;90;0\nhealth;integer;0;999"),
            ("clear", "sex;number;0;200.000\nage;number;0;2,5\nhealth;category;;;a|b"),
        )
    ),
    State(
        "data-sheet",
        "full",
        "owner",
        "data?dataset=visits",
        (lambda page: page.get_by_text(say("columns_as_sheet"), exact=True).first.click(),),
    ),
    State("data-edition", "full", "owner", "tables?edition=visits"),
    State("bench-empty", "empty", "owner", "workbench"),
    State("bench-new", "full", "owner", "workbench"),
    State("bench-look-alike", "full", "owner", KINDS, (invented,), fits=True),
    State("bench-true", "full", "owner", KINDS, (true,), fits=True),
    State("bench-100", "full", "owner", KINDS, (true, view(1)), fits=True),
    State("bench-error", "full", "owner", KINDS, (true, view(2)), fits=True),
    State("bench-cross", "full", "owner", KINDS, (true, row(1)), fits=True),
    State("bench-cross-error", "full", "owner", KINDS, (row(1), view(2)), fits=True),
    State("bench-means", "full", "owner", KINDS, (true, row(2)), fits=True),
    State("bench-quantiles", "full", "owner", KINDS, (true, row(3)), fits=True),
    State("bench-mean", "full", "owner", KINDS, (true, row(4)), fits=True),
    State("bench-fifty", "full", "owner", KINDS, (true, row(5)), fits=True),
    State("bench-fifty-100", "full", "owner", KINDS, (row(5), view(1)), fits=True),
    State("bench-fifty-error", "full", "owner", KINDS, (row(5), view(2)), fits=True),
    State("bench-mode", "full", "owner", KINDS, (true, row(6)), fits=True),
    State("bench-over", "full", "owner", "workbench?draft={Over}", (drawn,)),
    State("bench-wrong", "full", "owner", "workbench?draft={Wrong}"),
    State("bench-blind", "blind", "owner", "workbench?draft={Again}", (drawn,), fits=True),
    State("bench-menu", "full", "owner", KINDS, (drawn, pressed(".st-key-bench-more button"))),
    State("bench-add", "full", "owner", KINDS, ADD),
    State("bench-edit", "full", "owner", KINDS, (drawn, pressed(".bench .acts button"))),
    State("bench-publish", "full", "owner", KINDS, (onwards,)),
    *(State(f"bench-dialog-{each}", "full", "owner", KINDS, (more(each),)) for each in DIALOGS),
    State("bench-dialog-meaning", "full", "owner", KINDS, (more("meaning"), unfold)),
    State("bench-dialog-meaning-attack", "full", "owner", KINDS, (more("meaning"), attacked)),
    State("bench-dialog-sources", "full", "owner", KINDS, (true, more("sources"))),
    State("bench-dialog-exact", "full", "owner", "workbench?draft={Small cells}", (true, more("exact"))),
    State("bench-dialog-beside", "full", "owner", "workbench?draft={Rows}", (true, more("beside"))),
    State("bench-send", "team", "ann", "workbench?draft={Again}", (onwards,)),
    State("bench-submitted", "team", "ann", "workbench?draft={Waits}", (drawn,), fits=True),
    State("bench-returned", "team", "ann", "workbench?draft={Back}", (drawn,), fits=True),
    State("review-empty", "empty", "owner", "review"),
    State("review-changes", "team", "ben", "review", fits=True),
    State("review-checks", "team", "ben", "review", (chosen("checks"),)),
    State("review-whole", "team", "ben", "review", (chosen("whole"), unfold)),
    State("review-attack", "team", "ben", "review", (chosen("whole"), attacked)),
    State("review-attack-person", "team", "ben", "review", (chosen("whole"), declared)),
    State("review-talk", "team", "ben", "review", (chosen("talk"),)),
    State("review-beyond", "team", "ben", "review", (pressed(".st-key-review-queue .stButton button", 1),), fits=True),
    State("review-approve", "team", "ben", "review", (pressed("[class*=st-key-approve-] button"),)),
    State("review-return", "team", "ben", "review", (pressed("[class*=st-key-return-] button"),)),
    State("review-request", "team", "dan", "review", fits=True),
    State("releases-empty", "empty", "owner", "releases"),
    State("releases", "full", "owner", "releases"),
    State("release", "full", "owner", "releases?release={release}", (unfold,)),
    State("own-release", "full", "owner", "own/release/{release}/"),
    State("budget-empty", "empty", "owner", "budget"),
    State("budget", "full", "owner", "budget", (unfold,)),
    State("settings-people", "team", "dan", "settings?tab=people", (unfold,)),
    State("settings-office", "team", "dan", "settings?tab=office", (unfold,)),
    State("settings-policy", "team", "dan", "settings?tab=policy", (unfold,)),
    State("rounds-none", "full", "owner", "rounds", (unfold,)),
    State("settings", "team", "ann", "settings", (unfold,)),
    State("sign-in", "full", None, "sign-in"),
    State("sign-out", "full", "owner", "sign-out"),
    State("report", "full", "owner", f"reports/{sample.POPULATION}"),
    State("guide", "full", "owner", "guide/start"),
    State("public", "full", None, "public/"),
    State("public-release", "full", None, "public/release/{release}/"),
)


def wrong(page: Page, look: Look, *, fits: bool) -> list[str]:
    """What is wrong with a page as it stands."""
    found = grave(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    found += [f"{wide} px wide"] if wide > look.width else []
    found += [f"cut: {each}" for each in cut(page)]
    high = page.evaluate(HIGH)
    found += [f"{high} px high"] if fits and look.width > 1000 and high > look.height else []
    whole = "[...document.images].every(image => image.complete && image.naturalWidth > 0)"
    return found + ([] if page.evaluate(whole) else ["an image is missing"])


def main() -> None:
    folder, code, beginning = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place, chromium() as browser:
        seats = Seats(browser)
        for world, make in WORLDS.items():
            states = [each for each in STATES if each.world == world and _wanted(each.name, beginning)]
            if states:
                make(Path(place) / world)
                for server in serve(Path(place) / world):
                    for state, width in product(states, (1280, 390)):
                        for line in looked_at(seats, server, state, width, code, folder=folder):
                            print(line, flush=True)


def _wanted(name: str, beginning: list[str]) -> bool:
    return not beginning or any(name.startswith(each) for each in beginning)


def looked_at(
    seats: Seats,
    server: Server,
    state: State,
    width: int,
    code: str,
    schemes: Sequence[str] = ("light", "dark"),
    folder: Path | None = None,
) -> Iterator[str]:
    """What is wrong with a state in one width and one language, in one theme after the other."""
    page, strays = seats.tab(server, Look(width, schemes[0], code), state.who)
    try:
        with speaking(code):
            state.go(page, server)
    except PlaywrightError as error:  # the others are looked at all the same
        yield f"{state.name}-{width}-{code}: {error.message[:400]}"
    for scheme in schemes:
        name = f"{state.name}-{width}-{scheme}-{code}"
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        still(page)
        if folder:
            picture(page, folder / f"{name}.png")
        yield from (f"{name}: {each}" for each in wrong(page, Look(width, scheme, code), fits=state.fits))
    yield from (f"{state.name}-{width}-{code}: {each}" for each in strays)
    page.close()


def picture(page: Page, path: Path) -> None:
    """The whole page, as far as somebody would scroll."""
    size = page.viewport_size
    assert size is not None
    high = min(max(page.evaluate(HIGH), size["height"]), TALLEST)
    page.set_viewport_size({"width": size["width"], "height": high})
    still(page)
    page.screenshot(path=path)
    page.set_viewport_size(size)
    still(page)


if __name__ == "__main__":
    main()
