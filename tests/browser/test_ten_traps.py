"""Plans that a reviewer has to stop, beside a harmless one: what is wrong is in the first screen of the review page,
in `plan show` and in its JSON, with its weight; the harmless plan carries nothing.

The tenth trap is no plan: the same file under two populations, told to the administrator.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from dprelease import cli
from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.model.policy import PlanCheck
from dprelease.ui.words import say
from dprelease.words.language import speaking
from dprelease.workspace import Workspace
from dprelease.workspace.checks import Severity
from tests.browser.conftest import settled
from tests.browser.seats import Look, Seats
from tests.browser.servers import Server, serve
from tests.made import copied, made_workspace

ANN, BEN = (Actor(name, frozenset({role})) for name, role in (("ann", Role.CURATOR), ("ben", Role.REVIEWER)))
NOTICE, SERIOUS, REFUSED = Severity.NOTICE, Severity.SERIOUS, Severity.REFUSED
ROWS = 3000
COLUMNS: dict[str, dict[str, Any]] = {
    "pid": {"type": "integer", "lower": 0, "upper": 9999},
    "age": {"type": "integer", "lower": 0, "upper": 120},
    "province": {"type": "category", "categories": [f"{number:02}" for number in range(1, 53)]},
    "region": {"type": "category", "categories": list("nswe")},
    "cost": {"type": "integer", "lower": 0, "upper": 10_000},
    "diagnosis": {"type": "category", "categories": "discover"},
}
POLICY = """dprelease: 1
forbidden:
- {columns: [age, province], reason: Age and province together tell people apart.}
"""


def planned(title: str, epsilon: float, *statistics: Mapping[str, Any], max_rows: int = 1, **changes: Any) -> Plan:
    told = {"dprelease": 1, "title": title, "dataset": "visits", "expected": {"rows": ROWS}, "statistics": statistics}
    unit = {"column": "pid", "max_rows": max_rows}
    privacy = {"unit": unit, "neighbors": "add_remove", "epsilon": epsilon, "delta": changes.pop("delta", 0)}
    return Plan.parse(json.loads(json.dumps({**told, "privacy": privacy, **changes})))


COST = {"id": "cost", "kind": "mean", "column": "cost"}
REGIONS = {"id": "n", "kind": "count", "by": ["region"]}
COSTS = {**COST, "by": ["region"]}
PROVINCES = {"id": "p", "kind": "count", "by": ["province"]}
CROSSED = {"id": "both", "kind": "crosstab", "columns": ["region", "province"]}
ONE_PERSON = [{"column": "age", "equals": 97}, {"column": "region", "equals": "s"}]


class Trap(NamedTuple):
    plan: Plan
    check: PlanCheck
    severity: Severity
    words: str
    """That its finding has, as well in the terminal as on the page: the number or the name that matters."""


TRAPS = [
    Trap(planned("Over the cap", 9, REGIONS), PlanCheck.BUDGET, REFUSED, "patients"),
    Trap(
        planned("Bounds of the rows", 0.3, COST, columns={"cost": {**COLUMNS["cost"], "lower": 3, "upper": 8997}}),
        *(PlanCheck.EXACT_BOUNDS, SERIOUS, "8997"),
    ),
    Trap(planned("Many rows", 0.3, REGIONS, max_rows=5000), PlanCheck.MAX_ROWS, SERIOUS, "5000"),
    Trap(planned("Provinces at 0.4", 0.4, PROVINCES), PlanCheck.CREEPING, SERIOUS, "0.1 → 0.2 → 0.4"),
    Trap(planned("Where, again", 0.1, CROSSED, PROVINCES), PlanCheck.PUBLISHED_BEFORE, NOTICE, "Provinces at 0.2"),
    Trap(
        planned("Diagnoses", 0.3, {"id": "d", "kind": "histogram", "column": "diagnosis"}, delta=1e-6),
        *(PlanCheck.DISCOVERED, SERIOUS, "diagnosis"),
    ),
    Trap(planned("Swept costs", 0.9, COSTS), PlanCheck.AFTER_PREVIEW, SERIOUS, " 9 "),
    Trap(
        planned("Ages by province", 0.3, {"id": "a", "kind": "mean", "column": "age", "by": ["province"]}),
        *(PlanCheck.FORBIDDEN, REFUSED, "Age and province together tell people apart."),
    ),
    Trap(planned("Costs of the very old", 0.3, COST, where=ONE_PERSON), PlanCheck.NARROW_FILTER, SERIOUS, "484"),
]
HARMLESS = planned("Ages", 0.2, {"id": "ages", "kind": "histogram", "column": "age", "bins": 8})


def lay_out(home: Path) -> None:
    """Nine plans with traps wait beside a harmless one; what they come after has happened."""
    workspace = Workspace.create(home)
    cells = ((n, n % 100, f"{1 + n % 52:02}", "nswe"[n % 4], n * 7 % 9001, "abc"[n % 3]) for n in range(ROWS))
    lines = [",".join(COLUMNS), *(",".join(map(str, row)) for row in cells)]
    (file := home.parent / "visits.csv").write_text("\n".join(lines) + "\n")
    workspace.add_population("patients", unit="patient", neighbors="add_remove", epsilon=4, delta=1e-5, size=ROWS)
    workspace.add_dataset("visits", file, population="patients", unit_column="pid", columns=COLUMNS)
    for person in (ANN, BEN):
        workspace.people.sign_in(workspace.people.invite(person.name, list(person.roles)))
    workspace.people.require_two_people()
    for tenths in range(1, 10):
        workspace.preview(planned("Swept costs", tenths / 10, COSTS), draws=1, actor=ANN)
    for epsilon in (0.1, 0.2):
        published = workspace.plans.submit(planned(f"Provinces at {epsilon}", epsilon, PROVINCES), actor=ANN)
        workspace.plans.approve(published, actor=BEN)
        workspace.publish(published, actor=ANN)
    for plan in (*(trap.plan for trap in TRAPS), HARMLESS):
        workspace.plans.submit(plan, actor=ANN)
    (home / "policy.yaml").write_text(POLICY)


@cache
def laid_out() -> Path:
    return made_workspace("ten-traps", lay_out)


@dataclass(frozen=True)
class Shown:
    """`plan show` of one plan."""

    words: str
    found: Any


def show(capsys: pytest.CaptureFixture[str], home: Path, title: str) -> Shown:
    (record,) = (each for each in Workspace.open(home).plans.find(actor=BEN) if each.mapping["title"] == title)
    said = []
    for form in ((), ("--json",)):
        assert cli.main(["plan", "show", record.id, "--home", str(home), "--as", "ben", *form]) == 0
        said.append(capsys.readouterr().out)
    return Shown(said[0], json.loads(said[1]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.plan.title)
def test_the_terminal_tells_each_trap_before_the_plan(trap: Trap, capsys: pytest.CaptureFixture[str]) -> None:
    shown = show(capsys, laid_out(), trap.plan.title)
    found = [each for each in shown.found["checks"] if each["check"] == trap.check]
    assert [each["severity"] for each in found][:1] == [trap.severity]
    first = shown.words.splitlines()[:24]
    assert any(line.strip().startswith(f"{trap.severity}: ") and trap.words in line for line in first), "\n".join(first)


def test_a_price_says_for_how_many_rows_it_is_and_what_it_is_for_those_that_the_filter_leaves(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = show(capsys, laid_out(), "Costs of the very old")
    filtered = shown.found["filtered"]
    assert (filtered["rows"], filtered["left"]) == (ROWS, round(ROWS / 484))
    assert "Expected rows after the filter: 3000" in shown.words
    assert "the filter leaves some 6," in shown.words
    assert filtered["errors"]["cost"] > 100 * shown.found["price"]["statistics"][0]["error95"]


def test_the_terminal_finds_nothing_in_a_harmless_plan_beside_them(capsys: pytest.CaptureFixture[str]) -> None:
    shown = show(capsys, laid_out(), HARMLESS.title)
    assert (shown.found["checks"], shown.found["looks"]) == ([], [])
    assert not any(f"{severity}:" in shown.words for severity in Severity)


# In Chromium


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    yield from serve(copied(laid_out(), tmp_path_factory.mktemp("served") / "home"))


IN_SIGHT = """() => [...document.querySelectorAll('.dp-asking li')].filter(each => {
  const {left, right, top, bottom} = each.getBoundingClientRect();
  const seen = document.elementFromPoint((left + right) / 2, bottom - 4);
  return top >= 0 && bottom <= innerHeight && each.contains(seen);
}).map(each => each.innerText)"""
"""The findings that are wholly within the window and that nothing covers."""


def opened(page: Page, title: str) -> list[str]:
    """What is in sight of a plan once it is chosen in the queue."""
    page.locator(".st-key-review-queue").get_by_role("button", name=title, exact=True).click()
    page.locator(".dp-review-title", has_text=title).wait_for()
    settled(page)
    found: list[str] = page.evaluate(IN_SIGHT)
    return found


@pytest.mark.parametrize(
    ("code", "every"), [("en", 4), *(pytest.param(code, 1, marks=pytest.mark.full) for code in ("en", "es"))]
)
def test_each_trap_is_in_the_first_screen_and_the_harmless_plan_carries_none(
    served: Server, browser: Browser, code: str, every: int
) -> None:
    page, _ = Seats(browser).tab(served, Look(1280, "light", code), "ben")
    page.goto(f"{served.base}/review")
    settled(page)
    assert page.viewport_size == {"width": 1280, "height": 800}
    missing = {}
    for trap in TRAPS[::every]:
        found = opened(page, trap.plan.title)
        with speaking(code):
            name, weight = say(f"check_name_{trap.check}"), say(f"severity_{trap.severity}")
        if not any(name in each and weight in each and trap.words in each for each in found):
            missing[trap.plan.title] = found
    assert missing == {}
    opened(page, HARMLESS.title)
    assert page.locator(".dp-asking li").count() == 0
