"""What a sign-in at an identity provider has to bring back: once, within minutes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from dprelease.errors import AccessError
from dprelease.store.clock import timestamp
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.store.people import token_hash
from dprelease.store.sessions import TOKEN_BYTES

LIFETIME = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One way to a provider and back."""

    state: str = field(repr=False)
    """Goes through the browser both ways; stored hashed."""
    nonce: str = field(repr=False)
    """Comes back inside the ID token."""
    verifier: str = field(repr=False)
    """Of PKCE (RFC 7636): goes from this server to the provider's alone."""


def begin(database: Database, *, now: datetime | None = None) -> Visit:
    """A new visit; those that have expired are forgotten."""
    state, nonce, verifier = (secrets.token_urlsafe(TOKEN_BYTES) for _ in range(3))
    moment = now or datetime.now(UTC)
    with database.writing() as connection:
        connection.execute("DELETE FROM provider_visits WHERE expires <= ?", [timestamp(moment)])
        connection.execute(
            "INSERT INTO provider_visits (state_hash, nonce, verifier, expires) VALUES (?, ?, ?, ?)",
            [token_hash(state), nonce, verifier, timestamp(moment + LIFETIME)],
        )
    return Visit(state=state, nonce=nonce, verifier=verifier)


def redeem(database: Database, state: str, *, now: datetime | None = None) -> Visit:
    """Uses a visit up. Raises AccessError where it is unknown, used or expired."""
    moment = timestamp(now)
    with database.writing() as connection:
        row = connection.execute(
            "UPDATE provider_visits SET used = ? WHERE state_hash = ? AND used IS NULL AND expires > ?"
            " RETURNING nonce, verifier",
            [moment, token_hash(state), moment],
        ).fetchone()
    if row is None:
        raise AccessError("this sign-in was not begun here, or was ended already")
    return Visit(state=state, nonce=row[0], verifier=row[1])


def note_failure(database: Database) -> None:
    """An event that tells of a sign-in by a provider that came to nothing."""
    with database.writing() as connection:
        append_within(connection, EventKind.SIGN_IN_FAILED, actor="public", body={"way": "provider"})
