"""The submitted plans, and how far each has come."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dprelease.errors import InputError, NotFoundError, PlanError
from dprelease.model.actor import Actor
from dprelease.model.encoding import canonical, digest
from dprelease.model.plan import Plan
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.report import nearest
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.facts import WorkspaceMode, check_second_person, mode_within
from dprelease.store.ledger import append_within
from dprelease.store.lineage import followed_within
from dprelease.store.registered import registered_within
from dprelease.words import Phrase, phrase


class PlanState(StrEnum):
    SUBMITTED = "submitted"
    APPROVED = "approved"
    RETURNED = "returned"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRecord:
    """A submitted plan. It does not change; only its state does."""

    id: str
    dataset: str
    dataset_version: str
    plan_hash: str
    plan: str
    """The complete plan as canonical JSON."""
    state: PlanState
    author: str
    created: str
    approver: str | None
    approved: str | None
    """Time of the approval; None before."""

    @property
    def mapping(self) -> dict[str, Any]:
        """Mapping of the plan, for `Plan.parse`."""
        mapping: dict[str, Any] = json.loads(self.plan)
        return mapping


def add(
    database: Database, plan: Plan, dataset_version: str, *, author: Actor, follows: str | None = None
) -> PlanRecord:
    """Submit a complete plan for a version of its dataset; the same again gives the record that is there.

    `follows`: the returned plan that it is the next version of; where it is not said, the likeliest of the author's.
    Raises InputError where there is no such dataset, and PlanError where the same plan was returned: what was said of
    it has not been heeded.
    """
    identity = _identity(plan, dataset_version)
    plan_id = identify(plan, dataset_version)
    with database.writing() as connection:
        record = _find(connection, plan_id)
        if record is not None:
            if record.state is PlanState.RETURNED:
                raise _unchanged(connection, record)
            return record
        population = population_within(connection, plan.dataset)
        body = {"plan": plan_id, **identity, "epsilon_nano": plan.epsilon_nano, "delta_atto": plan.delta_atto}
        body |= author.by
        followed = followed_within(connection, plan, population, author, follows)
        if followed is not None:
            body["follows"] = followed
        connection.execute(
            "INSERT INTO plans (id, dataset, dataset_version, plan_hash, plan, state, author, created)"
            " VALUES (:id, :dataset, :dataset_version, :plan_hash, :plan, :state, :author, :created)",
            {
                **identity,
                "id": plan_id,
                "plan": canonical(plan.to_mapping()).decode(),
                "state": PlanState.SUBMITTED.value,
                "author": author.name,
                "created": timestamp(),
            },
        )
        append_within(connection, EventKind.PLAN_SUBMITTED, actor=author.name, population=population, body=body)
        return get_within(connection, plan_id)


def _unchanged(connection: Connection, record: PlanRecord) -> PlanError:
    last = _latest_decision(connection, record.id)
    said = [] if last is None else [last.comment, *(f"{name}: {text}" for name, text in last.remarks.items())]
    return PlanError(
        "plan",
        found=phrase("store.was_returned_unchanged", record=record.id),
        allowed=phrase("store.plan_was_changed"),
        remedy=phrase("store.change_what_was_remarked", said="; ".join(said)),
    )


def identify(plan: Plan, dataset_version: str) -> str:
    """Return the id that a complete plan for a version of its dataset has, or would have."""
    return f"plan-{digest(_identity(plan, dataset_version))[:12]}"


def _identity(plan: Plan, dataset_version: str) -> dict[str, str]:
    return {"plan_hash": plan.hash, "dataset": plan.dataset, "dataset_version": dataset_version}


def approve(database: Database, plan_id: str, loss: PrivacyLoss, *, approver: Actor, comment: str = "") -> PlanRecord:
    """Approve a plan at its price, for the rows, columns and cap as they are now.

    An approval that still holds stands. Raises AccessError where a team's plan is approved by its author.
    """
    with database.writing() as connection:
        record = get_within(connection, plan_id)
        binding = binding_within(connection, record, loss)
        if record.state is not PlanState.SUBMITTED and lapse_within(connection, record, loss) is None:
            return record
        check_second_person(connection, record.author, approver)
        if record.state is PlanState.RETURNED:
            raise InputError(
                "plan", found=phrase("store.one_was_returned"), allowed=phrase("store.changed_plan_follows")
            )
        body = {"plan": plan_id, "plan_hash": record.plan_hash, "binding": binding, **approver.access}
        at = _decide(connection, record, EventKind.PLAN_APPROVED, approver, comment, body)
        if record.state is not PlanState.PUBLISHED:  # that a plan was published is not forgotten
            connection.execute(
                "UPDATE plans SET state = ?, approver = ?, approved = ? WHERE id = ?",
                [PlanState.APPROVED.value, approver.name, at, plan_id],
            )
        return get_within(connection, plan_id)


def return_(
    database: Database, plan_id: str, *, reviewer: Actor, comment: str, remarks: Mapping[str, str] | None = None
) -> PlanRecord:
    """Return a plan to its author with a comment, and remarks on single statistics; changed, it can be submitted.

    Of a published plan it takes back the approval of another release.
    """
    with database.writing() as connection:
        record = get_within(connection, plan_id)
        if record.state is PlanState.RETURNED:
            raise InputError("plan", found=phrase("store.one_was_returned"), allowed=phrase("store.one_waits_approved"))
        unfinished = "SELECT 1 FROM releases WHERE plan_id = ? AND state IN ('charged', 'sealed')"
        if connection.execute(unfinished, [plan_id]).fetchone():
            found = phrase("store.one_whose_release_charged")
            raise InputError("plan", found=found, allowed=phrase("store.one_waits_approved"))
        check_second_person(connection, record.author, reviewer)
        body: dict[str, Any] = {"plan": plan_id, "plan_hash": record.plan_hash, "comment": comment}
        if remarks:
            body["remarks"] = dict(remarks)
        _decide(connection, record, EventKind.PLAN_RETURNED, reviewer, comment, body)
        if record.state is not PlanState.PUBLISHED:
            connection.execute(
                "UPDATE plans SET state = ?, approver = NULL, approved = NULL WHERE id = ?",
                [PlanState.RETURNED.value, plan_id],
            )
        return get_within(connection, plan_id)


def delegate(database: Database, plan_id: str, to: Actor, *, actor: Actor, comment: str) -> None:
    """Ask another reviewer to decide of a plan. Anyone who may decide still may."""
    with database.writing() as connection:
        record = get_within(connection, plan_id)
        check_second_person(connection, record.author, to)
        body = {"plan": plan_id, "plan_hash": record.plan_hash, "to": to.name}
        told = {**body, "comment": comment} if comment else body
        population = population_within(connection, record.dataset)
        append_within(connection, EventKind.PLAN_DELEGATED, actor=actor.name, population=population, body=told)


@dataclass(frozen=True, slots=True)
class Delegation:
    """Request of a reviewer that another one decides."""

    by: str
    to: str
    at: str
    comment: str


def delegations(database: Database, plan_id: str) -> list[Delegation]:
    """Return the delegations of a plan, oldest first."""
    query = (
        "SELECT actor, json_extract(body, '$.to'), at, coalesce(json_extract(body, '$.comment'), '') FROM ledger"
        " INDEXED BY ledger_by_kind WHERE kind = ? AND population = ? AND json_extract(body, '$.plan') = ? ORDER BY seq"
    )
    with database.reading() as connection:
        population = population_within(connection, get_within(connection, plan_id).dataset)
        values = [EventKind.PLAN_DELEGATED.value, population, plan_id]
        return [Delegation(*row) for row in connection.execute(query, values)]


@dataclass(frozen=True, slots=True)
class PlanDecision:
    """Decision of a reviewer on a plan."""

    seq: int
    plan_id: str
    decision: str
    """approved or returned."""
    actor: str
    at: str
    comment: str
    binding: Mapping[str, Any] | None
    """Facts that an approval is bound to; None of a returned plan."""
    remarks: Mapping[str, str]
    """Remarks on single statistics, by their ids."""
    access: Mapping[str, str] | None
    """Person who opened the door to whoever decided, by a link or a reset; None where nobody did."""


DECISIONS = """
SELECT decisions.*, coalesce(json_extract(ledger.body, '$.remarks'), '{}') AS remarks,
    json_extract(ledger.body, '$.access') AS access
