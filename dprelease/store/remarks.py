"""Remarks on submitted plans until they are settled, along their versions: events of the ledger, and no table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.report import nearest
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.facts import check_second_person
from dprelease.store.ledger import append_within
from dprelease.store.lineage import versions_within
from dprelease.store.plans import PlanRecord, get_within, population_within
from dprelease.words import phrase


@dataclass(frozen=True, slots=True)
class Authorship:
    """Person who said or did something, and when."""

    by: str
    at: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Remark of a reviewer on a plan, with the answers. It stays with later versions until it is settled."""

    id: str
    """Id, from its event; of remarks that came with a returned plan, also from the statistic."""
    plan_id: str
    """Id of the version on which it was said."""
    on: str
    """A statistic, a field of one (`ages.bins`), another line of the plan (`privacy.epsilon`), or empty: the whole."""
    said: Authorship
    answers: tuple[Authorship, ...] = ()
    settled: Authorship | None = None

    @property
    def is_open(self) -> bool:
        return self.settled is None


def versions(database: Database, plan_id: str) -> list[PlanRecord]:
    """Return the plan, the returned one that it follows, the one which that follows, and so on."""
    with database.reading() as connection:
        return _versions(connection, plan_id)


def _versions(connection: Connection, plan_id: str) -> list[PlanRecord]:
    return [get_within(connection, each) for each in versions_within(connection, plan_id)]


def remarks(database: Database, plan_id: str) -> list[Remark]:
    """Return the remarks on a plan and on the versions before it, oldest first."""
    with database.reading() as connection:
        return _remarks(connection, plan_id)


def _remarks(connection: Connection, plan_id: str) -> list[Remark]:
    records = _versions(connection, plan_id)
    query = (
        "SELECT seq, at, actor, kind, body FROM ledger INDEXED BY ledger_by_kind"
        " WHERE kind IN ('plan_returned', 'plan_remarked', 'remark_answered', 'remark_settled') AND population = ?"
        " AND body ->> 'plan' IN (SELECT value FROM json_each(?)) ORDER BY seq"
    )
    values = [population_within(connection, records[0].dataset), json.dumps([record.id for record in records])]
    found: dict[str, Remark] = {}
    for row in connection.query(query, values):
        _read(found, row, json.loads(row["body"]))
    return list(found.values())


def _read(found: dict[str, Remark], row: dict[str, Any], body: dict[str, Any]) -> None:
    """Add what an event says to what was said before it."""
    said, kind = Authorship(row["actor"], row["at"], body.get("text", "")), row["kind"]
    if kind == EventKind.REMARK_ANSWERED:
        before = found[body["remark"]]
        found[before.id] = replace(before, answers=(*before.answers, said))
    elif kind == EventKind.REMARK_SETTLED:
        found[body["remark"]] = replace(found[body["remark"]], settled=said)
    elif kind == EventKind.PLAN_REMARKED:
        key = str(row["seq"])
        found[key] = Remark(id=key, plan_id=body["plan"], on=body.get("on", ""), said=said)
    else:
        for on, text in {"": body["comment"], **body.get("remarks", {})}.items():
            key = f"{row['seq']}.{on}" if on else str(row["seq"])
            found[key] = Remark(id=key, plan_id=body["plan"], on=on, said=replace(said, text=text))


def remark(database: Database, plan_id: str, text: str, *, on: str, actor: Actor) -> Remark:
    """Say something of a plan or a line of it. Raises AccessError where a team's author would review their own."""
    with database.writing() as connection:
        record = get_within(connection, plan_id)
        check_second_person(connection, record.author, actor)
        body = {"text": text, "on": on} if on else {"text": text}
        _append(connection, record, EventKind.PLAN_REMARKED, body, actor)
        return _remarks(connection, plan_id)[-1]


def answer(database: Database, plan_id: str, remark_id: str, text: str, *, actor: Actor) -> Remark:
    """Answer a remark. Raises InputError where there is none, or where it is settled."""
    with database.writing() as connection:
        record = get_within(connection, plan_id)
        _open(_remarks(connection, plan_id), remark_id)
        _append(connection, record, EventKind.REMARK_ANSWERED, {"remark": remark_id, "text": text}, actor)
        return _open(_remarks(connection, plan_id), remark_id)


def settle(database: Database, plan_id: str, remark_id: str, *, actor: Actor) -> Remark:
    """Settle a remark, for this version and later ones. In a team not by the author of the plan."""
    with database.writing() as connection:
        record = get_within(connection, plan_id)
        check_second_person(connection, record.author, actor)
        before = _open(_remarks(connection, plan_id), remark_id)
        _append(connection, record, EventKind.REMARK_SETTLED, {"remark": remark_id}, actor)
        return next(each for each in _remarks(connection, plan_id) if each.id == before.id)


def _open(found: Sequence[Remark], remark_id: str) -> Remark:
    open_ = {each.id: each for each in found if each.is_open}
    if remark_id not in open_:
        near = nearest(remark_id, list(open_))
        raise InputError("remark", found=remark_id, allowed=phrase("store.open_remark"), remedy=near)
    return open_[remark_id]


def _append(connection: Connection, record: PlanRecord, kind: EventKind, body: dict[str, str], actor: Actor) -> None:
    told = {"plan": record.id, "plan_hash": record.plan_hash, **body, **actor.by}
    append_within(
        connection, kind, actor=actor.name, population=population_within(connection, record.dataset), body=told
    )
