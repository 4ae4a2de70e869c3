"""How an empty file becomes the database of this version, and one day an older one too.

A step is a function of the connection, listed in `STEPS`; its name is recorded in the table `_sqlite_migrations`,
which sqlite-utils keeps. A step that has shipped is never edited: a new one follows it. The first
is the layout of 0.2.0.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

from dprelease.errors import InputError
from dprelease.store.chain import GENESIS, INSERT, event_hash, new_salt
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection, copy
from dprelease.store.library import Database, Migrations
from dprelease.words import phrase

Step = Callable[[Database], None]

OF_0_1 = "m001_ledger"
"""The first step of version 0.1, which was never released."""


def migrate(connection: Connection, path: Path | None) -> None:
    """Applies the missing steps in one transaction, so that all of them are kept or none.

    A file of an earlier layout is copied aside first, as `set_aside` says; `path` is None in memory.

    Raises InputError where the file was written by version 0.1, by a newer version or by another program.
    """
    if not _pending(connection):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _pending(connection):
            if path is not None:
                set_aside(connection, path)
            _migrations().apply(connection)
            connection.execute(
                "INSERT INTO facts VALUES ('version', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                [str(len(STEPS))],
            )
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def set_aside(connection: Connection, path: Path) -> None:
    """Copies a ledger of an earlier layout to `ledger-layout-1.db` beside it, by the number of its steps.

    Nobody writes meanwhile, since the caller holds the transaction. An earlier copy of that name is replaced: it was
    left by an attempt that failed. A new file has nothing to copy.
    """
    steps = len(_migrations().applied(connection))
    if steps:
        aside = path.with_name(f"{path.stem}-layout-{steps}{path.suffix}")
        aside.unlink(missing_ok=True)
        copy(path, aside)


def check(connection: Connection) -> None:
    """Raises InputError unless the file has this version's layout already."""
    if _pending(connection):
        raise InputError(
            "ledger database",
            found=phrase("store.database_earlier_layout_empty"),
            allowed=phrase("store.one_version_opened_before"),
            remedy=phrase("store.open_once_where_can"),
        )


def _migrations() -> Migrations:
    migrations = Migrations("dprelease")
    for step in STEPS:
        migrations(name=step.__name__)(step)
    return migrations


def _pending(connection: Connection) -> bool:
    # Tables first: another process may be making them, and commits them together with the names of its steps.
    tables = connection.table_names()
    applied = [step.name for step in _migrations().applied(connection)]
    known = [step.__name__ for step in STEPS]
    if tables and not applied:
        raise InputError(
            "ledger database",
            found=phrase("store.database_another_program"),
            allowed=phrase("store.one_dprelease_made_none"),
            remedy=phrase("store.choose_another_folder_workspace"),
        )
    if applied[:1] == [OF_0_1]:
        raise InputError(
            "ledger database",
            found=phrase("store.database_dprelease_0_1"),
            allowed=phrase("store.one_version_made_none"),
            remedy=phrase("store.open_dprelease_0_1"),
        )
    if applied != known[: len(applied)]:
        raise InputError(
            "ledger database",
            found=phrase("store.database_newer_version_dprelease"),
            allowed=phrase("store.version_earlier", count=len(known)),
            remedy=phrase("store.use_version_dprelease_last"),
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


def m001_layout(connection: Database) -> None:
    """Makes the layout, the owner, and the first event: that there is a workspace."""
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


def m002_undiscovered(connection: Database) -> None:
    """Lets a population promise that nothing of it is ever discovered: its cap on δ is then for ρ alone."""
    for statement in statements("undiscovered.sql"):
        connection.execute(statement)


STEPS: tuple[Step, ...] = (m001_layout, m002_undiscovered)
