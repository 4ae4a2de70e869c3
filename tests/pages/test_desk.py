"""The desk: what waits for whom, drafts, budgets, the last releases, today, and the first run."""

from __future__ import annotations

import re
from base64 import b64decode

import pandas
import pytest

from dprelease.errors import AccessError
from dprelease.model.plan import Plan
from dprelease.statements.display import exact
from dprelease.ui.words import WORDS, say
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import written
from dprelease.workspace import Workspace, sample
from tests.pages.conftest import COLUMNS, PLAN, Opener, SignIn, html, labels, press, words
from tests.pages.test_team import ADMINISTRATOR, ANN, BEN, submitted, team

__all__ = ["team"]


@pytest.mark.full
def test_the_sample_is_opened_with_a_draft_of_five(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in()
    page = visit("desk")
    assert WORDS["desk_first"] in words(page)
    assert WORDS["desk_new"] not in labels(page, "button"), "nothing to make it of"
    press(page, WORDS["desk_first_open"])
    assert [each.name for each in own_workspace.datasets.find()] == [sample.DATASET]
    (saved,) = own_workspace.plans.drafts.find()
    assert (len(saved.body["statistics"]), saved.body["epsilon"]) == (5, 1)
    assert own_workspace.plans.bench(sample.first_plan()).price.loss.epsilon == 1
    assert WORDS["desk_first"] not in words(visit("desk"))


def test_a_reviewer_sees_what_waits_and_its_author_does_not(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    submitted(team)
    team.populations.raise_cap("few", epsilon=4, reason="Agreed.", actor=ANN)
    sign_in(BEN)
    shown = words(visit("desk"))
    assert say("desk_review", title="Small") in shown
    assert say("desk_request_cap", population="few") in shown
    sign_in(ANN)
    page = visit("desk")
    assert say("desk_review", title="Small") not in words(page)
    assert WORDS["own_waits"] in words(page)


def test_an_approval_that_was_refused_is_told_to_those_who_review(
    team: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    plan_id = submitted(team)
    with pytest.raises(AccessError):
        team.plans.approve(plan_id, actor=ANN)
    sign_in(BEN)
    line = say("event_line_why", name="ann", what=WORDS["event_attempt_refused"], about="few", why="")
    assert line.strip() + " " + WORDS["desk_why_role"] in words(visit("desk"))


def test_an_administrator_sees_releases_alone(team: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in(ADMINISTRATOR)
    page = visit("desk")
    assert WORDS["desk_recent"] in words(page)
    assert "few" not in words(page)
    assert labels(page, "button") == []


def test_a_table_without_columns_waits(small: Workspace, visit: Opener) -> None:
    small.add_dataset("bare", pandas.DataFrame({"a": ["1"]}), population="few")
    shown = words(visit("desk"))
    assert say("desk_undeclared", dataset="bare") in shown
    assert say("desk_undeclared", dataset="small") not in shown


def test_a_draft_says_what_is_in_it_and_takes_a_part_of_its_budget(small: Workspace, visit: Opener) -> None:
    assert WORDS["desk_nothing_spent"] in words(visit("desk"))
    small.plans.drafts.save(written(Draft.from_plan(Plan.parse(PLAN))), name="Mine")
    page = visit("desk")
    shown = words(page)
    assert "Mine 3 statistics" in shown
    assert say("desk_steps", done=4, steps=4) in str([each.proto for each in page.get("markdown")])
    assert say("desk_promised", symbol="ε", promised="1") in shown
    striped = re.findall(r'<b style="width:([\d.]+)%', html(page))
    assert striped == ["33.33"], "1 of 3"


def test_a_draft_takes_a_part_of_a_budget_in_rho(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    own_workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=2, delta="1e-6", currency="zcdp")
    columns = {"age": {"type": "integer", "lower": 0, "upper": 100}}
    own_workspace.add_dataset("small", pandas.DataFrame({"age": [1]}), population="few", columns=columns)
    statistics = [{"id": "n", "kind": "count"}]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": "1e-7"}
    plan = Plan.parse({"dprelease": 1, "dataset": "small", "privacy": privacy, "statistics": statistics})
    loss = own_workspace.price(plan).loss
    own_workspace.plans.drafts.save(written(Draft.from_plan(plan)), name="Mine")
    sign_in()
    page = visit("desk")
    assert loss.rho > 0
    assert say("desk_promised", symbol="ρ", promised=exact(loss.rho)) in words(page)
    (striped,) = re.findall(r'<b style="width:([\d.]+)%', html(page))
    part = 100 * loss.rho / own_workspace.populations.budget("few").cap.rho
    assert striped == f"{part:.2f}"


@pytest.mark.parametrize("epsilon", ["1,5", "", None, -1, "inf"])
def test_a_draft_that_cannot_be_priced_yet_takes_no_part(epsilon: object, small: Workspace, visit: Opener) -> None:
    body = written(Draft.from_plan(Plan.parse(PLAN))) | {
        "epsilon": str(epsilon) if epsilon == float("inf") else epsilon
    }
    small.plans.drafts.save(body, name="Mine")
    assert re.findall(r'<b style="width:([\d.]+)%', html(visit("desk"))) == ["0.00"]


def test_releases_have_bars_and_say_that_they_are_corrected(small: Workspace, visit: Opener) -> None:
    ages = [number % 100 for number in range(4_000)] + [25] * 1_000
    table = pandas.DataFrame({"pid": range(5_000), "age": ages})
    small.add_dataset("large", table, population="few", unit_column="pid", columns={"age": COLUMNS["age"]})
    body = {**PLAN, "dataset": "large", "statistics": [each for each in PLAN["statistics"] if each["id"] == "ages"]}
    plan_id = small.plans.submit(Plan.parse(body))
    small.plans.approve(plan_id)
    release = small.publish(plan_id)
    page = visit("desk")
    (address,) = re.findall(r"mask-image:url\(data:image/svg\+xml;base64,([^)]*)\)", html(page))
    (drawn,) = re.findall(r'<path d="([^"]*)"', b64decode(address).decode())
    tops = [int(top) for top in re.findall(r"V(\d+)H", drawn)]
    assert (len(tops), min(tops)) == (10, 0), "the highest bar fills its frame"
    assert WORDS["release_is_erratum"] not in words(page)
    small.releases.add_erratum(release.id, "Two regions were swapped.")
    assert WORDS["release_is_erratum"] in words(visit("desk"))


def test_looks_of_one_person_are_one_line(small: Workspace, visit: Opener) -> None:
    plan = Plan.parse(PLAN)
    small.plans.look(plan)
    for statistic, least, most, looks in (("ages", "0.3", "0.9", 9), ("n", "0.9", "1.6", 5)):
        small.plans.swept(plan, statistic=statistic, least=least, most=most, looks=looks)
    shown = words(visit("desk"))
    assert "owner looked at 2 statistics of few, ε 0.3 to 1.6 (14 looks)" in shown
    assert shown.count("looked at") == 1


def test_the_desk_of_a_team_says_why_the_sample_waits(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    own_workspace.people.require_two_people()
    sign_in(ANN)
    page = visit("desk")
    assert WORDS["desk_first_team"] in words(page)
    assert WORDS["desk_first_open"] not in labels(page, "button")
