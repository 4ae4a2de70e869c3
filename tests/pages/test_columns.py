"""The columns' page: what it begins with, what it takes over, what can be undone, what it keeps, what it spends."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pandas
import pytest
from streamlit.testing.v1 import AppTest

from dprelease.codebook.ask import SurveyItem
from dprelease.model.actor import Actor, Role
from dprelease.model.domain import of_group
from dprelease.model.plan import Plan
from dprelease.model.reading import Format, Reading
from dprelease.model.schema import Schema
from dprelease.ui.data.row import Row, line, listed, split
from dprelease.ui.data.settling import codes_words
from dprelease.ui.data.sheet import ColumnSheet
from dprelease.ui.data.work import UNSETTLED, Work
from dprelease.ui.kit.phrases import day
from dprelease.ui.words import WORDS, say
from dprelease.words.language import speaking
from dprelease.workspace import Workspace
from tests.browser.guide_data import survey
from tests.codebook.files import statistical
from tests.pages.conftest import COLUMNS, PLAN, Opener, SignIn, choose, html, press, tick, words, write

CODEBOOK = (
    b"name,type,lower,upper,categories,mean\nage,integer,0,120,,41\nregion,category,,,n|s|e,\ngone,integer,0,3,,\n"
)


def table(page: AppTest, place: int = -1) -> dict[str, Any]:
    """What a table on the page says, by column."""
    found: dict[str, Any] = page.dataframe[place].value.set_index("name").to_dict("index")
    return found


def declaring(visit: Opener, name: str = "small", *, sheet: bool = True) -> AppTest:
    """The columns of a dataset, as the sheet that holds them all."""
    return visit("tables", query={"dataset": name}, state={f"sheet-{name}": sheet})


def tool(page: AppTest, name: str) -> AppTest:
    page.get("button_group")[0].set_value(name or None)
    return page.run()


def segment(page: AppTest, label: str, value: str) -> AppTest:
    next(each for each in page.get("button_group") if each.label == label).set_value(value)
    return page.run()


def desk(page: AppTest) -> Work:
    found: Work = page.session_state["columns-small-owner"]
    return found


def typed(page: AppTest, name: str, **cells: Any) -> AppTest:
    """As if cells had been typed in the table: its browser part is for the browser's tests."""
    desk(page).change({name: desk(page).sheet.rows[name].changed(cells)}, typed=True)
    return page.run()


# Nothing of the rows


def test_two_tables_with_the_same_header_give_the_same_page(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener, tmp_path: Path
) -> None:
    """Whatever stands in the rows, and however many there are."""
    own_workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=3)
    tables = (
        b"pid,age,region,score\n" + b"a,3,n,0.5\n" * 200,
        b"pid,age,region,score\nzz,true,2025-01-01,\n",
    )
    shown = []
    sign_in()
    for content in tables:
        (tmp_path / "small.csv").write_bytes(content)
        if not own_workspace.datasets.find():
            own_workspace.add_dataset("small", tmp_path / "small.csv", population="few", unit_column="pid")
        else:
            own_workspace.datasets.replace_rows("small", tmp_path / "small.csv")
        page = declaring(visit)
        bodies = []
        for name in ("", "import", "several", "bounds"):
            page = tool(page, name)
            bodies.append([element.proto.SerializeToString() for element in page.main if element.proto is not None])
        shown.append(bodies)
        assert set(table(page)) == {"pid", "age", "region", "score"}
    assert shown[0] == shown[1]


# The table as a value


def test_a_line_is_read_back_as_it_was_declared(small: Workspace) -> None:
    declared = small.datasets.get("small").schema.to_mapping()
    sheet = ColumnSheet.of(("pid", "age", "region"), declared)
    assert ColumnSheet.stored(sheet.rows, sheet.body()) == sheet
    small.datasets.describe("small", sheet.declared())
    assert small.datasets.get("small").schema.to_mapping() == declared


@pytest.mark.parametrize("body", [{}, {"rows": 3}, {"rows": {"age": 4}}, {"rows": {"age": {"use": "x", "type": 7}}}])
def test_a_draft_that_is_not_one_is_an_empty_table(body: dict[str, Any]) -> None:
    assert ColumnSheet.stored(("age",), body) == ColumnSheet({"age": Row("age")})


