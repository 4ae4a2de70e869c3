"""A database is opened once for uses that follow one another; nothing of one use is seen by the next."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from dprelease.table.connection import FRAME, borrowed, kept
from dprelease.table.engine import Engine
from dprelease.table.ingest import IngestProgress

ONE = "SET threads = 1"


def test_the_next_use_has_the_same_database_and_none_of_the_rows() -> None:
    with borrowed(ONE) as first:
        first.register(FRAME, duckdb.sql("SELECT 1 AS x").to_arrow_table())
    with borrowed(ONE) as second:
        assert second is first
        with pytest.raises(duckdb.CatalogException):
            second.execute(f"SELECT * FROM {FRAME}")


def test_two_uses_at_once_have_one_each() -> None:
    with borrowed(ONE) as one, borrowed(ONE) as other:
        assert one is not other


def test_other_settings_have_another_one() -> None:
    with borrowed(ONE) as one, borrowed("SET threads = 2") as other:
        assert [each.execute("SELECT current_setting('threads')").fetchone() for each in (one, other)] == [(1,), (2,)]


def test_one_whose_use_failed_is_not_used_again() -> None:
    with pytest.raises(duckdb.ParserException), borrowed(ONE) as broken:
        broken.execute("SELECT of nothing at all")
    with pytest.raises(duckdb.ConnectionException):
        broken.execute("SELECT 1")
    with borrowed(ONE) as next_one:
        assert next_one.execute("SELECT 1").fetchall() == [(1,)]


def test_to_stop_a_reading_that_is_over_stops_no_other_one() -> None:
    progress = IngestProgress()
    with borrowed(ONE) as connection:
        with progress.of(connection):
            pass
        progress.stop()
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_one_folder_has_one_database_and_cannot_read_anothers(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    Engine().save(duckdb.sql("SELECT 1 AS x").to_arrow_table(), tmp_path / "other" / "rows.parquet")
    one, again, other = (Engine(tmp_path / name) for name in ("one", "one", "other"))
    reads = f"SELECT * FROM '{tmp_path / 'other' / 'rows.parquet'}'"
    assert other.cursor().execute(reads).fetchall() == [(1,)]
    for engine in (one, again):
        with pytest.raises(duckdb.PermissionException):
            engine.cursor().execute(reads)


def test_one_that_no_longer_works_is_opened_anew() -> None:
    assert kept(ONE) is kept(ONE)
    assert kept(ONE) is not kept(ONE, anew=True)


def test_tables_in_memory_are_in_a_database_of_their_own() -> None:
    engines = [Engine(), Engine()]
    frame = duckdb.sql("SELECT 1 AS x").to_arrow_table()
    first = engines[0].hold(frame)
    with pytest.raises(duckdb.CatalogException):
        engines[1].cursor().execute(f"SELECT * FROM {first.source}")
