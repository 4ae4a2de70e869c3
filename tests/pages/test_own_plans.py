"""What an author finds of plans that came from elsewhere: a script or the terminal, with no draft on the screen."""

from __future__ import annotations

import pandas
import pytest
from streamlit.testing.v1 import AppTest

from dprelease.model.plan import Plan
from dprelease.store.plans import PlanState
from dprelease.ui.kit import session
from dprelease.ui.kit.phrases import day
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import PLAN, Opener, SignIn, dialog, in_hand, labels, press, published, words, write
from tests.pages.test_team import ANN, BEN, BOTH, submitted, team

__all__ = ["team"]
PAGES = ("desk", "workbench")


def listed(tab: AppTest, page: str) -> AppTest:
    """The tab where the list is: on the workbench in a dialog."""
    return dialog(tab, "own") if page == "workbench" else tab


@pytest.mark.parametrize("page", PAGES)
def test_a_waiting_plan_is_listed_for_its_author_alone(
    page: str, team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    submitted(team)
    (record,) = team.plans.find(actor=ANN)
    sign_in(ANN)
    shown = words(listed(visit(page), page))
    assert say("own_plan_meta", dataset="small", on=day(record.created)) in shown
    assert WORDS["own_waits"] in shown
    sign_in(BOTH)
    assert WORDS["own_plans"] not in words(listed(visit(page), page))


@pytest.mark.full
@pytest.mark.parametrize("page", PAGES)
def test_a_returned_plan_says_why_and_is_changed_and_submitted(
    page: str, team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    plan_id = submitted(team)
    team.plans.return_plan(plan_id, comment="See there.", remarks={"ages": "Ten bins are too many."}, actor=BEN)
    sign_in(ANN)
    tab = listed(visit(page), page)
    assert "See there." in words(tab)
    assert "ages: Ten bins are too many." in words(tab)
    press(tab, WORDS["own_change"])
    (saved,) = team.plans.drafts.find(actor=ANN)
    assert saved.body["title"] == "Small"
    assert saved.body["columns"] == {}, "the dataset's own columns stay the dataset's to change"
    assert "ages: Ten bins are too many." in words(listed(visit(page), page)), "it stays until another one follows"
    submitted(team, statistics=PLAN["statistics"][:2])
    assert "See there." not in words(visit("desk")), "the plan that follows it takes its place"


def test_taking_a_plan_up_twice_makes_one_draft(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    team.plans.return_plan(submitted(team), comment="See there.", actor=BEN)
    sign_in(ANN)
    for _ in range(2):
        press(visit("desk"), WORDS["own_change"])
    assert len(team.plans.drafts.find(actor=ANN)) == 1


@pytest.mark.full
def test_an_approved_plan_is_published_from_the_list(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = submitted(team)
    team.plans.approve(plan_id, actor=BEN)
    (decision,) = team.plans.decisions(plan_id, actor=ANN)
    sign_in(ANN)
    tab = visit("desk")
    assert say("publish_approved", name="ben", on=day(decision.at)) in words(tab)
    press(tab, WORDS["own_publish"])
    published(visit("workbench", state={session.DRAFT: tab.session_state[session.DRAFT]}))
    assert team.populations.budget("few", actor=ANN).charges == 1
    assert WORDS["own_plans"] not in words(visit("desk"))


def test_a_lapsed_approval_and_replaced_rows_are_said(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = submitted(team)
    team.plans.approve(plan_id, actor=BEN)
    team.populations.raise_cap("few", epsilon=4, reason="Agreed.", actor=ANN)
    team.populations.approve_request(1, actor=BEN)
    reason = team.plans.lapse(plan_id, actor=ANN)
    sign_in(ANN)
    assert say("publish_lapsed", reason=reason) in words(visit("desk"))
    team.datasets.replace_rows("small", pandas.DataFrame({"pid": ["a"], "age": ["3"], "region": ["n"]}), actor=ANN)
    shown = words(visit("desk"))
    assert say("own_stale", dataset="small") in shown
    assert say("publish_lapsed", reason=reason) not in shown


def test_columns_of_the_plan_alone_are_kept_and_told(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    other = {"age": {"type": "integer", "lower": 0, "upper": 50}}
    team.plans.return_plan(submitted(team, columns=other), comment="Why 50?", actor=BEN)
    sign_in(ANN)
    tab = press(visit("desk"), WORDS["own_change"])
    assert list(team.plans.drafts.find(actor=ANN)[0].body["columns"]) == ["age"]
    assert say("own_columns", columns="age", dataset="small") in words(tab)


def test_in_a_solo_workspace_a_submitted_plan_can_be_published(small: Workspace, visit: Opener) -> None:
    small.plans.submit(Plan.parse(PLAN))
    assert WORDS["own_ready"] in words(dialog(visit("workbench"), "own"))


def test_the_plan_in_hand_is_not_listed_a_second_time(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    team.plans.return_plan(submitted(team), comment="See there.", remarks={"ages": "Fewer."}, actor=BEN)
    sign_in(ANN)
    tab = visit("workbench", state=in_hand())
    assert WORDS["own_plans"] not in words(tab)
    assert "ages: Fewer." in words(tab)
    assert WORDS["own_change"] not in labels(tab, "button")


@pytest.mark.full
def test_the_next_version_follows_the_plan_that_its_draft_came_of(
    team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    wanted = submitted(team)
    likelier = submitted(team, title="Other", statistics=PLAN["statistics"][:2])
    for plan_id in (wanted, likelier):
        team.plans.return_plan(plan_id, comment=f"Which year of {plan_id}?", actor=BEN)
    sign_in(ANN)
    tab = visit("desk")
    places = [place for place, button in enumerate(tab.button) if button.label == WORDS["own_change"]]
    tab.button[places[-1]].click().run()  # the older one stands below
    draft = tab.session_state[session.DRAFT]
    assert draft.title == "Small"
    draft.title, draft.statistics = "Other", draft.statistics[:2]  # what is likest now is the plan that it is not of
    draft.epsilon = 0.5
    page = visit("workbench", state={session.DRAFT: draft})
    assert f"Which year of {wanted}?" in words(page)
    assert f"Which year of {likelier}?" not in words(page)
    press(dialog(page, "publish"), WORDS["publish_submit"])
    (new,) = team.plans.find(states=[PlanState.SUBMITTED], actor=ANN)
    assert [each.id for each in team.plans.versions(new.id, actor=ANN)] == [new.id, wanted]
    assert f"Which year of {wanted}?" not in words(visit("workbench", state={session.DRAFT: draft}))


def test_an_author_answers_remarks_on_the_workbench(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = submitted(team)
    team.plans.return_plan(plan_id, comment="See there.", remarks={"ages": "Fewer bins."}, actor=BEN)
    sign_in(ANN)
    page = visit("workbench", state=in_hand())
    assert say("bench_talk", 2, count=2) in [each.label for each in page.expander]
    assert WORDS["remark_settle"] not in labels(page, "button"), "an author settles nothing"
    press(page, WORDS["remark_answer"])
    write(page, WORDS["remark_text"], "Ten it is.")
    press(page, WORDS["remark_save"])
    assert "Ten it is." in words(page)
    (answered,) = [each for each in team.plans.remarks(plan_id, actor=BEN) if each.answers]
    assert (answered.answers[0].by, answered.is_open) == ("ann", True)
