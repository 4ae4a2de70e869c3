"""Looks at true values: each is in the ledger before anything is seen; the certificate says what came after them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.errors import AccessError, InputError, IntegrityError, PlanError
from dprelease.model.actor import Actor, Role
from dprelease.model.measured import measured_of
from dprelease.model.policy import PlanCheck
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.workspace.checks import Severity
from tests.workspace.test_previews import COLUMNS, REVIEWER, ROWS, STATISTICS, plan


@pytest.fixture
def workspace() -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", ROWS, columns=COLUMNS, unit_column="who", epsilon=10, unit="person")
    return made


def look(workspace: dprelease.Workspace, wanted: dprelease.Plan) -> None:
    workspace.preview(wanted, draws=1)


def sweep(workspace: dprelease.Workspace, wanted: dprelease.Plan, least: Any, most: Any, looks: int = 1) -> None:
    workspace.plans.swept(wanted, statistic="n", least=least, most=most, looks=looks)


def changed(workspace: dprelease.Workspace, wanted: dprelease.Plan) -> str | None:
    return workspace.plans.told_of_previews(wanted).changed


def bins(number: int) -> list[dict[str, Any]]:
    return [*STATISTICS[:3], {"id": "days", "kind": "histogram", "column": "day", "bins": number}]


# What is the same measurement


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "other",
    [
        plan(0.7),
        plan(title="Another"),
        plan(description="Said."),
        plan(charts=False),
        plan(weights="minimise", expected={"rows": 10}),
        plan(expected={"rows": 6}),
        plan(accept=[{"statistic": "mean", "error": 3}]),
        plan(statistics=[{**STATISTICS[0], "id": "other"}, *STATISTICS[1:]]),
        plan(statistics=[{**STATISTICS[0], "weight": 3}, *STATISTICS[1:]]),
        plan(statistics=[{**STATISTICS[0], "epsilon": 0.1}, *STATISTICS[1:]]),
        plan(statistics=STATISTICS[::-1]),
    ],
)
def test_shares_and_titles_are_not_what_is_measured(workspace: dprelease.Workspace, other: dprelease.Plan) -> None:
    look(workspace, plan())
    assert changed(workspace, other) == "budget"


@pytest.mark.parametrize(
    "other",
    [
        plan(max_rows=1),
        plan(where=[{"column": "region", "equals": "n"}]),
        plan(statistics=bins(5)),
        plan(statistics=STATISTICS[:3]),
        plan(statistics=[*STATISTICS, {"id": "again", "kind": "count", "by": ["region"]}]),
        plan(postprocess=["nonnegative"]),
        plan(columns={"cost": COLUMNS["cost"] | {"upper": 40}}),
    ],
)
def test_statistics_bounds_bins_and_conditions_are(workspace: dprelease.Workspace, other: dprelease.Plan) -> None:
    look(workspace, plan())
    assert changed(workspace, other) == "measured"
    look(workspace, other)
    assert changed(workspace, plan()) == "measured"


def test_the_order_of_questions_is_where_only_some_are_answered(workspace: dprelease.Workspace) -> None:
    """Whoever saw the truth would put first what reaches the threshold."""

    def asked(*regions: str) -> dprelease.Plan:
        questions = [{"label": each, "where": [{"column": "region", "equals": each}]} for each in regions]
        return plan(statistics=[{"id": "n", "kind": "threshold", "threshold": 2, "questions": questions}])

    look(workspace, asked("n", "s"))
    assert changed(workspace, asked("n", "s")) == "nothing"
    assert changed(workspace, asked("s", "n")) == "measured"


# The three states


def test_nothing_was_looked_at(workspace: dprelease.Workspace) -> None:
    assert changed(workspace, plan()) == "nothing"
    workspace.plans.set_preview_policy("blind")
    look(workspace, plan())
    assert changed(workspace, plan(0.9)) == "nothing"


def test_what_was_looked_at_and_published_as_it_was(workspace: dprelease.Workspace) -> None:
    look(workspace, plan())
    sweep(workspace, plan(), 0.5, "0.50", looks=4)
    assert changed(workspace, plan()) == "nothing"


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("least", "most"), [("0.4", "0.5"), ("0.5", "0.500000001"), (0.1, 0.2), (0.6, 8)])
def test_another_epsilon_that_was_looked_at_is_a_choice_of_it(
    workspace: dprelease.Workspace, least: Any, most: Any, tmp_path: Path
) -> None:
    look(workspace, plan())
    sweep(workspace, plan(), least, most)
    told = workspace.plans.told_of_previews(plan())
    assert (told.changed, told.plan_changed_after) == ("budget", False)
    release = workspace.publish(plan())
    published = release.certificate
    assert dprelease.verify(release.write(tmp_path)).release.id == release.id
    assert published.previews == told
    assert any("only ε, shares or titles" in caveat for caveat in caveats(published))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("other", [plan(0.7), plan(max_rows=1), plan(statistics=bins(5))])
def test_what_follows_a_sweep_of_another_plan_is_published_and_verifies(
    workspace: dprelease.Workspace, other: dprelease.Plan, tmp_path: Path
) -> None:
    look(workspace, plan())
    sweep(workspace, other, 0.5, 0.7)
    release = workspace.publish(plan())
    assert release.certificate.previews.plan_changed_after
    assert release.certificate.previews.changed == ("budget" if other == plan(0.7) else "measured")
    assert dprelease.verify(release.write(tmp_path)).release.id == release.id


def test_a_look_at_another_table_of_the_same_people_counts(workspace: dprelease.Workspace) -> None:
    workspace.add_dataset("later", ROWS, population="people", columns=COLUMNS, unit_column="who")
    look(workspace, plan(dataset="later"))
    assert changed(workspace, plan()) == "measured"


def test_looks_after_a_plan_was_submitted_are_of_the_next_one(workspace: dprelease.Workspace) -> None:
    look(workspace, plan())
    first = workspace.plans.submit(plan())
    sweep(workspace, plan(), 0.1, 9)
    look(workspace, plan(statistics=bins(5)))
    assert changed(workspace, plan()) == "nothing"
    workspace.plans.return_plan(first, comment="Why so much?")
    assert changed(workspace, plan(0.2)) == "measured"


def test_what_an_earlier_version_noted_says_no_more_than_that_it_was_another_plan(tmp_path: Path) -> None:
    """Its events have no hash of what was measured."""
    home = tmp_path / "home"
    made = dprelease.Workspace.create(home)
    made.add_dataset("people", ROWS, columns=COLUMNS, unit_column="who", epsilon=10, unit="person")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("dprelease.store.previews.measured_of", lambda plan: None)
        look(made, plan())
    assert changed(made, plan()) == "nothing"
    assert changed(made, plan(0.6)) == "measured"


# What a reviewer is told


def told(workspace: dprelease.Workspace, wanted: dprelease.Plan) -> dict[str, Severity]:
    """What the check of looks says of a plan when it is submitted."""
    found = workspace.plans.review(workspace.plans.submit(wanted)).findings
    return {each.detail: each.severity for each in found if each.check is PlanCheck.AFTER_PREVIEW}


OTHERS: list[dict[str, Any]] = [
    {"id": "ages", "kind": "histogram", "column": "age", "bins": 5},
    {"id": "all", "kind": "count"},
    {"id": "costs", "kind": "mean", "column": "cost"},
]


def test_the_plan_that_was_looked_at_at_many_eps_is_serious_and_no_other_one(workspace: dprelease.Workspace) -> None:
    for tenths in range(1, 10):
        look(workspace, plan(tenths / 10, title="Swept"))
    assert told(workspace, plan(0.9, title="Swept")) == {"swept": Severity.SERIOUS}
    assert told(workspace, plan(0.2, title="Innocent", statistics=OTHERS)) == {}
    alike = plan(0.2, title="A cell alike", statistics=[STATISTICS[0], *OTHERS])
    assert told(workspace, alike) == {"shared": Severity.NOTICE}


def test_a_look_or_three_with_nothing_changed_since_are_a_notice(workspace: dprelease.Workspace) -> None:
    assert told(workspace, plan(0.9)) == {}
    for epsilon in (0.2, 0.2, 0.3):
        look(workspace, plan(epsilon))
    sweep(workspace, plan(0.3), 0.1, 0.8)
    found = workspace.plans.review(workspace.plans.submit(plan(0.3)))
    (told_of,) = (each for each in found.findings if each.check is PlanCheck.AFTER_PREVIEW)
    assert (told_of.detail, told_of.severity) == ("looked", Severity.NOTICE)
    assert told_of.about == {"count": "3", "low": "0.1", "high": "0.8"}
    assert [(each.title, each.least_nano, each.most_nano) for each in found.looks][-1][1:] == (10**8, 8 * 10**8)


@pytest.mark.parametrize(
    ("looked_at", "detail"),
    [
        (plan(statistics=bins(5)), "options"),
        (plan(where=[{"column": "day", "at_least": "2025-02-01"}]), "where"),
        (plan(columns={"age": {"type": "integer", "lower": 0, "upper": 60}}), "columns"),
        (plan(statistics=STATISTICS[:-1]), "statistics"),
    ],
)
def test_what_was_chosen_after_a_look_is_serious_and_named(
    workspace: dprelease.Workspace, looked_at: dprelease.Plan, detail: str
) -> None:
    look(workspace, looked_at)
    look(workspace, plan())
    assert told(workspace, plan())[detail] is Severity.SERIOUS


def test_further_questions_do_not_hide_what_was_looked_at(workspace: dprelease.Workspace) -> None:
    for tenths in range(1, 10):
        look(workspace, plan(tenths / 10, statistics=STATISTICS[:1]))
    among = plan(0.9, statistics=[*STATISTICS[:1], *OTHERS, *STATISTICS[1:3]])
    assert told(workspace, among) == {"statistics": Severity.SERIOUS, "swept": Severity.SERIOUS}


def elsewhere(workspace: dprelease.Workspace, wanted: dprelease.Plan) -> None:
    """A look that another copy of the ledger noted: its event is here, its plan is not."""
    looked_at = workspace.price(wanted).plan
    body = {"dataset": "people", "plan_hash": looked_at.hash, "measured": measured_of(looked_at)}
    with workspace._state.database.writing() as connection:
        append_within(connection, EventKind.PREVIEW_TAKEN, actor="ann", population="people", body=body)


def test_a_look_whose_plan_is_in_another_copy_is_told_by_its_hash_or_as_unknown(
    workspace: dprelease.Workspace,
) -> None:
    elsewhere(workspace, plan(0.9))
    assert told(workspace, plan(0.9)) == {"looked": Severity.NOTICE}
    found = workspace.plans.review(workspace.plans.submit(plan(0.9, title="Another hash")))
    assert [(each.title, each.own, each.least_nano) for each in found.looks] == [("", False, None)]
    assert [each.about for each in found.findings if each.detail == "elsewhere"] == [{"count": "1"}]
    assert told(workspace, plan(0.2, title="Innocent", statistics=OTHERS)) == {"elsewhere": Severity.NOTICE}


def test_how_cells_are_read_is_no_look_at_a_plan(workspace: dprelease.Workspace) -> None:
    workspace.datasets.reading("people")
    workspace.datasets.describe("people", {**COLUMNS, "age": {**COLUMNS["age"], "upper": 110}})
    assert told(workspace, plan()) == {}


# Who may, and what is refused


def test_what_is_no_look_is_refused_and_leaves_nothing(workspace: dprelease.Workspace) -> None:
    with pytest.raises(InputError, match="look"):
        sweep(workspace, plan(), 0.1, 0.5)
    look(workspace, plan())
    before = workspace.ledger.count()
    for least, most, looks in [(0.5, 0.4, 1), (0, 1, 1), (-1, 1, 1), ("inf", "inf", 1), (float("nan"), 1, 1)]:
        with pytest.raises(InputError, match=r"least|most"):
            sweep(workspace, plan(), least, most, looks)
    for looks in (0, -1, True, 1.5):
        with pytest.raises(InputError, match="looks"):
            sweep(workspace, plan(), 0.1, 0.5, looks)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="statistic"):
        workspace.plans.swept(plan(), statistic="nobody", least=0.1, most=0.5, looks=1)
    with pytest.raises(PlanError):
        sweep(workspace, plan(statistics=[{"id": "n", "kind": "mean", "column": "nobody"}]), 0.1, 0.5)
    for person in (REVIEWER, Actor("visitor", frozenset())):
        with pytest.raises(AccessError):
            workspace.plans.swept(plan(), statistic="n", least=0.1, most=0.5, looks=1, actor=person)
    assert workspace.ledger.count() == before
    workspace.plans.set_preview_policy("blind")
    with pytest.raises(InputError, match="previews"):
        sweep(workspace, plan(), 0.1, 0.5)


def test_sweeps_are_events_of_their_own_and_hold_no_value(workspace: dprelease.Workspace) -> None:
    look(workspace, plan())
    for number in range(3):
        sweep(workspace, plan(), "0.1", "0.5", looks=number + 1)
    told = [event.body for event in workspace.ledger.events("people") if event.kind == "preview_swept"]
    assert [body["looks"] for body in told] == [1, 2, 3]
    assert told[0] == {
        "dataset": "people",
        "plan_hash": workspace.price(plan()).plan.hash,
        "measured": measured_of(workspace.price(plan()).plan),
        "statistic": "n",
        "epsilon_nano_from": 100_000_000,
        "epsilon_nano_to": 500_000_000,
        "looks": 1,
    }
    assert workspace.ledger.verify() == workspace.ledger.count()


# Crashes

KILLED = """
import os, signal, sys
import dprelease
from dprelease.table.engine import Engine
from tests.workspace.test_previews import plan

