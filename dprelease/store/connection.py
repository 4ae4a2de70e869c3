"""One SQLite connection: made, set to durable, checked, and its errors put into our words."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from dprelease.errors import DPReleaseError, InputError, IntegrityError, InternalError
from dprelease.store.library import Database
from dprelease.words import phrase, verbatim


class Connection(Database):
    """`execute` gives tuples, `query` gives mappings.

    Both without what the library does around them, which takes longer than most statements here: transactions are begun
    and ended by `Database` alone, and nothing that is asked for rows writes.
    """

    def execute(self, sql: str, parameters: Sequence[Any] | dict[str, Any] | None = None) -> sqlite3.Cursor:
        return self.conn.execute(sql, parameters or ())

    def query(
        self, sql: str, params: Sequence[Any] | dict[str, Any] | None = None
    ) -> Generator[dict[str, Any], None, None]:
        cursor = self.conn.execute(sql, params or ())
        names = [column[0] for column in cursor.description]
        return (dict(zip(names, row, strict=True)) for row in cursor)


BUSY_SECONDS = 30
PRAGMAS = {"foreign_keys": 1, "recursive_triggers": 1, "synchronous": 2, "fullfsync": 1, "secure_delete": 1}
"""Set on every connection and read back. synchronous 2 is FULL: a committed charge survives a power cut. secure_delete
fills what is overwritten with zeros."""

DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
SURROUNDINGS = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)
"""Result codes that speak of the disk, the folder or another program, not of us."""


def connect(path: Path | None) -> Connection:
    """Open a database file that exists, in WAL mode; None opens a new one in memory."""
    name = ":memory:" if path is None else f"{path.as_uri()}?mode=rw"
    raw = sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=True)
    connection = Connection(raw, execute_plugins=False)
    try:
        for pragma, value in PRAGMAS.items():
            raw.execute(f"PRAGMA {pragma} = {value}")
        expected = {**PRAGMAS, "busy_timeout": BUSY_SECONDS * 1000, "journal_mode": "wal" if path else "memory"}
        if path is not None:
            _switch_to_wal(raw)
        found = {pragma: raw.execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in expected}
        if found != expected:
            raise InputError(
                "ledger database",
                found=", ".join(f"{key} {found[key]}" for key in expected if found[key] != expected[key]),
                allowed=verbatim(
                    ", ".join(f"{key} {expected[key]}" for key in expected if found[key] != expected[key])
                ),
                remedy=phrase("store.keep_workspace_local_disk"),
            )
    except BaseException:
        raw.close()
        raise
    return connection


def connect_read_only(path: Path) -> Connection:
    """Open a database file where nothing can be written, as on a read-only medium; it must not change meanwhile.

    Raises InputError where a log lies beside it: what that holds belongs to the ledger and could not be read.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > 0:
        raise InputError(
            "ledger database",
            found=phrase("store.whose_events_cannot_read", log=log.name),
            allowed=phrase("store.ledger_was_closed_copy"),
            remedy=phrase("store.copy_whole_folder_where"),
        )
    raw = sqlite3.connect(
        f"{path.as_uri()}?mode=ro&immutable=1", isolation_level=None, check_same_thread=False, uri=True
    )
    return Connection(raw, execute_plugins=False)


def create_private(path: Path) -> None:
    """Make an empty file that nobody else can read, unless there is one."""
    with suppress(FileExistsError):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            raise
        except OSError as cause:
            raise _surroundings(cause.strerror or "an error") from cause


def copy(source: Path, target: Path) -> None:
    """Copy a database at one moment, whoever writes meanwhile, into a new private file."""
    create_private(target)
    # A database that nobody has open lies in one file, and may lie where nothing can be written.
    mode = "mode=ro" if source.with_name(f"{source.name}-wal").exists() else "mode=ro&immutable=1"
    with (
        translated(),
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?{mode}", uri=True, timeout=BUSY_SECONDS)) as original,
        closing(sqlite3.connect(target)) as made,
    ):
        original.backup(made)


def _switch_to_wal(raw: sqlite3.Connection) -> None:
    # SQLite does not wait for others while it changes the journal mode, so two first openings have to take turns.
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            raw.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as cause:
            if cause.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.005)


@contextmanager
def translated() -> Iterator[None]:
    """Turn SQLite's errors into ours, and those of stored text that is none any more. None of them quotes a value."""
    try:
        yield
    except sqlite3.Error as cause:
        raise _in_our_words(cause) from cause
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise IntegrityError(phrase("store.ledger_database_damaged_text")) from None


def _in_our_words(cause: sqlite3.Error) -> DPReleaseError:
    if str(cause).startswith("Could not decode to UTF-8"):  # Python's, which would quote the text
        return IntegrityError(phrase("store.ledger_database_damaged_text"))
    code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in DAMAGED:
        return IntegrityError(phrase("store.ledger_database_damaged", cause=cause))
    if code in SURROUNDINGS:
        return _surroundings(str(cause))
    return InternalError(f"the ledger database refused: {cause}")


def _surroundings(found: str) -> InputError:
    return InputError(
        "ledger database",
        found=found,
        allowed=phrase("store.workspace_folder_can_written"),
        remedy=phrase("store.step_changed_nothing_mend"),
    )
