"""Values that stand for no answer: declared codes, ranges of them, and values outside a column's bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from dprelease.model.encoding import plain
from dprelease.model.report import Report, as_decimal, join, read_date
from dprelease.words import phrase

CODES = "missing_codes"
FILLED = "count_missing_as"
MAX_CODES = 1000
BLANKS = " \t\n\x0b\f\r"
"""Blanks left out at both ends of a text before it is compared with a code."""
NUMBER = re.compile(r"[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,4})?")


class End(StrEnum):
    """Treatment of a value beyond a bound."""

    CLIP = "clip"
    """Count the value as the bound."""
    MISSING = "missing"
    """Count the value as missing."""


@dataclass(frozen=True, slots=True)
class OutsideAnswer:
    """Treatment of values beyond either bound."""

    below: End = End.CLIP
    above: End = End.CLIP

    def __bool__(self) -> bool:
        """Return True if some of them count as no value."""
        return End.MISSING in (self.below, self.above)

    def to_mapping(self) -> str | dict[str, str]:
        """Return the answer as in a plan file."""
        if self.below is self.above:
            return self.below.value
        return {"below": self.below.value, "above": self.above.value}

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> OutsideAnswer:
        """Read `clip`, `missing`, or one of them for each end."""
        names = [end.value for end in End]
        if isinstance(value, Mapping):
            fields = report.mapping(value, path, allowed=("below", "above"))
            ends = [
                End((fields.get(key) and report.choice(fields[key], join(path, key), names)) or End.CLIP)
                for key in ("below", "above")
            ]
            return cls(*ends)
        if value not in names:
            report.add(path, found=value, allowed=phrase("model.clip_missing_below_above"))
            return cls()
        return cls(End(str(value)), End(str(value)))


CLIPPED = OutsideAnswer()


@dataclass(frozen=True, slots=True)
class CodeRange:
    """All values from `low` to `high`, both included: numbers or days. An end that is None is open."""

    low: Decimal | date | None
    high: Decimal | date | None

    @property
    def days(self) -> bool:
        return isinstance(self.low or self.high, date)

    def holds(self, value: Any) -> bool:
        """Return True if a number or day, of the same kind as the ends, is within the range."""
        low, high = self.low, self.high
        return not ((low is not None and value < low) or (high is not None and value > high))


Code = Decimal | date | str | CodeRange
"""A number or a day, compared by value; a text; or a range."""


def read_codes(value: object, path: str, report: Report) -> tuple[Code, ...]:
    """Return a list of codes as in a plan file; an empty one says that there are none."""
    if not isinstance(value, list | tuple) or len(value) > MAX_CODES:
        found = phrase("model.codes", count=len(value)) if isinstance(value, list | tuple) else value
        report.add(path, found=found, allowed=phrase("model.list_at_most_codes", max_codes=MAX_CODES))
        return ()
    codes = [_read_code(item, f"{path}[{index}]", report) for index, item in enumerate(value)]
    return tuple(dict.fromkeys(code for code in codes if code is not None))


def _read_code(value: object, path: str, report: Report) -> Code | None:
    if isinstance(value, Mapping):
        return _read_range(value, path, report)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return report.text(value.strip(BLANKS), path)
    return report.decimal(value, path, allowed=phrase("model.text_number_at_most"))


def _read_range(value: Mapping[Any, Any], path: str, report: Report) -> CodeRange | None:
    before = len(report.problems)
    fields = report.mapping(value, path, allowed=("from", "to"))
    low, high = (_read_end(fields.get(key), join(path, key), report) for key in ("from", "to"))
    if len(report.problems) > before:
        return None
    if low is None and high is None:
        report.add(path, found=phrase("model.range_without_ends"), allowed=phrase("model.from_both"))
        return None
    if low is not None and high is not None and (type(low) is not type(high) or low > high):  # type: ignore[operator]
        allowed = phrase("model.two_numbers_two_days")
        report.add(path, found=phrase("model.range_without_values"), allowed=allowed)
        return None
    return CodeRange(low, high)


def _read_end(value: object, path: str, report: Report) -> Decimal | date | None:
    day = read_date(value)
    return day if value is None or day is not None else report.decimal(value, path)


def to_list(codes: Iterable[Code]) -> list[Any]:
    """Return codes as in a plan file."""
    return [
        {key: _written(end) for key, end in (("from", code.low), ("to", code.high)) if end is not None}
        if isinstance(code, CodeRange)
        else _written(code)
        for code in codes
    ]


def _written(code: Decimal | date | str) -> Any:
    return plain(code) if isinstance(code, Decimal) else as_text(code)


def as_text(code: Decimal | date | str) -> str:
    """Return a single code as it would stand in a cell."""
    return f"{code:f}" if isinstance(code, Decimal) else code.isoformat() if isinstance(code, date) else code


def as_cell(value: object) -> str:
    """Return a declared value as it would stand in a cell."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def as_number(code: Decimal | date | str) -> Decimal | str:
    """Return a single code in a column of numbers: a number where its text is one, else that text."""
    text = as_text(code)
    return Decimal(text) if NUMBER.fullmatch(text) else text


def as_day(code: Decimal | date | str) -> date | str:
    """Return a single code in a column of dates: a day where its text is one, else that text."""
    return read_date(as_text(code)) or as_text(code)


def usable(code: Code) -> bool:
    """Return True if a code is usable: a number that JSON and doubles hold, or anything that is no number."""
    return not isinstance(code, Decimal) or as_decimal(code) is not None


def told(codes: Iterable[Code]) -> str:
    """Return codes for people, in signs that need no translation: `-99, 900 … 999, ≥ 9000`."""
    return ", ".join(_told(code) for code in codes)


def _told(code: Code) -> str:
    if not isinstance(code, CodeRange):
        return as_text(code) or '""'
    low, high = (None if end is None else as_text(end) for end in (code.low, code.high))
    return f"≤ {high}" if low is None else f"≥ {low}" if high is None else f"{low} … {high}"
