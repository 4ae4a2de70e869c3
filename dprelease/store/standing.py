"""Whether the files that are open are still those at their paths, and still tell what they told before."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from dprelease.errors import IntegrityError
from dprelease.store.connection import Connection
from dprelease.words import phrase

Identity = tuple[int, int]
"""Device and inode."""


@dataclass(frozen=True, slots=True)
class Files:
    """Which files a connection has open: the database, its log (WAL), and the index of that.

    While somebody has the database open, SQLite replaces none of them; where one is another by now, somebody else did.
    """

    path: Path
    identities: tuple[Identity, Identity, Identity]

    @classmethod
    def of(cls, path: Path) -> Files:
        """Those at a path, which a connection has just opened. Raises IntegrityError where one is missing."""
        try:
            return cls(path, (_identity(path), _identity(_beside(path, "-wal")), _identity(_beside(path, "-shm"))))
        except OSError:
            raise replaced() from None

    @property
    def database(self) -> Identity:
        return self.identities[0]

    def check(self) -> None:
        """Raises IntegrityError where one of them was replaced or removed."""
        if Files.of(self.path) != self:
            raise replaced()


class Memory:
    """The last event that this process wrote: whatever it reads later has to hold that one in its place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: tuple[int, str] | None = None

    def note(self, last: tuple[int, str] | None) -> None:
        """After a commit. Threads may come in another order than they wrote in."""
        with self._lock:
            if last is not None and (self._last is None or last[0] > self._last[0]):
                self._last = last

    def check(self, connection: Connection) -> None:
        """Raises IntegrityError where what lies on the disk does not hold that event, as after a copy over the file."""
        with self._lock:
            last = self._last
        if last is None:
            return
        connection.execute("PRAGMA shrink_memory")  # what this connection holds in memory would hide what is there
        row = connection.execute("SELECT hash FROM ledger WHERE seq = ?", [last[0]]).fetchone()
        if row is None or row[0] != last[1]:
            raise replaced()


def last_event(connection: Connection) -> tuple[int, str] | None:
    """Its number and hash."""
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
