"""Connections, transactions, and what opening a file takes."""

from __future__ import annotations

import multiprocessing
import sqlite3
import stat
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from dprelease.errors import InputError, IntegrityError, InternalError
from dprelease.store import connection as connections
from dprelease.store import ledger, populations
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.verify import verify
from tests.store.spender import open_in_process
from tests.store.world import CURATOR, population

pytestmark = pytest.mark.quick


def names(database: Database) -> list[str]:
    return [item.name for item in populations.every(database)]


def add_and_fail(database: Database, name: str = "one", inside: threading.Event | None = None) -> None:
    with database.writing():
        populations.add(database, population(name), actor=CURATOR)
        if inside is not None:
            inside.set()
        raise RuntimeError


def test_the_facts_of_a_new_workspace(database: Database) -> None:
    with database.reading() as connection:
        facts = dict(connection.execute("SELECT name, value FROM facts").fetchall())
    assert facts == {"created": ledger.events(database)[0].at, "mode": "solo"}


def test_what_was_written_is_there_after_opening_again(path: Path) -> None:
    for number in range(3):
        with closing(Database.open(path)) as database:
            assert ledger.count(database) == 1 + number
            populations.add(database, population(f"p{number}"), actor=CURATOR)


def test_every_connection_is_durable_and_checked(on_disk: Database) -> None:
    with on_disk.writing(), closing(Database.open(on_disk.path or "")) as second, second.reading() as connection:
        for pragma, value in {
            "journal_mode": "wal",
            "synchronous": 2,
            "foreign_keys": 1,
            "busy_timeout": 30_000,
        }.items():
            assert connection.execute(f"PRAGMA {pragma}").fetchone() == (value,)


def test_a_setting_that_does_not_hold_stops_the_opening(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections.PRAGMAS, "synchronous", 7)  # SQLite reads it as 3
    with pytest.raises(InputError, match="synchronous"):
        Database.open(path)


def test_nobody_else_can_read_the_file(on_disk: Database, path: Path) -> None:
    ledger.append(on_disk, EventKind.SIGN_IN, actor=CURATOR)
    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name


def test_an_exception_undoes_the_transaction(database: Database) -> None:
    with pytest.raises(RuntimeError):
        add_and_fail(database)
    assert names(database) == []
    assert ledger.count(database) == 1


def test_operations_join_in_one_transaction(database: Database) -> None:
    with database.writing():
        populations.add(database, population("one"), actor=CURATOR)
        with pytest.raises(InputError):
            populations.add(database, population("one"), actor=CURATOR)
        populations.add(database, population("two"), actor=CURATOR)
        assert names(database) == ["one", "two"]
    assert names(database) == ["one", "two"]
    assert ledger.count(database) == 3


def test_a_part_of_a_transaction_is_undone_alone(database: Database) -> None:
    with database.writing():
        populations.add(database, population("one"), actor=CURATOR)
        with pytest.raises(RuntimeError):
            add_and_fail(database, "two")
    assert names(database) == ["one"]
    assert verify(database) == 2


def test_a_reader_sees_one_state(on_disk: Database) -> None:
    with on_disk.reading():
        assert names(on_disk) == []
        with ThreadPoolExecutor(1) as pool:
            pool.submit(populations.add, on_disk, population("one"), actor=CURATOR).result()
        assert names(on_disk) == []
    assert names(on_disk) == ["one"]


def test_writing_inside_reading_is_refused(database: Database) -> None:
    with pytest.raises(InternalError), database.reading():
        populations.add(database, population("one"), actor=CURATOR)


def test_threads_do_not_share_a_transaction(database: Database) -> None:
    inside, seen = threading.Event(), []

    def look() -> None:
        inside.wait()
        seen.append(names(database))

    thread = threading.Thread(target=look)
    thread.start()
    with pytest.raises(RuntimeError):
        add_and_fail(database, inside=inside)
    thread.join()
    assert seen == [[]]


def test_many_threads_write_and_leave_few_connections_open(on_disk: Database) -> None:
    with ThreadPoolExecutor(24) as pool:
        list(pool.map(lambda n: ledger.append(on_disk, EventKind.SIGN_IN, actor=CURATOR), range(240)))
    assert [event.seq for event in ledger.events(on_disk)] == list(range(1, 242))
    assert len(on_disk._idle) <= 16


def test_a_connection_of_a_parent_process_is_neither_used_nor_closed(on_disk: Database) -> None:
    ledger.append(on_disk, EventKind.SIGN_IN, actor=CURATOR)
    ((pid, inherited, files),) = on_disk._idle
    on_disk._idle[:] = [(pid + 1, inherited, files)]
    ledger.append(on_disk, EventKind.SIGN_IN, actor=CURATOR)
    ((_, own, _),) = on_disk._idle
    assert own is not inherited
    assert inherited.execute("SELECT count(*) FROM ledger").fetchone() == (3,)
    inherited.close()


def test_two_processes_open_a_new_workspace_at_the_same_moment(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(3, mp_context=context) as pool:
        for number in range(5):
            barrier = manager.Barrier(3)
            new = path.with_name(f"{number}.db")
            assert list(pool.map(open_in_process, [new] * 3, [barrier] * 3)) == [1, 1, 1]


def test_threads_open_a_new_workspace_at_the_same_moment(path: Path) -> None:
    barrier = threading.Barrier(8)
    for number in range(10):
        with ThreadPoolExecutor(8) as pool:
            counts = [pool.submit(open_in_process, path.with_name(f"{number}.db"), barrier) for _ in range(8)]
            assert [count.result() for count in counts] == [1] * 8


def test_a_file_that_another_process_lays_out_meanwhile_is_no_foreign_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between a look at its header and a look at its tables."""
    names, met = Connection.table_names, list[bool]()

    def meanwhile(self: Connection) -> list[str]:
        if not met:
            met.append(True)
            Database.open(path)
        return names(self)

    monkeypatch.setattr(Connection, "table_names", meanwhile)
    assert ledger.count(Database.open(path)) == 1
    assert met == [True]


def test_a_missing_folder_is_explained(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file or directory"):
        Database.open(tmp_path / "nowhere" / "ledger.db")


def test_a_file_that_went_away_is_not_made_anew(on_disk: Database, path: Path) -> None:
    on_disk.close()
    path.unlink()
    with pytest.raises(InputError, match="unable to open"):
        ledger.count(on_disk)
    assert not path.exists()


def test_a_file_that_is_no_database_is_left_alone(path: Path) -> None:
    path.write_bytes(b"my shopping list, in a file that is long enough to have a header" * 20)
    before = path.read_bytes()
    with pytest.raises(IntegrityError, match="damaged"):
        Database.open(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(InputError, match="another program"):
        Database.open(path)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM sqlite_schema").fetchall() == [("recipes",)]


def test_a_full_disk_changes_nothing_and_is_explained(on_disk: Database) -> None:
    with on_disk.reading() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(InputError, match="full"):
        ledger.append(on_disk, EventKind.SIGN_IN, actor=CURATOR, body={"long": "x" * 100_000})
    assert ledger.count(on_disk) == 1
    ledger.append(on_disk, EventKind.SIGN_IN, actor=CURATOR)
    assert ledger.count(on_disk) == 2


def test_a_closed_database_in_memory_is_gone() -> None:
    database = Database.in_memory()
    database.close()
    with pytest.raises(InternalError, match="closed"):
        ledger.count(database)
