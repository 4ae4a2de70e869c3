"""One-time sign-in links and the sessions they open. Tokens are random and stored only as hashes."""

from __future__ import annotations

import hashlib
import json
import secrets
from datetime import UTC, datetime, timedelta

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Actor, Role
from dprelease.model.report import nearest
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within

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
        if invited_by is not None:
            body = {"name": actor.name, "roles": sorted(actor.roles)}
            append_within(connection, EventKind.INVITED, actor=invited_by.name, body=body)
        return _insert(connection, INSERT_LINK, actor.name, _roles_text(actor), LINK_LIFETIME, now)


def invited(database: Database, name: str) -> Actor:
    """A person with the roles of their last link. Raises InputError where nobody of that name was given one."""
    with database.reading() as connection:
        row = connection.execute(
            "SELECT roles FROM sign_in_links WHERE actor = ? ORDER BY created DESC LIMIT 1", [name]
        ).fetchone()
        if row is None:
            names = [known for (known,) in connection.execute("SELECT DISTINCT actor FROM sign_in_links")]
            raise InputError("actor", found=name, allowed="somebody who was invited", remedy=nearest(name, names))
    return Actor(name, frozenset(map(Role, json.loads(row[0]))))


def redeem_link(database: Database, token: str, *, now: datetime | None = None) -> str:
    """Uses a link up; the token of the session it opens. Raises AccessError where the link does not work (any more)."""
    moment = timestamp(now)
    with database.writing() as connection:
        row = connection.execute(
            "SELECT actor, roles FROM sign_in_links"
            " WHERE token_hash = ? AND redeemed IS NULL AND created <= ? AND expires > ?",
            [_hash(token), moment, moment],
        ).fetchone()
        if row is None:
            raise AccessError("This sign-in link does not work: a link works once, within an hour. Ask for a new one.")
        connection.execute("UPDATE sign_in_links SET redeemed = ? WHERE token_hash = ?", [moment, _hash(token)])
        append_within(connection, EventKind.SIGN_IN, actor=row[0], body={})
        return _insert(connection, INSERT_SESSION, row[0], row[1], SESSION_LIFETIME, now)


def actor_of(database: Database, token: str, *, now: datetime | None = None) -> Actor | None:
    """Whose session this is; None where it is unknown, expired or revoked."""
    with database.reading() as connection:
        row = connection.execute(
            "SELECT actor, roles FROM sessions WHERE token_hash = ? AND revoked IS NULL AND expires > ?",
            [_hash(token), timestamp(now)],
        ).fetchone()
    return Actor(row[0], frozenset(map(Role, json.loads(row[1])))) if row else None


def revoke(database: Database, token: str, *, now: datetime | None = None) -> None:
    """Ends a session, at once and for good."""
    with database.writing() as connection:
        connection.execute(
            "UPDATE sessions SET revoked = ? WHERE token_hash = ? AND revoked IS NULL", [timestamp(now), _hash(token)]
        )


def _insert(
    connection: Connection, statement: str, actor: str, roles: str, lifetime: timedelta, now: datetime | None
) -> str:
    token = secrets.token_urlsafe(TOKEN_BYTES)
    created = now or datetime.now(UTC)
    connection.execute(statement, [_hash(token), actor, roles, timestamp(created), timestamp(created + lifetime)])
    return token


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def _roles_text(actor: Actor) -> str:
    return json.dumps(sorted(actor.roles))
