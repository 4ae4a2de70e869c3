"""Sign-ins that failed, counted by day and name, beside the ledger: a stranger makes nothing grow for ever."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from dprelease.store.connection import Connection
from dprelease.store.database import Database

KEPT = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Failures:
    """How often signing in failed on a day."""

    day: str
    name: str
    """Empty where nobody here is called that: what was typed may have been a password."""
    way: str
    """password, code or provider."""
    count: int


def note_within(connection: Connection, name: str, way: str) -> None:
    """Counts one more, and forgets what is old."""
    today = datetime.now(UTC).date()
    connection.execute("DELETE FROM sign_in_failures WHERE day < ?", [(today - KEPT).isoformat()])
    connection.execute(
        "INSERT INTO sign_in_failures VALUES (?, ?, ?, 1) ON CONFLICT (day, name, way) DO UPDATE SET count = count + 1",
        [today.isoformat(), name, way],
    )


def note(database: Database, name: str, way: str) -> None:
    """Counts one more."""
    with database.writing() as connection:
        note_within(connection, name, way)


def every(database: Database) -> list[Failures]:
    """Of the last 90 days, the newest first."""
    query = "SELECT day, name, way, count FROM sign_in_failures ORDER BY day DESC, name, way"
    with database.reading() as connection:
        return [Failures(*row) for row in connection.execute(query)]
