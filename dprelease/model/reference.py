"""Reference column of a plan: the dates by which its editions follow each other, and the days that it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from dprelease.model.about import About
from dprelease.model.calendar import CONTIGUOUS
from dprelease.model.column_fields import ColumnType
from dprelease.model.condition import BOUNDS, Condition
from dprelease.model.missing import End
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.words import phrase

PATH = "about.reference.column"
INTERVAL = frozenset({"column", *BOUNDS, "equals"})
"""Keys of a condition that leaves one interval of days."""
ENDS = ("lower", "upper")


def reference_of(plan: Mapping[str, Any]) -> str:
    """Return the name of the reference column of a published plan; empty where it names none."""
    found = plan.get("about", {}).get("reference", {}).get("column", "")
    return found if isinstance(found, str) else ""


def level_of(asked: Mapping[str, Any], column: str) -> str:
    """Return the calendar's level at which a statistic tells the days of a column apart; empty where at none."""
    level = (asked.get("levels") or {}).get(column, "")
    return level if level in CONTIGUOUS else ""


def measure_of(facts: Mapping[str, Any], column: str) -> dict[str, Any]:
    """Return the comparable facts of a statistic without its edition: the days that it keeps of the reference column.

    These are the bounds of the column and the conditions that leave an interval of it. Where the statistic cuts the
    bounds themselves, into bins or by clipping a mean, they stay: they decide what is measured.
    """
    named, levels = facts["options"], facts["options"].get("levels") or {}
    if column not in facts["columns"] or (column not in levels and _holds(named, column)):
        return dict(facts)
    own = {key: value for key, value in facts["columns"][column].items() if key not in ENDS}
    where = [each for each in facts["where"] if each["column"] != column or not each.keys() <= INTERVAL]
    return {**facts, "columns": {**facts["columns"], column: own}, "where": where}


def check_reference(
    about: About, used: Sequence[str], where: Sequence[Condition], schema: Schema, report: Report
) -> None:
    """Add a problem unless the reference column has dates, is used, and keeps days of the reference period alone.

    Days beyond the bounds must have no value where the bounds decide: clipped, they would count in the first or last
    period. Without a reference period there is nothing to agree with.
    """
    name = about.reference
    if not name:
        return
    column = schema[name] if name in used and name in schema else None
    if column is None or column.type is not ColumnType.DATE:
        report.add(PATH, found=name, allowed=phrase("model.date_column_used"))
        return
    assert isinstance(column.lower, date)
    assert isinstance(column.upper, date)
    first, last = column.lower, column.upper
    for key, value in (test for each in where if each.column == name for test in each.tests):
        if key != "in" and column.code(value) is not None:
            day = date.fromisoformat(str(value))
            first = max(first, day) if key != "at_most" else first
            last = min(last, day) if key != "at_least" else last
    below = column.outside.below is End.CLIP and first == column.lower
    above = column.outside.above is End.CLIP and last == column.upper
    if below or above:
        found = phrase("model.days_clipped", column=name)
        report.add(PATH, found=found, allowed=phrase("model.days_left_out", column=name))
    begin, _, end = about.reference_period.partition("/")
    if begin and not (date.fromisoformat(begin) <= first and last <= date.fromisoformat(end)):
        found = phrase("model.days_of_reference", column=name, first=first.isoformat(), last=last.isoformat())
        report.add(PATH, found=found, allowed=phrase("model.days_that_agree", first=begin, last=end))


def _holds(value: Any, column: str) -> bool:
    """Return True if a column is named anywhere in a value."""
    parts = (*value, *value.values()) if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return value == column or any(_holds(part, column) for part in parts)
