"""SQL that tests stored values for the codes for no answer, the same for every engine."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from dprelease.model.column import NUMERIC, ORDERED, Column, ColumnType
from dprelease.model.missing import CodeRange
from dprelease.table.identifier import EXACT_SINGLE

if TYPE_CHECKING:
    from dprelease.table.dialect import Dialect


def absent(column: Column, storage: str, dialect: Dialect, read: str = "") -> list[str]:
    """Tests of one stored value, each true, false or NULL, that come to no error whatever the value is.

    Numbers and days are compared by value: -99, -99.0 and ' -99' alike. Everything else is compared by its text,
    without blanks at the ends. Ranges are of numbers, also where the column's own values are categories.
    `read`: the name of an ordered column's value, where a text says it; other cells are compared as they are stored.
    """
    return list(_tests(column, storage, dialect, read)) if column.missing_codes else []


def _tests(column: Column, storage: str, dialect: Dialect, read: str) -> Iterator[str]:
    codes = column.missing_codes or ()
    name = dialect.name(column.name)
    texts = [dialect.text(code) for code in codes if isinstance(code, str)]
    if texts and (dialect.is_text(storage) if column.type is ColumnType.DATE else dialect.has_text(storage)):
        yield f"{dialect.trimmed(dialect.as_text(name, storage))} IN ({', '.join(texts)})"
    if column.type is ColumnType.DATE:
        yield from _days(column, read or dialect.as_date(name, storage))
    elif dialect.has_numbers(storage):
        x = read if read and column.type in ORDERED else dialect.as_double(name, storage)
        yield from _numbers(column, x, single=dialect.floats.get(storage) == EXACT_SINGLE, dialect=dialect)


def _days(column: Column, x: str) -> Iterator[str]:
    codes = column.missing_codes or ()
    single = [_day(code) for code in codes if isinstance(code, date)]
    if single:
        yield f"{x} IN ({', '.join(single)})"
    for code in codes:
        if isinstance(code, CodeRange):
            ends = (("{x} >= {end}", code.low), ("{x} <= {end}", code.high))
            yield " AND ".join(test.format(x=x, end=_day(end)) for test, end in ends if isinstance(end, date))


def _numbers(column: Column, x: str, *, single: bool, dialect: Dialect) -> Iterator[str]:
    codes = column.missing_codes or ()
    numbers = [code for code in codes if isinstance(code, Decimal)]
    if numbers and column.type in NUMERIC:
        listed = dict.fromkeys(dialect.double(each) for code in numbers for each in nearest(code, single=single))
        yield f"{x} IN ({', '.join(listed)})"
    for code in codes:
        if isinstance(code, CodeRange):
            low, high = (
                nearest(end, single=single) if isinstance(end, Decimal) else () for end in (code.low, code.high)
            )
            tests = [f"{x} >= {dialect.double(min(low))}"] if low else []
            yield " AND ".join([*tests, *([f"{x} <= {dialect.double(max(high))}"] if high else [])])


def nearest(code: Decimal, *, single: bool) -> tuple[Decimal, ...]:
    """Return what a declared number may be stored as: itself, or the nearest one of 32 bits, as -9.9 in a short float.

    Short floats are often widened, and keep their value. Where that is a whole number, another one may be meant: the
    nearest one to 99999999 is 100000000. It is the code only in what is stored in 32 bits (`single`).
    """
    try:
        (short,) = struct.unpack("f", struct.pack("f", float(code)))
    except OverflowError:
        return (code,)
    return tuple(dict.fromkeys((code, Decimal(short)))) if single or short % 1 else (code,)


def _day(day: date) -> str:
    return f"DATE '{day.isoformat()}'"
