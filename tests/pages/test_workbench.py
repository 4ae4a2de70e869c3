"""The workbench around its component, which is played here: what it is given, and what it sends, change the draft."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dprelease.errors import InputError
from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.model.schema import Schema
from dprelease.store import previews
from dprelease.ui.bench.events import Events
from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, say
from dprelease.ui.workbench import desk, draft, sources
from dprelease.ui.workbench.saving import written
from dprelease.ui.workbench.statistic_draft import StatisticDraft, grouped, statistic_draft
from dprelease.ui.workbench.steps import coarser, without_key
from dprelease.workspace import Workspace
from dprelease.workspace.look import PlanPreview
from tests.pages.conftest import (
    COLUMNS,
    PLAN,
    Opener,
    SignIn,
    choose,
    dialog,
    go,
    html,
    in_hand,
    labels,
    press,
    words,
)

ROWS = {"id": "rows", "kind": "synthetic", "columns": ["age", "region"], "bins": {"age": 4}, "rows": 20}
ANN, BEN = Actor("ann", frozenset({Role.CURATOR})), Actor("ben", frozenset({Role.REVIEWER}))


class Played:
    """Stands for the component: keeps what it was given, and sends what a test has it send."""

    def __init__(self) -> None:
        self.data: Mapping[str, Any] = {}
        self.key = ""
        self.sent: list[Events] = []

    def __call__(self, data: Mapping[str, Any], *, key: str, on_event: Callable[[Events], None]) -> None:
        self.data, self.key = data, key
        if self.sent:
            on_event(self.sent.pop(0))
            st.rerun()

    def send(self, page: AppTest, **what: Any) -> AppTest:
        self.sent.append(Events(**what))
        return page.run()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Played:
    played = Played()
    monkeypatch.setattr(desk, "bench", played)
    return played


def kept(page: AppTest) -> draft.Draft:
    held: draft.Draft = page.session_state[session.DRAFT]
    return held


def ids(page: AppTest) -> list[str]:
    return kept(page).ids()


def kinds(workspace: Workspace) -> list[str]:
    return [event.kind for event in workspace.ledger.events() if event.kind.startswith("preview")]


def true_values(page: AppTest) -> AppTest:
    return page.segmented_control[0].set_value("true").run()


def swept(epsilon: float, least: float, most: float, looks: int = 2) -> dict[str, Any]:
    return {"epsilon": epsilon, "least": least, "most": most, "looks": looks, "view": "beside", "statistic": "n"}


# What is looked at


def test_it_opens_with_a_look_alike_and_tells_the_ledger_nothing(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    visit("workbench", state=in_hand())
    assert (bench.data["mode"], bench.data["open"]["statistic"]) == ("invented", "n")
    assert bench.data["open"]["drawn"]["epsilon"] == 1
    assert kinds(small) == []


def test_true_values_are_one_click_and_every_look_is_in_the_ledger(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    page = true_values(visit("workbench", state=in_hand()))
    assert kinds(small) == ["preview_taken"]
    assert (bench.data["mode"], bench.data["open"]["true"]) == ("true", [80])
    assert bench.key.endswith("true"), "another key: nothing of the look-alike stays in the page's memory"
    bench.send(page, look=swept(0.5, 0.3, 1.0))
    assert kinds(small) == ["preview_taken", "preview_swept"]
    assert (kept(page).epsilon, bench.data["epsilon"]["value"]) == (0.5, 0.5)
    body = small.ledger.events()[-1].body
    assert (body["epsilon_nano_from"], body["epsilon_nano_to"]) == (300_000_000, 1_000_000_000)
    bench.send(page, open="ages")
    assert kinds(small) == ["preview_taken", "preview_swept"], "the first pause told of all that was seen of it"
    bench.send(page, open="mean_age")
    assert [event.body["statistic"] for event in small.ledger.events()[-1:]] == ["ages"]
    page.segmented_control[0].set_value("invented").run()
    assert small.ledger.events()[-1].body["statistic"] == "mean_age"
    assert bench.data["mode"] == "invented"


def test_each_table_of_a_family_can_be_looked_at_and_every_look_is_in_the_ledger(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    family = {"id": "both", "kind": "workload", "columns": ["age", "region"], "bins": {"age": 4}}
    plan = {**PLAN, "statistics": [family, {"id": "n", "kind": "count"}]}
    page = true_values(visit("workbench", state=in_hand(plan)))
    tables = next(box for box in page.selectbox if box.label == say("bench_table", count=3))
    assert tables.options == ["age", "region", "age × region"]
    assert (bench.data["open"]["name"], len(bench.data["open"]["cells"])) == ("both.age", 4)
    tables.set_value("both.age_region").run()
    assert (bench.data["open"]["name"], len(bench.data["open"]["cells"])) == ("both.age_region", 8)
    before = bench.data["open"]["drawn"]
    bench.send(page, draw=1)
    assert bench.data["open"]["name"] == "both.age_region"
    assert bench.data["open"]["drawn"] != before
    bench.send(page, open="n")
    assert bench.data["open"]["name"] == "n"
    assert not [box for box in page.selectbox if box.label == say("bench_table", count=3)]
    event = small.ledger.events()[-1]
    assert (event.kind, event.body["statistic"], event.body["looks"]) == ("preview_swept", "both", 3)


@pytest.mark.full
def test_tables_of_synthetic_rows_are_called_by_their_columns_and_nothing_of_them_is_taken_away(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    page = true_values(visit("workbench", state=in_hand({**PLAN, "statistics": [ROWS]})))
    tables = next(box for box in page.selectbox if box.label == say("bench_table", count=4))
    assert tables.options == ["age", "region", "age × region", say("bench_rows_report")]
    tables.set_value("rows.age_region").run()
    assert len(bench.data["open"]["cells"]) == 8
    tables.set_value("rows.report").run()
    assert bench.data["open"]["name"] == "rows.report"
    assert not page.exception
    assert not [*page.get("download_button"), *page.dataframe]


@pytest.mark.full
@pytest.mark.parametrize("others", [[], [{**ROWS, "id": "more", "columns": ["region", "age"]}]])
def test_true_tables_stand_beside_the_rows_of_the_draw_that_is_looked_at(
    others: list[dict[str, Any]], small: Workspace, visit: Opener, bench: Played
) -> None:
    page = true_values(visit("workbench", state=in_hand({**PLAN, "statistics": [ROWS, *others]})))
    dialog(page, "beside")
    assert say("beside_true_note") in words(page)
    assert say("beside_warning") in words(page)
    assert len([box for box in page.selectbox if box.label == say("beside_of")]) == len(others)
    choose(page, say("beside_which"), "age_region")
    assert html(page).count("data:image/svg+xml") == 1
    look = page.session_state[session.PREVIEW].look
    true = look.rows_beside("rows").true["age_region"]
    told = [f"{100 * value / sum(true.value):.4g}" for value in true.value]
    assert all(f">{share}<" in html(page) for share in told), told
    assert not [*page.get("download_button"), *page.dataframe]
    assert small.ledger.events()[-1].kind == "preview_taken"
    page.segmented_control[0].set_value("invented").run()
    event = small.ledger.events()[-1]
    assert (event.kind, event.body["statistic"], event.body["looks"]) == ("preview_swept", "rows", 2)
    dialog(page, "beside")
    assert say("bench_sources_first") in words(page)
    assert say("beside_true_note") not in words(page)


def test_a_curator_whose_plan_nobody_may_approve_is_told_before_it_is_published(
    small: Workspace, visit: Opener, bench: Played, sign_in: SignIn
) -> None:
    onwards = next(each for each in visit("workbench", state=in_hand()).button if each.key == "bench-onwards")
    assert not onwards.disabled, "the owner decides alone"
    sign_in(ANN)
    onwards = next(each for each in visit("workbench", state=in_hand()).button if each.key == "bench-onwards")
    assert onwards.disabled
    assert onwards.help == say("bench_shut_alone")


def test_a_plan_without_rows_has_nothing_to_stand_beside(small: Workspace, visit: Opener, bench: Played) -> None:
    page = true_values(visit("workbench", state=in_hand()))
    assert say("beside_none") in words(dialog(page, "beside"))


ROWS_REFUSED = (
    {"columns": ["age", "pay"]},
    {"columns": ["age"], "rows": 1_000_001},
    {"columns": ["one", "two"]},
    {"columns": ["age", "region"], "method": "mwem", "source": "tables"},
    {"columns": ["age"], "order": 1, "method": "mwem"},
)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("asked", ROWS_REFUSED)
def test_rows_that_cannot_be_made_are_not_published_from_here(
    small: Workspace, visit: Opener, bench: Played, asked: dict[str, Any]
) -> None:
    listed = {"type": "category", "categories": [str(place) for place in range(5000)]}
    columns = {"pay": {"type": "number", "lower": 0, "upper": 9}, "one": listed, "two": dict(listed)}
    table = pandas.DataFrame({name: ["1"] for name in [*columns, *COLUMNS]})
    small.add_dataset("wide", table, columns={**COLUMNS, **columns}, epsilon=3)
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    good = {"id": "rows", "kind": "synthetic", "columns": ["region"]}
    page = visit("workbench", state=in_hand({**PLAN, "dataset": "wide", "privacy": privacy, "statistics": [good]}))
    kept(page).statistics[0].options.update(asked)
    page.run()
    assert [row["problem"] for row in bench.data["statistics"]] == [WORDS["bench_mend"]]
    assert next(button for button in page.button if button.label == WORDS["bench_publish"]).disabled
    assert "charge" not in [event.kind for event in small.ledger.events()]


def test_leaving_the_page_is_the_end_of_a_look(small: Workspace, visit: Opener, bench: Played) -> None:
    page = true_values(visit("workbench", state=in_hand()))
    go(page, "releases")
    assert kinds(small) == ["preview_taken", "preview_swept"]
    assert session.PREVIEW not in page.session_state
    go(page, "workbench")
    assert bench.data["mode"] == "invented", "and true values are asked for anew"


@pytest.mark.parametrize("end", ["none", "blind", "signed out", "no curator"])
def test_true_values_are_let_go_where_they_may_not_be_seen_any_more(
    end: str, small: Workspace, visit: Opener, bench: Played, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = true_values(visit("workbench", state=in_hand()))
    assert page.session_state[session.PREVIEW].mode == "true"
    if end in ("none", "blind"):
        small.plans.set_preview_policy(end)
    elif end == "signed out":
        monkeypatch.setattr(session, "cookies", dict)
    else:
        small.people.invite("rita", [Role.REVIEWER])
        sign_in(Actor("rita", frozenset({Role.REVIEWER})))
    page.run()
    assert session.PREVIEW not in page.session_state or page.session_state[session.PREVIEW].mode == "invented"


def test_another_epsilon_takes_no_look_and_other_bins_do(small: Workspace, visit: Opener, bench: Played) -> None:
    page = true_values(visit("workbench", state=in_hand()))
    bench.send(page, look=swept(2.0, 1.0, 2.0))
    assert kinds(small).count("preview_taken") == 1
    kept(page).statistics[1].options["bins"] = 5
    page.run()
    assert kinds(small).count("preview_taken") == 2


def told(workspace: Workspace, page: AppTest) -> str | None:
    """How far the plan in hand would be said to come after a look."""
    dataset = workspace.datasets.get("small")
    population = workspace.populations.of("small")
    return workspace.plans.told_of_previews(Plan.parse(kept(page).mapping(dataset, population))).changed


def test_an_epsilon_that_is_undone_while_true_values_are_shown_is_a_look(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    page = visit("workbench", state=in_hand())
    bench.send(page, look=swept(0.5, 0.5, 1.0))
    true_values(page)
    assert told(small, page) == "nothing"
    bench.send(page, undo=True)
    last = small.ledger.events()[-1]
    assert (last.kind, last.body["epsilon_nano_to"], bench.data["open"]["drawn"]["epsilon"]) == (
        "preview_swept",
        1_000_000_000,
        1,
    )
    bench.send(page, redo=True)
    assert told(small, page) == "budget", "ε 1 was seen in between"


def test_shares_that_are_tried_while_true_values_are_shown_are_a_look(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    page = true_values(visit("workbench", state=in_hand()))
    kept(page).statistics[0].weight = 9
    page.run()
    assert len({event.body["plan_hash"] for event in small.ledger.events() if event.kind.startswith("preview")}) == 2
    kept(page).statistics[0].weight = 1
    page.run()
    assert told(small, page) == "budget"


def test_a_pause_of_the_slider_is_told_once(small: Workspace, visit: Opener, bench: Played) -> None:
    page = true_values(visit("workbench", state=in_hand()))
    bench.send(page, look=swept(0.5, 0.3, 1.0))
    bench.send(page, look=swept(0.8, 0.5, 0.8))
    assert kinds(small) == ["preview_taken", "preview_swept", "preview_swept"]


def test_where_a_look_can_not_be_told_nothing_more_is_shown(
    small: Workspace, visit: Opener, bench: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = true_values(visit("workbench", state=in_hand()))
    before = bench.data

    def refused(*_: Any, **__: Any) -> None:
        raise InputError("previews", found="a full disk", allowed="a line of the ledger")

    monkeypatch.setattr(previews, "swept", refused)
    kept(page).epsilon = 2
    page.run()
    assert bench.data is before or bench.data["open"] is None


@pytest.mark.one_in(6)
@pytest.mark.parametrize("epsilon", [-1, "-1", 1e-9, "nan", "1,5", 1e300])
def test_a_draft_with_an_epsilon_that_is_none_still_opens(
    epsilon: Any, small: Workspace, visit: Opener, bench: Played
) -> None:
    page = visit("workbench", state=in_hand())
    kept(page).epsilon = epsilon
    page.run()
    assert not page.exception
    assert len(bench.data["epsilon"]["steps"]) < 1000


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["sources", "exact", "beside"])
@pytest.mark.parametrize("policy", ["blind", "none"])
def test_a_dialog_that_is_open_shows_no_true_value_once_the_policy_is_another(
    policy: str, name: str, small: Workspace, visit: Opener, bench: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = true_values(visit("workbench", state=in_hand({**PLAN, "statistics": [ROWS, *PLAN["statistics"]]})))
    page.session_state[session.DIALOG] = name
    monkeypatch.setattr(desk, "save", lambda draft: small.plans.set_preview_policy(policy))
    shown: list[Any] = []
    monkeypatch.setattr(sources, "rows", lambda *found: shown.append(found))
    monkeypatch.setattr(PlanPreview, "exact_tables", shown.append)
    monkeypatch.setattr(PlanPreview, "rows_beside", lambda *found: shown.append(found))
    monkeypatch.setattr(desk, "_bench", lambda found: None)  # a dialog runs alone
    page.run()
    assert not shown
    assert session.PREVIEW not in page.session_state


def test_where_previews_are_blind_there_is_no_choice_and_nothing_of_the_rows(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    small.plans.set_preview_policy("blind")
    page = visit("workbench", state=in_hand())
    assert not page.segmented_control
    given = dict(bench.data)
    small.datasets.replace_rows("small", b_rows())
    visit("workbench", state=in_hand())
    again = dict(bench.data)
    for data in (given, again):
        data["open"] = {name: value for name, value in data["open"].items() if name != "drawn"}
    assert given == again, "the same for other rows, but for the draw"
    assert kinds(small) == []


def b_rows() -> Any:
    import pandas

    return pandas.DataFrame({"pid": ["a", "b"], "age": [1, 2], "region": ["n", "n"]})


def test_where_nothing_is_previewed_there_are_prices_alone(small: Workspace, visit: Opener, bench: Played) -> None:
    small.plans.set_preview_policy("none")
    page = visit("workbench", state=in_hand())
    assert not page.segmented_control
    assert bench.data["open"] is None
    assert [each for each in bench.data["statistics"][0]["error"] if each], "errors are foreseen all the same"
    assert bench.data["flags"]["looks"] == WORDS["bench_no_looks"]


# The draft


def test_an_epsilon_that_is_let_go_is_saved_and_undone(small: Workspace, visit: Opener, bench: Played) -> None:
    page = visit("workbench", state=in_hand())
    bench.send(page, look=swept(0.5, 0.5, 1.0))
    (saved,) = small.plans.drafts.find()
    assert saved.body["epsilon"] == 0.5
    bench.send(page, look=swept(0.25, 0.25, 0.5))
    assert bench.data["flags"]["undo"]
    bench.send(page, undo=True)
    assert small.plans.drafts.find()[0].body["epsilon"] == 0.5
    assert bench.data["flags"]["redo"]
    bench.send(page, redo=True)
    assert (kept(page).epsilon, bench.data["epsilon"]["value"]) == (0.25, 0.25)
    assert not bench.data["flags"]["redo"]


@pytest.mark.full
def test_statistics_are_copied_moved_and_removed(small: Workspace, visit: Opener, bench: Played) -> None:
    page = visit("workbench", state=in_hand())
    bench.send(page, duplicate="ages")
    assert len(ids(page)) == 4
    assert bench.data["selected"] == ids(page)[2]
    copy = ids(page)[2]
    bench.send(page, move=(copy, 0))
    assert ids(page)[0] == copy
    bench.send(page, remove=copy)
    assert ids(page) == ["n", "ages", "mean_age"]
    bench.send(page, undo=True)
    assert len(ids(page)) == 4
    for _ in range(2):
        bench.send(page, undo=True)
    assert ids(page) == ["n", "ages", "mean_age"]
    bench.send(page, redo=True)
    assert len(ids(page)) == 4


def test_what_is_wrong_stands_on_its_row_with_the_button_that_mends_it(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    page = visit("workbench", state=in_hand())
    kept(page).statistics[1].options["bins"] = 1000
    page.run()
    rows = bench.data["statistics"]
    assert [row["problem"] for row in rows] == [None, WORDS["bench_mend"], None]
    assert next(button for button in page.button if button.label == WORDS["bench_publish"]).disabled
    press(page, WORDS["bench_mend_it"])
    assert kept(page).chosen == 1
    assert WORDS["bench_done"] in labels(page, "button"), "its options are open"


def test_more_than_is_left_shuts_the_button_and_says_so(small: Workspace, visit: Opener, bench: Played) -> None:
    page = visit("workbench", state=in_hand({**PLAN, "privacy": {**PLAN["privacy"], "epsilon": 5}}))
    assert "ε = 3" in bench.data["flags"]["over"]
    assert bench.data["epsilon"]["left"] == 3
    assert WORDS["bench_ask_cap"] in labels(page, "page_link")


def test_another_tab_does_not_overwrite(small: Workspace, visit: Opener, bench: Played) -> None:
    saved = small.plans.drafts.save(written(draft.Draft.from_plan(Plan.parse(PLAN))))
    page = visit("workbench", query={"draft": saved.id})
    small.plans.drafts.save({**saved.body, "title": "Other"}, draft_id=saved.id, revision=saved.revision)
    bench.send(page, look=swept(0.5, 0.5, 1.0))
    assert say("draft_stale") in words(page)
    assert WORDS["bench_is_unsaved"] in words(page)
    press(page, WORDS["draft_stale_keep"])
    assert {each.body["title"] for each in small.plans.drafts.find()} == {"Small", "Other"}


@pytest.mark.full
def test_three_hundred_statistics_are_listed(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener, bench: Played
) -> None:
    columns = {f"c{number}": {"type": "boolean"} for number in range(300)}
    own_workspace.add_population("few", unit="row", neighbors="add_remove", epsilon=3)
    path = (own_workspace.home or 0) / "wide.csv"  # type: ignore[operator]
    path.write_text(",".join(columns) + "\n" + ",".join(["true"] * 300) + "\n")
    own_workspace.add_dataset("wide", path, population="few", columns=columns)
    sign_in()
    page = visit("workbench")
    press(page, say("bench_add_all", 301, count="301"))
    assert len(bench.data["statistics"]) == 301
    assert bench.data["open"] is not None


# Beginning


def test_a_table_proposes_statistics_each_with_its_error(small: Workspace, visit: Opener, bench: Played) -> None:
    small.datasets.set_terms("small", max_rows=2)
    page = visit("workbench")
    assert WORDS["bench_proposed"] in words(page)
    assert labels(page, "button").count(WORDS["bench_add_it"]) == 4
    press(page, WORDS["bench_add_it"])
    assert [item.kind for item in kept(page).statistics] == ["count"]
    assert bench.data["selected"] == ids(page)[0]


def test_all_proposals_have_a_group_of_no_answer_and_one_check_of_the_other_columns(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    page = visit("workbench")
    press(page, say("bench_add_all", 4, count="4"))
    plan = kept(page)
    found = {item.kind: item.mapping(item.kind) for item in plan.statistics}
    assert found["histogram"]["missing"] == {"region": "group"}
    assert found["answered"]["columns"] == ["age"]
    assert found["answered"]["weight"] == pytest.approx(0.03 / 0.97 * 3, abs=1e-4)


@pytest.mark.parametrize("policy", ["blind", "none"])
def test_where_no_true_value_is_shown_a_plan_of_its_own_checks_how_the_table_is_read(
    policy: str, small: Workspace, visit: Opener, bench: Played
) -> None:
    page = visit("workbench")
    assert WORDS["bench_check_first"] not in labels(page, "button"), "whoever sees true values has the report"
    small.plans.set_preview_policy(policy)
    page = visit("workbench")
    page.selectbox(key="check-column-small").select("region").run()
    press(page, WORDS["bench_check_first"])
    plan = kept(page)
    asked = [item.mapping("") for item in plan.statistics]
    assert [(item["columns"], item.get("detail")) for item in asked] == [(["age", "region"], None), (["region"], True)]
    assert plan.epsilon == 0.05
    assert len(bench.data["statistics"]) == 2
    assert not bench.data["flags"]["over"]
    assert plan.saved is not None


def test_a_plan_that_says_nothing_of_rows_without_an_answer_stays_so_in_the_form() -> None:
    schema, stated = Schema.parse(COLUMNS), {"id": "n", "kind": "count", "by": ["region"]}
    draft = statistic_draft(stated)
    assert draft.mapping("n") == stated
    assert statistic_draft(grouped(stated, schema)).mapping("n") == stated | {"missing": {"region": "group"}}
    assert grouped({"kind": "histogram", "column": "age"}, schema) == {
        "kind": "histogram",
        "column": "age",
    }
    draft.options["by"] = ["age"]
    draft.options["missing"] = {"region": "group", "age": ""}
    assert draft.mapping("n") == stated | {"by": ["age"]}


def test_tables_whose_columns_are_not_declared_are_named(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    own_workspace.add_population("few", unit="row", neighbors="add_remove", epsilon=3)
    path = (own_workspace.home or 0) / "bare.csv"  # type: ignore[operator]
    path.write_text("a\n1\n")
    own_workspace.add_dataset("bare", path, population="few")
    sign_in()
    shown = words(visit("workbench"))
    assert WORDS["bench_no_table"] in shown
    assert say("bench_undeclared", names="bare") in shown


def test_a_returned_plan_opens_with_its_remarks(
    small: Workspace, sign_in: SignIn, visit: Opener, bench: Played
) -> None:
    small.people.require_two_people()
    plan_id = small.plans.submit(Plan.parse(PLAN), actor=ANN)
    small.plans.return_plan(plan_id, comment="Which year?", remarks={"ages": "Fewer bins."}, actor=BEN)
    sign_in(ANN)
    page = visit("workbench", state=in_hand())
    assert "Which year?" in words(page)
    assert "Fewer bins." in words(page)
    assert WORDS["bench_is_returned"] in words(page)
    kept(page).title = "Small of 2025"
    page.run()
    assert WORDS["bench_send"] in labels(page, "button")


# Dialogs


def test_a_question_and_columns_lead_to_a_statistic_with_its_error_first(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    page = dialog(visit("workbench", state=in_hand()), "add")
    page.pills[0].set_value("compare").run()
    assert next(button for button in page.button if button.label == WORDS["statistic_add"]).disabled
    next(box for box in page.multiselect if box.label == WORDS["goal_columns"]).set_value(["age", "region"]).run()
    assert "3 numbers, about ±" in words(dialog(page, "add"))
    press(page, WORDS["statistic_add"])
    added = kept(page).statistics[-1]
    assert (added.kind, added.options["column"], added.options["by"]) == ("mean", "age", ["region"])
    assert added.options["missing"] == {"region": "group"}
    assert bench.data["selected"] == ids(page)[-1]


@pytest.mark.full
def test_epsilon_is_typed_with_a_comma_where_it_can_be_nothing_else(
    small: Workspace, visit: Opener, bench: Played
) -> None:
    page = dialog(visit("workbench", state=in_hand()), "meaning")
    for typed, epsilon in (("1,5", 1.5), ("0.25", 0.25), ("much", 0.25), ("1,500", 0.25)):
        next(field for field in page.text_input if field.label == WORDS["plan_epsilon"]).set_value(typed).run()
        assert kept(page).epsilon == epsilon, typed
        dialog(page, "meaning")
    assert "You wrote 1,500: did you mean 1.5" in words(page)


def test_the_plan_goes_out_as_a_file_and_comes_back(small: Workspace, visit: Opener, bench: Played) -> None:
    page = dialog(visit("workbench", state=in_hand()), "file")
    text = next(area for area in page.text_area if area.label == WORDS["plan_text"])
    text.set_value(text.value.replace("epsilon: 1\n", "epsilon: 2\n"))
    press(page, WORDS["plan_apply"])
    assert bench.data["epsilon"]["value"] == 2
    bench.send(page, undo=True)
    assert bench.data["epsilon"]["value"] == 1, "which can be undone"


def test_a_cross_table_of_three_keys_can_do_without_any_of_them_and_no_other_table_can() -> None:
    """What was said of the key goes with it; nothing is offered where cells are no sums, or two keys are left."""
    options = {"columns": ["age", "region", "sex"], "bins": {"age": 5}, "missing": {"region": "group", "sex": "group"}}
    own = StatisticDraft("crosstab", options=options)
    assert tuple(coarser(own)) == ("age", "region", "sex")
    assert coarser(StatisticDraft("crosstab", options={**options, "margins": True})) == ()
    assert coarser(StatisticDraft("mean", options={"column": "age"})) == ()
    without_key(own, "sex")
    assert own.options["columns"] == ["age", "region"]
    assert own.options["missing"] == {"region": "group"}
    assert coarser(own) == ()
