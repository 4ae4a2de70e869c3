from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dprelease.store.database import Database
from tests.store import world


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.fixture
def on_disk(path: Path) -> Iterator[Database]:
    with closing(Database.open(path)) as database:
        yield database


@pytest.fixture(params=["on disk", "in memory"])
def database(request: pytest.FixtureRequest, path: Path) -> Iterator[Database]:
    """An empty database, of both sorts in turn."""
    with closing(Database.open(path) if request.param == "on disk" else Database.in_memory()) as database:
        yield database


@pytest.fixture
def registered(database: Database) -> Database:
    """The same with a population whose cap is ε = 1, and a dataset."""
    world.register(database)
    return database


@pytest.fixture
def registered_on_disk(on_disk: Database) -> Database:
    world.register(on_disk)
    return on_disk


@pytest.fixture
def raw(registered_on_disk: Database, path: Path) -> Iterator[sqlite3.Connection]:
    """The registered file, opened by somebody else's program with SQLite's own defaults."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection
