"""How a file is read, from the terminal: proposed, said, kept."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
import yaml

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
    words = terminal.refused("dataset", "add", "book", str(book), "--epsilon", "1", error="UploadError")
    assert "'2023'; '2024'" in words
    assert "--sheet" in words
    more = ("--epsilon", "1", "--sheet", "2024")
    words = terminal.refused("dataset", "add", "book", str(book), *more, error="UploadError")
    assert "units of measure" in words
    terminal.ask("dataset", "add", "book", str(book), "--epsilon", "1", "--sheet", "2024", "--units")
    layout = terminal.workspace().datasets.layout("book")
    assert layout is not None
    assert (layout.sheet, layout.header, layout.units) == ("2024", 2, True)
    assert terminal.workspace().datasets.columns("book") == ("age", "cost")


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
    words = terminal.refused(*add, error="InputError")
    assert all(option in words for option in ("--decimal", "--dates", "--accept"))
    terminal.refused(*add, "--accept", error="InputError")
    found = terminal.ask(*add, "--decimal", ",", "--dates", "dmy", "--yes", "J", "--no", "N")
    assert {name: column["reading"] for name, column in found["columns"].items()} == {
        "betrag": {"decimal": ",", "thousands": ["."]},
        "tag": {"dates": ["d/m/y"]},
        "erwerb": {"yes": ["J"], "no": ["N"]},
    }
