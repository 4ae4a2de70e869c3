"""Addresses of tables on PostgreSQL and Spark.

postgresql://[user[:password]@]host[:port]/database/[schema.]table[?sslmode=...]
spark://host:port/folder/of/parquet        spark://local/folder/of/parquet
spark://host:port/?table=catalog.schema.table
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

from dprelease.errors import InputError
from dprelease.table.address import Address, Scheme, check_names, names_of, unreadable
from dprelease.words import phrase, verbatim

WORDS = {
    "sslmode": ("verify-full", "verify-ca", "require", "disable"),
    "require_auth": ("scram-sha-256", "gss", "sspi", "none"),
}
"""Allowed values of some options: never what leaves it to the server if anything is encrypted or a password is sent."""


def _postgresql(address: Address, raw: str) -> Address:
    options = dict(address.options)
    given = options.pop("table", None)
    parts = [part for part in raw.split("/") if part]
    if given is None and len(parts) > 1:
        given = unquote(parts.pop())
    service = "service" in options
    _goes_to_one_place(address)
    for name, allowed in WORDS.items():
        words = options.get(name, allowed[0]).split(",")
        if unknown := [word for word in words if word not in allowed]:
            raise InputError("address", found=f"{name}={unknown[0]}", allowed=verbatim(", ".join(allowed)))
    if given is None or len(parts) > 1 or not (parts or service):
        raise unreadable(POSTGRESQL)
    table = names_of(given)
    if not all(table) or len(table) > 2:
        raise unreadable(POSTGRESQL)
    found = table if len(table) == 2 else ("public", *table)
    check_names(POSTGRESQL, *found, *map(unquote, parts))
    return replace(address, path=tuple(map(unquote, parts)), table=found, options=tuple(sorted(options.items())))


def _goes_to_one_place(address: Address) -> None:
    """libpq connects to the option `host` rather than to the host of the address, and gives it a service's password."""
    written = {
        "a host": address.host,
        "the option host": address.option("host"),
        "the option service": address.option("service"),
        "a port": address.port if address.option("service") else None,
    }
    named = [name for name, value in written.items() if value is not None and value != ""]
    if not named:
        raise unreadable(POSTGRESQL)
    if len(named) > 1:
        raise InputError(
            "address",
            found=" and ".join(named),
            allowed=phrase("model.one_them"),
            remedy=phrase("table.password_kept_one_server"),
        )


def _spark(address: Address, raw: str) -> Address:
    options = dict(address.options)
    named, folder = options.pop("table", None), options.get("parquet")
    kinds = [named, folder, address.path or None]
    if sum(kind is not None for kind in kinds) != 1 or not address.host or address.user:
        raise unreadable(SPARK)
    if (address.host == "local") != (address.port is None):
        raise unreadable(SPARK)
    table = names_of(named) if named is not None else ()
    if not all(table) or len(table) > 3 or ".." in address.path:
        raise unreadable(SPARK)
    check_names(SPARK, *table, *address.path, folder or "x")
    return replace(address, table=table, options=tuple(sorted(options.items())))


POSTGRESQL = Scheme(
    name="postgresql",
    form=verbatim("postgresql://user@host:port/database/schema.table"),
    options=frozenset(
        (
            *("table", "host", "service", "sslmode", "sslrootcert", "sslcert", "sslkey"),
            *("channel_binding", "require_auth", "krbsrvname"),
        )
    ),
    read=_postgresql,
    module="dprelease.extras.warehouses.postgresql",
    warehouse="Server",
    path_parts=2,
    catalogue="dprelease.extras.warehouses.postgresql_catalogue:read_catalogue",
)
SPARK = Scheme(
    name="spark",
    form=phrase("table.spark_host_port_folder"),
    options=frozenset(("table", "parquet")),
    read=_spark,
    module="dprelease.extras.warehouses.spark",
    warehouse="Cluster",
)
