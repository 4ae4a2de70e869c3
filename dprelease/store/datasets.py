"""The registered datasets: of which population they are, what is declared of them, and where their rows are."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from dprelease.errors import InputError, NotFoundError
from dprelease.model.actor import Actor
from dprelease.model.encoding import digest
from dprelease.model.population import Dataset
from dprelease.model.reading import Reading
from dprelease.model.report import nearest
from dprelease.model.schema import Schema
from dprelease.store import accepted
from dprelease.store.clock import timestamp
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within
from dprelease.store.registered import unknown_population
from dprelease.words import phrase


def add(
    database: Database,
    dataset: Dataset,
    location: str,
    *,
    checksum: str | None = None,
    reading: Reading | None = None,
    proposed: Collection[str] = (),
    actor: Actor,
) -> Dataset:
    """Register a dataset. Raises InputError where the name is taken or the population is not registered.

    `location` says where the rows are; it is private, and only `get` gives it back. `checksum`: the SHA-256 of their
    file, just as private: whoever has a guess of the table could compare it. `reading`: how its files are read.
    `proposed`: columns whose cells proposed how they are read.
    """
    with database.writing() as connection:
        if connection.execute("SELECT 1 FROM datasets WHERE name = ?", [dataset.name]).fetchone():
            raise InputError(
                "dataset",
                found=dataset.name,
                allowed=phrase("store.name_no_dataset"),
                remedy=phrase("store.choose_another_name_replace"),
            )
        if not connection.execute("SELECT 1 FROM populations WHERE name = ?", [dataset.population]).fetchone():
            raise unknown_population(connection, dataset.population)
        connection.execute(
            "INSERT INTO datasets (name, population, unit_column, unit_codes, schema, version, location, checksum,"
            " reading, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                dataset.name,
                dataset.population,
                dataset.unit_column,
                json.dumps(dataset.unit_codes, ensure_ascii=False),
                _schema_text(dataset.schema),
                dataset.version,
                location,
                checksum,
                _reading_text(reading),
                timestamp(),
            ],
        )
        body = {
            "unit_column": dataset.unit_column,
            **({"unit_codes": list(dataset.unit_codes)} if dataset.unit_codes else {}),
            "version": dataset.version,
            "schema_hash": digest(dataset.schema.to_mapping()),
            **({} if reading is None else {"layout": digest(reading.to_mapping())}),
            **accepted.stated(proposed, ()),
        }
        _append(connection, EventKind.DATASET_REGISTERED, dataset, actor, body)
    return dataset


def get(database: Database, name: str) -> tuple[Dataset, str]:
    """Return the dataset and the location of its rows. Raises InputError where there is none of this name."""
    with database.reading() as connection:
        return _get(connection, name)


def every(database: Database) -> list[Dataset]:
    """Return every dataset, by name."""
    with database.reading() as connection:
        return [_read(row) for row in connection["datasets"].rows_where(order_by="name")]


def locations(database: Database) -> list[str]:
    """Return the locations of the rows of all datasets that have rows."""
    with database.reading() as connection:
        return [row["location"] for row in connection["datasets"].rows if row["location"]]


def checksums(database: Database) -> dict[str, tuple[str, str]]:
    """Return, by dataset with a file of its own, its location and the SHA-256 of the file when it was registered."""
    query = "SELECT name, location, checksum FROM datasets WHERE location <> '' AND checksum IS NOT NULL ORDER BY name"
    with database.reading() as connection:
        return {name: (location, checksum) for name, location, checksum in connection.execute(query)}


def registered_at(database: Database, location: str) -> tuple[str, str | None]:
    """Return the dataset with a table at a location, and the SHA-256 of its file, where there is one."""
    with database.reading() as connection:
        row = connection.execute("SELECT name, checksum FROM datasets WHERE location = ?", [location]).fetchone()
    return row or ("", None)


def replace_schema(
    database: Database, name: str, schema: Schema, *, proposed: Collection[str] = (), actor: Actor
) -> Dataset:
    """Declare the columns anew. The same declaration again is no event. `proposed`: as `add` takes it."""
    with database.writing() as connection:
        dataset, _ = _get(connection, name)
        _declare(connection, dataset, schema, actor, proposed)
        return _get(connection, name)[0]


def open_to_analysts(database: Database, name: str, *, is_open: bool, actor: Actor) -> Dataset:
    """Let analysts write plans about a dataset, or no longer. The same again is no event."""
    with database.writing() as connection:
        dataset, _ = _get(connection, name)
        if dataset.analysts != is_open:
            connection.execute("UPDATE datasets SET analysts = ? WHERE name = ?", [int(is_open), name])
            _append(connection, EventKind.DATASET_OPENED, dataset, actor, {"open": is_open})
        return _get(connection, name)[0]


def layout(database: Database, name: str) -> Reading | None:
    """Return how files of a dataset's rows are read; None where none was brought."""
    with database.reading() as connection:
        return _layout(connection, name)


