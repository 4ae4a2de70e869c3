"""The plan's page: goals, cards, ε and what it means, and drafts that nothing loses."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.accounting.deployments import HARMS
from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, say
from dprelease.ui.workbench import draft
from dprelease.ui.workbench.saving import read, written
from dprelease.ui.workbench.statistic_draft import ConditionDraft, StatisticDraft, lines
from dprelease.workspace import Workspace
from tests.pages.conftest import PLAN, STATISTICS, Opener, SignIn, choose, go, in_hand, labels, press, words, write

ANN = Actor("ann", frozenset({Role.CURATOR}))


def kept(page: AppTest) -> draft.Draft:
    held: draft.Draft = page.session_state[session.DRAFT]
    return held


def slide(page: AppTest, epsilon: float) -> AppTest:
    return page.select_slider[0].set_value(epsilon).run()


def number(page: AppTest, label: str) -> Any:
    return next(field for field in page.number_input if field.label == label)


def save(workspace: Workspace, **changes: Any) -> str:
    """A draft of the small plan, saved."""
    body = written(draft.Draft.from_plan(Plan.parse({**PLAN, **changes})))
    return workspace.plans.drafts.save(body).id


def test_the_rows_of_one_unit_begin_with_what_was_said_of_the_dataset(small: Workspace, visit: Opener) -> None:
    small.datasets.set_terms("small", max_rows=3)
    page = visit("plan")
    field = number(page, say("plan_max_rows", unit="person"))
    assert (field.value, kept(page).max_rows) == (3, 3)
    field.set_value(None).run()
    assert number(page, say("plan_max_rows", unit="person")).value is None, "it can be emptied"


# Adding


def test_a_goal_and_columns_lead_to_a_statistic_that_needs_nothing_more(small: Workspace, visit: Opener) -> None:
    page = visit("plan")
    number(page, say("plan_max_rows", unit="person")).set_value(2)
    choose(page, WORDS["goal"], "compare")
    assert WORDS["goal_open"] in words(page)
    columns = next(box for box in page.multiselect if box.label == WORDS["goal_columns"])
    columns.set_value(["age", "region"]).run()
    shown_as = next(box for box in page.selectbox if box.label == WORDS["goal_as"])
    assert shown_as.options[0] == WORDS["kind_mean"]
    press(page, WORDS["statistic_add"])
    (item,) = kept(page).statistics
    assert item.mapping("m") == {"id": "m", "kind": "mean", "column": "age", "by": ["region"]}
    shown = words(page)
    assert say("card_title_by", kind="mean", columns="age", groups="region") in shown
    assert WORDS["price_unknown"] not in labels(page, "button")
    assert WORDS["statistic_kind"] not in labels(page, "selectbox"), "its options are one click away"
    press(page, WORDS["card_open"])
    assert WORDS["statistic_kind"] in labels(page, "selectbox")


def test_columns_that_do_not_answer_a_question_say_so(small: Workspace, visit: Opener) -> None:
    page = choose(visit("plan"), WORDS["goal"], "compare")
    next(box for box in page.multiselect if box.label == WORDS["goal_columns"]).set_value(["age"]).run()
    assert WORDS["goal_cannot"] in words(page)
    add = next(button for button in page.button if button.label == WORDS["statistic_add"])
    assert add.disabled


def test_a_codebook_is_added_once(small: Workspace, visit: Opener) -> None:
    page = press(visit("plan"), WORDS["codebook_add"])
    found = [(item.kind, item.options.get("column")) for item in kept(page).statistics]
    assert found == [("count", None), ("mean", "age"), ("histogram", "region")]
    press(page, WORDS["codebook_add"])
    assert len(kept(page).statistics) == 3


def test_many_statistics_are_shown_a_page_at_a_time(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    columns = {f"c{number}": {"type": "boolean"} for number in range(45)}
    own_workspace.add_population("few", unit="row", neighbors="add_remove", epsilon=3)
    table = ",".join(columns) + "\n" + ",".join(["true"] * 45) + "\n"
    path = (own_workspace.home or 0) / "wide.csv"  # type: ignore[operator]
    path.write_text(table)
    own_workspace.add_dataset("wide", path, population="few", columns=columns)
    sign_in()
    page = press(visit("plan"), WORDS["codebook_add"])
    removes = [button for button in page.button if button.label == WORDS["remove"]]
    assert len(removes) == 20
    choose(page, say("cards_page", count=46), 2)
    assert len([button for button in page.button if button.label == WORDS["remove"]]) == 6
    assert WORDS["price_caption"] not in words(page), "a long table only when asked for"


# ε


def test_slider_and_number_follow_each_other_and_errors_follow_both(small: Workspace, visit: Opener) -> None:
    page = visit("plan", state=in_hand())
    assert "± 18 records" in words(page)
    slide(page, 2.0)
    assert number(page, WORDS["plan_epsilon"]).value == 2
    assert kept(page).epsilon == 2
    assert "± 9 records" in words(page)
    number(page, WORDS["plan_epsilon"]).set_value(0.33).run()
    assert page.select_slider[0].value == 0.3
    assert kept(page).epsilon == 0.33, "what was typed is exact"


def test_a_weight_is_dragged_or_typed(small: Workspace, visit: Opener) -> None:
    page = visit("plan", state=in_hand())
    page.slider[0].set_value(4.0).run()
    assert kept(page).statistics[0].weight == 4
    number(page, WORDS["share_weight_value"]).set_value(25.0).run()
    assert (kept(page).statistics[0].weight, page.slider[0].value) == (25, 10)


def test_above_three_quarters_of_deployments_the_page_says_so_in_words(small: Workspace, visit: Opener) -> None:
    page = slide(visit("plan", state=in_hand()), 6.5)
    red = WORDS["epsilon_red"].split("(")[0].strip()
    assert red not in words(page)
    assert red in words(slide(page, 7.0))


def test_a_harm_suggests_a_first_epsilon_and_says_that_it_is_a_convention(small: Workspace, visit: Opener) -> None:
    page = visit("plan", state=in_hand())
    (question,) = (radio for radio in page.radio if radio.label == say("harm_question", unit="person"))
    assert question.value is None
    assert WORDS["harm_note"] in words(page)
    question.set_value("high").run()
    assert kept(page).epsilon == HARMS["high"] == 0.5


def test_what_epsilon_means_is_said_for_unit_beliefs_groups_and_what_stays(small: Workspace, visit: Opener) -> None:
    shown = words(visit("plan", state=in_hand()))
    assert say("meaning_belief_add_remove", before="50 %", most="73 %", unit="person") in shown
    assert "50 % 26.8 % 73.2 %" in shown
    assert "No result becomes more than 2.72 times as likely" in shown
    assert say("meaning_exchange", unit="person", epsilon="2") in shown
    assert "10 10 0 100 100 0" in shown, "groups of 10 and 100 at 10 and 100 times ε"
    assert "6 of 27 published deployments" in shown
    assert "would have ε = 2, δ = 0 left" in shown


def test_with_a_delta_no_belief_is_promised(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    own_workspace.add_population("rho", unit="person", neighbors="substitute", epsilon=3, delta=1e-6, currency="zcdp")
    path = (own_workspace.home or 0) / "small.csv"  # type: ignore[operator]
    path.write_text("age\n1\n")
    columns = {"age": {"type": "integer", "lower": 0, "upper": 100}}
    own_workspace.add_dataset("small", path, population="rho", columns=columns)
    sign_in()
    privacy = {"unit": "row", "neighbors": "substitute", "epsilon": 1, "delta": 1e-6}
    shown = words(visit("plan", state=in_hand({**PLAN, "privacy": privacy, "statistics": STATISTICS[:2]})))
    assert WORDS["meaning_no_belief"] in shown
    assert WORDS["meaning_belief_caption"] not in shown
    assert WORDS["meaning_event_caption"] in shown


def test_the_epsilon_for_an_error_is_found_and_set(small: Workspace, visit: Opener) -> None:
    page = visit("plan", state=in_hand())
    next(box for box in page.multiselect if box.label == WORDS["wanted_which"]).set_value(["n"]).run()
    number(page, say("wanted_error_unit", name="n", unit="records")).set_value(6.0).run()
    press(page, WORDS["wanted_find"])
    needed = kept(page).answer
    assert needed is not None
    press(page, say("wanted_set", epsilon=str(needed[1])))
    assert kept(page).epsilon == float(needed[1]) > 1
    assert "± 6 records" in words(page)
    assert page.select_slider[0].value > 1


# Drafts


def test_a_draft_is_saved_as_one_goes_and_the_address_says_which(small: Workspace, visit: Opener) -> None:
    page = visit("plan")
    assert small.plans.drafts.find() == [], "an empty one is not worth keeping"
    number(page, say("plan_max_rows", unit="person")).set_value(2)
    press(page, WORDS["codebook_add"])
    (saved,) = small.plans.drafts.find()
    assert page.query_params["draft"] == saved.id
    again = visit("plan", query={"draft": saved.id})
    assert [item.kind for item in kept(again).statistics] == ["count", "mean", "histogram"]
    assert number(again, say("plan_max_rows", unit="person")).value == 2
    assert small.plans.drafts.get(saved.id).revision == saved.revision, "looking changes nothing"


def test_a_fresh_tab_goes_on_with_the_last_draft_on_every_page(small: Workspace, visit: Opener) -> None:
    save(small)
    draft_id = save(small, title="Newest")
    page = visit("preview")
    assert WORDS["preview_take"] in labels(page, "button")
    assert page.query_params["draft"] == draft_id
    assert say("publish_button", epsilon=1) in labels(visit("publish"), "button")
    assert kept(visit("plan")).title == "Newest"


def test_what_another_tab_saved_is_not_overwritten(small: Workspace, visit: Opener) -> None:
    draft_id = save(small)
    one, two = (visit("plan", query={"draft": draft_id}) for _ in range(2))
    slide(one, 0.5)
    slide(two, 0.2)
    assert small.plans.drafts.get(draft_id).body["epsilon"] == 0.5
    two.run()
    assert WORDS["draft_stale"] in words(two)
    press(two, WORDS["draft_stale_keep"])
    assert sorted(each.body["epsilon"] for each in small.plans.drafts.find()) == [0.2, 0.5]
    assert WORDS["draft_stale"] not in words(two)


def test_the_other_tabs_version_can_be_opened_instead(small: Workspace, visit: Opener) -> None:
    draft_id = save(small)
    one, two = (visit("plan", query={"draft": draft_id}) for _ in range(2))
    slide(one, 0.5)
    slide(two, 0.2).run()
    press(two, WORDS["draft_stale_open"])
    assert kept(two).epsilon == 0.5
    slide(two, 0.3)
    assert small.plans.drafts.get(draft_id).body["epsilon"] == 0.3


def test_drafts_are_opened_duplicated_renamed_and_deleted(small: Workspace, visit: Opener) -> None:
    first = save(small, title="First")
    second = save(small, title="Second")
    page = visit("plan", query={"draft": second})
    choose(page, WORDS["drafts_which"], first)
    press(page, WORDS["draft_open"])
    assert kept(page).title == "First"
    assert page.query_params["draft"] == first
    press(page, WORDS["draft_copy"])
    copy = kept(page).saved
    assert copy is not None
    assert copy.name == say("draft_copy_of", name="First")
    write(page, WORDS["draft_name"], "Third")
    press(page, WORDS["draft_rename"])
    assert say("draft_here", name="Third") in words(page)
    slide(page, 0.5)
    assert small.plans.drafts.get(copy.id).body["epsilon"] == 0.5, "a renamed draft is still saved"
    press(page, WORDS["draft_delete_really"])
    assert {each.id for each in small.plans.drafts.find()} == {first, second}
    assert not kept(page).statistics


def test_a_draft_of_somebody_else_is_not_opened(small: Workspace, visit: Opener, sign_in: SignIn) -> None:
    draft_id = save(small, title="Secret")
    sign_in(ANN)
    page = visit("plan", query={"draft": draft_id})
    assert "Secret" not in words(page)
    assert not kept(page).statistics


@pytest.mark.parametrize("unfinished", [{}, {"epsilon": None}, {"max_rows": None}])
def test_an_unfinished_draft_is_written_and_read_again(unfinished: dict[str, Any]) -> None:
    held = draft.Draft.from_plan(Plan.parse({**PLAN, "where": [{"column": "age", "at_least": 18, "at_most": 65}]}))
    held.statistics.append(StatisticDraft("proportion", options={"where": [ConditionDraft("age")]}))
    for name, value in unfinished.items():
        setattr(held, name, value)
    again = read(written(held))
    assert written(again) == written(held)
    assert isinstance(again.statistics[-1].options["where"][0], ConditionDraft)
    assert lines(again.where) == [{"column": "age", "at_least": 18, "at_most": 65}]


# Comparing


def test_two_plans_are_compared_in_words_prices_and_errors(small: Workspace, visit: Opener) -> None:
    save(small, title="First")
    save(small, title="Second", privacy={**PLAN["privacy"], "epsilon": 2}, statistics=STATISTICS[:2])
    small.plans.submit(Plan.parse(PLAN))
    page = visit("plan")
    assert len(next(box for box in page.selectbox if box.label == WORDS["compare_first"]).options) == 3
    next(toggle for toggle in page.toggle if toggle.label == WORDS["compare_show"]).set_value(True).run()
    shown = words(page)
    assert "ε 2 1" in shown
    assert say("compare_statistic", id="mean_age") in shown
    assert say("compare_absent") in shown
    assert "n ± 6 records; ε = 1 ± 18 records; ε = 0.333" in shown


def test_a_submitted_plan_is_not_different_for_the_columns_it_holds(small: Workspace, visit: Opener) -> None:
    save(small)
    small.plans.submit(Plan.parse(PLAN))
    page = visit("plan")
    next(toggle for toggle in page.toggle if toggle.label == WORDS["compare_show"]).set_value(True).run()
    assert WORDS["compare_same"] in words(page)


def test_the_draft_survives_other_pages_in_the_same_tab(small: Workspace, visit: Opener) -> None:
    page = visit("plan", state=in_hand())
    slide(page, 0.7)
    go(go(page, "ledger"), "plan")
    assert page.select_slider[0].value == 0.7


# Criteria


def ask(page: AppTest, statistic: int, requirement: str, limit: float) -> AppTest:
    """Asks something of a statistic, by its place."""
    choose(page, WORDS["criterion_statistic"], kept(page).statistics[statistic].key)
    choose(page, WORDS["criterion_asked"], requirement)
    number(page, WORDS[f"criterion_{requirement}_limit"]).set_value(limit).run()
    return press(page, WORDS["criterion_add"])


def test_what_a_release_must_show_is_asked_for_and_foreseen(small: Workspace, visit: Opener) -> None:
    page = visit("plan", state=in_hand())
    ask(page, 0, "error", 20.0)
    assert say("prospect_certain", error="± 18 records") in words(page)
    ask(page, 0, "error", 5.0)
    assert say("prospect_fails", error="± 18 records") in words(page)
    ask(page, 1, "relative_error", 10.0)
    assert "Unlikely to hold if the expected rows are spread evenly: every value has to be at least" in words(page)
    ask(page, 2, "ranking", 1)
    assert WORDS["prospect_unjudged"] in words(page), "a mean has no noise of its own"
    next(button for button in page.button if button.help == say("remove_criterion", number=4)).click().run()
    next(button for button in page.button if button.help == say("remove_criterion", number=2)).click().run()
    (body,) = (each.body for each in small.plans.drafts.find())
    assert body["accept"] == [
        {"place": 0, "requirement": "error", "limit": 20},
        {"place": 1, "requirement": "relative_error", "limit": 0.1},
    ]
    next(button for button in page.button if button.help == say("remove_statistic", number=1)).click().run()
    assert [asked.requirement for asked in kept(page).accept] == ["relative_error"], "it goes with its statistic"
    assert say("criterion_relative_error", name="ages", limit=10) in words(page)


def test_a_plan_file_keeps_what_it_asks_for_and_who_publishes_it(small: Workspace) -> None:
    stated = {"about": {"publisher": "Office"}, "accept": [{"statistic": "ages", "relative_error": 0.1}]}
    held = read(written(draft.Draft.from_plan(Plan.parse({**PLAN, **stated}))))
    mapping = held.mapping(small.datasets.get("small"), small.populations.find()[0])
    assert {name: mapping[name] for name in stated} == stated
    assert Plan.parse(mapping) == Plan.parse({**PLAN, **stated})


def test_what_a_plan_asks_of_its_release_is_seen_before_publishing_and_in_review(
    small: Workspace, visit: Opener
) -> None:
    asking = {**PLAN, "accept": [{"statistic": "ages", "ranking": 2}]}
    small.plans.submit(Plan.parse(asking))
    for page in (visit("review"), visit("publish", state=in_hand(asking))):
        shown = words(page)
        assert say("criterion_ranking", 2, name="ages", count=2) in shown
        assert "each has to be ahead of the next by more than" in shown
