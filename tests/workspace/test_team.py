"""Four eyes: who may decide what in a workspace of a team, and what an approval is good for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.errors import AccessError, InputError, InsufficientBudgetError, PlanError
from dprelease.model.actor import OWNER, PUBLIC, Actor, Role
from dprelease.store import refused
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from tests.workspace.test_publish import COLUMNS, ROWS, approved, plan

MARIA = Actor("maria", frozenset({Role.CURATOR, Role.REVIEWER}))
JONAS = Actor("jonas", frozenset({Role.CURATOR, Role.REVIEWER}))


@pytest.fixture
def team() -> dprelease.Workspace:
    """A population with ε = 1 that Maria asked for and Jonas approved, and a dataset."""
    made = dprelease.Workspace.in_memory()
    made.people.require_two_people()
    made.add_population("people", unit="person", neighbors="add_remove", epsilon=1, actor=MARIA)
    (request,) = made.populations.requests(actor=JONAS)
    made.populations.approve_request(request.id, actor=JONAS)
    made.add_dataset("people", ROWS, population="people", columns=COLUMNS, actor=MARIA)
    return made


def submitted(team: dprelease.Workspace, epsilon: float = 0.3, **changes: Any) -> str:
    return team.plans.submit(plan(epsilon, **changes), actor=MARIA)


def test_nobody_approves_their_own_plan(team: dprelease.Workspace) -> None:
    plan_id = submitted(team)
    with pytest.raises(AccessError, match="maria"):
        team.plans.approve(plan_id, actor=MARIA)
    with pytest.raises(AccessError, match="needs an approval"):
        team.publish(plan_id, actor=MARIA)
    team.plans.approve(plan_id, comment="Fine.", actor=JONAS)
    release = team.publish(plan_id, actor=MARIA)
    assert release.certificate.approval.workspace == "team"
    assert "Two people decided" in caveats(release.certificate)[-1]
    (charge,) = team.ledger.events(kinds=[EventKind.CHARGE], actor=JONAS)
    assert charge.body["approver"] == "jonas"


def test_a_team_publishes_a_plan_that_another_person_approved(team: dprelease.Workspace) -> None:
    wanted = plan(0.3)
    with pytest.raises(AccessError, match="approval"):
        team.publish(wanted, actor=MARIA)
    (record,) = team.plans.find(actor=MARIA)
    assert record.state == "submitted"
    team.plans.approve(record.id, actor=JONAS)
    assert team.publish(wanted, actor=MARIA).certificate.title == "Ages"


def test_a_solo_workspace_says_so_on_the_certificate() -> None:
    alone = dprelease.Workspace.in_memory()
    alone.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1)
    release = alone.publish(approved(alone, plan()))
    assert release.certificate.approval.workspace == "solo"
    assert "solo workspace" in caveats(release.certificate)[-1]


def test_a_team_needs_to_know_who_acts_and_stays_a_team(team: dprelease.Workspace) -> None:
    with pytest.raises(AccessError, match="who acts"):
        team.populations.find()
    assert team.releases.find() == []
    team.people.require_two_people(actor=OWNER)
    assert team.mode == "team"
    assert len(team.ledger.events(kinds=[EventKind.MODE_CHANGED], actor=MARIA)) == 1


def test_a_returned_plan_is_changed_and_submitted(team: dprelease.Workspace) -> None:
    plan_id = submitted(team)
    with pytest.raises(InputError, match="comment"):
        team.plans.return_plan(plan_id, comment=" ", actor=JONAS)
    assert team.plans.return_plan(plan_id, comment="Too much for one table.", actor=JONAS).state == "returned"
    with pytest.raises(InputError, match="returned"):
        team.plans.approve(plan_id, actor=JONAS)
    with pytest.raises(AccessError):
        team.publish(plan_id, actor=MARIA)
    with pytest.raises(PlanError, match="Too much for one table"):
        submitted(team)
    changed = team.plans.submit(plan(0.2), actor=MARIA)
    assert team.plans.approve(changed, actor=JONAS).state == "approved"
    assert [each.decision for each in team.plans.decisions(plan_id, actor=MARIA)] == ["returned"]
    assert team.plans.decisions(plan_id, actor=MARIA)[0].comment == "Too much for one table."


def other_columns(team: dprelease.Workspace) -> None:
    team.datasets.describe("people", {**COLUMNS, "age": {"type": "integer", "lower": 18, "upper": 100}}, actor=MARIA)


def other_cap(team: dprelease.Workspace) -> None:
    team.populations.raise_cap("people", epsilon=2, reason="more work", actor=MARIA)
    team.populations.approve_request(team.populations.requests(actor=JONAS)[-1].id, actor=JONAS)


@pytest.mark.parametrize(("change", "word"), [(other_columns, "columns"), (other_cap, "cap")])
def test_an_approval_lapses_when_what_it_was_for_changes(
    team: dprelease.Workspace, change: Callable[[dprelease.Workspace], None], word: str
) -> None:
    plan_id = submitted(team)
    team.plans.approve(plan_id, actor=JONAS)
    assert team.plans.lapse(plan_id, actor=MARIA) is None
    change(team)
    assert word in str(team.plans.lapse(plan_id, actor=MARIA) or "")
    with pytest.raises(AccessError, match=word):
        team.publish(plan_id, actor=MARIA)
    assert team.populations.budget("people", actor=MARIA).charges == 0
    team.plans.approve(plan_id, actor=JONAS)
    assert team.publish(plan_id, actor=MARIA).id


def test_other_rows_need_the_plan_again(team: dprelease.Workspace) -> None:
    plan_id = submitted(team)
    team.plans.approve(plan_id, actor=JONAS)
    team.datasets.replace_rows("people", ROWS.iloc[::-1], same=True, actor=MARIA)
    with pytest.raises(PlanError, match="replaced"):
        team.publish(plan_id, actor=MARIA)
    assert submitted(team) != plan_id


def test_an_approval_is_no_promise_of_budget(team: dprelease.Workspace) -> None:
    first, second = submitted(team, 0.6), submitted(team, 0.5)
    for plan_id in (first, second):
        team.plans.approve(plan_id, actor=JONAS)
    team.publish(first, actor=MARIA)
    with pytest.raises(InsufficientBudgetError):
        team.publish(second, actor=MARIA)
    assert team.ledger.events(actor=JONAS)[-1].kind == "spend_refused"


def test_in_a_team_an_approval_is_good_for_one_release(team: dprelease.Workspace) -> None:
    plan_id = submitted(team)
    team.plans.approve(plan_id, actor=JONAS)
    first = team.publish(plan_id, actor=MARIA)
    assert team.publish(plan_id, actor=MARIA).id == first.id
    with pytest.raises(AccessError, match="used"):
        team.publish(plan_id, again=True, actor=MARIA)
    team.plans.approve(plan_id, actor=JONAS)
    assert team.publish(plan_id, again=True, actor=MARIA).id != first.id


def test_what_one_person_approved_alone_needs_a_second_in_a_team() -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, unit="person")
    plan_id = approved(workspace, plan())
    workspace.people.require_two_people()
    with pytest.raises(AccessError, match="by its author"):
        workspace.publish(plan_id, actor=OWNER)
    workspace.plans.approve(plan_id, actor=JONAS)
    assert workspace.publish(plan_id, actor=OWNER).id


def test_a_new_population_takes_two(team: dprelease.Workspace) -> None:
    asked = {"unit": "person", "neighbors": "add_remove", "epsilon": 1}
    team.add_population("staff", overlaps={"people": "some"}, earlier_releases=["2019"], actor=MARIA, **asked)
    assert [each.name for each in team.populations.find(actor=MARIA)] == ["people"]
    with pytest.raises(InputError, match="waits for the approval"):
        team.add_dataset("staff", ROWS, population="staff", columns=COLUMNS, actor=MARIA)
    request = team.populations.requests(actor=JONAS)[-1]
    assert (request.author, request.state, request.body["overlaps"]) == ("maria", "open", {"people": "some"})
    with pytest.raises(AccessError):
        team.populations.approve_request(request.id, actor=MARIA)
    team.populations.approve_request(request.id, comment="Agreed.", actor=JONAS)
    assert team.populations.overlaps("staff", actor=JONAS) == {"people": "some"}
    assert team.populations.earlier_releases("staff", actor=JONAS) == ["2019"]
    with pytest.raises(InputError, match="was approved"):
        team.populations.return_request(request.id, comment="Late.", actor=JONAS)
    assert team.ledger.verify(actor=JONAS) == len(team.ledger.events(actor=JONAS))


def test_a_request_is_made_once(team: dprelease.Workspace) -> None:
    asked = {"unit": "person", "neighbors": "add_remove", "epsilon": 1}
    team.add_population("staff", actor=MARIA, **asked)
    with pytest.raises(InputError, match="waits for a second person"):
        team.add_population("staff", actor=JONAS, **asked)
    with pytest.raises(InputError, match="takes a second person"):
        team.add_dataset("guests", ROWS, columns=COLUMNS, epsilon=1, actor=MARIA)
    assert len(team.populations.requests(actor=JONAS)) == 2


def test_a_returned_request_changes_nothing(team: dprelease.Workspace) -> None:
    team.populations.raise_cap("people", epsilon=5, reason="more", actor=MARIA)
    request = team.populations.return_request(
        team.populations.requests(actor=JONAS)[-1].id, comment="Why?", actor=JONAS
    )
    assert (request.state, request.comment) == ("returned", "Why?")
    assert team.populations.budget("people", actor=JONAS).cap.epsilon == 1
    assert team.ledger.events(actor=JONAS)[-1].kind == EventKind.REQUEST_RETURNED


def test_reviewers_never_see_true_values(team: dprelease.Workspace) -> None:
    reviewer = Actor("eva", frozenset({Role.REVIEWER}))
    with pytest.raises(AccessError):
        team.preview(plan(), actor=reviewer)
    for actor in (PUBLIC, Actor("c", frozenset({Role.CURATOR}))):
        with pytest.raises(AccessError):
            team.plans.approve(submitted(team), actor=actor)


def test_people_are_invited_by_name_with_roles(team: dprelease.Workspace) -> None:
    token = team.people.invite("eva", ["reviewer"], actor=OWNER)
    session = team.people.sign_in(token)
    assert team.people.session_actor(session) == team.people.get("eva") == Actor("eva", frozenset({Role.REVIEWER}))
    with pytest.raises(AccessError):
        team.people.invite("mallory", ["administrator"], actor=MARIA)
    with pytest.raises(InputError, match="roles"):
        team.people.invite("eva", ["king"], actor=OWNER)
    with pytest.raises(InputError, match="eva"):
        team.people.get("ewa")


def rows(team: dprelease.Workspace, heading: str) -> list[tuple[str, ...]]:
    sections = team.ledger.audit_report("people", actor=JONAS).sections
    (section,) = [each for each in sections if each.heading == heading]
    return [tuple(row) for row in section.rows]


def test_the_audit_report_tells_who_agreed_to_the_first_cap_and_how_they_sign_in(team: dprelease.Workspace) -> None:
    (first,) = rows(team, "Caps and periods")
    assert first[1:3] == ("maria", "jonas, without a second factor")
    team.plans.approve(submitted(team), comment="Wide enough.", actor=JONAS)
    ledger_event(team, EventKind.SECOND_FACTOR_ON, "jonas")
    team.plans.approve(submitted(team, 0.2), comment="Fine too.", actor=JONAS)
    ledger_event(team, EventKind.PERSON_RESET, "jonas")
    team.plans.approve(submitted(team, 0.1), actor=JONAS)
    told = [(row[1], row[4]) for row in rows(team, "Plans and decisions") if row[1].startswith("jonas")]
    assert told == [
        ("jonas, without a second factor", "Wide enough."),
        ("jonas, with a second factor", "Fine too."),
        ("jonas, without a second factor", ""),
    ]
    assert [row[1:] for row in rows(team, "Accounts reset")] == [("workspace", "jonas")]


def ledger_event(team: dprelease.Workspace, kind: EventKind, name: str) -> None:
    with team._state.database.writing() as connection:
        append_within(connection, kind, actor="workspace", body={"name": name})


def test_refused_approvals_are_told_once_a_day(team: dprelease.Workspace) -> None:
    plan_id, large = submitted(team), submitted(team, 0.9)
    reader = Actor("carla", frozenset({Role.CURATOR}))
    team.publish(approved_by_jonas(team, 0.2), actor=MARIA)
    for _ in range(3):
        with pytest.raises(AccessError):
            team.plans.approve(plan_id, actor=MARIA)
        with pytest.raises(AccessError):
            team.plans.approve(plan_id, actor=reader)
        with pytest.raises(InsufficientBudgetError):
            team.plans.approve(large, actor=JONAS)
    for stranger in (PUBLIC, Actor("nobody")):
        with pytest.raises(AccessError):
            team.plans.approve(plan_id, actor=stranger)
    with pytest.raises(AccessError):
        team.plans.approve("no-such-plan", actor=reader)
    assert [(row[1], row[2], row[3]) for row in rows(team, "Refused attempts")] == [
        ("maria", plan_id, "approval of their own"),
        ("carla", plan_id, "approval without the role of a reviewer"),
        ("jonas", large, "approval over the cap"),
    ]


def approved_by_jonas(team: dprelease.Workspace, epsilon: float) -> str:
    plan_id = submitted(team, epsilon)
    team.plans.approve(plan_id, actor=JONAS)
    return plan_id


def test_a_refused_approval_of_a_first_cap_is_told(team: dprelease.Workspace) -> None:
    team.add_population("others", unit="person", neighbors="add_remove", epsilon=1, actor=MARIA)
    (request,) = [each for each in team.populations.requests(actor=JONAS) if each.state == "open"]
    with pytest.raises(AccessError):
        team.populations.approve_request(request.id, actor=MARIA)
    team.populations.approve_request(request.id, actor=JONAS)
    sections = team.ledger.audit_report("others", actor=JONAS).sections
    (found,) = [each for each in sections if each.heading == "Refused attempts"]
    assert [row[1:4] for row in found.rows] == [("maria", f"request {request.id}", "approval of their own")]


def test_who_tries_often_does_not_fill_the_ledger(team: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refused, "MOST", 2)
    for plan_id in [submitted(team, epsilon) for epsilon in (0.1, 0.2, 0.3, 0.4)]:
        with pytest.raises(AccessError):
            team.plans.approve(plan_id, actor=MARIA)
    assert len(team.ledger.events(kinds=[EventKind.ATTEMPT_REFUSED], actor=JONAS)) == 2
