"""Facts of the whole workspace: its mode, its policies, when it was created."""

from __future__ import annotations

from enum import StrEnum

from dprelease.errors import AccessError
from dprelease.model.actor import Actor, Role
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.words import phrase


class WorkspaceMode(StrEnum):
    """Number of people that a decision takes. `solo`: one. `team`: two, for plans and for budgets."""

    SOLO = "solo"
    TEAM = "team"


def mode(database: Database) -> WorkspaceMode:
    with database.reading() as connection:
        return mode_within(connection)


def mode_within(connection: Connection) -> WorkspaceMode:
    return WorkspaceMode(connection.execute("SELECT value FROM facts WHERE name = 'mode'").fetchone()[0])


def require_two(database: Database, *, actor: Actor) -> None:
    """Make the workspace one of a team, for good."""
    with database.writing() as connection:
        if mode_within(connection) is WorkspaceMode.SOLO:
            connection.execute("UPDATE facts SET value = 'team' WHERE name = 'mode'")
            append_within(connection, EventKind.MODE_CHANGED, actor=actor.name, body={"mode": WorkspaceMode.TEAM.value})


def preview_policy(database: Database) -> PreviewPolicy:
    with database.reading() as connection:
        return preview_policy_within(connection)


def is_blind(database: Database) -> bool:
    """Return True if nobody here may see what depends on rows: then nothing is detected of them."""
    return preview_policy(database) is not PreviewPolicy.TRUE


def preview_policy_within(connection: Connection) -> PreviewPolicy:
    """Return the policy of previews: true values, where nobody ever decided."""
    row = connection.execute("SELECT value FROM facts WHERE name = 'previews'").fetchone()
    return PreviewPolicy.TRUE if row is None else PreviewPolicy(row[0])


def set_preview_policy(database: Database, policy: PreviewPolicy, *, actor: Actor) -> None:
    """Decide what previews show from now on; each change is an event, in both directions."""
    with database.writing() as connection:
        if preview_policy_within(connection) is not policy:
            _decide_within(connection, "previews", policy.value, actor)


def second_factor_roles_within(connection: Connection) -> frozenset[Role]:
    """Return the roles for which a password needs a second factor; none, where nobody ever decided."""
    row = connection.execute("SELECT value FROM facts WHERE name = 'second_factor'").fetchone()
    return frozenset(map(Role, row[0].split())) if row else frozenset()


def require_second_factor(database: Database, roles: frozenset[Role], *, actor: Actor) -> None:
    """Decide for which roles a password needs a second factor from now on; each change is an event."""
    with database.writing() as connection:
        if second_factor_roles_within(connection) != roles:
            _decide_within(connection, "second_factor", " ".join(sorted(roles)), actor)


def _decide_within(connection: Connection, policy: str, value: str, actor: Actor) -> None:
    connection.execute(
        "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", [policy, value]
    )
    body = {"policy": policy, "value": value}
    append_within(connection, EventKind.POLICY_CHANGED, actor=actor.name, body=body)


def check_second_person(connection: Connection, author: str, actor: Actor) -> None:
    """Raise AccessError where a workspace of a team would have one person decide alone."""
    if mode_within(connection) is WorkspaceMode.TEAM and actor.name == author:
        raise AccessError(phrase("store.workspace_takes_two_people", author=author))
