"""Tokens of people for their programs: random, stored hashed, for some operations, for some days, revocable."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Actor
from dprelease.store import account_news
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.store.people import actor_within, token_hash
from dprelease.store.sign_ins import TOKEN_BYTES
from dprelease.words import phrase

PREFIX = "dpr_"
"""So that a token that was left in a file is recognised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """Facts of a token; not the token itself, which is shown once."""

    id: str
    actor: str
    label: str
    """Purpose of the token."""
    operations: tuple[str, ...]
    created: str
    expires: str
    revoked: str | None
    parent: str | None
    """The token that made it."""
    dataset: str | None
    """The one dataset that it is for; None where it is for all that its person works with."""
    used: str | None
    """Time when it was last used."""
    uses: int


def create(
    database: Database,
    actor: Actor,
    *,
    label: str,
    operations: Sequence[str],
    lifetime: timedelta,
    dataset: str | None = None,
) -> tuple[Token, str]:
    """Return a new token, and what is known of it. One that a token makes ends with that token at the latest."""
    secret, token_id = PREFIX + secrets.token_urlsafe(TOKEN_BYTES), secrets.token_hex(6)
    created = datetime.now(UTC)
    with database.writing() as connection:
        expires = timestamp(created + lifetime)
        if actor.token is not None:
            expires = min(expires, _lasts_until(connection, actor.token, timestamp(created)))
        told = [actor.name, label, json.dumps(sorted(operations)), timestamp(created), expires, actor.token, dataset]
        connection.execute(
            "INSERT INTO tokens (id, token_hash, actor, label, operations, created, expires, parent, dataset)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [token_id, token_hash(secret), *told],
        )
        body = {"token": token_id, "label": label, "operations": sorted(operations)}
        told_of = body if dataset is None else {**body, "dataset": dataset}
        append_within(connection, EventKind.TOKEN_CREATED, actor=actor.name, body=told_of)
        here = None if actor.session is None else actor.session.key
        account_news.tell_within(connection, actor.name, "token", detail=label, session=here)
    return get(database, token_id), secret


def of_person(database: Database, name: str) -> list[Token]:
    """Return the tokens of a person, the newest first."""
    with database.reading() as connection:
        rows = connection["tokens"].rows_where("actor = ?", [name], order_by="created DESC")
        return [_read(row) for row in rows]


def get(database: Database, token_id: str) -> Token:
    """Return the facts of a token. Raises InputError where there is no such token."""
    with database.reading() as connection:
        for row in connection["tokens"].rows_where("id = ?", [token_id]):
            return _read(row)
    raise InputError("token", found=token_id, allowed=phrase("store.id_token"))


def actor_of(database: Database, secret: str, *, now: datetime | None = None) -> Actor | None:
    """Return who acts with a token, for its operations alone; its use is counted. None where it does not work."""
    query = "SELECT id, actor, operations, dataset FROM tokens WHERE token_hash = ?"
    query += " AND revoked IS NULL AND expires > ?"
    values = [token_hash(secret), timestamp(now)]
    with database.reading() as connection:  # strangers with made-up tokens are not to keep others from writing
        if connection.execute(query, values).fetchone() is None:
            return None
    with database.writing() as connection:
        row = connection.execute(query, values).fetchone()
        actor = None if row is None else actor_within(connection, row[1])
        if row is None or actor is None:
            return None
        used = "UPDATE tokens SET used = ?, uses = uses + 1 WHERE id = ?"
        connection.execute(used, [timestamp(now), row[0]])
        return replace(actor, scope=frozenset(json.loads(row[2])), token=row[0], dataset=row[3])


def revoke(database: Database, token_id: str, *, actor: Actor) -> None:
    """End a token, and all that it made, at once and for good."""
    with database.writing() as connection:
        for each in _family(connection, token_id):
            changed = connection.execute(
                "UPDATE tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", [timestamp(), each]
            )
            if changed.rowcount:
                append_within(connection, EventKind.TOKEN_REVOKED, actor=actor.name, body={"token": each})


def is_of(database: Database, token_id: str, ancestor: str) -> bool:
    """Return True if a token is another one, or was made by it, or by one that it made."""
    with database.reading() as connection:
        return token_id in _family(connection, ancestor)


def _family(connection: Connection, token_id: str) -> list[str]:
    """Return a token, and all that it made."""
    query = (
        "WITH RECURSIVE family(id) AS (SELECT ? UNION SELECT tokens.id FROM tokens JOIN family"
        " ON tokens.parent = family.id) SELECT id FROM family"
    )
    return [each for (each,) in connection.execute(query, [token_id])]


def _lasts_until(connection: Connection, token_id: str, moment: str) -> str:
    """Return when a token expires. Raises AccessError where it has ended since it was asked for."""
    query = "SELECT expires FROM tokens WHERE id = ? AND revoked IS NULL AND expires > ?"
    row = connection.execute(query, [token_id, moment]).fetchone()
    if row is None:
        raise AccessError(phrase("store.token_ended"))
    return str(row[0])


def _read(row: dict[str, Any]) -> Token:
    names = ("id", "actor", "label", "created", "expires", "revoked", "parent", "dataset", "used", "uses")
    return Token(**{name: row[name] for name in names}, operations=tuple(json.loads(row["operations"])))
