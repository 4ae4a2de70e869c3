"""A plan's second look: only what changed since, each line with its effect; and remarks until they are settled."""

from __future__ import annotations

from typing import Any

import pytest

import dprelease
from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Actor, Role
from dprelease.store.event import EventKind
from dprelease.workspace.compared import BaseKind, PlanChange
from tests.workspace.test_team import JONAS, MARIA, team

__all__ = ["team"]
EVA = Actor("eva", frozenset({Role.REVIEWER}))
TWENTY = [{"id": f"s{number:02d}", "kind": "histogram", "column": "age", "bins": 2 + number} for number in range(20)]


def planned(statistics: list[dict[str, Any]], *, upper: int = 100, epsilon: float = 0.5) -> dprelease.Plan:
    return dprelease.Plan.parse(
        {
            "dprelease": 1,
            "title": "Ages",
            "dataset": "people",
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon},
            "expected": {"rows": 10_000},
            "columns": {"age": {"type": "integer", "lower": 0, "upper": upper}},
            "statistics": statistics,
        }
    )


def with_bins(number: int, bins: int) -> list[dict[str, Any]]:
    return [{**each, "bins": bins} if each["id"] == f"s{number:02d}" else each for each in TWENTY]


def returned(team: dprelease.Workspace, plan: dprelease.Plan, **remarks: str) -> str:
    plan_id = team.plans.submit(plan, actor=MARIA)
    team.plans.return_plan(plan_id, comment="Please look again.", remarks=remarks, actor=JONAS)
    return plan_id


def on(changes: tuple[PlanChange, ...]) -> list[str]:
    return [change.on for change in changes]


def test_a_second_look_at_twenty_statistics_shows_only_what_changed_since(team: dprelease.Workspace) -> None:
    first = returned(team, planned(TWENTY), s07="Fewer bins.")
    again = team.plans.submit(planned(with_bins(7, 4), epsilon=0.4), actor=MARIA)
    found = team.plans.changes(again, actor=JONAS)
    assert found.base is not None
    assert (found.base.record.id, found.base.kind, found.base.by) == (first, BaseKind.RETURNED, "jonas")
    assert on(found.changes) == ["privacy.epsilon", "s07.bins"]
    assert found.unchanged == 19
    epsilon, bins = found.changes
    assert (bins.was, bins.now, bins.error_of) == (9, 4, "s07")
    assert epsilon.sure is not None
    assert [round(each, 3) for each in epsilon.sure] == [0.622, 0.599]


def test_the_effect_of_a_line_is_that_of_the_prices(team: dprelease.Workspace) -> None:
    mean = [{"id": "m", "kind": "mean", "column": "age"}]
    returned(team, planned(mean, upper=1000))
    again = team.plans.submit(planned(mean, upper=100), actor=MARIA)
    (bounds,) = team.plans.changes(again, actor=JONAS).changes
    assert (bounds.on, bounds.was, bounds.now, bounds.error_of) == ("columns.age.upper", 1000, 100, "m")
    assert bounds.error is not None
    was, now = bounds.error
    assert now.absolute == team.plans.price_of(again, actor=JONAS)["m"].error95
    assert was.absolute is not None
    assert now.absolute is not None
    assert was.absolute / now.absolute == pytest.approx(10, rel=0.05)


def test_an_added_statistic_tells_its_numbers_and_how_many_are_too_noisy(team: dprelease.Workspace) -> None:
    few = [{"id": "n", "kind": "count"}]
    returned(team, planned(few))
    sparse = {"id": "each", "kind": "histogram", "column": "age", "bins": 100, "weight": 0.001}
    again = team.plans.submit(planned([*few, sparse]), actor=MARIA)
    added = next(line for line in team.plans.changes(again, actor=JONAS).changes if line.statistic == "each")
    assert (added.field, added.was, added.numbers, added.too_noisy) == ("", None, 100, 100)
    removed = team.plans.submit(planned([{"id": "m", "kind": "mean", "column": "age"}]), actor=MARIA)
    lines = team.plans.changes(removed, since=again, actor=JONAS).changes
    assert {line.statistic for line in lines if line.now is None} == {"n", "each"}


def test_who_did_not_return_it_sees_what_changed_since_the_last_approval(team: dprelease.Workspace) -> None:
    before = team.plans.submit(planned([{"id": "n", "kind": "count"}], epsilon=0.1), actor=MARIA)
    team.plans.approve(before, actor=JONAS)
    returned(team, planned(TWENTY))
    again = team.plans.submit(planned(with_bins(7, 4)), actor=MARIA)
    found = team.plans.changes(again, actor=EVA)
    assert found.base is not None
    assert (found.base.kind, found.base.record.id) == (BaseKind.APPROVED, before)
    kinds = [base.kind for base in team.plans.bases(again, actor=EVA)]
    assert kinds == [BaseKind.APPROVED, BaseKind.RETURNED_BY_ANOTHER]


