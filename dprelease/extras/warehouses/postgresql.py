"""PostgreSQL 12 or later: the table stays on its server, and a read-only account suffices."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import errors

from dprelease.errors import InputError
from dprelease.table.address import Address
from dprelease.table.answer import Session, Table, TableError
from dprelease.table.dialect import WORD, Dialect
from dprelease.table.grammar import DATE, DAY, LONGEST_NUMBER, NUMBER
from dprelease.table.identifier import EXACT_DOUBLE, EXACT_SINGLE
from dprelease.table.warehouse import Warehouse
from dprelease.words import NOTHING, Phrase, phrase, verbatim

INTEGERS = ("smallint", "integer", "bigint")
FLOATS = ("real", "double precision")
TEXTS = ("text", "character varying", "character", "citext", "name", "enum")
TIMES = ("timestamp without time zone", "timestamp with time zone")
LARGEST, SMALLEST, VANISHING = "1e300", "1e-290", "2.4703282292062327e-324"
"""Outside of the first two a numeric is no double, or nearly none; declared numbers are far inside. Up to the last one
the nearest double is 0."""
SETTINGS = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    "SET LOCAL search_path = pg_catalog",
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL standard_conforming_strings = on",
    "SET LOCAL row_security = off",  # an error where rows would be left out
)
COLUMNS = """
    WITH RECURSIVE own AS (
        SELECT attname, attnum, atttypid AS type FROM pg_attribute
        WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped
        UNION ALL SELECT attname, attnum, typbasetype FROM own JOIN pg_type ON oid = type WHERE typtype = 'd'
    )
    SELECT attname, CASE WHEN typtype = 'e' THEN 'enum' WHEN typname = 'citext' AND typcategory = 'S' THEN 'citext'
        ELSE format_type(oid, NULL) END
    FROM own JOIN pg_type ON oid = type WHERE typtype <> 'd' ORDER BY attnum
"""
"""Query of a table's columns and types; of a domain, the type below it."""
ENCODINGS = (
    *("UTF8", "LATIN1", "LATIN2", "LATIN4", "LATIN5", "LATIN6", "LATIN7", "LATIN8", "LATIN9", "LATIN10"),
    *("ISO_8859_5", "KOI8R", "KOI8U", "WIN866", "WIN1256"),
)
"""Encodings whose every text is one in UTF-8 too. In others a single row's text could be an error: in SQL_ASCII any
bytes are stored, and in WIN1252 some that mean nothing, which text of UTF-8 is full of that was loaded for another."""
FILTERED = "SELECT row_security_active(to_regclass(%s)::oid)"
NEVER_IN_THE_CLEAR = "!password,!md5"
CHECKED_EVERY_SECONDS = 30
"""An idle connection is probed after this long, so that a lost server is noticed within a minute."""


