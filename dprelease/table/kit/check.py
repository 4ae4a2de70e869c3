"""Asks an engine for the code and the state of every value of the kit, and compares them with the reader's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from dprelease.model.column import Column, ColumnType
from dprelease.model.made import KEY
from dprelease.model.reading_report import STATES
from dprelease.model.schema import Schema
from dprelease.table.address import read_server
from dprelease.table.answer import Session, readable
from dprelease.table.cell_state import state_sql
from dprelease.table.dialect import Dialect
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.engine import Engine
from dprelease.table.kit.made_columns import MADE, made_differences, made_rows, made_schema
from dprelease.table.kit.reader import LONGEST_TEXT, code_of, is_absent, read, state_of, text_of
from dprelease.table.kit.stored import StoredType, stored_types
from dprelease.table.kit.values import CATEGORIES, KitValue
from dprelease.table.values import values_of
from dprelease.table.warehouse import open_warehouse

COLUMN = "x"
ROWS_A_QUERY = 1000
STATES_AMONG = 4
"""The state of a cell is compared of one value in so many: it is made of the code, and takes an engine longer."""
DECLARED: dict[str, dict[str, Any]] = {
    "number 0..1 by 0.1": {"type": "number", "lower": 0, "upper": 1, "resolution": "0.1"},
    "number -2..12 by 0.5": {"type": "number", "lower": -2, "upper": 12, "resolution": "0.5"},
    "number -301..700 by 7": {"type": "number", "lower": -301, "upper": 700, "resolution": 7},
    "number 0..100000 by 0.05": {"type": "number", "lower": 0, "upper": 100_000, "resolution": "0.05"},
    "number -1..1 by 0.000001": {"type": "number", "lower": -1, "upper": 1, "resolution": "0.000001"},
    "integer 0..10": {"type": "integer", "lower": 0, "upper": 10},
    "integer to 10^15": {"type": "integer", "lower": 10**15 - 10, "upper": 10**15},
    "date 2024-02-01..2025-01-31": {"type": "date", "lower": "2024-02-01", "upper": "2025-01-31"},
    "date 0001-01-01..9999-12-31": {"type": "date", "lower": "0001-01-01", "upper": "9999-12-31"},
    "boolean": {"type": "boolean"},
    "category, others counted": {"type": "category", "categories": list(CATEGORIES), "other": True},
    "category, others left out": {"type": "category", "categories": ["1", "0", "a", "é", "true"]},
    "category, discovered": {"type": "category", "categories": "discover"},
    "number with codes": {
        "type": "number",
        "lower": -2,
        "upper": 12,
        "resolution": "0.5",
        "outside": {"above": "missing"},
        "missing_codes": [1, "-2.25", "0.1", 10**9, "true", "a", {"from": "-1e6", "to": -300}, {"from": "1e12"}],
    },
    "integer with codes": {
        "type": "integer",
        "lower": 0,
        "upper": 10,
        "outside": "missing",
        "count_missing_as": 3,
        "missing_codes": [0, 999_999_999, 12345, "", "inf", {"from": "9.5", "to": 10}],
    },
    "date with codes": {
        "type": "date",
        "lower": "2024-02-01",
        "upper": "2025-01-31",
        "outside": "missing",
        "missing_codes": [
            "2025-01-05",
            "today",
            "2025-02-30",
            "0000-00-00",
            {"from": "2024-12-01", "to": "2024-12-31"},
        ],
    },
    "date, early ones missing": {
        "type": "date",
        "lower": "2024-02-01",
        "upper": "2025-01-31",
        "outside": {"below": "missing"},
        "missing_codes": [{"from": "9000-01-01"}],
    },
    "boolean with codes": {"type": "boolean", "missing_codes": ["1", "No", "NA", {"from": 5}]},
    "category with codes": {
        "type": "category",
        "categories": ["a", "é", "1.5"],
        "other": True,
        "count_missing_as": "other",
        "missing_codes": ["true", "NA", "", "2", {"from": 5, "to": 700}, {"to": "-1e9"}],
    },
    "category with codes, discovered": {
        "type": "category",
        "categories": "discover",
        "missing_codes": ["true", "a", "0.1", {"from": 5, "to": 700}, {"from": "1e12"}],
    },
    "number in euros": {
        "type": "number",
        "lower": -100_000,
        "upper": 100_000,
        "resolution": "0.01",
        "missing_codes": [-99, "k. A.", {"from": 90_000}],
        "reading": {
            "decimal": ",",
            "thousands": [".", "'", " "],
            "affixes": ["€", "EUR", "%"],
            "negative": ["sign", "after", "brackets"],
            "exponent": False,
        },
    },
    "integer in lakhs": {"type": "integer", "lower": 0, "upper": 10**8, "reading": {"thousands": [","], "lakh": True}},
    "date, day first": {
        "type": "date",
        "lower": "1950-01-01",
        "upper": "2040-12-31",
        "outside": "missing",
        "missing_codes": ["2025-12-31", "k. A."],
        "reading": {"dates": ["d.m.y", "d/m/y", "d-m-yy", "d MMM y"], "months": ["de", "es"]},
    },
    "date, the last of a period": {
        "type": "date",
        "lower": "1900-01-01",
        "upper": "2100-12-31",
        "reading": {"dates": ["quarter", "y-m", "iso-week", "yyyymmdd"], "of_period": "last", "time": "any"},
    },
    "date, a number of Excel": {
        "type": "date",
        "lower": "1900-01-01",
        "upper": "2100-12-31",
        "reading": {"dates": ["excel"]},
    },
    "boolean in words": {
        "type": "boolean",
        "missing_codes": ["x"],
        "reading": {"yes": ["Ja", "J", "sí"], "no": ["N", ""]},
    },
    "category in other words": {
        "type": "category",
        "categories": ["a", "é", "01", "7", "New York"],
        "other": True,
        "missing_codes": ["NA", {"from": 600}],
        "reading": {"spellings": {"a": ["A", "á"], "New York": ["NY"]}, "width": 2},
    },
    "category, discovered without blanks": {"type": "category", "categories": "discover", "reading": {}},
}


@dataclass(frozen=True)
class EngineDifference:
    """A value of the kit that an engine reads otherwise than docs/reading.md says."""

    stored: str
    declared: str
    value: str | None
    expected: int | str | None
    found: int | str | None


@dataclass(frozen=True)
class Conformance:
    """Result of a check."""

    codes: int
    """Number of codes compared; beside some of them the state of the cell."""
    differences: tuple[EngineDifference, ...]


def check(session: Session, dialect: Dialect, scheme: str) -> Conformance:
    """Compare every value of every stored type, declared as everything that its type can be.

    The values stand in the queries: no table is read or made, and no right is needed but to connect.
    """
    count, found = 0, list[EngineDifference]()
    for stored in stored_types(scheme):
        columns = [(words, column) for words, column in declared() if _fits(dialect, column, stored.storage)]
        for start in range(0, len(stored.values), ROWS_A_QUERY):
            values = stored.values[start : start + ROWS_A_QUERY]
            count += len(values) * len(columns)
            found += _differences(session, dialect, stored, values, columns)
    made, rows = made_schema(), made_rows()
    for name, row, expected, code in made_differences(session, dialect, made, rows):
        found.append(EngineDifference("codes", str(made[name].to_mapping()[KEY]), str(dict(row)), expected, code))
    return Conformance(count + len(rows) * len(MADE), tuple(found))


@cache
def declared() -> tuple[tuple[str, Column], ...]:
    """Return the columns of the kit by what they are declared as."""
    return tuple((words, Schema.parse({COLUMN: options})[COLUMN]) for words, options in DECLARED.items())


def _fits(dialect: Dialect, column: Column, storage: str) -> bool:
    """A form reads texts alone, and of every type of texts what that of plain texts has."""
    if column.reading is not None:
        return storage == dialect.text_storage
    return bool(getattr(dialect, readable(column.type)[0])(storage))


def _differences(
    session: Session,
    dialect: Dialect,
    stored: StoredType,
    values: tuple[KitValue, ...],
    columns: list[tuple[str, Column]],
) -> Iterator[EngineDifference]:
    answered = {row[0]: row[1:] for row in session.rows(_sql(dialect, stored, values, [each for _, each in columns]))}
    for place, value in enumerate(values):
        codes, states = answered[place][::2], answered[place][1::2]
        for (words, column), code, state in zip(columns, codes, states, strict=True):
            compared: list[tuple[int | str | None, int | str | None]] = [(_expected(column, value), code)]
            if state is not None:
                compared.append((state_of(column, value.stored).value, STATES[state].value))
            for expected, found in compared:
                if found != expected:
                    yield EngineDifference(stored.cast, words, value.literal, expected, found)


def _sql(dialect: Dialect, stored: StoredType, values: tuple[KitValue, ...], columns: list[Column]) -> str:
    x = dialect.name(COLUMN)
    literals = ("NULL" if value.literal is None else dialect.text(value.literal) for value in values)
    rows = ", ".join(f"({place}, CAST({literal} AS {stored.cast}))" for place, literal in enumerate(literals))
    read = values_of(((f"read{place}", column, stored.storage) for place, column in enumerate(columns)), dialect)
    codes, states = [], []
    for place, column in enumerate(columns):
        find, own = dialect.discovered if column.discover else dialect.code, f"read{place}"
        own = own if own in read else ""
        codes.append(f"{find(column, stored.storage, own)} AS c{place}")
        state = state_sql(column, stored.storage, dialect, f"c{place}", own)
        states.append(f"c{place}, CASE WHEN i % {STATES_AMONG} = 0 THEN {state} END")
    source = read.source(f"(VALUES {rows}) AS kit(i, {x})", ["i", x], dialect)
    coded = f"SELECT *, {', '.join(codes)} FROM {source}{dialect.fence}"
    return f"SELECT i, {', '.join(states)} FROM ({coded}) AS coded"


def _expected(column: Column, value: KitValue) -> int | str | None:
    if column.discover and column.type is ColumnType.CATEGORY:
        text = text_of(read(column, value.stored))
        return None if text is None or is_absent(column, value.stored) else text[:LONGEST_TEXT]
    return code_of(column, value.stored)


def check_engine(address: str | None) -> Conformance:
    """Compare every code of the kit. Needs a right to connect and no other; an address may leave the table out.

    Raises InputError where there is no such server, and TableError where it cannot answer.
    """
    if address is None:
        return check(Engine().session(), DuckDB(), "duckdb")
    found, password = read_server(address)
    warehouse = open_warehouse(found, password)
    with warehouse.apart() as session:
        return check(session, warehouse.dialect(), found.scheme)
