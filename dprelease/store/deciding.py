"""Contents of each table by which this program decides, in the words of the events: `replay` compares them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dprelease.model.encoding import digest
from dprelease.store.connection import Connection

Row = dict[str, Any]
"""One row, by the names of its columns."""
Rows = Iterator[tuple[Any, Row]]


def _facts(connection: Connection) -> Rows:
    for name, value in connection.execute("SELECT name, value FROM facts WHERE name <> 'version'"):
        yield name, {"value": value}


def _people(connection: Connection) -> Rows:
    for name, roles, disabled, created in connection.execute("SELECT name, roles, disabled, created FROM people"):
        found = {"roles": json.loads(roles), "disabled": disabled is not None}
        yield name, {**found, "created": created} if name == "owner" else found


def _tokens(connection: Connection) -> Rows:
    query = "SELECT id, actor, label, operations, dataset, revoked FROM tokens"
    for key, actor, label, operations, dataset, revoked in connection.execute(query):
        told = {"actor": actor, "label": label, "operations": json.loads(operations), "dataset": dataset}
        yield key, {**told, "revoked": revoked is not None}


def _second_factors(connection: Connection) -> Rows:
    query = (
        "SELECT person, (SELECT count(*) FROM recovery_codes AS codes WHERE codes.person = second_factors.person"
        " AND used IS NULL) FROM second_factors WHERE confirmed IS NOT NULL"
    )
    for person, left in connection.execute(query):
        yield person, {"recovery": left}


def _requests(connection: Connection) -> Rows:
    query = "SELECT id, kind, population, body, author, state, decided_by, comment FROM requests"
    for row in connection.query(query):
        yield row.pop("id"), {**row, "body": json.loads(row["body"])}


def _overlaps(connection: Connection) -> Rows:
    for seq, population, other, overlap in connection.execute("SELECT seq, population, other, overlap FROM overlaps"):
        yield (seq, population, other), {"overlap": overlap}


def _earlier_releases(connection: Connection) -> Rows:
    for row in connection.query("SELECT seq, number, population, description FROM earlier_releases"):
        yield (row.pop("seq"), row.pop("number")), row


def _datasets(connection: Connection) -> Rows:
    query = (
        "SELECT name, population, unit_column, unit_codes, version, schema, reading, analysts, location = '' AS deleted"
        " FROM datasets"
    )
    for row in connection.query(query):
        told: Row = {"schema": digest(json.loads(row["schema"])), "deleted": bool(row["deleted"])}
        told["unit_codes"] = json.loads(row["unit_codes"])
        told["reading"] = None if row["reading"] is None else digest(json.loads(row["reading"]))
        yield row.pop("name"), {**row, **told}


def _plans(connection: Connection) -> Rows:
    query = "SELECT id, dataset, dataset_version, plan_hash, plan, author, state, approver, approved FROM plans"
    for row in connection.query(query):
        yield row.pop("id"), {**row, "plan": digest(json.loads(row["plan"]))}


def _decisions(connection: Connection) -> Rows:
    for row in connection.query("SELECT seq, plan_id, decision, actor, at, comment, binding FROM decisions"):
        yield row.pop("seq"), {**row, "binding": None if row["binding"] is None else json.loads(row["binding"])}


def _previews(connection: Connection) -> Rows:
    for seq, plan in connection.execute("SELECT seq, plan FROM previewed"):
        yield seq, {"plan": digest(json.loads(plan))}


def _releases(connection: Connection) -> Rows:
    query = "SELECT charge_seq, id, plan_id, state, published_on, due FROM releases"
    for row in connection.query(query):
        if row["state"] in ("charged", "lost"):
            del row["id"]  # no event tells of its words yet
        yield row.pop("charge_seq"), row


def _runs(connection: Connection) -> Rows:
    for name, plan_id, seq, ended in connection.execute("SELECT name, plan_id, charge_seq, ended FROM runs"):
        yield name, {"plan_id": plan_id, "charge_seq": seq, "ended": bool(ended)}


def _editions(connection: Connection) -> Rows:
    for seq, run, period in connection.execute("SELECT begun_seq, run, period FROM editions"):
        yield seq, {"run": run, "period": period}


def _notices(connection: Connection) -> Rows:
    query = "SELECT seq, release_id, kind, superseded_by, text, published_on, statement FROM notices"
    for row in connection.query(query):
        statement = json.loads(row.pop("statement"))["statement"]
        words = {"release": row["release_id"], "text": row["text"], "published_on": row["published_on"]}
        if any(statement[name] != words[name] for name in words) or statement.get("by") != row["superseded_by"]:
            raise ValueError("a notice says one thing and signs another")
        yield row.pop("seq"), {**row, "ledger": statement["ledger"]}


READ: Mapping[str, Callable[[Connection], Rows]] = {
    "facts": _facts,
    "people": _people,
    "tokens": _tokens,
    "second_factors": _second_factors,
    "requests": _requests,
    "overlaps": _overlaps,
    "earlier_releases": _earlier_releases,
    "datasets": _datasets,
    "plans": _plans,
    "decisions": _decisions,
    "previewed": _previews,
    "releases": _releases,
    "runs": _runs,
    "editions": _editions,
    "notices": _notices,
}
