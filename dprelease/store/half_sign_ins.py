"""Sign-ins whose link or password was right, and whose code is still to come: they open nothing."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.people import token_hash

LIFETIME = timedelta(minutes=10)
TOKEN_BYTES = 32
Issued = tuple[str | None, str | None]
"""How a link came about, and by whom."""


@dataclass(frozen=True, slots=True)
class HalfSignIn:
    """What was shown so far."""

    key: str = field(repr=False)
    """Its token, hashed."""
    name: str
    way: str
    """link or password."""
    issued: Issued


def begin_within(connection: Connection, name: str, way: str, issued: Issued, now: datetime | None) -> str:
    """The token of a new one; those that have expired are forgotten."""
    moment, token = now or datetime.now(UTC), secrets.token_urlsafe(TOKEN_BYTES)
    connection.execute("DELETE FROM half_sign_ins WHERE expires <= ?", [timestamp(moment)])
    connection.execute(
        "INSERT INTO half_sign_ins (token_hash, actor, way, expires, issued, issued_by) VALUES (?, ?, ?, ?, ?, ?)",
        [token_hash(token), name, way, timestamp(moment + LIFETIME), *issued],
    )
    return token


def find_within(connection: Connection, token: str, now: datetime | None = None) -> HalfSignIn | None:
    """Finds that of a token; None where there is none (any more)."""
    key = token_hash(token)
    query = "SELECT actor, way, issued, issued_by FROM half_sign_ins WHERE token_hash = ? AND expires > ?"
    row = connection.execute(query, [key, timestamp(now)]).fetchone()
    return None if row is None else HalfSignIn(key, row[0], row[1], (row[2], row[3]))


def end_within(connection: Connection, half: HalfSignIn) -> None:
    """It is a whole one now."""
    connection.execute("DELETE FROM half_sign_ins WHERE token_hash = ?", [half.key])
