"""Embargoed releases: their hour, who asked to change it, who saw them before, and the step that makes them public."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from dprelease.errors import AccessError, InputError
from dprelease.model import instant
from dprelease.model.actor import WORKSPACE, Actor, Role
from dprelease.model.calendar_entry import CalendarEntry, EntryState
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import calendar
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.facts import WorkspaceMode, mode_within
from dprelease.store.ledger import append_within
from dprelease.store.releases import Publication, ReleaseState, read_publication
from dprelease.words import phrase

NOW = "now"
"""Hour of a release that is to be public at once."""
NEVER = ""
"""Hour of a release that is to be cancelled."""
RECENT = 100
"""Number of last events whose times are looked at: those of a draw carry the time of its charge."""


@dataclass(frozen=True, slots=True)
class HeldLoss:
    """Loss that a population has spent on releases that are not public yet."""

    population: str
    loss: PrivacyLoss
    releases: int

    def to_mapping(self) -> dict[str, Any]:
        return {"population": self.population, "loss": self.loss.to_mapping(), "releases": self.releases}


@dataclass(frozen=True, slots=True)
class SeenBefore:
    """Somebody who opened a release before it was public."""

    name: str
    at: str


def held(database: Database) -> list[HeldLoss]:
    """Return the loss of releases that wait for their hour, by population: charged, whether drawn by now or not.

    An edition of a run spends nothing by itself.
    """
    query = (
        "SELECT population, sum(epsilon_nano), sum(rho_nano), sum(delta_atto), count(*) FROM publications"
        " WHERE due IS NOT NULL AND kind = 'charge' AND publications.state IN ('charged', 'sealed', 'embargoed')"
        " GROUP BY population ORDER BY population"
    )
    with database.reading() as connection:
        rows = connection.execute(query).fetchall()
    return [
        HeldLoss(name, PrivacyLoss(epsilon_nano=epsilon, rho_nano=rho, delta_atto=delta), count)
        for name, epsilon, rho, delta, count in rows
    ]


def waiting(database: Database) -> list[Publication]:
    """Return the releases that wait for their hour, in the order of the ledger."""
    with database.reading() as connection:
        rows = connection["publications"].rows_where("state = 'embargoed'", order_by="charge_seq")
        return [read_publication(row) for row in rows]


def clock_behind(database: Database) -> str | None:
    """Return the time of the latest event where this machine's clock is behind it; None where it is not."""
    query = "SELECT max(at) FROM (SELECT at FROM ledger ORDER BY seq DESC LIMIT ?)"
    with database.reading() as connection:
        (last,) = connection.execute(query, [RECENT]).fetchone()
    return str(last) if last > timestamp(instant.present()) else None


def open_now(database: Database, release_id: str, move: Callable[[], object]) -> Publication | None:
    """Make an embargoed release public whose hour has come; None where it is not embargoed any more, or not due.

    `move` puts its folder among the public files, in the transaction: whoever cancels it comes before or too late. A
    crash after `move` leaves it public, and the next call tells of it.
    """
    with database.writing(durable=True) as connection:
        publication = _embargoed(connection, release_id)
        if publication is None or not is_due(publication):
            return None
        move()
        opened = instant.written(instant.present())
        seen = seen_within(connection, release_id)
        entry = calendar.of_release_within(connection, release_id)
        zone = instant.moment_of(entry.when).tzinfo
        entry = replace(
            entry,
            state=EntryState.OUT,
            release=release_id,
            opened=instant.written(instant.moment_of(opened).astimezone(zone)),
            seen=len(seen),
            seen_from=min((each.at for each in seen), default=""),
        )
        _append(connection, EventKind.OPENED, publication, WORKSPACE, {"due": publication.due, "late": entry.late})
        connection.execute("UPDATE releases SET state = 'published' WHERE id = ?", [release_id])
        _renew(connection, entry, release_id)
        return replace(publication, state=ReleaseState.PUBLISHED)


def is_due(publication: Publication) -> bool:
    """Return True if the hour of a release has come, by this machine's clock."""
    return publication.due is not None and instant.moment_of(publication.due) <= instant.present()


