"""Ctrl-C while DuckDB works is Ctrl-C, not a table that could not be read: what was charged is told then."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table import connection as opening
from dprelease.table import engine as rooms
from dprelease.table import ingest as reading
from dprelease.table.connection import connect
from dprelease.table.engine import Engine

FOR_MINUTES = "SELECT SUM(HASH(range)) FROM range(100000000000)"


ASKED = threading.Event()


class Telling:
    """A connection that tells when it is asked for something that takes minutes."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def execute(self, sql: str, *more: Any) -> Any:
        if FOR_MINUTES in sql:
            ASKED.set()
        return self._inner.execute(sql, *more)

    def cursor(self) -> Telling:
        return Telling(self._inner.cursor())

    def __enter__(self) -> Telling:
        return self

    def __exit__(self, *_: object) -> None:
        self._inner.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """With several, DuckDB may hear of it no sooner than one of them is done with its part."""
    monkeypatch.setattr(opening, "SETTINGS", (*opening.SETTINGS, "SET threads = 1"))
    for module in (rooms, opening):
        monkeypatch.setattr(module, "connect", lambda *settings: Telling(connect(*settings)))


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """A shell that runs the tests in its background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def interrupted() -> Iterator[None]:
    """Ctrl-C while DuckDB is at it: the thread that presses it has its turn where Python lets go, which is there."""

    def press() -> None:
        ASKED.wait()
        os.kill(os.getpid(), signal.SIGINT)

    ASKED.clear()
    thread, before = threading.Thread(target=press), sys.getswitchinterval()
    thread.start()
    sys.setswitchinterval(1000)
    try:
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        sys.setswitchinterval(before)
        ASKED.set()
        thread.join()


def stopped(*_: Any) -> Iterator[Any]:
    raise KeyboardInterrupt
    yield


def test_while_a_query_runs() -> None:
    with interrupted():
        Engine().ask(FOR_MINUTES, lambda cursor: cursor.fetchall())


@pytest.mark.parametrize(("step", "identifiers"), [("first_of_each", list("abcde")), ("cut", list(range(5)))])
def test_while_rows_are_cut(monkeypatch: pytest.MonkeyPatch, step: str, identifiers: list[Any]) -> None:
    """In the stream that DuckDB draws from, or in NumPy."""
    monkeypatch.setattr(rooms, step, stopped)
    monkeypatch.setattr(rooms, "DIFFERENT", 0)
    schema = Schema.parse({"x": {"type": "integer", "lower": 0, "upper": 9}})
    engine = Engine()
    table = engine.hold(pa.table({"u": identifiers, "x": range(5)}))
    unit, asked = PrivacyUnit(column="u", max_rows=1), [TallyQuery((each_value(schema["x"]),))]
    with pytest.raises(KeyboardInterrupt):
        engine.answer(table, asked, schema=schema, where=(), unit=unit)


def test_while_a_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow.parquet.write_table(pa.table({"x": [1]}), tmp_path / "one.parquet")
    monkeypatch.setattr(reading, "parquet_scan", lambda *_: f"({FOR_MINUTES})")
    with interrupted():
        reading.ingest(tmp_path / "one.parquet", tmp_path / "kept" / "t.parquet", filename="one.parquet")
    assert list((tmp_path / "kept").iterdir()) == []


def test_while_a_file_is_read_row_by_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def batches(*_: Any) -> Iterator[Any]:
        yield pa.schema([("x", pa.string())])
        raise KeyboardInterrupt

    (tmp_path / "one.jsonl").write_text('{"x": 1}\n')
    monkeypatch.setattr(reading, "_batches", batches)
    with pytest.raises(KeyboardInterrupt):
        reading.ingest(tmp_path / "one.jsonl", tmp_path / "kept" / "t.parquet", filename="one.jsonl")
    assert list((tmp_path / "kept").iterdir()) == []
