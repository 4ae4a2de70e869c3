"""The submitted plans, and how far each has come."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.encoding import canonical, digest
from dprelease.model.plan import Plan
from dprelease.model.report import nearest
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within


class PlanState(StrEnum):
    SUBMITTED = "submitted"
    APPROVED = "approved"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRecord:
    """A submitted plan. It does not change; only its state moves forward."""

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
    """When; None before."""

    @property
    def mapping(self) -> dict[str, Any]:
        """For `Plan.parse`."""
        mapping: dict[str, Any] = json.loads(self.plan)
        return mapping


def add(database: Database, plan: Plan, dataset_version: str, *, author: Actor) -> PlanRecord:
    """Submits a complete plan for a version of its dataset; the same again gives the record that is there.

    Raises InputError where there is no such dataset.
    """
    identity = {"plan_hash": plan.hash, "dataset": plan.dataset, "dataset_version": dataset_version}
    plan_id = f"plan-{digest(identity)[:12]}"
    with database.writing() as connection:
        record = _find(connection, plan_id)
        if record is not None:
            return record
        population = _population(connection, plan.dataset)
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
        body = {"plan": plan_id, **identity, "epsilon_nano": plan.epsilon_nano, "delta_atto": plan.delta_atto}
        append_within(connection, EventKind.PLAN_SUBMITTED, actor=author.name, population=population, body=body)
        return get_within(connection, plan_id)


def approve(database: Database, plan_id: str, *, approver: Actor) -> PlanRecord:
    """Approves a plan; the first approval stands. Who may approve is not decided here."""
    with database.writing() as connection:
        record = get_within(connection, plan_id)
        if record.state is not PlanState.SUBMITTED:
            return record
        connection.execute(
            "UPDATE plans SET state = ?, approver = ?, approved = ? WHERE id = ?",
            [PlanState.APPROVED.value, approver.name, timestamp(), plan_id],
        )
        append_within(
            connection,
            EventKind.PLAN_APPROVED,
            actor=approver.name,
            population=_population(connection, record.dataset),
            body={"plan": plan_id, "plan_hash": record.plan_hash},
        )
        return get_within(connection, plan_id)


def get(database: Database, plan_id: str) -> PlanRecord:
    """Raises InputError where there is no such plan."""
    with database.reading() as connection:
        return get_within(connection, plan_id)


def all(database: Database) -> list[PlanRecord]:
    """Every plan, in the order of submission."""
    with database.reading() as connection:
        return [_read(row) for row in connection["plans"].rows_where(order_by="rowid")]


def get_within(connection: Connection, plan_id: str) -> PlanRecord:
    record = _find(connection, plan_id)
    if record is None:
        ids = [known for (known,) in connection.execute("SELECT id FROM plans")]
        raise InputError("plan", found=plan_id, allowed="the id of a submitted plan", remedy=nearest(plan_id, ids))
    return record


def _find(connection: Connection, plan_id: str) -> PlanRecord | None:
    for row in connection.query("SELECT * FROM plans WHERE id = ?", [plan_id]):
        return _read(row)
    return None


def _population(connection: Connection, dataset: str) -> str:
    row = connection.execute("SELECT population FROM datasets WHERE name = ?", [dataset]).fetchone()
    if row is None:
        names = [known for (known,) in connection.execute("SELECT name FROM datasets")]
        raise InputError("dataset", found=dataset, allowed="a registered dataset", remedy=nearest(dataset, names))
    return str(row[0])


def _read(row: Mapping[str, Any]) -> PlanRecord:
    return PlanRecord(**{**row, "state": PlanState(row["state"])})
