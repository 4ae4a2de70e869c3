"""The SQL that differs between engines: quoting, coding a value, hashing an identifier. One subclass an engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal

from dprelease.model.column import ORDERED, Column, ColumnType
from dprelease.model.missing import BLANKS, End
from dprelease.table.absent import absent
from dprelease.table.form import canonical
from dprelease.table.grammar import DECIMALS, NO, SINGLE_DECIMALS, YES
from dprelease.table.identifier import canonical_sql

HALF = 2**31 - 1
WORD = 2**62
"""Sums come from the engine in two parts, so that none is cut or wrapped."""
LONGEST = 200
"""Characters of a discovered category."""


class Dialect(ABC):
    """Expressions over one source column. `storage` is the engine's own type name of that column."""

    integers: tuple[str, ...] = ()
    """Stored types of whole numbers that fit BIGINT."""
    floats: Mapping[str, int] = {}
    """Stored types of floats, and the number from which on one stands for several whole numbers."""
    double_type = "DOUBLE PRECISION"
    text_type = "VARCHAR"
    text_storage = "VARCHAR"
    """Stored type of a column of texts."""
    spreads = False
    """True if one pass over the rows answers several key sets only where each row is spread over them."""
    fence = ""
    """Ends a subquery whose expressions the engine must not repeat in the query around it."""

    def name(self, identifier: str) -> str:
        return '"' + identifier.replace('"', '""') + '"'

    def text(self, value: str) -> str:
        return "'" + value.replace("'", "''") + "'"

    def double(self, value: Decimal) -> str:
        """Return SQL of the double nearest to a decimal, the same on every engine."""
        return f"CAST('{value:f}' AS {self.double_type})"

    def canonical(self, column: Column, storage: str) -> str | None:
        """The text that the grammar is to read of a cell, by its column's form; None where it reads the cell itself."""
        if column.reading is None or not self.is_text(storage):
            return None
        return canonical(column.reading, self.as_text(self.name(column.name), storage), self)

    def value(self, column: Column, storage: str, read: str = "") -> str | None:
        """The number or the day that a text says; None where a code is made of what is stored, or of another text.

        This and `canonical` are long: a query has each as an expression of its own, the value made of the name of the
        canonical text (`read`). `code` and `discovered` are given the name of the last that a cell has.
        """
        if column.type not in ORDERED or not self.is_text(storage):
            return None
        x, storage = (read, self.text_storage) if read else (self.name(column.name), storage)
        return self.as_date(x, storage) if column.type is ColumnType.DATE else self.as_double(x, storage)

    def code(self, column: Column, storage: str, read: str = "") -> str:
        """The column's integer code 0..K, as BIGINT; NULL where the row has no value and none that it counts as.

        `read`: the name of its value or its canonical text, where it has one.
        """
        code = f"CAST({self._answered(column, storage, self._code(column, storage, read), read)} AS BIGINT)"
        return f"COALESCE({code}, {column.code(column.count_missing_as)})" if column.complete else code

    def bare_code(self, column: Column, storage: str, read: str = "") -> str:
        """Return SQL of the code of a value, whatever stands for no answer and whatever that counts as."""
        return self._code(column, storage, read)

    def discovered(self, column: Column, storage: str, read: str = "") -> str:
        """The text of a value whose category is not declared, at most LONGEST characters of it; NULL where missing."""
        text = f"SUBSTR({read or self.as_text(self.name(column.name), storage)}, 1, {LONGEST})"
        return self._answered(column, storage, text, read)

    def _answered(self, column: Column, storage: str, value: str, read: str) -> str:
        """A value, but NULL where the stored one is a code for no answer: before anything else is made of it."""
        tests = [f"COALESCE({test}, FALSE)" for test in absent(column, storage, self, read)]
        return f"CASE WHEN {' OR '.join(tests)} THEN NULL ELSE {value} END" if tests else value

    def _code(self, column: Column, storage: str, read: str) -> str:
        if column.type in ORDERED:
            return self._ordered_code(column, storage, read)
        x, storage = (read, self.text_storage) if read else (self.name(column.name), storage)
        if column.type is ColumnType.BOOLEAN:
            return f"CASE {read} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END" if read else self.boolean_code(x, storage)
        return self.category_code(self.as_text(x, storage), column.categories, column.other)

    def _ordered_code(self, column: Column, storage: str, read: str) -> str:
        """floor((x − lower) / resolution + 0.5), clipped to 0..K; null, NaN and what is declared missing have none.

        Where values and lattice are whole, as days since lower are, the same in whole numbers: quicker, and never
        different. The first threshold is lower + resolution / 2, not lower: with `x <= lower` an engine may raise an
        underflow on a value next to lower, which would be an error that depends on the data.
        """
        x, last = self._value(column, storage, read), column.lattice.steps
        below, above = self.beyond(column, storage, read)
        strays = f"WHEN {below} THEN NULL " if column.outside.below is End.MISSING else ""
        strays += f"WHEN {above} THEN NULL " if column.outside.above is End.MISSING else ""
        lower, upper = column.lower, column.upper
        if isinstance(lower, date) and isinstance(upper, date):
            first, days = f"DATE '{lower.isoformat()}'", f"DATE '{upper.isoformat()}'"
            return (
                f"CASE WHEN {x} IS NULL THEN NULL {strays}WHEN {x} <= {first} THEN 0 "
                f"WHEN {x} >= {days} THEN {last} ELSE {self.days_between(first, x)} END"
            )
        assert isinstance(lower, Decimal) and isinstance(upper, Decimal)
        if self._is_whole(column, storage):
            return (
                f"CASE {strays}WHEN {x} <= {lower:f} THEN 0 WHEN {x} >= {upper:f} THEN {last} "
                f"ELSE CAST({x} AS BIGINT) - ({lower:f}) END"
            )
        step = column.lattice.resolution
        half = self.double(Decimal("0.5"))
        nearest = f"FLOOR(({x} - {self.double(lower)}) / {self.double(step)} + {half})"
        return (
            f"CASE WHEN {x} IS NULL OR {self.is_nan(x)} THEN NULL "
            f"{strays}WHEN {x} < {self.double(lower + step / 2)} THEN 0 "
            f"WHEN {x} >= {self.double(upper)} THEN {last} ELSE CAST({nearest} AS BIGINT) END"
        )

    def beyond(self, column: Column, storage: str, read: str = "") -> tuple[str, str]:
        """Tests that a number or a day lies below, and above, what is declared; of one that is not NaN.

        What rounds to a bound does not, so that the ends are half a step beyond the bounds.
        """
        x, lower, upper = self._value(column, storage, read), column.lower, column.upper
        if isinstance(lower, date) and isinstance(upper, date):
            return f"{x} < DATE '{lower.isoformat()}'", f"{x} > DATE '{upper.isoformat()}'"
        assert isinstance(lower, Decimal) and isinstance(upper, Decimal)
        if self._is_whole(column, storage):
            return f"{x} < {lower:f}", f"{x} > {upper:f}"
        half = column.lattice.resolution / 2
        return f"{x} < {self.double(lower - half)}", f"{x} > {self.double(upper + half)}"

    def _value(self, column: Column, storage: str, read: str) -> str:
        """Return SQL of the number or day of a cell of an ordered column."""
        x = self.name(column.name)
        if column.type is ColumnType.DATE:
            return read or self.as_date(x, storage)
        return x if self._is_whole(column, storage) else read or self.as_double(x, storage)

    def _is_whole(self, column: Column, storage: str) -> bool:
        return storage in self.integers and column.lattice.resolution == 1

    def dated_text(self, x: str, text: str) -> str:
        """The text of a day or time in the years 1 to 9999; others have none, since engines write them differently."""
        return f"CASE WHEN CAST({x} AS DATE) BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {text} END"

    def boolean_code(self, x: str, storage: str) -> str:
        if storage.upper() == "BOOLEAN":
            return f"CASE WHEN {x} THEN 1 WHEN NOT {x} THEN 0 END"
        text = self.as_text(x, storage)
        return f"CASE WHEN {self.matches(text, YES)} THEN 1 WHEN {self.matches(text, NO)} THEN 0 END"

    def is_nan(self, x: str) -> str:
        """Return SQL that is true where a double is NaN."""
        return f"{x} = CAST('NaN' AS {self.double_type})"

    def is_void(self, x: str, storage: str) -> str:
        """Return SQL that is true where nothing is stored: NULL or NaN."""
        return f"{x} IS NULL OR {self.is_nan(x)}" if storage in self.floats else f"{x} IS NULL"

    def float_text(self, x: str, *, single: bool) -> str:
        """The one text of a float: a whole number's digits, else few enough decimals that all engines have them alike.

        An engine's own text of a float is not that of another. This is made of whole-number arithmetic, and of
        FLOOR(fraction · 10^decimals + 0.5) in doubles. NULL for NaN, and from 2^63 on but for the infinities.
        """
        d = f"CAST({x} AS {self.double_type})"
        size = f"ABS({d})"
        whole = f"CAST(CAST({d} AS BIGINT) AS {self.text_type})"
        fractions = [
            f"{f'WHEN {size} < {limit} THEN' if limit else 'ELSE'} {self._rounded(d, decimals)}"
            for limit, decimals in (SINGLE_DECIMALS if single else DECIMALS)
        ]
        infinite = [f"WHEN {d} = {self.infinite(sign)} THEN '{sign}'" for sign in ("inf", "-inf")]
        return (
            f"CASE WHEN {self.is_nan(d)} THEN NULL {' '.join(infinite)} "
            f"WHEN {size} >= {self.double(Decimal(2**63))} THEN NULL "
            f"WHEN {d} = FLOOR({d}) THEN {whole} {' '.join(fractions)} END"
        )

    def infinite(self, sign: str) -> str:
        return f"CAST('{sign}' AS {self.double_type})"

    def _rounded(self, d: str, decimals: int) -> str:
        """The text of a fraction, by the whole number of its last decimal place; without zeros at its end."""
        size, power = f"ABS({d})", 10**decimals
        part = f"CAST(FLOOR(({size} - FLOOR({size})) * {power} + {self.double(Decimal('0.5'))}) AS BIGINT)"
        total = f"(CAST(FLOOR({size}) AS BIGINT) * {power} + {part})"
        sign = f"CASE WHEN {d} < 0 AND {total} > 0 THEN '-' ELSE '' END"
        digits = f"CAST({self.divided(total, power)} AS {self.text_type})"
        places = f"SUBSTR(CAST({power} + {total} % {power} AS {self.text_type}), 2)"
        return f"{sign} || {digits} || TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM '.' || {places}))"

    @abstractmethod
    def matches(self, text: str, pattern: str) -> str:
        """Return SQL that is true where a whole text matches a pattern of the grammar; NULL where the text is NULL."""

    @abstractmethod
    def group(self, text: str, pattern: str) -> str:
        """Return SQL for the content of a pattern's one group, of a whole text that it matches."""

    def every(self, text: str, pattern: str, new: str) -> str:
        """Return SQL of a text with another in the place of each part that matches a pattern."""
        return f"REGEXP_REPLACE({text}, {self.text(pattern)}, {self.text(new)}, 'g')"

    def replaced(self, text: str, old: str, new: str) -> str:
        """Return SQL of a text with another in the place of one, wherever that stands."""
        return f"REPLACE({text}, {self.text(old)}, {self.text(new)})"

    def trimmed(self, text: str, blanks: str = BLANKS) -> str:
        """Return SQL of a text without blanks at its ends."""
        return f"TRIM(BOTH {self.text(blanks)} FROM {text})"

    def category_code(self, x: str, categories: Sequence[str], other: bool) -> str:
        """Return SQL of the position among the categories; for undeclared values the next one if `other`, else NULL."""
        place = self.position(x, categories)
        return f"CASE WHEN {x} IS NULL THEN NULL ELSE COALESCE({place}, {len(categories)}) END" if other else place

    @abstractmethod
    def position(self, x: str, categories: Sequence[str]) -> str:
        """Return SQL of the place of a text among some, from 0, as BIGINT; NULL where it is none of them."""

    @abstractmethod
    def as_text(self, x: str, storage: str) -> str:
        """Text of a value, NULL for NaN; whole numbers without a point, so that 1.0 meets a category '1'."""

    @abstractmethod
    def as_double(self, x: str, storage: str) -> str:
        """Return SQL of a double, NULL where the value is no number; never an error."""

    @abstractmethod
    def as_date(self, x: str, storage: str) -> str:
        """Return SQL of a day, NULL where the value is none; never an error."""

    @abstractmethod
    def later(self, day: str, days: str) -> str:
        """Return SQL of the date some days, a whole number, after another one."""

    @abstractmethod
    def days_between(self, first: str, last: str) -> str:
        """Whole days from the first date to the last."""

    def identifier(self, x: str, storage: str) -> str:
        """Return SQL of an identifier that equals another where they mean the same unit; NULL where it is missing."""
        if storage in self.integers:
            return f"CAST({x} AS BIGINT)"
        text = self.as_text(x, storage)
        if storage in self.floats:
            return f"CASE WHEN ABS({x}) < {self.floats[storage]} THEN {text} END"
        return canonical_sql(text, self) if self.is_text(storage) else text

    @abstractmethod
    def is_text(self, storage: str) -> bool:
        """Return True if values of a stored type are texts."""

    @abstractmethod
    def small_number(self, text: str) -> str:
        """Return SQL of a text of at most three digits, and a minus, as a whole number; never an error."""

    def identifier_number(self, u: str, storage: str) -> str:
        """A BIGINT that depends on the identifier alone: 7, 7.0 and '7' have the same, whatever the column's type."""
        if storage in self.integers:
            return u
        number = f"TRY_CAST({u} AS BIGINT)"
        return f"CASE WHEN CAST({number} AS {self.text_type}) = {u} THEN {number} ELSE {self.text_number(u)} END"

    @abstractmethod
    def text_number(self, x: str) -> str:
        """Return SQL of a BIGINT from 0 below 2^60 that depends on a text alone."""

    @abstractmethod
    def has_text(self, storage: str) -> bool:
        """Return True if values of a stored type can be categories or identifiers."""

    @abstractmethod
    def has_numbers(self, storage: str) -> bool:
        """Return True if values of a stored type can be numbers, also as text."""

    @abstractmethod
    def has_dates(self, storage: str) -> bool:
        """Return True if values of a stored type can be dates, also as text."""

    def shifted(self, x: str, bits: int) -> str:
        """Return SQL of a BIGINT's higher bits."""
        return f"({x} >> {bits})"

    def narrow(self, code: str, codes: int) -> str:
        """Return SQL of a code 0..codes-1 in the smallest type that holds it."""
        return code

    def spread(self, source: str, names: Sequence[str], each: Sequence[Sequence[str]]) -> str:
        """Several rows (names) made of every row of a source: each of them a list of expressions."""
        rows = ", ".join(f"({', '.join(row)})" for row in each)
        return f"SELECT each.* FROM {source} CROSS JOIN LATERAL (VALUES {rows}) AS each({', '.join(names)})"

    def grouped(self, cell: str, cells: int) -> str:
        """Return SQL of a cell's number 0..cells-1, as what is quickest to group by."""
        return cell

    def scaled(self, code: str, codes: int, factor: int, divisor: int) -> str:
        """floor(code · factor / divisor) of a code 0..codes-1."""
        return self.divided(f"{code} * {factor}", divisor)

    @abstractmethod
    def divided(self, numerator: str, denominator: int | str) -> str:
        """Whole-number division of numbers that are not negative, by one above 0."""

    def exact_sum(self, x: str, below: int) -> str:
        """Return SQL of an exact sum of whole numbers 0..below-1, 0 over no rows, in a type that holds any."""
        return f"COALESCE(SUM({x}), 0)"

    @abstractmethod
    def low(self, total: str) -> str:
        """Return SQL of a total modulo WORD, as BIGINT."""

    @abstractmethod
    def high(self, total: str) -> str:
        """Return SQL of a total divided by WORD, rounded down, as BIGINT."""
