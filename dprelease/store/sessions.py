"""One-time sign-in links and the sessions they open. Tokens are random and stored only as hashes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Actor
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.store.people import actor_within, invite_within, roles_text, token_hash

TOKEN_BYTES = 32
LINK_LIFETIME = timedelta(hours=1)
SESSION_LIFETIME = timedelta(hours=12)

INSERT_LINK = "INSERT INTO sign_in_links (token_hash, actor, roles, created, expires) VALUES (?, ?, ?, ?, ?)"
INSERT_SESSION = "INSERT INTO sessions (token_hash, actor, roles, created, expires) VALUES (?, ?, ?, ?, ?)"


def create_link(
    database: Database, actor: Actor, *, invited_by: Actor | None = None, now: datetime | None = None
) -> str:
    """The token of a link that signs the actor in, once, within an hour."""
    with database.writing() as connection:
        invite_within(connection, actor)
        if invited_by is not None:
            body = {"name": actor.name, "roles": sorted(actor.roles)}
            append_within(connection, EventKind.INVITED, actor=invited_by.name, body=body)
        return _insert(connection, INSERT_LINK, actor.name, roles_text(actor.roles), LINK_LIFETIME, now)


def redeem_link(database: Database, token: str, *, now: datetime | None = None) -> str:
    """Uses a link up; the token of the session it opens. Raises AccessError where the link does not work (any more)."""
    moment = timestamp(now)
    with database.writing() as connection:
        row = connection.execute(
            "SELECT actor, roles FROM sign_in_links"
            " WHERE token_hash = ? AND redeemed IS NULL AND created <= ? AND expires > ?",
            [token_hash(token), moment, moment],
        ).fetchone()
        if row is None:
            raise AccessError("This sign-in link does not work: a link works once, within an hour. Ask for a new one.")
        connection.execute("UPDATE sign_in_links SET redeemed = ? WHERE token_hash = ?", [moment, token_hash(token)])
        return _begin(connection, row[0], row[1], "link", now)


def begin(database: Database, actor: Actor, way: str, *, now: datetime | None = None) -> str:
    """The token of a new session of somebody who has shown who they are: by `password` or by a `provider`."""
    with database.writing() as connection:
        return _begin(connection, actor.name, roles_text(actor.roles), way, now)


def actor_of(database: Database, token: str, *, now: datetime | None = None) -> Actor | None:
    """Whose session this is, with the roles they have now; None where it is unknown, expired or revoked."""
    with database.reading() as connection:
        row = connection.execute(
            "SELECT actor FROM sessions WHERE token_hash = ? AND revoked IS NULL AND expires > ?",
            [token_hash(token), timestamp(now)],
        ).fetchone()
        return actor_within(connection, row[0]) if row else None


def revoke(database: Database, token: str, *, now: datetime | None = None) -> None:
    """Ends a session, at once and for good: its person signs out."""
    with database.writing() as connection:
        row = connection.execute(
            "UPDATE sessions SET revoked = ? WHERE token_hash = ? AND revoked IS NULL RETURNING actor",
            [timestamp(now), token_hash(token)],
        ).fetchone()
        if row is not None:
            append_within(connection, EventKind.SIGN_OUT, actor=row[0], body={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is known of a session; its token is known to its browser alone."""

    id: str
    actor: str
    way: str
    """link, password or provider."""
    created: str
    expires: str


def of_person(database: Database, name: str, *, now: datetime | None = None) -> list[Session]:
    """The sessions that last, the newest first."""
    query = (
        "SELECT substr(token_hash, 1, 12) AS id, actor, way, created, expires FROM sessions"
        " WHERE actor = ? AND revoked IS NULL AND expires > ? ORDER BY created DESC"
    )
    with database.reading() as connection:
        return [Session(**row) for row in connection.query(query, [name, timestamp(now)])]


def revoke_one(database: Database, session_id: str, *, actor: Actor, of: str | None = None) -> None:
    """Ends a session by its id, of one person or of anybody. Raises InputError where there is none that lasts."""
    query = (
        "UPDATE sessions SET revoked = :now WHERE substr(token_hash, 1, 12) = :id AND revoked IS NULL"
        " AND (:of IS NULL OR actor = :of) RETURNING actor"
    )
    with database.writing() as connection:
        row = connection.execute(query, {"now": timestamp(), "id": session_id, "of": of}).fetchone()
        if row is None:
            raise InputError("session", found=session_id, allowed="the id of a session that lasts")
        append_within(connection, EventKind.SESSION_REVOKED, actor=actor.name, body={"name": row[0]})


def _begin(connection: Connection, actor: str, roles: str, way: str, now: datetime | None) -> str:
    append_within(connection, EventKind.SIGN_IN, actor=actor, body={} if way == "link" else {"way": way})
    token = _insert(connection, INSERT_SESSION, actor, roles, SESSION_LIFETIME, now)
    connection.execute("UPDATE sessions SET way = ? WHERE token_hash = ?", [way, token_hash(token)])
    return token


def _insert(
    connection: Connection, statement: str, actor: str, roles: str, lifetime: timedelta, now: datetime | None
) -> str:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    created = now or datetime.now(UTC)
    connection.execute(statement, [token_hash(token), actor, roles, timestamp(created), timestamp(created + lifetime)])
    return token