@pytest.mark.parametrize("categories", [["a, b", "c"], ['he said "no"', " x "], ["north"], ["1", "2", "3"]])
def test_a_list_of_categories_is_read_back(categories: list[str]) -> None:
    assert split(line(categories)) == [item.strip() for item in categories]


def test_a_pasted_column_of_a_spreadsheet_is_a_list() -> None:
    assert listed("north\r\nsouth, far\n\neast\n") == ["north", "south, far", "east"]
    assert listed("north, south") == ["north", "south"]


def test_whoever_fills_a_cell_means_to_use_the_column() -> None:
    row = Row("age").changed({"lower": "0"})
    assert (row.use, row.lower) == (True, "0")
    assert not row.changed({"lower": "0", "use": False}).use


# Working


def test_what_is_wrong_stands_beside_the_column(small: Workspace, visit: Opener) -> None:
    page = typed(declaring(visit), "age", lower="200")
    rows = table(page)
    assert rows["age"]["check"] == "To mend: Highest: found '100'; allowed: more than lower (200)."
    assert (rows["region"]["check"], rows["pid"]["check"]) == (WORDS["column_good"], WORDS["column_identifies"])
    assert f"<strong>age: {WORDS['column_upper']}</strong>" in html(page)
    assert next(button for button in page.button if button.label == WORDS["columns_save"]).disabled


def test_every_change_can_be_undone_and_done_again(small: Workspace, visit: Opener) -> None:
    page = typed(typed(declaring(visit), "age", upper="90"), "age", unit="years")
    page = press(page, WORDS["undo"])
    assert (table(page)["age"]["upper"], table(page)["age"]["unit"]) == ("90", "")
    page = press(page, WORDS["undo"])
    assert table(page)["age"]["upper"] == "100"
    page = press(press(page, WORDS["redo"]), WORDS["redo"])
    assert (table(page)["age"]["upper"], table(page)["age"]["unit"]) == ("90", "years")
    page = press(page, WORDS["columns_reset"])
    assert table(page)["age"]["upper"] == "100"
    assert small.plans.drafts.find("columns") == [], "nothing is kept of what says no more than what is declared"


def test_work_is_kept_as_one_goes_and_found_again(small: Workspace, visit: Opener) -> None:
    typed(declaring(visit), "age", upper="90")
    page = declaring(visit)
    assert table(page)["age"]["upper"] == "90"
    (draft,) = small.plans.drafts.find("columns")
    assert say("columns_unsaved", on=day(draft.changed)) in words(page)
    assert small.datasets.get("small").schema["age"].upper == 100
    page = press(page, WORDS["columns_save"])
    assert small.datasets.get("small").schema["age"].upper == 90
    assert small.plans.drafts.find("columns") == []


def test_two_tabs_do_not_overwrite_each_other(small: Workspace, visit: Opener) -> None:
    first, second = typed(declaring(visit), "age", upper="90"), declaring(visit)
    typed(second, "age", upper="80")
    first = typed(first, "age", upper="70")
    assert WORDS["columns_stale"] in words(first)
    assert small.plans.drafts.find("columns")[0].body["rows"]["age"]["upper"] == "80"
    first = press(first, WORDS["columns_take_mine"])
    assert small.plans.drafts.find("columns")[0].body["rows"]["age"]["upper"] == "70"
    second = typed(second, "age", unit="years")
    second = press(second, WORDS["columns_take_other"])
    assert (table(second)["age"]["upper"], table(second)["age"]["unit"]) == ("70", "")


@pytest.mark.full
def test_columns_are_found_among_many(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in()
    own_workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=3)
    frame = pandas.DataFrame({f"q{place:02}": [1] for place in range(30)})
    own_workspace.add_dataset("small", frame, population="few", columns={"q07": COLUMNS["region"]})
    page = declaring(visit)
    write(page, WORDS["columns_search"], "Q1").run()
    assert set(table(page)) == {f"q{place}" for place in range(10, 20)}
    typed(page, "q11", type="boolean")
    page = segment(page, WORDS["columns_view"], UNSETTLED)
    assert set(table(page)) == {f"q{place}" for place in range(10, 20)} - {"q11"}
    page = tool(page, "several")
    page = press(page, say("several_sight", columns=say("columns", 9, count=9)))
    page = choose(page, WORDS["several_domain"], "likert_5")
    page = press(page, say("several_apply", columns=say("columns", 9, count=9)))
    assert say("several_done", columns=say("columns", 9, count=9)) in words(page)
    rows = desk(page).sheet.rows
    assert (rows["q10"].type, rows["q10"].upper, rows["q11"].type, rows["q20"].type) == ("integer", "5", "boolean", "")
    write(page, WORDS["columns_search"], "nothing like that").run()
    assert WORDS["columns_none_in_sight"] in words(page)


