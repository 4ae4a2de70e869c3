"""The database of a workspace: who may use a connection when, and in which transaction.

A file that another one has replaced, or that tells something else than before, is noticed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakSet, finalize

from dprelease.errors import InputError, IntegrityError, InternalError
from dprelease.store.connection import (
    Connection,
    connect,
    connect_read_only,
    create_private,
    translated,
)
from dprelease.store.layout import check, lay_out
from dprelease.words import phrase

Identity = tuple[int, int]
"""Device and inode."""
MAX_IDLE = 16
_inherited: list[Connection] = []
"""Connections of a parent process. SQLite's locks break if a child uses or closes one, so they are only kept."""


@dataclass(frozen=True, slots=True)
class Files:
    """Files that a connection has open: the database, its log (WAL), and the index of that.

    While somebody has the database open, SQLite replaces none of them; where one is another by now, somebody else did.
    """

    path: Path
    identities: tuple[Identity, Identity, Identity]

    @classmethod
    def of(cls, path: Path) -> Files:
        """Return the files at a path that a connection has just opened. Raises IntegrityError where one is missing."""
        try:
            return cls(path, (_identity(path), _identity(_beside(path, "-wal")), _identity(_beside(path, "-shm"))))
        except OSError:
            raise replaced() from None

    @property
    def database(self) -> Identity:
        return self.identities[0]

    def check(self) -> None:
        """Raise IntegrityError where one of the files was replaced or removed."""
        if Files.of(self.path) != self:
            raise replaced()


