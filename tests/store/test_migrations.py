"""From an empty file, an older one, a newer one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils

from dprelease.errors import InputError, InternalError
from dprelease.store import facts, ledger, migrations, populations
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.verify import verify
from tests.store.world import CURATOR, population

pytestmark = pytest.mark.quick

SHIPPED = migrations.STEPS


def m998_notes(connection: Connection) -> None:
    connection.execute("CREATE TABLE notes (text TEXT NOT NULL) STRICT")


def m999_breaks(connection: Connection) -> None:
    connection.execute("CREATE TABLE half_done (text TEXT) STRICT")
    connection.execute("INSERT INTO half_done VALUES ('x')")
    connection.execute("INSERT INTO nowhere VALUES (1)")


def with_steps(monkeypatch: pytest.MonkeyPatch, *steps: migrations.Step) -> None:
    """These after the ones of this version."""
    monkeypatch.setattr(migrations, "STEPS", (*SHIPPED, *steps))


def dumped(path: Path) -> Iterator[str]:
    with closing(sqlite3.connect(path)) as raw:
        yield from raw.iterdump()


def tables(database: Database) -> list[str]:
    with database.reading() as connection:
        return connection.table_names()


def test_an_older_file_is_brought_up_to_date(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Database.open(path)) as database:
        populations.add(database, population(), actor=CURATOR)
    with_steps(monkeypatch, m998_notes)
    with closing(Database.open(path)) as database:
        assert "notes" in tables(database)
        assert facts.every(database)["version"] == str(len(SHIPPED) + 1)
        assert verify(database) == 2


def test_an_older_file_is_copied_aside_before_it_is_brought_up_to_date(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Database.open(path)) as database:
        populations.add(database, population(), actor=CURATOR)
        aside = path.with_name(f"{path.stem}-layout-{len(SHIPPED)}{path.suffix}")
        aside.write_text("what an attempt left that was killed")
        before = list(dumped(path))
        with_steps(monkeypatch, m998_notes)
        Database.open(path).close()  # while another process still has its log open
    assert list(dumped(aside)) == before
    assert aside.stat().st_mode & 0o777 == 0o600
    assert "notes" in "".join(dumped(path))
    with_steps(monkeypatch)
    with closing(Database.open(aside)) as database:
        assert verify(database) == 2


def test_a_file_of_this_layout_is_not_copied(path: Path) -> None:
    for _ in range(2):
        Database.open(path).close()
    assert [each.name for each in path.parent.glob("*.db")] == [path.name]


def test_nothing_is_changed_where_no_copy_can_be_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Database.open(path).close()
    before = list(dumped(path))
    with_steps(monkeypatch, m998_notes)
    path.with_name(f"{path.stem}-layout-{len(SHIPPED)}{path.suffix}-journal").mkdir()  # where SQLite keeps its journal
    with pytest.raises(InputError, match="changed nothing"):
        Database.open(path)
    assert list(dumped(path)) == before


@pytest.mark.parametrize("exists", [True, False], ids=["older file", "new file"])
def test_a_failing_step_rolls_back_every_step(path: Path, exists: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if exists:
        Database.open(path).close()
    with_steps(monkeypatch, m998_notes, m999_breaks)
    with pytest.raises(InternalError, match="no such table: nowhere"):
        Database.open(path)
    with_steps(monkeypatch)
    with closing(Database.open(path)) as database:
        assert not {"notes", "half_done"} & set(tables(database))
        assert facts.every(database)["version"] == str(len(SHIPPED))
        assert ledger.count(database) == 1


def test_a_failing_step_leaves_nothing_in_a_new_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_steps(monkeypatch, m999_breaks)
    with pytest.raises(InternalError):
        Database.open(path)
    with closing(sqlite_utils.Database(path)) as raw:
        assert raw.table_names() == []


def test_a_newer_file_is_refused_and_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as newer:
        with_steps(newer, m998_notes)
        Database.open(path).close()
    with pytest.raises(InputError, match="newer version"):
        Database.open(path)
    with_steps(monkeypatch, m998_notes)
    with closing(Database.open(path)) as database:
        assert verify(database) == 1


def test_a_file_of_0_1_is_refused_in_one_sentence_and_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def m001_ledger(connection: Connection) -> None:
        connection.execute("CREATE TABLE ledger (seq INTEGER) STRICT")
        connection.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT) STRICT")

    with monkeypatch.context() as first:
        first.setattr(migrations, "STEPS", (m001_ledger,))
        Database.open(path).close()
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"0\.1") as caught:
        Database.open(path)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.glob("*layout*")] == []


def test_every_table_is_strict(database: Database) -> None:
    with database.reading() as connection:
        loose = connection.execute("SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict").fetchall()
    assert {name for (name,) in loose if not name.startswith(("sqlite_", "_sqlite_"))} == set()
