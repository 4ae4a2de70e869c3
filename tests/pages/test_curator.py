"""The curator's way through the pages, from an empty workspace to a release."""

from __future__ import annotations

from io import BytesIO

import pytest

from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import (
    COLUMNS,
    PLAN,
    TABLE,
    Opener,
    SignIn,
    choose,
    html,
    in_hand,
    labels,
    press,
    published,
    words,
    write,
)

# Populations and datasets


def test_a_population_is_registered(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in()
    page = visit("tables")
    fields = {field.label: field for field in page.text_input}
    fields[WORDS["population_name"]].input("few")
    fields[WORDS["population_unit"]].input("household")
    fields[WORDS["population_epsilon"]].input("2.5")
    press(page, WORDS["population_save"])
    assert say("population_saved", name="few") in words(page)
    (population,) = own_workspace.populations.find()
    assert (population.unit, str(population.cap)) == ("household", "ε = 2.5, δ = 0")


def test_a_population_says_who_is_in_others_too_and_what_was_released_before(small: Workspace, visit: Opener) -> None:
    small.add_population("third", unit="household", neighbors="add_remove", epsilon=1)
    page = visit("tables")
    write(page, WORDS["population_name"], "more")
    write(page, WORDS["population_unit"], "person")
    write(page, WORDS["population_epsilon"], "2")
    write(page, WORDS["population_earlier"], "Annual report 2024\n")
    asked = next(box for box in page.selectbox if box.label == say("population_overlap", other="few"))
    assert asked.value == "open", "nothing is attested unless somebody does"
    asked.select("same")
    press(page, WORDS["population_save"])
    assert say("population_saved", name="more") in words(page)
    assert small.populations.overlaps("more") == {"few": "same", "third": None}
    assert small.populations.earlier_releases("more") == ["Annual report 2024"]


def test_a_cap_is_raised_with_a_reason(small: Workspace, visit: Opener) -> None:
    page = visit("tables")
    write(page, WORDS["change_epsilon"], "4")
    press(page, WORDS["change_save_cap"])
    assert f"<strong>{WORDS['path_reason']}</strong>" in html(page)
    write(page, WORDS["change_reason"], "Agreed in March.")
    press(page, WORDS["change_save_cap"])
    assert say("changed_cap", name="few") in words(page)
    assert str(small.populations.budget("few").cap) == "ε = 4, δ = 0"
    write(page, WORDS["change_epsilon"], "2")
    write(page, WORDS["change_reason"], "Too much.")
    press(page, WORDS["change_save_cap"])
    assert "a cap is raised, never lowered" in words(page)


def test_a_period_is_opened(small: Workspace, visit: Opener) -> None:
    page = visit("tables")
    next(radio for radio in page.radio if radio.label == WORDS["change_kind"]).set_value("period").run()
    write(page, WORDS["change_period_name"], "2026")
    write(page, WORDS["change_epsilon"], "1")
    press(page, WORDS["change_save_period"])
    assert say("changed_period", name="few", period="2026") in words(page)
    assert small.populations.budget("few").period == "2026"
    assert "ε = 1, δ = 0 for 2026" in words(page)


def test_overlaps_are_attested_later(small: Workspace, visit: Opener) -> None:
    small.add_population("third", unit="household", neighbors="add_remove", epsilon=1)
    page = choose(visit("tables"), WORDS["more_population"], "few")
    boxes = [box for box in page.selectbox if box.label == say("population_overlap", other="third")]
    boxes[-1].select("none")
    areas = [area for area in page.text_area if area.label == WORDS["population_earlier"]]
    areas[-1].input("Bulletin 3")
    press(page, WORDS["more_save"])
    assert say("more_saved", name="few") in words(page)
    assert small.populations.overlaps("few") == {"third": "none"}
    assert small.populations.earlier_releases("few") == ["Bulletin 3"]
    press(page, WORDS["more_save"])
    assert WORDS["more_nothing"] in words(page)


def test_every_problem_of_a_population_is_shown_at_once_and_nothing_typed_is_lost(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    sign_in()
    page = visit("tables")
    fields = {field.label: field for field in page.text_input}
    fields[WORDS["population_name"]].input("Not a name")
    fields[WORDS["population_epsilon"]].input("lots")
    press(page, WORDS["population_save"])
    for path in ("population", "unit", "epsilon"):
        assert f"<strong>{WORDS[f'path_{path}']}</strong>" in html(page)
    assert next(field for field in page.text_input if field.label == WORDS["population_name"]).value == "Not a name"
    assert own_workspace.populations.find() == []


def test_an_upload_waits_until_every_question_is_answered(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    sign_in()
    own_workspace.add_population("few", unit="household", neighbors="add_remove", epsilon=3)
    own_workspace.datasets.uploads.stage("small.csv", BytesIO(TABLE))
    page = visit("tables")
    assert "pid, age, region" in words(page)
    who = next(radio for radio in page.radio if radio.label == say("dataset_who", unit="household"))
    assert who.value is None, "whose a row is must not be assumed"
    press(page, WORDS["dataset_save"])
    assert WORDS["answer_who"] in words(page)
    next(radio for radio in page.radio if radio.label == say("dataset_who", unit="household")).set_value("column").run()
    press(page, WORDS["dataset_save"])
    assert WORDS["answer_column"] in words(page)
    assert own_workspace.datasets.find() == []
    choose(page, say("dataset_column", unit="household"), "pid")
    press(page, WORDS["dataset_save"])
    assert WORDS["answer_max_rows"] in words(page)
    next(field for field in page.number_input if field.label == say("dataset_max_rows", unit="household")).set_value(4)
    press(page, WORDS["dataset_save"])
    (dataset,) = own_workspace.datasets.find()
    assert own_workspace.datasets.terms("small").max_rows == 4
    assert (dataset.name, dataset.population, dataset.unit_column) == ("small", "few", "pid")
    assert own_workspace.datasets.uploads.find() == []


def test_an_upload_can_be_deleted(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in()
    own_workspace.add_population("few", unit="household", neighbors="add_remove", epsilon=3)
    own_workspace.datasets.uploads.stage("small.csv", BytesIO(TABLE))
    page = press(visit("tables"), WORDS["dataset_discard"])
    assert say("dataset_discarded", filename="small.csv") in words(page)
    assert own_workspace.datasets.uploads.find() == []


# Columns


def test_columns_begin_from_what_is_declared_and_nothing_else(small: Workspace, visit: Opener) -> None:
    small.datasets.describe("small", {"age": COLUMNS["age"]})
    page = visit("tables", query={"dataset": "small"}, state={"sheet-small": True})
    rows = page.dataframe[0].value.set_index("name").to_dict("index")
    assert (rows["age"]["use"], rows["age"]["lower"], rows["age"]["upper"]) == (True, "0", "100")
    for name in ("pid", "region"):
        blank = {**dict.fromkeys(("lower", "upper", "resolution", "categories", "unit", "description"), "")}
        assert {key: rows[name][key] for key in blank} == blank
        assert not rows[name]["use"]


def test_saving_columns_again_changes_nothing(small: Workspace, visit: Opener) -> None:
    before = small.datasets.get("small").schema
    page = press(visit("tables", query={"dataset": "small"}, state={"sheet-small": True}), WORDS["columns_save"])
    assert say("columns_saved", count=2, dataset="small") in words(page)
    assert small.datasets.get("small").schema == before


# Release


def test_an_erratum_stands_at_the_top_for_everyone(
    small: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    published(visit("workbench", state=in_hand()))
    (release,) = small.releases.find()
    page = visit("releases", query={"release": release.id})
    write(page, WORDS["erratum_text"], "March is missing.")
    press(page, WORDS["erratum_save"])
    assert WORDS["erratum_saved"] in words(page)
    monkeypatch.setattr(session, "cookies", dict)
    page = visit("releases", query={"release": release.id})
    shown = words(page)
    assert shown.index(WORDS["notice_erratum"]) < shown.index("March is missing.")
    assert WORDS["erratum_add"] not in labels(page, "expander")
    assert labels(page, "button") == []


def test_a_release_is_replaced_by_another_one_of_its_population(small: Workspace, visit: Opener) -> None:
    published(visit("workbench", state=in_hand()))
    (first,) = small.releases.find()
    assert WORDS["replace_none"] in words(visit("releases", query={"release": first.id, "do": "replace"}))
    published(visit("workbench", state=in_hand({**PLAN, "title": "Better"})))
    second = next(each for each in small.releases.find() if each.id != first.id)
    page = visit("releases", query={"release": first.id, "do": "replace"})
    write(page, WORDS["replace_reason"], "A month was missing.")
    press(page, WORDS["replace_save"])
    assert WORDS["failed"] not in words(page)
    assert small.releases.notices(first.id) == [], "nothing without a release"
    next(box for box in page.selectbox if box.label == WORDS["replace_by"]).select(second.id)
    write(page, WORDS["replace_reason"], "A month was missing.")
    press(page, WORDS["replace_save"])
    assert WORDS["replace_saved"] in words(page)
    (notice,) = small.releases.notices(first.id)
    assert (notice.superseded_by, notice.text) == (second.id, "A month was missing.")
    assert say("releases_open", title="Better") in words(page)


@pytest.mark.full
def test_the_ledger_shows_the_event_that_an_address_asks_for(small: Workspace, visit: Opener) -> None:
    published(visit("workbench", state=in_hand()))
    (release,) = small.releases.find()
    seq = release.certificate.ledger.seq
    assert say("ledger_entry", seq=str(seq)) in words(visit("budget", query={"event": str(seq)}))
    shown = words(visit("budget", query={"event": "99999"}))
    assert say("ledger_entry", seq="99,999") not in shown
    assert WORDS["ledger_csv"] in shown, "the rest of the page stands"
