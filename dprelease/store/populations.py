"""The registered populations: who they are does not change; what they may spend is raised or renewed by events."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dprelease.errors import InputError, InternalError
from dprelease.model.actor import Actor
from dprelease.model.population import Overlap, Population
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.store.account import Account, account_within
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.facts import WorkspaceMode, check_second_person, mode_within
from dprelease.store.ledger import append_within
from dprelease.store.registered import (
    all_registered_within,
    population_within,
    registered_within,
)
from dprelease.store.runs import open_within
from dprelease.words import phrase, verbatim

OVERLAP = "overlap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Request that waits for a second person, or was decided by one."""

    id: int
    kind: str
    """population, cap, period, or overlap: that two populations share no unit."""
    population: str
    body: Mapping[str, Any]
    author: str
    created: str
    state: str
    """open, approved or returned."""
    decided_by: str | None
    decided: str | None
    comment: str | None


def add(
    database: Database,
    population: Population,
    *,
    actor: Actor,
    overlaps: Mapping[str, Overlap] | None = None,
    earlier_releases: Sequence[str] = (),
) -> Population:
    """Register a population; in a team, ask for it. Raises InputError where the name is taken."""
    if (population.rho_nano > 0) != (population.currency is Currency.ZCDP):
        raise InternalError(f"a population in {population.currency} with a cap of ρ = {population.rho_nano} nano")
    body = {
        "population": population.to_mapping(),
        "overlaps": {other: overlap.value for other, overlap in (overlaps or {}).items()},
        "earlier_releases": list(earlier_releases),
    }
    with database.writing() as connection:
        _check_name(connection, population.name)
        for other in body["overlaps"]:
            registered_within(connection, other)
        _decide_or_ask(connection, "population", population.name, body, actor)
    return population


def raise_cap(database: Database, population: Population, *, reason: str, actor: Actor) -> None:
    """Raise the cap in force to that of `population`; in a team, ask for it. Raises InputError where it is lower."""
    with database.writing() as connection:
        now = population_within(connection, population.name)
        if not (now.cap.within(population.cap) and now.budget.within(population.budget)) or now.cap == population.cap:
            raise InputError(
                "cap",
                found=verbatim(str(population.cap)),
                allowed=phrase("store.more_than_cap_raised", cap=now.cap),
            )
        body = {**_cap_body(population), "reason": reason}
        _decide_or_ask(connection, "cap", population.name, body, actor)


def open_period(database: Database, population: Population, *, reason: str, actor: Actor) -> None:
    """Open the period that `population` names, with its cap; in a team, ask for it."""
    with database.writing() as connection:
        registered_within(connection, population.name)
        taken = "SELECT 1 FROM caps WHERE population = ? AND period = ?"
        if connection.execute(taken, [population.name, population.period]).fetchone():
            allowed = phrase("store.name_no_period_population")
            raise InputError("period", found=population.period, allowed=allowed)
        _check_no_run(connection, population.name)
        body = {**_cap_body(population), "period": population.period, "reason": reason}
        _decide_or_ask(connection, "period", population.name, body, actor)


def _check_no_run(connection: Connection, population: str) -> None:
    """Raise InputError where a run of the population is open: its loss is one of both periods that it touches."""
    runs = open_within(connection, population)
    if runs:
        found, remedy = phrase("store.period_within_run", runs=", ".join(runs)), phrase("store.run_end_first")
        raise InputError("period", found=found, allowed=phrase("store.period_between_runs"), remedy=remedy)


