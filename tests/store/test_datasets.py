from __future__ import annotations

from dataclasses import replace

import pytest

from dprelease.errors import InputError
from dprelease.model.encoding import digest
from dprelease.model.schema import Schema
from dprelease.store import datasets, ledger, populations
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from tests.store.world import CURATOR, SCHEMA, dataset, population

pytestmark = pytest.mark.quick

AGES = Schema.parse({"age": {"type": "integer", "lower": 18, "upper": 99}})


@pytest.fixture
def database(database: Database) -> Database:
    populations.add(database, population(), actor=CURATOR)
    return database


def test_a_dataset_comes_back_as_it_was_registered(database: Database) -> None:
    rowwise = replace(dataset("rows"), unit_column=None, schema=Schema({}))
    datasets.add(database, dataset(), "tables/1.parquet", actor=CURATOR)
    datasets.add(database, rowwise, "tables/2.parquet", actor=CURATOR)
    assert datasets.get(database, "visits") == (dataset(), "tables/1.parquet")
    assert datasets.get(database, "rows") == (rowwise, "tables/2.parquet")
    assert datasets.every(database) == [rowwise, dataset()]


def test_columns_keep_their_declared_order(database: Database) -> None:
    datasets.add(database, dataset(), "tables/1.parquet", actor=CURATOR)
    assert list(datasets.get(database, "visits")[0].schema.columns) == ["sex", "age", "dose", "day"]


def test_registration_is_an_event_without_the_location(database: Database) -> None:
    datasets.add(database, dataset(), "tables/secret.parquet", actor=CURATOR)
    event = ledger.events(database)[-1]
    assert (event.kind, event.population) == (EventKind.DATASET_REGISTERED, "patients")
    assert event.body == {
        "dataset": "visits",
        "unit_column": "person_id",
        "version": "v1",
        "schema_hash": digest(SCHEMA.to_mapping()),
    }


def test_a_name_is_taken_once_and_the_population_must_be_there(database: Database) -> None:
    datasets.add(database, dataset(), "tables/1.parquet", actor=CURATOR)
    with pytest.raises(InputError, match="Choose another name"):
        datasets.add(database, dataset(), "tables/2.parquet", actor=CURATOR)
    with pytest.raises(InputError, match="a registered population"):
        datasets.add(database, dataset("other", of="nobody"), "tables/3.parquet", actor=CURATOR)
    assert datasets.get(database, "visits")[1] == "tables/1.parquet"
    assert ledger.count(database) == 3


def test_a_schema_is_declared_anew(database: Database) -> None:
    datasets.add(database, dataset(), "tables/1.parquet", actor=CURATOR)
    assert datasets.replace_schema(database, "visits", AGES, actor=CURATOR) == replace(dataset(), schema=AGES)
    assert datasets.get(database, "visits") == (replace(dataset(), schema=AGES), "tables/1.parquet")
    event = ledger.events(database)[-1]
    assert (event.kind, event.body) == (
        EventKind.SCHEMA_DECLARED,
        {"dataset": "visits", "schema_hash": digest(AGES.to_mapping())},
    )
    datasets.replace_schema(database, "visits", AGES, actor=CURATOR)
    assert ledger.events(database)[-1] == event


def test_rows_are_replaced_within_the_population(database: Database) -> None:
    datasets.add(database, dataset(), "tables/1.parquet", actor=CURATOR)
    assert datasets.replace_rows(database, "visits", "v2", "tables/2.parquet", actor=CURATOR).version == "v2"
    assert datasets.get(database, "visits") == (replace(dataset(), version="v2"), "tables/2.parquet")
    event = ledger.events(database)[-1]
    assert (event.kind, event.population, event.body) == (
        EventKind.ROWS_REPLACED,
        "patients",
        {"dataset": "visits", "version": "v2"},
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda database: datasets.get(database, "visit"),
        lambda database: datasets.replace_schema(database, "visit", AGES, actor=CURATOR),
        lambda database: datasets.replace_rows(database, "visit", "v2", "x", actor=CURATOR),
    ],
)
def test_an_unknown_name_gets_the_nearest(database: Database, change: object) -> None:
    datasets.add(database, dataset(), "tables/1.parquet", actor=CURATOR)
    with pytest.raises(InputError, match="Did you mean 'visits'"):
        change(database)  # type: ignore[operator]
