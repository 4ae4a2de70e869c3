"""The same people in two populations have two budgets: who registers a table is asked, and a review says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import AccessError, InputError, PlanError
from dprelease.model.actor import Actor, Role
from dprelease.model.policy import PlanCheck
from dprelease.words.language import speaking
from dprelease.workspace.checks import Severity
from dprelease.workspace.overlaps import InCommon
from tests.workspace.test_publish import approved

COLUMNS = {"age": {"type": "integer", "lower": 0, "upper": 100}}
SAID: dict[str, Any] = {"encoding": "utf-8", "delimiter": ",", "header": 1, "units": False}
ADULTS: dict[str, Any] = {"unit": "person", "neighbors": "add_remove", "epsilon": 1}

ANA, BEN, EVA, KIM = (
    Actor("ana", frozenset({Role.CURATOR})),
    Actor("ben", frozenset({Role.REVIEWER})),
    Actor("eva", frozenset({Role.ADMINISTRATOR})),
    Actor("kim", frozenset({Role.CURATOR, Role.ADMINISTRATOR})),
)


def visits(folder: Path, name: str = "visits", people: range = range(60)) -> Path:
    path = folder / f"{name}.csv"
    path.write_text("pid,age\n" + "".join(f"{person},{person}\n" for person in people))
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> dprelease.Workspace:
    """Patients with a table, and guests and staff without."""
    made = dprelease.Workspace.create(tmp_path / "home")
    for name in ("patients", "guests", "staff"):
        made.add_population(name, **ADULTS)
    add(made, "visits", tmp_path, "patients")
    return made


def add(workspace: dprelease.Workspace, name: str, folder: Path, population: str, **more: Any) -> None:
    workspace.add_dataset(name, visits(folder), population=population, unit_column="pid", columns=COLUMNS, **more)


def asked(dataset: str) -> dprelease.Plan:
    return dprelease.Plan.parse(
        {
            "dprelease": 1,
            "title": "Ages",
            "dataset": dataset,
            "privacy": {"unit": {"column": "pid", "max_rows": 1}, "neighbors": "add_remove", "epsilon": 0.5},
            "expected": {"rows": 1000},
            "statistics": [{"id": "n", "kind": "count"}],
        }
    )


def told(workspace: dprelease.Workspace, dataset: str, actor: Actor | None = None) -> list[tuple[Severity, str]]:
    reviewed = workspace.plans.review(workspace.plans.submit(asked(dataset), actor=actor), actor=actor)
    return [(each.severity, each.about["others"]) for each in reviewed.findings if each.check is PlanCheck.OVERLAPS]


def test_an_unanswered_question_is_serious_in_the_review_of_either_and_named(
    workspace: dprelease.Workspace, tmp_path: Path
) -> None:
    assert told(workspace, "visits") == [], "who has no table spends nothing on anybody"
    add(workspace, "guestvisits", tmp_path, "guests")
    assert told(workspace, "guestvisits") == [(Severity.SERIOUS, "patients")]
    assert told(workspace, "visits") == [(Severity.SERIOUS, "guests")]
    workspace.populations.attest_overlap("patients", "guests", "same")
    findings = workspace.plans.review(workspace.plans.submit(asked("visits"))).findings
    assert [(each.detail, each.about["others"]) for each in findings] == [("same", "guests")]
    workspace.populations.attest_overlap("patients", "guests", "some")
    assert told(workspace, "visits") == told(workspace, "guestvisits") == []


def test_a_policy_may_require_the_answer(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    (tmp_path / "home" / "policy.yaml").write_text("dprelease: 1\nrequired: [overlaps]\n")
    add(workspace, "guestvisits", tmp_path, "guests")
    with pytest.raises(PlanError, match="overlaps"):
        approved(workspace, asked("guestvisits"))


def test_of_each_population_with_a_table_it_is_asked_whatever_is_in_it(
    workspace: dprelease.Workspace, tmp_path: Path
) -> None:
    assert workspace.populations.open_overlaps("guests") == ["patients"]
    assert workspace.populations.open_overlaps("not-registered-yet") == ["patients"]
    assert workspace.populations.open_overlaps("patients") == []
    add(workspace, "guestvisits", tmp_path, "guests", overlaps={"patients": "none"})
    assert workspace.populations.overlaps("guests") == {"patients": "none", "staff": None}
    assert workspace.populations.open_overlaps("guests") == []
    assert workspace.populations.open_overlaps("staff") == ["guests", "patients"]
    workspace.datasets.delete_table("guestvisits")
    assert workspace.populations.open_overlaps("staff") == ["guests", "patients"], "what was released of it stays"


@pytest.mark.parametrize(
    ("overlaps", "why"),
    [
        ({"patients": "same"}, "register the table with population patients"),
        ({"patients": "perhaps"}, "overlaps.patients"),
        ({"guests": "none"}, "another population"),
        ({"nobody": "none"}, "registered"),
    ],
)
def test_the_same_people_are_one_population_and_nothing_is_registered_as_two(
    workspace: dprelease.Workspace, tmp_path: Path, overlaps: dict[str, str], why: str
) -> None:
    with pytest.raises(InputError, match=why):
        add(workspace, "guestvisits", tmp_path, "guests", overlaps=overlaps)
    assert [each.name for each in workspace.datasets.find()] == ["visits"]
    assert workspace.populations.overlaps("guests") == {"patients": None, "staff": None}
    assert len(list((tmp_path / "home").rglob("*.parquet"))) == 1


@pytest.fixture
def team(workspace: dprelease.Workspace, tmp_path: Path) -> dprelease.Workspace:
    """Where ana attested, with a table of the guests, that none of the patients is a guest."""
    workspace.people.require_two_people()
    add(workspace, "guestvisits", tmp_path, "guests", overlaps={"patients": "none"}, actor=ANA)
    return workspace


def test_in_a_team_an_administrator_confirms_that_nobody_is_in_both(team: dprelease.Workspace, tmp_path: Path) -> None:
    (request,) = team.populations.requests(actor=EVA)
    assert (request.kind, request.population, request.body["other"]) == ("overlap", "guests", "patients")
    assert team.populations.overlaps("guests", actor=ANA)["patients"] is None
    plan_id = team.plans.submit(asked("guestvisits"), actor=ANA)
    findings = team.plans.review(plan_id, actor=BEN).findings
    waiting = [(each.severity, each.detail) for each in findings if each.check is PlanCheck.OVERLAPS]
    assert waiting == [(Severity.SERIOUS, "waiting")]
    assert team.populations.open_overlaps("patients", actor=ANA) == [], "it is answered, and asked no more"
    team.populations.attest_overlap("patients", "guests", "none", actor=ANA)
    assert len(team.populations.requests(actor=EVA)) == 1, "and confirmed once"
    for actor in (ANA, BEN):
        with pytest.raises(AccessError):
            team.populations.confirm_overlap(request.id, actor=actor)
    with pytest.raises(InputError, match="overlap"):
        team.populations.approve_request(request.id, actor=BEN)
    team.populations.confirm_overlap(request.id, comment="Asked at both desks.", actor=EVA)
    assert team.populations.overlaps("guests", actor=ANA)["patients"] == "none"
    assert told(team, "visits", ANA) == []
    (event,) = team.ledger.events(kinds=["overlap_attested"], actor=ANA)
    assert (event.actor, event.body["approver"]) == ("ana", "eva")
    assert team.ledger.verify(actor=ANA)
    rows = [row for each in team.ledger.audit_report("guests", actor=BEN).sections for row in each.rows]
    assert ("patients", "none", "ana", "eva") in rows
    assert ("staff", "not attested", "", "") in rows


def test_nobody_confirms_their_own_word_and_what_is_declined_or_overtaken_stays_open(
    team: dprelease.Workspace,
) -> None:
    (request,) = team.populations.requests(actor=EVA)
    with pytest.raises(InputError, match="comment"):
        team.populations.confirm_overlap(request.id, approve=False, actor=EVA)
    team.populations.confirm_overlap(request.id, approve=False, comment="They share a desk.", actor=EVA)
    assert told(team, "visits", ANA) == [(Severity.SERIOUS, "guests")]
    team.populations.attest_overlap("guests", "patients", "none", actor=KIM)
    again = team.populations.requests(actor=EVA)[-1]
    with pytest.raises(AccessError, match="kim"):
        team.populations.confirm_overlap(again.id, actor=KIM)
    team.populations.attest_overlap("patients", "guests", "some", actor=ANA)
    with pytest.raises(InputError, match="attested"):
        team.populations.confirm_overlap(again.id, actor=EVA)
    assert team.populations.overlaps("guests", actor=ANA)["patients"] == "some"


def in_common(workspace: dprelease.Workspace, actor: Actor | None = None) -> list[tuple[str, str, str]]:
    found = workspace.populations.compare_rows("guests", "patients", actor=actor)
    return [(each.dataset, each.other, each.in_common.value) for each in found]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("people", "expected"),
    [
        (range(60), InCommon.FILE),
        (range(1, 61), InCommon.MOST),
        (range(20), InCommon.MOST),
        (range(19), InCommon.FEW),
        (range(41, 100), InCommon.FEW),
        (range(59, 200), InCommon.FEW),
        (range(60, 120), InCommon.FEW),
        (range(0), InCommon.UNKNOWN),
    ],
    ids=["same", "one-other", "twenty", "nineteen", "fewer-than-twenty", "one-person", "nobody", "empty"],
)
def test_an_administrator_is_told_coarsely_what_rows_have_in_common(
    workspace: dprelease.Workspace, tmp_path: Path, people: range, expected: InCommon
) -> None:
    table = visits(tmp_path, "others", people)
    workspace.add_dataset("g", table, population="guests", unit_column="pid", columns=COLUMNS)
    assert in_common(workspace) == [("g", "visits", expected)]
    assert in_common(workspace) == [("g", "visits", expected)]
    events = workspace.ledger.events(kinds=["overlap_compared"])
    assert [(each.population, each.body) for each in events] == [("guests", {"other": "patients"})]


def test_half_of_the_units_is_told_and_fewer_are_not(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    for name, people, expected in (("half", range(30, 90), "most"), ("less", range(31, 91), "few")):
        table = visits(tmp_path, name, people)
        workspace.add_dataset(name, table, population="guests", unit_column="pid", columns=COLUMNS)
        assert (name, "visits", expected) in in_common(workspace)


def test_deleted_rows_and_rows_that_nothing_identifies_cannot_be_compared(
    workspace: dprelease.Workspace, tmp_path: Path
) -> None:
    workspace.add_dataset("g", visits(tmp_path, "others", range(5, 60)), population="guests", columns=COLUMNS)
    assert in_common(workspace) == [("g", "visits", "unknown")]
    add(workspace, "same", tmp_path, "guests")
    assert ("same", "visits", "file") in in_common(workspace)
    workspace.datasets.delete_table("same")
    assert ("same", "visits", "unknown") in in_common(workspace), "the digest went with its rows"
    assert [(each.population, each.other, each.overlap) for each in workspace.populations.pairs()] == [
        ("guests", "patients", None)
    ]
    workspace.populations.attest_overlap("guests", "patients", "some")
    assert workspace.populations.pairs() == []


def everything(folder: Path, people: range, actor: Actor) -> tuple[list[object], list[tuple[str, str, str]]]:
    """All that somebody of a blind team is shown when a table of guests is registered and compared; then the result."""
    made = dprelease.Workspace.create(folder / "home")
    for name in ("patients", "guests"):
        made.add_population(name, **ADULTS)
    add(made, "visits", folder, "patients")
    made.people.require_two_people()
    made.plans.set_preview_policy("blind", actor=EVA)
    table = visits(folder, "others", people)
    said = {"reading": SAID, "written": {"decimal": "."}, "overlaps": {"patients": "none"}, "actor": ANA}
    made.add_dataset("g", table, population="guests", unit_column="pid", columns=COLUMNS, **said)
    result = in_common(made, EVA)
    plan_id = made.plans.submit(asked("g"), actor=ANA)
    shown: list[object] = [
        (each.kind, each.population, {key: value for key, value in each.body.items() if "version" not in key})
        for each in made.ledger.events(actor=actor)
        if each.kind not in ("plan_submitted", "workspace_created")
    ]
    shown += [made.populations.overlaps("guests", actor=actor), made.plans.review(plan_id, actor=actor).findings]
    shown += [[(each.id, each.kind, each.body, each.state) for each in made.populations.requests(actor=actor)]]
    with speaking("en"):
        sections = made.ledger.audit_report("guests", actor=actor).sections
    shown += [each.rows for each in sections if each.heading == "Other populations"]
    with pytest.raises(AccessError) as refused:
        made.populations.compare_rows("guests", "patients", actor=actor)
    return [*shown, str(refused.value)], result


@pytest.mark.parametrize("actor", [ANA, BEN, KIM], ids=lambda actor: actor.name)
def test_in_a_blind_team_nothing_that_makers_and_deciders_of_plans_see_depends_on_whether_rows_are_the_same(
    tmp_path: Path, actor: Actor
) -> None:
    told = []
    for name, people in (("same", range(60)), ("other", range(60, 120))):
        (tmp_path / name).mkdir()
        told.append(everything(tmp_path / name, people, actor))
    assert told[0][0] == told[1][0]
    assert [each[1] for each in told] == [[("g", "visits", "file")], [("g", "visits", "few")]]