def decide(
    database: Database, request_id: int, *, approve: bool, comment: str, actor: Actor, overlap: bool = False
) -> Request:
    """Approve a request, which is then carried out, or return it. Raises AccessError to its author.

    `overlap`: it is one about populations that share no unit, which others decide.
    """
    with database.writing() as connection:
        request = _request(connection, request_id)
        if (request.kind == OVERLAP) is not overlap:
            found = phrase("store.request_for_others", kind=request.kind)
            raise InputError("request", found=found, allowed=phrase("store.request_of_yours"))
        if request.state != "open":
            raise InputError(
                "request", found=phrase("store.one_was", state=request.state), allowed=phrase("store.open_request")
            )
        check_second_person(connection, request.author, actor)
        state = "approved" if approve else "returned"
        connection.execute(
            "UPDATE requests SET state = ?, decided_by = ?, decided = ?, comment = ? WHERE id = ?",
            [state, actor.name, timestamp(), comment, request_id],
        )
        kind = EventKind.REQUEST_APPROVED if approve else EventKind.REQUEST_RETURNED
        body = {"request": request_id, "kind": request.kind, "name": request.population, "comment": comment}
        told = {**body, **actor.access} if approve else body
        append_within(connection, kind, actor=actor.name, body=told)
        if approve:
            _carry_out(connection, request.kind, request.population, request.body, request.author, actor)
        return _request(connection, request_id)


def request(database: Database, request_id: int) -> Request:
    """Return a request. Raises InputError where there is no such request."""
    with database.reading() as connection:
        return _request(connection, request_id)


def requests(database: Database) -> list[Request]:
    """Return every request, in the order they were made."""
    with database.reading() as connection:
        return [_read_request(row) for row in connection["requests"].rows_where(order_by="id")]


def attest_overlap(database: Database, name: str, other: str, overlap: Overlap, *, actor: Actor) -> None:
    """Write down how two registered populations overlap; the latest word counts.

    In a team, that they share no unit is asked of a second person, once while it waits.
    """
    with database.writing() as connection:
        for each in (name, other):
            registered_within(connection, each)
        if name == other:
            raise InputError("other", found=other, allowed=phrase("store.another_population"))
        if overlap is not Overlap.NONE or mode_within(connection) is WorkspaceMode.SOLO:
            _attest(connection, name, other, overlap, actor.name)
        elif other not in _asked_overlaps(connection, name):
            body = {"other": other, "overlap": overlap.value, "instead_of": _attested(connection, name, other)}
            _ask(connection, OVERLAP, name, body, actor)


def tell_compared(database: Database, name: str, other: str, *, actor: Actor) -> None:
    """Note that an administrator is about to be told what the rows of two populations have in common; not what."""
    with database.writing() as connection:
        body = {"other": other}
        append_within(connection, EventKind.OVERLAP_COMPARED, actor=actor.name, population=name, body=body)


def declare_earlier_releases(database: Database, name: str, descriptions: Sequence[str], *, actor: Actor) -> None:
    """Write down what was published about a population without a guarantee that is counted here."""
    with database.writing() as connection:
        registered_within(connection, name)
        _declare(connection, name, descriptions, actor.name)


def overlaps(database: Database, name: str) -> dict[str, Overlap | None]:
    """Return the overlap of each other population with this one; None where nobody attested it."""
    with database.reading() as connection:
        return overlaps_within(connection, name)


def uncounted_overlaps(database: Database, name: str) -> dict[str, str]:
    """Return the other populations with a table whose units may have another budget there, and why.

    `open`: nothing is attested; `waiting`: that they share none waits for somebody; `same`: they are the same ones.
    Of a population that is registered or not.
    """
    with database.reading() as connection:
        known, asked = overlaps_within(connection, name), _asked_overlaps(connection, name)
        tabled = connection.execute("SELECT DISTINCT population FROM datasets WHERE population <> ? ORDER BY 1", [name])
        states = {other: known[other] or ("waiting" if other in asked else "open") for (other,) in tabled}
        return {other: str(state) for other, state in states.items() if state not in (Overlap.SOME, Overlap.NONE)}


def _asked_overlaps(connection: Connection, name: str) -> set[str]:
    """Return the populations of which somebody asked to confirm that they share no unit with this one."""
    pairs = connection.execute(
        "SELECT population, json_extract(body, '$.other') FROM requests WHERE kind = ? AND state = 'open'", [OVERLAP]
    )
    return {each for pair in pairs if name in pair for each in pair if each != name}


