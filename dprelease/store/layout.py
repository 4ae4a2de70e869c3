"""The layout of the ledger database: an empty file becomes one, and no other layout is opened.

Until 1.0.0 is dated, `layout.sql` changes in place. From then on a change is a step of its own that raises `LAYOUT`,
and a step that has shipped is never edited.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from dprelease.errors import InputError
from dprelease.model.features import newer
from dprelease.store.chain import GENESIS, INSERT, event_hash, new_salt
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.words import phrase

LAYOUT = 1
"""In the header of the file (`user_version`)."""
PROGRAM = 0x64707231
"""Says in the header whose file it is (`application_id`)."""


def lay_out(connection: Connection) -> None:
    """Make the layout in an empty file, in one transaction. Raises InputError where the file has another one."""
    if not _is_empty(connection):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _is_empty(connection):  # else another process was first
            _make(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def check(connection: Connection) -> None:
    """Raise InputError unless the file has this layout already."""
    if _is_empty(connection):
        raise InputError(
            "ledger database",
            found=phrase("store.database_empty"),
            allowed=phrase("store.one_dprelease_made"),
            remedy=phrase("store.open_once_where_can"),
        )


def _is_empty(connection: Connection) -> bool:
    """Return True for a new file, False for one of this layout. Raises InputError for any other.

    Header and tables are read of one state: another process may lay the file out meanwhile.
    """
    if connection.conn.in_transaction:
        return _has_nothing(connection)
    connection.execute("BEGIN")
    try:
        return _has_nothing(connection)
    finally:
        connection.rollback()


def _has_nothing(connection: Connection) -> bool:
    program, layout = (
        connection.execute(f"PRAGMA {each}").fetchone()[0] for each in ("application_id", "user_version")
    )
    if (program, layout) == (PROGRAM, LAYOUT):
        return False
    tables = connection.table_names()
    if program == PROGRAM:
        raise newer("ledger database")
    if "_sqlite_migrations" in tables:
        raise InputError(
            "ledger database",
            found=phrase("errors.before_format"),
            allowed=phrase("errors.format_read"),
            remedy=phrase("store.begin_new_workspace"),
        )
    if tables:
        raise InputError(
            "ledger database",
            found=phrase("store.database_another_program"),
            allowed=phrase("store.one_dprelease_made_none"),
            remedy=phrase("store.choose_another_folder_workspace"),
        )
    return True


def statements(name: str) -> Iterator[str]:
    """Yield the statements of a .sql file beside this one. (`executescript` would commit the transaction around it.)"""
    gathered = ""
    for line in files("dprelease.store").joinpath(name).read_text("utf-8").splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""


def _make(connection: Connection) -> None:
    """Make tables and triggers, the owner, and the first event: that there is a workspace."""
    for statement in statements("layout.sql"):
        connection.execute(statement)
    at, actor, kind, body = timestamp(), "owner", "workspace_created", '{"mode":"solo"}'
    connection.execute("INSERT INTO facts VALUES ('created', ?), ('mode', 'solo')", [at])
    connection.execute(
        """INSERT INTO people (name, roles, created) VALUES (?, '["administrator", "curator", "reviewer"]', ?)""",
        [actor, at],
    )
    amounts = dict.fromkeys(("epsilon_nano", "rho_nano", "delta_atto"), 0)
    sums = dict.fromkeys(("spent_epsilon_nano", "spent_rho_nano", "spent_delta_atto", "charges"))
    row = {"seq": 1, "at": at, "actor": actor, "population": None, "kind": kind, "body": body, **amounts, **sums}
    row |= {"previous_hash": GENESIS, "salt": new_salt()}
    connection.execute(INSERT, {**row, "hash": event_hash(**row)})  # type: ignore[arg-type]
    connection.execute(f"PRAGMA application_id = {PROGRAM}")
    connection.execute(f"PRAGMA user_version = {LAYOUT}")
