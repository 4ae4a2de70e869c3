"""Traces of programs at a distance: replies to requests that may be repeated, and events of one's own plans."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from dprelease.errors import InputError
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.words import phrase

DAYS = timedelta(days=7)
"""Time for which a reply is given again."""
MOST = 100
"""Events in one answer."""
KINDS = (
    EventKind.PLAN_SUBMITTED,
    EventKind.PLAN_APPROVED,
    EventKind.PLAN_RETURNED,
    EventKind.PLAN_REMARKED,
    EventKind.REMARK_ANSWERED,
    EventKind.REMARK_SETTLED,
    EventKind.CHARGE,
    EventKind.PUBLISHED,
)
Reply = Mapping[str, Any]


class KeyReusedError(InputError):
    """One key came with two different requests."""


@dataclass(frozen=True, slots=True)
class RepeatableRequest:
    """A request that may be sent again with the same effect."""

    key: str
    """SHA-256 of its key."""
    content: str
    """SHA-256 of what it asks: address and body."""


def reply_within(connection: Connection, person: str, request: RepeatableRequest) -> Reply | None:
    """Return the reply that a request had; None where it is new. Raises KeyReusedError where the key had another."""
    query = "SELECT content, reply FROM replies WHERE person = ? AND key = ? AND created > ?"
    row = connection.execute(query, [person, request.key, _oldest()]).fetchone()
    if row is None:
        return None
    if row[0] != request.content:
        found, allowed = phrase("remote.key_of_another_request"), phrase("remote.key_of_this_request")
        raise KeyReusedError("Idempotency-Key", found=found, allowed=allowed)
    told: Reply = json.loads(row[1])
    return told


def reply(database: Database, person: str, request: RepeatableRequest) -> Reply | None:
    """Return what `reply_within` does, of the present state."""
    with database.reading() as connection:
        return reply_within(connection, person, request)


def keep_within(connection: Connection, person: str, request: RepeatableRequest, told: Reply) -> None:
    """Keep the reply in the transaction of what it tells of; old ones go."""
    connection.execute("DELETE FROM replies WHERE created <= ?", [_oldest()])
    values = [person, request.key, request.content, timestamp(), json.dumps(told)]
    connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?)", values)


def once(database: Database, person: str, request: RepeatableRequest, act: Callable[[], Reply]) -> tuple[Reply, bool]:
    """Do something with its reply in one transaction, unless it was done. Returns the reply, and True if it was."""
    with database.writing() as connection:
        found = reply_within(connection, person, request)
        if found is not None:
            return found, True
        told = act()
        keep_within(connection, person, request, told)
        return told, False


def events(database: Database, author: str, datasets: Collection[str], after: int) -> list[dict[str, Any]]:
    """Return events of an author's plans and releases, oldest first, without the first `after` of them.

    They are counted among themselves: numbers of the ledger would tell how much else happened.
    """
    query = (
        "SELECT kind, substr(at, 1, 19) || 'Z' AS at, coalesce(body ->> 'plan',"
        " (SELECT plan_id FROM releases WHERE releases.id = body ->> 'release')) AS plan, body ->> 'release' AS release"
        " FROM ledger INDEXED BY ledger_by_kind WHERE kind IN (SELECT value FROM json_each(?)) AND plan IN"
        " (SELECT id FROM plans WHERE author = ? AND dataset IN (SELECT value FROM json_each(?)))"
        " ORDER BY seq LIMIT ? OFFSET ?"
    )
    values = [json.dumps(KINDS), author, json.dumps(list(datasets)), MOST, after]
    with database.reading() as connection:
        return [{"number": after + place, **row} for place, row in enumerate(connection.query(query, values), 1)]


def _oldest() -> str:
    return timestamp(datetime.now(UTC) - DAYS)
