"""The catalogue of a real server: the same whatever the rows hold, and only where somebody vouches for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dprelease.errors import InputError
from dprelease.workspace import Workspace
from tests.table.servers import READER, PostgresServer, postgres_binary, postgres_server

pytestmark = pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")
MADE = (
    "CREATE TABLE health.towns (code integer PRIMARY KEY, name text, size integer)",
    "INSERT INTO health.towns VALUES (28, 'Madrid', 9), (41, 'Sevilla', 8)",
    "CREATE TABLE health.closed (code integer PRIMARY KEY, name text)",
    "CREATE TYPE health.ward AS ENUM ('surgery', 'medicine')",
    "CREATE DOMAIN health.percent AS integer CHECK (VALUE >= 0 AND VALUE <= 100)",
    """CREATE TABLE health.stays (
        id bigint, age integer CHECK (age BETWEEN 0 AND 120), sex text CHECK (sex IN ('M', 'F')), ward health.ward,
        town integer REFERENCES health.towns, closed integer REFERENCES health.closed, share health.percent,
        born date, cost numeric(8,2) CHECK (cost >= 0), CHECK (age > 17 OR ward = 'surgery')
    )""",
    "COMMENT ON COLUMN health.stays.cost IS 'Cost of the stay, EUR'",
    f"GRANT SELECT ON health.stays, health.towns TO {READER}",
)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as started:
        started.load("health.none", {"x": "integer"}, [])
        started.run(*MADE)
        yield started


def test_the_catalogue_proposes_what_is_public_and_reads_no_row(server: PostgresServer, tmp_path: Path) -> None:
    ws = Workspace.create(tmp_path / "home")
    ws.add_population("p", unit="person", neighbors="add_remove", epsilon=1)
    ws.add_dataset("stays", server.address("health.stays"), population="p")
    with pytest.raises(InputError, match="vouch for the catalogue"):
        ws.datasets.catalogue("stays", public=False)
    before = ws.datasets.catalogue("stays", public=True)
    found = {entry.name: dict(entry.declared) for entry in before.entries}
    assert found == {
        "id": {"type": "integer"},
        "age": {"type": "integer", "lower": "0", "upper": "120"},
        "sex": {"type": "category", "categories": ["M", "F"]},
        "ward": {"type": "category", "categories": ["surgery", "medicine"]},
        "town": {"type": "category", "categories": ["28", "41"], "description": "28 = Madrid; 41 = Sevilla"},
        "closed": {"type": "integer"},
        "share": {"type": "integer", "lower": "0", "upper": "100"},
        "born": {"type": "date"},
        "cost": {"type": "number", "lower": "0", "description": "Cost of the stay, EUR"},
    }
    assert ws.datasets.kept("stays").has_catalogue
    server.run(
        "INSERT INTO health.closed VALUES (7, 'secret')",
        "INSERT INTO health.stays VALUES (1, 44, 'M', 'surgery', 28, 7, 50, '2001-01-31', 3.14)",
        "ANALYZE health.stays",
    )
    assert repr(ws.datasets.catalogue("stays", public=True)) == repr(before)


def test_a_table_in_a_file_has_no_catalogue(tmp_path: Path) -> None:
    ws = Workspace.create(tmp_path / "home")
    ws.add_population("p", unit="person", neighbors="add_remove", epsilon=1)
    (tmp_path / "t.csv").write_text("a\n1\n")
    ws.add_dataset("t", tmp_path / "t.csv", population="p")
    assert not ws.datasets.kept("t").has_catalogue
    with pytest.raises(InputError, match="PostgreSQL"):
        ws.datasets.catalogue("t", public=True)
