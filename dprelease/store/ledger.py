"""The append-only, hash-chained log of all events; its charges spend the budgets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from string import ascii_lowercase, ascii_uppercase
from typing import Any, TypedDict, Unpack

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
TOLD = """
(instr(lower(kind), :text) OR instr(lower(actor), :text) OR instr(lower(coalesce(population, '')), :text)
OR instr(lower(body), :text) OR body ->> 'plan' IN (SELECT id FROM plans WHERE instr(lower(plan ->> 'title'), :text)))
"""
"""Condition that an event, or the title of its plan, holds a text; letters beyond ASCII as they are written."""
FOLD = """
CASE WHEN kind IN (SELECT value FROM json_each(:folded)) THEN json_array(substr(at, 1, 10), actor, population)
ELSE seq END
"""
"""Value that events have in common that are told as one: of certain kinds, of one day, person and population."""
LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
"""Translation to lower case as by `lower` of SQLite."""


class EventFilter(TypedDict, total=False):
    """Filter of events: those that meet all conditions; every event where there is none."""

    kinds: Iterable[EventKind]
    person: str | None
    since: date | None
    until: date | None
    """A day, itself included."""
    text: str
    folded: Iterable[EventKind]
    """Kinds of which only the last event of each day, person and population is meant."""


def append(
    database: Database,
    kind: EventKind,
    *,
    actor: Actor,
    population: str | None = None,
    body: Mapping[str, Any] | None = None,
) -> LedgerEvent:
    """Write an event that spends nothing."""
    if kind is EventKind.CHARGE:
        raise InternalError("a charge was appended without its price")
    with database.writing() as connection:
        return append_within(connection, kind, actor=actor.name, population=population, body=body or {})


def charge(
    database: Database, population: str, loss: PrivacyLoss, *, actor: Actor, body: Mapping[str, Any] | None = None
) -> LedgerEvent:
    """Spend budget. When this returns, the charge is on disk; nothing takes it back.

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
    limit: int | None = None,
    offset: int = 0,
    newest_first: bool = False,
    **wanted: Unpack[EventFilter],
) -> list[LedgerEvent]:
    """Return the events of a population, or of all and of none, that are looked for."""
    with database.reading() as connection:
        seqs = _seqs(connection, population, wanted, limit=limit, offset=offset, newest_first=newest_first)
        return _read(connection, seqs, newest_first=newest_first)


def count(database: Database, *, population: str | None = None, **wanted: Unpack[EventFilter]) -> int:
    """Return the number of events."""
    source, arguments = _source(population, wanted)
    counted = f"DISTINCT {FOLD}" if "folded" in arguments else "*"
    with database.reading() as connection:
        row: tuple[int] = connection.execute(f"SELECT count({counted}) {source}", arguments).fetchone()
    return row[0]


def actors(database: Database) -> list[str]:
    """Return everybody of whom some event tells, in alphabetical order."""
    with database.reading() as connection:
        return [name for (name,) in connection.execute("SELECT DISTINCT actor FROM ledger ORDER BY actor")]


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
    """Write an event in the transaction of the change that it tells of. `at`: another time than now."""
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
    """Write a charge, or else a refusal.

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
    """Return the columns of a loss as in the table; None in each where there is no population."""
    names = ("epsilon_nano", "rho_nano", "delta_atto")
    return {f"{prefix}{name}": None if loss is None else getattr(loss, name) for name in names}


def _source(population: str | None, wanted: EventFilter) -> tuple[str, dict[str, str | int]]:
    """Return where to find the events, in literal SQL and its arguments. Either index holds all that it names."""
    since, until = wanted.get("since"), wanted.get("until")
    asked = {
        "population": ("population = :population", population),
        "person": ("actor = :person", wanted.get("person")),
        "since": ("at >= :since", None if since is None else since.isoformat()),
        "until": ("at < :until || 'U'", None if until is None else until.isoformat()),  # its times go on with a T
        "text": (TOLD, wanted.get("text", "").strip().translate(LOWER) or None),
    }
    values: dict[str, str | int] = {name: value for name, (_, value) in asked.items() if value is not None}
    tests, source = [asked[name][0] for name in values], "FROM ledger"
    if kinds := [str(kind) for kind in wanted.get("kinds", ())]:
        # Left to itself, SQLite takes the index by population and reads every event of it.
        source += " INDEXED BY ledger_by_kind"
        tests.insert(0, "kind IN (SELECT value FROM json_each(:kinds))")
        values["kinds"] = json.dumps(kinds)
    if folded := [str(kind) for kind in wanted.get("folded", ())]:
        values["folded"] = json.dumps(folded)
    return f"{source} WHERE {' AND '.join(tests)}" if tests else source, values


def _seqs(
    connection: Connection,
    population: str | None,
    wanted: EventFilter,
    *,
    limit: int | None = None,
    offset: int = 0,
    newest_first: bool = False,
) -> list[int]:
    """Return numbers of events, from an index alone where it can be, so that one page of a million is found quickly."""
    source, arguments = _source(population, wanted)
    order = "DESC" if newest_first else "ASC"
    found = f"max(seq) AS found {source} GROUP BY {FOLD}" if "folded" in arguments else f"seq AS found {source}"
    rows = connection.execute(
        f"SELECT {found} ORDER BY found {order} LIMIT :limit OFFSET :offset",
        {**arguments, "limit": -1 if limit is None else limit, "offset": offset},
    )
    return [seq for (seq,) in rows]


def _read(connection: Connection, seqs: list[int], *, newest_first: bool = False) -> list[LedgerEvent]:
    if not seqs:
        return []
    query = "SELECT * FROM ledger WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq"
    rows = connection.query(f"{query} DESC" if newest_first else query, [json.dumps(seqs)])
    return [read_event(row) for row in rows]