class PostgreSQL(Dialect):
    """Casts that could fail are guarded, so that no error depends on the data."""

    text_type = "TEXT"
    text_storage = "text"
    fence = " OFFSET 0"
    integers = INTEGERS
    floats: Mapping[str, int] = {"double precision": EXACT_DOUBLE, "real": EXACT_SINGLE}

    def matches(self, text: str, pattern: str) -> str:
        return f"{text} ~ {self.text(f'^({pattern})$')}"

    def group(self, text: str, pattern: str) -> str:
        return f"SUBSTRING({text} FROM {self.text(f'^(?:{pattern})$')})"

    def position(self, x: str, categories: Sequence[str]) -> str:
        listed = ", ".join(self.text(category) for category in categories)
        return f"CAST(ARRAY_POSITION(ARRAY[{listed}]::text[], {x}) - 1 AS BIGINT)"

    def as_text(self, x: str, storage: str) -> str:
        if storage in FLOATS:
            return f"""({self.float_text(x, single=storage == "real")} COLLATE "C")"""
        text = f'CAST({x} AS TEXT) COLLATE "C"'
        if storage == "numeric":
            short = f"CASE WHEN {text} LIKE '%.%' THEN RTRIM(RTRIM({text}, '0'), '.') ELSE {text} END"
            infinite = f"WHEN {x} = 'Infinity' THEN 'inf' WHEN {x} = '-Infinity' THEN '-inf'"
            return f"(CASE WHEN {x} = 'NaN' THEN NULL {infinite} ELSE {short} END)"
        if storage in ("date", *TIMES):
            return f"({self.dated_text(x, text)})"
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
        text = self.as_text(x, storage)
        mantissa = f"SUBSTRING({text} FROM '[-+.0-9]+')"
        exponent = f"COALESCE(CAST(SUBSTRING({text} FROM '[eE]([-+]?[0-9]+)') AS NUMERIC), 0)"
        number = f"CAST({mantissa} || 'e' || LEAST(GREATEST({exponent}, -2000), 2000) AS NUMERIC)"
        infinite = f"CASE WHEN {text} LIKE '%-%' THEN '-Infinity'::float8 ELSE 'Infinity'::float8 END"
        return (
            f"(CASE WHEN NOT {self.matches(text, NUMBER)} OR LENGTH({text}) > {LONGEST_NUMBER} THEN NULL "
            f"WHEN {text} ~* 'inf' THEN {infinite} ELSE {self._nearest(number)} END)"
        )

    def _nearest(self, number: str) -> str:
        """Return a numeric as a double, without the error that PostgreSQL raises for very large and very small ones."""
        infinite = f"CASE WHEN {number} > 0 THEN 'Infinity'::float8 ELSE '-Infinity'::float8 END"
        small = f"CAST('{SMALLEST}' AS DOUBLE PRECISION)"
        return (
            f"(CASE WHEN {number} = 'NaN' THEN NULL WHEN ABS({number}) > {LARGEST} THEN {infinite} "
            f"WHEN ABS({number}) <= {VANISHING} THEN 0 WHEN ABS({number}) < {SMALLEST} THEN SIGN({number}) * {small} "
            f"ELSE CAST({number} AS DOUBLE PRECISION) END)"
        )

    def as_date(self, x: str, storage: str) -> str:
        if storage == "date":
            return x
        if storage in TIMES:
            return f"CAST({x} AS DATE)"
        text = self.as_text(x, storage)
        year, month, day = (
            f"CAST((REGEXP_MATCH({text}, {self.text(DAY)}))[{place}] AS INTEGER)" for place in (1, 2, 3)
        )
        first = f"MAKE_DATE({year}, {month}, 1)"
        last = f"EXTRACT(DAY FROM {first} + INTERVAL '1 month' - INTERVAL '1 day')"
        return (
            f"(CASE WHEN NOT {self.matches(text, DATE)} THEN NULL "
            f"WHEN {day} <= {last} THEN MAKE_DATE({year}, {month}, {day}) END)"
        )

    def is_void(self, x: str, storage: str) -> str:
        return f"{x} IS NULL OR {x} = 'NaN'" if storage == "numeric" else super().is_void(x, storage)

    def later(self, day: str, days: str) -> str:
        return f"({day} + CAST({days} AS INTEGER))"

    def days_between(self, first: str, last: str) -> str:
        return f"CAST({last} - {first} AS BIGINT)"

    def is_text(self, storage: str) -> bool:
        return storage in TEXTS

    def small_number(self, text: str) -> str:
        return f"CAST(SUBSTRING({text} FROM '^-?[0-9]{{1,3}}$') AS INTEGER)"

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

    def divided(self, numerator: str, denominator: int | str) -> str:
        return f"({numerator} / {denominator})"

    def low(self, total: str) -> str:
        return f"CAST(MOD({total}, {WORD}) AS BIGINT)"

    def high(self, total: str) -> str:
        return f"CAST(DIV({total}, {WORD}) AS BIGINT)"


@dataclass(frozen=True)
class PostgreSQLSession(Session):
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


