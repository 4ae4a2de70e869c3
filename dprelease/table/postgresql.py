"""PostgreSQL 12 or later: the table stays on its server, and a read-only account suffices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import errors

from dprelease.errors import InputError
from dprelease.model.privacy import PrivacyUnit
from dprelease.table.answer import Session, Table, TableError
from dprelease.table.dialect import DATE, DAY, NUMBER, WORD, Dialect
from dprelease.table.key_set import KeySet
from dprelease.table.warehouse import Warehouse

INTEGERS = ("smallint", "integer", "bigint")
FLOATS = ("real", "double precision")
TEXTS = ("text", "character varying", "character", "citext", "name", "enum")
TIMES = ("timestamp without time zone", "timestamp with time zone")
LARGEST, SMALLEST = "1e300", "1e-290"
"""Outside of these a numeric is no double, or nearly none; declared bounds are far inside."""
SETTINGS = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "SET LOCAL search_path = pg_catalog",
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL standard_conforming_strings = on",
)
COLUMNS = """
    SELECT attname, CASE WHEN base.typtype = 'e' THEN 'enum' ELSE format_type(base.oid, NULL) END
    FROM pg_attribute
    JOIN pg_type AS own ON own.oid = atttypid
    JOIN pg_type AS base ON base.oid = CASE own.typtype WHEN 'd' THEN own.typbasetype ELSE own.oid END
    WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
CHECKED_EVERY_SECONDS = 30
"""An idle connection is probed after this long, so that a lost server is noticed within a minute."""


class PostgreSQL(Dialect):
    """Casts that could fail are guarded, so that no error depends on the data."""

    fence = " OFFSET 0"
    integers = INTEGERS

    def category_code(self, x: str, categories: Sequence[str], other: bool) -> str:
        listed = ", ".join(self.text(category) for category in categories if "\0" not in category)
        position = f"CAST(ARRAY_POSITION(ARRAY[{listed}]::text[], {x}) - 1 AS BIGINT)"
        if not other:
            return position
        return f"CASE WHEN {x} IS NULL THEN NULL ELSE COALESCE({position}, {len(categories)}) END"

    def as_text(self, x: str, storage: str) -> str:
        text = f'CAST({x} AS TEXT) COLLATE "C"'
        if storage in FLOATS:
            whole = f"CASE WHEN {x} = FLOOR({x}) AND ABS({x}) < 9.2e18 THEN CAST(CAST({x} AS BIGINT) AS TEXT) END"
            infinite = f"CASE WHEN {x} = 'Infinity' THEN 'inf' WHEN {x} = '-Infinity' THEN '-inf' ELSE {text} END"
            return f"""(CASE WHEN {x} <> 'NaN' THEN COALESCE({whole}, {infinite}) END COLLATE "C")"""
        if storage == "numeric":
            short = f"CASE WHEN {text} LIKE '%.%' THEN RTRIM(RTRIM({text}, '0'), '.') ELSE {text} END"
            return f"(CASE WHEN {x} <> 'NaN' THEN {short} END)"
        return f"({text})"

    def as_double(self, x: str, storage: str) -> str:
        if storage == "double precision":
            return x
        if storage in (*INTEGERS, "real"):
            return f"CAST({x} AS DOUBLE PRECISION)"
        if storage == "boolean":
            return f"CAST(CAST({x} AS INTEGER) AS DOUBLE PRECISION)"
        if storage == "numeric":
            return self._nearest(x)
        text = f"REPLACE({self.as_text(x, storage)}, '_', '')"
        mantissa = f"SUBSTRING({text} FROM '[-+.0-9]+')"
        exponent = f"COALESCE(CAST(SUBSTRING({text} FROM '[eE]([-+]?[0-9]+)') AS NUMERIC), 0)"
        number = f"CAST({mantissa} || 'e' || LEAST(GREATEST({exponent}, -2000), 2000) AS NUMERIC)"
        infinite = f"CASE WHEN {text} LIKE '%-%' THEN '-Infinity'::float8 ELSE 'Infinity'::float8 END"
        return (
            f"(CASE WHEN {self.as_text(x, storage)} !~ {self.text(NUMBER)} OR LENGTH({text}) > 1000 THEN NULL "
            f"WHEN {text} ~* 'inf' THEN {infinite} ELSE {self._nearest(number)} END)"
        )

    def _nearest(self, number: str) -> str:
        """A numeric as a double, without the error that PostgreSQL raises for very large and very small ones."""
        infinite = f"CASE WHEN {number} > 0 THEN 'Infinity'::float8 ELSE '-Infinity'::float8 END"
        return (
            f"(CASE WHEN {number} = 'NaN' THEN NULL WHEN ABS({number}) > {LARGEST} THEN {infinite} "
            f"WHEN ABS({number}) < {SMALLEST} THEN 0 ELSE CAST({number} AS DOUBLE PRECISION) END)"
        )

    def as_date(self, x: str, storage: str) -> str:
        if storage == "date":
            return x
        if storage in TIMES:
            return f"CAST({x} AS DATE)"
        text = self.as_text(x, storage)
        year, month, day = (
            f"CAST((REGEXP_MATCH({text}, {self.text(DAY)}))[{place}] AS INTEGER)" for place in (1, 3, 4)
        )
        first = f"MAKE_DATE({year}, {month}, 1)"
        last = f"EXTRACT(DAY FROM {first} + INTERVAL '1 month' - INTERVAL '1 day')"
        return (
            f"(CASE WHEN {text} !~ {self.text(DATE)} OR {year} = 0 OR {month} NOT BETWEEN 1 AND 12 OR {day} = 0 "
            f"THEN NULL WHEN {day} <= {last} THEN MAKE_DATE({year}, {month}, {day}) END)"
        )

    def days_between(self, first: str, last: str) -> str:
        return f"CAST({last} - {first} AS BIGINT)"

    def identifier(self, x: str, storage: str) -> str:
        return f"CAST({x} AS BIGINT)" if storage in INTEGERS else self.as_text(x, storage)

    def identifier_number(self, u: str, storage: str) -> str:
        if storage in INTEGERS:
            return u
        number = f"CAST({u} AS NUMERIC)"
        return (
            f"CASE WHEN {u} !~ '^(0|-?[1-9][0-9]{{0,18}})$' THEN {self.text_number(u)} "
            f"WHEN {number} BETWEEN {-(2**63)} AND {2**63 - 1} THEN CAST({number} AS BIGINT) "
            f"ELSE {self.text_number(u)} END"
        )

    def text_number(self, x: str) -> str:
        return f"CAST(CAST('x0' || SUBSTR(ENCODE(SHA256(CONVERT_TO({x}, 'UTF8')), 'hex'), 1, 15) AS BIT(64)) AS BIGINT)"

    def has_text(self, storage: str) -> bool:
        return storage in (*INTEGERS, *FLOATS, *TEXTS, *TIMES, "numeric", "boolean", "date", "uuid")

    def has_numbers(self, storage: str) -> bool:
        return storage in (*INTEGERS, *FLOATS, *TEXTS, "numeric", "boolean")

    def has_dates(self, storage: str) -> bool:
        return storage in (*TEXTS, *TIMES, "date")

    def divided(self, numerator: str, denominator: int) -> str:
        return f"({numerator} / {denominator})"

    def exact_sum(self, x: str) -> str:
        return f"COALESCE(SUM({x}), 0)"

    def low(self, total: str) -> str:
        return f"CAST(MOD({total}, {WORD}) AS BIGINT)"

    def high(self, total: str) -> str:
        return f"CAST(DIV({total}, {WORD}) AS BIGINT)"


