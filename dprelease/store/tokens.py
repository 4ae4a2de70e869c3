"""Tokens of people for their programs: random, stored hashed, for some operations, for some days, revocable."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.store.clock import timestamp
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.store.people import actor_within, token_hash
from dprelease.store.sessions import TOKEN_BYTES

PREFIX = "dpr_"
"""So that a token that was left in a file is recognised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What is known of a token; not the token itself, which is shown once."""

    id: str
    actor: str
    label: str
    """What it is for."""
    operations: tuple[str, ...]
    created: str
    expires: str
    revoked: str | None


def create(
    database: Database, actor: Actor, *, label: str, operations: Sequence[str], lifetime: timedelta
) -> tuple[Token, str]:
    """A new token, and what is known of it."""
    secret, token_id = PREFIX + secrets.token_urlsafe(TOKEN_BYTES), secrets.token_hex(6)
    created = datetime.now(UTC)
    with database.writing() as connection:
        connection.execute(
            "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
            [
                token_id,
                token_hash(secret),
                actor.name,
                label,
                json.dumps(sorted(operations)),
                timestamp(created),
                timestamp(created + lifetime),
            ],
        )
        body = {"token": token_id, "label": label, "operations": sorted(operations)}
        append_within(connection, EventKind.TOKEN_CREATED, actor=actor.name, body=body)
    return get(database, token_id), secret


def of_person(database: Database, name: str) -> list[Token]:
    """The newest first."""
    with database.reading() as connection:
        rows = connection["tokens"].rows_where("actor = ?", [name], order_by="created DESC")
        return [_read(row) for row in rows]


def get(database: Database, token_id: str) -> Token:
    """Raises InputError where there is no such token."""
    with database.reading() as connection:
        for row in connection["tokens"].rows_where("id = ?", [token_id]):
            return _read(row)
    raise InputError("token", found=token_id, allowed="the id of a token")


def actor_of(database: Database, secret: str, *, now: datetime | None = None) -> Actor | None:
    """Who acts with a token, for its operations alone; its use is an event. None where it does not work (any more)."""
    query = "SELECT id, actor, operations FROM tokens WHERE token_hash = ? AND revoked IS NULL AND expires > ?"
    values = [token_hash(secret), timestamp(now)]
    with database.reading() as connection:  # strangers with made-up tokens are not to keep others from writing
        if connection.execute(query, values).fetchone() is None:
            return None
    with database.writing() as connection:
        row = connection.execute(query, values).fetchone()
        actor = None if row is None else actor_within(connection, row[1])
        if row is None or actor is None:
            return None
        append_within(connection, EventKind.TOKEN_USED, actor=actor.name, body={"token": row[0]})
        return replace(actor, scope=frozenset(json.loads(row[2])))


def revoke(database: Database, token_id: str, *, actor: Actor) -> None:
    """Ends a token, at once and for good."""
    with database.writing() as connection:
        changed = connection.execute(
            "UPDATE tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", [timestamp(), token_id]
        )
        if changed.rowcount:
            append_within(connection, EventKind.TOKEN_REVOKED, actor=actor.name, body={"token": token_id})


def _read(row: dict[str, str]) -> Token:
    known = {name: row[name] for name in ("id", "actor", "label", "created", "expires", "revoked")}
    return Token(**known, operations=tuple(json.loads(row["operations"])))
