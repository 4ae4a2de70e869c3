"""Apache Spark 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dprelease.table.dialect import WORD, Dialect
from dprelease.table.grammar import DATE, DAY, LONGEST_NUMBER, NUMBER
from dprelease.table.identifier import EXACT_DOUBLE, EXACT_SINGLE

INTEGERS = ("tinyint", "smallint", "int", "bigint")
FLOATS = ("float", "double")
TIMES = ("timestamp", "timestamp_ntz")
SUMMED_BITS = 22


class Spark(Dialect):
    """Casts are tried, so that no error depends on the data; sums are of few bits at a time, and exact."""

    double_type = "DOUBLE"
    text_type = "STRING"
    text_storage = "string"
    spreads = True
    integers = INTEGERS
    floats: Mapping[str, int] = {"double": EXACT_DOUBLE, "float": EXACT_SINGLE}

    def name(self, identifier: str) -> str:
        return "`" + identifier.replace("`", "``") + "`"

    def text(self, value: str) -> str:
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def matches(self, text: str, pattern: str) -> str:
        r"""Match a pattern by Java's \z: its `$` also stands before a line's end that is not matched."""
        return f"{text} RLIKE {self.text(f'^({pattern})' + chr(92) + 'z')}"

    def group(self, text: str, pattern: str) -> str:
        return f"REGEXP_EXTRACT({text}, {self.text(f'^(?:{pattern})' + chr(92) + 'z')}, 1)"

    def every(self, text: str, pattern: str, new: str) -> str:
        return f"REGEXP_REPLACE({text}, {self.text(pattern)}, {self.text(new)})"

    def position(self, x: str, categories: Sequence[str]) -> str:
        listed = ", ".join(self.text(category) for category in categories)
        return f"(NULLIF(ARRAY_POSITION(ARRAY({listed}), {x}), 0) - 1)"

    def as_text(self, x: str, storage: str) -> str:
        if storage in FLOATS:
            return self.float_text(x, single=storage == "float")
        text = f"CAST({x} AS STRING)"
        if storage.startswith("decimal") and not storage.endswith(",0)"):
            return f"RTRIM('.', RTRIM('0', {text}))"
        if storage in ("date", *TIMES):
            return self.dated_text(x, f"CONCAT({text}, '+00')" if storage == "timestamp" else text)
        return text

    def as_double(self, x: str, storage: str) -> str:
        if storage != "string":
            return x if storage == "double" else f"CAST({x} AS DOUBLE)"
        sound = f"{self.matches(x, NUMBER)} AND LENGTH({x}) <= {LONGEST_NUMBER}"
        return f"CASE WHEN {sound} THEN TRY_CAST({x} AS DOUBLE) END"

    def as_date(self, x: str, storage: str) -> str:
        if storage != "string":
            return x if storage == "date" else f"CAST({x} AS DATE)"
        year, month, day = (f"REGEXP_EXTRACT({x}, {self.text(DAY)}, {place})" for place in (1, 2, 3))
        text = f"CONCAT_WS('-', {year}, {month}, {day})"
        return f"CASE WHEN {self.matches(x, DATE)} THEN TRY_CAST({text} AS DATE) END"

    def later(self, day: str, days: str) -> str:
        return f"DATE_ADD({day}, CAST({days} AS INT))"

    def days_between(self, first: str, last: str) -> str:
        return f"CAST(DATEDIFF({last}, {first}) AS BIGINT)"

    def is_text(self, storage: str) -> bool:
        return storage == "string"

    def small_number(self, text: str) -> str:
        return f"TRY_CAST({text} AS INT)"

    def text_number(self, x: str) -> str:
        return f"CAST(CONV(SUBSTR(SHA2({x}, 256), 1, 15), 16, 10) AS BIGINT)"

    def has_text(self, storage: str) -> bool:
        return storage in (*INTEGERS, *FLOATS, *TIMES, "string", "boolean", "date") or storage.startswith("decimal")

    def has_numbers(self, storage: str) -> bool:
        return storage in (*INTEGERS, *FLOATS, "string", "boolean") or storage.startswith("decimal")

    def has_dates(self, storage: str) -> bool:
        return storage in (*TIMES, "string", "date")

    def shifted(self, x: str, bits: int) -> str:
        return f"SHIFTRIGHT({x}, {bits})"

    def spread(self, source: str, names: Sequence[str], each: Sequence[Sequence[str]]) -> str:
        values = ", ".join(value for row in each for value in row)
        return f"SELECT STACK({len(each)}, {values}) AS ({', '.join(names)}) FROM {source}"

    def divided(self, numerator: str, denominator: int | str) -> str:
        return f"({numerator} DIV {denominator})"

    def exact_sum(self, x: str, below: int) -> str:
        """Add large numbers SUMMED_BITS bits at a time: a sum of decimals takes several times as long.

        Whole numbers do not wrap here: beyond 2^41 rows there would be an error.
        """
        parts = []
        for start in range(0, max(1, (below - 1).bit_length()), SUMMED_BITS):
            bits = x if below <= 2**SUMMED_BITS else f"({self.shifted(x, start)} & {2**SUMMED_BITS - 1})"
            parts.append(f"CAST(COALESCE(SUM({bits}), 0) AS DECIMAL(20, 0)) * {2**start}")
        return f"({' + '.join(parts)})"

    def low(self, total: str) -> str:
        return f"CAST({total} % {WORD} AS BIGINT)"

    def high(self, total: str) -> str:
        return f"CAST({total} DIV {WORD} AS BIGINT)"
