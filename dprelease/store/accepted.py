"""Columns whose cells are read as they proposed and a person accepted, from the events that declared them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from dprelease.model.population import Dataset
from dprelease.model.schema import Schema
from dprelease.store.connection import Connection
from dprelease.store.event import EventKind
from dprelease.store.previews import BEGUN, NEVER, OF_KIND, submitted_at

STANDING, TAKEN = "readings_proposed", "readings_accepted"
"""Keys of an event's body: all columns that are read so from then on, and those of them that were accepted by it."""
DECLARED = (
    f"{OF_KIND} IN ('{EventKind.DATASET_REGISTERED}', '{EventKind.SCHEMA_DECLARED}')"
    " AND json_extract(body, '$.dataset') = :dataset AND seq < :before"
)


def stated(taken: Collection[str], standing: Collection[str]) -> dict[str, Any]:
    """Return the keys and columns that an event states; empty where there are none."""
    found = {STANDING: sorted({*taken, *standing}), TAKEN: sorted(taken)}
    return {key: names for key, names in found.items() if names}


def kept(connection: Connection, dataset: Dataset, schema: Schema) -> list[str]:
    """Return the columns of a dataset that another schema reads as before, where that was proposed."""
    names = standing(connection, dataset)
    return [name for name in names if name in schema and schema[name].reading == dataset.schema[name].reading]


def standing(connection: Connection, dataset: Dataset, before: int = NEVER) -> list[str]:
    """Return the columns that are read so, by the last declaration before an event."""
    query = f"SELECT json_extract(body, '$.{STANDING}') {DECLARED} ORDER BY seq DESC LIMIT 1"
    row = connection.execute(query, _values(dataset, before)).fetchone()
    return [] if row is None or row[0] is None else json.loads(row[0])


def before_plan(connection: Connection, dataset: Dataset, plan_id: str, schema: Schema) -> Mapping[str, bool]:
    """Return the columns of a plan read so, as submitted or so far; and whether that was accepted after a look."""
    before = submitted_at(connection, dataset.population, plan_id)
    looked = f"seq > (SELECT min(seq) {OF_KIND} IN {BEGUN}) AND kind = '{EventKind.SCHEMA_DECLARED}'"
    rows = connection.execute(
        f"SELECT json_extract(body, '$.{TAKEN}') {DECLARED} AND {looked}", _values(dataset, before)
    ).fetchall()
    late = {name for (names,) in rows if names is not None for name in json.loads(names)}
    return {
        column.name: column.name in late
        for name in standing(connection, dataset, before)
        if (column := schema.get(name)) is not None and column.reading is not None
    }


def _values(dataset: Dataset, before: int) -> dict[str, Any]:
    return {"population": dataset.population, "dataset": dataset.name, "before": before}
