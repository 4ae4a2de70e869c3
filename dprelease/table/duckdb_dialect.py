"""DuckDB, the embedded default."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dprelease.model.column import Column
from dprelease.model.date_form import DateForm, roles
from dprelease.model.number_form import NumberForm
from dprelease.model.separators import EDGES, LONGEST
from dprelease.table.dialect import WORD, Dialect
from dprelease.table.grammar import DATE, DAY, LONGEST_NUMBER, NUMBER
from dprelease.table.identifier import EXACT_DOUBLE, EXACT_SINGLE

FLOATS = ("DOUBLE", "FLOAT", "REAL")
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
TEXTS = ("VARCHAR", "ENUM", "JSON")
NUMBERS = (*INTEGERS, *FLOATS, "UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL", "BOOLEAN", "NULL", *TEXTS)
WITH_TEXT = (*NUMBERS, "DATE", "UUID")
"""Not timestamps, since DuckDB aborts on the text of some, nor types that it may come to have."""
WITH_DATES = (*TEXTS, "DATE", "TIMESTAMP")
EXACT_DIGITS = 15
"""Decimals of more digits are read as doubles by way of text: the engine's own way rounds twice."""


class DuckDB(Dialect):
    """Text is read by the grammar, not by the engine's casts, which read more; ENUM looks categories up by hash."""

    integers = INTEGERS
    floats: Mapping[str, int] = {"DOUBLE": EXACT_DOUBLE, "FLOAT": EXACT_SINGLE, "REAL": EXACT_SINGLE}

    def position(self, x: str, categories: Sequence[str]) -> str:
        listed = ", ".join(self.text(category) for category in categories)
        return f"CAST(ENUM_CODE(TRY_CAST({x} AS ENUM({listed}))) AS BIGINT)"

    def canonical(self, column: Column, storage: str) -> str | None:
        return None if self._at_once(column, storage) else super().canonical(column, storage)

    def value(self, column: Column, storage: str, read: str = "") -> str | None:
        return self._at_once(column, storage) or super().value(column, storage, read)

    def _at_once(self, column: Column, storage: str) -> str | None:
        """The value of a form by functions of one text each, which DuckDB applies once to each text of a dictionary.

        In a branch of a CASE it would apply them to each row: NULL is added instead where a text is too long. One that
        a pattern does not match becomes one that no cast takes. No pattern begins or ends with a blank, so that texts
        are tried as they are; trimming takes longer, and stands in a CASE so that it is not done to every row.
        None for forms that need a CASE by text.
        """
        form = column.reading
        if not self.is_text(storage) or not isinstance(form, NumberForm | DateForm):
            return None
        text = self.as_text(self.name(column.name), storage)
        parts = self._numbers if isinstance(form, NumberForm) else self._days
        written, trimmed = (", ".join(parts(form, each)) for each in (text, self.trimmed(text, EDGES)))  # type: ignore[arg-type]
        short = f"LENGTH({text}) <= {LONGEST}"
        rest = f"CASE WHEN {short} THEN COALESCE({trimmed}) END"
        return f"(COALESCE({written}, {rest}) + CASE WHEN {short} THEN 0 END)" if written else None

    def _numbers(self, form: NumberForm, bare: str) -> Iterator[str]:
        for pattern, below in form.patterns:
            digits = self.group(bare, pattern)
            for sign in form.groups:
                digits = self.replaced(digits, sign, "")
            yield f"{'-' if below else ''}TRY_CAST({self.replaced(digits, form.decimal, '.')} AS DOUBLE)"

    def _days(self, form: DateForm, bare: str) -> Iterator[str]:
        if any(sorted(roles(layout)) != ["d", "m", "y"] for layout in form.layouts):
            return
        for layout in form.layouts:
            year, month, day = (self.group(bare, form.pattern(layout, role)) for role in "ymd")
            yield f"TRY_CAST(CONCAT({self.replaced(year, '0000', 'x')}, '-', {month}, '-', {day}) AS DATE)"

    def is_nan(self, x: str) -> str:
        """Not `x = 'NaN'`: from a Parquet file's statistics, which leave NaN out, DuckDB concludes that it never is."""
        return f"ISNAN({x})"

    def matches(self, text: str, pattern: str) -> str:
        return f"REGEXP_FULL_MATCH({text}, {self.text(pattern)})"

    def group(self, text: str, pattern: str) -> str:
        return f"REGEXP_EXTRACT({text}, {self.text(f'^(?:{pattern})$')}, 1)"

    def as_text(self, x: str, storage: str) -> str:
        if storage in FLOATS:
            return self.float_text(x, single=storage != "DOUBLE")
        if storage.startswith("DECIMAL"):
            text = f"CAST({x} AS VARCHAR)"
            return f"CASE WHEN CONTAINS({text}, '.') THEN RTRIM(RTRIM({text}, '0'), '.') ELSE {text} END"
        text = x if storage == "VARCHAR" else f"CAST({x} AS VARCHAR)"
        return self.dated_text(x, text) if storage.startswith(("DATE", "TIMESTAMP")) else text

    def as_double(self, x: str, storage: str) -> str:
        if storage.startswith("DECIMAL") and int(storage[8:].split(",")[0]) > EXACT_DIGITS:
            return f"CAST(CAST({x} AS VARCHAR) AS DOUBLE)"
        if not storage.startswith(TEXTS):
            return x if storage == "DOUBLE" else f"CAST({x} AS DOUBLE)"
        text = self.as_text(x, storage)
        sound = f"{self.matches(text, NUMBER)} AND LENGTH({text}) <= {LONGEST_NUMBER}"
        return f"CASE WHEN {sound} THEN TRY_CAST({text} AS DOUBLE) END"

    def as_date(self, x: str, storage: str) -> str:
        if not storage.startswith(TEXTS):
            return x if storage == "DATE" else f"TRY_CAST({x} AS DATE)"
        text = self.as_text(x, storage)
        first = f"REGEXP_EXTRACT({text}, {self.text(DAY)}, ['y', 'm', 'd'])"
        other = f"TRY_CAST(CONCAT_WS('-', {first}.y, {first}.m, {first}.d) AS DATE)"
        plain = f"WHEN {text} LIKE '____-__-__' THEN TRY_CAST({text} AS DATE)"
        return f"CASE WHEN NOT {self.matches(text, DATE)} THEN NULL {plain} ELSE {other} END"

    def later(self, day: str, days: str) -> str:
        return f"({day} + CAST({days} AS INTEGER))"

    def days_between(self, first: str, last: str) -> str:
        return f"DATE_DIFF('day', {first}, {last})"

    def is_text(self, storage: str) -> bool:
        return storage.startswith(TEXTS)

    def small_number(self, text: str) -> str:
        return f"TRY_CAST({text} AS INTEGER)"

    def text_number(self, x: str) -> str:
        return f"CAST('0x' || SUBSTR(SHA256({x}), 1, 15) AS BIGINT)"

    def has_text(self, storage: str) -> bool:
        return storage.strip('"').startswith(WITH_TEXT) and not storage.endswith("]")

    def has_numbers(self, storage: str) -> bool:
        return storage.strip('"').startswith(NUMBERS) and not storage.endswith("]")

    def has_dates(self, storage: str) -> bool:
        return storage.startswith(WITH_DATES) and not storage.endswith("]")

    def narrow(self, code: str, codes: int) -> str:
        type_ = "UTINYINT" if codes <= 2**8 else "USMALLINT" if codes <= 2**16 else "INTEGER"
        return f"CAST({code} AS {type_})"

    def grouped(self, cell: str, cells: int) -> str:
        """Types of which DuckDB knows that an array of groups will do."""
        return f"CAST({cell} AS USMALLINT)" if cells <= 2**16 else cell

    def scaled(self, code: str, codes: int, factor: int, divisor: int) -> str:
        """Multiply and shift, which is quicker than a division, where they come to the same.

        With m = ⌈factor · 2^s / divisor⌉ and e = m · divisor − factor · 2^s, code · m / 2^s is too large by
        code · e / (divisor · 2^s). That is below 1 / divisor, so that no whole number is passed, if code · e < 2^s.
        """
        shift = 61 - ((codes - 1) * factor // divisor + 1).bit_length()
        multiplier = -(-(factor << max(0, shift)) // divisor)
        if shift > 0 and (codes - 1) * (multiplier * divisor - (factor << shift)) < 1 << shift:
            return f"(({code} * {multiplier}) >> {shift})"
        return super().scaled(code, codes, factor, divisor)

    def divided(self, numerator: str, denominator: int | str) -> str:
        return f"({numerator} // {denominator})"

    def low(self, total: str) -> str:
        return f"CAST({total} % {WORD} AS BIGINT)"

    def high(self, total: str) -> str:
        return f"CAST({total} // {WORD} AS BIGINT)"
