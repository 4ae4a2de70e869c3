"""Publications: from a charge to a sealed draw to a published release, each step once, across any crash."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from dprelease.errors import InputError, InternalError, NotFoundError
from dprelease.model.actor import WORKSPACE, Actor
from dprelease.model.calendar_entry import CalendarEntry
from dprelease.model.population import NAME
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import calendar
from dprelease.store.charging import charge, check_resumable
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind, LedgerEvent, read_event
from dprelease.store.ledger import append_within
from dprelease.store.plans import PlanRecord, PlanState, get_within
from dprelease.words import phrase

Enter = Callable[[Connection, LedgerEvent], Mapping[str, Any]]
"""Makes the entry of a release of the event that tells of its publication."""


EVENT = """
SELECT * FROM ledger INDEXED BY ledger_by_release
WHERE kind IN ('sealed', 'published') AND body ->> 'release' = ? AND kind = ?
"""
NO_DRAW = b"{}"
"""Content that is sealed of a release that is withheld, in the end."""


class ReleaseState(StrEnum):
    """`charged`: budget is spent, a draw may be made. `sealed`: the one draw that there will ever be is kept.

    `embargoed`: whole and signed, and not public before its hour. `cancelled`: embargoed, and never made public.
    `lost`: charged, and never drawn here, since another copy of the ledger may have drawn it.
    """

    CHARGED = "charged"
    SEALED = "sealed"
    EMBARGOED = "embargoed"
    PUBLISHED = "published"
    CANCELLED = "cancelled"
    LOST = "lost"


ENTERED = (ReleaseState.EMBARGOED, ReleaseState.PUBLISHED, ReleaseState.CANCELLED)
"""States of a release whose publication the ledger tells of."""
DONE = (ReleaseState.EMBARGOED, ReleaseState.PUBLISHED)
"""States in which nothing is left to do for who publishes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Progress of a release. Its sealed bytes are read by `payload`."""

    id: str
    plan_id: str
    state: ReleaseState
    charge: LedgerEvent
    certificate: str | None
    """JSON; None until it was made of the seal."""
    published_on: str | None
    """A day; None before publication."""
    sealed_on: str | None = None
    """The day of the draw; None before the seal."""
    entry: str | None = None
    """JSON: its line in the ledger with the checkpoint over it; None before publication."""
    due: str | None = None
    """Instant at which it becomes public, with its offset; None where that is at once."""


def begin(
    database: Database,
    plan_id: str,
    loss: PrivacyLoss,
    *,
    actor: Actor,
    slug: str,
    again: bool = False,
    body: Mapping[str, Any] | None = None,
    announced: CalendarEntry | None = None,
    kept: Callable[[Connection], None] | None = None,
) -> Publication:
    """Charge for a release of an approved plan, or find the one that has been charged for.

    An unpublished one is resumed; else a published one is returned, unless `again`. The charge is on disk when this
    returns. Two callers at once get the same publication. `body` joins the charge's event. With a `due` in the body
    nothing in its id can be guessed, and its line in the calendar is `announced`. `kept` writes beside the charge.

    Raises InsufficientBudgetError where it does not fit (the refusal is in the ledger), AccessError where the plan is
    not approved, PlanError where the dataset's rows were replaced since it was submitted, or where an unsealed
    release was charged another loss.
    """
    if not NAME.fullmatch(slug):
        raise InternalError(f"a release cannot be called {slug!r}")
    with database.writing(durable=True) as connection:
        plan = get_within(connection, plan_id)
        publication = _latest(connection, plan_id)
        if publication is not None and publication.state is ReleaseState.CHARGED:
            check_resumable(connection, get_within(connection, publication.plan_id), publication.charge, loss)
        if publication is not None and (publication.state not in DONE or not again):
            return publication
        outcome = charge(connection, plan, loss, actor, body or {})
        if isinstance(outcome, LedgerEvent):
            if kept is not None:
                kept(connection)
            return insert_within(connection, plan, outcome, slug, announced)
    raise outcome


def seal(
    database: Database, release_id: str, payload: bytes, *, on: str, actor: Actor, body: Mapping[str, Any] | None = None
) -> Publication:
    """Keep one draw and its day, before anything is computed from it. The first seal wins: another changes nothing.

    `body` joins the event's.
    """
    with database.writing(durable=True) as connection:
        publication = find_publication_within(connection, release_id)
        if publication.state is not ReleaseState.CHARGED:
            return publication
        connection.execute(
            "UPDATE releases SET state = ?, sealed = ?, sealed_on = ? WHERE id = ?",
            [ReleaseState.SEALED.value, payload, on, release_id],
        )
        connection.execute("DELETE FROM rounds WHERE release_id = ?", [release_id])
        _append(connection, EventKind.SEALED, publication, actor, body or {})
        return replace(publication, state=ReleaseState.SEALED, sealed_on=on)


def lose_within(connection: Connection) -> list[int]:
    """Give up each draw that was charged and not made, with the rounds of it; return the events of the charges.

    To be called where this ledger may be a copy: the other one may have drawn, and published, under the same charge.
    """
    connection.execute("UPDATE runs SET ended = 1 WHERE ended = 0")  # the other copy may have begun editions
    lost = connection.execute(
        "UPDATE releases SET state = 'lost' WHERE state = 'charged' RETURNING charge_seq"
    ).fetchall()
    connection.execute("DELETE FROM rounds")  # they are of releases that are charged
    return sorted(seq for (seq,) in lost)


def keep_round(database: Database, release_id: str, number: int, drawn: bytes) -> bytes | None:
    """Keep one round of a draw, before the next is made of it. The first wins: it is returned, whoever drew it.

    None where the draw is sealed by now. Raises InternalError where an earlier round is not kept.
    """
    with database.writing(durable=True) as connection:
        if find_publication_within(connection, release_id).state is not ReleaseState.CHARGED:
            return None
        kept = _round(connection, release_id, number)
        if kept is None:
            connection.execute("INSERT INTO rounds VALUES (?, ?, ?)", [release_id, number, drawn])
        return drawn if kept is None else kept


def kept_round(database: Database, release_id: str, number: int) -> bytes | None:
    """Return a round that was kept; None where there is none."""
    with database.reading() as connection:
        return _round(connection, release_id, number)


def _round(connection: Connection, release_id: str, number: int) -> bytes | None:
    row = connection.execute(
        "SELECT drawn FROM rounds WHERE release_id = ? AND number = ?", [release_id, number]
    ).fetchone()
    return None if row is None else bytes(row[0])


def certify(
    database: Database, release_id: str, certificate: str, *, withheld: bool, answers: bytes | None = None
) -> Publication:
    """Keep what a certificate says of a sealed draw; where the release is `withheld`, in place of the draw.

    `answers`: those that could not be made again of the draw byte by byte. The first certificate wins: another changes
    nothing. Raises InternalError before the seal.
    """
    with database.writing(durable=True) as connection:
        publication = find_publication_within(connection, release_id)
        if publication.state is ReleaseState.CHARGED:
            raise InternalError("a release was certified before it was sealed")
        if publication.certificate is not None:
            return publication
        connection.execute(
            "UPDATE releases SET certificate = ?, answers = ?, sealed = iif(?, ?, sealed) WHERE id = ?",
            [certificate, answers, withheld, NO_DRAW, release_id],
        )
    if withheld:
        database.empty_log()  # which holds the draw once more
    return replace(publication, certificate=certificate)


def publish(
    database: Database,
    release_id: str,
    *,
    on: str,
    body: Callable[[], Mapping[str, Any]] | None = None,
    enter: Enter | None = None,
    measured: Iterable[str] = (),
) -> Publication:
    """Record that a sealed release is public since the day `on`, or embargoed. Doing it again changes nothing.

    `body` joins the event's; `enter` makes the release's entry of the event. Both are asked inside the transaction.
    `measured`: a hash of what each statistic measures, by which a later plan of the same is found.
    The event becomes public with the release: it names nobody, while the charge says who published.
    """
    with database.writing(durable=True) as connection:
        publication = find_publication_within(connection, release_id)
        if publication.certificate is None:
            raise InternalError("a release was published before it was sealed and certified")
        if publication.state in ENTERED:
            return publication
        told = {"charge_hash": publication.charge.hash, "published_on": on, **(body() if body else {})}
        event = _append(connection, EventKind.PUBLISHED, publication, WORKSPACE, told)
        entry = None if enter is None else json.dumps(enter(connection, event), ensure_ascii=False)
        state = ReleaseState.PUBLISHED if publication.due is None else ReleaseState.EMBARGOED
        connection.execute(
            "UPDATE releases SET state = ?, published_on = ?, entry = ? WHERE id = ?",
            [state.value, on, entry, release_id],
        )
        connection.execute(
            "UPDATE plans SET state = ? WHERE id = ? AND state IN ('approved', 'published')",
            [PlanState.PUBLISHED.value, publication.plan_id],
        )
        for each in measured:
            connection.execute("INSERT OR REPLACE INTO measured VALUES (?, ?)", [each, publication.plan_id])
        return replace(publication, state=state, published_on=on, entry=entry)


def get(database: Database, release_id: str) -> Publication:
    """Return a publication. Raises InputError where there is no such release."""
    with database.reading() as connection:
        return find_publication_within(connection, release_id)


def publication_within(connection: Connection, release_id: str) -> LedgerEvent:
    """Return the event of a release's publication. Raises InputError where it is not published."""
    return _event(connection, release_id, EventKind.PUBLISHED)


