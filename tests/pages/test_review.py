"""What the page of reviewers shows beside a plan: changes, checks, policy; remarks, and asking somebody else."""

from __future__ import annotations

import pytest

from dprelease.errors import InsufficientBudgetError
from dprelease.model.policy import PlanCheck
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from dprelease.workspace.checks import Severity
from tests.pages.conftest import PLAN, Opener, SignIn, choose, html, press, words, write
from tests.pages.deciding import can, decide, see
from tests.pages.test_team import ADMINISTRATOR, ANN, BEN, submitted, team

__all__ = ["team"]
SHARP = {**PLAN["privacy"], "epsilon": 2}


def test_every_check_and_weight_has_words() -> None:
    wanted = {f"check_name_{check}" for check in PlanCheck} | {f"severity_{each}" for each in Severity}
    assert wanted - WORDS.keys() == set()


def test_a_plan_is_shown_beside_the_last_approved_one(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    team.plans.approve(submitted(team), actor=BEN)
    submitted(team, title="Sharper", privacy=SHARP)
    sign_in(BEN)
    shown = words(visit("review"))
    assert f"{say('review_changes', 2, count=2)} since Small, approved by ben on" in shown
    assert "Privacy loss ε was − 1 is now + 2" in shown
    assert "Title was − Small is now + Sharper" in shown
    assert say("review_effect_sure", was=74, now=89) in shown
    assert say("review_unchanged", 3, count=3) in shown


def test_a_second_look_shows_what_changed_since_and_what_was_said(
    team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    first = submitted(team)
    team.plans.return_plan(first, comment="Coarser, please.", remarks={"ages": "Ten are too many."}, actor=BEN)
    coarser = [{**each, "bins": 5} if each["id"] == "ages" else each for each in PLAN["statistics"]]
    again = submitted(team, statistics=coarser)
    sign_in(BEN)
    page = visit("review")
    shown = words(page)
    assert f"{say('review_changes', 1, count=1)} {WORDS['review_since_returned']}" in shown
    assert say("review_version", number=2) in shown
    assert "ages · bins was − 10 is now + 5" in shown
    assert "Ten are too many." in shown
    assert say("review_open", 2, count=2) in shown
    press(page, WORDS["remark_settle"])
    (settled,) = [each for each in team.plans.remarks(again, actor=BEN) if not each.is_open]
    assert settled.on == "ages"
    assert say("review_open", 1, count=1) in words(page)


def test_what_is_serious_stands_above_everything_else(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    team.plans.approve(submitted(team), actor=BEN)
    ages = {"age": {"type": "integer", "lower": 0, "upper": 120}}
    asked = [{"id": "ages", "kind": "histogram", "column": "age", "bins": 4}]
    one = {"where": [{"column": "age", "equals": 97}], "expected": {"rows": 100}}
    submitted(team, title="The very old", columns=ages, statistics=asked, **one)
    sign_in(BEN)
    page = visit("review")
    for view in ("changes", "whole", "checks"):
        shown = words(see(page, view))
        assert "The filter may single out a person: it leaves 1 in 121" in shown
        assert shown.index("may single out") < shown.index("this plan costs"), view


def test_checks_say_what_they_found_and_keep_a_plan_from_being_approved(
    team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    assert team.home is not None
    (team.home / "policy.yaml").write_text("dprelease: 1\nrelease: {epsilon: 1.5}\n")
    submitted(team, privacy=SHARP, description="It was 4711 then.")
    sign_in(BEN)
    page = see(visit("review"), "checks")
    assert say("check_epsilon", epsilon=2, most="1.5") in words(page)
    assert say("check_free_text_description", numbers=4711) in words(page)
    assert WORDS["checks_blocking"] in words(page)
    assert not can(page, "approve")
    (team.home / "policy.yaml").write_text("dprelease: 1\nrelease: {epsilon: -1}\n")
    assert "release.epsilon" in words(visit("review")), "a policy that cannot be read stops the review, and says where"
    with pytest.raises(Exception, match=r"release\.epsilon"):
        team.plans.approve(team.plans.find(actor=BEN)[0].id, actor=BEN)


def test_beyond_the_cap_nothing_can_be_approved(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = submitted(team, privacy={**PLAN["privacy"], "epsilon": 5})
    sign_in(BEN)
    page = visit("review")
    assert not can(page, "approve")
    assert can(page, "return")
    assert say("review_over", by="ε 2") in words(page)
    with pytest.raises(InsufficientBudgetError):
        team.plans.approve(plan_id, actor=BEN)


@pytest.mark.full
def test_a_plan_is_attacked_before_it_is_decided(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = submitted(team)
    sign_in(BEN)
    page = see(visit("review"), "whole")
    assert WORDS["attack_caption"] not in words(page)
    page.toggle(key=f"review-{plan_id}-attack").set_value(True)
    page.run()
    shown = words(page)
    for key in ("attack_caption", "attack_bound", "attack_ordinary"):
        assert WORDS[key] in shown


def test_a_remark_on_a_statistic_is_the_authors_to_see_at_once(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = submitted(team)
    sign_in(BEN)
    page = see(visit("review"), "whole")
    page.button(key=f"remark-on-{plan_id}-ages").click()
    page.run()
    write(page, WORDS["remark_text"], "Ten bins are too many.")
    press(page, WORDS["remark_save"])
    (remark,) = team.plans.remarks(plan_id, actor=ANN)
    assert (remark.on, remark.said.by, remark.said.text) == ("ages", "ben", "Ten bins are too many.")


def test_after_a_decision_the_next_one_is_open_and_the_result_stays(
    team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    for title in ("One", "Two"):
        submitted(team, title=title)
    sign_in(BEN)
    page = visit("review")
    assert say("review_to_decide", count=2) in words(page)
    decide(page, "approve")
    assert say("review_to_decide", count=1) in words(page)
    assert "Two" in html(page).split("dp-review-title")[1]
    assert say("review_approved", title="One") in words(page)
    assert [toast.value for toast in page.toast] == [say("review_approved", title="One")]


def test_somebody_else_is_asked_to_decide(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    for name in ("ben", "eva"):
        team.people.invite(name, ["reviewer"], actor=ADMINISTRATOR)
    plan_id = submitted(team)
    sign_in(BEN)
    page = choose(see(visit("review"), "talk"), WORDS["delegate_to"], "eva")
    press(page, WORDS["delegate_save"])
    assert say("delegated", name="eva", title="Small") in words(page)
    assert "ben asked eva to decide, on" in words(page)
    assert [each.to for each in team.plans.delegations(plan_id, actor=BEN)] == ["eva"]


def test_a_column_that_is_new_is_told_in_words(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    ages = {"age": {"type": "integer", "lower": 0, "upper": 99}}
    asked = [{"id": "ages", "kind": "histogram", "column": "age", "bins": 4}]
    team.plans.approve(submitted(team, columns=ages, statistics=asked), actor=BEN)
    submitted(team)
    sign_in(BEN)
    assert "region column was − not there is now + category · n, s" in words(visit("review"))