def test_several_columns_are_changed_at_once(small: Workspace, visit: Opener) -> None:
    page = tool(declaring(visit), "several")
    page.multiselect[0].set_value(["age", "region"]).run()
    write(page, WORDS["column_categories"], "north\nsouth, far\n")
    choose(page, WORDS["column_type"], "category")
    page = press(page, say("several_apply", columns=say("columns", 2, count=2)))
    rows = desk(page).sheet.rows
    assert {rows[name].categories for name in ("age", "region")} == {'north, "south, far"'}
    assert (rows["age"].lower, rows["age"].resolution, rows["pid"].use) == ("", "", False)


def year(page: AppTest, key: str) -> Any:
    return next(field for field in page.number_input if field.label == WORDS[key])


@pytest.mark.full
def test_days_of_some_years_are_a_ready_domain(small: Workspace, visit: Opener) -> None:
    page = tool(declaring(visit), "several")
    page.multiselect[0].set_value(["age"]).run()
    page = choose(page, WORDS["several_domain"], "dates")
    year(page, "dates_first").set_value(2020).run()
    year(page, "dates_last").set_value(2019).run()
    assert say("dates_after", year=2020) in words(page)
    year(page, "dates_last").set_value(2029).run()
    page = press(page, say("several_apply", columns=WORDS["columns"]))
    row = desk(page).sheet.rows["age"]
    assert (row.type, row.lower, row.upper) == ("date", "2020-01-01", "2029-12-31")


# Taking over


def test_a_codebook_changes_what_is_accepted_and_nothing_else(small: Workspace, visit: Opener) -> None:
    page = tool(declaring(visit), "import")
    page.file_uploader[0].upload("codebook.csv", CODEBOOK).run()
    said = words(page)
    assert say("import_found", source="codebook.csv", changes=say("columns", 2, count=2)) in said
    assert say("codebook_note_statistics", columns="mean") in said
    assert say("import_unknown", columns="gone") in said
    assert say("import_silent", columns="pid") in said
    proposed = table(page, 0)
    assert proposed["age"]["then"].startswith("integer · 0 – 120")
    assert proposed["age"]["now"].startswith("integer · 0 – 100")
    assert desk(page).sheet.rows["age"].upper == "100"
    page = press(page, say("import_apply", columns=say("columns", 2, count=2)))
    assert (desk(page).sheet.rows["age"].upper, desk(page).sheet.rows["region"].categories) == ("120", "n, s, e")
    assert small.datasets.get("small").schema["age"].upper == 100, "not before it is saved"
    page = press(page, WORDS["undo"])
    assert desk(page).sheet.rows["age"].upper == "100"


def test_a_file_that_is_no_codebook_says_why(small: Workspace, visit: Opener) -> None:
    page = tool(declaring(visit), "import")
    page.file_uploader[0].upload("codebook.xml", b"<codeBook>").run()
    assert "bad XML at line 1" in words(page)
    page.file_uploader[0].upload("codebook.csv", CODEBOOK).run()
    assert "bad XML" not in words(page)


def test_another_datasets_declaration_is_taken_over(small: Workspace, visit: Opener) -> None:
    declared = {"age": {"type": "integer", "lower": 0, "upper": 110, "unit": "years"}}
    small.add_dataset("other", pandas.DataFrame({"age": [1]}), population="few", columns=declared)
    page = declaring(visit)
    page = tool(page, "import")
    next(radio for radio in page.radio if radio.label == WORDS["import_from"]).set_value("dataset").run()
    page = choose(page, WORDS["import_dataset"], "other")
    page = press(page, say("import_apply", columns=WORDS["columns"]))
    assert (desk(page).sheet.rows["age"].upper, desk(page).sheet.rows["age"].unit) == ("110", "years")


