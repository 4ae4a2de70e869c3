"""A release that says of every declared column what a codebook says: made from the schema alone."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from dprelease.model.column import LISTED, NUMERIC, ColumnType
from dprelease.model.schema import Schema
from dprelease.statistics.planning.goals import readable_level
from dprelease.statistics.planning.naming import suggested_id, unique_ids

FEW = 20
"""Numbers with at most so many values are counted value by value, such as answers from 1 to 5."""
MAX_PERIODS = 36
"""Maximum rows of a proposed table of days: three years of months."""


def codebook(schema: Schema, *, leaving_out: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return the number of rows, then a statistic for each column, as in a plan file.

    Listed columns and numbers with few values: how often each occurs; dates: how many by day, week, month, quarter or
    year, whichever is the finest with at most 36 rows; other numbers: the mean, which errs least for its share.
    Identifiers are left out, and so are columns whose categories would have to be discovered, which takes a δ.
    `leaving_out`: further columns.
    """
    found: list[dict[str, Any]] = [{"kind": "count"}]
    for column in schema:
        if column.name in leaving_out or column.type is ColumnType.TEXT or column.discover:
            continue
        if column.type in NUMERIC and column.lattice.steps >= FEW:
            found.append({"kind": "mean", "column": column.name})
        elif column.type in LISTED or column.type in NUMERIC:
            found.append({"kind": "histogram", "column": column.name})
        else:
            levels = {column.name: readable_level(column, MAX_PERIODS)}
            found.append({"kind": "histogram", "column": column.name, "levels": levels})
    ids = unique_ids([""] * len(found), (suggested_id(item["kind"], item) for item in found))
    return [{"id": chosen, **item} for chosen, item in zip(ids, found, strict=True)]
