"""Lines of the public calendar: those of a release change with its events, the others as the office says."""

from __future__ import annotations

import json

from dprelease.errors import InputError
from dprelease.model.calendar_entry import CalendarEntry
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.words import phrase


def every(database: Database) -> list[CalendarEntry]:
    """Return all lines, in the order of time."""
    with database.reading() as connection:
        rows = connection.execute("SELECT entry FROM calendar").fetchall()
    return sorted((CalendarEntry.read(json.loads(text)) for (text,) in rows), key=lambda each: (each.order, each.uid))


def unlinked(database: Database) -> list[CalendarEntry]:
    """Return the lines that are of no sealed release, in the order of time."""
    with database.reading() as connection:
        taken = {uid for (uid,) in connection.execute("SELECT uid FROM calendar WHERE release_id IS NOT NULL")}
    return [each for each in every(database) if each.uid not in taken]


def get(database: Database, uid: str) -> tuple[CalendarEntry, str | None]:
    """Return a line and the release that it is of, if it is. Raises InputError where there is none."""
    with database.reading() as connection:
        row = connection.execute("SELECT entry, release_id FROM calendar WHERE uid = ?", [uid]).fetchone()
    if row is None:
        raise InputError("uid", found=uid, allowed=phrase("store.uid_of_calendar"))
    return CalendarEntry.read(json.loads(row[0])), row[1]


def of_release_within(connection: Connection, release_id: str) -> CalendarEntry:
    """Return the line of an embargoed release."""
    (text,) = connection.execute("SELECT entry FROM calendar WHERE release_id = ?", [release_id]).fetchone()
    return CalendarEntry.read(json.loads(text))


def put(database: Database, entry: CalendarEntry) -> None:
    """Keep a line of no release, in place of the one of the same uid."""
    with database.writing() as connection:
        put_within(connection, entry)


def put_within(connection: Connection, entry: CalendarEntry, release_id: str | None = None) -> None:
    text = json.dumps(entry.to_mapping(), ensure_ascii=False)
    connection.execute(
        "INSERT INTO calendar VALUES (?, ?, ?) ON CONFLICT (uid) DO UPDATE SET"
        " entry = excluded.entry, release_id = coalesce(excluded.release_id, release_id)",
        [entry.uid, release_id, text],
    )
