"""Published releases, found by index and a page at a time, newest first: in the order of their charges."""

from __future__ import annotations

from dataclasses import dataclass

from dprelease.errors import InputError
from dprelease.store.database import Database
from dprelease.store.releases import Publication, read_publication
from dprelease.words import phrase

OF_DATASET = "plan_id IN (SELECT id FROM plans WHERE dataset = :dataset)"
OF_KIND = """
plan_id IN (
    SELECT plans.id FROM plans, json_each(plan, '$.statistics') AS statistic
    WHERE dataset = :dataset AND statistic.value ->> 'kind' = :kind
)
"""


@dataclass(frozen=True, slots=True)
class NamedRelease:
    """A release by its title and its day."""

    id: str
    title: str
    day: str


def find(
    database: Database,
    *,
    limit: int | None = None,
    before: str | None = None,
    plan_id: str | None = None,
    dataset: str | None = None,
    kind: str | None = None,
) -> list[Publication]:
    """Return publications, newest first; each argument leaves some out. `kind`: of a statistic of the dataset's plans.

    `before`: the last release of the page before this one. A page begins after a release, not after a number of them,
    so that none is lost or comes twice where others are published meanwhile. Raises InputError where there is none.
    """
    # With a plus SQLite looks up the few releases of the plans, and not all that are published.
    clauses = ["state = 'published'" if plan_id is None and dataset is None else "+state = 'published'"]
    values = {"plan": plan_id, "dataset": dataset, "kind": kind}
    with database.reading() as connection:
        if before is not None:
            row = connection.execute(
                "SELECT charge_seq FROM releases WHERE id = ? AND state = 'published'", [before]
            ).fetchone()
            if row is None:
                raise InputError("before", found=before, allowed=phrase("store.id_release"))
            clauses.append(f"charge_seq < {int(row[0])}")
        if plan_id is not None:
            clauses.append("plan_id = :plan")
        if dataset is not None:
            clauses.append(OF_DATASET if kind is None else OF_KIND)
        rows = connection["publications"].rows_where(
            " AND ".join(clauses), values, order_by="charge_seq DESC", limit=limit
        )
        return [read_publication(row) for row in rows]


def count(database: Database) -> int:
    """Return the number of published releases."""
    with database.reading() as connection:
        (found,) = connection.execute("SELECT count(*) FROM releases WHERE state = 'published'").fetchone()
        return int(found)


def last_event(database: Database) -> int:
    """Return the number of the ledger's last event: nothing is published without another one."""
    with database.reading() as connection:
        (found,) = connection.execute("SELECT coalesce(max(seq), 0) FROM ledger").fetchone()
        return int(found)


def ids(database: Database) -> list[str]:
    """Return the ids of all published releases."""
    with database.reading() as connection:
        query = "SELECT id FROM releases WHERE state = 'published' ORDER BY charge_seq DESC"
        return [name for (name,) in connection.execute(query)]


def named(database: Database, population: str) -> list[NamedRelease]:
    """Return the published releases of a population."""
    query = (
        "SELECT id, certificate ->> 'title', published_on FROM publications"
        " WHERE population = ? AND state = 'published' ORDER BY charge_seq DESC"
    )
    with database.reading() as connection:
        return [NamedRelease(*row) for row in connection.execute(query, [population])]
