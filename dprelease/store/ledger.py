"""The append-only, hash-chained log of all events; its charges spend the budgets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from dprelease.errors import InsufficientBudgetError, InternalError
from dprelease.model.actor import Actor
from dprelease.model.encoding import canonical
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.store.account import account_within, loss_text, spent_before
from dprelease.store.chain import GENESIS, INSERT, event_hash, new_salt
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind, LedgerEvent, read_event

NOTHING = PrivacyLoss()


def append(
    database: Database,
    kind: EventKind,
    *,
    actor: Actor,
    population: str | None = None,
    body: Mapping[str, Any] | None = None,
) -> LedgerEvent:
    """Writes an event that spends nothing."""
    if kind is EventKind.CHARGE:
        raise InternalError("a charge was appended without its price")
    with database.writing() as connection:
        return append_within(connection, kind, actor=actor.name, population=population, body=body or {})


def charge(
    database: Database, population: str, loss: PrivacyLoss, *, actor: Actor, body: Mapping[str, Any] | None = None
) -> LedgerEvent:
    """Spends budget. When this returns, the charge is on disk; nothing takes it back.

    Raises InsufficientBudgetError where it does not fit, and then the refusal is in the ledger.
    """
    with database.writing(durable=True) as connection:
        outcome = charge_within(connection, population, loss, actor=actor.name, body=body or {})
    if isinstance(outcome, InsufficientBudgetError):
        raise outcome
    return outcome


def events(
    database: Database,
    *,
    population: str | None = None,
    kinds: Iterable[EventKind] = (),
    limit: int | None = None,
    offset: int = 0,
    newest_first: bool = False,
) -> list[LedgerEvent]:
    """The events of a population (or of all and of none) and of some kinds (or of all)."""
    with database.reading() as connection:
        seqs = _seqs(connection, population, kinds, limit=limit, offset=offset, newest_first=newest_first)
        return _read(connection, seqs, newest_first=newest_first)


def count(database: Database, *, population: str | None = None, kinds: Iterable[EventKind] = ()) -> int:
    """Tells how many events there are."""
    source, arguments = _meant(population, kinds)
    with database.reading() as connection:
        row: tuple[int] = connection.execute(f"SELECT count(*) {source}", arguments).fetchone()
    return row[0]


def append_within(
    connection: Connection,
    kind: EventKind,
    *,
    actor: str,
    population: str | None = None,
    body: Mapping[str, Any],
    loss: PrivacyLoss = NOTHING,
    at: str | None = None,
) -> LedgerEvent:
    """Writes an event in the transaction of the change that it tells of. `at`: another time than now."""
    last = connection.execute("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1").fetchone()
    seq, previous_hash = (last[0] + 1, last[1]) if last else (1, GENESIS)
    spent_by_now, charges = None, None
    if population is not None:
        before, charges = spent_before(connection, population)
        spent_by_now, charges = before + loss, charges + (kind is EventKind.CHARGE)
    try:
        text = canonical(body).decode()
    except ValueError as cause:
        raise InternalError(f"the body of a {kind} event is not JSON: {cause}") from cause
    row: dict[str, Any] = {
        "seq": seq,
        "at": at or timestamp(),
        "actor": actor,
        "population": population,
        "kind": str(kind),
        "body": text,
        **_columns("", loss),
        **_columns("spent_", spent_by_now),
        "charges": charges,
        "previous_hash": previous_hash,
        "salt": new_salt(),
    }
    row["hash"] = event_hash(**row)
    connection.execute(INSERT, row)
    return read_event(row)


def charge_within(
    connection: Connection, population: str, loss: PrivacyLoss, *, actor: str, body: Mapping[str, Any]
) -> LedgerEvent | InsufficientBudgetError:
    """Writes a charge, or else a refusal.

    The error is returned, not raised, so that the caller can commit the refusal before raising it.
    """
    if min(loss.epsilon_nano, loss.rho_nano, loss.delta_atto) < 0 or loss == NOTHING:
        raise InternalError(f"a charge of {loss}")
    account = account_within(connection, population)
    if loss.rho_nano if account.currency is Currency.PURE else loss.epsilon_nano:
        raise InternalError(f"a charge of {loss} to a population that counts in {account.currency}")
    if account.covers(loss):
        told = {**body, **account.in_force}
        return append_within(connection, EventKind.CHARGE, actor=actor, population=population, body=told, loss=loss)
    refusal = {
        **body,
        "requested": loss.to_mapping(),
        "remaining": account.remaining.to_mapping(),
    }
    append_within(connection, EventKind.SPEND_REFUSED, actor=actor, population=population, body=refusal)
    return InsufficientBudgetError(
        population, requested=loss_text(loss, account.currency), remaining=account.remaining_text
    )


def _columns(prefix: str, loss: PrivacyLoss | None) -> dict[str, int | None]:
    """As in the table; nothing where there is no population."""
    names = ("epsilon_nano", "rho_nano", "delta_atto")
    return {f"{prefix}{name}": None if loss is None else getattr(loss, name) for name in names}


def _meant(population: str | None, kinds: Iterable[EventKind]) -> tuple[str, list[str]]:
    """Where to find the chosen events, in literal SQL and its arguments. Either index holds all that it names."""
    chosen = [str(kind) for kind in kinds]
    if not chosen:
        return ("FROM ledger", []) if population is None else ("FROM ledger WHERE population = ?", [population])
    # Left to itself, SQLite takes the index by population and reads every event of it.
    source = "FROM ledger INDEXED BY ledger_by_kind WHERE kind IN (SELECT value FROM json_each(?))"
    if population is None:
        return source, [json.dumps(chosen)]
    return f"{source} AND population = ?", [json.dumps(chosen), population]


def _seqs(
    connection: Connection,
    population: str | None,
    kinds: Iterable[EventKind],
    *,
    limit: int | None = None,
    offset: int = 0,
    newest_first: bool = False,
) -> list[int]:
    """Found in an index alone, so that a page of a million events is found quickly."""
    source, arguments = _meant(population, kinds)
    order = "DESC" if newest_first else "ASC"
    rows = connection.execute(
        f"SELECT seq {source} ORDER BY seq {order} LIMIT ? OFFSET ?",
        [*arguments, -1 if limit is None else limit, offset],
    )
    return [seq for (seq,) in rows]


def _read(connection: Connection, seqs: list[int], *, newest_first: bool = False) -> list[LedgerEvent]:
    if not seqs:
        return []
    query = "SELECT * FROM ledger WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq"
    rows = connection.query(f"{query} DESC" if newest_first else query, [json.dumps(seqs)])
    return [read_event(row) for row in rows]
