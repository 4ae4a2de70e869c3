"""The database of a workspace: who may use a connection when, and in which transaction."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakSet, finalize

from dprelease.errors import InternalError
from dprelease.store.connection import Connection, connect, create_private, translated
from dprelease.store.migrations import migrate

MAX_IDLE = 16

Pool = list[tuple[int, Connection]]
"""Connections that nobody uses, each with the process that opened it."""

_inherited: list[Connection] = []
"""Connections of a parent process. SQLite's locks break if a child uses or closes one, so they are only kept."""


@dataclass(frozen=True, slots=True)
class _Use:
    """What a thread is doing with a database."""

    connection: Connection
    writing: bool
    pid: int


class Database:
    """One ledger database, on disk or in memory.

    On disk a connection serves one use at a time and waits in a pool between uses; a forked process begins with an
    empty pool. In memory there is one connection behind a lock, and a forked process may not use it: its copy of
    the ledger would spend the same budget again.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        """None in memory."""
        self._uses = threading.local()
        self._idle: Pool = []
        self._lock = threading.Lock()
        finalize(self, _close, self._idle)

    @classmethod
    def open(cls, path: str | Path) -> Database:
        """Opens the file, makes it where there is none, and brings it to this version's layout.

        Raises InputError where that cannot be done, IntegrityError where the file is damaged.
        """
        database = cls(Path(path).absolute())
        with translated():
            create_private(Path(path))
            with database._lent() as connection:
                migrate(connection)
        _on_disk.add(database)
        return database

    @classmethod
    def in_memory(cls) -> Database:
        """The same with nothing on disk."""
        database = cls(None)
        with translated():
            connection = connect(None)
            migrate(connection)
        database._idle.append((os.getpid(), connection))
        return database

    def close(self) -> None:
        """Closes the connections that are not in use. What is in memory is gone then."""
        _close(self._idle)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Lends a connection that sees one state of the database, whatever is written meanwhile."""
        use = self._current()
        if use is not None:
            yield use.connection
        else:
            with self._transaction("BEGIN", writing=False) as connection:
                yield connection

    @contextmanager
    def writing(self, *, durable: bool = False) -> Iterator[Connection]:
        """Lends a connection inside BEGIN IMMEDIATE; commits at the end, undoes everything after an exception.

        Inside another `writing` it is a part of that transaction, and an exception undoes that part. `durable`
        refuses to be a part: what it holds is on disk when it is left.
        """
        use = self._current()
        if use is None:
            with self._transaction("BEGIN IMMEDIATE", writing=True) as connection:
                yield connection
        elif durable or not use.writing:
            raise InternalError("a transaction was begun inside another one")
        else:
            with use.connection.atomic():
                yield use.connection

    def _current(self) -> _Use | None:
        use: _Use | None = getattr(self._uses, "current", None)
        if use is not None and use.pid != os.getpid():
            raise InternalError("a process was forked inside a transaction")
        return use

    @contextmanager
    def _transaction(self, begin: str, *, writing: bool) -> Iterator[Connection]:
        with translated(), self._lent() as connection:
            try:
                connection.execute(begin)
                self._uses.current = _Use(connection, writing, os.getpid())
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise
            finally:
                self._uses.current = None

    @contextmanager
    def _lent(self) -> Iterator[Connection]:
        if self.path is None:
            connection = self._in_memory()
            with self._lock:
                yield connection
            return
        connection = _pop(self._idle) or connect(self.path)
        try:
            yield connection
        finally:
            if connection.conn.in_transaction or len(self._idle) >= MAX_IDLE:
                connection.close()
            else:
                self._idle.append((os.getpid(), connection))

    def _in_memory(self) -> Connection:
        if not self._idle:
            raise InternalError("the database is closed")
        pid, connection = self._idle[0]
        if pid != os.getpid():
            raise InternalError("a database in memory was used by a forked process")
        return connection


def _pop(idle: Pool) -> Connection | None:
    """A connection of this process, or None."""
    while True:
        try:
            pid, connection = idle.pop()
        except IndexError:  # not asked beforehand: another thread may take the last one
            return None
        if pid == os.getpid():
            return connection
        _inherited.append(connection)


def _close(idle: Pool) -> None:
    while (connection := _pop(idle)) is not None:
        connection.close()


def _close_before_fork() -> None:
    for database in list(_on_disk):
        database.close()


_on_disk: WeakSet[Database] = WeakSet()
if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(before=_close_before_fork)