@dataclass(frozen=True)
class _Asking(Session):
    """Statements of one REPEATABLE READ, READ ONLY transaction. They leave nothing behind."""

    connection: psycopg.Connection[Any]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.connection.cursor(binary=True) as cursor:
            return cursor.execute(sql).fetchall()

    def columns(self, sql: str) -> Mapping[str, NDArray[Any]]:
        with self.connection.cursor(binary=True) as cursor:
            cursor.execute(sql)
            names = [column.name for column in cursor.description or ()]
            found = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, len(names))
        return dict(zip(names, found.T, strict=True))

    def batches(self, sets: Sequence[KeySet], unit: PrivacyUnit) -> list[list[KeySet]]:
        """One key set a statement, which PostgreSQL can answer in parallel; what is cut, is cut once for all."""
        return super().batches(sets, unit) if unit.column is not None else [[key_set] for key_set in sets]


class Server(Warehouse):
    """One table of one database. libpq's environment (PGPASSFILE, PGSERVICE, ...) holds as always."""

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self._transaction() as connection:
            yield _Asking(connection)

    def table(self) -> Table:
        dialect = PostgreSQL()
        name = ".".join(dialect.name(part) for part in self.address.table)
        with self._transaction() as connection:
            storage = {str(column): str(type_) for column, type_ in connection.execute(COLUMNS, [name]).fetchall()}
        if not storage:
            raise _refused("no table of this name", "the name of a table or view, with its schema")
        return Table(name, storage, dialect)

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection[Any]]:
        address = self.address
        given = {
            **dict(address.options),
            "host": address.option("host") or address.host or None,
            "port": address.port,
            "user": address.user or None,
            "password": self.password,
            "dbname": address.path[0] if address.path else None,
        }
        try:
            connection = psycopg.connect(
                **cast("dict[str, Any]", {name: value for name, value in given.items() if value is not None}),
                connect_timeout=10,
                application_name="dprelease",
                client_encoding="UTF8",
                keepalives_idle=CHECKED_EVERY_SECONDS,
                keepalives_interval=10,
                keepalives_count=3,
                prepare_threshold=None,
            )
        except psycopg.Error as cause:
            raise _translated(cause) from None
        try:
            for setting in SETTINGS:
                connection.execute(setting)
            yield connection
            connection.rollback()
        except psycopg.Error as cause:
            raise _translated(cause) from None
        finally:
            connection.close()


def _translated(cause: psycopg.Error) -> Exception:
    """The one place where PostgreSQL's errors become ours. Their own messages may quote values."""
    if isinstance(cause, errors.InsufficientPrivilege):
        return _refused(
            "no permission to read it",
            "an account that may SELECT from the table, or at least the columns that are used",
            "GRANT SELECT on it, and USAGE on its schema, to the account of the address.",
        )
    if isinstance(cause, errors.UndefinedTable | errors.UndefinedColumn | errors.InvalidSchemaName):
        return _refused("a table or column that is no longer there", "the table as it was registered")
    if isinstance(cause, errors.InvalidAuthorizationSpecification | errors.InvalidPassword):
        return _unreachable("a server that does not know the account or its password")
    if isinstance(cause, errors.QueryCanceled):
        return _unreachable("a query that the server stopped", "Ask for a longer statement_timeout for the account.")
    if isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
        return _unreachable("a server that cannot be reached, or a connection that broke")
    return TableError("the server could not answer: it stopped with an error of its own. Its log says more.")


def _refused(found: str, allowed: str, remedy: str = "") -> InputError:
    return InputError("table", found=found, allowed=allowed, remedy=remedy)


def _unreachable(found: str, remedy: str = "") -> InputError:
    allowed = "a server that answers at the address, with the account of the address"
    advice = "Check the server, the network and the account; passwords also come from PGPASSFILE or PGSERVICE."
    return InputError("connection", found=found, allowed=allowed, remedy=remedy or advice)