FROM decisions JOIN ledger ON ledger.seq = decisions.seq WHERE plan_id = ? ORDER BY decisions.seq
"""


def decisions(database: Database, plan_id: str) -> list[PlanDecision]:
    """Return the decisions on a plan, oldest first."""
    with database.reading() as connection:
        return [_read_decision(row) for row in connection.query(DECISIONS, [plan_id])]


def lapse(database: Database, plan_id: str, loss: PrivacyLoss) -> Phrase | None:
    """Return why a plan's approval does not hold any more, at this price; None where it holds."""
    with database.reading() as connection:
        return lapse_within(connection, get_within(connection, plan_id), loss)


def binding_within(connection: Connection, record: PlanRecord, loss: PrivacyLoss) -> dict[str, Any]:
    """Return what an approval is bound to: what is approved, which rows and columns, at which price and cap."""
    population, unit_column, schema, version = connection.execute(
        "SELECT population, unit_column, schema, version FROM datasets WHERE name = ?", [record.dataset]
    ).fetchone()
    return {
        "plan": record.plan_hash,
        "rows": version,
        "columns": digest(json.loads(schema)),
        "unit": unit_column,
        "cap": registered_within(connection, population).cap_seq,
        "price": loss.to_mapping(),
    }


def lapse_within(connection: Connection, record: PlanRecord, loss: PrivacyLoss) -> Phrase | None:
    """Return why there is no approval that holds; None where there is one. In a team, one is good for one release."""
    last = _latest_decision(connection, record.id)
    if last is None or last.decision == "returned":
        return phrase("store.never_approved") if last is None else phrase("store.was_returned")
    now = binding_within(connection, record, loss)
    changed = [phrase(f"store.bound_{word}") for word in now if now[word] != (last.binding or {}).get(word)]
    if changed:
        return phrase("store.since_was_approved_changed", changed=tuple(changed))
    if mode_within(connection) is WorkspaceMode.TEAM:
        if last.actor == record.author:
            return phrase("store.was_approved_author")
        used = "SELECT 1 FROM releases WHERE plan_id = ? AND charge_seq > ?"
        if connection.execute(used, [record.id, last.seq]).fetchone():
            return phrase("store.approval_was_used_release")
    return None


