"""Whether something came after a look at true values."""

from __future__ import annotations

from dprelease.store.connection import Connection
from dprelease.store.event import EventKind

OF_KIND = "FROM ledger INDEXED BY ledger_by_kind WHERE population = :population AND kind"


def others_before(connection: Connection, population: str, plan_id: str, plan_hash: str) -> bool:
    """Whether another plan of a population was previewed before this one was first submitted."""
    query = (
        f"SELECT EXISTS (SELECT 1 {OF_KIND} = '{EventKind.PREVIEW_TAKEN}'"
        " AND seq < :submitted AND json_extract(body, '$.plan_hash') <> :hash)"
    )
    submitted = _submitted(connection, population, plan_id)
    values = {"population": population, "submitted": submitted, "hash": plan_hash}
    return bool(connection.execute(query, values).fetchone()[0])


def any_before_schema(connection: Connection, population: str, plan_id: str, dataset: str) -> bool:
    """Whether any plan was previewed before a dataset's columns were last declared, before this plan was submitted."""
    query = (
        f"SELECT EXISTS (SELECT 1 {OF_KIND} IN ('{EventKind.DATASET_REGISTERED}', '{EventKind.SCHEMA_DECLARED}')"
        " AND json_extract(body, '$.dataset') = :dataset AND seq < :submitted"
        f" AND seq > (SELECT min(seq) {OF_KIND} = '{EventKind.PREVIEW_TAKEN}'))"
    )
    submitted = _submitted(connection, population, plan_id)
    values = {"population": population, "submitted": submitted, "dataset": dataset}
    return bool(connection.execute(query, values).fetchone()[0])


def _submitted(connection: Connection, population: str, plan_id: str) -> int:
    """The event that first told of a plan."""
    query = f"SELECT min(seq) {OF_KIND} = '{EventKind.PLAN_SUBMITTED}' AND json_extract(body, '$.plan') = :plan"
    (seq,) = connection.execute(query, {"population": population, "plan": plan_id}).fetchone()
    return int(seq)
