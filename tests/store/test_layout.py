"""From an empty file; a file of before the format, of a newer layout and of another program."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils

from dprelease.errors import InputError, InternalError, NewerFormatError
from dprelease.model.features import FORMAT
from dprelease.store import layout
from dprelease.store.database import Database
from dprelease.words import phrase
from dprelease.words.language import speaking

MIGRATED = "CREATE TABLE _sqlite_migrations (migration_set TEXT, name TEXT, applied_at TEXT)"


def dumped(path: Path) -> Iterator[str]:
    with closing(sqlite3.connect(path)) as raw:
        yield from raw.iterdump()


def made_otherwise(path: Path, *statements: str) -> bytes:
    """A file of this layout, changed."""
    Database.open(path).close()
    with closing(sqlite3.connect(path)) as raw, raw:
        for statement in statements:
            raw.execute(statement)
    return path.read_bytes()


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        Database.open(path)
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_file_of_this_layout_is_opened_as_it_is(path: Path) -> None:
    Database.open(path).close()
    before = list(dumped(path))
    Database.open(path).close()
    assert list(dumped(path)) == before
    assert [each.name for each in path.parent.glob("*.db")] == [path.name]
    with closing(sqlite3.connect(path)) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (layout.LAYOUT,)


def test_a_layout_that_fails_leaves_nothing_in_a_new_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(
            layout, "statements", lambda _: ["CREATE TABLE half (x) STRICT", "INSERT INTO nowhere VALUES (1)"]
        )
        with pytest.raises(InternalError):
            Database.open(path)
    with closing(sqlite_utils.Database(path)) as raw:
        assert raw.table_names() == []
    Database.open(path).close()


@pytest.mark.parametrize("code", ["en", "es"])
def test_a_workspace_of_before_the_format_is_refused_in_the_words_of_a_bundle(path: Path, code: str) -> None:
    with closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(MIGRATED)
        raw.execute("CREATE TABLE ledger (seq INTEGER) STRICT")
    before = path.read_bytes()
    with speaking(code):
        (problem,) = refusal(path).problems
    assert (problem.found, problem.allowed) == (
        phrase("errors.before_format"),
        phrase("errors.format_read"),
    )
    assert path.read_bytes()[100:] == before[100:]  # beyond the header, which says how SQLite keeps its journal


def test_a_newer_workspace_is_refused_and_left_alone(path: Path) -> None:
    made_otherwise(path, f"PRAGMA user_version = {layout.LAYOUT + 1}")
    before = list(dumped(path))
    error = refusal(path)
    assert isinstance(error, NewerFormatError)
    assert f"reads up to {FORMAT}. Update dprelease." in str(error)
    assert list(dumped(path)) == before


def test_a_database_of_another_program_is_refused(path: Path) -> None:
    made_otherwise(path, "PRAGMA application_id = 7")
    assert "another program" in str(refusal(path))


def test_an_empty_file_is_not_read_where_nothing_can_be_written(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(InputError, match="empty database"):
        Database.open_read_only(path)


def test_every_table_is_strict(database: Database) -> None:
    with database.reading() as connection:
        loose = connection.execute("SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict").fetchall()
    assert {name for (name,) in loose if not name.startswith("sqlite_")} == set()
