"""What a sign-in at an identity provider has to bring back: once, within minutes."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from dprelease.errors import AccessError
from dprelease.store.clock import timestamp
from dprelease.store.database import Database
from dprelease.store.half_sign_ins import TOKEN_BYTES
from dprelease.store.people import token_hash
from dprelease.words import phrase

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
    again: bool = False
    """Whether somebody who is signed in is to show anew who they are."""


def begin(database: Database, *, again: bool = False, now: datetime | None = None) -> Visit:
    """A new visit; those that have expired are forgotten."""
    state, nonce, verifier = (secrets.token_urlsafe(TOKEN_BYTES) for _ in range(3))
    moment = now or datetime.now(UTC)
    with database.writing() as connection:
        connection.execute("DELETE FROM provider_visits WHERE expires <= ?", [timestamp(moment)])
        connection.execute(
            "INSERT INTO provider_visits (state_hash, nonce, verifier, expires, again) VALUES (?, ?, ?, ?, ?)",
            [token_hash(state), nonce, verifier, timestamp(moment + LIFETIME), int(again)],
        )
    return Visit(state=state, nonce=nonce, verifier=verifier, again=again)


def redeem(database: Database, state: str, *, now: datetime | None = None) -> Visit:
    """Uses a visit up. Raises AccessError where it is unknown, used or expired."""
    moment = timestamp(now)
    with database.writing() as connection:
        row = connection.execute(
            "UPDATE provider_visits SET used = ? WHERE state_hash = ? AND used IS NULL AND expires > ?"
            " RETURNING nonce, verifier, again",
            [moment, token_hash(state), moment],
        ).fetchone()
    if row is None:
        raise AccessError(phrase("store.sign_was_begun_here"))
    return Visit(state=state, nonce=row[0], verifier=row[1], again=bool(row[2]))
