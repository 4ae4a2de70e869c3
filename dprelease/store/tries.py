"""Tries of a password or a code: how many somebody may have, and how many failed on which day.

Five wrong ones in a row, then each further one doubles a wait. Failures are counted by day and name, beside the ledger:
a stranger makes nothing grow for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.words import phrase

FREE_FAILURES = 5
"""Wrong ones in a row before somebody has to wait."""
LONGEST_WAIT = timedelta(hours=1)
REFUSED = phrase("store.name_password_do_fit")
"""One text for every reason, so that it tells nothing of who has an account."""
KEPT = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Try:
    """A try that counts as a wrong one until it has turned out right, so that many at a time are no more than one."""

    name: str
    until: str | None
    """How long it lets somebody wait, if it is wrong."""
    before: str | None
    """The same before it."""


def take_within(connection: Connection, name: str, moment: datetime) -> Try | None:
    """A try of somebody; None where they have to wait, or where nobody is called that."""
    row = connection.execute("SELECT locked_until, failures FROM people WHERE name = ?", [name]).fetchone()
    if row is None or (row[0] is not None and timestamp(moment) < row[0]):
        return None
    failures = row[1] + 1
    until = row[0]
    if failures >= FREE_FAILURES:
        wait = min(timedelta(minutes=2 ** min(failures - FREE_FAILURES, 10)), LONGEST_WAIT)
        until = timestamp(moment + wait)
    connection.execute("UPDATE people SET failures = ?, locked_until = ? WHERE name = ?", [failures, until, name])
    return Try(name, until, row[0])


def give_back_within(connection: Connection, tried: Try) -> None:
    """A password was right and its code is still to come: neither a wrong try nor the end of the wrong ones before.

    Else a known password would give new tries of the code for ever. A wait that another try set meanwhile stays.
    """
    connection.execute("UPDATE people SET failures = failures - 1 WHERE name = ? AND failures > 0", [tried.name])
    connection.execute(
        "UPDATE people SET locked_until = ? WHERE name = ? AND locked_until IS ?",
        [tried.before, tried.name, tried.until],
    )


def clear_within(connection: Connection, name: str) -> None:
    """Somebody has shown who they are: what was wrong before is forgotten."""
    connection.execute("UPDATE people SET failures = 0, locked_until = NULL WHERE name = ?", [name])


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
    """Returns those of the last 90 days, the newest first."""
    query = "SELECT day, name, way, count FROM sign_in_failures ORDER BY day DESC, name, way"
    with database.reading() as connection:
        return [Failures(*row) for row in connection.execute(query)]
