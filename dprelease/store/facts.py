"""What is true of the whole workspace: its mode, when it was created, the version of the database's layout."""

from __future__ import annotations

from dprelease.store.database import Database


def all(database: Database) -> dict[str, str]:
    """`mode` (solo), `created` (UTC) and `version`."""
    with database.reading() as connection:
        return dict(connection.execute("SELECT name, value FROM facts ORDER BY name").fetchall())