def _attested(connection: Connection, name: str, other: str) -> int | None:
    """Return the event of the last word on how two populations overlap."""
    query = "SELECT max(seq) FROM overlaps WHERE (population, other) IN ((?, ?), (?, ?))"
    (seq,) = connection.execute(query, [name, other, other, name]).fetchone()
    return None if seq is None else int(seq)


def overlaps_within(connection: Connection, name: str) -> dict[str, Overlap | None]:
    found: dict[str, Overlap | None] = {
        each.population.name: None for each in all_registered_within(connection) if each.population.name != name
    }
    rows = connection.execute(
        "SELECT population, other, overlap FROM overlaps WHERE population = ? OR other = ? ORDER BY seq", [name, name]
    )
    for first, second, overlap in rows:
        found[second if first == name else first] = Overlap(overlap)
    return found


def overlapping_within(connection: Connection, name: str) -> list[tuple[Overlap, Population, Account]]:
    """Return the populations attested to share units with this one, with what they have spent."""
    return [
        (overlap, population_within(connection, other), account_within(connection, other))
        for other, overlap in overlaps_within(connection, name).items()
        if overlap in (Overlap.SAME, Overlap.SOME)
    ]


def earlier_releases(database: Database, name: str) -> list[str]:
    """Return what was declared to be published without a guarantee that is counted here."""
    with database.reading() as connection:
        return earlier_releases_within(connection, name)


def earlier_releases_within(connection: Connection, name: str) -> list[str]:
    query = "SELECT description FROM earlier_releases WHERE population = ? ORDER BY seq, number"
    return [text for (text,) in connection.execute(query, [name])]


def get(database: Database, name: str) -> Population:
    """Return a population. Raises InputError where there is no such population."""
    with database.reading() as connection:
        return population_within(connection, name)


def every(database: Database) -> list[Population]:
    """Return every population, by name."""
    with database.reading() as connection:
        return [each.population for each in all_registered_within(connection)]


def _decide_or_ask(connection: Connection, kind: str, name: str, body: Mapping[str, Any], actor: Actor) -> None:
    if mode_within(connection) is WorkspaceMode.SOLO:
        _carry_out(connection, kind, name, body, actor.name, actor)
        return
    same = "SELECT id FROM requests WHERE kind = ? AND population = ? AND state = 'open'"
    waiting = connection.execute(same, [kind, name]).fetchone()
    if waiting:
        found = phrase("store.request_waits_second_person", waiting=waiting[0])
        raise InputError("request", found=found, allowed=phrase("store.one_open_request_kind"))
    if kind != "population":
        body = {**body, "instead_of": registered_within(connection, name).cap_seq}
    _ask(connection, kind, name, body, actor)


def _ask(connection: Connection, kind: str, name: str, body: Mapping[str, Any], actor: Actor) -> None:
    """Ask a second person."""
    connection.execute(
        "INSERT INTO requests (kind, population, body, author, created, state) VALUES (?, ?, ?, ?, ?, 'open')",
        [kind, name, json.dumps(body, ensure_ascii=False), actor.name, timestamp()],
    )
    (request_id,) = connection.execute("SELECT last_insert_rowid()").fetchone()
    told = {"request": request_id, "kind": kind, "name": name, **body}
    append_within(connection, EventKind.REQUEST_MADE, actor=actor.name, body=told)


def _carry_out(
    connection: Connection, kind: str, name: str, body: Mapping[str, Any], author: str, approver: Actor
) -> None:
    if kind == "population":
        _check_name(connection, name)
        create_within(connection, Population.from_mapping(body["population"]), author)
        for other, overlap in body["overlaps"].items():
            _attest(connection, name, other, Overlap(overlap), author)
        if body["earlier_releases"]:
            _declare(connection, name, body["earlier_releases"], author)
        return
    registered = registered_within(connection, name)
    now = registered.cap_seq if kind != OVERLAP else _attested(connection, name, body["other"])
    if body.get("instead_of", now) != now:
        found = phrase("store.one_was_made_another" if kind != OVERLAP else "store.one_was_attested_since")
        raise InputError(
            "request", found=found, allowed=phrase("store.request_made_since"), remedy=phrase("store.return_ask_again")
        )
    if kind == OVERLAP:
        told = {"approver": approver.name, **approver.access}
        _attest(connection, name, body["other"], Overlap(body["overlap"]), author, told)
        return
    if kind == "period":
        _check_no_run(connection, name)
    event_kind = EventKind.CAP_RAISED if kind == "cap" else EventKind.PERIOD_OPENED
    told = {**body, "approver": approver.name, **(approver.access if approver.name != author else {})}
    event = append_within(connection, event_kind, actor=author, population=name, body=told)
    assert event.spent is not None
    before = registered.before if kind == "cap" else event.spent
    period = registered.population.period if kind == "cap" else body["period"]
    _insert_cap(connection, event.seq, name, period, body, before)