def replace_rows(
    database: Database,
    name: str,
    version: str,
    location: str,
    *,
    checksum: str | None = None,
    reading: Reading | None = None,
    schema: Schema | None = None,
    actor: Actor,
) -> Dataset:
    """Point the dataset at other rows of the same population, which share its budget.

    `reading`: how its files are read from now on, where somebody said so: another one than before is an event.
    `schema`: its columns as somebody declared them anew for these rows.
    """
    with database.writing() as connection:
        dataset, _ = _get(connection, name)
        row = connection.execute(
            "SELECT releases.id FROM releases JOIN plans ON plans.id = plan_id"
            " WHERE dataset = ? AND releases.state = 'charged'",
            [name],
        ).fetchone()
        if row is not None:
            raise InputError(
                "dataset",
                found=phrase("store.rows_release_was_charged", row=row[0]),
                allowed=phrase("store.dataset_without_interrupted_releases"),
                remedy=phrase("store.finish_release_first"),
            )
        connection.execute(
            "UPDATE datasets SET version = ?, location = ?, checksum = ? WHERE name = ?",
            [version, location, checksum, name],
        )
        if reading is not None and reading != _layout(connection, name):
            connection.execute("UPDATE datasets SET reading = ? WHERE name = ?", [_reading_text(reading), name])
            _append(connection, EventKind.LAYOUT_CHANGED, dataset, actor, {"layout": digest(reading.to_mapping())})
        if schema is not None:
            _declare(connection, dataset, schema, actor)
        _append(connection, EventKind.ROWS_REPLACED, dataset, actor, {"version": version})
        return _get(connection, name)[0]


def delete_table(database: Database, name: str, *, actor: Actor) -> str:
    """Forget where the rows are, and return where they were. The dataset stays registered, the ledger stays."""
    with database.writing(durable=True) as connection:
        dataset, location = _get(connection, name)
        if location:
            connection.execute("UPDATE datasets SET location = '', checksum = NULL WHERE name = ?", [name])
            _append(connection, EventKind.TABLE_DELETED, dataset, actor, {"version": dataset.version})
        return location


def _declare(
    connection: Connection, dataset: Dataset, schema: Schema, actor: Actor, proposed: Collection[str] = ()
) -> None:
    if _schema_text(dataset.schema) != _schema_text(schema):
        kept = accepted.kept(connection, dataset, schema)
        taken = [each for each in proposed if each not in kept and each in schema and schema[each].reading]
        connection.execute("UPDATE datasets SET schema = ? WHERE name = ?", [_schema_text(schema), dataset.name])
        body = {"schema_hash": digest(schema.to_mapping()), **accepted.stated(taken, kept)}
        _append(connection, EventKind.SCHEMA_DECLARED, dataset, actor, body)


def _append(connection: Connection, kind: EventKind, dataset: Dataset, actor: Actor, body: Mapping[str, Any]) -> None:
    append_within(
        connection, kind, actor=actor.name, population=dataset.population, body={"dataset": dataset.name, **body}
    )


def _get(connection: Connection, name: str) -> tuple[Dataset, str]:
    for row in connection.query("SELECT * FROM datasets WHERE name = ?", [name]):
        return _read(row), row["location"]
    names = [known for (known,) in connection.execute("SELECT name FROM datasets")]
    raise NotFoundError("dataset", found=name, allowed=phrase("store.registered_dataset"), remedy=nearest(name, names))


def _layout(connection: Connection, name: str) -> Reading | None:
    row = connection.execute("SELECT reading FROM datasets WHERE name = ?", [name]).fetchone()
    return None if row is None or row[0] is None else Reading.parse(json.loads(row[0]))


def _reading_text(reading: Reading | None) -> str | None:
    return None if reading is None else json.dumps(reading.to_mapping(), ensure_ascii=False, separators=(",", ":"))


def _schema_text(schema: Schema) -> str:
    """Return JSON in the declared order of the columns, which canonical JSON would lose."""
    return json.dumps(schema.to_mapping(), ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=1024)
def _schema(text: str) -> Schema:
    """Return the schema, cached: a wide one takes 20 ms, and every operation on a dataset reads it."""
    columns = json.loads(text)
    return Schema.parse(columns) if columns else Schema({})


def _read(row: Mapping[str, Any]) -> Dataset:
    return Dataset(
        name=row["name"],
        population=row["population"],
        unit_column=row["unit_column"],
        unit_codes=tuple(json.loads(row["unit_codes"])),
        schema=_schema(row["schema"]),
        version=row["version"],
        analysts=bool(row["analysts"]),
    )
