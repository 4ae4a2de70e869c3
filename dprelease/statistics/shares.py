"""Shares of rows, columns or a whole table of counts: quotients of the same noisy counts.

A row has all cells of the last key, a column all of the first. What is measured, and so its sensitivity and its noise,
is that of the table without shares. The interval of a share is that of the cell beside the rest of its row, whose
noises are independent (`part_interval`).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.plan import Plan
from dprelease.model.privacy import Terms
from dprelease.model.release import Cell
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.combination import part_interval
from dprelease.statistics.algebra.reach import noises
from dprelease.statistics.margins import with_sums
from dprelease.statistics.tabulated import Integers
from dprelease.words import phrase

if TYPE_CHECKING:
    from dprelease.statistics.noisy import NoisyTable

ROW, COLUMN, TABLE = "row", "column", "table"
WORDS = (ROW, COLUMN, TABLE)


def check(table: NoisyTable, path: str, schema: Schema, report: Report) -> None:
    """Add problems of shares that are not of declared cells, or of one cell alone."""
    if table.shares and table.discovers(schema):
        allowed = phrase("statistics.margins_of_declared")
        report.add(f"{path}.shares", found=phrase("statistics.shares_discovered"), allowed=allowed)
        return
    for word in table.shares:
        if _cells(table, schema, word) == 1:
            report.add(
                f"{path}.shares",
                found=phrase("statistics.shares_of_one_cell", word=word),
                allowed=phrase("statistics.shares_of_several_cells"),
                remedy=phrase("statistics.leave_out_shares"),
            )


def check_plan(table: NoisyTable, path: str, plan: Plan, terms: Terms, report: Report) -> None:
    """Add a problem where shares stand beside post-processing."""
    if table.shares and plan.postprocess:
        report.add(
            f"{path}.shares",
            found=phrase("statistics.shares_beside_postprocess"),
            allowed=phrase("model.one_them"),
            remedy=phrase("statistics.leave_out_shares_or_postprocess"),
        )


def _along(word: str, axes: int) -> tuple[int, ...]:
    """Return the places of the keys along which the cells of a row, a column or the table lie."""
    return {ROW: (axes - 1,), COLUMN: (0,), TABLE: tuple(range(axes))}[word]


def _cells(table: NoisyTable, schema: Schema, word: str) -> int:
    """Return the number of cells of a row, a column or the table."""
    keys = table.keys(schema)
    return prod(keys[axis].cells for axis in _along(word, len(keys)))


def told(
    table: NoisyTable, schema: Schema, counts: Integers, mechanism: Mechanism, confidence: float
) -> Iterator[tuple[str, list[Cell]]]:
    """Yield the names of the further columns with their cells: empty of totals along what is shared out."""
    shape = tuple(key.cells for key in table.keys(schema))
    own = np.asarray(counts, dtype=object).reshape(shape)
    terms = np.ones(shape, dtype=np.int64)
    if table.margins:
        own, terms = with_sums(own), with_sums(terms)
    for word in table.shares:
        along, cells = _along(word, len(shape)), _cells(table, schema, word)
        parts = tuple(slice(size) if axis in along else slice(None) for axis, size in enumerate(shape))
        part, each = own[parts].astype(np.float64), terms[parts]
        rest = part.sum(axis=along, keepdims=True) - part
        found = np.full((3, *own.shape), np.nan)
        into = found[(slice(None), *parts)]
        for count in np.unique(each).tolist():
            here = each == count
            own_noise, rest_noise = noises(mechanism, count), noises(mechanism, count * (cells - 1))
            into[:, here] = part_interval(part[here], rest[here], own_noise, rest_noise, confidence)
        for name, column in zip(columns(word), found, strict=True):
            yield name, [None if np.isnan(number) else number for number in column.ravel().tolist()]


def columns(word: str) -> tuple[str, str, str]:
    """Return the names of a share and of the ends of its interval."""
    return f"{word}_share", f"{word}_share_lower95", f"{word}_share_upper95"
