"""Previews of true values: what was taken, and whether something came after a look at true values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.encoding import canonical
from dprelease.model.measured import measured_of
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import FIRST_LOOKS, EventKind
from dprelease.store.facts import preview_policy_within
from dprelease.store.ledger import append_within
from dprelease.words import phrase

LOOKS = f"('{EventKind.PREVIEW_TAKEN}', '{EventKind.PREVIEW_SWEPT}')"
BEGUN = "(" + ", ".join(f"'{kind}'" for kind in FIRST_LOOKS) + ")"
OF_KIND = "FROM ledger INDEXED BY ledger_by_kind WHERE population = :population AND kind"
FIRST_AND_LAST = """
WITH seen AS (
    SELECT min(seq) AS first, max(seq) AS last FROM ledger INDEXED BY ledger_by_kind
    WHERE kind = 'preview_taken' AND population = :population AND seq < :submitted
)
SELECT ledger.seq, at, actor, plan FROM seen JOIN ledger ON ledger.seq IN (first, last)
LEFT JOIN previewed ON previewed.seq = ledger.seq ORDER BY ledger.seq
"""
NOTED = """
SELECT ledger.seq, at, actor, kind, body, plan FROM ledger INDEXED BY ledger_by_kind
LEFT JOIN previewed ON previewed.seq = ledger.seq
WHERE population = :population AND kind IN ('preview_taken', 'preview_swept') AND ledger.seq < :submitted
ORDER BY ledger.seq
"""
DECIDED = """
SELECT json_extract(body, '$.value') FROM ledger
WHERE kind = 'policy_changed' AND seq < ? AND json_extract(body, '$.policy') = 'previews' ORDER BY seq DESC LIMIT 1
"""
SUBMITTED = """
SELECT min(seq) FROM ledger INDEXED BY ledger_by_plan
WHERE kind = 'plan_submitted' AND body ->> 'plan' = :plan AND population = :population
"""
NEVER = 2**62
"""Later than any event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRecord:
    """Record of a preview of true values: who, when, of which plan. Never a value."""

    seq: int
    at: str
    actor: str
    plan: Mapping[str, Any] | None
    """Complete, as in a plan file; None where another copy of this ledger noted the preview."""


def take(database: Database, plan: Plan, dataset: Dataset, *, actor: Actor) -> None:
    """Note that somebody is about to see true values, with the complete plan that they see them of.

    Raises InputError where the workspace does not allow it.
    """
    with database.writing() as connection:
        policy = preview_policy_within(connection)
        if policy is not PreviewPolicy.TRUE:
            raise not_allowed(policy)
        body = {"dataset": dataset.name, "plan_hash": plan.hash, "measured": measured_of(plan)}
        kind, population = EventKind.PREVIEW_TAKEN, dataset.population
        event = append_within(connection, kind, actor=actor.name, population=population, body=body)
        text = canonical(plan.to_mapping()).decode()
        connection.execute("INSERT INTO previewed (seq, plan) VALUES (?, ?)", [event.seq, text])


