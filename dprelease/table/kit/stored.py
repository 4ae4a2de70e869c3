"""Types that each engine stores values in, as far as single values of them can be made without a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from dprelease.table.kit.values import (
    KitValue,
    days,
    decimals,
    doubles,
    far_days,
    identifiers,
    moments,
    padded_texts,
    short_texts,
    singles,
    texts,
    truths,
    unsigned,
    whole,
)

LONG_AGO, FAR_OFF = -16_000.0, 3_700_000.0
"""Days before the year 1 and after 9999; where exactly makes no difference, as they are clipped."""


@dataclass(frozen=True)
class StoredType:
    """A stored type by the name that the engine gives it, by what a text is cast to, and with values of it."""

    storage: str
    cast: str
    values: tuple[KitValue, ...]


def stored_types(scheme: str) -> Iterator[StoredType]:
    """Yield every type of an engine; an enumeration or a domain cannot be made without a right to create one."""
    yield from {"duckdb": _duckdb, "postgresql": _postgresql, "spark": _spark}[scheme]()


def _same(name: str, values: tuple[KitValue, ...]) -> StoredType:
    return StoredType(name, name, values)


def _duckdb() -> Iterator[StoredType]:
    for bits, name in ((8, "TINYINT"), (16, "SMALLINT"), (32, "INTEGER"), (64, "BIGINT")):
        yield _same(name, whole(bits))
        yield _same("U" + name, unsigned(bits, exact=bits < 64))
    yield _same("HUGEINT", unsigned(100, exact=False))
    yield _same("DOUBLE", doubles())
    yield _same("FLOAT", singles())
    yield _same("DECIMAL(9,4)", decimals(9, 4))
    yield _same("DECIMAL(18,4)", decimals(18, 4))
    yield _same("DECIMAL(38,10)", decimals(38, 10, "1234567890123456789012345678.0123456789"))
    yield _same("DECIMAL(20,0)", decimals(20, 0, "1152921504606846977", "18446744073709551615"))
    yield _same("VARCHAR", texts())
    yield _same("BOOLEAN", truths())
    far = {"infinity": inf, "-infinity": -inf, "10000-01-01": FAR_OFF, "0044-03-15 (BC)": LONG_AGO}
    yield _same("DATE", (*days(), *far_days(far)))
    yield _same("TIMESTAMP", (*moments(), *far_days(far)))
    yield _same("TIMESTAMP_S", moments(places=0))
    yield _same("TIMESTAMP_MS", moments(places=3))
    yield _same("TIMESTAMP WITH TIME ZONE", (*moments(zone=True), *far_days({"infinity": inf, "-infinity": -inf})))
    yield _same("UUID", identifiers())


def _postgresql() -> Iterator[StoredType]:
    for bits, name in ((16, "smallint"), (32, "integer"), (64, "bigint")):
        yield _same(name, whole(bits))
    yield _same("double precision", doubles())
    yield _same("real", singles())
    wide = (
        "1e400",
        "-1e400",
        "1e-400",
        "Infinity",
        "-Infinity",
        "NaN",
        "1e300",
        "1e-290",
        "1e-291",
        "1.50000",
        "0.000",
    )
    yield _same("numeric", decimals(60, 30, *wide, "1234567890123456789012345678.0123456789", "18446744073709551615"))
    yield StoredType("numeric", "numeric(20,0)", decimals(20, 0, "1152921504606846977"))
    yield StoredType("numeric", "numeric(30,4)", decimals(30, 4))
    yield _same("text", texts())
    yield StoredType("character varying", "varchar(2000)", texts())
    yield StoredType("character", "character(60)", padded_texts(60))
    yield _same("name", short_texts(60))
    yield _same("boolean", truths())
    far = {"infinity": inf, "-infinity": -inf, "10000-01-01": FAR_OFF, "0044-03-15 BC": LONG_AGO}
    yield _same("date", (*days(), *far_days(far)))
    yield _same("timestamp without time zone", (*moments(), *far_days(far)))
    yield _same("timestamp with time zone", (*moments(zone=True), *far_days(far)))
    yield _same("uuid", identifiers())


def _spark() -> Iterator[StoredType]:
    for bits, name in ((8, "tinyint"), (16, "smallint"), (32, "int"), (64, "bigint")):
        yield _same(name, whole(bits))
    yield _same("double", doubles())
    yield _same("float", singles())
    yield _same("decimal(9,4)", decimals(9, 4))
    yield _same("decimal(18,4)", decimals(18, 4))
    yield _same("decimal(38,10)", decimals(38, 10, "1234567890123456789012345678.0123456789"))
    yield _same("decimal(20,0)", decimals(20, 0, "1152921504606846977", "18446744073709551615"))
    yield _same("string", texts())
    yield _same("boolean", truths())
    yield _same("date", (*days(), *far_days({"+10000-01-01": FAR_OFF, "-0044-03-15": LONG_AGO})))
    yield _same("timestamp_ntz", moments())
    yield _same("timestamp", moments(zone=True))