# Saving


def test_before_saving_it_says_what_stands_on_the_declaration(small: Workspace, visit: Opener) -> None:
    plan = Plan.parse(PLAN)
    small.preview(plan, draws=1)
    small.plans.approve(small.plans.submit(plan))
    small.plans.submit(Plan.parse({**PLAN, "title": "Waiting"}))
    page = typed(declaring(visit), "age", upper="120")
    said = words(page)
    assert say("saving_changed", columns="age") in said
    assert say("saving_approved", plans="Small") in said
    assert say("saving_waiting", plans="Waiting") in said
    assert WORDS["saving_previewed"] in said
    page = press(page, WORDS["undo"])
    assert WORDS["saving_title"] not in words(page)


# Bounds for a charge


def ask(page: AppTest, column: str = "age") -> AppTest:
    page = tool(page, "bounds")
    page.multiselect[0].select(column).run()
    assert WORDS["bounds_open"] in words(page)
    choose(page, say("bounds_of", column=column), next(item for item in of_group("wide")))
    write(page, WORDS["bounds_epsilon"], "1").run()
    next(iter(page.number_input)).set_value(5).run()
    return page


def test_bounds_are_found_for_a_charge_and_offered(small: Workspace, visit: Opener) -> None:
    page = ask(declaring(visit))
    assert "ε = 1, δ = 0 per person" in words(page)
    assert small.populations.budget("few").charges == 0
    button = say("bounds_button", epsilon=1)
    page = press(page, button)
    assert say("bounds_confirm_allowed", column="age") in words(page)
    assert small.populations.budget("few").charges == 0
    write(page, say("bounds_confirm", column="age"), "age").run()
    page = press(page, button)
    (release,) = small.releases.find()
    assert say("bounds_published", release=release.id) in words(page)
    assert small.populations.budget("few").charges == 1
    lower, upper = release.tables["bounds"].value
    assert desk(page).sheet.rows["age"].upper == "100"
    page = press(page, say("bounds_take", column="age", lower=lower, upper=upper))
    row = desk(page).sheet.rows["age"]
    assert (row.lower, row.upper) == (str(lower), str(upper))
    assert release.id in row.description
    assert WORDS["bounds_taken"] in words(page)


@pytest.mark.full
def test_what_is_left_is_asked_for_one_charge(small: Workspace, visit: Opener) -> None:
    """Bounds, values and rows outside in one plan; what is found is offered, and nothing of it is filled in."""
    small.datasets.describe("small", {"age": {"type": "integer", "lower": 0, "upper": 3}})
    small.populations.raise_cap("few", epsilon=4, delta="0.001", reason="values need a δ")
    page = tool(declaring(visit), "bounds")
    assert page.multiselect[0].value == ["region"], "what is left"
    page.multiselect[0].select("age").run()
    choose(page, say("bounds_of", column="region"), SurveyItem.VALUES)
    assert (
        next(each for each in page.selectbox if each.label == say("bounds_of", column="age")).value is SurveyItem.INSIDE
    )
    write(page, WORDS["bounds_epsilon"], "2").run()
    next(iter(page.number_input)).set_value(5).run()
    assert WORDS["bounds_open"] in words(page), "values need a δ"
    write(page, WORDS["bounds_delta"], "0.001").run()
    write(page, say("bounds_confirm", column="small"), "small").run()
    page = press(page, say("bounds_button", epsilon=2))
    (release,) = small.releases.find()
    assert small.populations.budget("few").charges == 1
    asked = {each["id"]: each["kind"] for each in release.certificate.plan["statistics"]}
    assert asked == {"values_1": "histogram", "inside_2": "proportion"}
    assert release.certificate.plan["columns"]["age"]["upper"] == 4, "a step beyond, where what is outside counts"
    said = words(page)
    assert "age: between" in said
    assert desk(page).sheet.rows["region"].is_empty, "offered, not filled in"
    count = len(release.tables["values_1"])
    if count == 0:  # the noise decides
        assert say("values_none", column="region", release=release.id, on=day(release.certificate.day)) in said
        return
    page = press(page, say("values_take", column="region", values=say("values", count, count=count)))
    row = desk(page).sheet.rows["region"]
    assert (row.type, row.other, len(split(row.categories))) == ("category", True, count)
    assert release.id in row.description


