"""Notices of a release after it was published: that another supersedes it, or what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.encoding import digest
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.words import phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRecord:
    """One statement about a release. The release itself stays as it is."""

    seq: int
    release_id: str
    kind: str
    """superseded, erratum or doi."""
    superseded_by: str | None
    text: str
    published_on: str
    statement: Mapping[str, Any]
    """Signed statement, with its signature."""


def add(
    database: Database,
    release_id: str,
    *,
    text: str,
    on: str,
    sign: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    actor: Actor,
    superseded_by: str | None = None,
    moved: Mapping[str, Any] | None = None,
    doi: str = "",
) -> NoticeRecord:
    """Write a notice; one that a release supersedes another only once. Raises InputError for unknown releases.

    `sign` turns what is said into a signed statement. `moved`: how much numbers moved to the release that supersedes.
    `doi`: under which it is registered from now on; said twice, it is one notice.
    """
    with database.writing(durable=True) as connection:
        for each in (release_id, *(() if superseded_by is None else (superseded_by,))):
            row = connection.execute("SELECT state, published_on FROM releases WHERE id = ?", [each]).fetchone()
            if row is None or row[0] != "published":
                raise InputError("release", found=each, allowed=phrase("store.id_published_release"))
            on = max(on, row[1])  # where the clock was put back since
        if release_id == superseded_by:
            raise InputError("by", found=superseded_by, allowed=phrase("store.another_release"))
        (population,) = connection.execute("SELECT population FROM publications WHERE id = ?", [release_id]).fetchone()
        kind = "doi" if doi else "erratum" if superseded_by is None else "superseded"
        same = "release_id = ? AND (superseded_by = ? OR (kind = 'doi' AND kind = ? AND text = ?))"
        for row in connection["notices"].rows_where(same, [release_id, superseded_by, kind, text]):
            return _read(row)
        said: dict[str, Any] = {"release": release_id, "text": text, "published_on": on}
        if superseded_by is not None:
            said |= {"by": superseded_by, "moved": dict(moved or {})}
        said |= {"doi": doi} if doi else {}
        event = append_within(connection, EventKind(kind), actor=actor.name, population=population, body=said)
        told = {"dprelease_notice": 1, "kind": kind, **said, "ledger": {"seq": event.seq, "hash": event.hash}}
        statement = sign(told)
        connection.execute(
            "INSERT INTO notices VALUES (?, ?, ?, ?, ?, ?, ?)",
            [event.seq, release_id, kind, superseded_by, text, on, json.dumps(statement, ensure_ascii=False)],
        )
        return NoticeRecord(
            seq=event.seq,
            release_id=release_id,
            kind=kind,
            superseded_by=superseded_by,
            text=text,
            published_on=on,
            statement=statement,
        )


def of_release(database: Database, release_id: str) -> list[NoticeRecord]:
    """Return the notices of a release, oldest first."""
    with database.reading() as connection:
        rows = connection["notices"].rows_where("release_id = ?", [release_id], order_by="seq")
        return [_read(row) for row in rows]


def digests_within(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Return, by release, the digest of each statement about it, oldest first: what a checkpoint commits to."""
    found: dict[str, tuple[str, ...]] = {}
    for release_id, text in connection.execute("SELECT release_id, statement FROM notices ORDER BY release_id, seq"):
        found[release_id] = (*found.get(release_id, ()), digest(json.loads(text)["statement"]))
    return found


def _read(row: Mapping[str, Any]) -> NoticeRecord:
    return NoticeRecord(**{**row, "statement": json.loads(row["statement"])})
