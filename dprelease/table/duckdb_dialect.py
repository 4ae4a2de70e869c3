"""DuckDB, the embedded default."""

from __future__ import annotations

from collections.abc import Sequence

from dprelease.table.dialect import HALF, Dialect

FLOATS = ("DOUBLE", "FLOAT", "REAL")
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
LIMIT = 2**62


class DuckDB(Dialect):
    """TRY_CAST turns what is no number or date into NULL; ENUM looks categories up by hash."""

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
        return x if storage == "VARCHAR" else f"CAST({x} AS VARCHAR)"

    def as_double(self, x: str, storage: str) -> str:
        return x if storage == "DOUBLE" else f"TRY_CAST({x} AS DOUBLE)"

    def as_date(self, x: str, storage: str) -> str:
        return x if storage == "DATE" else f"TRY_CAST({x} AS DATE)"

    def days_between(self, first: str, last: str) -> str:
        return f"DATE_DIFF('day', {first}, {last})"

    def unit_halves(self, x: str, storage: str) -> tuple[str, str, str]:
        if storage in INTEGERS:
            number = f"CAST({x} AS BIGINT)"
            return number, f"({number} & {HALF})", f"(({number} >> 31) & {HALF})"
        text = self.as_text(x, storage)
        number = f"CAST('0x' || SUBSTR(SHA256({text}), 1, 15) AS BIGINT)"
        return text, f"({number} & {HALF})", f"(({number} >> 31) & {HALF})"

    def divided(self, numerator: str, denominator: int) -> str:
        return f"({numerator} // {denominator})"

    def exact_sum(self, x: str) -> str:
        return f"CAST(LEAST(GREATEST(COALESCE(SUM({x}), 0), -{LIMIT}), {LIMIT}) AS BIGINT)"
