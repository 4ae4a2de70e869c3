"""DuckDB, the embedded default."""

from __future__ import annotations

from collections.abc import Sequence

from dprelease.table.dialect import WORD, Dialect

FLOATS = ("DOUBLE", "FLOAT", "REAL")
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
WITHOUT_TEXT = ("TIME", "INTERVAL", "BLOB", "BIT", "STRUCT", "MAP", "UNION", "GEOMETRY", "VARIANT")
"""Types whose text DuckDB cannot always make (it aborts on some timestamps), or that no category could equal."""


WITHOUT_NUMBERS = (*WITHOUT_TEXT, "DATE", "UUID")
WITH_DATES = ("VARCHAR", "DATE", "TIMESTAMP", "ENUM")
EXACT_DIGITS = 15
"""Decimals of more digits are read as doubles by way of text: the engine's own way rounds twice."""


class DuckDB(Dialect):
    """TRY_CAST turns what is no number or date into NULL; ENUM looks categories up by hash."""

    integers = INTEGERS

    def category_code(self, x: str, categories: Sequence[str], other: bool) -> str:
        listed = ", ".join(self.text(category) for category in categories)
        position = f"CAST(ENUM_CODE(TRY_CAST({x} AS ENUM({listed}))) AS BIGINT)"
        if not other:
            return position
        return f"CASE WHEN {x} IS NULL THEN NULL ELSE COALESCE({position}, {len(categories)}) END"

    def as_text(self, x: str, storage: str) -> str:
        if storage in FLOATS:
            whole = f"CASE WHEN {x} = FLOOR({x}) THEN TRY_CAST({x} AS BIGINT) END"
            return f"CASE WHEN NOT ISNAN({x}) THEN COALESCE(CAST({whole} AS VARCHAR), CAST({x} AS VARCHAR)) END"
        if storage.startswith("DECIMAL"):
            text = f"CAST({x} AS VARCHAR)"
            return f"CASE WHEN CONTAINS({text}, '.') THEN RTRIM(RTRIM({text}, '0'), '.') ELSE {text} END"
        return x if storage == "VARCHAR" else f"CAST({x} AS VARCHAR)"

    def as_double(self, x: str, storage: str) -> str:
        if storage.startswith("DECIMAL") and int(storage[8:].split(",")[0]) > EXACT_DIGITS:
            return f"CAST(CAST({x} AS VARCHAR) AS DOUBLE)"
        return x if storage == "DOUBLE" else f"TRY_CAST({x} AS DOUBLE)"

    def as_date(self, x: str, storage: str) -> str:
        return x if storage == "DATE" else f"TRY_CAST({x} AS DATE)"

    def days_between(self, first: str, last: str) -> str:
        return f"DATE_DIFF('day', {first}, {last})"

    def identifier(self, x: str, storage: str) -> str:
        return f"CAST({x} AS BIGINT)" if storage in INTEGERS else self.as_text(x, storage)

    def identifier_number(self, u: str, storage: str) -> str:
        if storage in INTEGERS:
            return u
        number = f"TRY_CAST({u} AS BIGINT)"
        return f"CASE WHEN CAST({number} AS VARCHAR) = {u} THEN {number} ELSE {self.text_number(u)} END"

    def text_number(self, x: str) -> str:
        return f"CAST('0x' || SUBSTR(SHA256({x}), 1, 15) AS BIGINT)"

    def has_text(self, storage: str) -> bool:
        return not storage.startswith(WITHOUT_TEXT) and not storage.endswith("]")

    def has_numbers(self, storage: str) -> bool:
        return not storage.startswith(WITHOUT_NUMBERS) and not storage.endswith("]")

    def has_dates(self, storage: str) -> bool:
        return storage.startswith(WITH_DATES) and not storage.endswith("]")

    def narrow(self, code: str, codes: int) -> str:
        type_ = "UTINYINT" if codes <= 2**8 else "USMALLINT" if codes <= 2**16 else "INTEGER"
        return f"CAST({code} AS {type_})"

    def grouped(self, cell: str, cells: int) -> str:
        """Types of which DuckDB knows that an array of groups will do."""
        return f"CAST({cell} AS USMALLINT)" if cells <= 2**16 else cell

    def scaled(self, code: str, codes: int, factor: int, divisor: int) -> str:
        """By a multiplication and a shift, which are quicker than a division, where they come to the same.

        With m = ⌈factor · 2^s / divisor⌉ and e = m · divisor − factor · 2^s, code · m / 2^s is too large by
        code · e / (divisor · 2^s). That is below 1 / divisor, so that no whole number is passed, if code · e < 2^s.
        """
        shift = 61 - ((codes - 1) * factor // divisor + 1).bit_length()
        multiplier = -(-(factor << max(0, shift)) // divisor)
        if shift > 0 and (codes - 1) * (multiplier * divisor - (factor << shift)) < 1 << shift:
            return f"(({code} * {multiplier}) >> {shift})"
        return super().scaled(code, codes, factor, divisor)

    def divided(self, numerator: str, denominator: int) -> str:
        return f"({numerator} // {denominator})"

    def exact_sum(self, x: str) -> str:
        return f"COALESCE(SUM({x}), 0)"

    def low(self, total: str) -> str:
        return f"CAST({total} % {WORD} AS BIGINT)"

    def high(self, total: str) -> str:
        return f"CAST({total} // {WORD} AS BIGINT)"