class Server(Warehouse):
    """One table of one database. libpq's environment holds, but for what would send a password to another server."""

    dialect = PostgreSQL

    @contextmanager
    def session(self) -> Iterator[Session]:
        with self._transaction() as connection:
            yield PostgreSQLSession(connection)

    def table(self) -> Table:
        dialect = PostgreSQL()
        name = ".".join(dialect.name(part) for part in self.address.table)
        with self._transaction() as connection:
            storage = {str(column): str(type_) for column, type_ in connection.execute(COLUMNS, [name]).fetchall()}
            filtered = connection.execute(FILTERED, [name]).fetchone()
        if not storage:
            raise _refused(phrase("table.no_table_name"), phrase("table.name_table_view_schema"))
        if filtered is not None and filtered[0]:
            raise _some_rows()
        return Table(name, storage, dialect)

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection[Any]]:
        address = self.address
        service = address.option("service")
        if service is None and os.environ.get("PGSERVICE"):
            raise _refused_service()
        given = {
            **transport(address),
            "hostaddr": "" if service is None else None,  # nor does $PGHOSTADDR send the password elsewhere
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
            if connection.info.parameter_status("server_encoding") not in ENCODINGS:
                raise _refused(
                    phrase("table.database_encoding_may_hold"),
                    verbatim(", ".join(ENCODINGS)),
                    phrase("table.move_table_database_utf8"),
                )
            for setting in SETTINGS:
                connection.execute(setting)
            yield connection
            connection.rollback()
        except psycopg.Error as cause:
            raise _translated(cause) from None
        finally:
            connection.close()


def _translated(cause: psycopg.Error) -> Exception:
    """Translate PostgreSQL's errors into ours, here alone. Their own messages may quote values."""
    if isinstance(cause, errors.InsufficientPrivilege) and cause.diag.source_function == "check_enable_rls":
        return _some_rows()
    if isinstance(cause, errors.InsufficientPrivilege):
        return _refused(
            phrase("table.no_permission_read"),
            phrase("table.account_may_select_from"),
            phrase("table.grant_select_usage_schema"),
        )
    if isinstance(cause, errors.UndefinedTable | errors.UndefinedColumn | errors.InvalidSchemaName):
        return _refused(phrase("table.table_column_no_longer"), phrase("table.table_was_registered"))
    if isinstance(cause, errors.InvalidAuthorizationSpecification | errors.InvalidPassword):
        return _unreachable(phrase("table.server_does_know_account"))
    if isinstance(cause, errors.QueryCanceled):
        return _unreachable(phrase("table.query_server_stopped"), phrase("table.ask_longer_statement_timeout"))
    if isinstance(cause, psycopg.OperationalError | psycopg.InterfaceError):
        return _unreachable(phrase("table.server_cannot_reached_connection"))
    return TableError("the server could not answer: it stopped with an error of its own. Its log says more.")


def transport(address: Address) -> dict[str, str]:
    """Return the options to reach a server: by TLS that proves who it is, and no password goes to it but by SCRAM.

    On this machine, by loopback or a socket, no TLS is asked for, and a password is not sent in the clear or by MD5.
    """
    given = dict(address.options)
    if "service" not in given and is_here(given.get("host") or address.host):
        return {"require_auth": NEVER_IN_THE_CLEAR, **given}
    proof = "gss" if "krbsrvname" in given else "scram-sha-256,none" if "sslcert" in given else "scram-sha-256"
    chosen = {"sslmode": "verify-full", "require_auth": proof, **given}
    known = "PGSSLROOTCERT" in os.environ or (Path.home() / ".postgresql" / "root.crt").exists() or "service" in given
    if chosen["sslmode"] == "verify-full" and not known:
        chosen.setdefault("sslrootcert", "system")
    return chosen


def is_here(host: str) -> bool:
    """Return True if a host is this machine: loopback, or the folder of a socket."""
    if host == "localhost" or host.startswith(("/", "@")):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _some_rows() -> InputError:
    return InputError(
        "table",
        found=phrase("table.row_level_security_account"),
        allowed=phrase("table.table_account_may_read"),
        remedy=phrase("table.give_account_bypassrls_name"),
    )


def _refused(found: Phrase, allowed: Phrase, remedy: Phrase = NOTHING) -> InputError:
    return InputError("table", found=found, allowed=allowed, remedy=remedy)


def _refused_service() -> InputError:
    return InputError(
        "connection",
        found=phrase("table.pgservice_beside_address_names"),
        allowed=phrase("table.address_service_no_pgservice"),
        remedy=phrase("table.password_service_would_go"),
    )


def _unreachable(found: Phrase, remedy: Phrase = NOTHING) -> InputError:
    allowed = phrase("table.server_answers_at_address")
    advice = phrase("table.check_server_network_account")
    return InputError("connection", found=found, allowed=allowed, remedy=remedy or advice)
