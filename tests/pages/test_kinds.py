"""Every kind of statistic on the screen: planned, priced, previewed, published and read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from itertools import combinations
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.bundle.guarantee import computed
from dprelease.model.actor import OWNER
from dprelease.model.plan import Plan
from dprelease.model.statistic import KINDS
from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, say
from dprelease.ui.workbench import desk, draft
from dprelease.ui.workbench.add_dialog import NAMED
from dprelease.ui.workbench.statistic_draft import ConditionDraft, StatisticDraft
from dprelease.workspace import Workspace
from tests.bundle.kinds import IN_RHO, PLAN, STATISTICS, install, publish
from tests.pages.conftest import CopyOf, Opener, dialog, html, labels, words

SignIn = Callable[[], str]
BY_ID = {item["id"]: item for item in STATISTICS}


@pytest.fixture
def kinds(copy_of: CopyOf, sign_in: SignIn) -> Workspace:
    """A workspace in which every kind can be planned."""
    workspace = copy_of("kinds", install)
    sign_in()
    return workspace


@pytest.fixture
def published(copy_of: CopyOf, sign_in: SignIn) -> Workspace:
    """A workspace with a release of every kind, without charts: no page draws them."""
    workspace = copy_of("published", publish_all)
    sign_in()
    return workspace


def publish_all(workspace: Workspace) -> None:
    install(workspace)
    for plan in (PLAN, IN_RHO):
        publish(workspace, {**plan, "charts": False})


def in_hand(*statistics: dict[str, Any], base: dict[str, Any] = PLAN, **changes: Any) -> dict[str, Any]:
    """A tab with a plan of some statistics in hand, their options shown."""
    plan = {**deepcopy(base), **changes}
    if statistics:
        plan["statistics"] = [dict(item) for item in statistics]
    held = draft.Draft.from_plan(Plan.parse(plan))
    return {session.DRAFT: held}


def kept(page: AppTest) -> draft.Draft:
    held: draft.Draft = page.session_state[session.DRAFT]
    return held


def choose(page: AppTest, label: str, value: Any) -> AppTest:
    next(box for box in page.selectbox if box.label == label).set_value(value)
    return page.run()


def press(page: AppTest, label: str) -> AppTest:
    next(button for button in page.button if button.label == label).click()
    return page.run()


def number(page: AppTest, label: str) -> Any:
    return next(field for field in page.number_input if field.label == label)


def edited(page: AppTest, name: str) -> str:
    """What the dialog of one statistic says."""
    held = kept(page)
    held.selected = held.statistics[held.ids().index(name)].key
    return words(dialog(page, "edit"))


@pytest.mark.one_in(36)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_statistic_of_each_kind_is_added_and_says_what_it_needs(kind: str, kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand(BY_ID["n"])), "add")
    page.pills[0].set_value(NAMED).run()
    choose(page, WORDS["statistic_add_kind"], kind)
    press(page, WORDS["statistic_add"])
    assert [item.kind for item in kept(page).statistics] == ["count", kind]
    shown = words(dialog(page, "edit"))
    assert WORDS["failed"] not in shown
    for key in KINDS[kind].required():
        assert f"<code>statistics[1].{key}" in html(page)


def toggled(page: AppTest, label: str) -> AppTest:
    next(toggle for toggle in page.toggle if toggle.label == label).set_value(True)
    return page.run()


def test_every_kind_is_priced_and_keeps_what_the_file_says(kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand()), "meaning")
    shown = words(page)
    assert WORDS["price_caption"] in shown
    assert WORDS["failed"] not in shown
    assert say("price_discovered") in shown
    assert WORDS["basis_bound"] in shown
    assert "None: computed of what is measured for" in shown
    assert WORDS["note_threshold"] in edited(page, "large")
    again = Plan.parse(kept(page).mapping(kinds.datasets.get("small"), kinds.populations.find()[1]))
    assert again == Plan.parse(PLAN)


@pytest.mark.full
def test_a_limit_says_what_it_limits(kinds: Workspace, visit: Opener) -> None:
    statistics = [BY_ID[name] for name in ("usual_region", "top_ages", "top_regions", "large", "range")]
    page = visit("workbench", state=in_hand(*statistics))
    shown = " ".join(edited(page, item["id"]) for item in statistics)
    for part in (
        "records fewer than the most common one.",
        "for all counts together.",
        "records more than one that is chosen.",
        "records from the threshold.",
        "a range that is left out holds at most",
    ):
        assert part in shown


@pytest.mark.full
def test_only_kinds_that_discover_are_offered_columns_to_discover(kinds: Workspace, visit: Opener) -> None:
    page = visit("workbench", state=in_hand(BY_ID["doctors"], BY_ID["usual_region"]))
    for name, offered in (("doctors", True), ("usual_region", False)):
        edited(page, name)
        (column,) = (box for box in page.selectbox if box.label == WORDS["option_column"])
        assert ("doctor" in column.options) is offered
    press(dialog(page, "rows"), WORDS["where_add"])
    where = next(box for box in page.selectbox if box.label == WORDS["where_column"])
    assert "doctor" not in where.options


def test_discovering_needs_a_delta_which_is_set_on_the_page(kinds: Workspace, visit: Opener) -> None:
    without = {**PLAN["privacy"], "delta": 0}
    page = dialog(visit("workbench", state=in_hand(BY_ID["doctors"], privacy=without, postprocess=None)), "meaning")
    assert "categories to discover, and a δ of 0" in words(page)
    next(field for field in page.text_input if field.label == WORDS["plan_delta"]).set_value("0.000001").run()
    assert "ε = 200, δ = 0.000001 per person" in words(page)


def test_a_share_follows_from_the_error_that_is_allowed(kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand(BY_ID["n"], postprocess=None)), "edit")
    choose(page, WORDS["share"], "target_error")
    assert WORDS["plan_needs_target"] in words(page)
    number(page, WORDS["share_target_value"]).set_value(60)
    page.run()
    assert "± 60 records" in words(page)
    assert kept(page).statistics[0].mapping("n")["target_error"] == {"value": 60, "confidence": 0.95}
    number(page, WORDS["share_confidence"]).set_value(0.99)
    page.run()
    assert kept(page).statistics[0].confidence == 0.99


def test_an_error_that_the_plan_cannot_reach_says_what_is_missing(kinds: Workspace, visit: Opener) -> None:
    small = {**PLAN["privacy"], "epsilon": 0.1}
    asked = {**BY_ID["n"], "target_error": {"value": 2}}
    page = visit("workbench", state=in_hand(asked, privacy=small, postprocess=None))
    assert f"<strong>{say('path_statistic', number=1)}: {WORDS['path_target_error']}</strong>" in html(page)
    assert "it is short by" in words(page)


def test_weights_and_post_processing_are_chosen_for_the_whole_plan(kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand(BY_ID["n"], BY_ID["income_mean"], postprocess=None)), "rows")
    choose(page, WORDS["plan_weights"], "equalise")
    steps = next(box for box in page.multiselect if box.label == WORDS["plan_postprocess"])
    steps.set_value(["nonnegative", "integer"])
    page.run()
    mapping = kept(page).mapping(kinds.datasets.get("small"), kinds.populations.find()[1])
    assert (mapping["weights"], mapping["postprocess"]) == ("equalise", ["nonnegative", "integer"])


@pytest.mark.full
def test_tables_that_would_err_less_together_are_planned_together_by_one_button(
    kinds: Workspace, visit: Opener
) -> None:
    columns: dict[str, Any] = {
        name: {"type": "category", "categories": [*codes], "count_missing_as": codes[0]}
        for name, codes in (("a", "12"), ("b", "12345"), ("c", "wxyz"), ("d", "abcdefghijkl"))
    }
    pairs = [{"kind": "crosstab", "columns": list(pair), "id": "".join(pair)} for pair in combinations("abcd", 2)]
    changes = {"columns": columns, "postprocess": None, "privacy": {**PLAN["privacy"], "epsilon": 1}}
    page = dialog(visit("workbench", state=in_hand(BY_ID["n"], *pairs, **changes)), "rows")
    found = re.search(
        r"6 tables of counts would be off by at most ([0-9.]+), and agree .* Now by ([0-9.]+)", words(page)
    )
    assert found is not None
    press(page, say("together_do", count=6))
    assert kept(page).ids() == [BY_ID["n"]["id"], "tables"]
    dataset, population = kinds.datasets.get("small"), kinds.populations.find()[1]
    mapping = kept(page).mapping(dataset, population)
    error = kinds.price(Plan.parse(mapping), actor=OWNER)["tables"].error95
    assert float(found[1]) == pytest.approx(error, rel=0.05)
    assert float(found[1]) < 0.95 * float(found[2])
    assert say("together_do", count=6) not in labels(page, "button")


def test_a_new_plan_makes_errors_least_where_rows_are_expected_and_says_what_else_would_be(
    kinds: Workspace, visit: Opener
) -> None:
    dataset, population = kinds.datasets.get("small"), kinds.populations.find()[1]
    page = dialog(visit("workbench", state=in_hand(BY_ID["n"], BY_ID["income_mean"], postprocess=None)), "rows")
    said = re.compile("least certain statistic is expected to be off by ([0-9.]+) %; .* least in all, by ([0-9.]+) %")
    now, other = map(float, said.search(words(page)).groups())  # type: ignore[union-attr]
    assert now >= other
    choose(page, WORDS["plan_weights"], draft.ITSELF)
    held = kept(page)
    assert held.mapping(dataset, population)["weights"] == "minimise"
    page.run()
    assert f"own weights, by {now:g} %" in words(page)
    held.statistics[0].weight = 3
    assert "weights" not in held.mapping(dataset, population)
    held.statistics[0].weight = 1
    held.expected_rows = None
    assert "weights" not in held.mapping(dataset, population)
    assert draft.Draft().weights == draft.ITSELF


def test_groups_of_a_unit_are_limited(kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand(BY_ID["people"])), "rows")
    number(page, say("plan_max_groups", unit="person")).set_value(2)
    page.run()
    mapping = kept(page).mapping(kinds.datasets.get("small"), kinds.populations.find()[1])
    assert mapping["privacy"]["unit"] == {"column": "pid", "max_rows": 2, "max_groups": 2}


def test_the_records_of_a_share_are_chosen_line_by_line(kinds: Workspace, visit: Opener) -> None:
    bare = draft.Draft.from_plan(Plan.parse({**PLAN, "statistics": [BY_ID["n"]]}))
    bare.statistics = [StatisticDraft("proportion")]
    page = dialog(visit("workbench", state={session.DRAFT: bare}), "edit")
    choose(page, WORDS["where_column"], "region")
    choose(page, WORDS["where_test"], "equals")
    choose(page, WORDS["where_value"], "south")
    assert kept(page).statistics[0].mapping("p")["where"] == [{"column": "region", "equals": "south"}]
    assert "with 95 % confidence" in words(page)
    press(page, WORDS["where_add"])
    held = kept(page).statistics[0].options["where"]
    assert len(held) == 2
    assert all(isinstance(item, ConditionDraft) for item in held)


def test_values_of_a_condition_from_a_file_are_kept(kinds: Workspace, visit: Opener) -> None:
    where = [{"column": "member", "equals": True}, {"column": "age", "in": [30, 40]}]
    page = dialog(visit("workbench", state=in_hand({"id": "p", "kind": "proportion", "where": where})), "edit")
    assert kept(page).statistics[0].mapping("p")["where"] == where
    assert "with 95 % confidence" in words(page)


def test_questions_are_written_as_in_a_plan_file(kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand(BY_ID["large"])), "edit")
    area = next(box for box in page.text_area if box.label == WORDS["option_questions"])
    assert area.value.startswith("questions:\n- label: in the north\n")
    assert kept(page).statistics[0].options["questions"] == BY_ID["large"]["questions"]
    area.set_value("questions:\n- label: [").run()
    assert re.search(r"questions ?: found .* at line [0-9]+", words(page))
    assert f"<strong>{say('path_statistic', number=1)}: {WORDS['option_questions']}</strong>" in html(page)
    (typed,) = (box.value for box in page.text_area if box.label == WORDS["option_questions"])
    assert typed == "questions:\n- label: [", "what was typed stays"


def test_questions_are_filled_in_from_a_column(kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand(BY_ID["large"])), "edit")
    choose(page, WORDS["questions_fill"], "sex")
    asked = kept(page).statistics[0].options["questions"]
    assert asked == [{"label": name, "where": [{"column": "sex", "equals": name}]} for name in ("F", "M")]
    assert "95 % confidence" in words(page)


@pytest.mark.full
def test_other_figures_are_shown_on_request_and_never_charged(kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand()), "meaning")
    assert WORDS["figures_note"] in words(page)
    assert WORDS["figures_pld"] not in words(page)
    shown = words(toggled(page, WORDS["figures_show"]))
    for key in ("figures_basic", "figures_renyi", "figures_advanced", "figures_pld"):
        assert WORDS[key] in shown
    number(page, WORDS["figures_delta"]).set_value(1e-9)
    page.run()
    assert "leaves nothing beside" in words(page)
    assert kinds.populations.budget("few").charges == 0


@pytest.mark.full
def test_a_plan_is_attacked_on_request(kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand(*STATISTICS[:3], postprocess=None)), "meaning")
    assert WORDS["attack_caption"] not in words(page)
    shown = words(toggled(page, WORDS["attack_show"]))
    for key in ("attack_caption", "attack_bound", "attack_any", "attack_worst", "attack_ordinary", "attack_parts"):
        assert WORDS[key] in shown
    chosen = next(each for each in page.multiselect if each.key.endswith("-attack-columns"))
    before = list(chosen.options)
    chosen.set_value(before).run()
    assert not page.exception
    assert "that you stated" in words(page)
    assert all(f"{name}: " in words(page) for name in before)
    assert kinds.populations.budget("few").charges == 0


def test_a_plan_in_rho_is_priced_in_rho(kinds: Workspace, visit: Opener) -> None:
    page = dialog(visit("workbench", state=in_hand(base=IN_RHO)), "meaning")
    shown = words(page)
    assert "ε = 4, δ = 0.000001 per respondent" in shown
    assert "It counts as ρ = " in shown
    assert f"{WORDS['price_loss_rho']} {WORDS['price_error']}" in shown
    assert "ρ = 0" in shown
    another = visit("workbench", state=in_hand(base={**IN_RHO, "title": "Another"}))
    labelled = labels(dialog(another, "publish"), "button")
    assert any(
        label.startswith("Publish and spend ε = 3.99") or label == say("publish_button", epsilon=4)
        for label in labelled
    )


# Preview and release


@pytest.mark.full
@pytest.mark.parametrize("base", [PLAN, IN_RHO], ids=["pure", "zcdp"])
def test_every_kind_is_looked_at(
    base: dict[str, Any], kinds: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Mapping[str, Any]] = []
    monkeypatch.setattr(desk, "bench", lambda data, **_: given.append(data))
    page = visit("workbench", state=in_hand(base=base))
    page.segmented_control[0].set_value("true").run()
    for item, name in zip(kept(page).statistics, kept(page).ids(), strict=True):
        kept(page).selected = item.key
        shown = words(dialog(page, "sources"))
        assert WORDS["failed"] not in shown
        assert WORDS["failed"] not in words(dialog(page, "exact"))
        assert given[-1]["open"]["statistic"] == name
        assert given[-1]["open"]["law"] or given[-1]["open"]["ladder"], name


@pytest.mark.full
def test_every_kind_is_read(published: Workspace, visit: Opener) -> None:
    for release in published.releases.find():
        page = visit("releases", query={"release": release.id})
        assert WORDS["failed"] not in words(page)
        assert f"/own/release/{release.id}/" in html(page)


def test_the_ledger_has_charges_in_both_currencies(published: Workspace, visit: Opener) -> None:
    page = visit("budget")
    shown = words(page)
    for number in page.number_input:  # of the page of events, where there are several: the last one has the first
        shown += words(number.set_value(int(number.max)).run())
    rho = published.populations.budget("asked").spent.rho
    assert re.search(rf"Budget charged, asked, plan-[0-9a-f]{{12}}ρ = {computed(rho)}, δ = 0", shown)
    assert re.search(r"Budget charged, few, plan-[0-9a-f]{12}ε = 200, δ = 0", shown)
    assert html(page).count('class="dp-gauge"') == len(published.populations.find())


# Columns


def test_a_column_is_declared_to_be_discovered_and_to_have_a_value_for_what_is_missing(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    sign_in()
    install(own_workspace)
    before = own_workspace.datasets.get("small").schema
    page = visit("tables", query={"dataset": "small"}, state={"sheet-small": True})
    rows = page.dataframe[0].value.set_index("name").to_dict("index")
    assert (rows["doctor"]["discover"], rows["doctor"]["categories"]) == (True, "")
    assert (rows["region"]["discover"], rows["region"]["count_missing_as"]) == (False, "north")
    press(page, WORDS["columns_save"])
    assert own_workspace.datasets.get("small").schema == before
