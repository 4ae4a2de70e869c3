"""Columns made of others in the kit: the codes of every function, by an engine and by the model's plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from dprelease.model.made import FUNCTIONS, code_made
from dprelease.model.schema import Schema
from dprelease.table.answer import Session
from dprelease.table.dialect import Dialect
from dprelease.table.made_columns import in_steps, layers, stored_inputs

Row = Mapping[str, int | None]
ROWS, ROWS_A_QUERY = 240, 120
STEPS, EVERY_MISSING = 7919, 11
STORED: dict[str, dict[str, Any]] = {
    "born": {"type": "date", "lower": "1890-02-27", "upper": "2024-03-01"},
    "seen": {"type": "date", "lower": "1999-12-30", "upper": "2024-02-29"},
    "ever": {"type": "date", "lower": "0001-01-01", "upper": "9999-12-31"},
    "number": {"type": "number", "lower": "-1000.5", "upper": 200000, "resolution": "0.5"},
    "other": {"type": "integer", "lower": -3, "upper": 110},
    "count": {"type": "integer", "lower": 0, "upper": 12},
    "large": {"type": "integer", "lower": -1_000_000_000, "upper": 1_000_000_000},
    "region": {"type": "category", "categories": ["N1", "N2", "S1", "S2", "E"], "other": True},
    "works": {"type": "boolean"},
}
MADE: tuple[dict[str, Any], ...] = (
    {"made": {"days_between": ["born", "seen"]}, "lower": 0, "outside": "missing"},
    {"made": {"months_between": ["ever", "seen"]}},
    {"made": {"years_between": ["seen", "ever"]}},
    {"made": {"age": {"born": "born", "on": "seen"}}, "lower": 0, "upper": 90, "outside": {"below": "missing"}},
    {"made": {"age": {"born": "born", "on": "2023-02-28"}}, "count_missing_as": 5},
    {"made": {"sum": {"of": {"number": 1, "other": "-0.3"}, "plus": "0.7", "ignore_missing": True}}},
    {"made": {"sum": ["count", "other", "large"]}, "resolution": 7},
    {"made": {"difference": ["other", "number"]}},
    {"made": {"product": ["other", "large"]}, "resolution": 1000},
    {"made": {"ratio": {"of": "number", "to": "count", "times": "0.4"}}, "resolution": "0.3"},
    {"made": {"ratio": {"of": "other", "to": "count"}}, "resolution": 1},
    {"made": {"least": ["other", "number"]}},
    {"made": {"greatest": ["born", "seen", "ever"]}},
    {"made": {"cut": {"of": "number", "at": ["-0.5", 0, 1000], "labels": ["a", "b", "c", "d"]}}},
    {"made": {"cut": {"of": "seen", "at": ["2000-01-01"], "labels": ["before", "after"]}}},
    {"made": {"recode": {"of": "region", "to": {"S": ["S1", "S2"]}, "else": "keep"}}},
    {"made": {"recode": {"of": "works", "to": {"yes": ["true"]}, "else": "missing"}}},
    {"made": {"coalesce": ["other", "count", "number"]}},
    {"made": {"coalesce": ["region", "region"]}},
    *({"made": {"part": {"of": "ever", "is": each}}} for each in ("year", "quarter", "month", "day", "weekday")),
    *({"made": {"part": {"of": "ever", "is": each}}} for each in ("iso_week", "iso_year")),
    {"made": {"prefix": {"of": "region", "length": 1}}},
    {"made": {"holds": [{"column": "other", "at_least": 5}, {"column": "region", "in": ["N1", "E"]}]}},
    {"made": {"known": "seen"}},
    {"made": {"cut": {"of": "made3", "at": [18, 65], "labels": ["0-17", "18-64", "65+"]}}},
    {"made": {"difference": ["made1", "made2"]}},
)


@cache
def made_schema() -> Schema:
    """Return the stored columns of the kit, and what is made of them: every function at least once."""
    schema = Schema.parse(STORED | {f"made{place}": declared for place, declared in enumerate(MADE)})
    assert {type(column.made).KEY for column in schema if column.made is not None} == set(FUNCTIONS)
    return schema


def made_rows() -> list[Row]:
    """Rows of codes: both ends of every column, codes between them, and some missing."""
    schema, rows = made_schema(), list[Row]()
    for number in range(ROWS):
        row: dict[str, int | None] = {}
        for place, name in enumerate(STORED):
            codes = schema[name].codes
            turn = (number + 3) * STEPS ** (1 + place % 3) + number * number * (place + 1)
            row[name] = turn % codes if number % 3 else (0, codes - 1, codes // 2)[turn % 3]
            if turn % EVERY_MISSING == 0:
                row[name] = None
        rows.append(row)
    return rows


def made_differences(
    session: Session, dialect: Dialect, schema: Schema, rows: Sequence[Row]
) -> Iterator[tuple[str, Row, int | None, int | None]]:
    """Yield the name of a column, a row, the code that Python makes of it, and another that the engine makes."""
    columns = [column for layer in schema.layers(schema.columns) for column in layer]
    for start in range(0, len(rows), ROWS_A_QUERY):
        some = rows[start : start + ROWS_A_QUERY]
        answered = {found[0]: found[1:] for found in session.rows(_sql(dialect, schema, some))}
        for place, row in enumerate(some):
            codes = dict(row)
            for column in columns:
                codes[column.name] = code_made(column, schema.columns, codes)
            for column, found in zip(columns, answered[place], strict=True):
                if found != codes[column.name]:
                    yield column.name, row, codes[column.name], found


def _sql(dialect: Dialect, schema: Schema, rows: Sequence[Row]) -> str:
    names = [column.name for layer in schema.layers(schema.columns) for column in layer]
    codes = {name: f"c{place}" for place, name in enumerate(stored_inputs(schema, names))}
    made = {name: f"f{place}" for place, name in enumerate(names)}
    listed = (
        f"({place}, {', '.join('NULL' if row[name] is None else str(row[name]) for name in codes)})"
        for place, row in enumerate(rows)
    )
    cast = ", ".join(f"CAST({alias} AS BIGINT) AS {alias}" for alias in codes.values())
    steps = [f"kit AS (SELECT i, {cast} FROM (VALUES {', '.join(listed)}) AS given(i, {', '.join(codes.values())}))"]
    further, last = in_steps(layers(schema, codes, made, dialect), "kit", dialect)
    return f"WITH {', '.join([*steps, *further])} SELECT i, {', '.join(made.values())} FROM {last}"
