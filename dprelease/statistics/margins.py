"""Totals of a table: sums of the same noisy integers, so that parts and wholes agree exactly.

What is measured, and so its sensitivity, is that of the table without totals. A total of n cells has the noise of n
draws; its interval is that of their sum.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.column import LISTED
from dprelease.model.plan import Plan
from dprelease.model.privacy import Terms
from dprelease.model.release import TOTAL, Axis, is_partial
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.grouping import MAX_CELLS, axes
from dprelease.statistics.algebra.reach import sum_reach
from dprelease.statistics.noise import half_width
from dprelease.statistics.tabulated import Integers
from dprelease.words import phrase, quoted

if TYPE_CHECKING:
    from dprelease.statistics.noisy import NoisyTable


def check(table: NoisyTable, path: str, schema: Schema, report: Report) -> None:
    """Add problems of totals that are of nothing, or that could not be told from a cell."""
    if not table.margins:
        return
    if table.discovers(schema):
        allowed = phrase("statistics.margins_of_declared")
        report.add(f"{path}.margins", found=phrase("statistics.margins_discovered"), allowed=allowed)
        return
    if not table.keys(schema):
        allowed, remedy = phrase("statistics.margins_of_groups"), phrase("statistics.name_groups_or_leave_margins")
        report.add(f"{path}.margins", found=phrase("statistics.margins_of_one"), allowed=allowed, remedy=remedy)
        return
    texts = [key for key in table.keys(schema) if key.level or schema[key.column].type in LISTED]
    named = [axis.names[0] for axis in axes(schema, texts) if any(TOTAL in cell for cell in axis.cells)]
    for name in named:
        found = phrase("statistics.category_named_total", name=quoted(name), total=quoted(TOTAL))
        remedy = phrase("statistics.name_category_otherwise")
        report.add(f"{path}.margins", found=found, allowed=phrase("statistics.another_name_beside"), remedy=remedy)
    if table.size(schema) > MAX_CELLS:
        found = phrase("statistics.cells", cells=table.size(schema))
        report.add(f"{path}.margins", found=found, allowed=phrase("model.at_most", max_text=MAX_CELLS))


def check_plan(table: NoisyTable, path: str, plan: Plan, terms: Terms, report: Report) -> None:
    """Add a problem where totals stand beside post-processing."""
    if table.margins and plan.postprocess:
        report.add(
            f"{path}.margins",
            found=phrase("statistics.margins_beside_postprocess"),
            allowed=phrase("model.one_them"),
            remedy=phrase("statistics.leave_out_margins_or_postprocess"),
        )


def summed(
    table: NoisyTable, schema: Schema, noisy: Integers, mechanism: Mechanism, confidence: float
) -> tuple[list[int], list[int]]:
    """Return the cells and the totals, in steps, and the half-width of each."""
    shape = tuple(key.cells for key in table.keys(schema))
    counts = with_sums(np.asarray(noisy, dtype=object).reshape(shape))
    terms = with_sums(np.ones(shape, dtype=np.int64))
    halves = {int(count): _half(mechanism, int(count), confidence) for count in np.unique(terms)}
    return counts.ravel().tolist(), [halves[count] for count in terms.ravel().tolist()]


def with_sums(cells: Integers) -> Integers:
    """Return the cells, and behind the last one along each axis their sum."""
    for axis in range(cells.ndim):
        cells = np.concatenate([cells, cells.sum(axis=axis, keepdims=True)], axis=axis)
    return cells


def _half(mechanism: Mechanism, terms: int, confidence: float) -> int:
    if terms == 1 or confidence == 0:
        return half_width(mechanism, confidence)
    return ceil(sum_reach(mechanism, terms, confidence))


def with_total(axis: Axis) -> Axis:
    """Return the axis with cells as texts, and the total after them; a total of periods is cut by nothing."""
    cells = [tuple(None if entry is None else str(entry) for entry in cell) for cell in axis.cells]
    total = tuple("no" if is_partial(name) else TOTAL for name in axis.names)
    return replace(axis, cells=(*cells, total))
