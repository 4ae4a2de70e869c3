"""Datasets in a terminal: listed, with other rows, without any."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Terminal


def test_datasets_are_listed(terminal: Terminal) -> None:
    (listed,) = terminal.ask("dataset", "list")
    assert listed.keys() == {"name", "population", "unit_column", "unit_codes", "version", "columns"}
    assert (listed["name"], listed["population"], listed["unit_column"], listed["columns"]) == (
        "visits",
        "visits",
        None,
        {},
    )
    assert terminal.say("dataset", "list") == (
        "Dataset visits of population visits; the unit is each row; declared columns: 0\n"
    )


def test_no_dataset_is_said(empty: Terminal) -> None:
    assert "dprelease init" in empty.refused("dataset", "list")
    empty.say("init")
    assert empty.ask("dataset", "list") == []
    assert empty.say("dataset", "list") == "No dataset is registered.\n"


def test_other_rows_share_the_budget_and_need_a_new_plan(terminal: Terminal) -> None:
    first = terminal.ask("publish", terminal.plan())
    (before,) = terminal.ask("dataset", "list")
    replaced = terminal.ask("dataset", "replace", "visits", terminal.table(5))
    assert replaced["version"] != before["version"]
    assert terminal.ask("population", "list")[0]["charges"] == 1
    assert terminal.ask("publish", terminal.plan())["release"] != first["release"]
    assert terminal.ask("population", "list")[0]["charges"] == 2
    assert "shares its budget" in terminal.say("dataset", "replace", "visits", terminal.table(4))


def test_rows_are_deleted_and_registered_again(terminal: Terminal) -> None:
    tables = terminal.home / "private" / "tables"
    assert len(list(tables.iterdir())) == 1
    assert terminal.ask("dataset", "delete-table", "visits") == {"name": "visits", "deleted": True}
    assert list(tables.iterdir()) == []
    assert "The rows of visits are deleted here" in terminal.say("dataset", "delete-table", "visits")
    assert "whose table was deleted" in terminal.refused("publish", terminal.plan())
    terminal.ask("dataset", "replace", "visits", terminal.table())
    assert terminal.ask("publish", terminal.plan())["release"]
    assert terminal.kinds().count("table_deleted") == 1


def test_a_dataset_is_refused_in_words(terminal: Terminal) -> None:
    for command in (["replace", "visit", terminal.table()], ["delete-table", "visit"]):
        assert "Did you mean 'visits'?" in terminal.refused("dataset", *command)
    assert "the path of a CSV" in terminal.refused("dataset", "replace", "visits", terminal.folder / "none.csv")
    (terminal.folder / "other.csv").write_text("name\nx\n")
    terminal.ask("dataset", "add", "known", terminal.table(), "--population", "visits", "--schema", terminal.plan())
    assert "age" in terminal.refused("dataset", "replace", "known", terminal.folder / "other.csv")


@pytest.mark.parametrize("arguments", [["dataset", "replace", "visits"], ["dataset", "delete-table"]])
def test_wrong_usage_is_code_2(arguments: list[str], empty: Terminal) -> None:
    with pytest.raises(SystemExit) as left:
        empty.run(*arguments)
    assert left.value.code == 2


def test_columns_are_declared_from_a_codebook(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "codebook.csv").write_text("name,type,lower,upper,domain\nage,,,,age\ngone,integer,0,1,\n")
    described = ("dataset", "describe", "visits", "--codebook", str(tmp_path / "codebook.csv"))
    assert "age: type nothing → integer" in terminal.say(*described, "--dry-run")
    assert terminal.ask("dataset", "list")[0]["columns"] == {}
    changed = terminal.ask(*described)
    assert (list(changed["changed"]), changed["unknown"]) == (["age"], ["gone"])
    assert terminal.ask("dataset", "list")[0]["columns"]["age"]["upper"] == 120
    assert terminal.ask(*described)["changed"] == {}
    assert "a file that can be read" in terminal.refused("dataset", "describe", "visits", "--codebook", "nowhere.csv")


def test_a_column_gets_a_code_list(terminal: Terminal, tmp_path: Path) -> None:
    """An office's own with its source and version, or a ready one; neither without the column it is for."""
    (tmp_path / "region.csv").write_text("code;label\nn;North\ns;South\n9;Not stated\n")
    own = ("dataset", "describe", "visits", "--codes", str(tmp_path / "region.csv"))
    said = ("--codes-source", "The office", "--codes-version", "2025")
    assert "the column that the code list is for" in terminal.refused(*own, *said)
    assert "whose code list it is" in terminal.refused(*own, "--column", "age", error="CodebookError")
    changed = terminal.ask(*own, *said, "--column", "age")["changed"]["age"]
    assert (changed["type"], changed["categories"]) == ("category", ["n", "s", "9"])
    assert changed["description"].startswith("The office, 2025 (SHA-256 ")
    ready = terminal.ask("dataset", "describe", "visits", "--codes", "currencies", "--column", "age", "--dry-run")
    assert len(ready["changed"]["age"]["categories"]) == 178
    assert "Did you mean 'currencies'" in terminal.refused(
        "dataset", "describe", "visits", "--codes", "curencies", "--column", "age", error="CodebookError"
    )


