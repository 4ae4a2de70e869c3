"""Sign-ins that were begun: each ends once, within minutes, and opens nothing until then.

Of a half one the link or password was right, and its code is still to come; a visit goes to an identity provider and
has to bring something back.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from dprelease.errors import AccessError
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.people import token_hash
from dprelease.words import phrase

LIFETIME = timedelta(minutes=10)
TOKEN_BYTES = 32
Issued = tuple[str | None, str | None]
"""Origin of a link, and the person who issued it."""


@dataclass(frozen=True, slots=True)
class HalfSignIn:
    """Half a sign-in: what was shown so far."""

    key: str = field(repr=False)
    """Its token, hashed."""
    name: str
    way: str
    """link or password."""
    issued: Issued


def begin_within(connection: Connection, name: str, way: str, issued: Issued, now: datetime | None) -> str:
    """Return the token of a new half sign-in; those that have expired are forgotten."""
    moment, token = now or datetime.now(UTC), secrets.token_urlsafe(TOKEN_BYTES)
    connection.execute("DELETE FROM half_sign_ins WHERE expires <= ?", [timestamp(moment)])
    connection.execute(
        "INSERT INTO half_sign_ins (token_hash, actor, way, expires, issued, issued_by) VALUES (?, ?, ?, ?, ?, ?)",
        [token_hash(token), name, way, timestamp(moment + LIFETIME), *issued],
    )
    return token


def find_within(connection: Connection, token: str, now: datetime | None = None) -> HalfSignIn | None:
    """Return the half sign-in of a token; None where there is none (any more)."""
    key = token_hash(token)
    query = "SELECT actor, way, issued, issued_by FROM half_sign_ins WHERE token_hash = ? AND expires > ?"
    row = connection.execute(query, [key, timestamp(now)]).fetchone()
    return None if row is None else HalfSignIn(key, row[0], row[1], (row[2], row[3]))


def end_within(connection: Connection, half: HalfSignIn) -> None:
    """End half a sign-in, which is a whole one now."""
    connection.execute("DELETE FROM half_sign_ins WHERE token_hash = ?", [half.key])


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderVisit:
    """One way to a provider and back."""

    state: str = field(repr=False)
    """Goes through the browser both ways; stored hashed."""
    nonce: str = field(repr=False)
    """Comes back inside the ID token."""
    verifier: str = field(repr=False)
    """Code verifier of PKCE (RFC 7636): goes from this server to the provider's alone."""
    again: bool = False
    """True if somebody who is signed in is to show anew who they are."""


def begin_visit(database: Database, *, again: bool = False, now: datetime | None = None) -> ProviderVisit:
    """Return a new visit; those that have expired are forgotten."""
    state, nonce, verifier = (secrets.token_urlsafe(TOKEN_BYTES) for _ in range(3))
    moment = now or datetime.now(UTC)
    with database.writing() as connection:
        connection.execute("DELETE FROM provider_visits WHERE expires <= ?", [timestamp(moment)])
        connection.execute(
            "INSERT INTO provider_visits (state_hash, nonce, verifier, expires, again) VALUES (?, ?, ?, ?, ?)",
            [token_hash(state), nonce, verifier, timestamp(moment + LIFETIME), int(again)],
        )
    return ProviderVisit(state=state, nonce=nonce, verifier=verifier, again=again)


def redeem_visit(database: Database, state: str, *, now: datetime | None = None) -> ProviderVisit:
    """Use a visit up. Raises AccessError where it is unknown, used or expired."""
    moment = timestamp(now)
    with database.writing() as connection:
        row = connection.execute(
            "UPDATE provider_visits SET used = ? WHERE state_hash = ? AND used IS NULL AND expires > ?"
            " RETURNING nonce, verifier, again",
            [moment, token_hash(state), moment],
        ).fetchone()
    if row is None:
        raise AccessError(phrase("store.sign_was_begun_here"))
    return ProviderVisit(state=state, nonce=row[0], verifier=row[1], again=bool(row[2]))
