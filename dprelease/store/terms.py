"""The terms of each dataset: how many rows of a unit are used, and on which day its table is deleted."""

from __future__ import annotations

from datetime import date

from dprelease.model.dataset_terms import DatasetTerms
from dprelease.store.database import Database


def get(database: Database, dataset: str) -> DatasetTerms:
    """Return the terms of a dataset; empty ones where nothing was said."""
    with database.reading() as connection:
        for row in connection["terms"].rows_where("dataset = ?", [dataset]):
            day = row["delete_on"]
            return DatasetTerms(max_rows=row["max_rows"], delete_on=None if day is None else date.fromisoformat(day))
    return DatasetTerms()


def put(database: Database, dataset: str, terms: DatasetTerms) -> None:
    """Set the terms of a dataset anew."""
    day = None if terms.delete_on is None else terms.delete_on.isoformat()
    with database.writing() as connection:
        connection.execute(
            "INSERT INTO terms (dataset, max_rows, delete_on) VALUES (?, ?, ?) ON CONFLICT (dataset)"
            " DO UPDATE SET max_rows = excluded.max_rows, delete_on = excluded.delete_on",
            [dataset, terms.max_rows, day],
        )


def due(database: Database, today: date) -> list[str]:
    """Return the datasets whose table is there and should not be, by name."""
    with database.reading() as connection:
        rows = connection.execute(
            "SELECT name FROM terms JOIN datasets ON name = dataset"
            " WHERE delete_on <= ? AND location <> '' ORDER BY name",
            [today.isoformat()],
        )
        return [name for (name,) in rows]
