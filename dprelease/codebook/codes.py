"""Codes for no answer as one line of text, as a table of columns or a codebook has them: `-99, 900..999, ..-1`."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Any

from dprelease.model.report import as_decimal

NONE = "-"
"""Says that there are none; an empty cell says nothing. Quoted, it is a code."""
END = r"[-+]?[0-9][-+.0-9eE]*"
BETWEEN = re.compile(rf"(?P<low>{END})?\s*(?:\.\.\.?|…|–|\bto\b|\ba\b|\bthru\b)\s*(?P<high>{END})?", re.IGNORECASE)
AT_MOST = re.compile(rf"(?:<=|≤|lo\s+thru|lowest\s+thru)\s*(?P<high>{END})", re.IGNORECASE)
AT_LEAST = re.compile(rf"(?:(?:>=|≥)\s*(?P<low>{END})|(?P<from>{END})\s+thru\s+hi(?:ghest)?)", re.IGNORECASE)


def read_line(text: str) -> list[Any]:
    """Codes apart by commas, semicolons, tabs or lines, as in a plan: `900..999` is a range, `..-1` an open one."""
    if text.strip() == NONE:
        return []
    lines = csv.reader(text.replace("\t", "\n").replace(";", "\n").splitlines(), skipinitialspace=True)
    return [_code(item.strip()) for cells in lines for item in cells if item.strip()]


def _code(text: str) -> Any:
    for pattern in (AT_MOST, AT_LEAST, BETWEEN):
        found = pattern.fullmatch(text)
        if found is not None:
            ends = found.groupdict()
            low, high = ends.get("low") or ends.get("from"), ends.get("high")
            if low or high:
                return {key: end for key, end in (("from", low), ("to", high)) if end}
    return text


def write_line(codes: Iterable[Any]) -> str:
    """The inverse of `read_line`, of codes as in a plan file."""
    return ", ".join(map(_written, codes)) or NONE


def within(value: str, codes: Iterable[Any]) -> bool:
    """Whether a value, as text, is one of some codes or within a range of them."""
    number = as_decimal(value)
    for code in codes:
        if not isinstance(code, dict):
            if str(code) == value:
                return True
        elif number is not None:
            low, high = as_decimal(code.get("from")), as_decimal(code.get("to"))
            if (low is None or low <= number) and (high is None or number <= high):
                return True
    return False


def _written(code: Any) -> str:
    if isinstance(code, dict):
        return f"{_number(code.get('from', ''))}..{_number(code.get('to', ''))}"
    text = _number(code)
    return '"' + text.replace('"', '""') + '"' if text == NONE or set(text) & set(',;\n\t"') else text


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and f"{value:g}" == str(value) else str(value)