def killed(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

Engine.answer = killed
dprelease.Workspace.open(sys.argv[1]).preview(plan(), draws=1)
"""


def test_a_look_is_in_the_ledger_before_a_row_is_read(tmp_path: Path) -> None:
    home = tmp_path / "home"
    made = dprelease.Workspace.create(home)
    made.add_dataset("people", ROWS, columns=COLUMNS, unit_column="who", epsilon=10, unit="person")
    died = subprocess.run([sys.executable, "-c", KILLED, str(home)], cwd=os.getcwd(), check=False)
    assert died.returncode == -signal.SIGKILL
    again = dprelease.Workspace.open(home)
    assert [event.kind for event in again.ledger.events("people")].count("preview_taken") == 1
    assert changed(again, plan(0.6)) == "budget"


# What a certificate may not say


@pytest.mark.parametrize(
    "forged",
    [
        {"changed": "budget", "taken": False},
        {"changed": "measured", "taken": False, "plan_changed_after": False},
        {"changed": "nothing", "taken": True, "plan_changed_after": True},
        {"changed": "measured", "taken": True, "plan_changed_after": False},
    ],
)
def test_contradictions_are_refused(forged: dict[str, Any]) -> None:
    from msgspec.structs import replace

    from dprelease.verdict.recompute import _check_previews

    told = dprelease.Workspace.in_memory()
    told.add_dataset("people", ROWS, columns=COLUMNS, unit_column="who", epsilon=10, unit="person")
    stated = told.plans.told_of_previews(plan())
    _check_previews(stated)
    with pytest.raises(IntegrityError, match="previews"):
        _check_previews(replace(stated, **forged))


def test_a_person_who_may_both_write_and_decide_is_still_told_of(workspace: dprelease.Workspace) -> None:
    both = Actor("ana", frozenset({Role.CURATOR, Role.REVIEWER}))
    workspace.preview(plan(), draws=1, actor=both)
    assert changed(workspace, plan(0.2)) == "budget"
