"""The datasets' page: how a file is read and corrected, what is refused and how, what is kept and what deleted."""

from __future__ import annotations

import os
import re
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from dprelease.model.row_rules import RowRules
from dprelease.ui.data.purpose import next_name, proposed_name
from dprelease.ui.kit import session
from dprelease.ui.words import WORDS, say, say_label
from dprelease.words.language import COOKIE, speaking
from dprelease.workspace import Workspace
from dprelease.workspace.uploads import IMPORT
from tests.pages.conftest import COLUMNS, PATIENCE, Opener, SignIn, choose, html, labels, press, words, write

SPREADSHEET = "Größe;geboren\n1,75;31.12.1980\n1,80;1.2.1999\n".encode("windows-1252")
SECRET = "SECRET_4711"


@pytest.fixture
def people(own_workspace: Workspace, sign_in: SignIn) -> Workspace:
    own_workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=3)
    sign_in()
    return own_workspace


def sent(workspace: Workspace, name: str, content: bytes) -> None:
    """As if it had been chosen on the page, or sent on the page for large files."""
    with workspace.datasets.uploads.receive(name) as arriving:
        arriving.write(content)
    for task in workspace.datasets.uploads.readings():
        assert task.ended.wait(PATIENCE)


def field(page: AppTest, label: str) -> Any:
    return next(box for box in page.selectbox if box.label == label).value