@pytest.mark.full
def test_how_cells_are_read_is_told_where_true_values_are_shown(empty: Terminal) -> None:
    """After a dataset is added, with a price, and when asked for: the counts, a mark, and the exit code of success."""
    table, schema, plan = (empty.folder / name for name in ("staff.csv", "staff.yaml", "mean.yaml"))
    table.write_text("pay\n" + "100\n" * 15 + "40000\n" * 4 + "about 48\n")
    schema.write_text("columns: {pay: {type: number, lower: 0, upper: 200, resolution: 1}}\n")
    plan.write_text(
        "dprelease: 1\ndataset: staff\nprivacy: {unit: row, neighbors: add_remove, epsilon: 1}\n"
        "statistics: [{id: mean, kind: mean, column: pay}]\n"
    )
    empty.say("init")
    words = empty.say("dataset", "add", "staff", table, "--schema", schema, "--epsilon", "4")
    assert "! pay" in words
    assert [int(word) for word in words.split("! pay")[1].split("\n")[0].split()] == [15, 0, 0, 1, 0, 4, 0]
    (pay,) = empty.ask("dataset", "reading", "staff", "--column", "pay")["reading"]
    assert (pay["understood"], pay["unreadable"], pay["above"], pay["shapes"]) == (
        15,
        1,
        4,
        [{"shape": None, "cells": 1}],
    )
    assert empty.ask("price", plan, "--data")["reading"] == [pay]
    assert "reading" not in empty.ask("price", plan)
    wider = empty.folder / "wider.yaml"
    wider.write_text(plan.read_text() + "columns: {pay: {type: number, lower: 0, upper: 50000, resolution: 1}}\n")
    (own,) = empty.ask("price", wider, "--data")["reading"]
    assert (own["understood"], own["above"]) == (19, 0), "by the bounds of the plan"
    words = empty.say("preview", plan)
    assert (
        "true, within the bounds: 20 % of the rows lie above 200 (pay); 5 % of the cells of pay cannot be read" in words
    )
    assert "without bounds: 8\u202f500" in words
    assert empty.ask("preview", plan)["reading"] == [pay]
    kinds = [event["kind"] for event in empty.ask("ledger", "list")]
    assert (kinds.count("reading_taken"), kinds.count("preview_taken")) == (5, 2)


def test_a_token_that_sees_no_true_value_adds_a_table_and_is_told_nothing_of_its_cells(
    empty: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, schema = empty.folder / "staff.csv", empty.folder / "staff.yaml"
    table.write_text("pay\n100\n40000\n")
    schema.write_text("columns: {pay: {type: number, lower: 0, upper: 200, resolution: 1}}\n")
    empty.say("init")
    operations = ("--operation", "add_dataset", "--operation", "add_population")
    made = empty.ask("token", "create", "nightly", *operations)
    monkeypatch.setenv("DPRELEASE_TOKEN", made["secret"])
    add = ("--schema", schema, "--epsilon", "4", "--overlap", "open")
    added = empty.ask("dataset", "add", "staff", table, *add, "--decimal", ".")
    assert (added["name"], "reading" in added) == ("staff", False)
    asked = []
    for name, cells in (("days", "01.02.2020"), ("others", "2/13/2020")):
        table.write_text(f"day\n{cells}\n")
        schema.write_text("columns: {day: {type: date, lower: 2020-01-01, upper: 2020-12-31}}\n")
        asked.append(empty.asked("dataset", "add", name, table, *add, "--accept", error="InputError"))
        empty.ask("dataset", "add", name, table, *add, "--dates", "dmy")
    assert asked[0] == asked[1]
    monkeypatch.delenv("DPRELEASE_TOKEN")
    events = [event["body"] for event in empty.ask("ledger", "list") if event["kind"] == "dataset_registered"]
    assert len({event["schema_hash"] for event in events if event["dataset"] in ("days", "others")}) == 1


def test_a_blind_terminal_asks_how_all_cells_are_written_and_tells_nothing_of_it(empty: Terminal) -> None:
    """Alike for two tables that differ in a cell, and for every column."""
    schema = empty.folder / "visits.yaml"
    schema.write_text("columns: {x: {type: integer, lower: 0, upper: 1}, y: {type: boolean}}\n")
    table = empty.folder / "visits.csv"
    empty.say("init")
    empty.say("policy", "previews", "blind")
    asked = []
    for text in ("x,y\n1,1\n1,1\n", "x,y\nSECRET,1\n1,1\n"):
        table.write_text(text)
        name = "a" if "SECRET" in text else "b"
        said = ("--encoding", "utf-8", "--delimiter", ",", "--header", "1", "--no-units")
        add = ("dataset", "add", name, table, "--schema", schema, "--epsilon", "1", "--overlap", "none", *said)
        asked.append(empty.asked(*add, error="InputError"))
        assert "nothing is detected of the rows" in empty.run(*add)[2]
        assert "reading" not in empty.ask(*add, "--decimal", ".", "--column", "y=yes:1;no:0")
        assert "the policy blind" in empty.refused("dataset", "reading", name)
    assert asked[0] == asked[1]
    assert list(asked[0]) == ["columns.x.reading", "columns.y.reading"]
    assert "{decimal: ',', thousands: [.]}" in asked[0]["columns.x.reading"]
