"""Columns made of others on the columns' page: purposes, what they offer, what comes of them, how they are changed."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dprelease.model.made import FUNCTIONS
from dprelease.ui.data.purposes import PURPOSES
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import CopyOf, Opener, SignIn, choose, dialog, html, in_hand, press, words, write

TABLE = (
    b"pid,born,admitted,discharged,rent,heating,members,region,town,smokes\n"
    b"p1,1980-02-03,2024-01-05,2024-01-09,700,80,2,north,Aa,yes\n"
)
DAY = {"type": "date", "lower": "2024-01-01", "upper": "2024-12-31"}
MONEY = {"type": "number", "lower": 0, "upper": 2000, "resolution": 1, "unit": "EUR"}
COLUMNS: dict[str, Any] = {
    "born": {"type": "date", "lower": "1930-01-01", "upper": "2009-12-31"},
    "admitted": DAY,
    "discharged": DAY,
    "rent": MONEY,
    "heating": MONEY,
    "members": {"type": "integer", "lower": 0, "upper": 10},
    "region": {"type": "category", "categories": ["north", "south", "coast"]},
    "town": {"type": "category", "categories": "discover"},
    "smokes": {"type": "boolean", "randomized": {"method": "response", "epsilon": 1}, "count_missing_as": False},
}
MADE: dict[str, Any] = {
    "age": {"made": {"age": {"born": "born", "on": "2024-06-30"}}},
    "age_then": {"made": {"age": {"born": "born", "on": "admitted"}}},
    "stay": {"made": {"days_between": ["admitted", "discharged"]}, "lower": 0, "upper": 90, "unit": "days"},
    "each": {"made": {"ratio": {"of": "rent", "to": "members", "times": 12}}, "resolution": 10},
    "cost": {"made": {"sum": {"of": {"rent": 1, "heating": 1}, "ignore_missing": True}}},
    "yearly": {"made": {"sum": {"of": {"rent": 12}, "plus": 100}}},
    "saved": {"made": {"difference": ["rent", "heating"]}, "outside": "missing", "lower": 0},
    "later": {"made": {"greatest": ["admitted", "discharged"]}},
    "size": {"made": {"cut": {"of": "members", "at": [2, 5], "labels": ["few", "some", "many"]}}},
    "place": {"made": {"recode": {"of": "region", "to": {"land": ["north", "south"]}, "else": "sea"}}},
    "initial": {"made": {"prefix": {"of": "region", "length": 1}}},
    "month": {"made": {"part": {"of": "admitted", "is": "month"}}},
    "either": {"made": {"coalesce": ["heating", "rent"]}},
    "inland": {"made": {"holds": [{"column": "region", "in": ["north", "south"]}]}},
    "high": {"made": {"holds": [{"column": "rent", "at_least": 900}]}},
    "both": {"made": {"holds": [{"column": "rent", "at_least": 900}, {"column": "members", "at_most": 2}]}},
    "named": {"made": {"known": "town"}},
}


def describe(workspace: Workspace) -> None:
    workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=3)
    upload = workspace.datasets.uploads.stage("small.csv", BytesIO(TABLE))
    workspace.add_dataset("small", upload, population="few", unit_column="pid", columns=COLUMNS)


@pytest.fixture
def households(copy_of: CopyOf, sign_in: SignIn) -> Workspace:
    workspace = copy_of("households", describe)
    sign_in()
    return workspace


def opened(visit: Opener) -> AppTest:
    return visit("tables", query={"dataset": "small"})


def asked(visit: Opener, purpose: str) -> AppTest:
    """The form of a purpose."""
    return choose(press(opened(visit), say("made_make")), say("made_purpose"), purpose)


def options(page: AppTest, label: str) -> list[str]:
    found: list[str] = next(box for box in (*page.selectbox, *page.multiselect) if box.label == label).options
    return found


def several(page: AppTest, label: str, names: list[str]) -> AppTest:
    next(box for box in page.multiselect if box.label == label).set_value(names)
    return page.run()


def segment(page: AppTest, label: str, value: str) -> AppTest:
    next(each for each in page.get("button_group") if each.label == label).set_value(value)
    return page.run()


def test_every_function_has_a_purpose_in_plain_words() -> None:
    assert {function for _, functions in PURPOSES.values() for function in functions} == set(FUNCTIONS)
    assert all(say(f"made_purpose_{purpose}") for purpose in PURPOSES)


def test_a_column_is_made_shown_declared_and_chosen_in_the_workbench(households: Workspace, visit: Opener) -> None:
    page = asked(visit, "time")
    assert WORDS["made_open"] in words(page)
    page = choose(page, WORDS["made_first_day"], "admitted")
    page = choose(page, WORDS["made_last_day"], "discharged")
    assert "-365 to 365 days" in words(page)
    assert "“admitted_days” is discharged minus admitted, in days, -365 to 365." in words(page)
    assert WORDS["made_example_note"] in words(page)
    cells = html(page)
    assert all(f">{day}<" in cells for day in ("2024-01-01", "2024-05-02", "2024-12-31")), "rows between the bounds"
    assert "2024-01-05" not in cells, "no row of the table"
    write(page, WORDS["made_name"], "stay").run()
    write(page, WORDS["column_lower"], "0").run()
    page = press(page, WORDS["made_take"])
    assert "“stay” is discharged minus admitted, in days, 0 to 365." in words(page)
    assert "stay" not in households.datasets.get("small").schema
    page = press(page, WORDS["columns_save"])
    stay = households.datasets.get("small").schema["stay"]
    assert (stay.lower, stay.upper, stay.unit) == (0, 365, "days")
    assert households.plans.drafts.find("columns") == []
    plan = {**PLAN, "statistics": [{"id": "mean", "kind": "mean", "column": "rent"}]}
    bench = dialog(visit("workbench", state=in_hand(plan)), "edit")
    assert "stay" in options(bench, WORDS["option_column"])


def test_only_columns_that_another_may_be_made_of_are_offered(households: Workspace, visit: Opener) -> None:
    """Neither the column of the unit, nor discovered categories, nor answers changed at random."""
    declared = {**COLUMNS, "pid": {"type": "category", "categories": ["p1", "p2"]}}
    households.datasets.describe("small", declared)
    page = asked(visit, "first")
    assert options(page, WORDS["made_in_order"]) == [name for name in COLUMNS if name not in ("town", "smokes")]
    page = choose(page, WORDS["made_purpose"], "known")
    assert options(page, WORDS["made_of"]) == [name for name in COLUMNS if name != "smokes"]
    page = choose(page, WORDS["made_purpose"], "age")
    assert options(page, WORDS["made_born"]) == ["born", "admitted", "discharged"]


def test_what_cannot_be_made_is_told_and_what_was_typed_stays(households: Workspace, visit: Opener) -> None:
    page = choose(asked(visit, "bands"), WORDS["made_of"], "members")
    write(page, WORDS["made_at"], "2; 4.5").run()
    assert "found 4.5" in words(page)
    page = press(page, WORDS["made_take"])
    assert "found 4.5" in words(page)
    assert next(field for field in page.text_input if field.label == WORDS["made_at"]).value == "2; 4.5"
    write(page, WORDS["made_at"], "2, 5").run()
    assert "0–1, 2–4, 5–10" in words(page)
    write(page, WORDS["made_name"], "region").run()
    assert WORDS["made_name_free"] in words(page)
    page = press(page, WORDS["made_take"])
    assert households.plans.drafts.find("columns") == []


def test_a_line_that_names_no_category_is_told(households: Workspace, visit: Opener) -> None:
    page = choose(asked(visit, "groups"), WORDS["made_of"], "region")
    write(page, WORDS["made_groups"], "land = north, south\nsea").run()
    assert say("made_line", example="new = north, south") in words(page)
    write(page, WORDS["made_groups"], "land = north, south\nsea = coast, moor").run()
    assert "found 'moor'" in words(page)
    write(page, WORDS["made_groups"], "land = north, south").run()
    assert "land, coast" in words(page)
    page = segment(page, WORDS["made_rest"], "missing")
    page = press(page, WORDS["made_take"])
    page = press(page, WORDS["columns_save"])
    assert households.datasets.get("small").schema["region_groups"].categories == ("land",)


def test_a_number_that_may_be_two_is_asked_about(households: Workspace, visit: Opener) -> None:
    page = choose(choose(asked(visit, "rate"), WORDS["made_amount"], "rent"), WORDS["made_per"], "members")
    write(page, WORDS["made_times"], "1,000").run()
    assert WORDS["bound_clear"] in words(page)
    write(page, WORDS["made_times"], "1000").run()
    assert WORDS["bound_clear"] not in words(page)
    assert "rent divided by members, times 1000" in words(page)


@pytest.mark.full
def test_each_declared_column_is_shown_as_it_was_made_and_kept_so(households: Workspace, visit: Opener) -> None:
    households.datasets.describe("small", COLUMNS | MADE)
    before = households.datasets.get("small").schema
    page = opened(visit)
    desk = page.session_state["columns-small-owner"]
    for name in MADE:
        desk.open_made(name)
        page = page.run()
        assert not page.exception, name
        page = press(page, WORDS["made_keep"])
        assert desk.making is None, name
        assert desk.sheet.declared() == desk.registered.declared(), name
    assert households.datasets.get("small").schema == before


@pytest.mark.full
def test_a_made_column_is_changed_removed_and_found_again(households: Workspace, visit: Opener) -> None:
    households.datasets.describe("small", COLUMNS | {"stay": MADE["stay"], "long": LONG})
    page = opened(visit)
    desk = page.session_state["columns-small-owner"]
    next(button for button in page.button if button.key == "settle-made-0").click()
    page = segment(page.run(), WORDS["made_time"], "months")
    assert "found 90" in words(page), "bounds that were declared may be too wide now"
    write(page, WORDS["column_upper"], "").run()
    page = press(page, WORDS["made_keep"])
    assert "“stay” is the whole months from admitted to discharged" in words(page)
    page = press(page, WORDS["undo"])
    assert "“stay” is discharged minus admitted, in days, 0 to 90" in words(page)
    desk.open_made("stay")
    page = press(page.run(), WORDS["remove"])
    assert "“stay”" not in words(page)
    assert WORDS["made_wrong"] in words(page), "what was made of it"
    assert next(button for button in page.button if button.label == WORDS["columns_save"]).disabled
    again = opened(visit)
    assert "“stay”" not in words(again), "the draft keeps it"
    page = press(again, WORDS["columns_reset"])
    assert "“stay” is discharged minus admitted" in words(page)


def test_other_columns_are_saved_beside_those_that_are_made(households: Workspace, visit: Opener) -> None:
    households.datasets.describe("small", COLUMNS | {"stay": MADE["stay"], "cost": MADE["cost"]})
    page = opened(visit)
    desk = page.session_state["columns-small-owner"]
    desk.change({"rent": desk.sheet.rows["rent"].changed({"upper": "1000"})})
    page = press(page.run(), WORDS["columns_save"])
    schema = households.datasets.get("small").schema
    assert (schema["cost"].upper, schema["stay"].upper) == (3000, 90), "bounds follow"


LONG = {"made": {"holds": [{"column": "stay", "at_least": 30}]}}
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "title": "Stays",
    "dataset": "small",
    "privacy": {"unit": {"column": "pid", "max_rows": 1}, "neighbors": "add_remove", "epsilon": 1},
    "expected": {"rows": 80},
}


def test_an_age_that_may_be_below_0_begins_at_0(households: Workspace, visit: Opener) -> None:
    """A birth date after the day is a fault of the row, which counts as 0: no bound of -1 stands in a certificate."""
    households.datasets.describe("small", COLUMNS | {"born": {**DAY, "lower": "1930-01-01"}})
    page = choose(choose(asked(visit, "age"), WORDS["made_born"], "born"), WORDS["made_on"], "admitted")
    (lower,) = [field for field in page.text_input if field.label == WORDS["column_lower"]]
    assert lower.value == "0"
    page = press(page, WORDS["made_take"])
    assert page.session_state["columns-small-owner"].sheet.rows["born_age"].lower == "0"


def test_made_columns_count_among_those_that_are_settled(households: Workspace, visit: Opener) -> None:
    households.datasets.describe("small", COLUMNS | {"stay": MADE["stay"]})
    stored, settled = len(households.datasets.columns("small")), len(COLUMNS) + 1
    assert settled == stored, "all but nothing: the identifier is one"
    (progress,) = opened(visit).get("progress")
    assert progress.proto.text == say("columns_settled", done=stored + 1, total=stored + 1)
