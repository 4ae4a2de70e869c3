"""How a file is read, from the terminal: proposed, said, kept."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
import yaml

from dprelease.errors import ASKED, UploadError
from tests.cli.conftest import Terminal, empty, terminal

__all__ = ["empty", "terminal"]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """Two sheets with tables, and one with two lines of words."""
    made = openpyxl.Workbook()
    made.active.append(["Read me"])  # type: ignore[union-attr]
    for name, count in (("2023", 3), ("2024", 4)):
        sheet = made.create_sheet(name)
        sheet.append(["Extract of " + name])
        for row in (["age", "cost"], ["(years)", "€"], *([place, 2 * place] for place in range(count))):
            sheet.append(row)
    made.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


def test_what_a_file_leaves_open_is_an_error_with_the_option_that_answers_it(terminal: Terminal, book: Path) -> None:
    more = ("dataset", "add", "book", str(book), "--epsilon", "1")
    assert terminal.asked(*more) == {"sheet": ["Sheet", "2023", "2024"]}
    words = terminal.run(*more)[2]
    assert "'Sheet'; '2023'; '2024'" in words
    assert "--sheet" in words
    assert terminal.asked(*more, "--sheet", "2024") == {"units": ["true", "false"]}
    assert "units of measure" in terminal.run(*more, "--sheet", "2024")[2]
    added = terminal.ask(*more, "--sheet", "2024", "--units")
    assert (added["layout"]["sheet"], added["layout"]["header"]) == ("2024", 2)
    assert (added["names_with_bands"], added["formulas_without_results"]) == ([], 0)
    layout = terminal.workspace().datasets.layout("book")
    assert layout is not None
    assert (layout.sheet, layout.header, layout.units) == ("2024", 2, True)
    assert terminal.workspace().datasets.columns("book") == ("age", "cost")


def test_a_question_in_python_has_the_code_of_the_terminal_and_its_answers(terminal: Terminal, book: Path) -> None:
    with pytest.raises(UploadError) as caught:
        terminal.workspace().add_dataset("book", book, epsilon=1)
    assert (caught.value.code, [each.answers for each in caught.value.questions]) == (
        ASKED,
        [("Sheet", "2023", "2024")],
    )


def test_a_file_or_list_that_several_signs_divide_or_that_has_no_names_is_asked_about(
    terminal: Terminal, tmp_path: Path
) -> None:
    add = ("dataset", "add", "more", tmp_path / "file.csv", "--epsilon", "1")
    for content, asked in (("a;b,c;d\n1;2,3;4\n5;6,7;8\n", "delimiter"), ("1,2\n3,4\n5,6\n7,8\n", "header")):
        (tmp_path / "file.csv").write_text(content)
        assert list(terminal.asked(*add)) == [asked]
    (tmp_path / "book.csv").write_text("name;type;lower;upper\nage;integer;1.000;\n")
    describe = ("dataset", "describe", "visits", "--codebook", tmp_path / "book.csv")
    assert terminal.asked(*describe, error="CodebookError") == {"numbers": ["1.234,5", "1,234.5"]}


def test_units_under_the_names_are_those_of_the_columns(terminal: Terminal, book: Path) -> None:
    more = ("--epsilon", "1", "--sheet", "2024", "--units")
    words = terminal.say("dataset", "add", "book", str(book), *more)
    assert "Sheet '2024' was read." in words
    assert "Row 2 holds the names" in words
    assert "describe book --own" in words
    own = terminal.workspace().datasets.codebook("book")
    assert own is not None
    assert {entry.name: entry.declared for entry in own.entries} == {"age": {"unit": "years"}, "cost": {"unit": "€"}}


def test_what_was_left_out_of_a_sheet_and_what_it_does_not_hold_is_said(terminal: Terminal, tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    rows = [
        ["2019", "", "2020"],
        ["n", "cost", "n"],
        *([place, place, f"=A{place}"] for place in range(1, 6)),
        ["Total"],
    ]
    for row in rows:
        made.active.append(row)  # type: ignore[union-attr]
    made.save(tmp_path / "book.xlsx")
    add = ("dataset", "add", "sums", tmp_path / "book.xlsx", "--epsilon", "1", "--skip-rule", "word:Total")
    words = terminal.say(*add)
    assert "word:Total" in words
    assert "2019 / n" in words
    assert "formulas" in words
    kept = terminal.ask("dataset", "replace", "sums", tmp_path / "book.xlsx", "--same-rows")["layout"]
    assert kept["skip"] == {"words": ["Total"]}


def test_a_note_with_few_cells_is_refused_with_the_rule_that_leaves_it_out(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("a,b,c,d\n1,2,3,4\n5,6,7,8\n1,2,3,4\nSource: own count\n")
    words = terminal.refused("dataset", "add", "notes", path, "--epsilon", "1", error="UploadError")
    assert "line 5" in words
    assert "--skip-rule note:1" in words
    terminal.ask("dataset", "add", "notes", path, "--epsilon", "1", "--skip-rule", "note:1")


def test_a_proposal_is_printed_and_taken_and_registers_nothing(terminal: Terminal, book: Path, tmp_path: Path) -> None:
    kinds = terminal.kinds()
    found = terminal.ask("dataset", "detect", str(book), "--sheet", "2023", "--no-units", "--skip-rule", "word:Total")
    assert (found["asks"], found["reading"]["skip"]) == ([], {"words": ["Total"]})
    assert terminal.kinds() == kinds
    (tmp_path / "read.yaml").write_text(yaml.safe_dump(found["reading"]))
    terminal.ask("dataset", "add", "book", str(book), "--epsilon", "1", "--read", str(tmp_path / "read.yaml"))
    layout = terminal.workspace().datasets.layout("book")
    assert layout is not None
    assert layout.to_mapping() == found["reading"]


def test_how_cells_are_written_is_said_of_all_columns(terminal: Terminal, tmp_path: Path) -> None:
    """Each question is an error that names the option which answers it."""
    (tmp_path / "amt.csv").write_text("betrag;tag;erwerb\n200.000;03/04/2021;J\n1.000;05/06/2021;N\n")
    columns = {
        "betrag": {"type": "number", "lower": 0, "upper": 1_000_000},
        "tag": {"type": "date", "lower": "2020-01-01", "upper": "2025-12-31"},
        "erwerb": {"type": "boolean"},
    }
    (tmp_path / "schema.yaml").write_text(yaml.safe_dump({"columns": columns}))
    add = (
        "dataset",
        "add",
        "amt",
        str(tmp_path / "amt.csv"),
        "--epsilon",
        "1",
        "--schema",
        str(tmp_path / "schema.yaml"),
    )
    asked = terminal.asked(*add, error="InputError")
    assert len(asked["columns.betrag.reading"]) == 2
    words = terminal.run(*add)[2]
    assert all(option in words for option in ("--decimal", "--dates", "--accept"))
    assert asked.keys() > terminal.asked(*add, "--accept", error="InputError").keys()
    found = terminal.ask(*add, "--decimal", ",", "--dates", "dmy", "--yes", "J", "--no", "N")
    assert {name: column["reading"] for name, column in found["columns"].items()} == {
        "betrag": {"decimal": ",", "thousands": ["."]},
        "tag": {"dates": ["d/m/y"]},
        "erwerb": {"yes": ["J"], "no": ["N"]},
    }


@pytest.mark.parametrize("name", ["book.csv", "book.json"])
def test_declared_columns_are_written_and_taken_over_elsewhere(terminal: Terminal, tmp_path: Path, name: str) -> None:
    rows, book = tmp_path / "rows.csv", tmp_path / name
    rows.write_text('betrag\n"48.411,71 €"\n12 €\n')
    reading = {"decimal": ",", "thousands": ["."], "affixes": ["€"]}
    columns = {"betrag": {"type": "number", "lower": 0, "upper": 200_000, "reading": reading}}
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump({"columns": columns}))
    for dataset in ("one", "two"):
        terminal.ask("dataset", "add", dataset, rows, "--epsilon", "1")
    terminal.ask("dataset", "describe", "one", "--codebook", tmp_path / "plan.yaml")
    assert terminal.ask("dataset", "describe", "one", "--write", book)["columns"] == 1
    assert terminal.run("dataset", "describe", "one", "--write", book)[0] == 1, "a file that is there stays"
    assert terminal.run("dataset", "describe", "one", "--write", tmp_path / "book.ods")[0] == 1
    taken = terminal.ask("dataset", "describe", "two", "--codebook", book)["changed"]
    assert taken["betrag"]["reading"] == reading
    assert terminal.ask("dataset", "describe", "two", "--like", "one")["changed"] == {}
