"""Columns settled one by one: what is guessed and accepted, kept as it is typed, left out, pasted, and never unseen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.ui.data.pasted import read
from dprelease.ui.data.row import Row
from dprelease.ui.data.settling import State, accepted, proposed, state
from dprelease.ui.data.work import UNSETTLED, Work
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, SignIn, press, words, write

HEADER = ("person_id", "edad", "sexo", "fecha_alta", "coste", "zz1")


@pytest.fixture
def survey(own_workspace: Workspace, sign_in: SignIn, tmp_path: Any) -> Workspace:
    """A table of which nothing is declared."""
    own_workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=3)
    (tmp_path / "survey.csv").write_text(",".join(HEADER) + "\n1,2,3,4,5,6\n")
    own_workspace.add_dataset("survey", tmp_path / "survey.csv", population="few", unit_column="person_id", max_rows=1)
    sign_in()
    return own_workspace


def opened(visit: Opener) -> AppTest:
    return visit("data", query={"dataset": "survey"})


def work(page: AppTest) -> Work:
    found: Work = page.session_state["columns-survey-owner"]
    return found


def states(page: AppTest) -> dict[str, State]:
    return {name: work(page).state(name) for name in HEADER}


def settle(page: AppTest, name: str) -> AppTest:
    next(button for button in page.button if button.key == f"settle-{name}").click()
    return page.run()


def test_guesses_are_shown_and_nothing_is_declared_by_them(survey: Workspace, visit: Opener) -> None:
    page = opened(visit)
    assert list(states(page).values()) == [
        State.SETTLED,
        State.SURE,
        State.ASK,
        State.ASK,
        State.ASK,
        State.OPEN,
    ]
    said = words(page)
    assert f"{say('domain_range', lower='0', upper='120', unit='years')} · {WORDS['source_name']}" in said
    assert f"{WORDS['domain_which']} · {WORDS['source_name']}" in said
    assert WORDS["domain_none"] in said
    page = press(page, WORDS["columns_save"])
    assert not survey.datasets.get("survey").schema.columns
    assert survey.plans.drafts.find("columns") == []


def test_the_sure_ones_are_accepted_by_one_click_and_no_other(survey: Workspace, visit: Opener) -> None:
    page = press(opened(visit), say("columns_accept", 1, count=1))
    assert states(page)["edad"] is State.SETTLED
    assert [state for state in states(page).values() if state is State.ASK] == [State.ASK] * 3
    assert not survey.datasets.get("survey").schema.columns, "not before it is saved"
    page = press(page, WORDS["undo"])
    assert states(page)["edad"] is State.SURE
    press(press(page, WORDS["redo"]), WORDS["columns_save"])
    column = survey.datasets.get("survey").schema["edad"]
    assert (column.lower, column.upper, column.unit) == (0, 120, "years")


def test_a_column_is_settled_in_its_fields_and_the_next_one_opens(survey: Workspace, visit: Opener) -> None:
    page = settle(opened(visit), "coste")
    page = press(page, WORDS["column_right"])
    assert "<code>columns.coste</code>" in "".join(each.proto.body for each in page.get("html")), "no upper bound"
    assert states(page)["coste"] is State.ASK
    page = write(page, WORDS["column_upper"], "20000,5").run()
    page = write(page, WORDS["column_unit"], "EUR").run()
    assert states(page)["coste"] is State.ASK, "typed, and not yet said to be right"
    assert say("domain_range", lower="0", upper="20000,5", unit="EUR") in words(page), "as it was typed"
    assert survey.plans.drafts.find("columns")[0].body["rows"]["coste"]["unit"] == "EUR"
    page = press(page, WORDS["column_right"])
    assert states(page)["coste"] is State.SETTLED
    assert work(page).chosen == "zz1"
    press(page, WORDS["columns_save"])
    column = survey.datasets.get("survey").schema["coste"]
    assert (str(column.upper), column.unit) == ("20000.5", "EUR")


def test_a_usual_range_and_codes_are_one_click_each(survey: Workspace, visit: Opener) -> None:
    page = settle(opened(visit), "coste")
    usual = next(each for each in page.get("button_group") if each.label == WORDS["column_usual"])
    page = usual.set_value("money_1000").run()
    row = work(page).sheet.rows["coste"]
    assert (row.lower, row.upper, row.use) == ("0", "1000", False)
    codes = next(each for each in page.get("button_group") if each.label == WORDS["column_missing_codes"])
    page = codes.set_value(["-99", "NA"]).run()
    assert work(page).sheet.rows["coste"].missing_codes == "-99, NA"
    assert say("width_clip", lower="0", upper="1000") in words(page)
    page = press(page, WORDS["column_right"])
    press(page, WORDS["columns_save"])
    assert survey.datasets.get("survey").schema["coste"].to_mapping()["missing_codes"] == [-99, "NA"]


def test_what_wider_bounds_cost_is_said_by_price_alone(survey: Workspace, visit: Opener) -> None:
    page = settle(opened(visit), "edad")
    said = words(page)
    assert "Wider means more noise" in said
    assert survey.populations.budget("few").charges == 0
    assert not any(event.kind.startswith("preview") for event in survey.ledger.events())


def test_a_column_that_is_left_out_stays_so(survey: Workspace, visit: Opener) -> None:
    page = press(settle(opened(visit), "zz1"), WORDS["column_leave"])
    assert states(page)["zz1"] is State.SETTLED
    press(press(page, say("columns_accept", 1, count=1)), WORDS["columns_save"])
    page = opened(visit)
    assert states(page)["zz1"] is State.SETTLED
    assert WORDS["domain_left"] in words(page)
    assert "zz1" not in survey.datasets.get("survey").schema
    assert "columns_unsaved" not in words(page)


def test_only_what_is_to_settle_can_be_shown(survey: Workspace, visit: Opener) -> None:
    page = opened(visit)
    next(each for each in page.get("button_group") if each.label == WORDS["columns_view"]).set_value(UNSETTLED)
    page = page.run()
    assert [button.key for button in page.button if str(button.key).startswith("settle-")] == [
        f"settle-{name}" for name in HEADER[1:]
    ]


def test_a_list_is_pasted_after_its_preview(survey: Workspace, visit: Opener) -> None:
    page = opened(visit)
    next(each for each in page.get("button_group") if each.label == WORDS["columns_tools"]).set_value("paste")
    page = page.run()
    text = "name\tkind\tlow\thigh\n"
    text += "coste\tnumber\t0\t5000\nSEXO\tcategoría\t\t\tF|M\nfecha_alta\tdate\t\t\nother\tint\t0\t1"
    page = write(page, WORDS["paste_list"], text).run()
    assert say("import_unknown", columns="other") in words(page)
    page = press(page, say("import_apply", columns=say("columns", 3, count=3)))
    found = states(page)
    assert (found["coste"], found["sexo"], found["fecha_alta"]) == (State.SETTLED, State.SETTLED, State.ASK)
    assert work(page).sheet.rows["sexo"].categories == "F, M"
    press(page, WORDS["columns_save"])
    assert list(survey.datasets.get("survey").schema.columns) == ["sexo", "coste"]


def test_a_codebook_without_bounds_is_completed_from_the_name_and_what_is_typed_is_not() -> None:
    asked = replace(Row.of("edad", {"type": "integer", "upper": 90}), use=False, source="codebook")
    assert state(asked, None) is State.SURE
    assert (proposed(asked).lower, proposed(asked).upper) == ("0", "90")
    typed = Row("edad").changed({"type": "integer", "upper": "90", "use": False})
    assert state(typed, None) is State.ASK
    assert proposed(typed) == typed, "a field that somebody emptied stays empty"
    assert accepted(Row("dni")).left


def test_signs_between_cells_of_a_list_are_told_apart(survey: Workspace, visit: Opener) -> None:
    desk = work(opened(visit))
    for text in ("coste;number;0;1,5", "coste\tnumber\t0\t1,5", "coste|number|0|1.5", "coste,number,0,1.5"):
        (row,), unknown = read(text, desk)
        assert (row.mapping()["upper"], row.use, unknown) == ("1.5", True, [])
