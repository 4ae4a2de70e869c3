"""Intervals of noise and sampling, worked out a second time from the JSON of a certificate and the bytes of its CSV.

It shares no code with `dprelease.statistics.sampled`, which made them: another reading of docs/privacy.md.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.words import phrase

ENDS = ("lower95", "upper95")
BESIDE = ("effective_rows", "lower95_total", "upper95_total")
SQUARE = Decimal("3.841458820694124")
"""Square of the 97.5 % point of the normal distribution."""
CLOSE = Decimal("1e-8")
"""Tolerance of floats, relative to the range of possible values."""


def check_totals(certificate: Mapping[str, Any], tables: Mapping[str, bytes]) -> None:
    """Raises IntegrityError where a table that is to have such intervals lacks them, or they are others."""
    columns = certificate["plan"].get("columns") or {}
    for asked in certificate["plan"]["statistics"]:
        if not asked.get("sampling"):
            continue
        rows = list(csv.reader(io.StringIO(tables[asked["id"]].decode(), newline="")))
        head, names = rows[0], ("value", *ENDS, *BESIDE)
        low, high = Decimal(0), Decimal(1)
        if asked["kind"] == "mean":
            low, high = (Decimal(str(columns[asked["column"]][end])) for end in ("lower", "upper"))
        places = [head.index(name) for name in names] if set(names) <= set(head) else []
        if not places or not all(_follows([row[place] for place in places], low, high) for row in rows[1:]):
            raise IntegrityError(phrase("verdict.totals_not_of_numbers", table=asked["id"]))


def _follows(cells: list[str], low: Decimal, high: Decimal) -> bool:
    """Return True if the ends of a total interval follow from value, interval and effective rows."""
    try:
        value, lower, upper, rows, *told = map(Decimal, cells)
    except InvalidOperation:
        return False
    if not all(number.is_finite() for number in (value, lower, upper, rows, *told)) or rows < 0:
        return False
    if rows == 0:
        own = [low, high]
    else:
        middle = (low + high) / 2
        worst = lower if lower > middle else min(upper, middle)
        spread = SQUARE * (worst - low) * (high - worst) / rows
        own = [
            max(low, value - ((value - lower) ** 2 + spread).sqrt()),
            min(high, value + ((upper - value) ** 2 + spread).sqrt()),
        ]
    return all(abs(one - other) <= CLOSE * max(high - low, Decimal(1)) for one, other in zip(own, told, strict=True))
