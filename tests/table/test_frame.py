"""Tables that programs hand over: each is stored as its rows are, and what cannot be is named."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pyarrow.dataset
import pytest

from dprelease.errors import UploadError
from dprelease.table.engine import Engine
from dprelease.table.frame import MAX_CELLS, batches

ROWS = [{"id": 1, "region": "n", "income": 1.5}, {"id": 2, "region": None, "income": 2.5}]
TABLE = pyarrow.Table.from_pylist(ROWS)
FRAME = pandas.DataFrame(ROWS)


class Stream:
    """A frame of a library that is not known here, such as polars: it offers an Arrow stream, and nothing else."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


class Array:
    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return TABLE.to_batches()[0].__arrow_c_array__(requested_schema)


class Lazy:
    def collect(self) -> Stream:
        return Stream()


def in_duckdb() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.register("arrow", TABLE)
    connection.execute('CREATE SCHEMA "the office"; CREATE TABLE "the office"."my ""people""" AS SELECT * FROM arrow')
    return connection


def of_a_relation() -> Any:
    return in_duckdb().sql('SELECT * FROM "the office"."my ""people"""')


GIVEN: dict[str, Callable[[], Any]] = {
    "pandas": lambda: FRAME,
    "pandas with a named index": lambda: FRAME.set_index("id"),
    "pandas with an index of two levels": lambda: FRAME.set_index(["id", "region"]),
    "pandas filtered": lambda: pandas.concat([FRAME.iloc[:0], pandas.DataFrame([{}]), FRAME])[1:][list(ROWS[0])],
    "stream": Stream,
    "array": Array,
    "arrow table": lambda: TABLE,
    "record batch": lambda: TABLE.to_batches()[0],
    "reader": TABLE.to_reader,
    "dataset": lambda: pyarrow.dataset.dataset(TABLE),
    "relation": of_a_relation,
    "connection and table": lambda: (in_duckdb(), 'the office.my "people"'),
    "batches": lambda: iter(TABLE.to_batches(max_chunksize=1)),
    "records": lambda: ROWS,
    "records that lack a cell": lambda: [ROWS[0], {"id": 2, "income": 2.5}],
    "columns": lambda: TABLE.to_pydict(),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("given", GIVEN)
def test_its_rows_are_stored(given: str, tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    engine = Engine()
    engine.save(GIVEN[given](), path)
    found = pandas.read_parquet(path)
    pandas.testing.assert_frame_equal(found, FRAME, check_dtype=False)
    assert list(engine.hold(GIVEN[given]()).storage) == list(ROWS[0])


def test_columns_that_are_called_alike_are_told_apart() -> None:
    twice = pandas.DataFrame([[1, 2, 3]], columns=["a", "A", "a"])
    assert batches(twice).schema.names == ["a", "A_2", "a_3"]


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "none": (lambda: None, "found NoneType; allowed: a path, a pandas or polars DataFrame"),
    "numbers": (lambda: [1, 2, 3], "found list of int"),
    "no records": (list, "found list;"),
    "open file": (lambda: BytesIO(b"a\n1\n"), "found BytesIO"),
    "lazy frame": (Lazy, "Call .collect() first."),
    "sqlite": (lambda: (sqlite3.connect(":memory:"), "people"), "a connection that does not answer in Arrow"),
    "no such table": (lambda: (in_duckdb(), "nobody"), "table nobody, which the connection did not read"),
    "no connection": (lambda: (1, "people"), "found int"),
    "dates as an unnamed index": (
        lambda: FRAME.set_index(pandas.to_datetime(["2024-01-01", "2024-01-02"])),
        "a DataFrame whose index has values but no name",
    ),
    "an index half named": (
        lambda: FRAME.set_index(pandas.MultiIndex.from_tuples([(1, 2), (3, 4)], names=["a", None])),
        "Give each level of the index a name",
    ),
    "cells of two types": (lambda: FRAME.assign(mixed=["secret", 7]), "column mixed of type object"),
    "columns of two lengths": (lambda: {"a": [1], "b": [1, 2]}, "columns of different lengths"),
    "too many cells": (lambda: {"a": range(MAX_CELLS + 1)}, "more than a million cells"),
    "other batches": (
        lambda: [TABLE.to_batches()[0], TABLE.select(["id"]).to_batches()[0]],
        "one that cannot be stored",
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("given", REFUSED)
def test_what_cannot_be_is_named(given: str, tmp_path: Path) -> None:
    source, said = REFUSED[given]
    with pytest.raises(UploadError) as raised:
        Engine().save(source(), tmp_path / "table.parquet")
    assert said in str(raised.value)
    assert "secret" not in str(raised.value)
