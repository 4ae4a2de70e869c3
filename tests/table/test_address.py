"""Addresses of tables on servers: what they mean, what is refused, and that passwords are taken out."""

from __future__ import annotations

import socket

import pytest

from dprelease.errors import InputError
from dprelease.table.address import is_address, read_address
from dprelease.table.warehouse import open_warehouse

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("text", "canonical", "password"),
    [
        ("postgresql://r@h/db/s.t", "postgresql://r@h/db?table=s.t", None),
        ("postgres://r:p%40w@h:5433/db/t", "postgresql://r@h:5433/db?table=public.t", "p@w"),
        ("postgresql://r@h/db?table=s.t&password=pw", "postgresql://r@h/db?table=s.t", "pw"),
        ("postgresql://h/db/s.t?sslmode=verify-full", "postgresql://h/db?sslmode=verify-full&table=s.t", None),
        ("postgresql:///db/s.t?host=/run/sockets", "postgresql:///db?host=/run/sockets&table=s.t", None),
        ("postgresql:///?service=office&table=s.t", "postgresql://?service=office&table=s.t", None),
        ("spark://master:7077/data/visits", "spark://master:7077/data/visits", None),
        ("spark://local/data/visits", "spark://local/data/visits", None),
        ("spark://m:7077?table=lake.health.visits", "spark://m:7077?table=lake.health.visits", None),
        ("spark://m:7077/?parquet=hdfs://n/visits", "spark://m:7077?parquet=hdfs://n/visits", None),
    ],
)
def test_an_address_is_read_and_written(text: str, canonical: str, password: str | None) -> None:
    address, found = read_address(text)
    assert (str(address), found) == (canonical, password)
    assert read_address(canonical) == (address, None)
    assert "h" not in repr(address).removeprefix("Address(scheme='").split("'")[1]


@pytest.mark.parametrize(
    "text",
    [
        "mysql://u:s3cret@h/db/t",
        "postgresql://u:s3cret@h",
        "postgresql://u:s3cret@h/db",
        "postgresql://u:s3cret@h/db/a.b.c",
        "postgresql://u:s3cret@h/a/b/c",
        "postgresql://u:s3cret@h/db/t?options=-csearch_path=x",
        "postgresql://u:s3cret@h:port/db/t",
        "postgresql://u:s3cret@h/db/t?table=u",
        "postgresql://u:s3cret@h/db/t%00",
        "postgresql://u:s3cret@[h/db/t",
        "spark://u:s3cret@h:7077/data",
        "spark://h:7077",
        "spark://h:7077/data/../etc?x=s3cret",
        "spark://h/data",
    ],
)
def test_what_is_refused_repeats_no_password(text: str) -> None:
    assert is_address(text)
    with pytest.raises(InputError) as caught:
        read_address(text)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://r@h/db/s.t?host=127.0.0.1",
        "postgresql://r@h/db/s.t?host=/run/sockets",
        "postgresql://127.0.0.1/db/s.t?service=office",
        "postgresql:///?table=t&service=office&host=127.0.0.1",
        "postgresql://:6543/?service=office&table=s.t",
        "postgresql://r@h/db/s.t?hostaddr=127.0.0.1",
    ],
)
def test_an_address_says_in_one_way_where_it_goes(text: str) -> None:
    with pytest.raises(InputError, match=r"one of them|the option 'hostaddr'"):
        read_address(text)


def test_a_password_belongs_to_where_a_connection_goes() -> None:
    named = [
        "postgresql://r@h/db/t",
        "postgresql://r@h:5433/db/t",
        "postgresql://s@h/db/t",
        "postgresql://r@/db/t?host=h2",
        "postgresql://r@/db/t?host=/run/sockets",
        "postgresql://r@/db/t?host=/run/other",
        "postgresql://r@/?service=office&table=t",
        "postgresql://r@/?service=home&table=t",
    ]
    assert len({read_address(text)[0].server for text in named}) == len(named)
    assert read_address("postgresql://r@/db/t?host=h")[0].server == read_address(named[0])[0].server


def test_the_environment_sends_no_password_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        port = listening.getsockname()[1]
        address, _ = read_address(f"postgresql://r@127.0.0.2:{port}/db/t?sslmode=disable")
        monkeypatch.setenv("PGHOSTADDR", "127.0.0.1")
        with pytest.raises(InputError, match="cannot be reached"):
            open_warehouse(address, "s3cret").table()
        with pytest.raises(BlockingIOError):
            listening.accept()
    monkeypatch.setenv("PGSERVICE", "office")
    with pytest.raises(InputError, match="the service would go to that host"):
        open_warehouse(address, None).table()


@pytest.mark.parametrize("source", ["rows.csv", "/data/rows.parquet", "C:\\rows.csv", "C:/rows.csv", b"x://y", None])
def test_paths_are_no_addresses(source: object) -> None:
    assert not is_address(source)
