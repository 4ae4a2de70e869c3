"""How a file is read, from the terminal: proposed, said, kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest
import yaml

from dprelease.errors import ASKED, UploadError
from dprelease.model.dataset_terms import DatasetTerms
from dprelease.workspace.same_command import same_command
from tests.cli.conftest import Terminal, empty, terminal

__all__ = ["empty", "terminal"]


OFFICE: dict[str, dict[str, Any]] = {
    "betrag": {"decimal": ",", "thousands": ["."]},
    "tag": {"dates": ["d/m/y"]},
    "erwerb": {"yes": ["J"], "no": ["N"]},
}
"""How the cells of `office` are written."""


def office(folder: Path) -> tuple[Path, Path]:
    """A schema, and a table whose cells leave open how they are written."""
    columns = {
        "betrag": {"type": "number", "lower": 0, "upper": 1_000_000},
        "tag": {"type": "date", "lower": "2020-01-01", "upper": "2025-12-31"},
        "erwerb": {"type": "boolean"},
    }
    schema, table = folder / "schema.yaml", folder / "amt.csv"
    schema.write_text(yaml.safe_dump({"columns": columns}, sort_keys=False))
    table.write_text("betrag;tag;erwerb\n200.000;03/04/2021;J\n1.000;05/06/2021;N\n")
    return schema, table


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
    more = ("dataset", "add", "--overlap", "none", "book", str(book), "--epsilon", "1")
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
    add = ("dataset", "add", "--overlap", "none", "more", tmp_path / "file.csv", "--epsilon", "1")
    for content, asked in (("a;b,c;d\n1;2,3;4\n5;6,7;8\n", "delimiter"), ("1,2\n3,4\n5,6\n7,8\n", "header")):
        (tmp_path / "file.csv").write_text(content)
        assert list(terminal.asked(*add)) == [asked]
    (tmp_path / "book.csv").write_text("name;type;lower;upper\nage;integer;1.000;\n")
    describe = ("dataset", "describe", "visits", "--codebook", tmp_path / "book.csv")
    assert terminal.asked(*describe, error="CodebookError") == {"numbers": ["1.234,5", "1,234.5"]}


def test_units_under_the_names_are_those_of_the_columns(terminal: Terminal, book: Path) -> None:
    more = ("--epsilon", "1", "--sheet", "2024", "--units")
    words = terminal.say("dataset", "add", "--overlap", "none", "book", str(book), *more)
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
    add = (
        "dataset",
        "add",
        "--overlap",
        "none",
        "sums",
        tmp_path / "book.xlsx",
        "--epsilon",
        "1",
        "--skip-rule",
        "word:Total",
    )
    words = terminal.say(*add)
    assert "word:Total" in words
    assert "2019 / n" in words
    assert "formulas" in words
    kept = terminal.ask("dataset", "replace", "sums", tmp_path / "book.xlsx", "--same-rows")["layout"]
    assert kept["skip"] == {"words": ["Total"]}


def test_a_row_with_few_cells_is_asked_about_with_the_rule_that_leaves_it_out(
    terminal: Terminal, tmp_path: Path
) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("a,b,c,d\n1,2,3,4\n5,6,7,8\n1,2,3,4\nSource: own count\n")
    add = ("dataset", "add", "--overlap", "none", "notes", path, "--epsilon", "1")
    assert terminal.asked(*add, error="ShortRowError") == {"notes.csv": ["note:1"]}
    words = terminal.run(*add)[2]
    assert "line 5" in words
    assert "--skip-rule note:1" in words
    terminal.ask(*add, "--skip-rule", "note:1")


def test_rows_that_look_like_no_rows_are_told_when_a_file_is_brought(terminal: Terminal, tmp_path: Path) -> None:
    """As a spreadsheet saves a note: with a sign for every cell, so that its row is as long as the others."""
    path = tmp_path / "notes.csv"
    path.write_bytes(b"a,b,c\r\n1,2,3\r\n5,6,7\r\n,,\r\n1,2,4\r\nSource: own count,,\r\n")
    add = ("dataset", "add", "--overlap", "none", "notes", path, "--epsilon", "1")
    assert terminal.ask(*add)["strays"] == [{"rule": "empty", "rows": 1}, {"rule": "note:1", "rows": 1}]
    looks = [each["body"]["dataset"] for each in terminal.ask("ledger", "list", "--kind", "reading_taken")]
    assert "notes" in looks, "exact counts of rows are a look"
    replace = ("dataset", "replace", "notes", path, "--skip-rule", "empty")
    assert "dprelease dataset replace notes FILE --skip-rule note:1" in terminal.say(*replace)
    assert terminal.ask(*replace, "--skip-rule", "note:1")["strays"] == []
    terminal.ask("policy", "previews", "blind")
    asked = ("--encoding", "utf-8", "--delimiter", ",", "--header", "1", "--no-units")
    assert (
        terminal.ask("dataset", "add", "--overlap", "none", "blind", path, "--population", "notes", *asked)["strays"]
        == []
    )


def test_rows_that_look_like_no_rows_are_told_of_a_file_with_their_lines(terminal: Terminal, tmp_path: Path) -> None:
    """A note, a total, a row of nothing. Lines count as an editor counts them, line ends within cells too."""
    path = tmp_path / "notes.csv"
    rows = (
        'a;b;c\r\n1;2;3\r\n5;6;"x\r\ny"\r\n\r\n;;\r\n'
        + 22 * "1;2;4\r\n"
        + "Quelle: eigen;;\r\nSUMME;9;9\r\n1;1;1\r\n;;\r\n"
    )
    path.write_bytes(rows.encode())
    found = terminal.ask("dataset", "detect", path)
    assert found["strays"] == [
        {"rule": "empty", "rows": 2, "lines": [6, 32]},
        {"rule": "note:1", "rows": 1, "lines": [29]},
        {"rule": "word:Summe", "rows": 1, "lines": [30]},
    ]
    assert "2 rows look like notes, totals or nothing (lines 6, 32): --skip-rule empty" in terminal.say(
        "dataset", "detect", path
    )
    rules = ("--skip-rule", "empty", "--skip-rule", "note:1", "--skip-rule", "word:Summe")
    assert terminal.ask("dataset", "detect", path, *rules)["strays"] == []
    book = openpyxl.Workbook()
    for row in (["Extract"], ["n", "cost", "year"], *([n, n, 2024] for n in range(9)), [], ["Total", 36, None]):
        book.active.append(row)  # type: ignore[union-attr]
    book.save(tmp_path / "book.xlsx")
    (total,) = terminal.ask("dataset", "detect", tmp_path / "book.xlsx")["strays"]
    assert total == {"rule": "word:Total", "rows": 1, "lines": [13]}
    terminal.ask("policy", "previews", "blind")
    assert terminal.ask("dataset", "detect", path)["strays"] == []


def test_categories_with_blanks_around_are_asked_about_with_the_option_that_reads_them(
    terminal: Terminal, tmp_path: Path
) -> None:
    path, schema = tmp_path / "t.csv", tmp_path / "t.yaml"
    path.write_text("region,n\nNorth,1\n North,2\nSouth ,3\nSouth,4\n")
    schema.write_text("columns: {region: {type: category, categories: [North, South]}}")
    add = ("dataset", "add", "--overlap", "none", "regions", path, "--epsilon", "1", "--schema", schema)
    words = terminal.run(*add)[2]
    assert "blanks around" in words
    assert "`--column region=` (nothing behind the sign), or `reading: {}`" in words
    (region,) = terminal.ask(*add, "--column", "region=")["reading"]
    assert region["understood"] == 4


def test_a_proposal_is_printed_and_taken_and_registers_nothing(terminal: Terminal, book: Path, tmp_path: Path) -> None:
    kinds = terminal.kinds()
    found = terminal.ask("dataset", "detect", str(book), "--sheet", "2023", "--no-units", "--skip-rule", "word:Total")
    assert (found["asks"], found["layout"]["skip"]) == ([], {"words": ["Total"]})
    assert terminal.kinds() == kinds
    (tmp_path / "read.yaml").write_text(yaml.safe_dump({"layout": found["layout"]}))
    terminal.ask(
        "dataset",
        "add",
        "--overlap",
        "none",
        "book",
        str(book),
        "--epsilon",
        "1",
        "--read",
        str(tmp_path / "read.yaml"),
    )
    layout = terminal.workspace().datasets.layout("book")
    assert layout is not None
    assert layout.to_mapping() == found["layout"]


def test_how_cells_are_written_is_said_of_all_columns(terminal: Terminal, tmp_path: Path) -> None:
    """Each question is an error that names the option which answers it."""
    schema, table = office(tmp_path)
    add = ("dataset", "add", "--overlap", "none", "amt", table, "--epsilon", "1", "--schema", schema)
    asked = terminal.asked(*add, error="InputError")
    assert len(asked["columns.betrag.reading"]) == 2
    words = terminal.run(*add)[2]
    assert all(option in words for option in ("--decimal", "--dates", "--accept"))
    assert asked.keys() > terminal.asked(*add, "--accept", error="InputError").keys()
    found = terminal.ask(*add, "--decimal", ",", "--dates", "dmy", "--yes", "J", "--no", "N")
    assert {name: column["reading"] for name, column in found["columns"].items()} == OFFICE


def test_how_the_cells_of_one_column_are_written_is_said_in_a_line(terminal: Terminal, tmp_path: Path) -> None:
    schema, table = office(tmp_path)
    add = ("dataset", "add", "--overlap", "none", "amt", table, "--epsilon", "1")
    said = ("--column", "betrag=decimal:,;thousands:.", "--column", "tag=d/m/y", "--column", "erwerb=yes:J;no:N")
    assert "columns.x: found nothing" in terminal.refused(*add, "--column", "x=d.m.y")
    found = terminal.ask(*add, "--schema", schema, *said)
    assert {name: column["reading"] for name, column in found["columns"].items()} == OFFICE
    assert "one form of a column" in terminal.refused(*add, "--column", "tag=d.m.y", "--column", "tag=d/m/y")
    assert "columns.betrag.reading.dates" in terminal.refused(
        *add, "--schema", schema, "--column", "betrag=d.m.y", error="SchemaError"
    )


def test_further_rows_that_are_written_otherwise_are_said_so_and_an_event(terminal: Terminal, tmp_path: Path) -> None:
    schema, table = office(tmp_path)
    added = (
        "dataset",
        "add",
        "--overlap",
        "none",
        "amt",
        table,
        "--epsilon",
        "1",
        "--schema",
        schema,
        "--decimal",
        ",",
        "--dates",
        "dmy",
    )
    terminal.ask(*added, "--yes", "J", "--no", "N")
    (tmp_path / "next.csv").write_text("betrag;tag;erwerb\n2.5;04.04.2021;J\n")
    replace = ("dataset", "replace", "amt", tmp_path / "next.csv")
    before = terminal.kinds()
    assert "columns.x" in terminal.refused(*replace, "--column", "x=d.m.y")
    found = terminal.ask(*replace, "--column", "betrag=decimal:.", "--column", "tag=d.m.y")["columns"]
    assert (found["betrag"]["reading"], found["tag"]["reading"]) == ({"decimal": "."}, {"dates": ["d.m.y"]})
    assert found["erwerb"]["reading"] == OFFICE["erwerb"]
    assert terminal.kinds()[len(before) :] == ["schema_declared", "rows_replaced", "reading_taken"]


def test_a_file_of_a_dataset_is_detected_and_reads_the_same(terminal: Terminal, tmp_path: Path) -> None:
    """What `detect` prints is taken by `--read`, and with types by `--schema`; what is open stands in it in words."""
    schema, table = office(tmp_path)
    words = terminal.say("dataset", "detect", table)
    assert "# columns.betrag.reading: found cells that two forms read as different values" in words
    assert "{decimal: .} (48411.71 → 48411.71) | {decimal: ',', thousands: [.]} (48.411,71 → 48411.71)" in words
    found = terminal.ask("dataset", "detect", table)
    assert [(each["path"], len(each["answers"])) for each in found["asks"]] == [
        ("columns.betrag.reading", 2),
        ("columns.tag.reading", 2),
    ]
    assert found["columns"]["tag"]["reading"] == {"one_of": [{"dates": ["d/m/y"]}, {"dates": ["m/d/y"]}]}
    assert yaml.safe_load(words) == {"layout": found["layout"], "columns": found["columns"]}
    table.write_text("betrag;tag;erwerb;id\n200.000,5 €;13/04/2021;J;07\n1.000;05/06/2021;N;08\n")
    words, found = terminal.say("dataset", "detect", table), terminal.ask("dataset", "detect", table)
    assert "betrag: {reading: {decimal: ',', thousands: [.], affixes: [€]}}  # 48.411,71 € → 48411.71" in words
    assert terminal.ask("dataset", "detect", table, "--schema", schema)["columns"] == found["columns"]
    (tmp_path / "read.yaml").write_text(words)
    assert yaml.safe_load(words) == {"layout": found["layout"], "columns": found["columns"]}
    add = ("--epsilon", "1")
    read = terminal.ask(
        "dataset", "add", "--overlap", "none", "a", table, *add, "--schema", schema, "--read", tmp_path / "read.yaml"
    )
    whole = yaml.safe_load(schema.read_text())
    for name, column in found["columns"].items():
        whole["columns"][name] |= column
    (tmp_path / "whole.yaml").write_text(yaml.safe_dump({"layout": found["layout"], **whole}))
    own = terminal.ask("dataset", "add", "--overlap", "none", "b", table, *add, "--schema", tmp_path / "whole.yaml")
    assert read["columns"] == own["columns"]
    assert read["layout"] == own["layout"] == found["layout"]
    assert own["columns"]["tag"]["reading"] == {"dates": ["d/m/y"]}


def test_a_file_that_was_detected_is_answered_and_taken_before_columns_are_declared(
    terminal: Terminal, tmp_path: Path
) -> None:
    """`detect > read.yaml`, `add --read read.yaml`: what is open is asked, and each answer stands until a codebook."""
    schema, table = office(tmp_path)
    read = tmp_path / "read.yaml"
    read.write_text(terminal.say("dataset", "detect", table))
    add = ("dataset", "add", "--overlap", "none", "amt", table, "--epsilon", "1", "--read", read)
    asked = terminal.asked(*add, error="InputError")
    assert {path: len(answers) for path, answers in asked.items()} == {
        "columns.betrag.reading": 2,
        "columns.tag.reading": 2,
    }
    assert list(terminal.asked(*add, "--column", "tag=d/m/y", error="InputError")) == ["columns.betrag.reading"]
    left = [line for line in read.read_text().splitlines() if "{decimal: .}" not in line and "[m/d/y]" not in line]
    read.write_text("\n".join(line for line in left if not line.startswith("#")))
    added = terminal.ask(*add)
    assert added["columns"] == {}
    assert set(added["layout"]["forms"]) == set(OFFICE)
    datasets = terminal.workspace().datasets
    layout = datasets.layout("amt")
    assert layout is not None
    assert "--column tag=d/m/y" in same_command(datasets.get("amt"), layout, DatasetTerms()).command
    declared = terminal.ask("dataset", "describe", "amt", "--codebook", schema)["changed"]
    assert {name: column["reading"] for name, column in declared.items()} == {
        **OFFICE,
        "erwerb": {"yes": ["ja", "j"], "no": ["nein", "n"]},
    }
    report = terminal.ask("dataset", "reading", "amt")["reading"]
    assert [each["understood"] for each in report] == [2, 2, 2]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("option", "text", "told"),
    [
        ("--read", "columns: {tag: {type: date, reading: {dates: [iso]}}}", "columns.tag: found no bounds"),
        ("--read", "columns: {tag: {reading: {date: [iso]}}}", "Did you mean 'dates'?"),
        ("--read", "layout: {sign: ;}", "layout.sign"),
        ("--read", "delimiter: ;", "found unknown key 'delimiter'"),
        ("--schema", "colums: {}", "Did you mean 'columns'?"),
        ("--schema", "columns: {tag: date}", "columns.tag"),
        ("--schema", "columns: [tag]", "columns: found ['tag']"),
    ],
)
def test_what_is_not_understood_of_such_a_file_is_refused(
    terminal: Terminal, tmp_path: Path, option: str, text: str, told: str
) -> None:
    _, table = office(tmp_path)
    (tmp_path / "file.yaml").write_text(text)
    words = terminal.refused(
        "dataset", "add", "--overlap", "none", "a", table, option, tmp_path / "file.yaml", error="SchemaError"
    )
    assert told in words


@pytest.mark.full
def test_a_plan_that_declares_how_cells_are_written_reads_a_table_by_its_own_file(
    terminal: Terminal, tmp_path: Path
) -> None:
    """The plan is the file of the dataset as well: cells are read as it declares, asked about by nobody."""
    schema, table = office(tmp_path)
    columns = yaml.safe_load(schema.read_text())["columns"]
    declared = {name: {**column, "reading": OFFICE[name]} for name, column in columns.items()}
    statistics = [{"id": "mean", "kind": "mean", "column": "betrag"}]
    plan = terminal.plan("amt", dataset="amt", columns=declared, statistics=statistics)
    terminal.ask("dataset", "add", "--overlap", "none", "amt", table, "--epsilon", "1", "--schema", plan)
    (mean,) = terminal.ask("preview", plan)["statistics"]["mean"]
    assert mean["true"] == (200_000 + 1000) / 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["book.csv", "book.json"])
def test_declared_columns_are_written_and_taken_over_elsewhere(terminal: Terminal, tmp_path: Path, name: str) -> None:
    rows, book = tmp_path / "rows.csv", tmp_path / name
    rows.write_text('betrag\n"48.411,71 €"\n12 €\n')
    reading = {"decimal": ",", "thousands": ["."], "affixes": ["€"]}
    columns = {"betrag": {"type": "number", "lower": 0, "upper": 200_000, "reading": reading}}
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump({"columns": columns}))
    for dataset in ("one", "two"):
        terminal.ask("dataset", "add", "--overlap", "none", dataset, rows, "--epsilon", "1")
    terminal.ask("dataset", "describe", "one", "--codebook", tmp_path / "plan.yaml")
    assert terminal.ask("dataset", "describe", "one", "--write", book)["columns"] == 1
    assert terminal.run("dataset", "describe", "one", "--write", book)[0] == 3, "a file that is there stays"
    assert terminal.run("dataset", "describe", "one", "--write", tmp_path / "book.ods")[0] == 3
    taken = terminal.ask("dataset", "describe", "two", "--codebook", book)["changed"]
    assert taken["betrag"]["reading"] == reading
    assert terminal.ask("dataset", "describe", "two", "--like", "one")["changed"] == {}


def test_words_of_no_answer_are_proposed_and_asked_about_where_they_would_count(
    terminal: Terminal, tmp_path: Path
) -> None:
    """From a closed list: `k. A.` is no number in any case, but `Unbekannt` would count as another region."""
    path, schema = tmp_path / "amt.csv", tmp_path / "amt.yaml"
    rows = [f"{n},5;ja;Nord;2020" for n in range(8)] + ["k. A.;unbekannt;Unbekannt;n/a", "2,5;nein;Süd;2021"]
    path.write_text("\n".join(["betrag;arbeit;region;jahr", *rows]))
    columns = {
        "betrag": {"type": "number", "lower": 0, "upper": 100},
        "arbeit": {"type": "boolean"},
        "region": {"type": "category", "categories": ["Nord", "Süd"], "other": True},
        "jahr": {"type": "integer", "lower": 2000, "upper": 2030},
    }
    words = {"betrag": ["k. A."], "arbeit": ["unbekannt"], "region": ["Unbekannt"], "jahr": ["n/a"]}
    found = terminal.ask("dataset", "detect", path)
    assert found["no_answer"] == words
    assert found["columns"]["arbeit"] == {"reading": {"yes": ["ja", "j"], "no": ["nein", "n"]}}, "beside a third word"
    add = ("dataset", "add", "amt", path, "--epsilon", "1", "--overlap", "none", "--schema", schema)
    schema.write_text(yaml.safe_dump({"columns": columns}))
    cells = ("--decimal", ",", "--yes", "ja", "--no", "nein")
    assert terminal.asked(*add, *cells, error="InputError") == {
        "columns.region.missing_codes": ["{missing_codes: [Unbekannt]}", "{missing_codes: []}"]
    }
    accepted = terminal.ask(*add, "--accept")
    assert {name: column["missing_codes"] for name, column in accepted["columns"].items()} == words
    assert accepted["no_answer"] == {}
    columns["region"]["other"] = False
    schema.write_text(yaml.safe_dump({"columns": columns}))
    assert terminal.ask("dataset", "add", "other", *add[3:], *cells)["no_answer"] == words
    terminal.ask("policy", "previews", "blind")
    layout = ("--encoding", "utf-8", "--delimiter", ";", "--header", "1", "--no-units", "--population", "amt")
    assert terminal.ask("dataset", "add", "blind", *add[3:], *cells, *layout)["no_answer"] == {}
