"""Wrong passwords and codes: who has to wait after how many, and how many there were on which day.

They are counted by where they come from. Each session has a count of its own, so that no stranger keeps anybody from
confirming. Each address has one, for each name. A third counts all addresses together from which the person never
signed in: who guesses from many addresses waits too, and the person, at an address of theirs, does not.

All of it stands beside the ledger and is forgotten with time: a stranger makes nothing grow for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from dprelease.model.actor import Actor, Role
from dprelease.store import account_news
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.words import phrase

FREE_FAILURES = 5
"""Wrong ones in a row from one session or one address before it has to wait."""
FREE_ELSEWHERE = 20
"""Wrong ones for a name from all addresses together from which its person never signed in."""
ELSEWHERE = "elsewhere"
"""Place of the count of all those addresses."""
LONGEST_WAIT = timedelta(hours=1)
FORGOTTEN = timedelta(days=1)
"""After the last try from somewhere."""
REFUSED = phrase("store.name_password_do_fit")
"""One text for every reason, so that it tells nothing of who has an account."""
KEPT = timedelta(days=90)
"""Time for which failures of a day are kept, and that somebody signed in from an address."""


@dataclass(frozen=True, slots=True)
class Guesser:
    """Origin of a try."""

    place: str
    stranger: bool

    @staticmethod
    def within(actor: Actor) -> Guesser:
        """Return the origin of a try by somebody in a session, or in the terminal."""
        return Guesser("terminal" if actor.session is None else f"session {actor.session.key}", stranger=False)

    @staticmethod
    def at(address: str) -> Guesser:
        """Return the origin of a try by somebody of whom an address alone is known."""
        return Guesser(f"address {address}", stranger=True)


@dataclass(frozen=True, slots=True)
class TryCount:
    """One of the counts in which a try stands."""

    place: str
    until: str | None
    """Time until which its place has to wait, if the try is wrong."""
    before: str | None
    """The same before it."""


@dataclass(frozen=True, slots=True)
class Try:
    """A try that counts as a wrong one until it has turned out right, so that many at a time are no more than one."""

    name: str
    moment: datetime
    own: TryCount
    elsewhere: TryCount | None
    """The count of all unknown addresses, where it comes from one of them."""

    @property
    def locks(self) -> bool:
        """True if somebody has to wait after the try, if it is wrong."""
        return self.own.until is not None or (self.elsewhere is not None and self.elsewhere.until is not None)


def take_within(connection: Connection, name: str, guesser: Guesser, moment: datetime) -> Try | None:
    """Return a try of a password or code of somebody who is known here; None where whoever tries has to wait."""
    old = "DELETE FROM tries WHERE last < ? AND (known IS NULL OR known < ?)"
    connection.execute(old, [timestamp(moment - FORGOTTEN), timestamp(moment - KEPT)])
    query = "SELECT known FROM tries WHERE name = ? AND place = ?"
    row = connection.execute(query, [name, guesser.place]).fetchone()
    unknown = guesser.stranger and (row is None or row[0] is None)
    places = [(guesser.place, FREE_FAILURES), *([(ELSEWHERE, FREE_ELSEWHERE)] if unknown else [])]
    found = [_after_one_more(connection, name, place, free, moment) for place, free in places]
    if any(count.before is not None and timestamp(moment) < count.before for count, _ in found):
        return None
    for count, failures in found:
        connection.execute(
            "INSERT INTO tries (name, place, failures, locked_until, last) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (name, place) DO UPDATE SET failures = excluded.failures,"
            " locked_until = excluded.locked_until, last = excluded.last",
            [name, count.place, failures, count.until, timestamp(moment)],
        )
    return Try(name, moment, found[0][0], found[1][0] if unknown else None)


def _after_one_more(connection: Connection, name: str, place: str, free: int, moment: datetime) -> tuple[TryCount, int]:
    """Return a count with one more wrong try: each from the last free one on doubles the wait."""
    query = "SELECT failures, locked_until FROM tries WHERE name = ? AND place = ?"
    failures, before = connection.execute(query, [name, place]).fetchone() or (0, None)
    failures, until = failures + 1, before
    if failures >= free:
        until = timestamp(moment + min(timedelta(minutes=2 ** min(failures - free, 10)), LONGEST_WAIT))
    return TryCount(place, until, before), failures


def give_back_within(connection: Connection, tried: Try) -> None:
    """Give back the try of a right password whose code is still to come: no wrong try, nor the end of those before.

    Else a known password would give new tries of the code for ever. A wait that another try set meanwhile stays.
    """
    for count in (tried.own, tried.elsewhere):
        if count is not None:
            _give_back(connection, tried.name, count)


def _give_back(connection: Connection, name: str, count: TryCount) -> None:
    one_less = "UPDATE tries SET failures = failures - 1 WHERE name = ? AND place = ? AND failures > 0"
    connection.execute(one_less, [name, count.place])
    connection.execute(
        "UPDATE tries SET locked_until = ? WHERE name = ? AND place = ? AND locked_until IS ?",
        [count.before, name, count.place, count.until],
    )


def succeed_within(connection: Connection, tried: Try) -> None:
    """Forget wrong tries from the place of somebody who has shown who they are, and note that the place is known.

    What strangers tried elsewhere still counts against them.
    """
    connection.execute(
        "UPDATE tries SET failures = 0, locked_until = NULL, known = ? WHERE name = ? AND place = ?",
        [timestamp(tried.moment), tried.name, tried.own.place],
    )
    if tried.elsewhere is not None:
        _give_back(connection, tried.name, tried.elsewhere)


def forget_within(connection: Connection, name: str) -> None:
    """Forget every try for a name and every address of its person, whose sign-in is reset."""
    connection.execute("DELETE FROM tries WHERE name = ?", [name])


def fail_within(connection: Connection, name: str, way: str, tried: Try | None) -> None:
    """Count a failure of today; where somebody has to wait since this try, administrators are told, once a day."""
    note_within(connection, name, way)
    if tried is None or not tried.locks:
        return
    since = timestamp(tried.moment - FORGOTTEN)
    query = (
        "SELECT name FROM people, json_each(people.roles) AS role WHERE role.value = ? AND disabled IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM account_news"
        " WHERE person = people.name AND kind = ? AND detail = ? AND at > ?)"
    )
    values = [Role.ADMINISTRATOR, account_news.GUESSED, name, since]
    for (administrator,) in connection.execute(query, values).fetchall():
        account_news.tell_within(connection, administrator, account_news.GUESSED, detail=name)


@dataclass(frozen=True, slots=True)
class Failures:
    """Number of failures of signing in on a day."""

    day: str
    name: str
    """Empty where nobody here is called that: what was typed may have been a password."""
    way: str
    """password, code or provider."""
    count: int


def note_within(connection: Connection, name: str, way: str) -> None:
    """Count one more failure of signing in, and forget what is old."""
    today = datetime.now(UTC).date()
    connection.execute("DELETE FROM sign_in_failures WHERE day < ?", [(today - KEPT).isoformat()])
    connection.execute(
        "INSERT INTO sign_in_failures VALUES (?, ?, ?, 1) ON CONFLICT (day, name, way) DO UPDATE SET count = count + 1",
        [today.isoformat(), name, way],
    )


def note(database: Database, name: str, way: str) -> None:
    """Count one more failure of signing in."""
    with database.writing() as connection:
        note_within(connection, name, way)


def every(database: Database) -> list[Failures]:
    """Return the failures of the last 90 days, the newest first."""
    query = "SELECT day, name, way, count FROM sign_in_failures ORDER BY day DESC, name, way"
    with database.reading() as connection:
        return [Failures(*row) for row in connection.execute(query)]
