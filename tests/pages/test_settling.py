"""Columns settled one by one: what is guessed and accepted, kept as it is typed, left out, pasted, and never unseen."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.model.separators import Ambiguous, settled_by
from dprelease.ui.data.pasted import Pasted, bounds, read
from dprelease.ui.data.row import Row
from dprelease.ui.data.settled_list import SettledColumns
from dprelease.ui.data.settling import SettlingState, accepted, proposed, state
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
    return visit("tables", query={"dataset": "survey"})


def work(page: AppTest) -> Work:
    found: Work = page.session_state["columns-survey-owner"]
    return found


def states(page: AppTest) -> dict[str, SettlingState]:
    return {name: work(page).state(name) for name in HEADER}


def settle(page: AppTest, name: str) -> AppTest:
    next(button for button in page.button if button.key == f"settle-{name}").click()
    return page.run()


def test_guesses_are_shown_and_nothing_is_declared_by_them(survey: Workspace, visit: Opener) -> None:
    page = opened(visit)
    assert list(states(page).values()) == [
        SettlingState.SETTLED,
        SettlingState.SURE,
        SettlingState.ASK,
        SettlingState.ASK,
        SettlingState.ASK,
        SettlingState.OPEN,
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
    assert states(page)["edad"] is SettlingState.SETTLED
    assert [state for state in states(page).values() if state is SettlingState.ASK] == [SettlingState.ASK] * 3
    assert not survey.datasets.get("survey").schema.columns, "not before it is saved"
    page = press(page, WORDS["undo"])
    assert states(page)["edad"] is SettlingState.SURE
    press(press(page, WORDS["redo"]), WORDS["columns_save"])
    column = survey.datasets.get("survey").schema["edad"]
    assert (column.lower, column.upper, column.unit) == (0, 120, "years")


def test_a_column_is_settled_in_its_fields_and_the_next_one_opens(survey: Workspace, visit: Opener) -> None:
    page = settle(opened(visit), "coste")
    page = press(page, WORDS["column_right"])
    assert "<code>columns.coste</code>" in "".join(each.proto.body for each in page.get("html")), "no upper bound"
    assert states(page)["coste"] is SettlingState.ASK
    page = write(page, WORDS["column_upper"], "20000,5").run()
    page = write(page, WORDS["column_unit"], "EUR").run()
    assert states(page)["coste"] is SettlingState.ASK, "typed, and not yet said to be right"
    assert say("domain_range", lower="0", upper="20 000.5", unit="EUR") in words(page), "as it was understood"
    assert survey.plans.drafts.find("columns")[0].body["rows"]["coste"]["unit"] == "EUR"
    page = press(page, WORDS["column_right"])
    assert states(page)["coste"] is SettlingState.SETTLED
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
    assert states(page)["zz1"] is SettlingState.SETTLED
    press(press(page, say("columns_accept", 1, count=1)), WORDS["columns_save"])
    page = opened(visit)
    assert states(page)["zz1"] is SettlingState.SETTLED
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
    assert (found["coste"], found["sexo"], found["fecha_alta"]) == (
        SettlingState.SETTLED,
        SettlingState.SETTLED,
        SettlingState.ASK,
    )
    assert work(page).sheet.rows["sexo"].categories == "F, M"
    press(page, WORDS["columns_save"])
    assert list(survey.datasets.get("survey").schema.columns) == ["sexo", "coste"]


def test_a_codebook_without_bounds_is_completed_from_the_name_and_what_is_typed_is_not() -> None:
    asked = replace(Row.of("edad", {"type": "integer", "upper": 90}), use=False, source="codebook")
    assert state(asked, None) is SettlingState.SURE
    assert (proposed(asked).lower, proposed(asked).upper) == ("0", "90")
    typed = Row("edad").changed({"type": "integer", "upper": "90", "use": False})
    assert state(typed, None) is SettlingState.ASK
    assert proposed(typed) == typed, "a field that somebody emptied stays empty"
    assert accepted(Row("dni")).left


def test_signs_between_cells_of_a_list_are_told_apart(survey: Workspace, visit: Opener) -> None:
    desk = work(opened(visit))
    for text in ("coste;number;0;1,5", "coste\tnumber\t0\t1,5", "coste|number|0|1.5", "coste,number,0,1.5"):
        pasted, unknown = read(text, desk)
        row = pasted[0].row(SettledColumns(bounds(pasted), frozenset(), {}, is_ready=True))
        assert (row.mapping()["upper"], row.use, unknown) == ("1.5", True, [])


def pasting(visit: Opener, text: str) -> AppTest:
    page = opened(visit)
    next(each for each in page.get("button_group") if each.label == WORDS["columns_tools"]).set_value("paste")
    return write(page.run(), WORDS["paste_list"], text).run()


def taking(page: AppTest) -> Any:
    return next(button for button in page.button if button.label.startswith("Take over"))


def test_two_hundred_thousand_is_never_two_hundred_unasked(survey: Workspace, visit: Opener) -> None:
    page = pasting(visit, "coste;number;0;200.000\nedad;integer;0;90")
    assert taking(page).disabled
    (question,) = page.radio
    assert question.value is None
    page = question.set_value(question.options[0]).run()
    assert "200.000 → 200000" in words(page)
    page = taking(page).click().run()
    assert work(page).sheet.rows["coste"].mapping()["upper"] == "200000"


def test_a_list_settles_its_own_numbers(survey: Workspace, visit: Opener) -> None:
    page = pasting(visit, "coste;number;0;200.000\nedad;number;0,5;90")
    assert not page.radio
    page = taking(page).click().run()
    assert work(page).sheet.rows["coste"].upper == "200000"
    press(page, WORDS["columns_save"])
    assert survey.datasets.get("survey").schema.columns["coste"].upper == 200_000


def test_a_list_with_one_line_not_understood_takes_over_nothing(survey: Workspace, visit: Opener) -> None:
    page = pasting(visit, "coste;number;0;1.00.000\nedad;integer;0;90\nsexo;sort;;")
    assert taking(page).disabled
    assert "1.00.000" in words(page)
    left = [button for button in page.button if button.label == WORDS["line_leave"]]
    assert len(left) == 2, "of the bound, and of the kind that is no kind"
    page = left[0].click().run()
    assert taking(page).disabled
    page = next(button for button in page.button if button.label == WORDS["line_leave"]).click().run()
    page = taking(page).click().run()
    rows = work(page).sheet.rows
    assert (rows["edad"].upper, rows["coste"].upper, rows["sexo"].type) == ("90", "", "")


def test_ends_in_the_wrong_order_and_nines_are_asked(survey: Workspace, visit: Opener) -> None:
    page = pasting(visit, "coste;number;5000;0\nedad;integer;0;999")
    assert taking(page).disabled
    page = press(press(page, WORDS["line_swap"]), WORDS["line_is_code"])
    page = taking(page).click().run()
    rows = work(page).sheet.rows
    assert (rows["coste"].lower, rows["coste"].upper) == ("0", "5000")
    assert (rows["edad"].upper, rows["edad"].missing_codes) == ("", "999")


def test_saving_nothing_says_what_to_do(survey: Workspace, visit: Opener) -> None:
    assert WORDS["columns_nothing"] in words(press(opened(visit), WORDS["columns_save"]))


@pytest.mark.full
def test_what_a_preview_shows_is_what_is_saved() -> None:
    """1,000 lists: a line's value is the one that its text has under the one answer, and goes through a declaration."""
    draw = Random(5)
    for _ in range(1000):
        mark = draw.choice(",.")
        numbers = [Decimal(draw.randrange(10**7)).scaleb(-draw.choice((0, 0, 1, 3))) for _ in range(4)]
        texts = [number_in(value, mark, draw.random() < 0.5) for value in numbers]
        pasted = [Pasted(f"c{place}", "number", {"upper": text}, ()) for place, text in enumerate(texts)]
        found = bounds(pasted)
        if found.asked is not None:
            assert isinstance(found.asked, Ambiguous), "no list is written in two ways"
            found = bounds(pasted, settled_by(mark).roles)
        assert not found.faults
        taken = SettledColumns(found, frozenset(), {}, is_ready=True)
        rows = [each.row(taken) for each in pasted]
        assert [Decimal(row.mapping()["upper"]) for row in rows] == numbers
        assert [found.values[row.name, "upper"].text for row in rows] == [row.upper for row in rows]


def number_in(value: Decimal, mark: str, grouped: bool) -> str:
    text = f"{value:,f}" if grouped else f"{value:f}"
    return text.translate(str.maketrans({",": "." if mark == "," else ",", ".": mark}))