def test_without_a_population_a_table_is_brought_and_the_people_are_asked_for_beside_it(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    sign_in()
    page = visit("tables")
    assert WORDS["upload"] in words(page)
    sent(own_workspace, "Encuesta 2024.csv", SPREADSHEET)
    page = visit("tables")
    assert WORDS["population_first"] in words(page)
    name = next(field for field in page.text_input if field.label == WORDS["population_name"])
    assert name.value == "encuesta-2024"
    write(page, WORDS["population_unit"], "person")
    write(page, WORDS["population_epsilon"], "1,5")
    page = press(page, WORDS["population_save"])
    (population,) = own_workspace.populations.find()
    assert str(population.cap) == "ε = 1.5, δ = 0"
    assert field(page, WORDS["dataset_population"]) == "encuesta-2024", "the only one is chosen"
    proposed = next(each for each in page.text_input if each.label == WORDS["dataset_name"])
    assert proposed.value == "encuesta-2024"


def test_how_a_file_is_read_is_shown_and_corrected(people: Workspace, visit: Opener) -> None:
    sent(people, "spread.csv", SPREADSHEET)
    page = visit("tables")
    assert "Größe, geboren" in words(page)
    shown = [field(page, WORDS[f"reading_{part}"]) for part in ("delimiter", "encoding")]
    assert shown == [";", "windows-1252"]
    next(box for box in page.selectbox if box.label == WORDS["reading_encoding"]).select("mac-roman")
    press(page, WORDS["read_again"])
    assert say("read_again_done", filename="spread.csv") in words(page)
    (upload,) = people.datasets.uploads.find()
    assert upload.detected.reading.encoding == "mac-roman"
    assert "Größe" not in words(page)
    next(box for box in page.selectbox if box.label == WORDS["reading_encoding"]).select("utf-8")
    press(page, WORDS["read_again"])
    assert "line 1, column 1: bytes that are not UTF-8" in words(page)
    assert people.datasets.uploads.find() == [upload], "it stays as it was"


def test_columns_that_are_called_alike_get_names_that_can_be_changed(people: Workspace, visit: Opener) -> None:
    sent(people, "twice.csv", b"age,Age,,age\n1,2,3,4\n")
    page = visit("tables")
    assert WORDS["reading_mended"] in words(page)
    assert "age, Age_2, column_3, age_3" in words(page)
    write(page, WORDS["reading_names"], "age\nage_then\nnote\nage_later")
    page = press(page, WORDS["read_again"])
    assert "age, age_then, note, age_later" in words(page)
    assert WORDS["reading_mended"] not in words(page)
    write(page, WORDS["reading_names"], "age\nage_then")
    page = press(page, WORDS["read_again"])
    assert "as many names as there are columns: 4" in words(page)
    (upload,) = people.datasets.uploads.find()
    assert upload.columns == ("age", "age_then", "note", "age_later"), "it stays as it was"


def test_the_first_row_may_hold_no_names(people: Workspace, visit: Opener) -> None:
    sent(people, "rows.csv", b"n,n,s\nn,s,s\n")
    page = visit("tables")
    assert WORDS["ask_header"] in words(page)
    assert WORDS["dataset_about"] not in words(page), "nothing is read, and nothing can be registered"
    (field,) = [each for each in page.number_input if each.label == WORDS["reading_header"]]
    field.set_value(0)
    page = press(page, WORDS["ask_go_on"])
    assert "column_1, column_2, column_3" in words(page)


@pytest.mark.full
def test_which_sheet_is_asked_by_name_columns_and_rows(people: Workspace, visit: Opener) -> None:
    book = openpyxl.Workbook()
    for name, count in (("2023", 3), ("2024", 4)):
        sheet = book.create_sheet(name)
        for row in (["edad", "coste"], *([place, 2 * place] for place in range(count))):
            sheet.append(row)
    content = BytesIO()
    book.save(content)
    sent(people, "two.xlsx", content.getvalue())
    page = visit("tables")
    assert WORDS["ask_sheet"] in words(page)
    choice = next(each for each in page.radio if each.label == WORDS["ask_sheet"])
    assert choice.options == ["2023: 2 columns, 3 rows", "2024: 2 columns, 4 rows"]
    choice.set_value("2024")
    press(page, WORDS["ask_go_on"])
    (upload,) = people.datasets.uploads.find()
    assert (upload.detected.reading.sheet, upload.columns) == ("2024", ("edad", "coste"))


def test_notes_are_proposed_with_their_rows_and_totals_left_out_by_a_word_that_somebody_types(
    people: Workspace, visit: Opener
) -> None:
    sent(people, "t.csv", b"region;edad;coste\nN;1;2\nS;3;4\nE;5;6\nTotal;9;12\nFuente: oficina;;\n")
    page = visit("tables")
    note = say("reading_rule", rule=say("rule_note", rest="1"), rows="one row")
    assert note in words(page)
    press(page, say_label("reading_rule_take", rule=say("rule_note", rest="1")))
    (upload,) = people.datasets.uploads.find()
    assert upload.detected.reading.skip.note == 1
    page = visit("tables")
    write(page, WORDS["reading_words"], "Total; Suma")
    press(page, WORDS["read_again"])
    (upload,) = people.datasets.uploads.find()
    assert upload.detected.reading.skip == RowRules(note=1, words=("Total", "Suma"))
    people.plans.set_preview_policy("blind")
    assert note not in words(visit("tables"))


def test_a_row_with_few_cells_is_a_choice(people: Workspace, visit: Opener) -> None:
    """A note is left out by a rule of rows, as often as there are shorter ones; a fault stays for whoever mends it."""
    content = f"edad;sexo;coste\n1;F;2\n3;M;4\n5;F;6\n{SECRET}\nFuente;oficina\n"
    sent(people, "notes.csv", content.encode())
    page = visit("tables")
    for line, cells in ((5, 1), (6, 2)):
        assert say("ask_skip_text", line=line, cells=cells, width=3) in words(page)
        assert SECRET not in words(page)
        page = press(page, WORDS["ask_go_on"])
        assert WORDS["ask_unanswered"] in words(page)
        choice = next(each for each in page.radio if each.label == WORDS["ask_skip"])
        choice.set_value("fault")
        page = press(page, WORDS["ask_go_on"])
        assert WORDS["ask_skip_mend"] in words(page)
        choice = next(each for each in page.radio if each.label == WORDS["ask_skip"])
        choice.set_value(f"note:{cells}")
        page = press(page, WORDS["ask_go_on"])
    (upload,) = people.datasets.uploads.find()
    assert (upload.detected.asks, upload.detected.reading.skip.note) == ((), 2)
    people.add_dataset("heights", upload, population="people")
    assert people.datasets.columns("heights") == ("edad", "sexo", "coste")


def test_title_rows_above_the_names_are_skipped(people: Workspace, visit: Opener) -> None:
    sent(people, "survey.csv", b"Encuesta de 2024;;\n;;\nedad;sexo;coste\n1;F;2\n3;M;4\n5;F;6\n")
    (upload,) = people.datasets.uploads.find()
    assert (upload.columns, upload.detected.reading.header) == (("edad", "sexo", "coste"), 3)


BAD = {
    "a long row": (f"a,b\n1,2\n1,2,{SECRET}\n", "línea 3, columna 3: una fila de longitud 3, no 2"),
    "an open quote": (f'a,b\n1,2\n1,"{SECRET}\n', "línea 3, columna 2: comillas que no encajan"),
    "a nested object": (
        '{"a": 1}\n{"a": ["' + SECRET + '"]}\n',
        "línea 2: una lista o un objeto como valor de la clave 1",
    ),
}


@pytest.mark.parametrize(("content", "said"), BAD.values(), ids=BAD.keys())
def test_a_refusal_is_said_once_with_its_place_and_no_cell(
    people: Workspace, visit: Opener, monkeypatch: pytest.MonkeyPatch, content: str, said: str
) -> None:
    sent(people, "bad.csv", content.encode())
    cookies = session.cookies
    monkeypatch.setattr(session, "cookies", lambda: {**cookies(), COOKIE: "es"})
    with speaking("es"):
        page = visit("tables")
        shown = words(page)
        assert said in shown
        assert SECRET not in shown
        assert WORDS["upload"] in words(page), "another file may be brought"
        assert said not in words(page.run())
    assert people.datasets.uploads.find() == []


def test_a_file_of_the_server_is_taken(
    people: Workspace, visit: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert WORDS["server_file"] not in labels(visit("tables"), "selectbox")
    (tmp_path / "offered").mkdir()
    (tmp_path / "offered" / "t.csv").write_bytes(SPREADSHEET)
    monkeypatch.setenv(IMPORT, os.pathsep.join([str(tmp_path / "offered")]))
    page = choose(visit("tables"), WORDS["server_file"], str(tmp_path / "offered" / "t.csv"))
    press(page, WORDS["server_file_button"])
    assert "t.csv" in words(page.run())
    assert [upload.filename for upload in people.datasets.uploads.find()] == ["t.csv"]


def test_where_a_table_is_kept_is_said_and_a_typed_name_deletes_it(people: Workspace, visit: Opener) -> None:
    people.add_dataset("heights", people.datasets.uploads.stage("t.csv", BytesIO(SPREADSHEET)), population="people")
    folder = people.datasets.kept("heights").folder
    page = choose(visit("tables"), WORDS["kept_which"], "heights")
    assert str(folder) in words(page)
    assert WORDS["kept_who_text"] in words(page)
    write(page, say("delete_confirm", name="heights"), "height")
    press(page, WORDS["delete_button"])
    assert say("delete_not_confirmed", name="heights") in words(page)
    assert list(Path(str(folder)).iterdir())
    write(page, say("delete_confirm", name="heights"), "heights")
    press(page, WORDS["delete_button"])
    assert say("table_deleted", name="heights") in words(page)
    assert list(Path(str(folder)).iterdir()) == []
    assert WORDS["kept_deleted"] in words(page)
    assert people.ledger.events("people")[-1].kind == "table_deleted"


ROWS = pa.table({"pid": ["p1", "p2"], "age": [1, 2], "region": ["n", "s"]})


def cards(page: AppTest) -> list[str]:
    return re.findall(r'class="dp-card-name">(?:<bdi>)?([^<]*)', html(page))


def test_of_many_datasets_a_part_is_shown_and_words_find_the_others(small: Workspace, visit: Opener) -> None:
    for number in range(30):
        small.add_dataset(f"wards{number}", ROWS, population="few", unit_column="pid", columns=COLUMNS)
    page = visit("tables")
    assert len(cards(page)) == 10
    assert say("datasets_more", count="21") in words(page)
    write(page, say("datasets_search"), "FEW wards29").run()
    assert cards(page) == ["wards29"]
    assert "21" not in words(page)


def test_corrected_rows_take_the_place_of_those_before(small: Workspace, visit: Opener) -> None:
    before = small.datasets.kept("small").folder, small.datasets.get("small").version
    page = visit("tables", query={"rows": "small"})
    assert say("purpose_rows", dataset="small") in words(page)
    sent(small, "corrected.csv", b"pid,age,region\np1,3,n\n")
    page = press(visit("tables", query={"rows": "small"}), say("rows_save", dataset="small"))
    assert say("rows_done", dataset="small") in words(page)
    assert small.datasets.get("small").version != before[1]
    assert [each.name for each in small.datasets.find()] == ["small"]
    assert small.datasets.uploads.find() == []


def test_rows_with_other_columns_are_refused_and_the_upload_waits(small: Workspace, visit: Opener) -> None:
    sent(small, "other.csv", b"pid,years\np1,3\n")
    page = press(visit("tables", query={"rows": "small"}), say("rows_save", dataset="small"))
    assert "age" in words(page)
    assert len(small.datasets.uploads.find()) == 1


def test_the_next_edition_has_the_columns_and_answers_of_the_one_before(small: Workspace, visit: Opener) -> None:
    small.datasets.set_terms("small", max_rows=2)
    sent(small, "next.csv", b"pid,age,region\np1,3,n\n")
    page = visit("tables", query={"edition": "small"})
    assert say("purpose_edition", dataset="small") in words(page)
    assert [each.label for each in page.expander if each.label == WORDS["terminal_title"]]
    (shown,) = (each.value for each in page.code)
    assert shown.split(" \\\n  ") == [
        "dprelease dataset add small-2 next.csv",
        "--population few",
        "--unit-column pid",
        "--max-rows 2",
        "--encoding utf-8",
        "--header 1",
        "--delimiter ,",
        "--no-units",
        "--schema small-2.yaml",
    ]
    page = press(page, WORDS["dataset_save"])
    assert say("dataset_next", name="small-2") in words(page)
    found = small.datasets.get("small-2")
    assert (found.population, found.unit_column) == ("few", "pid")
    assert found.schema == small.datasets.get("small").schema
    assert small.datasets.terms("small-2").max_rows == 2


def test_people_not_registered_yet_are_registered_beside_their_table_and_then_chosen(
    small: Workspace, visit: Opener
) -> None:
    sent(small, "guests.csv", b"pid,age,region\np1,3,n\n")
    page = visit("tables")
    choose(page, WORDS["dataset_population"], "")
    write(page, WORDS["population_unit"], "guest")
    write(page, WORDS["population_epsilon"], "2")
    page = press(page, WORDS["population_save"])
    assert [(each.name, each.unit) for each in small.populations.find()] == [("few", "person"), ("guests", "guest")]
    assert field(page, WORDS["dataset_population"]) == "guests"
    assert say("dataset_who", unit="guest") in [each.label for each in page.radio]


def test_who_is_in_other_populations_is_asked_before_a_table_is_registered(small: Workspace, visit: Opener) -> None:
    small.add_population("guests", unit="person", neighbors="add_remove", epsilon=1)
    sent(small, "guests.csv", b"pid,age,region\np1,3,n\n")
    page = visit("tables")
    choose(page, WORDS["dataset_population"], "guests")
    assert WORDS["population_others"] in words(page)
    asked = say("population_overlap", other="few")
    next(box for box in page.radio if box.label == say("dataset_who", unit="person")).set_value("row").run()
    page = press(page, WORDS["dataset_save"])
    assert WORDS["answer_others"] in words(page), "blank until somebody answers"
    choose(page, asked, "same")
    page = press(page, WORDS["dataset_save"])
    assert [each.name for each in small.datasets.find()] == ["small"], "the same people are one population"
    choose(page, asked, "some")
    assert "--overlap few=some" in next(each.value for each in page.code)
    page = press(page, WORDS["dataset_save"])
    assert say("dataset_saved", name="guests") in words(page)
    assert small.populations.overlaps("guests") == {"few": "some"}


def test_a_renamed_column_keeps_its_declaration_and_only_names_that_differ_are_asked(
    small: Workspace, visit: Opener
) -> None:
    small.datasets.set_terms("small", max_rows=2)
    sent(small, "next.csv", b"pid,age_2026,region,zone\np1,3,n,x\n")
    page = visit("tables", query={"edition": "small"})
    assert (
        page.selectbox(key=next(each.key for each in page.selectbox if "renamed" in str(each.key))).value == "age_2026"
    )
    assert say("edition_new", columns="zone") in words(page)
    press(page, WORDS["dataset_save"])
    before, after = (small.datasets.get(name).schema.to_mapping() for name in ("small", "small-2"))
    assert after == {"age_2026": before["age"], **{name: said for name, said in before.items() if name != "age"}}


def test_a_column_that_is_gone_leaves_its_declaration_behind(small: Workspace, visit: Opener) -> None:
    small.datasets.set_terms("small", max_rows=2)
    sent(small, "next.csv", b"pid,zzz,region\np1,3,n\n")
    page = visit("tables", query={"edition": "small"})
    assert say("edition_gone", columns="age") in words(page)
    press(page, WORDS["dataset_save"])
    assert list(small.datasets.get("small-2").schema.to_mapping()) == ["region"]


def test_a_made_column_goes_along_where_all_that_it_is_made_of_does(small: Workspace, visit: Opener) -> None:
    small.datasets.set_terms("small", max_rows=2)
    made = {name: {"made": {"known": of}} for name, of in (("has_age", "age"), ("has_region", "region"))}
    small.datasets.describe("small", small.datasets.get("small").schema.said() | made)
    sent(small, "next.csv", b"pid,zzz,region\np1,3,n\n")
    page = visit("tables", query={"edition": "small"})
    assert say("edition_gone", columns="age, has_age") in words(page)
    press(page, WORDS["dataset_save"])
    assert list(small.datasets.get("small-2").schema.to_mapping()) == ["region", "has_region"]


def test_a_name_is_proposed_from_a_files_name_and_from_the_edition_before() -> None:
    assert proposed_name("Encuesta de población (2024).CSV") == "encuesta-de-poblacion-2024"
    assert proposed_name("visits.csv", ["visits", "visits-2"]) == "visits-3"
    assert proposed_name("¿?.csv") == "table"
    assert next_name("visits-2025", ["visits-2025"]) == "visits-2026"
    assert next_name("visits-2025", ["visits-2025", "visits-2026"]) == "visits-2025-2"
    assert next_name("visits", ["visits"]) == "visits-2"


def test_a_made_column_follows_a_column_that_is_renamed(small: Workspace, visit: Opener) -> None:
    """Where the person says so: a made column of one that is gone instead goes with it."""
    small.datasets.set_terms("small", max_rows=2)
    made = {
        "has_age": {"made": {"known": "age"}},
        "twice": {"made": {"sum": {"of": {"age": 2}}}},
        "low": {"made": {"holds": [{"column": "twice", "at_most": 20}]}},
    }
    small.datasets.describe("small", small.datasets.get("small").schema.said() | made)
    sent(small, "next.csv", b"pid,age_2026,region\np1,3,n\n")
    page = visit("tables", query={"edition": "small"})
    assert "has_age" not in words(page)
    press(page, WORDS["dataset_save"])
    after = small.datasets.get("small-2").schema.said()
    assert [after[name]["made"] for name in made] == [
        {"known": "age_2026"},
        {"sum": {"of": {"age_2026": 2}}},
        {"holds": [{"column": "twice", "at_most": 20}]},
    ]
