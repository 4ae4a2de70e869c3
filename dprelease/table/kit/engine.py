"""Which engine is checked: the one in this process, or the one at an address."""

from __future__ import annotations

from dprelease.table.address import read_server
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.engine import Engine
from dprelease.table.kit.check import Conformance, check
from dprelease.table.warehouse import open_warehouse


def check_engine(address: str | None) -> Conformance:
    """Compares every code of the kit. Needs a right to connect and no other; an address may leave the table out.

    Raises InputError where there is no such server, and TableError where it cannot answer.
    """
    if address is None:
        return check(Engine().session(), DuckDB(), "duckdb")
    found, password = read_server(address)
    warehouse = open_warehouse(found, password)
    with warehouse.apart() as session:
        return check(session, warehouse.dialect(), found.scheme)
