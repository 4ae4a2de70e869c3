"""How an empty file becomes the database of this version, and an older one too.

A step is a function of the connection, listed in `STEPS`; its name is recorded in the table `_sqlite_migrations`,
which sqlite-utils keeps. A step that has shipped is never edited: a new one follows it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from importlib.resources import files

import sqlite_utils
from sqlite_utils.migrations import Migrations

from dprelease.errors import InputError
from dprelease.store.chain import GENESIS, event_hash
from dprelease.store.clock import timestamp

Step = Callable[[sqlite_utils.Database], None]


def migrate(connection: sqlite_utils.Database) -> None:
    """Applies the missing steps in one transaction, so that all of them are kept or none.

    Raises InputError where the file was written by a newer version or by another program.
    """
    if not _pending(connection):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _pending(connection):
            _migrations().apply(connection)
            connection.execute(
                "INSERT INTO facts VALUES ('version', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                [str(len(STEPS))],
            )
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _migrations() -> Migrations:
    migrations = Migrations("dprelease")
    for step in STEPS:
        migrations(name=step.__name__)(step)
    return migrations


def _pending(connection: sqlite_utils.Database) -> bool:
    # Tables first: another process may be making them, and commits them together with the names of its steps.
    tables = connection.table_names()
    applied = [step.name for step in _migrations().applied(connection)]
    known = [step.__name__ for step in STEPS]
    if tables and not applied:
        raise InputError(
            "ledger database",
            found="a database of another program",
            allowed="one that dprelease made, or none yet",
            remedy="Choose another folder for the workspace.",
        )
    if applied != known[: len(applied)]:
        raise InputError(
            "ledger database",
            found="a database of a newer version of dprelease",
            allowed=f"version {len(known)} or earlier",
            remedy="Use the version of dprelease that last opened this workspace, or a later one.",
        )
    return applied != known


def statements(name: str) -> Iterator[str]:
    """The statements of a .sql file beside this one. (`executescript` would commit the transaction around it.)"""
    gathered = ""
    for line in files("dprelease.store").joinpath(name).read_text("utf-8").splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""


def m001_ledger(connection: sqlite_utils.Database) -> None:
    """Makes the first layout, and the first event: that there is a workspace."""
    for statement in statements("layout_001.sql"):
        connection.execute(statement)
    at, actor, kind, body = timestamp(), "owner", "workspace_created", '{"mode":"solo"}'
    connection.execute("INSERT INTO facts VALUES ('created', ?), ('mode', 'solo')", [at])
    hash_ = event_hash(
        seq=1,
        at=at,
        actor=actor,
        population=None,
        kind=kind,
        body=body,
        epsilon_nano=0,
        delta_atto=0,
        previous_hash=GENESIS,
    )
    connection.execute(
        "INSERT INTO ledger (seq, at, actor, kind, body, epsilon_nano, delta_atto, previous_hash, hash)"
        " VALUES (1, ?, ?, ?, ?, 0, 0, ?, ?)",
        [at, actor, kind, body, GENESIS, hash_],
    )


def m002_rho(connection: sqlite_utils.Database) -> None:
    """Lets populations count in ρ. What is there stays as it was, event by event."""
    for statement in statements("layout_002.sql"):
        connection.execute(statement)


def m003_trust(connection: sqlite_utils.Database) -> None:
    """Lets caps be raised and renewed, two people decide, and checkpoints be kept. What is there stays as it was."""
    for statement in statements("layout_003.sql"):
        connection.execute(statement)


def m004_desk(connection: sqlite_utils.Database) -> None:
    """Keeps plans in the making, what was previewed, and terms of private tables. What is there stays as it was."""
    for statement in statements("layout_004.sql"):
        connection.execute(statement)


def m005_people(connection: sqlite_utils.Database) -> None:
    """Gives people passwords, providers and tokens. What is there stays as it was."""
    for statement in statements("layout_005.sql"):
        connection.execute(statement)


STEPS: tuple[Step, ...] = (m001_ledger, m002_rho, m003_trust, m004_desk, m005_people)
