"""Text that people wrote is shown as text, whatever it says; errors tell nothing."""

from __future__ import annotations

import re
from collections.abc import Callable

import pandas
import pytest

from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, as_label
from dprelease.ui.workbench import draft
from dprelease.workspace import Workspace
from dprelease.workspace.ledger import Ledger
from tests.pages.conftest import CopyOf, Opener, dialog, html, press, words

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[click](javascript:alert(1))",
    ":red[red] **bold** $x$",
    "\N{RIGHT-TO-LEFT OVERRIDE}gnp.exe",
    "'; DROP TABLE releases; --",
)

LABELLED = (
    "page_link",
    "button",
    "number_input",
    "text_input",
    "selectbox",
    "multiselect",
    "checkbox",
    "expander",
    "text_area",
)
SIGNS = re.compile(r"[<>\[\]$*]|:\w")
BADGE = re.compile(r":\w+-badge\[[\w:/ ,]*\]")
"""Ours, with words of ours."""
"""What Markdown and HTML would act on."""
OWN_LINK = re.compile(r"^\[(.*)\]\(/(?:guide/[a-z-]+|upload)\?lang=[a-z]+(?:#[a-z-]+)?\)$")
"""A link of our own: to the guide, or to where large files are sent."""


@pytest.fixture
def hostile(copy_of: CopyOf, sign_in: Callable[[], str]) -> Workspace:
    """A workspace with one release in which everything that people can write is hostile."""
    workspace = copy_of("hostile", write_everything)
    sign_in()
    return workspace


def write_everything(workspace: Workspace) -> None:
    name = HOSTILE[1]
    workspace.add_population("few", unit=HOSTILE[0], neighbors="add_remove", epsilon=3)
    columns = {name: {"type": "category", "categories": list(HOSTILE), "unit": HOSTILE[0], "description": HOSTILE[2]}}
    table = pandas.DataFrame({name: list(HOSTILE) * 3})
    workspace.add_dataset("small", table, population="few", columns=columns)
    plan_id = workspace.plans.submit(plan(HOSTILE[0]))
    workspace.plans.approve(plan_id)
    release = workspace.publish(plan_id)
    workspace.preview(plan(HOSTILE[1]))
    workspace.releases.add_erratum(release.id, HOSTILE[0])
    workspace.populations.raise_cap("few", epsilon=4, reason=HOSTILE[1])
    workspace.populations.open_period("few", HOSTILE[0], epsilon=2, reason=HOSTILE[1])
    workspace.populations.declare_earlier_releases("few", HOSTILE)
    workspace.plans.return_plan(workspace.plans.submit(plan(HOSTILE[1])), comment=HOSTILE[0])
    workspace.plans.submit(plan(HOSTILE[2]))
    workspace.people.require_two_people()
    ann, ben = (Actor(name, frozenset({role})) for name, role in (("ann", Role.CURATOR), ("ben", Role.REVIEWER)))
    workspace.populations.open_period("few", HOSTILE[1], epsilon=2, reason=HOSTILE[0], actor=ann)
    workspace.add_population(
        "more",
        unit=HOSTILE[0],
        neighbors="add_remove",
        epsilon=1,
        overlaps={"few": "some"},
        earlier_releases=HOSTILE,
        actor=ann,
    )
    workspace.populations.raise_cap("few", epsilon=4, reason=HOSTILE[1], actor=ann)
    workspace.populations.return_request(3, comment=HOSTILE[0], actor=ben)


def plan(title: str) -> Plan:
    return Plan.parse(
        {
            "dprelease": 1,
            "title": title,
            "description": HOSTILE[1],
            "dataset": "small",
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
            "statistics": [{"id": "spread", "kind": "histogram", "column": HOSTILE[1]}],
        }
    )


PAGES = ["desk", "tables", "workbench", "review", "releases", "budget"]


@pytest.mark.parametrize("key", PAGES)
def test_hostile_text_is_inert_on_every_page(key: str, hostile: Workspace, visit: Opener) -> None:
    (release,) = hostile.releases.find()
    state = {session.DRAFT: draft.Draft.from_plan(plan(HOSTILE[2]))}
    page = visit(key, state=state, query={"release": release.id} if key == "releases" else None)
    source = html(page)
    for raw in ("<script", "<img src=x", "\N{RIGHT-TO-LEFT OVERRIDE}"):
        assert raw not in source
    texts = [element.value for element in (*page.title, *page.markdown)]
    texts += [element.label for kind in LABELLED for element in page.get(kind)]
    for text in texts:
        if BADGE.fullmatch(text):
            continue
        without_link = OWN_LINK.sub(r"\1", text)
        assert not SIGNS.search(re.sub(r"\\.", "", without_link))


def test_hostile_text_is_inert_in_a_preview(hostile: Workspace, visit: Opener) -> None:
    page = visit("workbench", state={session.DRAFT: draft.Draft.from_plan(plan(HOSTILE[2]))})
    page.segmented_control[0].set_value("true").run()
    dialog(page, "sources")
    assert "<table" in html(page)
    assert "<script" not in html(page)
    assert "<img src=x" not in html(page)


@pytest.mark.parametrize("error", [ValueError("cell value X-4711"), RuntimeError("cell value X-4711")])
def test_an_unforeseen_error_tells_nothing(
    error: Exception,
    sample_workspace: Workspace,
    sign_in: Callable[[], str],
    visit: Opener,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    sign_in()
    monkeypatch.setattr(Ledger, "verify", broken)
    page = press(visit("budget"), WORDS["ledger_check"])
    assert WORDS["failed"] in words(page)
    assert "4711" not in html(page)
    assert "4711" not in caplog.text
    assert type(error).__name__ in caplog.text


def test_a_label_is_as_it_is_written_where_that_means_nothing_to_markdown() -> None:
    for plain in ("mean_stay of patients-2025", "St. Mary's (2025), 3.5 % - all/none"):
        assert as_label(plain) == plain
    assert as_label("_a_ b__c -> d -- e") == r"\_a\_ b\_\_c \-\> d \-\- e"
    assert as_label("- a") == r"\- a"
    assert as_label("1. www.example.com") == r"1\. www\.example.com"
