"""The command that a page prints registers an equal dataset when somebody types it."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from dprelease.model.dataset_terms import DatasetTerms
from dprelease.model.encoding import read_mapping
from dprelease.model.yaml_text import dump
from dprelease.workspace import Workspace
from dprelease.workspace.same_command import MOST, same_command
from tests.cli.conftest import Terminal, empty, terminal

__all__ = ["empty", "terminal"]

NUMBER: dict[str, Any] = {"type": "number", "lower": 0, "upper": 9000, "resolution": 0.5}
COLUMNS: dict[str, Any] = {
    "betrag": {**NUMBER, "reading": {"decimal": ",", "thousands": ["."], "affixes": ["€"]}},
    "tag": {"type": "date", "lower": "2020-01-01", "upper": "2020-12-31", "reading": {"dates": ["d.m.y"]}},
    "kürzel": {
        "type": "category",
        "categories": ["1e5", "no", "007", "a=b; c"],
        "reading": {"spellings": {"a=b; c": ["x\\y", "'"]}},
    },
    "ja": {"type": "boolean", "reading": {"yes": ["J", ";"], "no": ["N", ""]}},
}


def text(folder: Path) -> tuple[Path, dict[str, Any]]:
    path = folder / "amt.csv"
    path.write_bytes(
        "Extract\nid;betrag;tag;kürzel;ja\n(n);(€);;;\n7;1.234,5 €;01.02.2020;1e5;J\n0;12 €;13.02.2020;007;N\n"
        "Source: own count\nTotal;1.246,5 €;;;\n".encode("windows-1252")
    )
    layout = {"header": 2, "units": True, "encoding": "windows-1252", "delimiter": ";"}
    return path, {**layout, "skip": {"note": 1, "words": ["Total", "-"]}}


def tabbed(folder: Path) -> tuple[Path, dict[str, Any]]:
    path = folder / "amt.csv"
    path.write_text("1\t1.234,5 €\t01.02.2020\t1e5\tJ\n2\t12 €\t13.02.2020\t007\tN\n", "utf-8")
    names = ("id", *COLUMNS)
    return path, {"delimiter": "\t", "header": 0, "names": names, "units": False}


def book(folder: Path) -> tuple[Path, dict[str, Any]]:
    made = openpyxl.Workbook()
    made.active.append(["Read me"])  # type: ignore[union-attr]
    sheet = made.create_sheet("Data of 2024's")
    for row in (
        ["id", *COLUMNS],
        ["1", "1.234,5 €", "01.02.2020", "1e5", "J"],
        ["2", "12 €", "13.02.2020", "007", "N"],
    ):
        sheet.append(row)
    made.save(folder / "amt.xlsx")
    return folder / "amt.xlsx", {"sheet": "Data of 2024's", "header": 1, "units": False}


def typed(command: str) -> list[str]:
    """The words that a shell gives to the program."""
    program, words = command.split(" ", 1)
    assert program == "dprelease"
    return (
        subprocess.run(["sh", "-c", rf"printf '%s\0' {words}"], capture_output=True, check=True)
        .stdout.decode()
        .split("\0")[:-1]
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("bring", [text, tabbed, book])
def test_a_printed_command_registers_an_equal_dataset(
    empty: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bring: Any
) -> None:
    path, layout = bring(tmp_path)
    said: dict[str, Any] = {"population": "people", "unit_column": "id", "unit_codes": ["0", "99"]}
    first = Workspace.create(tmp_path / "first")
    for workspace in (first, Workspace.create(empty.home)):
        workspace.add_population("people", unit="person", neighbors="add_remove", epsilon=1)
    terms = DatasetTerms(max_rows=3, delete_on=date(2999, 12, 31))
    more: dict[str, Any] = {"max_rows": terms.max_rows, "delete_on": terms.delete_on}
    made = first.add_dataset("amt", path, columns=COLUMNS, reading=layout, **said, **more)
    kept = first.datasets.layout("amt")
    assert kept is not None
    same = same_command(made, kept, first.datasets.terms("amt"))
    assert "--column" in same.command
    assert "reading" not in same.content
    (tmp_path / same.filename).write_text(same.content, "utf-8")
    monkeypatch.chdir(tmp_path)
    empty.ask(*typed(same.command))
    again = empty.workspace().datasets
    found = again.get("amt")
    assert (found.schema, found.unit_column, found.unit_codes) == (made.schema, made.unit_column, made.unit_codes)
    assert again.layout("amt") == kept
    assert again.terms("amt") == terms
    assert again.columns("amt") == first.datasets.columns("amt")
    assert [each.to_mapping() for each in again.reading("amt")] == [
        each.to_mapping() for each in first.datasets.reading("amt")
    ]


def test_many_readings_stand_in_the_file_and_not_in_the_command(empty: Terminal, tmp_path: Path) -> None:
    names = [f"c{place}" for place in range(MOST + 1)]
    path = tmp_path / "wide.csv"
    path.write_text(";".join(names) + "\n" + ";".join(["1,5"] * len(names)) + "\n")
    columns = {name: {**NUMBER, "reading": {"decimal": ","}} for name in names}
    workspace = Workspace.create(empty.home)
    made = workspace.add_dataset("wide", path, columns=columns, epsilon=1)
    kept = workspace.datasets.layout("wide")
    assert kept is not None
    same = same_command(replace(made, name="again"), kept, DatasetTerms())
    assert "--column" not in same.command
    (tmp_path / "again.yaml").write_text(same.content)
    path.rename(tmp_path / "again.csv")
    words = [str(tmp_path / word) if word.startswith("again.") else word for word in typed(same.command)]
    assert empty.ask(*words)["columns"] == made.schema.to_mapping()


@pytest.mark.parametrize("text", ["1e5", "1E5", ".5", "-", "no", "null", "~", "0x1", "1_000", "007", "a: b", "# a", ""])
def test_texts_of_a_file_are_read_again_as_texts(text: str) -> None:
    assert read_mapping(dump({"a": [text]}).encode(), error=ValueError, what="schema") == {"a": [text]}  # type: ignore[arg-type]
