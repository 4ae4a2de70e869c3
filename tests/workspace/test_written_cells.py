"""Cells as an office writes them have the figures of the clean rows, on every engine; what is declared is stated."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.codebook import read
from dprelease.errors import InputError
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.reading import Format, Reading
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, Query, TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import Engine, Table
from dprelease.table.address import read_address
from dprelease.table.warehouse import open_warehouse
from tests.table.servers import PostgresServer, postgres_binary, postgres_server

CLEAN: dict[str, dict[str, Any]] = {
    "einkommen": {"type": "number", "lower": 0, "upper": 100_000, "resolution": "0.01", "missing_codes": [-99]},
    "anteil": {"type": "number", "lower": 0, "upper": 100, "resolution": "0.1"},
    "kinder": {"type": "integer", "lower": 0, "upper": 20_000},
    "besuch": {"type": "date", "lower": "2020-01-01", "upper": "2020-12-31"},
    "erwerb": {"type": "boolean"},
    "region": {"type": "category", "categories": ["Nord", "Süd"]},
    "kreis": {"type": "category", "categories": ["01", "12"]},
}
READINGS: dict[str, dict[str, Any]] = {
    "einkommen": {"decimal": ",", "thousands": ["."], "affixes": ["€"]},
    "anteil": {"decimal": ",", "affixes": ["%"]},
    "kinder": {"thousands": ["."]},
    "besuch": {"dates": ["d.m.y"]},
    "erwerb": {"yes": ["J"], "no": ["N"]},
    "region": {"spellings": {"Süd": ["Sued"]}},
    "kreis": {"width": 2},
}
WRITTEN = {name: {**column, "reading": READINGS[name]} for name, column in CLEAN.items()}
NAMES = tuple(CLEAN)
ROWS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        ("48.411,71 €", "16,0 %", "2", "01.02.2020", "J", " Nord", "1"),
        ("48411.71", "16", "2", "2020-02-01", "yes", "Nord", "01"),
    ),
    (
        ("1.234 €", "7,5%", "12.345", "13.2.2020", "N", "Süd", "12"),
        ("1234", "7.5", "12345", "2020-02-13", "no", "Süd", "12"),
    ),
    (
        ("-99", "100 %", "0", "31.12.2020", "j", "Su\u0308d", "01"),
        ("-99", "100", "0", "2020-12-31", "yes", "Süd", "01"),
    ),
    (("-99,00 €", "0", "1", "29.02.2020", "N", "Sued\u00a0", "12"), ("-99", "0", "1", "2020-02-29", "no", "Süd", "12")),
    (("12,5 $", "k. A.", "1.2", "30.02.2020", "vielleicht", "nord", "x"), ("", "", "", "", "", "", "")),
    (("0,5", "99,9 %", "3", "2020-07-01", "J", "Nord", ""), ("0.5", "99.9", "3", "2020-07-01", "yes", "Nord", "")),
)
"""As written, and what they are; the last but one is of no form."""


LAYOUT = Reading(format=Format.TEXT, delimiter=";")


def table(place: int) -> list[tuple[str, ...]]:
    return [tuple(row[place]) for row in ROWS for _ in range(40)]


def file(place: int) -> bytes:
    written = io.StringIO()
    csv.writer(written, delimiter=";").writerows([NAMES, *table(place)])
    return written.getvalue().encode("utf-8")


def asked(schema: Schema) -> list[Query]:
    keys = [TallyQuery((each_value(column),)) for column in schema if column.codes <= 100_000]
    return [*keys, *(TallyQuery((), Measure((name,), ())) for name in ("einkommen", "anteil", "kinder"))]


def tallies(session: Any, source: Table, columns: dict[str, Any]) -> list[Any]:
    schema = Schema.parse(columns)
    answered = session.answer(source, asked(schema), schema=schema, where=(), unit=PrivacyUnit())
    return [each.values.tolist() for each in answered]


def held(folder: Path, place: int) -> tuple[Engine, Table]:
    engine, target = Engine(), folder / f"{place}.csv"
    target.write_bytes(file(place))
    return engine, engine.hold_file(target, filename=target.name, reading=LAYOUT)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as started:
        started.load("health.written", dict.fromkeys(NAMES, "text"), table(0))
        yield started


def test_tallies_of_written_cells_are_those_of_clean_ones(tmp_path: Path) -> None:
    engine, clean = held(tmp_path, 1)
    expected = tallies(engine, clean, CLEAN)
    assert sum(expected[0]) == 5 * 40, "one row in six has no share"
    engine, written = held(tmp_path, 0)
    assert tallies(engine, written, WRITTEN) == expected
    assert tallies(engine, written, CLEAN) != expected


@pytest.mark.full
@pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
def test_a_server_has_the_same_tallies_of_them(server: PostgresServer, tmp_path: Path) -> None:
    engine, clean = held(tmp_path, 1)
    warehouse = open_warehouse(*read_address(server.address("health.written")))
    assert tallies(warehouse, warehouse.table(), WRITTEN) == tallies(engine, clean, CLEAN)


def test_rows_of_a_person_are_kept_alike(tmp_path: Path) -> None:
    """That a stored column is called as the query calls what it reads makes no difference."""
    rows = ["id;read0;read1", *(f"{place // 3};1.{place:03},5;J" for place in range(30))]
    (tmp_path / "visits.csv").write_text("\n".join(rows))
    engine = Engine()
    source = engine.hold_file(tmp_path / "visits.csv", filename="visits.csv", reading=LAYOUT)
    number = {"type": "number", "lower": 1000, "upper": 2000, "resolution": "0.5"}
    schema = Schema.parse(
        {
            "read0": {**number, "reading": {"decimal": ",", "thousands": ["."]}},
            "read1": {"type": "boolean", "reading": {"yes": ["J"], "no": ["N"]}},
        }
    )
    queries = [TallyQuery((each_value(schema["read1"]),)), TallyQuery((), Measure(("read0",), ()))]
    count, total = engine.answer(source, queries, schema=schema, where=(), unit=PrivacyUnit("id", 3))
    assert list(map(int, count.values)) == [0, 30]
    assert int(total.values) == sum(2 * place + 1 for place in range(30))


def test_a_release_states_how_cells_were_read(tmp_path: Path) -> None:
    (tmp_path / "amt.csv").write_bytes(file(0))
    workspace = dprelease.Workspace.create(tmp_path / "home")
    reading = {"format": "text", "delimiter": ";"}
    workspace.add_dataset("amt", tmp_path / "amt.csv", columns=WRITTEN, epsilon=100_000, reading=reading)
    statistics = [
        {"id": "mean", "kind": "mean", "column": "einkommen"},
        {"id": "work", "kind": "histogram", "column": "erwerb"},
        {"id": "regions", "kind": "histogram", "column": "region"},
    ]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 50_000}
    own = {"erwerb": CLEAN["erwerb"], "region": {**CLEAN["region"], "categories": ["Süd", "Nord", "West"]}}
    plan = {"dprelease": 1, "dataset": "amt", "privacy": privacy, "statistics": statistics, "columns": own}
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    workspace.plans.approve(plan_id)
    release = workspace.publish(plan_id)
    incomes = [48411.71, 1234, 0.5]
    assert release.tables["mean"].value[0] == pytest.approx(sum(incomes) / len(incomes), abs=1)
    assert [round(value) for value in release.tables["work"].value] == [80, 120]
    assert [round(value) for value in release.tables["regions"].value] == [120, 80, 0]
    assert release.certificate.plan["columns"]["erwerb"]["reading"] == READINGS["erwerb"], "of the dataset"
    assert release.certificate.plan["columns"]["einkommen"]["reading"] == READINGS["einkommen"]
    told = " ".join(caveats(release.certificate))
    assert "einkommen (48.411,71 € → 48411.71)" in told
    assert "erwerb (J → true; N → false)" in told
    (package,) = tmp_path.rglob("datapackage.json")
    book = {entry.name: entry.declared for entry in read("datapackage.json", package.read_bytes()).entries}
    assert {name: book[name]["reading"] for name in ("einkommen", "erwerb")} == {
        name: READINGS[name] for name in ("einkommen", "erwerb")
    }


def shown(folder: Path, source: Any, columns: dict[str, Any]) -> list[list[float]]:
    """The true values of a plan, by a look of whoever may see them."""
    workspace = dprelease.Workspace.create(folder)
    reading = None if isinstance(source, str) else {"delimiter": ";"}
    workspace.add_dataset("amt", source, columns=columns, epsilon=9, reading=reading)
    statistics = [
        {"id": "total", "kind": "sum", "column": "einkommen"},
        {"id": "days", "kind": "histogram", "column": "besuch", "bins": 366},
        {"id": "work", "kind": "crosstab", "columns": ["erwerb", "region", "kreis"]},
    ]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    plan = dprelease.Plan.parse({"dprelease": 1, "dataset": "amt", "privacy": privacy, "statistics": statistics})
    preview = workspace.preview(plan, draws=2)
    return [[float(value) for value in preview[each["id"]].true.value] for each in statistics]


@pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
def test_a_workspace_shows_the_figures_of_the_clean_rows_of_a_file_and_of_a_server(
    server: PostgresServer, tmp_path: Path
) -> None:
    for place in (0, 1):
        (tmp_path / f"{place}.csv").write_bytes(file(place))
    expected = shown(tmp_path / "clean", tmp_path / "1.csv", CLEAN)
    assert sum(expected[1]) == 200
    assert shown(tmp_path / "written", tmp_path / "0.csv", WRITTEN) == expected
    assert shown(tmp_path / "server", server.address("health.written"), WRITTEN) == expected


def test_a_reading_of_what_is_stored_as_numbers_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa

    workspace = dprelease.Workspace.create(tmp_path / "home")
    columns = {"x": {"type": "integer", "lower": 0, "upper": 9, "reading": {"thousands": ["."]}}}
    with pytest.raises(InputError, match=r"columns\.x\.reading: .*BIGINT.*stored as text.*Delete reading"):
        workspace.add_dataset("d", pa.table({"x": [1, 2]}), columns=columns, epsilon=1)


def test_wider_bounds_for_a_look_leave_a_year_of_two_digits_what_it_is() -> None:
    declared = {"type": "date", "lower": "1950-01-01", "upper": "2040-12-31", "reading": {"dates": ["d.m.yy"]}}
    column = Schema.parse({"day": declared})["day"]
    wide = replace(column, lower=date(1, 1, 1), upper=date(9000, 1, 1))
    assert wide.reading is not None
    assert wide.reading.canonical("1.2.50") == "1950-02-01"
