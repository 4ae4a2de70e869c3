"""Rows without an answer as a group of a key: one further cell, the last one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from dprelease.model.column import Column
from dprelease.model.release import NO_ANSWER
from dprelease.model.report import Report, join
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.words import phrase, quoted

ALIKE = frozenset({NO_ANSWER.casefold(), "no answer", "sin respuesta"})
"""Names that no category may have beside that group: its code, and what pages call it."""


def with_missing(key: Key) -> Key:
    """Return the key with one more cell, of the rows that have no code."""
    return replace(key, cells=key.cells + 1, missing=True)


def left_out(keys: Iterable[Key], schema: Schema) -> frozenset[str]:
    """Return the key columns of which a row may have no code, and then no cell."""
    return frozenset(key.column for key in keys if not (key.missing or schema[key.column].complete))


def groupable(names: Sequence[str], schema: Schema) -> list[str]:
    """Return the key columns of a table whose rows without an answer may be a group of their own."""
    known = [schema[name] for name in names if name in schema]
    if any(column.discover or _alike(column) is not None for column in known):
        return []
    return [column.name for column in known if not column.complete]


def _alike(column: Column) -> str | None:
    """Return a category that is called as the group would be."""
    return next((label for label in column.labels if label.casefold() in ALIKE), None)


def check_missing(missing: Collection[str], names: Sequence[str], path: str, schema: Schema, report: Report) -> None:
    """Add problems of the columns whose rows without an answer are to be a group: `names` are those of the keys."""
    for name in missing:
        place = join(f"{path}.missing", name)
        if name not in names:
            report.add(place, found=name, allowed=phrase("statistics.key_of_this_table"))
        elif schema[name].complete:
            report.add(
                place,
                found=phrase("statistics.column_counts_missing", column=quoted(name)),
                allowed=phrase("statistics.column_without_values"),
                remedy=phrase("statistics.leave_out_missing_group", name=quoted(name)),
            )
    if not missing:
        return
    for name in names:
        if name not in schema:
            continue
        called = _alike(schema[name])
        if schema[name].discover:
            report.add(
                f"{path}.missing",
                found=phrase("statistics.missing_beside_discovered", name=quoted(name)),
                allowed=phrase("statistics.missing_of_declared"),
            )
        elif called is not None:
            report.add(
                f"{path}.missing",
                found=phrase("statistics.category_named_no_answer", name=quoted(name), category=quoted(called)),
                allowed=phrase("statistics.no_answer_is_group"),
                remedy=phrase("statistics.declare_category_as_code", category=quoted(called)),
            )