def recover_within(connection: Connection, population: Population, actor: str) -> None:
    """Register a population that another copy of the ledger had, with its period."""
    create_within(connection, replace(population, period=None), actor)
    if population.period is not None:
        body = {**_cap_body(population), "period": population.period, "reason": "recovered from a checkpoint"}
        _carry_out(connection, "period", population.name, body, actor, Actor(actor))


def create_within(connection: Connection, population: Population, author: str) -> None:
    mapping = population.to_mapping()
    connection.execute(
        "INSERT INTO populations"
        " (name, unit, neighbors, currency, cap_epsilon_nano, cap_rho_nano, cap_delta_atto, size, discovers, created)"
        " VALUES (:name, :unit, :neighbors, :currency, :epsilon_nano, :rho_nano, :delta_atto, :size, :discovers,"
        " :created)",
        {"rho_nano": 0, "discovers": True, **mapping, "created": timestamp()},
    )
    event = append_within(
        connection, EventKind.POPULATION_CREATED, actor=author, population=population.name, body=mapping
    )
    _insert_cap(connection, event.seq, population.name, None, mapping, PrivacyLoss())


def _insert_cap(
    connection: Connection, seq: int, name: str, period: str | None, cap: Mapping[str, Any], before: PrivacyLoss
) -> None:
    connection.execute(
        "INSERT INTO caps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            *(seq, name, period, cap["epsilon_nano"], cap.get("rho_nano", 0), cap["delta_atto"]),
            *(before.epsilon_nano, before.rho_nano, before.delta_atto),
        ],
    )


def _cap_body(population: Population) -> dict[str, int]:
    rho = {"rho_nano": population.rho_nano} if population.rho_nano else {}
    return {"epsilon_nano": population.cap.epsilon_nano, **rho, "delta_atto": population.cap.delta_atto}


def _attest(
    connection: Connection,
    name: str,
    other: str,
    overlap: Overlap,
    author: str,
    approver: Mapping[str, Any] | None = None,
) -> None:
    body = {"other": other, "overlap": overlap.value, **(approver or {})}
    event = append_within(connection, EventKind.OVERLAP_ATTESTED, actor=author, population=name, body=body)
    connection.execute("INSERT INTO overlaps VALUES (?, ?, ?, ?)", [event.seq, name, other, overlap.value])


def _declare(connection: Connection, name: str, descriptions: Sequence[str], author: str) -> None:
    body = {"releases": list(descriptions)}
    event = append_within(connection, EventKind.EARLIER_RELEASES_DECLARED, actor=author, population=name, body=body)
    for number, description in enumerate(descriptions, start=1):
        connection.execute("INSERT INTO earlier_releases VALUES (?, ?, ?, ?)", [event.seq, number, name, description])


def _check_name(connection: Connection, name: str) -> None:
    if connection.execute("SELECT 1 FROM populations WHERE name = ?", [name]).fetchone():
        raise InputError(
            "population",
            found=name,
            allowed=phrase("store.name_no_population"),
            remedy=phrase("store.choose_another_name_register"),
        )


def _request(connection: Connection, request_id: int) -> Request:
    for row in connection["requests"].rows_where("id = ?", [request_id]):
        return _read_request(row)
    raise InputError("request", found=request_id, allowed=phrase("store.number_request"))


def _read_request(row: Mapping[str, Any]) -> Request:
    return Request(**{**row, "body": json.loads(row["body"])})
