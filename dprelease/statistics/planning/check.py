"""Checks of how a table is read: beside other tables for a small part of their budget, or as a plan of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dprelease.model.column import CODED
from dprelease.model.presentation import Trait
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.statistics.kinds.answered import MAX_COLUMNS, Answered

PART = 0.03
"""Part of the budget that is shared by weights."""
FIRST = 0.05
"""The ε of a plan that checks alone how a table is read: with it 2,400 rows tell a share to within 2.5 points."""


def check_of(statistics: Sequence[Mapping[str, Any]], schema: Schema) -> dict[str, Any] | None:
    """Return an `answered` over the used columns that may have no value; None where none may, or a table tells it.

    Its weight makes it 3 % of what the statistics share by weights.
    """
    traits = {trait for each in statistics for trait in KINDS[each["kind"]].presentation.traits}
    if Trait.OF_COLUMNS in traits:
        return None
    told = {name for each in statistics for name in _told(each)}
    used = dict.fromkeys(name for each in statistics for name in _used(each) if name in schema)
    columns = [name for name in used if name not in told and not (schema[name].complete or schema[name].discover)]
    if not columns:
        return None
    shared = sum(float(each.get("weight", 1)) for each in statistics if not {"epsilon", "target_error"} & each.keys())
    return {"kind": Answered.kind, "columns": columns, "weight": round(shared * PART / (1 - PART), 6) or 1}


def checked(schema: Schema) -> list[str]:
    """Return the columns whose cells a check tells in detail: all but identifiers and discovered ones."""
    return [column.name for column in schema if column.type in CODED and not column.discover]


def first_check(column: str, schema: Schema) -> list[dict[str, Any]]:
    """Return statistics that check how a table is read: all columns at once, and one of them in detail."""
    open_ = [name for name in checked(schema) if not schema[name].complete]
    whole = [{"kind": Answered.kind, "columns": open_[:MAX_COLUMNS]}] if open_ and open_ != [column] else []
    return [*whole, {"kind": Answered.kind, "columns": [column], "detail": True}]


def _used(asked: Mapping[str, Any]) -> Iterator[str]:
    """Yield the columns that a statistic's options name."""
    for key, reader in KINDS[asked["kind"]].options().items():
        if key == "where":
            yield from (condition["column"] for condition in asked.get(key, ()) if condition.get("column"))
        elif isinstance(asked.get(key), str):
            yield from reader.columns(asked[key])
        elif asked.get(key) is not None:
            yield from reader.columns(tuple(asked[key]) if isinstance(asked[key], list) else ())


def _told(asked: Mapping[str, Any]) -> list[str]:
    """Return the column whose rows without an answer are a cell of a table by it alone."""
    keys = asked.get("by") or asked.get("columns") or [asked.get("column")]
    counts = KINDS[asked["kind"]].presentation.has(Trait.COUNTS_ROWS)
    alone = counts and len(keys) == 1 and not asked.get("survey_weights")
    return [name for name in asked.get("missing", {}) if alone]
