"""The SQL that differs between engines: quoting, coding a value, hashing an identifier. One subclass an engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from dprelease.model.column import Column, ColumnType

HALF = 2**31 - 1
WORD = 2**62
"""Sums come from the engine in two parts, so that none is cut or wrapped."""
LONGEST = 200
"""Characters of a discovered category."""


SPACE = "[ \\t\\n\\f\\r]*"
_DIGITS = "[0-9](_?[0-9])*"
_DECIMAL = f"({_DIGITS}[.]?({_DIGITS})?|[.]{_DIGITS})([eE][-+]?[0-9]+)?"
_INFINITE = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"
NUMBER = f"^{SPACE}[-+]?({_DECIMAL}|{_INFINITE}){SPACE}$"
"""Text that is a number, as DuckDB's cast reads it; for engines whose own cast reads more, less or raises an error."""
DAY = f"^{SPACE}([0-9]{{1,4}})([-/ ])([0-9]{{1,2}})\\2([0-9]{{1,2}})"
_TIME = "[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?"
DATE = f"{DAY}({_TIME})?{SPACE}$"
"""Text that is a day, with or without a time, if there is such a day in the calendar."""


class Dialect(ABC):
    """Expressions over one source column. `storage` is the engine's own type name of that column."""

    integers: tuple[str, ...] = ()
    """Stored types of whole numbers that fit BIGINT."""
    double_type = "DOUBLE PRECISION"
    fence = ""
    """Ends a subquery whose expressions the engine must not repeat in the query around it."""

    def name(self, identifier: str) -> str:
        return '"' + identifier.replace('"', '""') + '"'

    def text(self, value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def double(self, value: Decimal) -> str:
        """The double nearest to a decimal, the same on every engine."""
        return f"CAST('{value:f}' AS {self.double_type})"

    def code(self, column: Column, storage: str) -> str:
        """The column's integer code 0..K, as BIGINT; NULL where the row has none and `missing` names no other."""
        code = f"CAST({self._code(column, storage)} AS BIGINT)"
        return f"COALESCE({code}, {column.code(column.missing)})" if column.complete else code

    def discovered(self, column: Column, storage: str) -> str:
        """The text of a value whose category is not declared, at most LONGEST characters of it; NULL where missing."""
        return f"SUBSTR({self.as_text(self.name(column.name), storage)}, 1, {LONGEST})"

    def _code(self, column: Column, storage: str) -> str:
        if column.type is ColumnType.CATEGORY:
            return self.category_code(self.as_text(self.name(column.name), storage), column.categories, column.other)
        if column.type is ColumnType.BOOLEAN:
            return self.boolean_code(self.name(column.name), storage)
        if column.type is ColumnType.DATE:
            return self.date_code(self.as_date(self.name(column.name), storage), column)
        if storage in self.integers and column.lattice.resolution == 1:
            return self.integer_code(self.name(column.name), column)
        return self.number_code(self.as_double(self.name(column.name), storage), column)

    def number_code(self, x: str, column: Column) -> str:
        """floor((x − lower) / resolution + 0.5), clipped to 0..K; null and NaN have none.

        The first threshold is lower + resolution / 2, not lower: with `x <= lower` an engine may raise an underflow
        on a value next to lower, which would be an error that depends on the data.
        """
        assert isinstance(column.lower, Decimal) and isinstance(column.upper, Decimal)
        lower, upper, step = column.lower, column.upper, column.lattice.resolution
        half = self.double(Decimal("0.5"))
        nearest = f"FLOOR(({x} - {self.double(lower)}) / {self.double(step)} + {half})"
        return (
            f"CASE WHEN {x} IS NULL OR {x} = CAST('NaN' AS {self.double_type}) THEN NULL "
            f"WHEN {x} < {self.double(lower + step / 2)} THEN 0 "
            f"WHEN {x} >= {self.double(upper)} THEN {column.lattice.steps} ELSE CAST({nearest} AS BIGINT) END"
        )

    def integer_code(self, x: str, column: Column) -> str:
        """The same in whole numbers, where values and lattice are whole; quicker, and never different."""
        return (
            f"CASE WHEN {x} <= {column.lower:f} THEN 0 WHEN {x} >= {column.upper:f} THEN {column.lattice.steps} "
            f"ELSE CAST({x} AS BIGINT) - ({column.lower:f}) END"
        )

    def date_code(self, x: str, column: Column) -> str:
        """Days since lower, clipped to 0..K."""
        assert isinstance(column.lower, date) and isinstance(column.upper, date)
        first, last = (f"DATE '{day.isoformat()}'" for day in (column.lower, column.upper))
        return (
            f"CASE WHEN {x} IS NULL THEN NULL WHEN {x} <= {first} THEN 0 "
            f"WHEN {x} >= {last} THEN {column.lattice.steps} ELSE {self.days_between(first, x)} END"
        )

    def boolean_code(self, x: str, storage: str) -> str:
        if storage.upper() == "BOOLEAN":
            return f"CASE WHEN {x} THEN 1 WHEN NOT {x} THEN 0 END"
        text = f"LOWER(TRIM({self.as_text(x, storage)}))"
        yes, no = "('true', 't', 'yes', 'y', '1')", "('false', 'f', 'no', 'n', '0')"
        return f"CASE WHEN {text} IN {yes} THEN 1 WHEN {text} IN {no} THEN 0 END"

    @abstractmethod
    def category_code(self, x: str, categories: Sequence[str], other: bool) -> str:
        """The position among the categories; for undeclared values the next one if `other`, else NULL."""

    @abstractmethod
    def as_text(self, x: str, storage: str) -> str:
        """Text of a value, NULL for NaN; whole floats without a point, so that 1.0 meets a category '1'."""

    @abstractmethod
    def as_double(self, x: str, storage: str) -> str:
        """A double, NULL where the value is no number; never an error."""

    @abstractmethod
    def as_date(self, x: str, storage: str) -> str:
        """A day, NULL where the value is none; never an error."""

    @abstractmethod
    def days_between(self, first: str, last: str) -> str:
        """Whole days from the first date to the last."""

    @abstractmethod
    def identifier(self, x: str, storage: str) -> str:
        """An identifier that equals another where they mean the same unit; NULL where it is missing."""

    @abstractmethod
    def identifier_number(self, u: str, storage: str) -> str:
        """A BIGINT that depends on the identifier alone: 7, 7.0 and '7' have the same, whatever the column's type."""

    @abstractmethod
    def text_number(self, x: str) -> str:
        """A BIGINT from 0 below 2^60 that depends on a text alone."""

    @abstractmethod
    def has_text(self, storage: str) -> bool:
        """Whether values of a stored type can be categories or identifiers."""

    @abstractmethod
    def has_numbers(self, storage: str) -> bool:
        """Whether values of a stored type can be numbers, also as text."""

    @abstractmethod
    def has_dates(self, storage: str) -> bool:
        """Whether values of a stored type can be dates, also as text."""

    def shifted(self, x: str, bits: int) -> str:
        """A BIGINT's higher bits."""
        return f"({x} >> {bits})"

    def narrow(self, code: str, codes: int) -> str:
        """A code 0..codes-1 in the smallest type that holds it."""
        return code

    def grouped(self, cell: str, cells: int) -> str:
        """A cell's number 0..cells-1, as what is quickest to group by."""
        return cell

    def scaled(self, code: str, codes: int, factor: int, divisor: int) -> str:
        """floor(code · factor / divisor) of a code 0..codes-1."""
        return self.divided(f"{code} * {factor}", divisor)

    @abstractmethod
    def divided(self, numerator: str, denominator: int) -> str:
        """Whole-number division of numbers that are not negative."""

    @abstractmethod
    def exact_sum(self, x: str) -> str:
        """An exact sum of numbers that are not negative, 0 over no rows, in a type of at least 128 bits."""

    @abstractmethod
    def low(self, total: str) -> str:
        """A total modulo WORD, as BIGINT."""

    @abstractmethod
    def high(self, total: str) -> str:
        """A total divided by WORD, rounded down, as BIGINT."""
