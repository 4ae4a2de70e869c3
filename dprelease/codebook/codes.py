"""Codes for no answer as one line of text, as a table of columns or a codebook has them: `-99, 900..999, ..-1`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from decimal import Decimal
from itertools import accumulate
from typing import Any

from dprelease.codebook.bounds import ExactText
from dprelease.model.report import as_decimal

INFINITE = Decimal("Infinity")
NONE = "-"
"""Says that there are none; an empty cell says nothing. Quoted, it is a code."""
MINUS = re.compile(r"−|(?:^|(?<=[.…]))–(?=[0-9])")
"""Pattern of the minus signs that word processors write before a number."""
END = r"[-+]?[0-9][-+.,0-9eE]*"
OPEN = re.compile(rf"(?P<low>{END})?\s*(?:\.\.\.?|…)\s*(?P<high>{END})?")
BETWEEN = re.compile(rf"(?P<low>{END})\s*(?:–|\bto\b|\ba\b|\bthru\b)\s*(?P<high>{END})", re.IGNORECASE)
ITEM = re.compile(r"""\s*("(?:[^"]|"")*")\s*(?=[,;\t\n\r]|$)|([^,;\t\n\r]+)""")
"""A code in double quotes, which may hold what else parts codes; or one up to where it is parted from the next."""
ITEM_WITH_COMMA = re.compile(ITEM.pattern.replace(",;", ";"))
"""The same where other signs than commas part codes: `9,99; 99,99`."""
QUOTED = re.compile(r'"(?:[^"]|"")*"')
AT_MOST = re.compile(rf"(?:<=|≤|lo\s+thru|lowest\s+thru)\s*(?P<high>{END})", re.IGNORECASE)
AT_LEAST = re.compile(rf"(?:(?:>=|≥)\s*(?P<low>{END})|(?P<from>{END})\s+thru\s+hi(?:ghest)?)", re.IGNORECASE)


def read_line(text: str) -> list[Any]:
    """Codes apart by semicolons, tabs or lines, else by commas, as in a plan: `900..999` is a range, `..-1` is open.

    What stands in double quotes is a code as it is, whatever it looks like.
    """
    return [str(code) if isinstance(code, ExactText) else code for code in read_quoted(text)]


def read_quoted(text: str) -> list[Any]:
    """The same with codes that stood in quotes marked: nothing is asked about them."""
    if text.strip() == NONE:
        return []
    item = ITEM_WITH_COMMA if re.search(r"[;\t\n\r]", QUOTED.sub("", text).strip()) else ITEM
    items = [(quoted, plain.strip()) for quoted, plain in item.findall(text)]
    return [
        ExactText(quoted[1:-1].replace('""', '"')) if quoted else _code(plain)
        for quoted, plain in items
        if quoted or plain
    ]


def _code(text: str) -> Any:
    bare = MINUS.sub("-", text)
    for pattern in (AT_MOST, AT_LEAST, OPEN, BETWEEN):
        found = pattern.fullmatch(bare)
        if found is not None:
            ends = found.groupdict()
            low, high = ends.get("low") or ends.get("from"), ends.get("high")
            if low or high:
                return {key: end for key, end in (("from", low), ("to", high)) if end}
    return text if as_decimal(bare) is None else bare


def write_line(codes: Iterable[Any]) -> str:
    """Return the inverse of `read_line`, of codes as in a plan file."""
    return ", ".join(map(_written, codes)) or NONE


def within(values: Iterable[str], codes: Iterable[Any]) -> set[str]:
    """Return the values, as texts, that are one of some codes or within a range of them."""
    listed = list(codes)
    texts = {str(code) for code in listed if not isinstance(code, dict)}
    ranges = [(code.get("from"), code.get("to")) for code in listed if isinstance(code, dict)]
    ends = [(as_decimal(low), as_decimal(high)) for low, high in ranges]
    spans = sorted((-INFINITE if low is None else low, INFINITE if high is None else high) for low, high in ends)
    starts = [low for low, _ in spans]
    reach = list(accumulate((high for _, high in spans), max))  # of all that begin no later

    def is_within(value: str) -> bool:
        if value in texts or not spans or (number := as_decimal(value)) is None:
            return value in texts
        place = bisect_right(starts, number)
        return place > 0 and number <= reach[place - 1]

    return {value for value in values if is_within(value)}


def _written(code: Any) -> str:
    if isinstance(code, dict):
        return f"{_number(code.get('from', ''))}..{_number(code.get('to', ''))}"
    text = _number(code)
    return text if '"' not in text and read_line(text) == [text] else '"' + text.replace('"', '""') + '"'


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and f"{value:g}" == str(value) else str(value)