def sealing(database: Database, release_id: str) -> LedgerEvent:
    """Return the event of a release's seal. Raises InputError where it is not sealed."""
    with database.reading() as connection:
        return _event(connection, release_id, EventKind.SEALED)


def _event(connection: Connection, release_id: str, kind: EventKind) -> LedgerEvent:
    for row in connection.query(EVENT, [release_id, kind.value]):
        return read_event(row)
    raise _unknown(release_id)


def payload(database: Database, release_id: str) -> bytes:
    """Return the sealed draw. Raises InputError where there is none."""
    found = _blob(database, "SELECT sealed FROM releases WHERE id = ?", release_id)
    if found is None:
        raise _unknown(release_id)
    return found


def kept_answers(database: Database, release_id: str) -> bytes | None:
    """Return those of a release's answers that were sealed beside the draw; None where there are none."""
    return _blob(database, "SELECT answers FROM releases WHERE id = ?", release_id)


def _blob(database: Database, query: str, release_id: str) -> bytes | None:
    with database.reading() as connection:
        row = connection.execute(query, [release_id]).fetchone()
    return None if row is None or row[0] is None else bytes(row[0])


def every(database: Database, state: ReleaseState | None = None) -> list[Publication]:
    """Return every publication (in one state), in the order of the charges."""
    with database.reading() as connection:
        where, arguments = ("state = ?", [state.value]) if state else (None, [])
        rows = connection["publications"].rows_where(where, arguments, order_by="charge_seq")
        return [read_publication(row) for row in rows]


