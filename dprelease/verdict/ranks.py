"""Values told by rank, worked out a second time: how many rows may be on their wrong side, of how many that answered.

It shares no code with `dprelease.statements`: another reading of the rule in docs/formats.md.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from math import ceil, floor, log
from typing import Any

CHOICES = ("permute_and_flip", "exponential")
OTHERS = ("survey_weights", "sampling", "max_rows_per_cell", "margins", "detail")


def ranked(certificate: Mapping[str, Any], tables: Mapping[str, bytes]) -> dict[str, Any]:
    """Return by table of chosen quantiles: T, the least number of answers by group, and the rows that can be quoted."""
    plan, found = certificate["plan"], {}
    shown = {each["id"]: each["presentation"] for each in certificate["statistics"]}
    asked = {each["id"]: {**each, "shown": shown[each["id"]]} for each in plan["statistics"]}
    for name in tables.keys() & asked.keys():
        own = asked[name]
        levels, drawn = _levels(own), _choices(certificate, name)
        if not levels or len(drawn) != len(levels) or own.get("candidates"):
            continue
        column = plan["columns"][own["column"]]
        cells = {each["shape"][1] for each in drawn}
        rows, counts = _read(tables[name]), _answers(asked, own, column, tables)
        is_alone = cells == {_values(column)} and not any(row["lower95"] or row["upper95"] for row in rows)
        if not is_alone or len(counts) * len(levels) != len(rows):
            continue
        scales = [float(each["scale"]) / level.denominator for each, level in zip(drawn, levels, strict=True)]
        off = ceil(max(scales) * log(20 * max(cells) * len(levels)) * (1 - 1e-9))
        sides = [min(level, 1 - level) * many for many in counts for level in levels]
        places = [place for place, side in enumerate(sides) if side >= 3 * off]
        if places:
            found[name] = {"off": off, "rows": counts, "places": places}
    return found


def _levels(asked: Mapping[str, Any]) -> list[Fraction]:
    """Return the shares of rows below each value."""
    if "quantile" not in asked["shown"]["traits"]:
        return []
    if asked["shown"]["look"] == "boxes":
        low, high = asked.get("whiskers", (0.05, 0.95))
        return [Fraction(str(each)) for each in (low, 0.25, 0.5, 0.75, high)]
    return [Fraction(str(each)) for each in asked.get("probs", (0.5,))]


def _choices(certificate: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the mechanisms that chose."""
    rests_on = next(each["measurements"] for each in certificate["statistics"] if each["id"] == name)
    drawn = [how for each in certificate["measurements"] if each["id"] in rests_on for how in each["mechanisms"]]
    return [how for how in drawn if how["name"] in CHOICES and len(how["shape"]) == 2]


def _values(column: Mapping[str, Any]) -> int:
    """Return the number of declared values."""
    low, high = (str(column[end]) for end in ("lower", "upper"))
    if column["type"] == "date":
        return date.fromisoformat(high).toordinal() - date.fromisoformat(low).toordinal() + 1
    return int((Fraction(high) - Fraction(low)) / Fraction(str(column.get("resolution", 1)))) + 1


def _answers(
    asked: Mapping[str, Mapping[str, Any]],
    own: Mapping[str, Any],
    column: Mapping[str, Any],
    tables: Mapping[str, bytes],
) -> Sequence[int]:
    """Return at least how many rows of each group have a value, by the first table that counts them."""
    usual = own["column"] if column.get("count_missing_as") is not None else None
    for name in (name for name in tables if name in asked):
        other = asked[name]
        traits = other["shown"]["traits"]
        is_by = "columns" not in other and bool(other.get("by")) is not tables[name].startswith(b"value")
        counted = [other.get("column", usual)] if "counts_rows" in traits and is_by else None
        counted = other.get("columns") if "of_columns" in traits else counted
        alike = all(own.get(option) == other.get(option) for option in ("by", "levels", "missing", "partial"))
        if counted == [own["column"]] and alike and not any(other.get(option) for option in OTHERS):
            ends = list(_ends(tables[name], step=2 if "of_columns" in traits else 1))
            if "" not in ends:
                return [max(0, floor(Fraction(end))) for end in ends]
    return []


def _ends(data: bytes, step: int) -> Iterator[str]:
    return (row["lower95"] for row in _read(data)[::step])


def _read(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))