def change(database: Database, release_id: str, due: str, *, reason: str, actor: Actor) -> Publication | None:
    """Give an embargoed release another hour, NOW or NEVER among them. In a team one person asks for it (None), and it
    is carried out once another one, a reviewer, says the same.

    Raises InputError where it is not embargoed, or its hour has come; AccessError to a second person of another role.
    """
    with database.writing(durable=True) as connection:
        publication = _embargoed(connection, release_id)
        if publication is None or is_due(publication):
            raise InputError("release", found=release_id, allowed=phrase("store.embargoed_release"))
        told: dict[str, Any] = {"reason": reason, "asked_due": due}
        if mode_within(connection) is WorkspaceMode.TEAM:
            asked = _asked_by_another(connection, publication, due, actor)
            if asked is None:
                _append(connection, EventKind.EMBARGO_ASKED, publication, actor, told)
                return None
            if Role.REVIEWER not in actor.roles:
                raise AccessError(phrase("store.reviewer_changes_hour", name=actor.name))
            told |= {"asked": asked, **actor.access}
        entry = calendar.of_release_within(connection, release_id)
        if due == NEVER:
            seen = len(seen_within(connection, release_id))
            _append(connection, EventKind.EMBARGO_CANCELLED, publication, actor, told)
            connection.execute("UPDATE releases SET state = 'cancelled' WHERE id = ?", [release_id])
            entry = replace(entry, state=EntryState.CANCELLED, reason=reason, seen=seen)
            _renew(connection, entry, release_id)
            return replace(publication, state=ReleaseState.CANCELLED)
        zone = instant.moment_of(publication.due or due).tzinfo
        hour = instant.written(instant.present().astimezone(zone)) if due == NOW else due
        before = publication.due or ""
        _append(connection, EventKind.EMBARGO_CHANGED, publication, actor, {**told, "due": hour, "before": before})
        connection.execute("UPDATE releases SET due = ? WHERE id = ?", [hour, release_id])
        later = instant.moment_of(hour) > instant.moment_of(before)
        entry = replace(
            entry,
            when=hour,
            was=(*entry.was, before),
            state=EntryState.POSTPONED if later else EntryState.CONFIRMED,
            reason=reason,
        )
        _renew(connection, entry, release_id)
        return replace(publication, due=hour)


def see(database: Database, release_id: str, *, actor: Actor) -> None:
    """Note that somebody is about to see a release before it is public: once a person, committed before it is shown.

    Raises InputError where it is not embargoed.
    """
    with database.writing(durable=True) as connection:
        publication = _embargoed(connection, release_id)
        if publication is None:
            raise InputError("release", found=release_id, allowed=phrase("store.embargoed_release"))
        if actor.name not in {each.name for each in seen_within(connection, release_id)}:
            _append(connection, EventKind.SEEN_BEFORE, publication, actor, {})


def seen(database: Database, release_id: str) -> list[SeenBefore]:
    """Return who opened a release before it was public, first openings in order."""
    with database.reading() as connection:
        return seen_within(connection, release_id)


def seen_within(connection: Connection, release_id: str) -> list[SeenBefore]:
    query = (
        "SELECT actor, at FROM ledger INDEXED BY ledger_by_kind"
        " WHERE kind = 'seen_before' AND body ->> 'release' = ? ORDER BY seq"
    )
    return [SeenBefore(name, at) for name, at in connection.execute(query, [release_id])]


def asked(database: Database, release_id: str) -> list[Mapping[str, Any]]:
    """Return what somebody asked of the hour of a release since it last changed: who, which hour, and the reason."""
    with database.reading() as connection:
        return [
            {"by": name, "due": body["asked_due"], "reason": body["reason"]}
            for _, name, body in _asked(connection, release_id)
        ]


def _asked(connection: Connection, release_id: str) -> list[tuple[int, str, Mapping[str, Any]]]:
    query = (
        "SELECT seq, actor, kind, body FROM ledger INDEXED BY ledger_by_kind"
        " WHERE kind IN ('embargo_asked', 'embargo_changed') AND body ->> 'release' = ? ORDER BY seq"
    )
    found: list[tuple[int, str, Mapping[str, Any]]] = []
    for seq, name, kind, body in connection.execute(query, [release_id]):
        found = [*found, (seq, name, json.loads(body))] if kind == "embargo_asked" else []
    return found


def _asked_by_another(connection: Connection, publication: Publication, due: str, actor: Actor) -> int | None:
    """Return the last event by which somebody else asked for the same hour; None where nobody did."""
    found = _asked(connection, publication.id)
    return next((seq for seq, name, body in reversed(found) if name != actor.name and body["asked_due"] == due), None)


def _embargoed(connection: Connection, release_id: str) -> Publication | None:
    for row in connection["publications"].rows_where("id = ? AND state = 'embargoed'", [release_id]):
        return read_publication(row)
    return None


def _renew(connection: Connection, entry: CalendarEntry, release_id: str) -> None:
    changed = replace(entry, sequence=entry.sequence + 1, changed=instant.written(instant.present()))
    calendar.put_within(connection, changed, release_id)


def _append(
    connection: Connection, kind: EventKind, publication: Publication, actor: Actor, body: Mapping[str, Any]
) -> None:
    append_within(
        connection,
        kind,
        actor=actor.name,
        population=publication.charge.population,
        body={"release": publication.id, "charge": publication.charge.seq, **body},
    )
