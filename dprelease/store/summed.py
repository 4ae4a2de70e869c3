"""Releases of rounds of federations: they stand on the charge of the round, and are sealed and certified at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.errors import InputError, IntegrityError
from dprelease.model.actor import Actor
from dprelease.store.charging import ROUND
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind, LedgerEvent, read_event
from dprelease.store.ledger import append_within
from dprelease.store.releases import Publication, ReleaseState, get, read_publication
from dprelease.words import phrase

BY_CHARGE = "SELECT * FROM publications WHERE charge_seq = ?"
BY_HASH = "SELECT * FROM ledger INDEXED BY ledger_by_kind WHERE kind = 'charge' AND hash = ?"
UNFINISHED = "SELECT id FROM releases WHERE plan_id = ? AND state IN ('charged', 'sealed')"
BEGIN = "INSERT INTO releases (id, plan_id, charge_seq, state) VALUES (?, ?, ?, 'charged')"
SEAL = "UPDATE releases SET state = 'sealed', sealed = ?, sealed_on = ? WHERE id = ?"
CERTIFY = "UPDATE releases SET certificate = ?, answers = ? WHERE id = ?"


def charge_of(database: Database, hash_: str) -> LedgerEvent:
    """Return the charge with a hash, which paid for a round. Raises IntegrityError where this ledger has none."""
    with database.reading() as connection:
        for row in connection.query(BY_HASH, [hash_]):
            event = read_event(row)
            if ROUND in event.body:
                return event
    raise IntegrityError(phrase("store.no_charge_of_round"))


def of_charge(database: Database, charge: LedgerEvent) -> Publication | None:
    """Return the release that stands on a charge, however far it came."""
    with database.reading() as connection:
        return _found(connection, charge)


def stand_on(
    database: Database,
    charge: LedgerEvent,
    release_id: str,
    *,
    payload: bytes,
    certificate: str,
    answers: bytes,
    on: str,
    actor: Actor,
    body: Mapping[str, Any],
) -> Publication:
    """Make the sum of a round a sealed, certified release, on the charge of the round: at once, or not at all.

    The first one stands: another changes nothing. `answers`: with the files of the round, which nobody could make
    again. `body` joins the event of the seal. Raises InputError where another release of the plan is not finished.
    """
    with database.writing(durable=True) as connection:
        if (known := _found(connection, charge)) is not None:
            return known
        plan_id = charge.body["round_plan"]
        for (unfinished,) in connection.execute(UNFINISHED, [plan_id]):
            allowed = phrase("store.finished_first")
            raise InputError("plan", found=phrase("store.unfinished_release", release=unfinished), allowed=allowed)
        connection.execute(BEGIN, [release_id, plan_id, charge.seq])
        connection.execute(SEAL, [payload, on, release_id])
        append_within(
            connection,
            EventKind.SEALED,
            actor=actor.name,
            population=charge.population,
            body={"release": release_id, "charge": charge.seq, **body},
            at=charge.at,
        )
        connection.execute(CERTIFY, [certificate, answers, release_id])
    found = get(database, release_id)
    assert found.state is ReleaseState.SEALED
    return found


def _found(connection: Connection, charge: LedgerEvent) -> Publication | None:
    for row in connection.query(BY_CHARGE, [charge.seq]):
        return read_publication(row)
    return None
