"""Which rows a table leaves out for having no answer, in words: by its plan, and how many where noise was paid for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dprelease.charts.display import estimate
from dprelease.charts.question import LONGEST_NAME
from dprelease.model.certificate import Certificate
from dprelease.model.release import NO_ANSWER, TOTAL, Cell, Estimates, Release
from dprelease.model.statistic import statistic_of
from dprelease.words.language import language
from dprelease.words.phrases import visible
from dprelease.words.releases import say

LISTS = ("by", "columns", "on")
SINGLE = ("column", "numerator", "denominator", "outcome", "survey_weights")
"""The options that name columns without which a row is not counted."""
COUNTS = ("count", "histogram", "crosstab")
NOT_ROWS = ("survey_weights", "max_rows_per_cell")
"""Options with which a count is not of rows."""
ANSWERED = "answered"


def left_out(release: Release, table: str) -> Iterator[str]:
    """Sentences on the rows without an answer that a table leaves out: how many, where the release tells it."""
    certificate = release.certificate
    unknown = []
    for name in columns_left_out(certificate, table):
        found = how_many(release, name)
        called = visible(certificate.columns.label(name, language()), LONGEST_NAME)
        if found is None:
            unknown.append(called)
        elif found[0] > 0 and found[1] > 0:
            rows, lower, upper = estimate(*found)
            yield say("left_out_about", rows=rows, lower=lower, upper=upper, column=called)
        else:
            yield say("left_out_at_most", rows=estimate(found[0], found[1], max(found[2], 0))[2], column=called)
    if unknown:
        key = "left_out_unknown" if len(unknown) == 1 else "left_out_unknown_several"
        yield say(key, columns=", ".join(unknown))


def columns_left_out(certificate: Certificate, table: str) -> list[str]:
    """The columns of a table without an answer to which a row is in none of its cells, in the plan's order."""
    asked = next(each for each in certificate.plan["statistics"] if each["id"] == statistic_of(table))
    if asked["kind"] == ANSWERED:
        named = [*asked.get("by", ())]
    else:
        named = [name for key in LISTS for name in asked.get(key, ())]
        named += [asked[key] for key in SINGLE if key in asked]
        named += [condition["column"] for condition in asked.get("where", ())]
    grouped, columns = asked.get("missing", {}), certificate.columns
    return [
        name
        for name in dict.fromkeys(named)
        if name not in grouped and name in columns and not columns[name].complete and not columns[name].discover
    ]


def how_many(release: Release, column: str) -> tuple[float, float, float] | None:
    """The published number of rows without an answer to a column, with its interval; None where nobody paid for it."""
    for each in release.certificate.plan["statistics"]:
        cell = _cell(release, each, column)
        if cell is not None and all(isinstance(number, int | float) for number in cell):
            return cell  # type: ignore[return-value]
    return None


def _cell(release: Release, asked: Mapping[str, Any], column: str) -> tuple[Cell, Cell, Cell] | None:
    """Of a statistic the cell of all rows without an answer to a column, where it has one."""
    table = release.tables.get(asked["id"])
    if table is None:
        return None
    if asked["kind"] == ANSWERED:
        others = [name for name in asked["columns"] if name != column]
        alone = column in asked["columns"] and all(release.certificate.columns[name].complete for name in others)
        return _found(table, ("no",)) if alone and not asked.get("by") else None
    missing = asked.get("missing", {})
    if asked["kind"] not in COUNTS or column not in missing or any(key in asked for key in NOT_ROWS):
        return None
    if asked["kind"] == "count" and "column" in asked:
        return None
    keys = asked.get("by") or asked.get("columns") or [column]
    columns = release.certificate.columns
    if not all(name == column or name in missing or columns[name].complete for name in keys):
        return None
    return _found(table, tuple(NO_ANSWER if name == column else TOTAL for name in keys))


def _found(table: Estimates, first: tuple[str, ...]) -> tuple[Cell, Cell, Cell] | None:
    """The numbers of the cell whose keys have these codes first."""
    place = 0
    for axis, code in zip(table.axes, first, strict=True):
        codes = [cell[0] for cell in axis.cells]
        if code not in codes:
            return None
        place = place * len(codes) + codes.index(code)
    return table.value[place], table.lower95[place], table.upper95[place]
