"""What is true of the whole workspace: its mode, when it was created, the version of the database's layout."""

from __future__ import annotations

from enum import StrEnum

from dprelease.errors import AccessError
from dprelease.model.actor import Actor
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within


class Mode(StrEnum):
    """How many people a decision takes. `solo`: one. `team`: two, for plans and for budgets."""

    SOLO = "solo"
    TEAM = "team"


def all(database: Database) -> dict[str, str]:
    """`mode`, `created` (UTC) and `version`."""
    with database.reading() as connection:
        return dict(connection.execute("SELECT name, value FROM facts ORDER BY name").fetchall())


def mode(database: Database) -> Mode:
    with database.reading() as connection:
        return mode_within(connection)


def mode_within(connection: Connection) -> Mode:
    return Mode(connection.execute("SELECT value FROM facts WHERE name = 'mode'").fetchone()[0])


def require_two(database: Database, *, actor: Actor) -> None:
    """Makes the workspace one of a team, for good."""
    with database.writing() as connection:
        if mode_within(connection) is Mode.SOLO:
            connection.execute("UPDATE facts SET value = 'team' WHERE name = 'mode'")
            append_within(connection, EventKind.MODE_CHANGED, actor=actor.name, body={"mode": Mode.TEAM.value})


def check_second_person(connection: Connection, author: str, actor: Actor) -> None:
    """Raises AccessError where a workspace of a team would have one person decide alone."""
    if mode_within(connection) is Mode.TEAM and actor.name == author:
        raise AccessError(f"this workspace takes two people for a decision, and {author} asked for this one")