class Memory:
    """The last event that this process wrote: whatever it reads later has to hold that one in its place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: tuple[int, str] | None = None

    def note(self, last: tuple[int, str] | None) -> None:
        """Take note after a commit. Threads may come in another order than they wrote in."""
        with self._lock:
            if last is not None and (self._last is None or last[0] > self._last[0]):
                self._last = last

    def check(self, connection: Connection) -> None:
        """Raise IntegrityError where the file on the disk does not hold the last event, as after a copy over it."""
        with self._lock:
            last = self._last
        if last is None:
            return
        connection.execute("PRAGMA shrink_memory")  # what this connection holds in memory would hide what is there
        row = connection.execute("SELECT hash FROM ledger WHERE seq = ?", [last[0]]).fetchone()
        if row is None or row[0] != last[1]:
            raise replaced()


def last_event(connection: Connection) -> tuple[int, str] | None:
    """Return number and hash of the last event."""
    row: tuple[int, str] | None = connection.execute(
        "SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1"
    ).fetchone()
    return row


def replaced() -> IntegrityError:
    return IntegrityError(phrase("store.ledger_database_was_replaced"))


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _identity(path: Path) -> Identity:
    found = path.stat()
    return found.st_dev, found.st_ino


Opened = tuple[int, Connection, Files | None]
"""A connection with the process that opened it, and the files that it has open; None in memory."""
Pool = list[Opened]
"""Connections that nobody uses."""


@dataclass(frozen=True, slots=True)
class _Use:
    """Use of a database by a thread."""

    connection: Connection
    writing: bool
    pid: int


class Database:
    """One ledger database, on disk or in memory.

    On disk a connection serves one use at a time and waits in a pool between uses; a forked process begins with an
    empty pool. In memory there is one connection behind a lock, and a forked process may not use it: its copy of
    the ledger would spend the same budget again.
    """

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        self.path = path
        """None in memory."""
        self.read_only = read_only
        """True if the database lies where nothing can be written."""
        self._uses = threading.local()
        self._idle: Pool = []
        self._lock = threading.Lock()
        self._memory = Memory()
        self._file: Identity | None = None
        finalize(self, _close, self._idle)

    @classmethod
    def open(cls, path: str | Path) -> Database:
        """Open the file, or make it where there is none.

        Raises InputError where that cannot be done, IntegrityError where the file is damaged.
        """
        database = cls(Path(path).absolute())
        with translated():
            create_private(Path(path))
            with database._lent() as (_, connection, files):
                lay_out(connection)
        database._file = files.database if files else None
        _on_disk.add(database)
        return database

    @classmethod
    def open_read_only(cls, path: str | Path) -> Database:
        """Open the file where nothing can be written, such as an auditor's copy on a read-only medium.

        Raises InputError where it cannot be read whole, or has another layout than this version's.
        """
        database = cls(Path(path).absolute(), read_only=True)
        with translated(), database._lent() as (_, connection, _files):
            check(connection)
        return database

    @classmethod
    def in_memory(cls) -> Database:
        """Open a database with nothing on disk."""
        database = cls(None)
        with translated():
            connection = connect(None)
            lay_out(connection)
        database._idle.append((os.getpid(), connection, None))
        return database

    def close(self) -> None:
        """Close the connections that are not in use. What is in memory is gone then."""
        _close(self._idle)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Lend a connection that sees one state of the database, whatever is written meanwhile."""
        use = self._current()
        if use is not None:
            yield use.connection
        else:
            with self._transaction("BEGIN", writing=False) as connection:
                yield connection

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[Connection]:
        """Lend a connection inside BEGIN IMMEDIATE; commit at the end, undo everything after an exception.

        Inside another `writing` it is a part of that transaction, and an exception undoes that part. `durable`
        refuses to be a part: what it holds is on disk when it is left.

        Raises IntegrityError where the file was replaced since this process opened it, also in the very moment of the
        commit: what was written then lies in no file that anybody would find.
        """
        use = self._current()
        if self.read_only:
            raise InputError(
                "ledger database",
                found=phrase("store.place_where_nothing_can"),
                allowed=phrase("store.workspace_folder_can_written_2"),
                remedy=phrase("store.copy_workspace_such_folder"),
            )
        if use is None:
            with self._transaction("BEGIN IMMEDIATE", writing=True) as connection:
                yield connection
        elif durable or not use.writing:
            raise InternalError("a transaction was begun inside another one")
        else:
            with use.connection.atomic():
                yield use.connection

    def empty_log(self) -> None:
        """Move what was written from the write-ahead log into the database: what was overwritten is then in no file.

        Where somebody reads meanwhile, SQLite does so later.
        """
        if self.path is not None:
            with translated(), self._lent() as (_, connection, files):
                self._check(connection, files, writing=False)
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _current(self) -> _Use | None:
        use: _Use | None = getattr(self._uses, "current", None)
        if use is not None and use.pid != os.getpid():
            raise InternalError("a process was forked inside a transaction")
        return use

    @contextmanager
    def _transaction(self, begin: str, *, writing: bool) -> Iterator[Connection]:
        with translated(), self._lent() as (_, connection, files):
            try:
                connection.execute(begin)
                self._check(connection, files, writing=writing)
                self._uses.current = _Use(connection, writing, os.getpid())
                yield connection
                last = last_event(connection) if writing else None
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise
            finally:
                self._uses.current = None
            if writing:
                self._memory.note(last)
                self._check(connection, files, writing=False)

    def _check(self, connection: Connection, files: Files | None, *, writing: bool) -> None:
        """Raise IntegrityError where the open files are not those at their paths, or tell something else by now."""
        if files is None:
            return
        files.check()
        if self._file not in (None, files.database):
            raise replaced()
        if writing:
            self._memory.check(connection)

    @contextmanager
    def _lent(self) -> Iterator[Opened]:
        if self.path is None:
            opened = self._in_memory()
            with self._lock:
                yield opened
            return
        opened = _pop(self._idle) or self._open(self.path)
        _, connection, _ = opened
        try:
            yield opened
        finally:
            if connection.conn.in_transaction or len(self._idle) >= MAX_IDLE:
                connection.close()
            else:
                self._idle.append(opened)

    def _open(self, path: Path) -> Opened:
        if self.read_only:
            return os.getpid(), connect_read_only(path), None
        connection = connect(path)
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # else its log is not open yet
            return os.getpid(), connection, Files.of(path)
        except BaseException:
            connection.close()
            raise

    def _in_memory(self) -> Opened:
        if not self._idle:
            raise InternalError("the database is closed")
        opened = self._idle[0]
        if opened[0] != os.getpid():
            raise InternalError("a database in memory was used by a forked process")
        return opened


def _pop(idle: Pool) -> Opened | None:
    """Return a connection of this process, or None."""
    while True:
        try:
            opened = idle.pop()
        except IndexError:  # not asked beforehand: another thread may take the last one
            return None
        if opened[0] == os.getpid():
            return opened
        _inherited.append(opened[1])


def _close(idle: Pool) -> None:
    while (opened := _pop(idle)) is not None:
        opened[1].close()


def _close_before_fork() -> None:
    for database in list(_on_disk):
        database.close()


_on_disk: WeakSet[Database] = WeakSet()
if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(before=_close_before_fork)
