"""What the page of reviewers shows beside a plan: changes, checks, policy; remarks, and asking somebody else."""

from __future__ import annotations

import pytest

from dprelease.model.policy import Check
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from dprelease.workspace.checks import Severity
from tests.pages.conftest import PLAN, Opener, SignIn, choose, labels, press, words, write
from tests.pages.test_team import ADMINISTRATOR, ANN, BEN, submitted, team

__all__ = ["team"]
SHARP = {**PLAN["privacy"], "epsilon": 2}


def test_every_check_and_weight_has_words() -> None:
    wanted = {f"check_name_{check}" for check in Check} | {f"severity_{each}" for each in Severity}
    assert wanted - WORDS.keys() == set()


def test_a_plan_is_shown_beside_the_last_approved_one(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    team.plans.approve(submitted(team), actor=BEN)
    submitted(team, title="Sharper", privacy=SHARP)
    sign_in(BEN)
    shown = words(visit("review"))
    assert "Compared with Small, approved by ben on" in shown
    assert "privacy.epsilon 1 2" in shown
    assert "title Small Sharper" in shown


def test_checks_say_what_they_found_and_keep_a_plan_from_being_approved(
    team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    assert team.home is not None
    (team.home / "policy.yaml").write_text("dprelease: 1\nrelease: {epsilon: 1.5}\n")
    submitted(team, privacy=SHARP, description="It was 4711 then.")
    sign_in(BEN)
    page = visit("review")
    assert say("check_epsilon", epsilon=2, most="1.5") in words(page)
    assert say("check_free_text_description", numbers=4711) in words(page)
    assert WORDS["checks_blocking"] in words(page)
    assert WORDS["review_approve"] not in labels(page, "button")
    (team.home / "policy.yaml").write_text("dprelease: 1\nrelease: {epsilon: -1}\n")
    assert "release.epsilon" in words(visit("review")), "a policy that cannot be read stops the review, and says where"
    with pytest.raises(Exception, match=r"release\.epsilon"):
        team.plans.approve(team.plans.find(actor=BEN)[0].id, actor=BEN)


def test_remarks_on_statistics_go_back_to_the_author(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = submitted(team)
    sign_in(BEN)
    page = visit("review")
    next(box for box in page.multiselect if box.label == WORDS["remarks_which"]).select("ages")
    page.run()
    write(page, "ages", "Ten bins are too many.")
    write(page, WORDS["review_comment"], "See there.")
    press(page, WORDS["review_return"])
    sign_in(ANN)
    (decision,) = team.plans.decisions(plan_id, actor=ANN)
    assert decision.remarks == {"ages": "Ten bins are too many."}


def test_somebody_else_is_asked_to_decide(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    for name in ("ben", "eva"):
        team.people.invite(name, ["reviewer"], actor=ADMINISTRATOR)
    plan_id = submitted(team)
    sign_in(BEN)
    page = choose(visit("review"), WORDS["delegate_to"], "eva")
    press(page, WORDS["delegate_save"])
    assert say("delegated", name="eva", title="Small") in words(page)
    assert "ben asked eva to decide, on" in words(page)
    assert [each.to for each in team.plans.delegations(plan_id, actor=BEN)] == ["eva"]
