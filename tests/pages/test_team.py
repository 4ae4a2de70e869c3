"""Where a decision takes two people: plans and budgets on their way from one to the other, on the screen."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import pandas
import pytest

from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.store.plans import PlanState
from dprelease.ui.kit.phrases import day
from dprelease.ui.screens import SCREENS
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import (
    COLUMNS,
    PLAN,
    TABLE,
    Opener,
    SignIn,
    arrived,
    choose,
    dialog,
    html,
    in_hand,
    labels,
    press,
    published,
    words,
    write,
)
from tests.pages.deciding import can, decide, see

ANN = Actor("ann", frozenset({Role.CURATOR}))
BEN = Actor("ben", frozenset({Role.REVIEWER}))
BOTH = Actor("cleo", frozenset({Role.CURATOR, Role.REVIEWER}))
ADMINISTRATOR = Actor("dan", frozenset({Role.ADMINISTRATOR}))
SPEND = say("publish_button", epsilon=1)


@pytest.fixture
def team(small: Workspace) -> Workspace:
    """A small workspace in which decisions take two people."""
    small.people.require_two_people()
    return small


def submitted(workspace: Workspace, author: Actor = ANN, **changes: Any) -> str:
    return workspace.plans.submit(Plan.parse({**PLAN, **changes}), actor=author)


# A plan


@pytest.mark.full
def test_a_plan_goes_from_its_author_to_a_reviewer_and_back(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in(ANN)
    page = dialog(visit("workbench", state=in_hand()), "publish")
    assert WORDS["publish_submit_text"] in words(page)
    assert WORDS["publish_who_team"] in words(page)
    assert SPEND not in labels(page, "button")
    press(page, WORDS["publish_submit"])
    assert say("publish_submitted", title="Small") in words(page)
    (record,) = team.plans.find(actor=ANN)
    assert (record.state, record.author) == (PlanState.SUBMITTED, "ann")
    assert say("publish_waits", author="ann", on=day(record.created)) in words(page)
    assert not {SPEND, WORDS["publish_submit"]} & set(labels(page, "button"))

    sign_in(BEN)
    reviewing = see(visit("review"), "whole")
    assert "ε = 1, δ = 0 per person (add or remove one person; at most 2 rows used of each person)." in words(reviewing)
    assert "Spent: ε = 0, δ = 0 of the cap of ε = 3, δ = 0" in words(reviewing)
    for statistic in ("n", "ages", "mean_age"):
        assert re.search(rf'<th scope="row"[^>]*><bdi>{statistic}</bdi></th>', html(reviewing))
    decide(reviewing, "approve", "Fine by me.")
    assert say("review_approved", title="Small") in words(reviewing)
    assert WORDS["review_nothing"] in words(reviewing)

    sign_in(ANN)
    page = dialog(visit("workbench", state=in_hand()), "publish")
    (decision,) = team.plans.decisions(record.id, actor=ANN)
    assert say("publish_approved", name="ben", on=day(decision.at)) in words(page)
    assert "Fine by me." in words(page)
    published(page)
    assert say("publish_done", title="Small") in words(page)
    assert team.populations.budget("few", actor=ANN).charges == 1


@pytest.mark.full
def test_a_returned_plan_shows_why_and_is_not_submitted_unchanged(
    team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    plan_id = submitted(team)
    sign_in(BEN)
    page = decide(visit("review"), "return")
    assert WORDS["review_needs_comment"] in words(page), "a comment is needed"
    assert team.plans.decisions(plan_id, actor=BEN) == []
    decide(page, "return", "Too many bins.")
    assert say("review_returned", title="Small", author="ann") in words(page)

    sign_in(ANN)
    page = dialog(visit("workbench", state=in_hand()), "publish")
    assert "Too many bins." in words(page)
    assert SPEND not in labels(page, "button")
    assert not {SPEND, WORDS["publish_submit"]} & set(labels(page, "button"))
    assert team.plans.find(actor=ANN)[0].state is PlanState.RETURNED


@pytest.mark.full
def test_a_lapsed_approval_says_why_to_both(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = submitted(team)
    team.plans.approve(plan_id, actor=BEN)
    team.populations.raise_cap("few", epsilon=4, reason="Agreed.", actor=ANN)
    team.populations.approve_request(1, actor=BEN)
    reason = team.plans.lapse(plan_id, actor=ANN)
    assert reason is not None
    assert "cap" in str(reason)
    sign_in(ANN)
    page = dialog(visit("workbench", state=in_hand()), "publish")
    assert say("publish_lapsed", reason=reason) in words(page)
    assert not {SPEND, WORDS["publish_submit"]} & set(labels(page, "button"))
    sign_in(BEN)
    page = visit("review")
    assert say("review_lapsed", reason=reason) in words(page)
    decide(page, "approve")
    assert team.plans.lapse(plan_id, actor=ANN) is None
    sign_in(ANN)
    published(visit("workbench", state=in_hand()))
    assert team.populations.budget("few", actor=ANN).charges == 1


def test_an_approval_is_good_for_one_release(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = submitted(team)
    team.plans.approve(plan_id, actor=BEN)
    team.publish(plan_id, actor=ANN)
    sign_in(ANN)
    page = dialog(visit("workbench", state=in_hand()), "publish")
    assert say("publish_already", epsilon=1) in words(page)
    assert WORDS["publish_again"] not in labels(page, "button"), "a second draw takes another approval"

    sign_in(BEN)
    reviewing = visit("review")
    assert WORDS["review_nothing"] in words(reviewing)
    choose(reviewing, WORDS["review_again_plan"], plan_id)
    assert not can(reviewing, "return"), "what is published cannot be returned"
    decide(reviewing, "approve")
    assert say("review_approved", title="Small") in words(reviewing)

    sign_in(ANN)
    page = press(dialog(visit("workbench", state=in_hand()), "publish"), WORDS["publish_again"])
    write(page, say("publish_again_confirm", title="Small", epsilon=1), "Small")
    arrived(page, say("publish_again_button", epsilon=1))
    assert team.populations.budget("few", actor=ANN).charges == 2
    assert len(team.releases.find()) == 2


def test_nobody_decides_on_their_own_plan(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    submitted(team, BOTH)
    team.populations.raise_cap("few", epsilon=4, reason="Agreed.", actor=BOTH)
    sign_in(BOTH)
    page = visit("review")
    assert WORDS["review_own"] in words(page)
    assert not can(page, "approve")
    assert not can(page, "return")
    press(page, WORDS["review_next"])
    assert WORDS["review_own_request"] in words(page)
    assert not can(page, "approve")
    assert not can(page, "return")


def test_in_a_solo_workspace_one_person_decides(small: Workspace, visit: Opener) -> None:
    small.plans.submit(Plan.parse(PLAN))
    decide(visit("review"), "approve")
    assert small.plans.find()[0].state is PlanState.APPROVED


def test_a_review_shows_what_an_approval_is_bound_to_and_how_often_was_previewed(
    team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    submitted(team)
    team.preview(Plan.parse(PLAN), actor=ANN)
    team.datasets.reading("small", actor=ANN)
    sign_in(BEN)
    page = see(visit("review"), "whole")
    (record,) = team.plans.find(actor=BEN)
    for part in (
        record.plan_hash,
        say("review_bound_rows_text", version=record.dataset_version),
        say("declared_columns", 2, count=2),
        say("unit_column", column="pid"),
        WORDS["review_bound_once"],
        say("review_previews", 2, count=2),
    ):
        assert part in words(page)


def test_a_plan_for_replaced_rows_can_only_be_returned(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    submitted(team)
    team.datasets.replace_rows("small", pandas.DataFrame({"pid": ["a"], "age": ["3"], "region": ["n"]}), actor=ANN)
    sign_in(BEN)
    page = visit("review")
    assert say("review_stale", dataset="small") in words(page)
    assert can(page, "return")
    assert not can(page, "approve")


def test_a_plan_over_its_budget_is_said_to_be_so(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    submitted(team, privacy={**PLAN["privacy"], "epsilon": 5})
    sign_in(BEN)
    assert "It would be refused" in words(see(visit("review"), "whole"))


# A budget


def test_a_population_waits_for_a_second_person(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in(ANN)
    page = visit("tables")
    assert WORDS["population_team"] in words(page)
    write(page, WORDS["population_name"], "more")
    write(page, WORDS["population_unit"], "household")
    write(page, WORDS["population_epsilon"], "2")
    write(page, WORDS["population_earlier"], "Annual report 2024\n\nBulletin 3\n")
    next(box for box in page.selectbox if box.label == say("population_overlap", other="few")).select("some")
    press(page, WORDS["population_ask"])
    asked = say("request_population", name="more")
    assert say("asked", what=asked) in words(page)
    assert say("request_open", name="") in words(page)
    assert [each.name for each in team.populations.find(actor=ANN)] == ["few"]

    sign_in(BEN)
    page = visit("review")
    for part in (asked, f"few: {WORDS['overlap_some']}", "Annual report 2024", "Bulletin 3", "ε = 2, δ = 0"):
        assert part in words(page)
    decide(page, "approve")
    assert [each.name for each in team.populations.find(actor=ANN)] == ["few", "more"]
    assert team.populations.earlier_releases("more", actor=ANN) == ["Annual report 2024", "Bulletin 3"]
    assert team.populations.overlaps("more", actor=ANN) == {"few": "some"}


def test_a_first_population_that_waits_is_not_asked_for_again(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    own_workspace.people.require_two_people()
    sign_in(ANN)
    assert WORDS["population_none"] in words(visit("tables"))
    own_workspace.add_population("first", unit="person", neighbors="add_remove", epsilon=1, actor=ANN)
    shown = words(visit("tables"))
    assert WORDS["population_waits"] in shown
    assert WORDS["population_none"] not in shown


def test_a_cap_and_a_period_wait_for_a_second_person(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in(ANN)
    page = visit("tables")
    write(page, WORDS["change_epsilon"], "4")
    write(page, WORDS["change_reason"], "Agreed in March.")
    press(page, WORDS["change_ask_cap"])
    assert say("asked", what=say("request_cap", name="few")) in words(page)
    kind = next(radio for radio in page.radio if radio.label == WORDS["change_kind"])
    kind.set_value("period").run()
    write(page, WORDS["change_period_name"], "2026")
    write(page, WORDS["change_epsilon"], "1")
    press(page, WORDS["change_ask_period"])
    assert str(team.populations.budget("few", actor=ANN).cap) == "ε = 3, δ = 0"

    sign_in(BEN)
    page = visit("review")
    for part in ("Agreed in March.", "ε = 4, δ = 0"):
        assert part in words(page)
    press(page, WORDS["review_next"])
    assert say("request_period", period="2026", name="few") in words(page)
    decide(page, "return", "Wait for the new rows.")
    decide(page, "approve")
    assert str(team.populations.budget("few", actor=BEN).cap) == "ε = 4, δ = 0"

    sign_in(ANN)
    page = visit("tables")
    assert say("request_returned", name="ben") in words(page)
    assert "Wait for the new rows." in words(page)
    assert say("request_approved", name="ben") in words(page)


# Who sees what


@pytest.mark.parametrize("key", sorted({screen.key for screen in SCREENS}))
@pytest.mark.parametrize("actor", [ANN, BEN, ADMINISTRATOR], ids=lambda actor: actor.name)
def test_a_page_is_for_those_who_may_do_what_it_is_for(
    key: str, actor: Actor, team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    everyone = {"desk", "releases", "settings"}
    ann = everyone | {"tables", "workbench", "budget", "rounds"}
    allowed = {"ann": ann, "ben": everyone | {"review", "budget", "rounds"}, "dan": everyone}[actor.name]
    sign_in(actor)
    page = visit(key, state=in_hand())
    assert (WORDS["no_role"] not in words(page)) == (key in allowed)
    if key not in allowed:
        assert not {SPEND, WORDS["publish_submit"]} & set(labels(page, "button"))
        assert "few" not in words(page)


def test_a_reviewer_sees_no_true_value_on_the_way(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    submitted(team)
    sign_in(BEN)
    page = visit("review")
    assert "data:image" not in html(page)
    for kind in ("dataframe", "table", "vega_lite_chart"):
        assert not page.get(kind)


def test_an_administrator_confirms_that_two_populations_share_nobody(
    team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    team.add_population("guests", unit="person", neighbors="add_remove", epsilon=1, actor=ANN)
    team.populations.approve_request(1, actor=BEN)
    upload = team.datasets.uploads.stage("guests.csv", BytesIO(TABLE), actor=ANN)
    said: dict[str, Any] = {"unit_column": "pid", "columns": COLUMNS, "overlaps": {"few": "none"}, "actor": ANN}
    team.add_dataset("guests", upload, population="guests", **said)
    title = say("request_overlap", name="guests", other="few")
    sign_in(BEN)
    assert title not in words(visit("review")), "a reviewer does not decide it"
    sign_in(ADMINISTRATOR)
    assert say("desk_request_overlap", population="guests", other="few") in words(visit("desk"))
    page = visit("settings")
    assert title in words(page)
    assert say("in_common_file", dataset="guests", other="small") in words(page)
    page = press(page, WORDS["overlap_returned_save"])
    assert team.populations.requests(actor=ANN)[-1].state == "open", "it wants a reason"
    write(page, WORDS["request_comment"], "Asked at both desks.")
    page = press(page, WORDS["overlap_confirmed_save"])
    assert say("overlap_confirmed", title=title) in words(page)
    assert team.populations.overlaps("guests", actor=ANN) == {"few": "none"}
    page = visit("settings")
    assert WORDS["overlaps_confirm"] not in words(page)
    choose(page, WORDS["overlaps_pair"], team.populations.pairs(actor=ADMINISTRATOR)[0])
    assert say("in_common_file", dataset="small", other="guests") in words(page)
    sign_in(ANN)
    assert title in words(visit("tables"))