def approval_within(connection: Connection, plan_id: str) -> PlanDecision | None:
    """Return the decision that stands, if it is an approval."""
    last = _latest_decision(connection, plan_id)
    return last if last is not None and last.decision == "approved" else None


def _latest_decision(connection: Connection, plan_id: str) -> PlanDecision | None:
    for row in connection.query(f"{DECISIONS} DESC LIMIT 1", [plan_id]):
        return _read_decision(row)
    return None


def _decide(
    connection: Connection,
    record: PlanRecord,
    kind: EventKind,
    reviewer: Actor,
    comment: str,
    body: Mapping[str, Any],
) -> str:
    told = {**body, "comment": comment} if comment else body
    population = population_within(connection, record.dataset)
    event = append_within(connection, kind, actor=reviewer.name, population=population, body=told)
    binding = json.dumps(body["binding"]) if "binding" in body else None
    decision = "approved" if kind is EventKind.PLAN_APPROVED else "returned"
    connection.execute(
        "INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?)",
        [event.seq, record.id, decision, reviewer.name, event.at, comment, binding],
    )
    return event.at


def _read_decision(row: Mapping[str, Any]) -> PlanDecision:
    parsed = {name: None if row[name] is None else json.loads(row[name]) for name in ("binding", "remarks", "access")}
    return PlanDecision(**{**row, **parsed})


def get(database: Database, plan_id: str) -> PlanRecord:
    """Return a submitted plan. Raises InputError where there is no such plan."""
    with database.reading() as connection:
        return get_within(connection, plan_id)


def get_within(connection: Connection, plan_id: str) -> PlanRecord:
    record = _find(connection, plan_id)
    if record is None:
        ids = [known for (known,) in connection.execute("SELECT id FROM plans")]
        raise NotFoundError(
            "plan", found=plan_id, allowed=phrase("store.id_submitted_plan"), remedy=nearest(plan_id, ids)
        )
    return record


def _find(connection: Connection, plan_id: str) -> PlanRecord | None:
    for row in connection.query("SELECT * FROM plans WHERE id = ?", [plan_id]):
        return read_plan(row)
    return None


def population_within(connection: Connection, dataset: str) -> str:
    row = connection.execute("SELECT population FROM datasets WHERE name = ?", [dataset]).fetchone()
    if row is None:
        names = [known for (known,) in connection.execute("SELECT name FROM datasets")]
        raise NotFoundError(
            "dataset", found=dataset, allowed=phrase("store.registered_dataset"), remedy=nearest(dataset, names)
        )
    return str(row[0])


def read_plan(row: Mapping[str, Any]) -> PlanRecord:
    return PlanRecord(**{**row, "state": PlanState(row["state"])})