def test_bounds_that_the_budget_does_not_cover_cannot_be_asked_for(small: Workspace, visit: Opener) -> None:
    page = ask(declaring(visit))
    write(page, WORDS["bounds_epsilon"], "50").run()
    assert not [button for button in page.button if button.label == say("bounds_button", epsilon=50)]


def test_in_a_team_bounds_wait_for_a_reviewer(small: Workspace, visit: Opener, sign_in: SignIn) -> None:
    small.people.require_two_people()
    curator, reviewer = Actor("ana", frozenset({Role.CURATOR})), Actor("rui", frozenset({Role.REVIEWER}))
    sign_in(curator)
    page = ask(declaring(visit))
    write(page, say("bounds_confirm", column="age"), "age").run()
    page = press(page, WORDS["bounds_submit"])
    title = say("asked_bounds", column="age")
    assert say("bounds_submitted", title=title) in words(page)
    (record,) = small.plans.find(actor=reviewer)
    small.plans.approve(record.id, actor=reviewer)
    page = page.run()
    assert say("bounds_approved", title=title) in words(page)
    page = press(page, say("bounds_publish", title=title))
    assert len(small.releases.find()) == 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize("by_label", [False, True])
def test_a_table_of_spss_brings_its_own_codebook(small: Workspace, visit: Opener, by_label: bool) -> None:
    content = BytesIO(statistical("sav"))
    upload = small.datasets.uploads.stage("survey.sav", content, reading=Reading(format=Format.SPSS, labels=by_label))
    small.add_dataset("labelled", upload, population="few", unit_column="note")
    page = declaring(visit, "labelled")
    assert not any(row["use"] for row in table(page).values()), "offered, not filled in"
    page = tool(page, "import")
    page = press(page, say("import_apply", columns=say("columns", 2, count=2)))
    row = page.session_state["columns-labelled-owner"].sheet.rows["sex"]
    assert row.categories == ("Male, Female" if by_label else "1, 2")
    assert row.description == ("Sex" if by_label else "Sex. 1 = Male; 2 = Female")


def test_labels_in_the_table_become_the_categories(small: Workspace, visit: Opener) -> None:
    page = tool(declaring(visit), "import")
    page.file_uploader[0].upload("codebook.csv", b"name,categories\nregion,n = North|s = South\n").run()
    page = tick(page, WORDS["import_by_label"])
    page = press(page, say("import_apply", columns=WORDS["columns"]))
    assert desk(page).sheet.rows["region"].categories == "North, South"


def test_codes_for_no_answer_are_asked_about_and_what_lies_outside_is_proposed() -> None:
    row = Row("age").changed({"type": "integer", "lower": "0", "upper": "120"})
    assert row.outside == "missing", "an age outside is a mistake or a code"
    assert row.changed({"outside": ""}).changed({"upper": "110"}).outside == "", "what was cleared stays so"
    assert Row("income").changed({"type": "number", "lower": "0", "upper": "200000"}).outside == ""
    assert Row("visits").changed({"type": "integer", "lower": "0", "upper": "200"}).outside == ""
    assert Row("born").changed({"type": "date"}).outside == "missing"
    row = row.changed({"missing_codes": "-99, 900..999, ..-1", "outside": "above", "count_missing_as": "0"})
    declared = row.mapping()
    assert declared["missing_codes"] == ["-99", {"from": "900", "to": "999"}, {"to": "-1"}]
    assert declared["outside"] == {"below": "clip", "above": "missing"}
    assert row.problems() == ()
    again = Row.of("age", Schema.parse({"age": declared})["age"].to_mapping())
    assert again.mapping() == declared | {"resolution": "1"}
    assert Row("age").changed({"missing_codes": "-"}).mapping()["missing_codes"] == []
    assert codes_words(row) == say("domain_codes", codes="-99, 900..999, ..-1")
    assert codes_words(Row("age").changed({"missing_codes": "-"})) == codes_words(Row("age")) == ""
    assert [problem.path for problem in row.changed({"missing_codes": "0..120"}).problems()] == [
        "columns.age.missing_codes[0]"
    ]