def test_a_first_plan_has_nothing_to_be_compared_with(team: dprelease.Workspace) -> None:
    plan_id = team.plans.submit(planned(TWENTY), actor=MARIA)
    assert team.plans.changes(plan_id, actor=JONAS).base is None
    assert team.plans.bases(plan_id, actor=JONAS) == []


def test_a_plan_follows_the_returned_one_that_is_most_like_it(team: dprelease.Workspace) -> None:
    other = returned(team, planned([{"id": "n", "kind": "count"}]))
    twenty = returned(team, planned(TWENTY))
    again = team.plans.submit(planned(with_bins(3, 9)), actor=MARIA)
    assert [each.id for each in team.plans.versions(again, actor=MARIA)] == [again, twenty]
    told = team.plans.submit(planned(with_bins(4, 30)), follows=other, actor=MARIA)
    assert [each.id for each in team.plans.versions(told, actor=MARIA)] == [told, other]
    unlike = team.plans.submit(planned([{"id": "m", "kind": "mean", "column": "age"}]), actor=MARIA)
    assert [each.id for each in team.plans.versions(unlike, actor=MARIA)] == [unlike]
    with pytest.raises(InputError, match="follows"):
        team.plans.submit(planned(with_bins(5, 30)), follows=twenty, actor=MARIA)


def test_remarks_travel_with_the_versions_until_they_are_settled(team: dprelease.Workspace) -> None:
    returned(team, planned(TWENTY), s07="Fewer bins.")
    again = team.plans.submit(planned(with_bins(7, 4)), actor=MARIA)
    whole, line = team.plans.remarks(again, actor=MARIA)
    assert (whole.on, whole.said.text, line.on, line.said.text) == ("", "Please look again.", "s07", "Fewer bins.")
    team.plans.answer(again, line.id, text="Four now.", actor=MARIA)
    asked = team.plans.remark(again, on="privacy.epsilon", text="Why so much?", actor=JONAS)
    settled = team.plans.settle(again, line.id, actor=JONAS)
    assert settled.settled is not None
    assert [answer.text for answer in settled.answers] == ["Four now."]
    team.plans.return_plan(again, comment="Once more.", actor=JONAS)
    third = team.plans.submit(planned(with_bins(7, 5)), actor=MARIA)
    found = team.plans.remarks(third, actor=EVA)
    assert [(each.on, each.is_open) for each in found] == [
        ("", True),
        ("s07", False),
        ("privacy.epsilon", True),
        ("", True),
    ]
    assert asked.id in {each.id for each in found}
    kinds = {event.kind for event in team.ledger.events(actor=JONAS)}
    assert {EventKind.PLAN_REMARKED, EventKind.REMARK_ANSWERED, EventKind.REMARK_SETTLED} <= kinds
    assert team.ledger.verify(actor=JONAS)


def test_the_author_settles_nothing_and_remarks_on_nothing_of_their_own(team: dprelease.Workspace) -> None:
    plan_id = team.plans.submit(planned(TWENTY), actor=MARIA)
    with pytest.raises(AccessError):
        team.plans.remark(plan_id, text="Fine.", actor=MARIA)
    said = team.plans.remark(plan_id, text="Why?", actor=JONAS)
    with pytest.raises(AccessError):
        team.plans.settle(plan_id, said.id, actor=MARIA)


def test_a_remark_is_on_a_line_that_there_is(team: dprelease.Workspace) -> None:
    plan_id = team.plans.submit(planned(TWENTY), actor=MARIA)
    for line in ("s07", "s07.bins", "columns.age.upper", "privacy.epsilon", ""):
        assert team.plans.remark(plan_id, on=line, text="Why?", actor=JONAS).on == line
    for line in ("s77", "nothing.at"):
        with pytest.raises(InputError, match="on"):
            team.plans.remark(plan_id, on=line, text="Why?", actor=JONAS)


def test_what_is_settled_takes_no_answer(team: dprelease.Workspace) -> None:
    plan_id = team.plans.submit(planned(TWENTY), actor=MARIA)
    said = team.plans.remark(plan_id, text="Why?", actor=JONAS)
    team.plans.settle(plan_id, said.id, actor=JONAS)
    with pytest.raises(InputError, match="settled"):
        team.plans.answer(plan_id, said.id, text="Because.", actor=MARIA)
    with pytest.raises(InputError, match="settled"):
        team.plans.settle(plan_id, said.id, actor=JONAS)
