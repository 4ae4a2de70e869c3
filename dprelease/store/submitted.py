"""Submitted plans, found by index: which of them, and how many, whoever else submitted how much."""

from __future__ import annotations

from collections.abc import Collection

from dprelease.store.database import Database
from dprelease.store.plans import PlanRecord, PlanState, get_within, read_plan


def find(
    database: Database,
    *,
    states: Collection[PlanState] = (),
    dataset: str | None = None,
    plan_hash: str | None = None,
    author: str | None = None,
    before: str | None = None,
    latest: int | None = None,
) -> list[PlanRecord]:
    """Return submitted plans; each argument that is given leaves some out. `latest`: the last ones only.

    `before`: only what was submitted before this plan. Raises InputError where there is no such plan.
    """
    asked = {"dataset": dataset, "plan_hash": plan_hash, "author": author}
    clauses = [f"{column} = :{column}" for column, value in asked.items() if value is not None]
    if states:
        clauses.append("state IN ({})".format(", ".join(f"'{PlanState(state).value}'" for state in states)))
    with database.reading() as connection:
        if before is not None:
            get_within(connection, before)
            clauses.append("rowid < (SELECT rowid FROM plans WHERE id = :before)")
        rows = connection["plans"].rows_where(
            " AND ".join(clauses) or None, {**asked, "before": before}, order_by="rowid DESC", limit=latest
        )
        return [read_plan(row) for row in rows][::-1]


def count(database: Database, author: str) -> int:
    """Return the number of plans that somebody submitted."""
    with database.reading() as connection:
        return connection["plans"].count_where("author = ?", [author])


def approved_last(database: Database, record: PlanRecord) -> PlanRecord | None:
    """Return the plan of the same dataset that was approved last, other than this one."""
    query = (
        "SELECT * FROM plans WHERE dataset = ? AND approved IS NOT NULL AND id <> ?"
        " ORDER BY approved DESC, rowid LIMIT 1"
    )
    with database.reading() as connection:
        return next((read_plan(row) for row in connection.query(query, [record.dataset, record.id])), None)


def published_of(database: Database, population: str, other_than: str) -> PlanRecord | None:
    """Return the plan of a population that was published last, other than one."""
    query = (
        "SELECT plans.* FROM releases JOIN plans ON plans.id = releases.plan_id JOIN datasets ON"
        " datasets.name = plans.dataset WHERE datasets.population = ? AND releases.state = 'published'"
        " AND plans.id <> ? ORDER BY releases.charge_seq DESC LIMIT 1"
    )
    with database.reading() as connection:
        return next((read_plan(row) for row in connection.query(query, [population, other_than])), None)


def of_population(database: Database, population: str, *, other_than: str) -> list[PlanRecord]:
    """Return the plans of a population that wait, are approved or were published, other than one; oldest first."""
    query = (
        "SELECT plans.* FROM plans JOIN datasets ON datasets.name = plans.dataset"
        " WHERE datasets.population = ? AND plans.state <> ? AND plans.id <> ? ORDER BY plans.rowid"
    )
    with database.reading() as connection:
        return [read_plan(row) for row in connection.query(query, [population, PlanState.RETURNED, other_than])]


def published_last(database: Database, measured: str) -> str | None:
    """Return the title, or else the dataset, of the plan that last published what has this hash; None if none did."""
    query = (
        "SELECT coalesce(nullif(plan ->> 'title', ''), dataset) FROM measured JOIN plans ON plans.id = plan_id"
        " WHERE hash = ?"
    )
    with database.reading() as connection:
        row = connection.execute(query, [measured]).fetchone()
    return None if row is None else str(row[0])


def published_bounds(database: Database, dataset: str, column: str) -> tuple[str, str, str] | None:
    """Return the release, the statistic and the title of the plan that told a column's range last; None if none did.

    Releases that were withheld, or whose certificate is not made yet, tell nothing.
    """
    query = (
        "SELECT releases.id, asked.value ->> 'id', coalesce(nullif(plan ->> 'title', ''), dataset) FROM releases"
        " JOIN plans ON plans.id = releases.plan_id JOIN json_each(plan, '$.statistics') AS asked"
        " WHERE plans.dataset = ? AND releases.state = 'published' AND asked.value ->> 'kind' = 'bounds'"
        " AND asked.value ->> 'column' = ? ORDER BY releases.charge_seq DESC LIMIT 1"
    )
    with database.reading() as connection:
        row = connection.execute(query, [dataset, column]).fetchone()
    return None if row is None else (str(row[0]), str(row[1]), str(row[2]))
