"""How a PostgreSQL server is reached, which of its rows are seen, and which of its types and names are understood."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from dprelease.errors import InputError
from dprelease.extras.warehouses.postgresql import transport
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.table.address import read_address
from dprelease.table.warehouse import open_warehouse
from tests.table.servers import PASSWORD, READER, PostgresServer, postgres_binary, postgres_server

SECRET = "SECRET-OF-DB"


@contextmanager
def pretender() -> Iterator[tuple[int, list[bytes]]]:
    """A server that has no TLS and asks for the password in the clear; and what it was told after that."""
    told: list[bytes] = []
    with socket.create_server(("0.0.0.0", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                with client:
                    first = client.recv(1000)
                    while first and first[4:8] in (b"\x04\xd2\x16\x2f", b"\x04\xd2\x16\x30"):  # TLS or GSSAPI?
                        client.sendall(b"N")
                        first = client.recv(1000)
                    if first:
                        client.sendall(b"R\x00\x00\x00\x08\x00\x00\x00\x03")
                        told.append(client.recv(1000))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield int(listening.getsockname()[1]), told
        listening.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
@pytest.mark.parametrize("options", ["", "?sslmode=disable", "?sslmode=require"])
def test_a_server_that_asks_for_the_password_in_the_clear_gets_nothing(host: str, options: str) -> None:
    with pretender() as (port, told):
        address = f"postgresql://reader:{SECRET}@{host}:{port}/db/health.visits{options}"
        with pytest.raises(InputError) as caught:
            open_warehouse(*read_address(address)).table()
    assert SECRET.encode() not in b"".join(told)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "sslmode", "require_auth"),
    [
        ("u@db.example.org/d/t", "verify-full", "scram-sha-256"),
        ("u@192.0.2.7/d/t", "verify-full", "scram-sha-256"),
        ("u@db.example.org/d/t?sslmode=disable", "disable", "scram-sha-256"),
        ("u@db.example.org/d/t?krbsrvname=postgres", "verify-full", "gss"),
        ("u@db.example.org/d/t?require_auth=none", "verify-full", "none"),
        ("u@/d/t?service=lake", "verify-full", "scram-sha-256"),
        ("u@localhost/d/t", None, "!password,!md5"),
        ("u@127.0.0.7/d/t", None, "!password,!md5"),
        ("u@[::1]/d/t", None, "!password,!md5"),
        ("u@/d/t?host=/run/postgresql", None, "!password,!md5"),
    ],
)
def test_tls_and_scram_are_asked_for_unless_the_server_is_here(
    address: str, sslmode: str | None, require_auth: str
) -> None:
    found = transport(read_address(f"postgresql://{address}")[0])
    assert (found.get("sslmode"), found["require_auth"]) == (sslmode, require_auth)


@pytest.mark.parametrize(
    "option", ["sslmode=bogus", "sslmode=prefer", "sslmode=allow", "require_auth=password", "require_auth=none,md5"]
)
def test_what_would_leave_it_to_the_server_is_refused(option: str) -> None:
    with pytest.raises(InputError, match=option.split("=")[0]):
        read_address(f"postgresql://u@db.example.org/d/t?{option}")


@pytest.mark.parametrize(
    ("written", "table"),
    [
        ("%22my.schema%22.visits", ("my.schema", "visits")),
        ("%22my.schema%22.%22a%22%22b.c%22", ("my.schema", 'a"b.c')),
        ("visits", ("public", "visits")),
        ("health.Of%20%22%20two%2Fwords", ("health", 'Of " two/words')),
    ],
)
@pytest.mark.parametrize("host", ["db.example.org", "[::1]", "[2001:db8::7]:5433"])
def test_an_address_is_read_again_as_it_was(written: str, table: tuple[str, ...], host: str) -> None:
    address, _ = read_address(f"postgresql://u@{host}/d/{written}")
    assert address.table == table
    assert read_address(str(address))[0] == address


@pytest.mark.parametrize("written", ["%22a.b", "a%22.%22b.c.d", "%22%22.t", "a..b"])
def test_names_that_do_not_close_are_refused(written: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_address(f"postgresql://u@h/d/{written}")


pytestmark = pytest.mark.skipif(postgres_binary("initdb") is None, reason="PostgreSQL's server is not installed")


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as started:
        yield started


def storage(server: PostgresServer, table: str) -> dict[str, str]:
    return open_warehouse(*read_address(server.address(table))).table().storage


def test_a_table_of_which_only_some_rows_are_seen_is_refused(server: PostgresServer) -> None:
    server.load("health.secured", {"id": "integer", "k": "integer"}, [(number, 1) for number in range(100)])
    warehouse = open_warehouse(*read_address(server.address("health.secured")))
    asked = "SELECT COUNT(*) FROM health.secured"
    with warehouse.session() as session:
        assert session.rows(asked) == [(100,)]
    server.run("ALTER TABLE health.secured ENABLE ROW LEVEL SECURITY")
    server.run(f"CREATE POLICY few ON health.secured TO {READER} USING (id <= 10)")
    with pytest.raises(InputError, match=r"row-level security.*BYPASSRLS"):
        warehouse.table()
    with pytest.raises(InputError, match=r"row-level security.*BYPASSRLS"), warehouse.session() as session:
        session.rows(asked)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "WIN1252", "LATIN1"])
def test_a_database_whose_texts_may_be_none_is_refused(server: PostgresServer, encoding: str) -> None:
    """Else a single row's bytes are an error, after the charge: 0x81 means nothing in WIN1252."""
    name = f"in_{encoding.lower()}"
    server.run(f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    with psycopg.connect(
        host="127.0.0.1", port=server.port, user="admin", password=PASSWORD, dbname=name, client_encoding=encoding
    ) as connection:
        connection.execute(r"CREATE TABLE t AS SELECT E'a\x81' AS u, '1' AS x")
        connection.execute(f"GRANT SELECT ON t TO {READER}")
    warehouse = open_warehouse(*read_address(server.address("t").replace("/postgres/", f"/{name}/")))
    if encoding != "LATIN1":
        with pytest.raises(InputError, match="Move the table to a database in UTF8"):
            warehouse.table()
        return
    schema = Schema.parse({"x": {"type": "integer", "lower": 0, "upper": 1}})
    asked, unit = [TallyQuery((each_value(schema["x"]),))], PrivacyUnit(column="u", max_rows=1)
    (tally,) = warehouse.answer(warehouse.table(), asked, schema=schema, where=(), unit=unit)
    assert tally.values.tolist() == [0, 1]


def test_domains_over_domains_and_citext_are_what_they_are_made_of(server: PostgresServer) -> None:
    server.run("CREATE DOMAIN health.d1 AS numeric(10, 2)", "CREATE DOMAIN health.d2 AS health.d1")
    types = {"d": "health.d2", "e": "health.mood", "n": "integer"}
    server.run("CREATE TYPE health.mood AS ENUM ('a', 'b')", "CREATE DOMAIN health.d3 AS health.mood")
    server.load("health.domains", {**types, "f": "health.d3"}, [("1.50", "a", 1, "b")])
    assert storage(server, "health.domains") == {"d": "numeric", "e": "enum", "n": "integer", "f": "enum"}
    if server.run("SELECT 1 FROM pg_available_extensions WHERE name = 'citext'"):
        server.run("CREATE EXTENSION citext SCHEMA health")
        server.load("health.letters", {"c": "health.citext"}, [("Ab",)])
        assert storage(server, "health.letters") == {"c": "citext"}


def test_a_schema_and_a_table_with_points_in_their_names(server: PostgresServer) -> None:
    server.run('CREATE SCHEMA "my.schema"', f'GRANT USAGE ON SCHEMA "my.schema" TO {READER}')
    server.load('"my.schema"."a.b"', {"k": "integer"}, [(1,)])
    assert storage(server, "%22my.schema%22.%22a.b%22") == {"k": "integer"}
