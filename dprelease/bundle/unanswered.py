"""Rows that a table leaves out for having no answer, in words: by its plan, and their number where it was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from dprelease.model.certificate import Certificate
from dprelease.model.presentation import Trait
from dprelease.model.release import NO_ANSWER, TOTAL, Cell, Estimates, Release
from dprelease.model.statistic import statistic_of
from dprelease.statements.display import estimate
from dprelease.statements.phrases import LONGEST_NAME
from dprelease.words.language import language
from dprelease.words.phrases import visible
from dprelease.words.releases import say

LISTS = ("by", "columns", "on")
SINGLE = ("column", "numerator", "denominator", "outcome", "survey_weights")
"""Options that name columns without which a row is not counted."""
NOT_ROWS = ("survey_weights", "max_rows_per_cell")
"""Options with which a count is not of rows."""
Numbers: TypeAlias = tuple[float, float, float]
"""Published number with the ends of its interval."""


def left_out(release: Release, table: str) -> Iterator[str]:
    """Yield sentences on the rows without an answer that a table leaves out: how many, where the release states it."""
    certificate = release.certificate
    names = columns_left_out(certificate, table)
    called = {name: visible(certificate.columns.label(name, language()), LONGEST_NAME) for name in names}
    listed = ", ".join(called.values())
    if len(names) > 1 and (all_ := how_many(release, names)) is not None:
        rows, lower, upper = _said(all_)
        yield say("left_out_about_all", rows=rows, lower=lower, upper=upper, columns=listed)
        return
    unknown = []
    for name in names:
        found = how_many(release, [name])
        if found is None and (told := _detailed(release.certificate, name)):
            yield say("left_out_detailed", column=called[name], table=told)
        elif found is None:
            unknown.append(called[name])
        elif found[0] > 0 and found[1] > 0:
            rows, lower, upper = _said(found)
            yield say("left_out_about", rows=rows, lower=lower, upper=upper, column=called[name])
        else:
            yield say("left_out_at_most", rows=_said(found)[2], column=called[name])
    if unknown:
        key = "left_out_unknown" if len(unknown) == 1 else "left_out_unknown_several"
        yield say(key, columns=", ".join(unknown))


def _said(found: Numbers) -> tuple[str, str, str]:
    """Write a number of rows and its interval, none of them below 0."""
    value, lower, upper = (max(number, 0) for number in found)
    return estimate(value, lower, upper)


def columns_left_out(certificate: Certificate, table: str) -> list[str]:
    """Return the columns of a table whose missing answers put a row in none of its cells, in the plan's order."""
    asked = next(each for each in certificate.plan["statistics"] if each["id"] == statistic_of(table))
    if certificate.statistic(table).presentation.has(Trait.OF_COLUMNS):
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


def _detailed(certificate: Certificate, column: str) -> str:
    """Return the table that counts, over all rows, how the cells of a column are read; empty where there is none."""
    asked = (each for each in certificate.plan["statistics"] if each.get("detail"))
    return next((each["id"] for each in asked if each["columns"] == [column] and not each.get("by")), "")


def how_many(release: Release, columns: Sequence[str]) -> Numbers | None:
    """Return the published number of rows without an answer to some columns, with its interval; None where it was
    not measured."""
    for each in release.certificate.plan["statistics"]:
        cell = _cell(release, each, columns)
        if cell is not None and all(isinstance(number, int | float) for number in cell):
            return cell  # type: ignore[return-value]
    return None


def _cell(release: Release, asked: Mapping[str, Any], names: Sequence[str]) -> tuple[Cell, Cell, Cell] | None:
    """Return a statistic's cell of all rows without an answer to one of some columns; None where it has none."""
    table, columns = release.tables.get(asked["id"]), release.certificate.columns
    presentation = release.certificate.statistic(asked["id"]).presentation
    if table is None:
        return None
    if presentation.has(Trait.OF_COLUMNS):
        same = {*names} == {name for name in asked["columns"] if not columns[name].complete}
        return _found(table, ("no",)) if same and not asked.get("by") else None
    if len(names) > 1:
        return None
    (column,) = names
    missing = asked.get("missing", {})
    if not presentation.has(Trait.COUNTS_ROWS) or column not in missing or any(key in asked for key in NOT_ROWS):
        return None
    if asked.keys() >= {"column", "by"}:  # only rows with a value are counted
        return None
    keys = asked.get("by") or asked.get("columns") or [column]
    if not all(name == column or name in missing or columns[name].complete for name in keys):
        return None
    return _found(table, tuple(NO_ANSWER if name == column else TOTAL for name in keys))


def _found(table: Estimates, first: tuple[str, ...]) -> tuple[Cell, Cell, Cell] | None:
    """Return the numbers of the cell whose keys have these codes first; None where there is none."""
    place = 0
    for axis, code in zip(table.axes, first, strict=True):
        codes = [cell[0] for cell in axis.cells]
        if code not in codes:
            return None
        place = place * len(codes) + codes.index(code)
    return table.value[place], table.lower95[place], table.upper95[place]