def take_reading(database: Database, columns: Sequence[str], dataset: Dataset, *, actor: Actor) -> None:
    """Note that somebody is about to see how the cells of some columns are read: which columns, and no count.

    Raises InputError where the workspace does not allow it.
    """
    with database.writing() as connection:
        policy = preview_policy_within(connection)
        if policy is not PreviewPolicy.TRUE:
            raise not_allowed(policy)
        body = {"dataset": dataset.name, "columns": list(columns)}
        kind, population = EventKind.READING_TAKEN, dataset.population
        append_within(connection, kind, actor=actor.name, population=population, body=body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Looks at true values of one statistic since the last event: at which ε, and how many."""

    statistic: str
    epsilon_nano_from: int
    epsilon_nano_to: int
    looks: int


def swept(database: Database, plan: Plan, dataset: Dataset, sweep: Sweep, *, actor: Actor) -> None:
    """Note the ε at which somebody looked at true values of a complete plan; nothing of it is ever put together.

    Raises InputError where the workspace does not allow it, and where no look began.
    """
    with database.writing() as connection:
        policy = preview_policy_within(connection)
        if policy is not PreviewPolicy.TRUE:
            raise not_allowed(policy)
        if not any_before(connection, dataset.population):
            remedy = phrase("store.look_begins_first")
            raise InputError("previews", found=phrase("store.no_look"), allowed=phrase("store.a_look"), remedy=remedy)
        body = {"dataset": dataset.name, "plan_hash": plan.hash, "measured": measured_of(plan), **asdict(sweep)}
        kind, population = EventKind.PREVIEW_SWEPT, dataset.population
        append_within(connection, kind, actor=actor.name, population=population, body=body)


def not_allowed(policy: PreviewPolicy) -> InputError:
    """Return the error that says why nothing, or nothing true, is previewed."""
    return InputError(
        "previews",
        found=phrase("store.policy", policy=policy.value),
        allowed=phrase("store.workspace_where_previews_show"),
        remedy=phrase("store.price_plan_says_how"),
    )


def before_plan(database: Database, population: str, plan_id: str) -> list[PreviewRecord]:
    """Return the first and the last preview of a population before a plan was first submitted: two, one or none."""
    with database.reading() as connection:
        submitted = submitted_at(connection, population, plan_id)
        rows = connection.execute(FIRST_AND_LAST, {"population": population, "submitted": submitted}).fetchall()
    return [
        PreviewRecord(seq=seq, at=at, actor=actor, plan=None if plan is None else json.loads(plan))
        for seq, at, actor, plan in rows
    ]


def any_before(connection: Connection, population: str, seq: int = NEVER) -> bool:
    """Return True if true values of a population, or how its cells are read, were looked at before an event."""
    query = f"SELECT EXISTS (SELECT 1 {OF_KIND} IN {BEGUN} AND seq < :seq)"
    return bool(connection.execute(query, {"population": population, "seq": seq}).fetchone()[0])


def policy_at(connection: Connection, seq: int = NEVER) -> PreviewPolicy:
    """Return what previews showed when an event was written."""
    row = connection.execute(DECIDED, [seq]).fetchone()
    return PreviewPolicy.TRUE if row is None else PreviewPolicy(row[0])


def others_before(connection: Connection, population: str, plan_id: str, plan_hash: str) -> bool:
    """Return True if another plan of a population was looked at before this one was first submitted, or so far."""
    query = (
        f"SELECT EXISTS (SELECT 1 {OF_KIND} IN {LOOKS}"
        " AND seq < :submitted AND json_extract(body, '$.plan_hash') <> :hash)"
    )
    submitted = submitted_at(connection, population, plan_id)
    values = {"population": population, "submitted": submitted, "hash": plan_hash}
    return bool(connection.execute(query, values).fetchone()[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanIdentity:
    """Identity of a plan, to tell if a look was at this plan, or at one that measures the same."""

    plan_hash: str
    measured: str
    epsilon_nano: int


def changed_before(
    connection: Connection, population: str, plan_id: str, plan: PlanIdentity
) -> Literal["nothing", "budget", "measured"]:
    """Return how far a plan, before it was first submitted or so far, came after looks at others of its population.

    `measured`: one measured something else.
    `budget`: another plan that measured the same, or this one with another ε.
    """
    other = "body ->> 'plan_hash' <> :plan_hash"
    swept = f"kind = '{EventKind.PREVIEW_SWEPT}' AND (body ->> 'epsilon_nano_from' <> :epsilon_nano"
    tests: dict[Literal["budget", "measured"], str] = {
        "measured": f"{other} AND coalesce(body ->> 'measured' <> :measured, TRUE)",
        "budget": f"({other} OR {swept} OR body ->> 'epsilon_nano_to' <> :epsilon_nano))",
    }
    values = {"population": population, "submitted": submitted_at(connection, population, plan_id), **asdict(plan)}
    for answer, test in tests.items():
        query = f"SELECT EXISTS (SELECT 1 {OF_KIND} IN {LOOKS} AND seq < :submitted AND {test})"
        if connection.execute(query, values).fetchone()[0]:
            return answer
    return "nothing"


def declared_after_look(
    connection: Connection, population: str, plan_id: str, dataset: str, *, at: Literal["dataset", "population"]
) -> bool:
    """Return True if columns of a dataset were declared after a look at true values, before this plan was submitted.

    `at` the dataset, which a reviewer asks: after a preview of it; how its cells are read belongs to declaring them.
    `at` the population, which a certificate states: after a look of any kind at any of its tables, and the dataset's
    registration declares columns too. So a certificate says it wherever a reviewer is told.
    """
    declared, looks, own = {
        "dataset": (f"('{EventKind.SCHEMA_DECLARED}')", LOOKS, "AND body ->> 'dataset' = :dataset"),
        "population": (f"('{EventKind.DATASET_REGISTERED}', '{EventKind.SCHEMA_DECLARED}')", BEGUN, ""),
    }[at]
    query = (
        f"SELECT EXISTS (SELECT 1 {OF_KIND} IN {declared} AND body ->> 'dataset' = :dataset"
        f" AND seq < :submitted AND seq > (SELECT min(seq) {OF_KIND} IN {looks} {own}))"
    )
    submitted = submitted_at(connection, population, plan_id)
    values = {"population": population, "submitted": submitted, "dataset": dataset}
    return bool(connection.execute(query, values).fetchone()[0])


@dataclass(frozen=True, slots=True)
class Noted:
    """An event about a look at true values, with the plan that was looked at where it began."""

    seq: int
    at: str
    actor: str
    kind: str
    body: Mapping[str, Any]
    plan: Mapping[str, Any] | None


def noted_before(connection: Connection, population: str, plan_id: str) -> list[Noted]:
    """Return the looks at true values of a population before a plan was first submitted, oldest first."""
    values = {"population": population, "submitted": submitted_at(connection, population, plan_id)}
    return [
        Noted(seq, at, actor, kind, json.loads(body), None if plan is None else json.loads(plan))
        for seq, at, actor, kind, body, plan in connection.execute(NOTED, values)
    ]


def plans_looked_at(connection: Connection, population: str) -> dict[int, Mapping[str, Any]]:
    """Return the plans that were looked at, by the event that began the look."""
    query = "SELECT previewed.seq, plan FROM previewed JOIN ledger ON ledger.seq = previewed.seq WHERE population = ?"
    return {int(seq): json.loads(plan) for seq, plan in connection.execute(query, [population])}


def submitted_at(connection: Connection, population: str, plan_id: str) -> int:
    """Return the event that first told of a plan; where there is none yet, one that is still to come."""
    (seq,) = connection.execute(SUBMITTED, {"population": population, "plan": plan_id}).fetchone()
    return NEVER if seq is None else int(seq)