def test_a_decimal_comma_among_codes_is_not_taken_for_two_codes() -> None:
    row = Row("age").changed({"type": "integer", "lower": "0", "upper": "120", "missing_codes": "NA, -99,5"})
    assert row.problems() == ()
    with speaking("es"):
        (problem,) = row.problems()
        assert (problem.path, problem.found) == ("columns.age.missing_codes", "-99,5")
        for clear in ("NA, -99.5", "-99, 500", "-9;-99", "-9,-99,NA"):
            assert row.changed({"missing_codes": clear}).problems() == ()


def test_the_question_about_codes_is_answered_for_all_columns_of_numbers(small: Workspace, visit: Opener) -> None:
    page = declaring(visit)
    assert say("codes_question", columns="age") in words(page)
    page = press(page, say("codes_negative"))
    assert say("codes_question", columns="age") not in words(page)
    page = press(page, WORDS["columns_save"])
    assert small.datasets.get("small").schema["age"].to_mapping()["missing_codes"] == [-9, -99, -999]


# Code lists


def test_a_ready_list_gives_a_column_its_values(small: Workspace, visit: Opener) -> None:
    page = tool(declaring(visit), "import")
    page = next(each for each in page.radio if each.label == WORDS["import_from"]).set_value("codes").run()
    page = choose(choose(page, WORDS["codes_column"], "region"), WORDS["codes_list"], "subdivisions")
    page = choose(page, WORDS["codes_country"], "ES")
    said = words(page)
    assert "ISO 3166-2" in said
    assert "LGPL-2.1-only" in said
    page = press(page, say("import_apply", columns="1 column"))
    row = desk(page).sheet.rows["region"]
    assert (row.type, len(split(row.categories))) == ("category", 69)
    assert "pycountry 26.2.16" in row.description


@pytest.mark.full
def test_an_offices_own_list_states_whose_it_is(small: Workspace, visit: Opener) -> None:
    page = tool(declaring(visit), "import")
    page = next(each for each in page.radio if each.label == WORDS["import_from"]).set_value("codes").run()
    page = choose(choose(page, WORDS["codes_column"], "region"), WORDS["codes_list"], "own")
    page.file_uploader[0].upload("towns.csv", b"code;label\nn;North\ns;South\n").run()
    assert not [button for button in page.button if button.label == say("import_apply", columns="1 column")]
    write(page, WORDS["codes_source"], "INE").run()
    write(page, WORDS["codes_version"], "2016").run()
    page = press(page, say("import_apply", columns="1 column"))
    row = desk(page).sheet.rows["region"]
    assert row.categories == "n, s"
    assert row.description.startswith("INE, 2016 (SHA-256 ")


def test_a_public_file_is_read_once_somebody_attests_it(small: Workspace, visit: Opener) -> None:
    page = tool(declaring(visit), "import")
    page = next(each for each in page.radio if each.label == WORDS["import_from"]).set_value("sample").run()
    rows = "age,region\n" + "".join(f"{age},n\n" for age in range(20, 60))
    page.file_uploader[0].upload("puf.csv", rows.encode()).run()
    assert desk(page).book is None, "nobody attests it"
    page = tick(page, WORDS["sample_public"])
    page = press(page, say("import_apply", columns=say("columns", 2, count=2)))
    assert (desk(page).sheet.rows["age"].upper, desk(page).sheet.rows["region"].categories) == ("100", "n")


def test_what_the_file_says_is_offered_open_and_taken_over_at_once(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener, tmp_path: Path
) -> None:
    own_workspace.add_population("patients-2025", unit="person", neighbors="add_remove", epsilon=1)
    upload = own_workspace.datasets.uploads.stage("survey.sav", BytesIO(survey(tmp_path)))
    own_workspace.add_dataset("survey", upload, population="patients-2025", unit_column="id", max_rows=1)
    sign_in()
    page = visit("tables", query={"dataset": "survey"})
    assert say("own_says", named="4", columns="4 columns") in words(page)
    page = press(page, say("import_apply", columns="3 columns"))
    assert WORDS["own_leave"] not in words(page)
    (draft,) = own_workspace.plans.drafts.find("columns")
    rows = draft.body["rows"]
    assert rows["sex"]["description"] == "Sex. 1 = man; 2 = woman"
    assert not rows.get("id", {}).get("use")
