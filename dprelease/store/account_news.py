"""News of a person's own account at the next sign-in: resets, roles, passwords, tokens, other sign-ins."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database

KEPT = timedelta(days=400)
MOST = 30
"""Most news listed, the newest first."""
RESET = "reset"
GUESSED = "guessed"
"""Somebody tries passwords or codes of the person in `detail`, and has to wait: told to administrators."""


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """One thing that happened to an account."""

    id: int
    at: str
    kind: str
    """`reset`, `roles`, `password`, `enabled`, `token`, `sign_in`, `guessed`, or what an event of second factors is."""
    by_whom: str | None
    """None where it was done as the person."""
    detail: str
    """The roles, label of a token, way of a sign-in, whose password is guessed, how many recovery codes are left."""
    session: str | None = field(repr=False)
    seen: str | None


def tell_within(
    connection: Connection, person: str, kind: str, *, by: str = "", detail: str = "", session: str | None = None
) -> None:
    """Note what a person is to be told, but in the session that did it; what is old is forgotten."""
    now = datetime.now(UTC)
    connection.execute("DELETE FROM account_news WHERE at < ?", [timestamp(now - KEPT)])
    connection.execute(
        "INSERT INTO account_news (person, at, kind, by_whom, detail, session) VALUES (?, ?, ?, ?, ?, ?)",
        [person, timestamp(now), kind, by if by != person and by else None, detail, session],
    )


def of_person(database: Database, person: str) -> list[News]:
    """Return what counts most first: a reset that nobody was told of, however much was done since; then the newest."""
    query = (
        "SELECT id, at, kind, by_whom, detail, session, seen FROM account_news WHERE person = ?"
        " ORDER BY seen IS NULL AND kind = 'reset' DESC, seen IS NULL AND kind <> 'sign_in' DESC, id DESC LIMIT ?"
    )
    with database.reading() as connection:
        return [News(**row) for row in connection.query(query, [person, MOST])]


def see(database: Database, person: str, *, up_to: int, but_resets_by: str | None = None) -> None:
    """Note that a person was told everything up to one of them, except resets by an administrator."""
    with database.writing() as connection:
        connection.execute(
            "UPDATE account_news SET seen = ? WHERE person = ? AND id <= ? AND seen IS NULL"
            " AND NOT (kind = 'reset' AND by_whom IS NOT NULL AND by_whom IS ?)",
            [timestamp(), person, up_to, but_resets_by],
        )