def certificates(database: Database, *, after: int) -> list[tuple[int, str, str | None]]:
    """Return charge, id and certificate of each release charged after another one; None before it is certified."""
    query = "SELECT charge_seq, id, certificate FROM releases WHERE charge_seq > ? ORDER BY charge_seq"
    with database.reading() as connection:
        return [(seq, name, certificate) for seq, name, certificate in connection.execute(query, [after])]


def of_plan(database: Database, plan_id: str) -> list[Publication]:
    """Return the publications of a plan that are neither lost nor cancelled, in the order of the charges."""
    query = "SELECT * FROM publications WHERE plan_id = ? AND state NOT IN ('lost', 'cancelled') ORDER BY charge_seq"
    with database.reading() as connection:
        return [read_publication(row) for row in connection.query(query, [plan_id])]


def insert_within(
    connection: Connection, plan: PlanRecord, charge: LedgerEvent, slug: str, announced: CalendarEntry | None = None
) -> Publication:
    """Name the release by the hash of its charge, shortened as far as no other release has that name; at random where
    nobody may guess it before its hour.
    """
    due = charge.body.get("due")
    suffix = charge.hash if due is None else secrets.token_hex(32)
    names = (f"{slug}-{suffix[:length]}" for length in range(8 if due is None else 10, 65, 8))
    taken = "SELECT 1 FROM releases WHERE id = ?"
    release_id = next(name for name in names if not connection.execute(taken, [name]).fetchone())
    state = ReleaseState.CHARGED
    connection.execute(
        "INSERT INTO releases (id, plan_id, charge_seq, state, due) VALUES (?, ?, ?, ?, ?)",
        [release_id, plan.id, charge.seq, state.value, due],
    )
    if announced is not None:
        calendar.put_within(connection, announced, release_id)
    return Publication(
        id=release_id, plan_id=plan.id, state=state, charge=charge, certificate=None, published_on=None, due=due
    )


def _append(
    connection: Connection, kind: EventKind, publication: Publication, actor: Actor, body: Mapping[str, Any]
) -> LedgerEvent:
    return append_within(
        connection,
        kind,
        actor=actor.name,
        population=publication.charge.population,
        body={"release": publication.id, "charge": publication.charge.seq, **body},
        at=publication.charge.at,  # a time of its own would tell how long the rows took
    )


def find_publication_within(connection: Connection, release_id: str) -> Publication:
    """Return a publication. Raises InputError where there is no such release."""
    for row in connection.query("SELECT * FROM publications WHERE id = ?", [release_id]):
        return read_publication(row)
    raise _unknown(release_id)


def _latest(connection: Connection, plan_id: str) -> Publication | None:
    """Return the latest publication of a plan, not lost nor cancelled: no other begins before it is published."""
    where = "plan_id = ? AND state NOT IN ('lost', 'cancelled')"
    for row in connection["publications"].rows_where(where, [plan_id], order_by="charge_seq DESC", limit=1):
        return read_publication(row)
    return None


def _unknown(release_id: str) -> InputError:
    # The nearest id is not named: this answer may go to the public, and a release may not be published yet.
    return NotFoundError("release", found=release_id, allowed=phrase("store.id_release"))


def read_publication(row: Mapping[str, Any]) -> Publication:
    return Publication(
        id=row["id"],
        plan_id=row["plan_id"],
        state=ReleaseState(row["state"]),
        charge=read_event(row),
        certificate=row["certificate"],
        published_on=row["published_on"],
        sealed_on=row["sealed_on"],
        entry=row["entry"],
        due=row["due"],
    )
