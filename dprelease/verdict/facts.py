"""Facts and tables of a release, checked against one another: without plan, price and noise, and by Python alone."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from dprelease.bundle.read import ReadBundle
from dprelease.errors import IntegrityError
from dprelease.verdict.all_tables import check_all
from dprelease.verdict.check import Check
from dprelease.verdict.grades import check_grades
from dprelease.verdict.quantile_checks import check_between
from dprelease.words import phrase

ENDS = ("lower95", "upper95")
BESIDE = ("effective_rows", "lower95_total", "upper95_total")
SQUARE = Decimal("3.841458820694124")
"""Square of the 97.5 % point of the normal distribution."""
CLOSE = Decimal("1e-8")
"""Tolerance of floats, relative to the range of possible values."""


def check_totals(certificate: Mapping[str, Any], tables: Mapping[str, bytes]) -> None:
    """Raise IntegrityError where a table lacks its intervals of noise and sampling, or has others.

    They are worked out a second time from JSON and CSV; no code is shared with `dprelease.statistics.sampled`.
    """
    columns = certificate["plan"].get("columns") or {}
    for asked in certificate["plan"]["statistics"]:
        if not asked.get("sampling"):
            continue
        rows = list(csv.reader(io.StringIO(tables[asked["id"]].decode(), newline="")))
        head, names = rows[0], ("value", *ENDS, *BESIDE)
        low, high = Decimal(0), Decimal(1)
        if "column" in asked:
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


def check_facts(bundle: ReadBundle) -> list[Check]:
    """Check intervals, grades, quantiles and the table of all numbers, where nothing is worked out anew of the plan."""
    certificate = bundle.release.certificate.to_mapping()
    tables = {name: bundle.contents[f"tables/{name}.csv"] for name in bundle.release.tables}
    check_totals(certificate, tables)
    counts = {
        "check.grades": check_grades(certificate, tables),
        "check.quantiles": check_between(certificate, bundle.contents),
        "check.all_numbers": check_all(certificate, bundle.contents, parquet=False),
    }
    return [Check(code, {"count": count}) for code, count in counts.items() if count]
